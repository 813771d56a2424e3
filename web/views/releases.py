"""The pages of one published round: everything is read from its newest release, and nothing is
computed.
"""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponseBase

from fartbench.protocol import Protocol
from scoring.release.pages import LEADERBOARD, configuration_document
from scoring.report_classes.judges import JudgeReport
from scoring.report_classes.pairs import PreferenceReport
from scoring.report_classes.people import (
    AgreementReport,
    CoverageReport,
    FactualReport,
    GateCounts,
    GateReport,
    Outcomes,
    RatingCounts,
    RatingsReport,
)
from scoring.report_classes.weighted import (
    FailureCodesReport,
    ObservationsReport,
    SceneScoresReport,
    SmokeReport,
)
from web.pages import reports, weighted
from web.pages.board import SORTS, Choice
from web.pages.judged_columns import judged_columns
from web.pages.judges import judge_results, sensitivity_runs
from web.pages.published import (
    board_of,
    prompts_of,
)
from web.pages.sharing import of_board
from web.views import rollouts
from web.views.release_page import ReleasePage, of_release

CLIPS_PER_PAGE = 12
CELLS_PER_PAGE = 100
CONFIGURATIONS_SHOWN = 25


@of_release("leaderboard")
def leaderboard(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show who is ahead: scores with their intervals, every gate's votes, and what a point means;
    or the columns.
    """
    if page.rules.rollouts is not None:
        return rollouts.columns(request, page)
    board = board_of(page.release, choice=Choice.of(request.GET.dict()))
    context = {
        "board": board,
        "summary": board.summary,
        "sorts": SORTS,
        "page": board.page,
        "sharing": of_board(page.release, board, board.summary, request.path),
    }
    return page.show(request, "scoring/leaderboard.html", context)


@of_release("leaderboard")
def configuration(request: HttpRequest, page: ReleasePage, configuration: str) -> HttpResponseBase:
    """Show one configuration: its clips beside their scenes, gates and votes, ratings, identity,
    prompts and cost.
    """
    if page.rules.rollouts is not None:
        return rollouts.system(request, page, configuration)
    (document,) = page.documents(configuration_document(configuration))
    if document is None:
        raise Http404
    (row,) = page.rows([configuration])
    parts = document["reports"]
    outcomes: dict[str, int] = {}
    if "coverage" in parts:
        outcomes = Outcomes.model_validate(parts["coverage"]).outcomes
    clips = Paginator(row.clips, CLIPS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "row": row,
        "page": clips,
        "gates": [
            reports.gate_line(label, GateCounts.model_validate(parts[key]), page.rules)
            for key, label in _reported(
                page.rules, "event_success", "source_or_cause", "factual_success"
            )
            if key in parts
        ],
        "ratings": [
            reports.rating_line(
                page.rules.question(key).label, RatingCounts.model_validate(part), page.rules
            )
            for key, part in parts.get("ratings", {}).items()
        ],
        "outcomes": [(reports.in_words(key), n) for key, n in outcomes.items()],
        "prompts": prompts_of(page.release.round, configuration),
    }
    return page.show(request, "scoring/configuration.html", context)


def _reported(rules: Protocol, *keys: str) -> list[tuple[str, str]]:
    return [(report.key, report.label) for report in rules.reports if report.key in keys]


@of_release("scenes")
def scenes(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show what was factually right in each scene, over all configurations and without ranks."""
    pooled = []
    for key in ("event_success", "source_or_cause"):
        if gate := page.report(GateReport, key):
            pooled.append((gate.label, reports.lines_by_scene(gate, page.rules)))
    context: dict[str, Any] = {"pooled": pooled}
    if success := page.report(FactualReport, "factual_success"):
        context["all_gates"] = reports.gate_line("Every gate", success.all_gates, page.rules)
        context["scenes"] = [
            reports.scene_facts(key, success, page.rules) for key in success.by_scene
        ]
    return page.show(request, "scoring/scenes.html", context)


@of_release("scenes")
def scene(request: HttpRequest, page: ReleasePage, scene: str) -> HttpResponseBase:
    """Show one scene: its facts and ratings, and every configuration's clip, by name and without
    ranks.
    """
    success = page.report(FactualReport, "factual_success")
    ratings = page.report(RatingsReport, "ratings")
    (index,) = page.documents(LEADERBOARD)
    if scene not in page.summary["scenes"]:
        raise Http404
    names = sorted(entry["name"] for entry in index["configurations"])
    shown = Paginator(names, CLIPS_PER_PAGE).get_page(request.GET.get("page"))
    clips = []
    for row in page.rows(list(shown)):
        clips += [(row, cell) for cell in row.scenes if cell.scene.key == scene]
    context = {
        "scene": page.rules.scene(scene),
        "facts": reports.scene_facts(scene, success, page.rules) if success else None,
        "ratings": _ratings_of_scene(ratings, scene, page.rules) if ratings else [],
        "page": shown,
        "rows": clips,
    }
    return page.show(request, "scoring/scene.html", context)


def _ratings_of_scene(
    ratings: RatingsReport, scene: str, rules: Protocol
) -> list[reports.RatingLine]:
    lines = []
    for key, question in ratings.questions.items():
        label = rules.question(key).label
        lines.append(reports.rating_line(label, question.by_scene[scene], rules))
    return lines


@of_release("tests")
def tests(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show a weighted score per test with its ceilings, failure codes, observations, metrics and
    the smoke test.
    """
    metrics, index = page.documents("metrics", LEADERBOARD)
    shown = Paginator(index["configurations"], CONFIGURATIONS_SHOWN).get_page(
        request.GET.get("page")
    )
    names = [entry["name"] for entry in shown]
    documents = page.read([configuration_document(name) for name in names])
    parts = {name: documents[configuration_document(name)]["reports"] for name in names}

    def parts_of(key: str) -> dict[str, Any]:
        return {name: part[key] for name, part in parts.items() if key in part}

    context: dict[str, Any] = {
        "names": names,
        "scenes": [page.rules.scene(key) for key in page.summary["scenes"]],
    }
    if scores := page.report(SceneScoresReport, "test_scores"):
        context["scores"] = weighted.score_rows(parts_of("test_scores"))
        context["capped"] = weighted.capped_clips(scores, page.rules)
    if codes := page.report(FailureCodesReport, "failure_codes"):
        context["codes"] = weighted.code_rows(codes, parts_of("failure_codes"), page.rules)
    if observed := page.report(ObservationsReport, "observations"):
        context["observations"] = weighted.observation_rows(observed, page.rules)
    if metrics:
        context["metrics"] = list(weighted.metric_rows(metrics, parts_of("metrics")))
    if smoke := page.report(SmokeReport, "smoke"):
        context["smoke"] = weighted.smoke_lines(smoke, page.rules)
    return page.show(request, "scoring/tests.html", context)


@of_release("ratings")
def ratings(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show how sound, timing and people were rated."""
    report = page.report(RatingsReport, "ratings")
    context = {"scales": reports.scales(report, page.rules) if report else []}
    return page.show(request, "scoring/ratings.html", context)


@of_release("agreement")
def agreement(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show how far the reviewers agreed on each question."""
    report = page.report(AgreementReport, "agreement")
    (judges,) = page.documents("human_ai_agreement")
    context = {
        "questions": reports.agreement_lines(report, page.rules) if report else [],
        "judges": judges,
    }
    return page.show(request, "scoring/agreement.html", context)


@of_release("human-ai")
def human_ai(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show how the AI judges compare with people: facts first, ratings beside them, and what each
    judge depends on.
    """
    report = page.report(JudgeReport, "human_ai_agreement")
    context: dict[str, Any] = {
        "calibration": page.rules.judges.calibration if page.rules.judges else None,
        "columns": judged_columns(page.read, page.rules),
        "note": "no AI judge answered",
    }
    if report:
        context["judges"] = judge_results(report, page.rules)
        context["sensitivity"] = sensitivity_runs(report, page.rules)
        context["note"] = report.note
    return page.show(request, "scoring/human_ai.html", context)


@of_release("preference")
def preference(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show what blind pairs say: strengths, who won against whom, ties."""
    report = page.report(PreferenceReport, "preference")
    questions = report.questions if report else {}
    asked = page.rules.pairs.questions if page.rules.pairs else ()
    context = {
        "questions": [
            (question.key, questions[question.key])
            for question in asked
            if question.key in questions
        ]
    }
    return page.show(request, "scoring/preference.html", context)


@of_release("coverage")
def coverage(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """Show what was delivered, refused and failed, and why."""
    context: dict[str, Any] = {}
    if report := page.report(CoverageReport, "coverage"):
        read = reports.coverage(report, page.rules)
        missing = Paginator(read.missing, CELLS_PER_PAGE).get_page(request.GET.get("page"))
        kinds = page.rules.rollouts.units.kinds if page.rules.rollouts else ()
        units = [(one, report.units[one.kind]) for one in kinds if one.kind in report.units]
        context = {"coverage": read, "page": missing, "report": report, "units": units}
    return page.show(request, "scoring/coverage.html", context)
