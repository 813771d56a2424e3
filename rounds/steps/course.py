"""The steps that take a round from one state to the next, and those of a closed round."""

from __future__ import annotations

from datetime import UTC, datetime

from django.conf import settings
from django.urls import reverse

from fartbench.models import Round, RoundState
from judging.selectors import left_open
from measuring.rollouts import due_tasks, request_measuring
from review.pairs import selectors as pairs
from rounds.due import due_assignments
from rounds.errors import ReasonMissing
from rounds.opening import close_round, open_round, publish
from rounds.pairs import balance_of, plan_pairs
from rounds.step import BEFORE_OPENING, Done, Field, Step, Values
from scoring.models import Release

CLOSED = (RoundState.LOCKED, RoundState.PUBLISHED)


def _since(at: datetime | None) -> str:
    return f"since {at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if at else ""


def _open_round(round_: Round, actor: str, _values: Values) -> Done:
    open_round(round_=round_, actor=actor)
    return Done(f"Round {round_.name} is open for review: its reviewers can begin.")


def _is_open(round_: Round, _values: Values) -> Done | None:
    if round_.opened_at is None:
        return None
    return Done(f"Round {round_.name} is open already, {_since(round_.opened_at)}.")


OPEN_ROUND = Step(
    "open_round",
    "Open the round",
    "The protocol is frozen, every reviewer gets their own order, and reviewing begins. This "
    "cannot be undone.",
    BEFORE_OPENING,
    _open_round,
    done=_is_open,
    only_when_due=True,
)


def _plan_pairs(round_: Round, actor: str, values: Values) -> Done:
    most = values["most"]
    planned = plan_pairs(round_=round_, actor=actor, meetings=values["meetings"], most=most)
    balance = balance_of(round_)
    details = [
        f"Now {balance.pairs} pairs and {balance.tasks} tasks: two configurations meet "
        f"{balance.fewest} to {balance.most} times, none is on one side more than {balance.side} "
        f"times more often than on the other, and {balance.running} tasks show a configuration "
        "twice running."
    ]
    rules = round_.protocol.rules.pairs
    wanted = rules.count * len(rules.questions) if rules and rules.count and not most else 0
    if rules and balance.pairs < wanted:
        details.append(
            f"The protocol asks for {rules.count} pairs of each of {len(rules.questions)} "
            "questions. There are fewer windows to compare here, and no reviewer is asked about "
            "the same two again."
        )
    return Done(
        f"{planned.pairs} pairs and {planned.tasks} tasks were added.", details=tuple(details)
    )


PLAN_PAIRS = Step(
    "plan_pairs",
    "Plan the pairs",
    "Draws the pairs that the plan still lacks and asks the cohort about them. What is planned "
    "stays, so doing it again only fills in what a replaced copy or reviewer left open.",
    (RoundState.REVIEWING,),
    _plan_pairs,
    (
        Field(
            "meetings",
            "How often two configurations meet in a {scene}; empty for what the protocol says",
            "number",
            is_required=False,
        ),
        Field("most", "Most pairs in a {scene}; empty for no limit", "number", is_required=False),
    ),
    offered=lambda round_: round_.protocol.rules.pairs is not None,
    place="pairs",
)


def _close_round(round_: Round, actor: str, values: Values) -> Done:
    reason = values.get("reason", "").strip() if values.get("incomplete") else ""
    if values.get("incomplete") and not reason:
        raise ReasonMissing(
            "Say why the round is closed while sheets are missing. Nothing was changed."
        )
    close_round(round_=round_, actor=actor, incomplete_reason=reason)
    return Done(
        f"Round {round_.name} is closed. Its scores can be previewed (“score {round_.name}”) and "
        "published."
    )


def _is_closed(round_: Round, _values: Values) -> Done | None:
    if round_.closed_at is None:
        return None
    return Done(f"Round {round_.name} is closed already, {_since(round_.closed_at)}.")


def _missing(round_: Round) -> str:
    sheets = due_assignments([round_.pk]).count()
    votes = pairs.due_tasks([round_.pk]).count()
    counts = {"sheets": sheets, "votes on pairs": votes}
    return " and ".join(f"{count} {what}" for what, count in counts.items() if count)


