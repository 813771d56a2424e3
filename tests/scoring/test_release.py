"""Publishing from the database: files and rows, the same bytes twice, corrections, and rows that
were tampered with.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from fartbench import writeonce
from fartbench.models import AuditEntry, ProtocolVersion, Round
from fartbench.times import utc
from review.models import Answer, AnswerSheet, CohortMember, MistakeReport, Reviewer, Role, Source
from review.record import SheetRecord, digest_of_lock
from rounds import opening as rounds
from scoring.errors import CorrectionRefused, ReleaseRefused, RoundAltered
from scoring.models import Release, ReleaseDocument
from scoring.records.reading import read_round
from scoring.release.contents import hashes_of, write_release
from scoring.release.kinds import documents_of
from scoring.release.loading import load_record
from scoring.release.manifest import issue_of
from scoring.release.verifying import verify_release
from scoring.scores.document import scores_document
from scoring.scores.standings import results_of
from tests.scoring.rows import answer_all, make_filled_round, make_locked_round, make_open_round

pytestmark = pytest.mark.django_db

CHANGES = {
    ("alpha", "r01-lift"): {
        "event": "no",
        "cause": "na:no_event",
        "sound": "na:no_sound",
        "timing": "na:no_event",
    },
    ("beta", "r01-toast"): {"cause": "unclear", "sound": "1"},
}


@pytest.fixture
def closed() -> Round:
    return make_locked_round(CHANGES, refused={("beta", "r01-chair"): "policy"})


def tamper(statement: str, *values: object) -> None:
    """Run SQL behind the back of the program, as somebody with the database's password can."""
    writeonce.uninstall()
    try:
        with transaction.get_connection().cursor() as cursor:
            cursor.execute(statement, values)
    finally:
        writeonce.install()


def test_a_release_is_a_folder_that_verifies_and_rows_that_say_the_same(closed: Round) -> None:
    release = rounds.publish(round_=closed, actor="test")
    found = verify_release(release.folder)
    assert (found.digest, found.number, found.answers) == (release.digest, 1, 7 * 4 * 6)
    assert (
        json.loads((release.folder / "scores.json").read_bytes())
        == release.scores
        == scores_document(results_of(read_round(closed)))
    )
    assert release.manifest == json.loads((release.folder / "manifest.json").read_bytes())
    published = AuditEntry.objects.get(action="round published")
    assert (published.details["digest"], published.sequence) == (
        release.digest,
        release.manifest["audit"]["sequence"] + 1,
    )
    assert published.previous_hash == release.manifest["audit"]["hash"]


def test_the_same_rows_give_the_same_bytes(closed: Round, tmp_path: Path) -> None:
    release = rounds.publish(round_=closed, actor="test")
    documents = documents_of(read_round(closed))
    write_release(tmp_path, documents, closed.protocol.content, issue_of(release.manifest))
    assert hashes_of(tmp_path) == hashes_of(release.folder)


def test_a_licence_stands_in_every_part_that_says_what_the_release_is(
    closed: Round, settings: Any
) -> None:
    settings.RELEASE_LICENCE = "https://creativecommons.org/licenses/by/4.0/"
    release = rounds.publish(round_=closed, actor="test")
    verify_release(release.folder)
    assert (
        json.loads((release.folder / "croissant.json").read_bytes())["license"]
        == settings.RELEASE_LICENCE
    )
    assert release.manifest["release"]["licence"] == settings.RELEASE_LICENCE
    assert settings.RELEASE_LICENCE in (release.folder / "README.md").read_text(encoding="utf-8")


def test_without_a_licence_a_release_says_so(closed: Round) -> None:
    release = rounds.publish(round_=closed, actor="test")
    assert "license" not in json.loads((release.folder / "croissant.json").read_bytes())
    assert "No licence was stated" in (release.folder / "README.md").read_text(encoding="utf-8")


def test_no_name_and_no_address_is_in_a_release(closed: Round) -> None:
    release = rounds.publish(round_=closed, actor="test")
    everything = b"".join(path.read_bytes() for path in release.folder.rglob("*") if path.is_file())
    for reviewer in Reviewer.objects.select_related("user"):
        assert reviewer.code.encode() in everything
        assert reviewer.email.encode() not in everything
        assert reviewer.user.username.encode() not in everything


