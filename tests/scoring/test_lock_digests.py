"""The digest of a lock covers what a release contains: anybody computes it again from the tables
alone, and an answer that was changed everywhere else does not fit it.
"""

import csv
import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from fartbench.models import AuditEntry
from review.models import AnswerSheet
from review.record import SheetRecord, older_digest
from rounds import opening as rounds
from scoring.errors import ReleaseRefused
from scoring.records.reading import read_round
from scoring.release.contents import write_release
from scoring.release.kinds import documents_of
from scoring.release.manifest import issue_of
from scoring.release.verifying import verify_release
from tests.scoring.rows import make_locked_round
from tests.scoring.test_release import tamper

pytestmark = pytest.mark.django_db


@pytest.fixture
def closed():
    return make_locked_round({})


def sheets_in(folder):
    """Return the rows of each sheet of a release, by reviewer and clip."""
    found = {}
    with (folder / "answers.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault((row["reviewer"], row["stimulus"]), []).append(row)
    return found


def digest_by_hand(rows):
    """Compute the digest of a sheet as docs/rounds.md says, with nothing of the program."""
    first = rows[0]
    content = {
        "answers": {row["question"]: row["answer"] for row in rows},
        "locked_at": first["locked_at"],
        "playback": first["playback_sha256"],
        "playback_measured": first["playback_measured"] == "yes",
        "protocol": first["protocol_digest"],
        "reviewer": first["reviewer"],
        "scene": first["scene"],
        "source": first["source"],
        "stimulus": first["stimulus"],
    }
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_stranger_computes_every_digest_from_the_release_and_finds_it_in_the_trail(closed):
    release = rounds.publish(round_=closed, actor="test")
    entries = AuditEntry.objects.filter(action="sheet locked")
    recorded = {entry.details["digest"] for entry in entries}
    sheets = sheets_in(release.folder)
    assert len(sheets) == AnswerSheet.objects.filter(locked_at__isnull=False).count() > 0
    for rows in sheets.values():
        assert digest_by_hand(rows) == rows[0]["sheet_digest"]
        assert rows[0]["sheet_digest"] in recorded
    verified = verify_release(release.folder)
    assert verified.locks == verified.locks_checked == len(sheets)


def forged(closed, tmp_path, **changes):
    """Publish, and make the whole release again with other sheets, as the program would."""
    release = rounds.publish(round_=closed, actor="test")
    record = read_round(closed)
    folder = tmp_path / "forged"
    folder.mkdir()
    documents = documents_of(replace(record, sheets=replace(record.sheets, **changes)))
    write_release(folder, documents, closed.protocol.content, issue_of(release.manifest))
    return folder


def other_answers(closed):
    answers = read_round(closed).sheets.answers.copy()
    answers[0, 0] = 1 - np.sign(answers[0, 0])
    return answers


@pytest.mark.parametrize(
    "change",
    [
        lambda closed: {"answers": other_answers(closed)},
        lambda closed: {"source": ["simulated"] * len(read_round(closed).sheets)},
        lambda closed: {"locked_at": ["2026-01-01T00:00:00Z"] * len(read_round(closed).sheets)},
        lambda closed: {"measured": [True] * len(read_round(closed).sheets)},
        lambda closed: {"reviewer": read_round(closed).sheets.reviewer[::-1].copy()},
    ],
    ids=["answers", "source", "time", "playback", "reviewer"],
)
def test_a_release_made_again_around_other_sheets_is_refused(closed, tmp_path, change):
    folder = forged(closed, tmp_path, **change(closed))
    with pytest.raises(ReleaseRefused, match="is not what was locked"):
        verify_release(folder)


def test_a_round_that_an_older_version_locked_is_read_and_says_what_is_not_computed(closed):
    sheet = AnswerSheet.objects.select_related("reviewer", "stimulus").first()
    record = SheetRecord(
        reviewer=sheet.reviewer.code,
        stimulus=sheet.stimulus_id,
        protocol_digest=closed.protocol.digest,
        scene=sheet.stimulus.scene,
        source=sheet.source,
        responses=sheet.responses(),
        locked_at=sheet.locked_at.isoformat().replace("+00:00", "Z"),
    )
    older = older_digest(record, sheet.playback)
    tamper("UPDATE review_answersheet SET digest = %s WHERE id = %s", older, sheet.pk)
    sheets = read_round(closed).sheets
    assert sheets.digest[0] == older
    assert [bool(one) for one in sheets.playback_sha256] == [False] + [True] * (len(sheets) - 1)
