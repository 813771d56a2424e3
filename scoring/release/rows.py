"""The rows of a release's tables, from the columns of a round. No Django here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple
from typing import Any

from scoring.records import MISSING, CellRecord, RoundRecord
from scoring.scores.fartscore import ClipScore, facts_of
from scoring.scores.standings import RoundResults

Cell = str | int | None
RowOfCells = tuple[Cell, ...]


def every_row(record: RoundRecord) -> tuple[str, str, str]:
    """Return the first cells of every row: protocol, its digest, round."""
    return record.protocol.label, record.protocol_digest, record.name


def answer_rows(record: RoundRecord) -> Iterator[RowOfCells]:
    """Yield a row per answer, sheet by sheet in the order of the record, questions in the order of
    the form.
    """
    first = every_row(record)
    questions = [(question, record.book.texts(question)) for question in record.book.questions]
    sheets = record.sheets
    places = zip(
        sheets.cell.tolist(), sheets.reviewer.tolist(), sheets.answers.tolist(), strict=True
    )
    for number, (cell_place, reviewer_place, answers) in enumerate(places):
        cell, reviewer = record.cells[cell_place], record.reviewers[reviewer_place]
        shown = shown_as(record, cell, sheets.window[number] if sheets.window else MISSING)
        before = (
            *first,
            cell.configuration,
            cell.scene,
            cell.replicate,
            *shown,
            reviewer.code,
            reviewer.role,
        )
        after = (
            sheets.source[number],
            "yes" if sheets.measured[number] else "no",
            sheets.playback_sha256[number] if sheets.playback_sha256 else "",
            sheets.locked_at[number],
            sheets.digest[number],
        )
        for (question, texts), code in zip(questions, answers, strict=True):
            if code != MISSING:
                yield (*before, question, texts[code], *after)


def shown_as(record: RoundRecord, cell: CellRecord, window: int) -> RowOfCells:
    """Return the opaque id of what was shown: of the clip, or of a window, with which part of a
    rollout that is.
    """
    if window == MISSING:
        return (cell.stimulus,)
    one = record.windows[window]
    return one.stimulus, one.form, one.unit, one.place, repr(one.end_s)


def clip_rows(results: RoundResults) -> Iterator[RowOfCells]:
    """Yield a row per cell; votes are 0 where nobody was asked, and the consensus is empty
    there.
    """
    votes, record, protocol = results.tally, results.record, results.protocol
    facts = facts_of(votes)
    counts = {question: votes.counts(question).tolist() for question in record.book.questions}
    numbers = set(protocol.keys_of("count", "time"))
    sheets = (votes.codes[record.book.questions[0]] >= 0).sum(axis=1).tolist()
    rated = {
        (s.configuration, c.scene, c.replicate): c.rated for s in results.standings for c in s.cells
    }
    first = every_row(record)
    for place, cell in enumerate(record.cells):
        row: list[Cell] = [*first, *astuple(cell), sheets[place]]
        for question, table in counts.items():
            row += table[place][-1:] if question in numbers else table[place]
            if question in facts:
                row.append(facts[question][place].outcome if cell.stimulus else "")
        if protocol.scoring.is_weighted:
            row += _rated(rated[cell.configuration, cell.scene, cell.replicate])
        yield tuple(row)


def _rated(found: ClipScore | None) -> list[Cell]:
    if found is None:
        return ["", "", ""]
    return [str(found.score), str(found.uncapped) if found.cap else "", found.cap]


def configuration_rows(record: RoundRecord) -> Iterator[RowOfCells]:
    """Yield a row per configuration."""
    for configuration in record.configurations:
        *texts, provisional = astuple(configuration)
        yield (*every_row(record), *texts, "yes" if provisional else "no")


def leaderboard_rows(record: RoundRecord, ranking: dict[str, Any]) -> Iterator[RowOfCells]:
    """Yield a row per configuration, from the report of the ranking."""
    of_points = (
        () if record.protocol.scoring.is_weighted else ("scenes_all_right", "earned", "possible")
    )
    for line in ranking["leaderboard"]:
        yield (
            *every_row(record),
            line["configuration"],
            line["rank"],
            line["ranked_apart"],
            line[record.protocol.scoring.rank_by[0]],
            *_interval_cells(line["score_interval"]),
            *(line[name] for name in (*of_points, "delivered", "unranked_because")),
        )


def _interval_cells(interval: Mapping[str, Any]) -> RowOfCells:
    """Return both limits, n, and the method, or why there is no interval."""
    low, high = interval["low"], interval["high"]
    if low is None:
        return ("", "" if high is None else str(high), interval["n"], interval["note"])
    return (str(low), "" if high is None else str(high), interval["n"], interval["method"])