def test_pages_find_their_documents(closed: Round) -> None:
    release = rounds.publish(round_=closed, actor="test")
    alpha = release.document("configuration/alpha")
    assert alpha["scenes"]["r01-lift"]["event"]["consensus"] == "no"
    assert alpha["reports"]["event_success"]["not_passed"] == {
        "no": 1,
        "unclear": 0,
        "na": 0,
        "split": 0,
    }
    assert alpha["reports"]["ratings"]["sound"]["na"]["n"] == 4
    assert len(release.document("leaderboard")["configurations"]) == 2
    assert "by_configuration" not in json.dumps(release.document("event_success"))
    assert release.document("coverage")["reasons"] == {"refused": {"policy": 1}}
    assert release.document("nothing") is None


def test_a_release_never_changes(closed: Round) -> None:
    rounds.publish(round_=closed, actor="test")
    for rows, change in ((Release, {"digest": "0" * 64}), (ReleaseDocument, {"name": "other"})):
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.objects.update(**change)
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.objects.all().delete()


SWAPS = {
    "configurations": lambda record: replace(record, cells=tuple(
        replace(cell, configuration={"alpha": "beta",
                                     "beta": "alpha"}[cell.configuration]) for cell in record.cells)),
    "a track": lambda record: replace(record, configurations=(
        replace(record.configurations[0], track="legacy"), *record.configurations[1:])),
    "a role": lambda record: replace(record, reviewers=(
        replace(record.reviewers[0], role="secondary"), *record.reviewers[1:])),
    "a raw clip": lambda record: replace(record, cells=(
        replace(record.cells[0], raw_sha256="e" * 64), *record.cells[1:])),
    "the opening": lambda record: replace(record, opened_at="2020-01-01T00:00:00Z"),
    "the secret": lambda record: replace(record, secret="c" * 64),
}  # fmt: skip


@pytest.mark.parametrize("swap", SWAPS)
def test_a_release_made_again_with_others_clips_is_not_what_was_fixed_at_the_opening(
    closed: Round, tmp_path: Path, swap: str
) -> None:
    release = rounds.publish(round_=closed, actor="test")
    record, protocol = load_record(release.folder, release.manifest)
    forged = documents_of(SWAPS[swap](record))
    write_release(tmp_path, forged, protocol, issue_of(release.manifest))
    with pytest.raises(
        ReleaseRefused, match=r"audit trail recorded|not the one that the round was opened with"
    ):
        verify_release(tmp_path)


@pytest.mark.parametrize(
    "change", [{"because": "x"}, {"assignment": "a" * 64}, {"secret_sha256": "b" * 64}]
)
def test_an_entry_in_a_release_that_is_not_what_its_hash_says_is_refused(
    closed: Round, tmp_path: Path, change: dict[str, str]
) -> None:
    release = rounds.publish(round_=closed, actor="test")
    record, protocol = load_record(release.folder, release.manifest)
    issue = issue_of(release.manifest)
    (entry,) = issue.assignment
    write_release(tmp_path, documents_of(record), protocol, replace(
        issue, assignment=({**entry, "details": entry["details"] | change},)))  # fmt: skip
    with pytest.raises(ReleaseRefused, match="is not what its hash says"):
        verify_release(tmp_path)


def test_a_release_says_which_entry_fixed_whose_clip_is_whose(
    closed: Round, capsys: pytest.CaptureFixture[str]
) -> None:
    release = rounds.publish(round_=closed, actor="test")
    opened = AuditEntry.objects.get(action="assignment recorded")
    call_command("verify_release", str(release.folder))
    said = capsys.readouterr().out
    assert f"was fixed when the round was opened by entry {opened.sequence}:{opened.hash}" in said
    assert opened.actor == "system"
    assert set(opened.details) == {"because", "assignment", "rows", "described", "secret_sha256"}, (
        "nothing that names anybody"
    )


