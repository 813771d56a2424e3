"""The two kinds of rounds: clips that are judged whole, and rollouts that are judged part by part.
No Django here.

Everything about a release that differs between them is here; all else is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.protocol import Protocol
from scoring.records import RoundRecord
from scoring.release import pages
from scoring.release.calibration import judge_fact_rows, judge_rating_rows
from scoring.release.columns import ANSWERS, CONFIGURATIONS, Table, clips_table, leaderboard_table
from scoring.release.documents import Documents
from scoring.release.judge_columns import JUDGE_ANSWERS, JUDGE_FACTS, JUDGE_RATINGS
from scoring.release.rollouts import pages as rollout_pages
from scoring.release.rollouts import tables
from scoring.release.rows import RowOfCells, clip_rows, configuration_rows, leaderboard_rows
from scoring.report_classes.judges import JudgeReport
from scoring.reports import reports_document
from scoring.reports.human_ai import NO_JUDGES
from scoring.rollouts import document
from scoring.rollouts.results import rollout_results
from scoring.scores.document import scores_document
from scoring.scores.standings import results_of

Rows = Iterable[RowOfCells]
PageDocuments = Iterator[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Kind:
    """How a round becomes documents, tables, plots and pages.

    ``answers`` and ``judge_answers`` are the tables of what people and judges answered; ``tables``
    are the others, each with its rows in ``rows``; ``calibration`` are those of a round with AI
    judges. ``faults`` are the reasons why the results may still change, so that no release may
    carry them; ``files`` is what the README says of the others.
    """

    documents: Callable[[RoundRecord], Documents[Any]]
    answers: Table
    judge_answers: Table
    tables: Callable[[Protocol], tuple[Table, ...]]
    rows: Callable[[Documents[Any]], Iterator[Rows]]
    calibration: tuple[Table, ...]
    calibration_rows: Callable[[Documents[Any]], Iterator[Rows]]
    plots: Callable[[Protocol, Documents[Any]], Mapping[str, str]]
    pages: Callable[[Documents[Any]], PageDocuments]
    faults: Callable[[Documents[Any]], Iterator[str]]
    files: str


def kind_of(protocol: Protocol) -> Kind:
    """Return the kind of rounds that a protocol describes."""
    return CLIPS if protocol.rollouts is None else ROLLOUTS


def documents_of(record: RoundRecord) -> Documents[Any]:
    """Add a round up and return what it says."""
    return kind_of(record.protocol).documents(record)


def _clip_documents(record: RoundRecord) -> Documents[Any]:
    results = results_of(record)
    return Documents(results, scores_document(results), reports_document(results))


def _clip_tables(protocol: Protocol) -> tuple[Table, ...]:
    return clips_table(protocol), CONFIGURATIONS, leaderboard_table(protocol)


def _clip_table_rows(documents: Documents[Any]) -> Iterator[Rows]:
    yield clip_rows(documents.results)
    yield configuration_rows(documents.results.record)
    yield leaderboard_rows(
        documents.results.record, documents.reports["reports"]["overall_ranking"]
    )


def _clip_calibration_rows(documents: Documents[Any]) -> Iterator[Rows]:
    record, report = documents.results.record, _human_ai(documents)
    yield judge_fact_rows(record, report)
    yield judge_rating_rows(record, report)


def _human_ai(documents: Documents[Any]) -> JudgeReport:
    report = documents.reports["reports"].get("human_ai_agreement")
    return JudgeReport.model_validate(report) if report else NO_JUDGES


def _clip_plots(protocol: Protocol, documents: Documents[Any]) -> Mapping[str, str]:
    # A web process shows plots that are drawn already.
    from scoring.release.judge_plots import judge_plots  # noqa: PLC0415
    from scoring.release.plots import plots_of  # noqa: PLC0415

    return plots_of(protocol, documents.reports) | judge_plots(protocol, _human_ai(documents))


def _rollout_documents(record: RoundRecord) -> Documents[Any]:
    results = rollout_results(record)
    return Documents(results, document.scores_document(results), document.reports_document(results))


def _rollout_tables(protocol: Protocol) -> tuple[Table, ...]:
    of_every_round = (
        tables.CLIPS, CONFIGURATIONS, tables.WINDOWS, tables.MEASUREMENTS, tables.COLUMNS,
        tables.CASES,
    )  # fmt: skip
    return (
        (*of_every_round, tables.ALIGNMENT)
        if "alignment" in {one.key for one in protocol.reports}
        else of_every_round
    )


def _rollout_table_rows(documents: Documents[Any]) -> Iterator[Rows]:
    yield tables.clip_rows(documents.results)
    yield configuration_rows(documents.results.record)
    yield tables.window_rows(documents.results)
    yield tables.measurement_rows(documents.results)
    yield tables.column_rows(documents.results, documents.scores)
    yield tables.case_rows(documents.results)
    if (report := documents.reports["reports"].get("alignment")) is not None:
        yield tables.alignment_rows(documents.results, report)


def _rollout_plots(protocol: Protocol, documents: Documents[Any]) -> Mapping[str, str]:
    from scoring.release.rollouts.plots import plots_of  # noqa: PLC0415

    return plots_of(protocol, documents.scores, documents.reports)


_CLIP_FILES = """\
| `clips.csv` | every cell with its outcome, votes and consensus |
| `configurations.csv` | what was tested |
| `scores.json` | the leaderboard with each gate of each clip; scores are exact fractions, `"13/2"` |
| `leaderboard.csv` | the leaderboard as a table, with the interval of each score |
"""

_ROLLOUT_FILES = """\
| `clips.csv` | every cell with its outcome |
| `configurations.csv` | what was tested |
| `windows.csv` | every part of a rollout that was shown on its own |
| `measurements.csv` | what machines measured, with what each value came from |
| `scores.json`, `columns.csv` | every metric of every system with its interval, by horizon and track |
| `cases.csv` | every metric of every rollout |
| `alignment.csv` | how far people prefer, in blind pairs, what each metric ranks higher |
| `verdicts.json` | what experts said of each scenario, and why the round went on without, if it did |
"""

CLIPS = Kind(
    documents=_clip_documents,
    answers=ANSWERS,
    judge_answers=JUDGE_ANSWERS,
    tables=_clip_tables,
    rows=_clip_table_rows,
    calibration=(JUDGE_FACTS, JUDGE_RATINGS),
    calibration_rows=_clip_calibration_rows,
    plots=_clip_plots,
    pages=pages.page_documents,
    faults=lambda _: iter(()),
    files=_CLIP_FILES,
)
ROLLOUTS = Kind(
    documents=_rollout_documents,
    answers=tables.WINDOW_ANSWERS,
    judge_answers=tables.WINDOW_JUDGE_ANSWERS,
    tables=_rollout_tables,
    rows=_rollout_table_rows,
    calibration=(),
    calibration_rows=lambda _: iter(()),
    plots=_rollout_plots,
    pages=rollout_pages.page_documents,
    faults=lambda documents: document.release_faults(documents.results, documents.scores),
    files=_ROLLOUT_FILES,
)  # fmt: skip
