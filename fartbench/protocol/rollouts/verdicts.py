"""When a scenario counts as reviewed. No Django here.

Source: arXiv:2608.26336v1, §A.2: two experts review independently, a third decides where they
differ, a case that was corrected is reviewed again, and all of it comes before any model is
evaluated. A verdict is therefore about the content it was given on: of another digest it says
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from fartbench.protocol.digest import digest_of
from fartbench.protocol.parts import Part, Text
from fartbench.protocol.rollouts.schema import Scenario

FILE = "experts.yaml"
REVIEWERS = 2
Standing = Literal["waiting", "disputed", "accepted", "to_correct"]


class Experts(Part):
    """``experts.yaml``: what an expert looks for in a scenario.

    A protocol that was stored without it says nothing.
    """

    source: Text = "not stated"
    look_for: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """One expert's word on one content of a scenario."""

    reviewer: str
    digest: str
    accepts: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The state of a scenario, and since when that is settled."""

    standing: Standing
    since: datetime | None = None

    @property
    def in_words(self) -> str:
        """The standing for people."""
        return {
            "waiting": "waiting",
            "disputed": "disputed",
            "accepted": "accepted",
            "to_correct": "to be corrected",
        }[self.standing]

    def holds_before(self, generation: datetime) -> bool:
        """Say whether the scenario was accepted before the first generation from it."""
        return self.standing == "accepted" and self.since is not None and self.since < generation


def digest_of_scenario(scenario: Scenario) -> str:
    """Return the SHA-256 of a scenario's content, which verdicts are about.

    What a file leaves out is not in it, so that a key that scenarios may have one day changes no
    digest of today.
    """
    return digest_of(scenario.model_dump(mode="json", exclude_defaults=True))


def counted(verdicts: Iterable[Verdict], digest: str) -> list[Verdict]:
    """Return the verdicts on the content with this digest, in order; of one person's verdicts the
    first.
    """
    first_of_each: dict[str, Verdict] = {}
    for verdict in sorted(verdicts, key=lambda one: one.at):
        if verdict.digest == digest:
            first_of_each.setdefault(verdict.reviewer, verdict)
    return list(first_of_each.values())


def reviewed(verdicts: Iterable[Verdict], digest: str) -> Reviewed:
    """Return the state of the content with this digest.

    The first two experts' verdicts count when they agree; otherwise that of the third. Nobody
    counts twice.
    """
    given = counted(verdicts, digest)
    if len(given) < REVIEWERS:
        return Reviewed("waiting")
    first, second, *later = given
    if first.accepts == second.accepts:
        deciding = second
    elif later:
        deciding = later[0]
    else:
        return Reviewed("disputed")
    return Reviewed("accepted" if deciding.accepts else "to_correct", deciding.at)


def is_asked(verdicts: Iterable[Verdict], digest: str, reviewer: str) -> bool:
    """Say whether this expert's verdict on the content is wanted: it is not settled, and theirs is
    not in it.
    """
    given = counted(verdicts, digest)
    return reviewed(given, digest).since is None and reviewer not in {one.reviewer for one in given}


def shown_to(verdicts: Iterable[Verdict], digest: str, reviewer: str) -> list[Verdict]:
    """Return the verdicts that this expert may see: only their own until the two independent ones
    are given.
    """
    given = counted(verdicts, digest)
    if len(given) >= REVIEWERS:
        return given
    return [one for one in given if one.reviewer == reviewer]