class TestCorrections:
    def test_a_correction_names_the_release_it_replaces(self, closed: Round) -> None:
        first = rounds.publish(round_=closed, actor="test")
        second = rounds.publish(round_=closed, actor="test", correction=" a label was wrong ")
        assert (second.number, second.replaces, second.correction_reason) == (
            2,
            first,
            "a label was wrong",
        )
        assert verify_release(second.folder).replaces == first.digest
        assert verify_release(first.folder).digest == first.digest
        entry = AuditEntry.objects.get(action="release corrected")
        said = {name: entry.details[name] for name in ("release", "digest", "replaces", "reason")}
        assert said == {
            "release": 2,
            "digest": second.digest,
            "replaces": 1,
            "reason": "a label was wrong",
        }

    def test_by_command(self, closed: Round, capsys: pytest.CaptureFixture[str]) -> None:
        call_command("publish", closed.name)
        with pytest.raises(CommandError, match="needs --reason") as caught:
            call_command("publish", closed.name, "--correct")
        assert caught.value.returncode == 1
        call_command("publish", closed.name, "--correct", "--reason", "a label was wrong")
        assert "is published as release 2" in capsys.readouterr().out

    def test_there_must_be_something_to_correct(self, closed: Round) -> None:
        with pytest.raises(CorrectionRefused, match="has no release to correct"):
            rounds.publish(round_=closed, actor="test", correction="why")


def test_what_a_crash_left_behind_is_replaced(closed: Round) -> None:
    left = Release(round=closed, number=1).folder
    left.mkdir(parents=True)
    (left / "half").write_text("written")
    (left.parent / ".unfinished-by-a-killed-run").mkdir()
    release = rounds.publish(round_=closed, actor="test")
    assert verify_release(release.folder).digest == release.digest
    assert [path.name for path in left.parent.iterdir()] == ["1"]


