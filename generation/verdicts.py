"""Experts' verdicts on scenarios: two who do not see each other's, a third where they differ, all
before generation.

A protocol without rollouts has scenes that need no verdict, and nothing here holds it back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Min
from django.utils import timezone

from fartbench import audit
from fartbench.models import AuditEntry, ProtocolVersion, Round
from fartbench.protocol import digest_of
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.protocol.rollouts.verdicts import (
    REVIEWERS,
    Reviewed,
    Verdict,
    digest_of_scenario,
    is_asked,
    reviewed,
    shown_to,
)
from fartbench.times import utc
from generation.errors import NotReviewed, VerdictRefused
from generation.models import Opinion, Sample, ScenarioVerdict, VerdictWaiver

BEGINNINGS = ("clips commissioned", "clips imported")
NAMED = 5  # scenarios that a refusal names


@dataclass(frozen=True)
class Line:
    """A scenario with its verdicts and its state."""

    scenario: Scenario
    digest: str
    rows: tuple[ScenarioVerdict, ...]

    @property
    def reviewed(self) -> Reviewed:
        """The state of the scenario, and since when."""
        return reviewed(self._verdicts, self.digest)

    def is_asked(self, expert: str) -> bool:
        """Say whether this expert's verdict is wanted."""
        return is_asked(self._verdicts, self.digest, expert)

    def shown_to(self, expert: str) -> list[ScenarioVerdict]:
        """Return the rows that this expert may see."""
        shown = {one.reviewer for one in shown_to(self._verdicts, self.digest, expert)}
        return [row for row in self.rows if row.expert in shown]

    @property
    def _verdicts(self) -> list[Verdict]:
        return [
            Verdict(row.expert, row.digest, row.verdict == Opinion.ACCEPT, row.at)
            for row in self.rows
        ]


def scenarios_of(protocol: ProtocolVersion) -> tuple[Scenario, ...]:
    """Return the scenarios of a protocol, none where it has no rollouts."""
    rollouts = protocol.rules.rollouts
    if rollouts:
        return rollouts.scenarios
    return ()


def lines_of(protocol: ProtocolVersion, keys: Iterable[str] | None = None) -> list[Line]:
    """Return the scenarios of a protocol, or those with these keys, in its order, each with its
    verdicts.

    Verdicts go by content: what was said of the same content under an earlier version counts.
    """
    wanted = None if keys is None else set(keys)
    scenarios = {}
    for one in scenarios_of(protocol):
        if wanted is None or one.key in wanted:
            scenarios[one.key] = (one, digest_of_scenario(one))
    rows: defaultdict[str, list[ScenarioVerdict]] = defaultdict(list)
    for row in ScenarioVerdict.objects.filter(
        digest__in=[digest for _, digest in scenarios.values()]
    ).order_by("place"):
        rows[row.digest].append(row)
    return [Line(scenario, digest, tuple(rows[digest])) for scenario, digest in scenarios.values()]


def line_of(protocol: ProtocolVersion, key: str) -> Line:
    """Return one scenario with its verdicts.

    Raises KeyError when the protocol has none of this key.
    """
    for line in lines_of(protocol, [key]):
        return line
    raise KeyError(key)


def earlier_verdicts(protocol: ProtocolVersion, line: Line) -> list[ScenarioVerdict]:
    """Return what was said of other contents of a scenario, once that was settled: why it was
    corrected.
    """
    rows = ScenarioVerdict.objects.filter(protocol__name=protocol.name, scenario=line.scenario.key)
    others = rows.exclude(digest=line.digest)
    settled = others.filter(place=REVIEWERS).values("digest")
    return list(others.filter(digest__in=settled).select_related("protocol"))


@transaction.atomic
def give_verdict(
    *,
    protocol: ProtocolVersion,
    scenario: str,
    expert: str,
    verdict: str,
    words: str = "",
    said_at: datetime | None = None,
) -> ScenarioVerdict:
    """Store an expert's verdict on a scenario as this protocol has it; it never changes.

    ``said_at`` is when it was given, where a file brings it. Raises VerdictRefused for no such
    scenario or verdict, one without the words it needs, or one that is not asked for.
    """
    # Two experts who press at the same moment get one place each.
    ProtocolVersion.objects.select_for_update(no_key=True).get(pk=protocol.pk)
    if fault := verdict_fault(protocol, scenario, expert, verdict, words):
        raise VerdictRefused(fault)
    line = line_of(protocol, scenario)
    row = ScenarioVerdict.objects.create(
        protocol=protocol, scenario=scenario, digest=line.digest, place=len(line.rows) + 1,
        expert=expert.strip(),
        verdict=verdict, words=words.strip(), at=timezone.now(), said_at=said_at,
    )  # fmt: skip
    audit.record(
        "scenario verdict given", actor=expert, protocol=str(protocol), scenario=scenario,
        digest=line.digest,
        place=row.place, verdict=row.verdict, at=utc(row.at), words=words_digest(row),
    )  # fmt: skip
    return row


