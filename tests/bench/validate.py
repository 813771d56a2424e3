"""How often each interval covers the truth, by simulation: `python -m tests.bench.validate`. No
Django here.

Every line simulates rounds from a model whose truth is known and counts how often the nominal 95%
interval holds it; `validate_pages` has those of each page at the sizes that pages have. It ends with
status 1 when a coverage is off the expected one by more than three standard errors and a hundredth. Answers come from a latent-normal model: a clip has a quality, each
of four reviewers sees it with an error of its own and answers by fixed cuts; 3% of the answers are
missing. Scores are normal around their scene, 15% (or 50%) of the clips are catastrophic and score
about 15.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtri

from scoring.stats.agreement import (
    Level,
    alpha_jackknife,
    alpha_value,
    alpha_warned,
    find_patterns,
)
from scoring.stats.estimate import Undefined
from scoring.stats.intervals import Floats, clustered_wilson, pooled_two_way
from scoring.stats.ranksets import probability_ahead, rank_sets
from scoring.stats.replicates import Resampled, resample_within_scenes, studentised_interval
from tests.bench.battles import elo_held
from tests.bench.coverage import Check, Random, covers, covers_if_shown, run
from tests.bench.validate_pages import checks_of_pages

REVIEWERS = 4
MISSING = 0.03
CLIP_SD, SCENE_SD, LEVEL, CATASTROPHE = 13.0, 10.0, 70.0, 15.0
NOTE = "scoring/stats/agreement.py"  # of the warning beside an alpha
SCORES = "templates/scoring/_difference.html"
MORE = "in up to 99 with one or two clips per scene or many failed clips"


@dataclass(frozen=True, slots=True)
class Answers:
    """A model of answers: cuts on the latent scale, the level of alpha, and the reviewers'
    error.
    """

    level: Level
    cuts: tuple[float, ...]
    error: float

    def draw(self, random: Random, configurations: int, clips: int, likeness: float) -> np.ndarray:
        """(configurations * clips, V) counts; `likeness` is the share of quality that a
        configuration's clips share.
        """
        shared = np.sqrt(likeness) * random.normal(size=(configurations, 1))
        quality = (
            shared + np.sqrt(1 - likeness) * random.normal(size=(configurations, clips))
        ).reshape(-1, 1)
        seen = quality + self.error * random.normal(size=(quality.size, REVIEWERS))
        answers = np.digitize(seen, np.array(self.cuts) * np.sqrt(1 + self.error**2))
        answers[random.random(answers.shape) < MISSING] = -1
        return np.stack(
            [(answers == value).sum(axis=1) for value in range(len(self.cuts) + 1)], axis=1
        )


RATING = Answers(Level.ORDINAL, (-1.3, -0.5, 0.4, 1.2), 0.9)
FACT = Answers(Level.NOMINAL, (-0.35, -0.05), 1.0)
NEARLY_ALL_YES = Answers(Level.NOMINAL, (float(ndtri(0.08)),), 0.9)


@cache
def true_alpha(model: Answers) -> float:
    """Alpha of so many clips that chance no longer counts."""
    found = alpha_value(
        find_patterns(model.draw(np.random.default_rng(1), 400_000, 1, 0.0)), model.level
    )
    if isinstance(found, Undefined):
        raise TypeError(f"The model of the simulation is degenerate: {found.reason}.")
    return found


def alpha_by_configurations(
    model: Answers, configurations: int, clips: int, *, flagged: bool = False
) -> Callable[[Random], float]:
    """Configurations, whose clips are alike, left out in turn; without a warning beside alpha, or
    with one.
    """
    held = covers if flagged else covers_if_shown

    def simulate(random: Random) -> float:
        patterns = find_patterns(model.draw(random, configurations, clips, 0.5))
        labels = np.repeat(np.arange(configurations), clips)
        found = alpha_warned(alpha_jackknife(patterns, model.level, labels), patterns)
        return held(found, true_alpha(model))

    return simulate


def clustered_share(share: float, clips: int, likeness: float) -> Callable[[Random], float]:
    """A share over 25 configurations whose clips are alike (beta-binomial)."""

    def simulate(random: Random) -> float:
        weight = (1 - likeness) / likeness if likeness else 0
        chances = (
            random.beta(share * weight, (1 - share) * weight, 25)
            if likeness
            else np.full(25, share)
        )
        hits = random.random((25, clips)) < chances[:, None]
        return covers(clustered_wilson(hits.reshape(-1), np.repeat(np.arange(25), clips)), share)

    return simulate


def draw_scores(
    random: Random, levels: Floats, scenes: int, replicates: int, bad: float
) -> tuple[Floats, Floats]:
    """(C, S, R) scores and the (C,) true means over these scenes."""
    middle = levels[:, None] + random.normal(0, SCENE_SD, (1, scenes))
    scores = middle[:, :, None] + random.normal(0, CLIP_SD, (levels.size, scenes, replicates))
    catastrophic = random.random(scores.shape) < bad
    scores = np.where(catastrophic, random.normal(CATASTROPHE, CLIP_SD / 3, scores.shape), scores)
    return scores, np.asarray((1 - bad) * middle.mean(axis=1) + bad * CATASTROPHE)


def two_way(scenes: int) -> Callable[[Random], float]:
    """One clip per scene, 25 configurations of different levels."""

    def simulate(random: Random) -> float:
        scores, truth = draw_scores(random, random.normal(LEVEL, 8, 25), scenes, 1, 0.15)
        return float(
            np.mean(
                [covers(*pair) for pair in zip(pooled_two_way(scores[:, :, 0]), truth, strict=True)]
            )
        )

    return simulate


def resampled(random: Random, scores: Floats, draws: int) -> list[Resampled]:
    """Each configuration's scores resampled; replicates make that possible."""
    found = (
        resample_within_scenes(list(each), seed=int(random.integers(2**32)), draws=draws)
        for each in scores
    )
    return [each for each in found if isinstance(each, Resampled)]


