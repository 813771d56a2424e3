"""Whether the audit trail is whole, and says the same as the rows it tells of: what “verify_audit”
checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fartbench import audit
from fartbench.links import Link
from fartbench.models import AuditEntry, Round
from fartbench.times import utc
from scoring.models import Release
from scoring.release.heads import heads_of_releases
from scoring.round_trail import round_faults
from scoring.trail_entries import Place, Values, differences, entries, text, texts
from scoring.verdict_trail import verdict_faults


def trail_faults(noted: Iterable[Link] = ()) -> Iterator[str]:
    """Yield a sentence for each fault: of the chain, against the heads that releases state and the
    ones ``noted`` elsewhere, of each round against its entries, and for each release that is in
    rows alone or in the trail alone.
    """
    yield from audit.faults([*noted, *heads_of_releases()])
    yield from differences("release {1} of round {0}", _releases(), _recorded_releases())
    yield from verdict_faults()
    opened = Round.objects.exclude(opened_at=None).select_related("protocol").order_by("pk")
    for round_ in opened:
        yield from round_faults(round_)
    yield from _step_differences()
    known = {round_.name for round_ in opened}
    names = set(entries("sheet locked", "vote locked").values_list("round_name", flat=True))
    yield from (
        f"round {name}: its answers have entries, and there is no such round"
        for name in sorted(names - known)
    )


def _step_differences() -> Iterator[str]:
    for field, action in (("opened_at", "round opened"), ("closed_at", "round closed")):
        said = set(AuditEntry.objects.filter(action=action).values_list("round_name", flat=True))
        rows = set(Round.objects.exclude(**{field: None}).values_list("name", flat=True))
        yield from (
            f"round {name}: no entry “{action}” tells of it" for name in sorted(rows - said)
        )
        yield from (
            f"round {name}: an entry “{action}” tells of it, its row does not"
            for name in sorted(said - rows)
        )


def _releases() -> dict[Place, Values]:
    rows = Release.objects.values_list("round__name", "number", "digest", "created_at")
    return {
        (name, str(number)): {"digest": digest, "created_at": utc(at)}
        for name, number, digest, at in rows
    }


def _recorded_releases() -> dict[Place, Values]:
    rows = entries("round published", "release corrected").values_list("round_name", "details")
    return {
        (name, text(said, "release")): texts(said, "digest", "created_at") for name, said in rows
    }
