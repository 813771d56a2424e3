"""The tables of a release: each column with its kind, its unit and what it holds. No Django here.

The header of a table, its README and its Croissant description are all made from this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from fartbench.protocol import Protocol, Question

Kind = Literal["text", "integer", "time"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; an empty cell means that there is nothing to say, unless ``words`` say
    otherwise. Releases have it from the format ``since`` on.
    """

    name: str
    words: str
    kind: Kind = "text"
    since: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table by the name of its file without the ending."""

    name: str
    words: str
    columns: tuple[Column, ...]

    def as_of(self, number: int) -> Table:
        """Return the table as releases of a format have it."""
        return replace(self, columns=tuple(one for one in self.columns if one.since <= number))

    def cells_as_of(
        self, number: int, rows: Iterable[tuple[Any, ...]]
    ) -> Iterable[tuple[Any, ...]]:
        """Return rows without the cells of columns that were added after a format."""
        places = [place for place, one in enumerate(self.columns) if one.since <= number]
        if len(places) == len(self.columns):
            return rows
        return (tuple(row[place] for place in places) for row in rows)


_DIGEST = (
    "SHA-256 of the locked {}, as the audit trail recorded it; it covers other columns of the row."
)
_PLAYED = (
    "SHA-256 of what the player measured, which is in the digest of the lock; empty for locks of "
    "older versions, whose digest cannot be computed again from a release."
)
EVERY_ROW = (
    Column("protocol", "Protocol and version, name@version."),
    Column("protocol_digest", "SHA-256 of the protocol: of the bytes of protocol.json."),
    Column("round", "The round."),
)
CELL = (
    Column("configuration", "The configuration that was asked for the clip."),
    Column("scene", "The scene, by its key in the protocol."),
    Column("replicate", "Counts the clips of one configuration and scene, from 1.", "integer"),
)
CELL_FACTS = (
    Column(
        "outcome",
        "What became of the cell: delivered, refused, failed, lost, not_reviewable, not_generated.",
    ),
    Column("reason", "Why there is no clip to review."),
    Column("stimulus", "The opaque id under which reviewers saw the clip."),
    Column("raw_sha256", "SHA-256 of the clip as it was delivered."),
    Column("blind_sha256", "SHA-256 of the blind copy that reviewers saw."),
    Column("cost_usd", "What the clip cost, in US dollars; empty if unknown."),
    Column("seed", "The seed that the generator was given or reported."),
    Column("model_version", "The model's version as the provider returned it."),
    Column("generated_at", "When it was generated; ISO 8601, UTC.", "time"),
    Column("cost_basis", "How the cost is known: reported, computed, estimated; empty if unknown."),
    Column("limitation", "Why the cell cannot be compared with others; empty as a rule."),
    Column("origin", "Where the clip is from; a stand-in and drawn are not real.", since=3),
)
ANSWERS = Table(
    "answers",
    "Every locked answer: one row for each reviewer, clip and question.",
    (
        *EVERY_ROW,
        *CELL,
        Column("stimulus", "The opaque id under which reviewers saw the clip."),
        Column("reviewer", "The reviewer's code."),
        Column("role", "Only the sheets of primary reviewers enter gates and scores."),
        Column("question", "The question, by its key in the protocol."),
        Column("answer", "A value of the question, or na:REASON."),
        Column("source", "How the sheet came in: browser, imported or simulated."),
        Column("playback_measured", "yes when the player measured what was played, else no."),
        Column("playback_sha256", _PLAYED, since=3),
        Column("locked_at", "When the sheet was locked; ISO 8601, UTC.", "time"),
        Column("sheet_digest", _DIGEST.format("sheet")),
    ),
)
CONFIGURATIONS = Table(
    "configurations",
    "The configurations of the round.",
    (
        *EVERY_ROW,
        Column("configuration", "The configuration, by name."),
        Column("label", "Its name for people."),
        Column("family", "The family it belongs to, by name; empty if none."),
        Column("provider", "Through whom its clips were made."),
        Column("model_id", "The provider's name of the model."),
        Column("track", "The track, by its key in the protocol."),
        Column("provisional", "yes when nobody has described the configuration yet, else no."),
    ),
)
_RANK = (
    *EVERY_ROW,
    Column("configuration", "The configuration."),
    Column("rank", "Standard competition rank; empty for an unranked configuration.", "integer"),
    Column(
        "ranked_apart",
        "The track among whose configurations alone the rank counts; empty for the main ranking.",
    ),
)
_INTERVAL = (
    Column("score_low", "Lower limit of the 95% interval of the score; empty if not estimable."),
    Column("score_high", "Upper limit of the 95% interval of the score; empty if not estimable."),
    Column(
        "score_interval_n",
        "What the interval rests on: scenes, or clips where there are replicates.",
        "integer",
    ),
    Column("score_interval_method", "The interval's method, or why it is not estimable."),
)
_OF_POINTS = (
    Column(
        "scenes_all_right",
        "Scenes with every gate passed, as an exact fraction: in each scene the share of its "
        "planned clips.",
    ),
    Column(
        "earned",
        "Points of the delivered clips alone, as an exact fraction: in each scene their mean.",
    ),
    Column("possible", "Points that the scenes with a delivered clip can earn.", "integer"),
)
_COVERED = (
    Column("delivered", "Scored clips.", "integer"),
    Column("unranked_because", "Why it has no rank."),
)


def leaderboard_table(protocol: Protocol) -> Table:
    """Return the table of the ranking; its score is below the protocol's name of it."""
    score, weighted = protocol.scoring.rank_by[0], protocol.scoring.is_weighted
    words = (
        "Score out of 100, as an exact fraction."
        if weighted
        else "Points over all scenes, as an exact fraction: in each scene the mean over its "
        "planned clips, where a refused, failed or lost clip earns 0."
    )
    columns = (
        *_RANK,
        Column(score, words),
        *_INTERVAL,
        *(() if weighted else _OF_POINTS),
        *_COVERED,
    )
    return Table(
        "leaderboard",
        "The ranking, best first. Fractions are exact, limits are decimal numbers.",
        columns,
    )