def test_a_publication_that_fails_leaves_no_folder(
    closed: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("scoring.release.contents.write_parquet", full)
    with pytest.raises(Exception, match="could not be stored"):
        rounds.publish(round_=closed, actor="test")
    assert not Release(round=closed, number=1).folder.exists()
    assert not Release.objects.exists()
    assert Round.objects.get(pk=closed.pk).state == "locked"


class TestTampering:
    def refused(self, round_: Round) -> str:
        with pytest.raises(RoundAltered) as caught:
            rounds.publish(
                round_=Round.objects.select_related("protocol").get(pk=round_.pk), actor="test"
            )
        assert not Release.objects.exists()
        return str(caught.value)

    def test_an_answer_edited_by_hand(self, closed: Round) -> None:
        answer = (
            Answer.objects.filter(question="sound", value="4")
            .select_related("sheet__reviewer")
            .first()
        )
        assert answer is not None
        tamper("UPDATE review_answer SET value = '5' WHERE id = %s", answer.pk)
        said = self.refused(closed)
        assert (
            f"the sheet of {answer.sheet.reviewer.code} on {answer.sheet.stimulus_id} is not what "
            "was locked" in said
        )
        assert "1 fault" in said
        with pytest.raises(RoundAltered):
            results_of(read_round(closed))

    def test_an_answer_and_its_digest_edited_by_hand(self, closed: Round) -> None:
        sheet = AnswerSheet.objects.select_related("reviewer").first()
        assert sheet is not None
        tamper(
            "UPDATE review_answer SET value = '5' WHERE sheet_id = %s AND question = 'people'",
            sheet.pk,
        )
        with pytest.raises(RoundAltered):
            read_round(closed)
        digest = digest_as_stored(sheet)
        tamper("UPDATE review_answersheet SET digest = %s WHERE id = %s", digest, sheet.pk)
        read_round(closed)
        assert f"its row has SHA-256 {digest}, its entry " in self.refused(closed)

    def test_an_answer_taken_away(self, closed: Round) -> None:
        answer = Answer.objects.filter(question="cause").first()
        assert answer is not None
        tamper("DELETE FROM review_answer WHERE id = %s", answer.pk)
        assert "has no answer to 'cause'" in self.refused(closed)

    def test_an_answer_that_the_protocol_does_not_know(self, closed: Round) -> None:
        answer = Answer.objects.filter(question="cause").first()
        assert answer is not None
        tamper(
            "UPDATE review_answer SET value = 'maybe', na_reason = NULL WHERE id = %s", answer.pk
        )
        assert "'cause' has the answer 'maybe', which the protocol does not know" in self.refused(
            closed
        )

    def test_a_fifth_reviewer(self, closed: Round) -> None:
        fifth = make_filled_round().members.first()
        assert fifth is not None
        writeonce.uninstall()
        CohortMember.objects.create(
            round=closed, reviewer=fifth.reviewer, role=Role.PRIMARY, place=9
        )
        writeonce.install()
        said = self.refused(closed)
        assert "its primary cohort has 5 reviewers" in said
        assert fifth.reviewer.code in said

    def test_a_changed_protocol(self, closed: Round) -> None:
        content = json.dumps({**closed.protocol.content, "title": "Another"})
        tamper(
            "UPDATE fartbench_protocolversion SET content = %s WHERE id = %s",
            content,
            closed.protocol_id,
        )
        assert f"and {closed.protocol.digest} was loaded" in self.refused(closed)

    def test_another_protocol_than_the_round_was_opened_on(self, closed: Round) -> None:
        other = {**closed.protocol.content, "version": "9.9.9"}
        from fartbench.protocol import digest_of  # noqa: PLC0415

        row = ProtocolVersion.objects.create(
            name="core-r01", version="9.9.9", digest=digest_of(other), content=other
        )
        tamper("UPDATE fartbench_round SET protocol_id = %s WHERE id = %s", row.pk, closed.pk)
        assert f"the round was opened on {closed.protocol.digest}" in self.refused(closed)

    def test_an_audit_trail_that_does_not_hold(self, closed: Round) -> None:
        tamper("UPDATE fartbench_auditentry SET actor = 'somebody' WHERE action = 'round opened'")
        assert "audit trail: entry" in self.refused(closed)


def digest_as_stored(sheet: AnswerSheet) -> str:
    assert sheet.locked_at is not None
    record = SheetRecord(
        reviewer=sheet.reviewer.code,
        stimulus=sheet.stimulus_id,
        protocol_digest=sheet.form.protocol.digest,
        scene=sheet.stimulus.scene,
        source=sheet.source,
        responses=sheet.responses(),
        locked_at=utc(sheet.locked_at),
    )
    return digest_of_lock(record, sheet.playback)


def test_secondary_reviewers_are_in_the_tables_and_in_no_score(closed: Round) -> None:
    before = scores_document(results_of(read_round(closed)))
    member = closed.members.order_by("place").last()
    writeonce.uninstall()
    CohortMember.objects.filter(pk=member.pk).update(role=Role.SECONDARY)
    writeonce.install()
    record = read_round(closed)
    assert len(record.primary) == 3
    assert len(record.sheets) == 28
    after = scores_document(results_of(record))
    assert after["leaderboard"] != before["leaderboard"]
    assert {scene["status"] for line in after["leaderboard"] for scene in line["scenes"].values()} == {
        "incomplete", "refused",
    }  # fmt: skip


def test_a_demonstration_is_marked() -> None:
    round_ = make_open_round(scenes=["r01-lift"])
    answer_all(round_, source=Source.SIMULATED)
    rounds.close_round(round_=round_, actor="test")
    release = rounds.publish(round_=round_, actor="test")
    assert release.demonstration
    assert release.manifest["release"]["demonstration"]


def test_free_text_is_exported_only_when_asked_for(closed: Round, tmp_path: Path) -> None:
    sheet = AnswerSheet.objects.first()
    assert sheet is not None
    MistakeReport.objects.create(sheet=sheet, text="=I clicked the wrong one")
    call_command("export", closed.name, "--out", tmp_path / "without", "--reason", "test")
    assert not any(
        "clicked" in path.read_text(encoding="utf-8") for path in (tmp_path / "without").iterdir()
    )
    call_command("export", closed.name, "--out", tmp_path / "with", "--free-text")
    notes = (tmp_path / "with" / "notes.csv").read_text(encoding="utf-8")
    assert "mistake,'=I clicked the wrong one," in notes
    assert "notes.csv" in (tmp_path / "with" / "SHA256SUMS").read_text()
