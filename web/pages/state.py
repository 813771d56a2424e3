"""The current state, counted from the database: what was commissioned, locked and published under
each protocol.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, QuerySet

from fartbench.models import AuditHead, ProtocolVersion, Round
from generation.models import Cell, Sample, SampleEvent, SampleState
from review.models import AnswerSheet, Source
from web.pages.published import newest_releases, summaries

PILOT = "pilot"


@dataclass(frozen=True, slots=True)
class StateLine:
    """The counts of one protocol version.

    ``configurations`` have a cell in one of its rounds. ``locked`` evaluations hold the
    ``simulated`` ones too. Scores are counted once per configuration and published round:
    ``official`` ones, those of a ``pilot`` protocol or of a smoke test, and those of
    ``demonstrations``. A score that is one of the last two never becomes official.
    """

    version: ProtocolVersion
    rounds: int
    configurations: int
    delivered: int
    locked: int
    simulated: int
    official: int
    pilot: int
    demonstrations: int

    @property
    def is_pilot(self) -> bool:
        """Say whether the protocol itself is a pilot."""
        return self.version.rules.maturity == PILOT


# The lines as they were counted last, with what stood in the trail and in the samples' own record
# then.
_last: tuple[tuple[str, int | None], list[StateLine]] | None = None


def state_lines() -> list[StateLine]:
    """Return a line per protocol version, by name: a fixed number of queries for any number of
    rows.

    Counting hundreds of thousands of sheets takes a second. Whatever changes a count leaves an
    entry in the audit trail or an event of a sample, so nothing is counted again for a visitor
    before one of the two has grown.
    """
    global _last  # noqa: PLW0603 - what this process knows
    head = AuditHead.objects.values_list("hash", flat=True).filter(pk=1).first()
    if head is None:  # nothing was ever recorded
        return _count_all()
    seen = head, SampleEvent.objects.aggregate(newest=Max("pk"))["newest"]
    if _last is None or _last[0] != seen:
        _last = seen, _count_all()
    return _last[1]


def _count_all() -> list[StateLine]:
    cells, sheets = Cell.objects.all(), AnswerSheet.objects.exclude(locked_at=None)
    delivered = Sample.objects.filter(counts=True, state=SampleState.DELIVERED)
    rounds = _counted(Round.objects.all(), "protocol")
    configurations = _counted(cells, "round__protocol", "configuration")
    clips = _counted(delivered, "cell__round__protocol")
    by_source = (
        sheets.order_by()
        .values_list("stimulus__round__protocol", "source")
        .annotate(found=Count("pk"))
    )
    locked, simulated = Counter[int](), Counter[int]()
    for protocol, source, count in by_source:
        locked[protocol] += count
        simulated[protocol] += count if source == Source.SIMULATED else 0
    versions = list(ProtocolVersion.objects.order_by("name", "version"))
    scores = _scores({version.pk for version in versions if version.rules.maturity == PILOT})
    return [
        StateLine(
            version, rounds[version.pk], configurations[version.pk], clips[version.pk],
            locked[version.pk],
            simulated[version.pk], *(scores[version.pk, kind] for kind in ("official", PILOT,
                                                                           "demonstration")),
        )
        for version in versions
    ]  # fmt: skip


def _counted(rows: QuerySet[Any], protocol: str, distinct: str = "pk") -> Counter[int]:
    counted = (
        rows.order_by()
        .values_list(protocol)
        .annotate(found=Count(distinct, distinct=distinct != "pk"))
    )
    return Counter(dict(counted))


def _scores(pilots: set[int]) -> Counter[tuple[int, str]]:
    """Count ranked configurations of each standing release, by protocol and kind of score."""
    found: Counter[tuple[int, str]] = Counter()
    releases = list(newest_releases())
    known = summaries(releases)
    for release in releases:
        summary = known.get(release.pk, {})
        if release.demonstration:
            kind = "demonstration"
        elif release.round.protocol_id in pilots or summary.get("smoke_test"):
            kind = PILOT
        else:
            kind = "official"
        found[release.round.protocol_id, kind] += summary.get("ranked", 0)
    return found