PAIRS = Table(
    "pairs",
    "Every locked vote on a blind pair: one row for each reviewer and pair.",
    (
        *EVERY_ROW,
        Column("pair", "The opaque id of the pair."),
        Column("question", "The question about it, by its key in the protocol."),
        Column("scene", "The scene of both clips."),
        Column("a_configuration", "The configuration of clip A, on the reviewer's left."),
        Column("a_stimulus", "The opaque id of clip A."),
        Column("b_configuration", "The configuration of clip B, on the right."),
        Column("b_stimulus", "The opaque id of clip B."),
        Column("reviewer", "The reviewer's code."),
        Column("role", "Only the votes of primary reviewers enter FartElo."),
        Column("answer", "The answer, by its value in the protocol."),
        Column("outcome", "How it counts: a, b, tie, or both_bad, which is a tie too."),
        Column("source", "How the vote came in: browser, imported or simulated."),
        Column("playback_measured", "yes when the player measured what was played, else no."),
        Column("playback_sha256", _PLAYED, since=3),
        Column("locked_at", "When the vote was locked; ISO 8601, UTC.", "time"),
        Column("vote_digest", _DIGEST.format("vote")),
    ),
)


def clips_table(protocol: Protocol) -> Table:
    """Return the table of cells, with the primary cohort's votes on each question and the consensus
    on each gate.
    """
    columns = [
        *EVERY_ROW,
        *CELL,
        *CELL_FACTS,
        Column("sheets", "Locked sheets of the primary cohort.", "integer"),
    ]
    for question in protocol.questions:
        columns += _votes(protocol, question)
    if protocol.scoring.is_weighted:
        columns += [
            Column(
                "fartscore",
                "The clip's score out of 100, as an exact fraction; empty if it is not scored.",
            ),
            Column("uncapped", "The score without its ceiling, where one holds it down."),
            Column("cap", "The ceiling that holds it down, by its key in the protocol."),
        ]
    return Table(
        "clips", "Every cell of the round, with its outcome and its votes.", tuple(columns)
    )


def _votes(protocol: Protocol, question: Question) -> list[Column]:
    """Return the columns of one question: a count for each answer, of numbers their median; N/A;
    the consensus.
    """
    key, label = question.key, question.label
    columns = [Column(f"{key}_na", f"How many said N/A to “{label}”.", "integer")]
    if protocol.answer_set(question).is_number:
        words = (
            f"Median of the primary cohort's answers to “{label}”: a number, na, split or "
            "incomplete."
        )
        return [*columns, Column(f"{key}_median", words)]
    answered = f"How many of the primary cohort answered “%s” to “{label}”."
    columns = [
        *(
            Column(f"{key}_{o.value}", answered % o.label, "integer")
            for o in protocol.options(question)
        ),
        *columns,
    ]
    if key in protocol.facts:
        words = f"What the cohort agreed on for “{label}”: a value, na, split or incomplete."
        columns.append(Column(f"{key}_consensus", words))
    return columns