def studentised(scenes: int, replicates: int, bad: float) -> Callable[[Random], float]:
    """One configuration with replicates."""

    def simulate(random: Random) -> float:
        scores, truth = draw_scores(random, np.array([LEVEL]), scenes, replicates, bad)
        return covers(studentised_interval(resampled(random, scores, 1000)[0]), float(truth[0]))

    return simulate


def all_ranks(spread: float, scenes: int) -> Callable[[Random], float]:
    """All true ranks of 25 configurations at once; equal ones share every rank among them."""

    def simulate(random: Random) -> float:
        scores, truth = draw_scores(
            random, LEVEL + spread * random.normal(size=25), scenes, 3, 0.15
        )
        best = 1 + (truth[:, None] < truth[None, :] - 1e-9).sum(axis=1)
        worst = 25 - (truth[:, None] > truth[None, :] + 1e-9).sum(axis=1)
        sets = rank_sets(resampled(random, scores, 500))
        return float(
            all(
                each.low <= b and each.high >= w
                for each, b, w in zip(sets, best, worst, strict=True)
            )
        )

    return simulate


def not_separated(scenes: int) -> Callable[[Random], float]:
    """Two equal configurations are not called separated."""

    def simulate(random: Random) -> float:
        scores, _ = draw_scores(random, np.full(2, LEVEL), scenes, 3, 0.15)
        return float(0.025 < probability_ahead(resampled(random, scores, 1000))[0, 1] < 0.975)

    return simulate