def words_digest(row: ScenarioVerdict) -> str:
    """Return the SHA-256 of what an expert wrote, and of when where a file says so."""
    return digest_of([row.words, utc(row.said_at)])


def verdict_fault(
    protocol: ProtocolVersion, scenario: str, expert: str, verdict: str, words: str
) -> str | None:
    """Return why a verdict cannot be taken, in words, or None."""
    lines = lines_of(protocol, [scenario])
    if not lines:
        return f"{protocol} has no scenario {scenario!r}."
    if not expert.strip():
        return "A verdict is by a named expert."
    if verdict not in Opinion.values:
        return f"{verdict!r} is not a verdict: {', '.join(Opinion.values)}."
    if verdict != Opinion.ACCEPT and not words.strip():
        return f"Say of {scenario} what is to be corrected, or why it is rejected."
    return _not_asked(lines[0], expert.strip())


def _not_asked(line: Line, expert: str) -> str | None:
    if line.is_asked(expert):
        return None
    if expert in {row.expert for row in line.rows}:
        return f"{expert} has given a verdict on {line.scenario.key} already; it cannot change."
    return f"{line.scenario.key} is settled: no further verdict on it is asked for."


@transaction.atomic
def waive_verdicts(*, round_: Round, reason: str, actor: str) -> VerdictWaiver:
    """Note why a round continues without verdicts, as a pilot may. The first reason is kept.

    Raises VerdictRefused without a reason.
    """
    if not reason.strip():
        raise VerdictRefused(
            "Say why the round continues without experts' verdicts: the reason is empty."
        )
    waiver, made = VerdictWaiver.objects.get_or_create(
        round=round_, defaults={"reason": reason.strip(), "by": actor, "at": timezone.now()}
    )
    if made:
        audit.record(
            "verdicts waived",
            actor=actor,
            round_name=round_.name,
            reason=waiver.reason,
            at=utc(waiver.at),
        )
    return waiver


def unreviewed(round_: Round) -> list[str]:
    """Return the round's scenarios that experts have not accepted, by key."""
    lines = lines_of(round_.protocol, round_.scenes)
    return [line.scenario.key for line in lines if line.reviewed.standing != "accepted"]


def refuse_unreviewed(round_: Round) -> None:
    """Raise NotReviewed unless experts accepted every scenario of the round, or it was waived with
    a reason.
    """
    if VerdictWaiver.objects.filter(round=round_).exists():
        return
    if open_ := unreviewed(round_):
        raise NotReviewed(
            f"{len(open_)} scenarios of round {round_.name!r} have not been accepted by experts: "
            f"{_some(open_)}. Nothing is generated before that. “scenario_verdicts "
            f"{round_.protocol}” says the state of each: two experts look at what is waiting, and "
            "what is to be "
            "corrected comes with a new version of the protocol. For a pilot give "
            "--without-verdicts with a reason, "
            "which results will show."
        )


def review_record(round_: Round) -> dict[str, Any]:
    """Return what a release says of the review of a round's scenarios, as plain JSON; empty without
    scenarios.

    ``before_generation`` says of each whether it was accepted before the round's first clip was
    asked for.
    """
    lines = lines_of(round_.protocol, round_.scenes)
    if not lines:
        return {}
    first = _first_generation(round_)
    waiver = VerdictWaiver.objects.filter(round=round_).first()
    return {
        "waived": {"reason": waiver.reason, "by": waiver.by, "at": waiver.at.isoformat()}
        if waiver
        else None,
        "first_generation": first.isoformat() if first else None,
        "scenarios": [_record(line, first) for line in lines],
    }


def _first_generation(round_: Round) -> datetime | None:
    """Return when the round's first clip was asked for or taken in, or made elsewhere before
    that.
    """
    made = Sample.objects.filter(cell__round=round_).aggregate(at=Min("generated_at"))["at"]
    begun = AuditEntry.objects.filter(round_name=round_.name, action__in=BEGINNINGS).aggregate(
        at=Min("at")
    )["at"]
    return min((at for at in (made, begun) if at is not None), default=None)


def _record(line: Line, first: datetime | None) -> dict[str, Any]:
    reviewed = line.reviewed
    return {
        "scenario": line.scenario.key,
        "digest": line.digest,
        "standing": reviewed.standing,
        "before_generation": reviewed.standing == "accepted"
        and (first is None or reviewed.holds_before(first)),
        "verdicts": [
            {"place": row.place, "verdict": row.verdict, "at": row.at.isoformat()}
            for row in line.rows
        ],
    }


def _some(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return f"{', '.join(keys[:NAMED])}{more}"
