"""Whether experts’ verdicts, and waivers of them, are what the audit trail recorded."""

from __future__ import annotations

from collections.abc import Iterator

from fartbench.times import utc
from generation.models import ScenarioVerdict, VerdictWaiver
from generation.verdicts import words_digest
from scoring.trail_entries import Place, Values, differences, entries, text, texts


def verdict_faults() -> Iterator[str]:
    """Yield a sentence for each verdict, and each waiver of verdicts, that is not what was given.

    Verdicts go by the content of a scenario, and so belong to no single round.
    """
    yield from differences("verdict {1} on {0}", _verdicts(), _recorded_verdicts())
    yield from differences("the waiver of verdicts of round {0}", _waivers(), _recorded_waivers())


def _verdicts() -> dict[Place, Values]:
    return {
        (row.digest, str(row.place)): {
            "verdict": row.verdict,
            "expert": row.expert,
            "scenario": row.scenario,
            "protocol": str(row.protocol),
            "at": utc(row.at),
            "words": words_digest(row),
        }
        for row in ScenarioVerdict.objects.select_related("protocol")
    }


def _recorded_verdicts() -> dict[Place, Values]:
    rows = entries("scenario verdict given").values_list("actor", "details")
    return {
        (text(said, "digest"), text(said, "place")): {
            "expert": expert,
            **texts(said, "verdict", "scenario", "protocol", "at", "words"),
        }
        for expert, said in rows
    }


def _waivers() -> dict[Place, Values]:
    rows = VerdictWaiver.objects.values_list("round__name", "reason", "by", "at")
    return {(name,): {"reason": reason, "by": by, "at": utc(at)} for name, reason, by, at in rows}


def _recorded_waivers() -> dict[Place, Values]:
    rows = entries("verdicts waived").values_list("round_name", "actor", "details")
    return {(name,): {"by": by, **texts(said, "reason", "at")} for name, by, said in rows}