def checks_of_alpha() -> Iterator[Check]:
    """The lines on alpha: without a warning beside it, and with one."""
    for configurations, clips, rating, fact in (
        (9, 4, 0.94, 0.94),
        (25, 4, 0.944, 0.947),
        (25, 12, 0.945, 0.945),
    ):
        for name, model, coverage in (("ordinal", RATING, rating), ("nominal", FACT, fact)):
            simulate = alpha_by_configurations(model, configurations, clips)
            title = f"alpha, {name}, {configurations} x {clips}: jackknife"
            yield Check(title, coverage, simulate, 1500)
    for configurations, clips, rating, fact in (
        (6, 1, 0.90, 0.90),
        (3, 8, 0.94, 0.93),
        (4, 4, 0.95, 0.93),
        (6, 4, 0.945, 0.94),
    ):
        for name, model, coverage in (("ordinal", RATING, rating), ("nominal", FACT, fact)):
            simulate = alpha_by_configurations(model, configurations, clips, flagged=True)
            title = f"alpha, {name}, {configurations} x {clips}: jackknife"
            yield Check(title, coverage, simulate, 1500, page=NOTE, flag="few answers")
    for clips, coverage in ((4, 0.865), (12, 0.902)):
        simulate = alpha_by_configurations(NEARLY_ALL_YES, 25, clips, flagged=True)
        name = f"alpha, 92% yes, 25 x {clips}: jackknife"
        flag = "nearly constant answers"
        yield Check(name, coverage, simulate, 1500, page=NOTE, flag=flag)


def checks() -> Iterator[Check]:
    """All lines; the expected coverages were found by an independent simulation of the same
    designs.
    """
    yield from checks_of_alpha()
    for clips, likeness, coverage in (
        (4, 0.0, 0.964),
        (4, 0.2, 0.955),
        (4, 0.5, 0.957),
        (12, 0.2, 0.950),
    ):
        simulate = clustered_share(0.75, clips, likeness)
        yield Check(
            f"share .75, 25 x {clips}, ICC {likeness}: clustered Wilson", coverage, simulate, 3000
        )
    for scenes, coverage in ((4, 0.957), (8, 0.955)):
        yield Check(f"score, 25 x {scenes} x 1: two-way pooled t", coverage, two_way(scenes), 400)
    for scenes, replicates, bad, coverage in (
        (8, 2, 0.15, 0.984),
        (8, 3, 0.15, 0.959),
        (4, 3, 0.15, 0.950),
        (8, 5, 0.15, 0.953),
        (8, 3, 0.5, 0.970),
    ):
        name = f"score, {scenes} x {replicates}, {bad:.0%} catastrophic: studentised bootstrap"
        simulate = studentised(scenes, replicates, bad)
        yield Check(name, coverage, simulate, 1200, page=SCORES, flag=MORE)
    for spread, coverage in ((0.0, 0.953), (3.0, 1.0), (10.0, 1.0)):
        yield Check(
            f"all 25 ranks, 8 x 3, spread {spread:.0f}: rank sets",
            coverage,
            all_ranks(spread, 8),
            150,
            True,
        )
    yield Check("two equal ones, 8 x 3: not separated", 0.948, not_separated(8), 1200)
    yield from checks_of_preference()
    yield from checks_of_pages()


def checks_of_preference() -> Iterator[Check]:
    """The lines on preference; their coverages are those of docs/decisions/0008."""
    for configurations, scenes, clip_sd, coverage in (
        (3, 8, 0.7, 0.946),
        (8, 8, 0.0, 0.950),
        (8, 8, 0.7, 0.951),
        (8, 4, 0.7, 0.953),
        (25, 4, 0.7, 0.953),
    ):
        name = f"Elo, {configurations} x {scenes}, clips vary by {clip_sd}: sandwich over scenes"
        yield Check(name, coverage, elo_held(configurations, scenes, clip_sd), 300)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all lines (or those whose name holds a word) and return the exit status."""
    parser = argparse.ArgumentParser(
        description="Coverage of the nominal 95% intervals, by simulation."
    )
    parser.add_argument(
        "--scale", type=float, default=1.0, help="times the default number of simulated rounds"
    )
    parser.add_argument("--only", default="", help="run only the lines whose name holds this word")
    options = parser.parse_args(arguments)
    good = True
    for check in checks():
        if options.only in check.name:
            line, fine = run(check, options.scale)
            good = good and fine
            sys.stdout.write(line)
            sys.stdout.flush()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
