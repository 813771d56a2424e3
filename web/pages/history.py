"""One configuration over all published rounds: dates, protocol versions, scores and ranks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scoring.models import Release, ReleaseDocument
from scoring.release.pages import LEADERBOARD, configuration_document
from web.pages.published import newest_releases, summaries
from web.pages.result_reading import configuration_results
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
    results = _documents(releases, configuration_document(name))
    totals = summaries(releases)
    appearances: list[Appearance] = []
    before: Mapping[str, Any] = {}
    for release in reversed(releases):
        rules = release.round.protocol.rules
        if rules.rollouts is not None:
            appearances.append(Appearance(release, None, None))
            continue
        (row,) = configuration_results([results[release.pk]], rules)
        changed = [key for key, value in row.identity.items() if before.get(key, value) != value]
        total = totals[release.pk]["total"]
        appearances.append(Appearance(release, row, total, tuple(changed)))
        before = row.identity
    return appearances[::-1]


def _documents(releases: Collection[Release], name: str) -> dict[int, Any]:
    """Return the documents of this name, by release."""
    documents = ReleaseDocument.objects.filter(release__in=releases, name=name)
    return dict(documents.values_list("release_id", "content"))


def _indexes(closed: Collection[str]) -> list[tuple[Release, dict[str, str]]]:
    """Return each newest release, the newest first, with its configurations: family by name."""
    releases = list(
        newest_releases().defer(None).defer("scores").exclude(round__protocol__name__in=closed)
    )
    content = _documents(releases, LEADERBOARD)
    return [
        (
            release,
            {one["name"]: one.get("family", "") for one in content[release.pk]["configurations"]},
        )
        for release in releases
        if release.pk in content
    ]
