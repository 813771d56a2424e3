"""Steps that take in answers and votes collected elsewhere."""

from __future__ import annotations

import hashlib
from typing import Any

from fartbench.models import AuditEntry, Round, RoundState
from fartbench.uploads import read_sent
from review.pairs.selectors import live_tasks
from rounds.answers_import import LABEL_STUDIO, TABLE, import_answers
from rounds.battles_import import import_battles
from rounds.errors import AnswersRefused
from rounds.step import Done, Field, Step, Values


def _taken_before(round_: Round, upload: Any, action: str) -> Done | None:
    """Say so when this very file was taken in already: the audit trail has its digest."""
    digest = hashlib.sha256(upload.read()).hexdigest()
    upload.seek(0)
    entries = AuditEntry.objects.filter(action=action, round_name=round_.name)
    if not entries.filter(details__file=digest).exists():
        return None
    return Done(f"{upload.name} was taken in already.")


def _import_answers(round_: Round, actor: str, values: Values) -> Done:
    upload = values["answers"]
    form = LABEL_STUDIO if str(upload.name).lower().endswith(".json") else TABLE
    count = read_sent(
        upload,
        lambda path: import_answers(round_=round_, path=path, actor=actor, form=form),
        AnswersRefused,
    )
    return Done(f"{count} sheets are locked, marked as imported; their playback was not measured.")


IMPORT_ANSWERS = Step(
    "import_answers",
    "Import answers",
    "Takes in answers that the round's reviewers gave elsewhere, a row for each sheet: all of "
    "them, or nothing and every fault named by row. Imported sheets are locked.",
    (RoundState.REVIEWING,),
    _import_answers,
    (
        Field(
            "answers",
            "A CSV table with reviewer, configuration, {scene}, replicate and a column for each "
            "question; or the JSON of Label Studio",
            "file",
            is_positional=True,
        ),
    ),
    done=lambda round_, values: _taken_before(round_, values["answers"], "answers imported"),
    offered=lambda round_: round_.members.exists(),
    place="reviewers",
)


def _import_battles(round_: Round, actor: str, values: Values) -> Done:
    count = read_sent(
        values["battles"],
        lambda path: import_battles(round_=round_, path=path, actor=actor),
        AnswersRefused,
    )
    return Done(f"{count} votes are locked, marked as imported; their playback was not measured.")


IMPORT_BATTLES = Step(
    "import_battles",
    "Import votes on pairs",
    "Takes in votes that the round's reviewers gave elsewhere, in the JSON of FastChat: all of "
    "them, or nothing and every fault named by row. Imported votes are locked.",
    (RoundState.REVIEWING,),
    _import_battles,
    (Field("battles", "A JSON file of battles", "file", is_positional=True),),
    done=lambda round_, values: _taken_before(round_, values["battles"], "battles imported"),
    offered=lambda round_: live_tasks(round_).exists(),
    place="pairs",
)
