"""How often the interval of each kind of figure on a page holds the truth, at the sizes that pages
have: two to sixteen rollouts, two to 25 configurations, one to five clips of a scene. No Django
here.

Points come from a logit model: a configuration's ability, the scene, and their interaction. Shares,
ratings and case values are as each function says.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np
from scipy.special import expit

from scoring.metrics.summary import Trajectory, mean_of_cases, trajectory
from scoring.records import CellRecord
from scoring.reports.metrics import events_per_dollar, median_estimate
from scoring.stats.discrimination import somers_d
from scoring.stats.intervals import (
    Floats,
    clustered_wilson,
    jackknife_interval,
    pooled_two_way,
    wilson,
)
from scoring.stats.items import items
from scoring.stats.points import total_points
from scoring.stats.replicates import means_of_replicates
from tests.bench.coverage import Check, Random, covers_if_shown, line, mean_held
from tests.bench.validate_pairs import checks_of_pairs

FOLDER = "templates/scoring/"
SCORES, COLUMNS, SYSTEM = (
    f"{FOLDER}{name}.html" for name in ("_difference", "rollout_columns", "rollout_system")
)
SHARES, CONFIGURATION, JUDGES, TESTS = (
    f"{FOLDER}{name}.html" for name in ("_shares", "configuration", "human_ai", "tests")
)


def chances(
    random: Random, configurations: int, scenes: int, ability: float
) -> tuple[Floats, Floats]:
    """Return (C, S) chances that a clip has the event, and that it has the event with its cause."""
    level = ability + 1.3 * random.normal(size=(configurations, 1))
    scene = 0.7 * random.normal(size=(1, scenes))
    event, cause = (
        expit(level + scene + shift + 0.5 * random.normal(size=(configurations, scenes)))
        for shift in (0.5, 0.0)
    )
    return event, event * cause


def score_of_points(
    random: Random, *, configurations: int, replicates: int, ability: float = 0.5
) -> float:
    """Factual Score of 8 over four scenes."""
    event, both = chances(random, configurations, 4, ability)
    drawn = random.random((*event.shape, replicates))
    points = (drawn < event[..., None]).astype(float) + (drawn < both[..., None])
    truth = (event + both).sum(axis=1)
    found = total_points([list(row) for row in points], 2.0)
    return mean_held(found, truth)


def weighted_clips(random: Random, middle: Floats, bad: float = 0.15) -> Floats:
    """Return scores of clips around their middle, some of them catastrophic."""
    scores = np.clip(middle + 13 * random.normal(size=middle.shape), 0, 100)
    return np.where(random.random(middle.shape) < bad, np.minimum(scores, 20), scores)


def score_of_one_test(random: Random, *, configurations: int, replicates: int) -> float:
    """The mean score of each configuration in one test of the pilot."""
    middle = random.normal(65, 15, (configurations, 1))
    truth = weighted_clips(random, np.broadcast_to(middle, (configurations, 4000))).mean(axis=1)
    scores = weighted_clips(random, np.broadcast_to(middle, (configurations, replicates)))
    return mean_held(means_of_replicates(list(scores), bounds=(0, 100)), truth)


def column(random: Random, *, cases: int, kind: str) -> float:
    """A column of rollouts: even, uneven (log-normal) or all-or-nothing values."""
    if kind == "even":
        values, truth, bounds = random.normal(size=cases), 0.0, (-np.inf, np.inf)
    elif kind == "uneven":
        values = np.exp(0.5 * random.normal(size=cases))
        truth, bounds = float(np.exp(0.125)), (0.0, np.inf)
    else:
        values, truth, bounds = (random.random(cases) < 0.8).astype(float), 0.8, (0.0, 1.0)
    return covers_if_shown(mean_of_cases(values, bounds), truth)


def along_rollouts(random: Random, *, cases: int, what: str) -> float:
    """What a metric loses in 100 s over six intervals of 30 s, and its mean step."""
    path = np.array([3.0, 2.5, 3.2, 2.7, 3.1, 2.6])
    slope = 0.1 * random.normal(size=(cases, 1)) * np.arange(6)
    level = 0.5 * random.normal(size=(cases, 1))
    values = path + level + slope + 0.3 * random.normal(size=(cases, 6))
    followed = [[(30.0 * (place + 1), float(one)) for place, one in enumerate(row)]
                for row in values]  # fmt: skip
    found = trajectory("VQ", followed, better="higher")
    if not isinstance(found, Trajectory):
        return float("nan")
    if what == "change":
        at_s = 30.0 * np.arange(1, 7)
        return covers_if_shown(found.degradation, -100 * float(np.polyfit(at_s, path, 1)[0]))
    return covers_if_shown(found.variation, float(np.abs(np.diff(path)).mean()))


def share_of_few(random: Random, *, clips: int) -> float:
    """The share of clips that passed, of one configuration; any share is as likely."""
    share = random.uniform(0.02, 0.98)
    return covers_if_shown(wilson(int(random.binomial(clips, share)), clips), share)


def share_of_clusters(random: Random, *, configurations: int, clips: int) -> float:
    """A share over configurations whose clips are alike (beta-binomial, ICC 0.2)."""
    share = random.uniform(0.1, 0.9)
    own = random.beta(share * 4, (1 - share) * 4, configurations)
    passed = random.random((configurations, clips)) < own[:, None]
    labels = np.repeat(np.arange(configurations), clips)
    return covers_if_shown(clustered_wilson(passed.reshape(-1), labels), share)


def mean_rating(random: Random, *, configurations: int, of_all: bool) -> float:
    """The mean rating over four scenes of each configuration, or of all of them."""
    level = 0.8 * random.normal(size=(configurations, 1))
    scene = 0.5 * random.normal(size=(1, 4))
    own = 3 + level + scene + 0.4 * random.normal(size=(configurations, 4))
    ratings = own + 0.45 * random.normal(size=own.shape)
    if not of_all:
        return mean_held(pooled_two_way(ratings), own.mean(axis=1))
    rest = (ratings.sum() - ratings.sum(axis=1)) / (ratings.size - 4)
    found = jackknife_interval(float(ratings.mean()), rest, ratings.size)
    return covers_if_shown(found, float(3 + scene.mean()))


def ordering(random: Random, *, configurations: int) -> float:
    """Somers' D of a judge given people's median ratings."""
    found = _judged_clips(random, configurations)
    return covers_if_shown(somers_d(*found).d, _true_d())


@cache
def _true_d() -> float:
    draws = [_judged_clips(np.random.default_rng(number), 300) for number in range(15)]
    return float(np.mean([somers_d(*one).d.value for one in draws]))


def _judged_clips(random: Random, configurations: int) -> tuple[Floats, Floats, Floats, Floats]:
    own = 0.7 * random.normal(size=(configurations, 1))
    quality = own + 0.7 * random.normal(size=(configurations, 4))
    seen = 3 + quality[..., None] + 0.7 * random.normal(size=(configurations, 4, 4))
    people = np.median(np.clip(np.round(seen), 1, 5), axis=2)
    judge = np.clip(np.round(3 + 0.8 * quality + 0.7 * random.normal(size=quality.shape)), 1, 5)
    scene, label = np.tile(np.arange(4), configurations), np.repeat(np.arange(configurations), 4)
    return people.ravel(), judge.ravel(), scene, label


def best_constant(random: Random, *, configurations: int) -> float:
    """The error of the best constant rating."""
    people, _, _, label = _judged_clips(random, configurations)

    def error(ratings: Floats) -> float:
        return float(np.abs(ratings - np.median(ratings)).mean())

    left_out = [error(people[label != name]) for name in range(configurations)]
    found = jackknife_interval(error(people), left_out, people.size, bounds=(0.0, np.inf))
    return covers_if_shown(found, _true_error())


@cache
def _true_error() -> float:
    people = _judged_clips(np.random.default_rng(2), 20_000)[0]
    return float(np.abs(people - np.median(people)).mean())


def scene_told(random: Random, *, configurations: int, what: str) -> float:
    """How hard a scene is, and how its points correlate with the others (both normal here)."""
    level = 0.18 * random.normal(size=(configurations, 1))
    points = 1 + level + 0.25 * random.normal(size=(configurations, 4))
    found = next(iter(items(points, 2.0)))
    if what == "difficulty":
        return covers_if_shown(found.difficulty, 0.5)
    shared, own = 0.18**2, 0.25**2
    rho = 3 * shared / np.sqrt((shared + own) * (9 * shared + 3 * own))
    return covers_if_shown(found.discrimination, float(rho))


def events_per_dollar_held(random: Random, *, cells: int) -> float:
    """Events per US dollar of one configuration whose clips cost unequally."""
    costs = 0.4 * np.exp(0.3 * random.normal(size=cells))
    events = (random.random(cells) < 0.5).astype(float)
    found = events_per_dollar(
        list(events), [CellRecord("a", "s", 1, "delivered", cost_usd=str(one)) for one in costs]
    )
    return covers_if_shown(found, 0.5 / (0.4 * float(np.exp(0.045))))


def median(random: Random, *, clips: int) -> float:
    """The median of one number for each clip."""
    return covers_if_shown(median_estimate(list(random.normal(size=clips))), 0.0)


MORE = "in up to 99 with one or two clips per scene or many failed clips"
UNEVEN = "in 91 to 94 where values are very uneven"
ALL_OR_NOTHING = "in 88 to 100 where they are all or nothing"
FEW_CLIPS = "of a few clips in 87 to 99"
FEW_CONFIGURATIONS = "holds the share in up to 100"
TWO_CLIPS = "with two clips of each of few configurations in 92 to 94"
STEP = "that of the mean step holds it in 93 to 95"
OF_ONE = "it holds the mean over very many clips of these scenes in 97 to 99"
CONSTANT = "the range of the best constant's error holds it in 92 to 94"
ORDER = "those of skill and order hold them in up to 98"
EVENTS = "Those of events per dollar hold the figure in 92 to 95"
MEDIANS = "those of a median of few clips in 96 to 99"


def checks_of_pages() -> Iterator[Check]:
    """The lines of pages; a coverage far from 95% names the words of the page that say so."""

    for configurations, replicates, expected, runs in (
        (25, 1, 0.968, 150), (6, 1, 0.966, 500), (4, 1, 0.967, 600), (3, 1, 0.969, 600),
        (2, 1, 0.988, 800), (6, 2, 0.955, 400), (6, 3, 0.953, 400), (25, 3, 0.953, 100),
    ):  # fmt: skip
        simulate = partial(score_of_points, configurations=configurations, replicates=replicates)
        name = f"Factual Score, {configurations} x 4 x {replicates}: quasi-binomial Wilson"
        yield line(name, expected, simulate, runs, SCORES, MORE)
    for configurations, replicates, expected in (
        (3, 2, 0.923),
        (3, 3, 0.94),
        (6, 5, 0.95),
        (3, 10, 0.95),
    ):
        simulate = partial(score_of_one_test, configurations=configurations, replicates=replicates)
        name = f"one test, {configurations} configurations x {replicates}: pooled t"
        yield line(name, expected, simulate, 500, TESTS, TWO_CLIPS)
    for cases, even, uneven, all_or_nothing in (
        (2, 0.95, 0.941, 1.0), (3, 0.95, 0.919, 1.0), (4, 0.95, 0.916, 1.0), (8, 0.95, 0.913, 0.999),
        (16, 0.95, 0.929, 0.883), (30, 0.95, 0.936, 0.951),
    ):  # fmt: skip
        for kind, expected, flag in (
            ("even", even, ""), ("uneven", uneven, UNEVEN),
            ("all or nothing", all_or_nothing, ALL_OR_NOTHING),
        ):  # fmt: skip
            name = f"column of {cases} rollouts, {kind}: Student's t"
            yield line(name, expected, partial(column, cases=cases, kind=kind), 4000, COLUMNS, flag)
    for cases, of_step in ((2, 0.941), (4, 0.93), (8, 0.94), (16, 0.946)):
        change = partial(along_rollouts, cases=cases, what="change")
        yield line(f"change along {cases} rollouts: jackknife", 0.95, change, 1500)
        step = partial(along_rollouts, cases=cases, what="step")
        yield line(f"mean step of {cases} rollouts: jackknife", of_step, step, 1500, SYSTEM, STEP)
    yield from checks_of_pairs()
    yield from _of_shares_and_ratings()
    yield from _of_judges()


def _of_shares_and_ratings() -> Iterator[Check]:
    for clips, expected in ((4, 0.95), (8, 0.953), (24, 0.953)):
        simulate = partial(share_of_few, clips=clips)
        yield line(
            f"any share of {clips} clips: Wilson", expected, simulate, 4000, SHARES, FEW_CLIPS
        )
    for configurations, clips, expected in ((3, 24, 0.985), (6, 4, 0.985), (10, 4, 0.966)):
        simulate = partial(share_of_clusters, configurations=configurations, clips=clips)
        name = f"any share, {configurations} x {clips}: clustered Wilson"
        yield line(name, expected, simulate, 2000, SHARES, FEW_CONFIGURATIONS)
    for configurations, expected in ((25, 0.98), (6, 0.98), (4, 0.98)):
        simulate = partial(mean_rating, configurations=configurations, of_all=False)
        name = f"mean rating of one configuration, {configurations} x 4: pooled t"
        yield line(name, expected, simulate, 400, CONFIGURATION, OF_ONE)
        simulate = partial(mean_rating, configurations=configurations, of_all=True)
        yield line(f"mean rating of {configurations} x 4: jackknife", 0.95, simulate, 1500)
    for configurations in (4, 6, 25):
        for what in ("difficulty", "discrimination"):
            simulate = partial(scene_told, configurations=configurations, what=what)
            yield line(f"{what} of a scene, {configurations} configurations", 0.95, simulate, 2000)
    for cells, expected in ((8, 0.95), (24, 0.944)):
        simulate = partial(events_per_dollar_held, cells=cells)
        name = f"events per dollar of {cells} cells: jackknife"
        yield line(name, expected, simulate, 1500, TESTS, EVENTS)
    for clips, expected in ((6, 0.969), (16, 0.979), (24, 0.977)):
        name = f"median of {clips} clips: order statistics"
        yield line(name, expected, partial(median, clips=clips), 4000, TESTS, MEDIANS)


def _of_judges() -> Iterator[Check]:
    for configurations, order, constant in (
        (25, 0.955, 0.947),
        (6, 0.961, 0.934),
        (4, 0.969, 0.934),
    ):
        simulate = partial(ordering, configurations=configurations)
        name = f"Somers' D, {configurations} x 4: jackknife"
        yield line(name, order, simulate, 800, JUDGES, ORDER)
        simulate = partial(best_constant, configurations=configurations)
        name = f"best constant, {configurations} x 4: jackknife"
        yield line(name, constant, simulate, 1000, JUDGES, CONSTANT)