def _without_them(round_: Round) -> str:
    missing = _missing(round_)
    if not missing:
        return ""
    rules = round_.protocol.rules
    if rules.rollouts is not None:
        return f"{missing} are still missing. Without them columns rest on fewer answers."
    return (
        f"{missing} are still missing. Without them the {rules.words.clip}s concerned are "
        "incomplete, and their configurations unranked."
    )


def _lacks_answers(round_: Round) -> bool:
    return bool(_missing(round_))


CLOSE_ROUND = Step(
    "close_round",
    "Close the round",
    "Reviewing ends and no sheet can be changed or added any more. This cannot be undone.",
    (RoundState.REVIEWING,),
    _close_round,
    (
        Field(
            "incomplete",
            "Close although sheets are missing",
            "check",
            is_required=False,
            asked=_lacks_answers,
        ),
        Field(
            "reason",
            "Why they are missing",
            is_required=False,
            needed_with="incomplete",
            asked=_lacks_answers,
        ),
    ),
    done=_is_closed,
    note=_without_them,
)


def _measure(round_: Round, actor: str, _values: Values) -> Done:
    left = request_measuring(round_=round_, actor=actor)
    return Done(f"{left} jobs are left to the workers.")


def _is_measured(round_: Round, _values: Values) -> Done | None:
    if round_.state not in CLOSED or due_tasks(round_):
        return None
    return Done(f"Round {round_.name} is measured already; nothing is left to measure.")


MEASURE = Step(
    "measure",
    "Measure the rollouts",
    "Measures every rollout: where its chunks meet, how fast it came, its sound, and what models "
    "say whose weights are installed. What failed, or lacked weights that are there now, is "
    "measured again.",
    CLOSED,
    _measure,
    done=_is_measured,
    offered=lambda round_: (
        round_.state == RoundState.LOCKED and round_.protocol.rules.rollouts is not None
    ),
)

LISTEN = Step(
    "listen",
    "Listen to the {clip}s",
    "Finds candidate onsets, silence and loudness in the sound. No score is made of them.",
    CLOSED,
)
EXPORT = Step(
    "export",
    "Export the tables",
    "Writes answers, {clip}s, configurations and scores as files. They say whose {stimulus} each "
    "one is.",
    CLOSED,
)


def _publish(round_: Round, actor: str, values: Values) -> Done:
    correction = values["reason"] if values.get("correct") else None
    return _published(publish(round_=round_, actor=actor, correction=correction))


def _published(release: Release, already: str = "") -> Done:
    name = release.round.name
    audit = release.manifest["audit"]
    return Done(
        f"Round {name} is published{already} as release {release.number}. Everyone can see it.",
        details=(
            f"SHA-256 of the release: {release.digest}",
            f"Head of the audit trail: {audit['sequence']}:{audit['hash']}",
            str(release.folder),
            f"{settings.BASE_URL}{reverse('leaderboard', args=[name])}",
        ),
    )


def _is_published(round_: Round, values: Values) -> Done | None:
    last = round_.releases.order_by("-number").first()
    if last is None:
        return None
    reason = values["reason"].strip()
    # A correction for the reason of the last one is that one, asked for again. One without a
    # reason is refused by the step.
    is_repeated = reason != "" and reason == last.correction_reason
    if values.get("correct") and not is_repeated:
        return None
    return _published(last, " already")


def _unasked(round_: Round) -> str:
    left = left_open(round_)
    if not left:
        return ""
    return f"{left} Afterwards they are asked no more; “judge {round_.name}” asks them now."


def _is_published_state(round_: Round) -> bool:
    return round_.state == RoundState.PUBLISHED


PUBLISH = Step(
    "publish",
    "Publish the round",
    "The figures are frozen as a release that everyone can see, with whose {stimulus} each one is. "
    "This cannot be undone.",
    CLOSED,
    _publish,
    (
        Field(
            "correct",
            "Make a new release that replaces the last one",
            "check",
            is_required=False,
            asked=_is_published_state,
        ),
        Field(
            "reason",
            "What was wrong",
            is_required=False,
            needed_with="correct",
            asked=_is_published_state,
        ),
    ),
    done=_is_published,
    offered=lambda round_: round_.state == RoundState.LOCKED,
    note=_unasked,
)
