"""One configuration over all published rounds: dates, protocol versions, scores and ranks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scoring.models import Release, ReleaseDocument
from scoring.release.pages import LEADERBOARD, SUMMARY
from web.pages.published import documents_of, newest_releases, rows_of
from web.pages.results import ConfigurationResult


@dataclass(frozen=True, slots=True)
class Appearance:
    """A configuration in the newest release of a round.

    ``row`` is None in a round of rollouts, which has no overall score. ``changed`` names what the
    round before recorded otherwise of the configuration itself.
    """

    release: Release
    row: ConfigurationResult | None
    total: int | None
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """A configuration that is in a published round: its name, its family, in how many rounds it is,
    and the newest of them.
    """

    name: str
    family: str
    rounds: int
    newest: Release


def known_configurations(closed: Collection[str], search: str = "") -> list[Known]:
    """Return the configurations of published rounds by name, without rounds of the protocols that
    are ``closed`` to the one who asks. ``search`` is a part of a name or family.
    """
    known: dict[str, Known] = {}
    for release, entries in _indexes(closed):
        for name, family in entries.items():
            later = known.get(name)  # releases come the newest first
            if later is not None:
                known[name] = replace(later, rounds=later.rounds + 1)
            elif search.lower() in f"{name} {family}".lower():
                known[name] = Known(name, family, 1, release)
    return [known[name] for name in sorted(known)]


def appearances_of(name: str, closed: Collection[str]) -> list[Appearance]:
    """Return the rounds that a configuration is in, the newest first; none for an unknown one."""
    releases = [release for release, entries in _indexes(closed) if name in entries]
    appearances: list[Appearance] = []
    before: Mapping[str, Any] = {}
    for release in reversed(releases):
        appearance = _appearance(release, name, before)
        appearances.append(appearance)
        if appearance.row is not None:
            before = appearance.row.identity
    return appearances[::-1]


def _appearance(release: Release, name: str, before: Mapping[str, Any]) -> Appearance:
    if release.round.protocol.rules.rollouts is not None:
        return Appearance(release, None, None)
    (row,) = rows_of(release)([name])
    identity = row.identity
    changed = [key for key in identity if key in before and before[key] != identity[key]]
    total = documents_of(release)([SUMMARY])[SUMMARY]["total"]
    return Appearance(release, row, total, tuple(changed))


def _indexes(closed: Collection[str]) -> list[tuple[Release, dict[str, str]]]:
    """Return each newest release, the newest first, with its configurations: family by name."""
    releases = list(
        newest_releases().defer(None).defer("scores").exclude(round__protocol__name__in=closed)
    )
    documents = ReleaseDocument.objects.filter(release__in=releases, name=LEADERBOARD)
    content = dict(documents.values_list("release_id", "content"))
    return [
        (
            release,
            {one["name"]: one.get("family", "") for one in content[release.pk]["configurations"]},
        )
        for release in releases
        if release.pk in content
    ]
