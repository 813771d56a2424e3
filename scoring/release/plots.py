"""The plots of a release as SVG, drawn from its reports; a table backs each. No Django
here.

The same reports give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import svg

from fartbench.protocol import Protocol
from scoring.release.drawing import (
    FOOT,
    HEAD,
    LABEL_WIDTH,
    NOTE_WIDTH,
    ROW,
    WIDTH,
    Axis,
    Dot,
    document,
    dot_plot,
    frame,
    hint,
    text,
)
from scoring.release.pair_plots import pair_plots
from scoring.release.scene_plots import scenes_plot
from scoring.report_classes.base import Everywhere
from scoring.report_classes.pairs import PreferenceReport
from scoring.report_classes.people import (
    AgreementReport,
    FactualReport,
    RatingCounts,
    RatingsReport,
)
from scoring.report_classes.weighted import FailureCodesReport


def plots_of(protocol: Protocol, reports: Mapping[str, Any]) -> dict[str, str]:
    """Return each plot by its file name."""
    found = reports["reports"]
    made: dict[str, str] = {}
    if ranking := found.get("overall_ranking"):
        made["leaderboard.svg"] = leaderboard_plot(protocol, ranking)
        made["scenes.svg"] = scenes_plot(protocol, ranking)
    if success := found.get("factual_success"):
        made["gates.svg"] = gates_plot(protocol, FactualReport.model_validate(success))
    if ratings := found.get("ratings"):
        made["ratings.svg"] = ratings_plot(protocol, RatingsReport.model_validate(ratings))
    if agreement := found.get("agreement"):
        made["agreement.svg"] = agreement_plot(protocol, AgreementReport.model_validate(agreement))
    if preference := found.get("preference"):
        made |= pair_plots(PreferenceReport.model_validate(preference))
    return made | weighted_plots(protocol, found)


def leaderboard_plot(protocol: Protocol, ranking: Mapping[str, Any]) -> str:
    """Draw each configuration's score with its interval, best first."""
    total = ranking["total"]
    dots = [
        Dot(f"{line['rank'] or '–'}  {line['configuration']}", line["score_interval"])
        for line in ranking["leaderboard"]
    ]
    axis = Axis(0, total, [total * part / 4 for part in range(5)], f"points out of {total}")
    return dot_plot(protocol.scoring.score_label, axis, dots)


def gates_plot(protocol: Protocol, success: FactualReport) -> str:
    """Draw the share of clips that passed each gate of each scene."""
    dots = [
        Dot(protocol.question(gate).label, counts.share, protocol.scene(scene).title)
        for scene, part in success.by_scene.items()
        for gate, counts in part.gates.items()
    ]
    return dot_plot("Gates passed", Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), "share of clips"), dots)


def agreement_plot(protocol: Protocol, report: AgreementReport) -> str:
    """Draw alpha of each question, and of whether it applies."""
    dots = []
    for question in protocol.questions:
        if question.key in report.questions and protocol.answer_set(question).kind != "flag":
            overall = report.questions[question.key].overall
            dots.append(Dot("alpha", overall.alpha, question.label))
            dots.append(Dot("applicability", overall.applicability_alpha, question.label))
    axis = Axis(
        -1, 1, (-1, -0.5, 0, 0.5, 1), "Krippendorff’s alpha: 1 is full agreement, 0 is chance"
    )
    return dot_plot("Reviewer agreement", axis, dots)


def weighted_plots(protocol: Protocol, found: Mapping[str, Any]) -> dict[str, str]:
    """Return the plots of a weighted score: each dimension and each failure code by
    configuration.
    """
    made: dict[str, str] = {}
    if protocol.scoring.is_weighted and (ratings := found.get("ratings")):
        questions = RatingsReport.model_validate(ratings).questions
        made["dimensions.svg"] = dimensions_plot(protocol, questions)
    if codes := found.get("failure_codes"):
        report = FailureCodesReport.model_validate(codes)
        made["failure_codes.svg"] = failure_codes_plot(protocol, report)
    return made


def dimensions_plot(protocol: Protocol, ratings: Mapping[str, Everywhere[RatingCounts]]) -> str:
    """Draw each configuration's mean rating of each dimension."""
    dots = [
        Dot(name, part.mean, protocol.question(one.question).label)
        for one in protocol.scoring.dimensions
        for name, part in ratings[one.question].by_configuration.items()
    ]
    top = len(protocol.options(protocol.question(protocol.scoring.dimensions[0].question))) - 1
    return dot_plot("Dimensions", Axis(0, top, list(range(top + 1)), "mean rating"), dots)


def failure_codes_plot(protocol: Protocol, report: FailureCodesReport) -> str:
    """Draw the share of each configuration's clips with each failure code that holds anywhere."""
    dots = [
        Dot(name, part.share, protocol.question(key).label)
        for key, code in report.questions.items()
        if code.overall.held
        for name, part in code.by_configuration.items()
    ]
    return dot_plot("Failure codes", Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), "share of clips"), dots)


def ratings_plot(protocol: Protocol, report: RatingsReport) -> str:
    """Draw how the ratings of each scale fall in each scene: one bar of shares, from the lowest
    rating up.
    """
    elements: list[svg.Element] = []
    axis = Axis(
        0, 1, (0, 0.25, 0.5, 0.75, 1), "share of ratings, lowest to highest; N/A is counted apart"
    )
    y = HEAD + ROW / 2
    for question, ratings in report.questions.items():
        elements.append(text(0, y + 4, protocol.question(question).label, "soft"))
        y += ROW
        for scene, part in ratings.by_scene.items():
            elements += _bar(axis, protocol.scene(scene).title, part, y)
            y += ROW
    bottom = y - ROW / 2
    return document("Ratings", bottom + FOOT, [*frame("Ratings", axis, bottom), *elements])


def _bar(axis: Axis, label: str, ratings: RatingCounts, y: float) -> list[svg.Element]:
    n, na = ratings.n, ratings.na.n
    bar: list[svg.Element] = [
        text(14, y + 4, label),
        text(WIDTH - NOTE_WIDTH + 14, y + 4, f"n = {n}, {na} N/A", "soft"),
    ]
    if not n:
        return [*bar, text(LABEL_WIDTH, y + 4, "no ratings", "soft")]
    done, steps = 0, len(ratings.counts)
    for place, (rating, count) in enumerate(ratings.counts.items(), start=1):
        left, right = axis.x(done / n), axis.x((done + count) / n)
        done += count
        if count:
            words = hint(f"{label}: {count} of {n} rated {rating}")
            opacity = round(place / steps, 2)
            bar.append(svg.Rect(x=left, y=y - 9, width=round(right - left, 1), height=18,
                                  class_=["step"],
                                  fill_opacity=opacity, elements=[words]))  # fmt: skip
    return bar
