"""A leaderboard as pages show it: read from a release's documents, a page of configurations at a
time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator

from fartbench.protocol import Protocol, Scene
from scoring.release.pages import LEADERBOARD, SUMMARY, configuration_document
from web.pages.figures import difference_in_words
from web.pages.result_reading import configuration_results
from web.pages.results import ConfigurationResult

# Returns the documents of these names; those that there are.
Read = Callable[[Sequence[str]], dict[str, Any]]
# Returns the results of the configurations of these names, in that order.
Rows = Callable[[Sequence[str]], list[ConfigurationResult]]

ROWS_PER_PAGE = 25
Entry = dict[str, Any]
SORTS = {"rank": "Rank", "name": "Name", "score": "Score"}


@dataclass(frozen=True, slots=True)
class Choice:
    """What a visitor asked to see: a track, a family (empty for all), an order and a page."""

    track: str = ""
    family: str = ""
    sort: str = "rank"
    page: str = "1"

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Choice:
        """Read the query of an address; an unknown order is the ranks'."""
        sort = query.get("sort", "rank")
        return cls(
            query.get("track", ""),
            query.get("family", ""),
            sort if sort in SORTS else "rank",
            query.get("page", "1"),
        )

    def apply(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries of a leaderboard document that are wanted, in the order that is
        wanted.
        """
        found = [
            entry
            for entry in entries
            if self.track in {"", entry["track"]} and self.family in {"", entry["family"]}
        ]
        if self.sort == "name":
            found.sort(key=lambda entry: entry["name"])
        elif self.sort == "score":
            found.sort(key=lambda entry: -entry["score"])
        return found


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that are ranked among themselves, or not ranked; ``title`` is empty for the main
    ranking.
    """

    title: str
    rows: tuple[ConfigurationResult, ...]


@dataclass(frozen=True)
class Board:
    """A leaderboard, and one page of its rows."""

    summary: Mapping[str, Any]
    scenes: tuple[Scene, ...]
    gate_labels: tuple[str, ...]
    tracks: tuple[tuple[str, str], ...]
    choice: Choice
    page: Page[Entry]
    rows: tuple[ConfigurationResult, ...]

    @property
    def is_weighted(self) -> bool:
        return not self.gate_labels

    @property
    def total(self) -> int:
        return int(self.summary["total"])

    @property
    def incomplete_reason(self) -> str:
        return str(self.summary["incomplete_reason"])

    @property
    def difference(self) -> str:
        return difference_in_words(self.summary["one_point"])

    @property
    def is_whole(self) -> bool:
        """Say whether every configuration is on this page, so that it can be sorted here."""
        return self.page.paginator.num_pages == 1

    @property
    def groups(self) -> list[RowGroup]:
        if self.choice.sort != "rank":
            return [RowGroup("", self.rows)]
        labels = dict(self.tracks)
        found: dict[str, list[ConfigurationResult]] = {}
        for row in self.rows:
            apart = f"{labels[row.apart]}, ranked apart" if row.apart else ""
            found.setdefault(apart if row.rank is not None else "Not ranked", []).append(row)
        return [RowGroup(title, tuple(rows)) for title, rows in found.items()]


def rows_from(read: Read, protocol: Protocol) -> Rows:
    """Return what puts the documents of configurations into the words of their protocol: one read
    for each call.
    """

    def rows(names: Sequence[str]) -> list[ConfigurationResult]:
        documents = read([configuration_document(name) for name in names])
        return configuration_results(
            [documents[configuration_document(name)] for name in names], protocol
        )

    return rows


def read_board(
    read: Read,
    rows_of: Rows,
    protocol: Protocol,
    choice: Choice | None = None,
    *,
    rows: int = ROWS_PER_PAGE,
) -> Board:
    """Return the wanted page of a leaderboard, in two reads however many configurations there
    are.
    """
    choice = choice or Choice()
    found = read([SUMMARY, LEADERBOARD])
    page = Paginator(choice.apply(found[LEADERBOARD]["configurations"]), rows).get_page(choice.page)
    names = [entry["name"] for entry in page]
    labels = {track.key: track.label for track in protocol.tracks}
    return Board(
        summary=found[SUMMARY],
        scenes=tuple(protocol.scene(key) for key in found[SUMMARY]["scenes"]),
        gate_labels=tuple(protocol.question(gate).label for gate in protocol.scoring.gates),
        tracks=tuple((key, labels.get(key, key)) for key in found[SUMMARY]["tracks"]),
        choice=choice,
        page=page,
        rows=tuple(rows_of(names)),
    )
