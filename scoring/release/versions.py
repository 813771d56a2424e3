"""The formats of releases, and what changed from each to the next. No Django here.

A release states its format in its manifest. Every published format stays verifiable: where the
rule of a value changed, either the program still follows the old rule for older releases
(`RoundRecord.format` says which), or the value is not recomputed, and `verify_release` names it.

To change what a release says: add a row to `CHANGES`. Rows of one format may be added until a
program that writes it is released; after that `scoring.records.rules.FORMAT` is raised first.

    Change(
        2,                                # the first format with the new rule
        "reports.json",                   # the file; * and ? as in names of files
        "reports/agreement/*/interval",   # the place in it, and everything below; * is any one key
        "Intervals of alpha are ... now.",  # what changed, in plain words
    )

The place is a path of keys and list indexes in a JSON file, or the name of a column in a table
(.csv and .jsonl). It is empty for a whole file: one that was added, dropped, or is read as one
piece (plots, README). A column that is only added says so itself (``Column.since``) and needs no
row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from scoring.records.rules import FORMAT


@dataclass(frozen=True, slots=True)
class Change:
    """Values of a release that are made by another rule since ``format``.

    Where ``keeps_old_rule`` is true, older releases are still recomputed by their own rule, and a
    value that does not follow from it is a fault.
    """

    format: int
    file: str
    place: str
    words: str
    keeps_old_rule: bool = False

    def covers(self, file: str, place: Sequence[str]) -> bool:
        """Say whether the value at ``place`` of a file is among those that changed."""
        if not fnmatchcase(file, self.file):
            return False
        keys = self.place.split("/") if self.place else []
        return len(keys) <= len(place) and all(
            fnmatchcase(key, pattern) for key, pattern in zip(place, keys, strict=False)
        )

    def __str__(self) -> str:
        return f"{self.file}, {self.place}" if self.place else self.file


_REFUSED = (
    "A scene counts with the mean over its planned clips, of which a refused, failed or lost one "
    "earns 0. In format 1 it was the mean over the scored clips, so refusing cost nothing where a "
    "scene had several."
)
_NOT_REVIEWED = (
    "What could not be reviewed is missing from intervals. In format 1 it counted as 0 there."
)

_ALPHA = (
    "Alpha has the jackknife over configurations at every size. In format 1 clips were resampled "
    "below ten configurations."
)
_UNCLEAR = "No question is flagged because of an interval of few or uneven answers."
_POINTS = (
    "Points have a quasi-binomial Wilson interval. In format 1 it was a t interval, and full "
    "scores of replicates had none."
)
_APART = (
    "Which scores differ follows from one test of the round, also at one clip per scene. In format "
    "1 there were rank sets of replicates only."
)
_COLUMNS = (
    "Columns of rollouts have Student's t interval over cases, and the bootstrap beside it from 30 "
    "cases on. Before format 3 the bootstrap was given at every size."
)
_ALONG = "How a metric changes along rollouts has an interval, a jackknife over cases."
_DIFFERENT = (
    "The ranking says which configurations cannot be told apart, how surely each is ahead of each "
    "other when all pairs are looked at, and what each scene tells."
)
_BESIDE = "Diagnostics beside the columns have intervals over cases."
_ALIGNED = (
    "Spearman's correlation has the interval of Bonett and Wright, of scores to ten digits. The "
    "ceiling is the root of the majority's reliability, and it and win rates have intervals. In "
    "older formats the ceiling was how well one annotator agreed with the others."
)
_SKILL = (
    "The best constant and the skill of a judge have intervals, and no interval has no width. In "
    "older formats they had none, and a judge that was always right an interval of no width."
)
_TESTS = (
    "Scores of one test have a t interval whose variance is pooled over configurations. In older "
    "formats each had the studentised bootstrap of its few replicates."
)
_NO_WIDTH = (
    "An interval whose limits do not differ is not estimable. In older formats a median of equal "
    "values had such an interval."
)
_AGREEMENT, _RANKING = "reports/agreement/questions", "reports/overall_ranking"

NUMBERS = tuple(
    Change(2, file, place, words)
    for file, place, words in (
        ("reports.json", f"{_AGREEMENT}/*/overall/*alpha", _ALPHA),
        ("reports.json", f"{_AGREEMENT}/*/by_scene/*/*alpha", _ALPHA),
        ("reports.json", f"{_AGREEMENT}/*/overall/revise_wording", _UNCLEAR),
        ("reports.json", f"{_AGREEMENT}/*/by_scene/*/revise_wording", _UNCLEAR),
        ("reports.json", "reports/smoke/revise", _ALPHA),
        ("plots/agreement.svg", "", _ALPHA),
        ("reports.json", f"{_RANKING}/leaderboard/*/score_interval", _POINTS),
        ("leaderboard.*", "score_low", _POINTS),
        ("leaderboard.*", "score_high", _POINTS),
        ("leaderboard.*", "score_interval_n", _POINTS),
        ("leaderboard.*", "score_interval_method", _POINTS),
        ("plots/leaderboard.svg", "", _POINTS),
        ("reports.json", f"{_RANKING}/one_point", _APART),
        ("reports.json", f"{_RANKING}/rank_sets", _APART),
        ("reports.json", f"{_RANKING}/sureness_note", _APART),
        ("reports.json", f"{_RANKING}/ahead", _APART),
    )
)
"""Values whose intervals are estimated in another way."""


def _of_columns(file: str, names: Sequence[str], words: str) -> list[tuple[str, str, str]]:
    return [(file, name, words) for name in names]


NUMBERS_3 = tuple(
    Change(3, file, place, words)
    for file, place, words in (
        ("scores.json", "readings/*/systems/*/columns", _COLUMNS),
        *_of_columns("columns.*", ("value", "low", "high", "method"), _COLUMNS),
        ("plots/profile-*.svg", "", _COLUMNS),
        ("reports.json", "reports/trajectories/readings", _ALONG),
        ("reports.json", "reports/appendix/readings", _BESIDE),
        ("reports.json", f"{_RANKING}/tiers", _DIFFERENT),
        ("reports.json", f"{_RANKING}/scenes", _DIFFERENT),
        ("reports.json", f"{_RANKING}/ahead", _DIFFERENT),
        ("reports.json", f"{_RANKING}/leaderboard/*/by_scene", _DIFFERENT),
        ("plots/scenes.svg", "", _DIFFERENT),
        ("reports.json", "reports/smoke/redundant", "Correlations of scales have intervals."),
        ("plots/curves-*.svg", "", _ALONG),
        ("reports.json", "reports/alignment/questions", _ALIGNED),
        *_of_columns("alignment.*", ("low", "high", "method", "ceiling"), _ALIGNED),
        ("reports.json", "reports/human_ai_agreement/judges/*/ratings/*/best_constant", _SKILL),
        ("reports.json", "reports/human_ai_agreement/judges/*/ratings/*/discrimination", _SKILL),
        *_of_columns("judge_ratings.*", ("d_low", "d_high", "reads"), _SKILL),
        ("plots/judges*.svg", "", _SKILL),
        ("reports.json", "reports/test_scores/by_configuration", _TESTS),
        ("reports.json", "reports/metrics/metrics/*/overall", _NO_WIDTH),
        ("reports.json", "reports/metrics/metrics/*/by_configuration", _NO_WIDTH),
    )
)
"""The same, of rollouts and judges."""

CHANGES: tuple[Change, ...] = (
    *NUMBERS,
    *NUMBERS_3,
    Change(2, "scores.json", "leaderboard", _REFUSED, keeps_old_rule=True),
    Change(2, "leaderboard.csv", "*", _REFUSED, keeps_old_rule=True),
    Change(2, "reports.json", "reports/overall_ranking", _REFUSED, keeps_old_rule=True),
    Change(
        2,
        "reports.json",
        "reports/overall_ranking/leaderboard/*/score_interval",
        _NOT_REVIEWED,
        keeps_old_rule=True,
    ),
    Change(2, "README.md", "", "The README describes the tables of format 2."),
    Change(2, "croissant.json", "recordSet", "The descriptions are those of format 2."),
    Change(3, "README.md", "", "The README describes the tables of format 3."),
    Change(3, "croissant.json", "recordSet", "The descriptions are those of format 3."),
)


def changes_since(number: int) -> tuple[Change, ...]:
    """Return the changes that a release of this format has not seen, and that are not computed by
    its own rule.
    """
    return tuple(
        change for change in CHANGES if change.format > number and not change.keeps_old_rule
    )


def format_fault(number: object) -> str:
    """Return why this program does not read releases of a format, or an empty text."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        return f"its format is {number!r}, which is not the number of a format"
    if number > FORMAT:
        return (
            f"it is of format {number}, and this program reads formats up to {FORMAT}. Check it "
            "with a newer version of the program"
        )
    return ""
