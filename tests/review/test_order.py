"""Presentation orders: whole, balanced, reproducible, and honest where balance cannot be had."""

import json
from collections import Counter
from dataclasses import asdict
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review.order import ClipFactors, OrderRefused, balanced_orders, extra_order, measure_balance

QUICK = 0.1
PINNED = [
    "0-0-0 2-1-0 3-2-0 1-0-0 2-2-0 1-1-0 0-2-0 3-0-0 0-1-0 1-2-0 2-0-0 3-1-0",
    "1-2-0 3-1-0 2-0-0 0-1-0 1-0-0 3-2-0 0-0-0 2-1-0 0-2-0 3-0-0 2-2-0 1-1-0",
]


def grid(configurations, scenes, replicates=1):
    return [
        ClipFactors(f"clip-{c}-{s}-{r}", f"config-{c}", f"scene-{s}")
        for c in range(configurations)
        for s in range(scenes)
        for r in range(replicates)
    ]


def equal_neighbours(clips, order, factor):
    label = {clip.id: getattr(clip, factor) for clip in clips}
    return sum(label[one] == label[other] for one, other in pairwise(order))


@st.composite
def uneven_clips(draw):
    """Any small round: some cells refused (no clip), some with replicates."""
    cells = draw(
        st.dictionaries(
            st.tuples(st.integers(0, 5), st.integers(0, 3)),
            st.integers(1, 3),
            min_size=1,
            max_size=14,
        )
    )
    return [
        ClipFactors(f"{c}{s}{r}", f"c{c}", f"s{s}")
        for (c, s), count in cells.items()
        for r in range(count)
    ]


@pytest.fixture(scope="module")
def core_round():
    """25 configurations, four scenes, four reviewers, at half the effort of the product."""
    clips = grid(25, 4)
    return clips, balanced_orders(clips, 4, "round seed", effort=0.5)


def test_a_core_round_meets_the_balance_that_is_promised(core_round):
    balance = core_round[1].balance
    assert (balance.same_configuration_neighbours, balance.same_scene_neighbours) == (0, 0)
    carry = balance.configuration_carry_over
    assert (carry.least_high, round(carry.least_squares, 1)) == (1, 134.6)
    assert carry.squares <= carry.least_squares + 10
    assert carry.high <= 2
    assert balance.scene_carry_over.low >= 30
    assert balance.scene_carry_over.high <= 36
    assert 0.4 <= balance.clip_position[0] <= balance.clip_position[1] <= 0.6
    assert 0.45 <= balance.configuration_position[0] <= balance.configuration_position[1] <= 0.55
    assert 0.48 <= balance.scene_position[0] <= balance.scene_position[1] <= 0.52
    assert balance.feasible
    assert balance.reasons == ()


def test_each_clip_falls_into_another_quarter_for_each_of_four_reviewers(core_round):
    clips, orders = core_round
    for clip in clips:
        assert {order.index(clip.id) // 25 for order in orders.orders} == {0, 1, 2, 3}


def test_clips_of_one_configuration_keep_a_distance(core_round):
    clips, orders = core_round
    configuration = {clip.id: clip.configuration for clip in clips}
    gaps = []
    for order in orders.orders:
        latest = {}
        for place, name in enumerate(order):
            gaps += [place - latest[configuration[name]]] if configuration[name] in latest else []
            latest[configuration[name]] = place
    assert min(gaps) >= 5
    assert sum(gap < 10 for gap in gaps) <= len(gaps) * 0.05


def test_refused_cells_leave_the_rest_balanced():
    clips = grid(25, 4)
    kept = [clip for number, clip in enumerate(clips) if number % 11]
    balance = balanced_orders(kept, 4, "seed", effort=0.4).balance
    assert (balance.same_configuration_neighbours, balance.same_scene_neighbours) == (0, 0)
    carry = balance.configuration_carry_over
    assert carry.squares <= 1.1 * carry.least_squares + 10
    assert balance.clip_position[0] >= 0.39
    assert balance.clip_position[1] <= 0.61


def test_many_reviewers_spread_the_carry_over_evenly():
    """No two configurations may meet the same scenes in all passes: they could never follow each
    other.
    """
    carry = balanced_orders(grid(12, 4), 40, "seed", effort=0.2).balance.configuration_carry_over
    assert carry.low >= carry.mean / 2
    assert carry.high <= 1.5 * carry.mean


def test_few_configurations_with_many_scenes_and_replicates():
    balance = balanced_orders(grid(3, 8, 3), 4, "pilot", effort=0.3).balance
    assert (balance.same_configuration_neighbours, balance.same_scene_neighbours) == (0, 0)
    assert balance.feasible


@settings(max_examples=60, deadline=None)
@given(uneven_clips(), st.integers(1, 5), st.text(max_size=5))
def test_every_order_holds_every_clip_once_and_the_seed_decides_all(clips, reviewers, seed):
    orders = balanced_orders(clips, reviewers, seed, effort=QUICK)
    assert len(orders.orders) == reviewers
    assert all(sorted(order) == sorted(clip.id for clip in clips) for order in orders.orders)
    assert balanced_orders(list(reversed(clips)), reviewers, seed, effort=QUICK) == orders
    assert measure_balance(clips, orders.orders) == orders.balance


@settings(max_examples=60, deadline=None)
@given(uneven_clips(), st.integers(1, 2))
def test_configurations_are_never_neighbours_when_none_has_more_than_half(clips, reviewers):
    commonest = max(Counter(clip.configuration for clip in clips).values())
    least = max(0, 2 * commonest - len(clips) - 1)
    orders = balanced_orders(clips, reviewers, "seed", effort=QUICK)
    assert [equal_neighbours(clips, order, "configuration") for order in orders.orders] == [
        least
    ] * reviewers
    assert least == 0 or not orders.balance.feasible


@settings(max_examples=30, deadline=None)
@given(uneven_clips().filter(lambda clips: len(clips) <= 6), st.integers(1, 4))
def test_small_rounds_reach_the_fewest_bad_neighbours_there_are(clips, reviewers):
    fewest = min(
        (equal_neighbours(clips, order, "configuration"), equal_neighbours(clips, order, "scene"))
        for order in permutations([clip.id for clip in clips])
    )
    first = balanced_orders(clips, reviewers, "seed", effort=QUICK).orders[0]
    assert (
        equal_neighbours(clips, first, "configuration"),
        equal_neighbours(clips, first, "scene"),
    ) == fewest


def test_reviewers_get_different_orders_as_long_as_there_are_enough():
    clips = grid(3, 1)
    six = balanced_orders(clips, 6, "seed")
    assert len(set(six.orders)) == 6
    assert six.balance.all_different
    seven = balanced_orders(clips, 7, "seed").balance
    assert not seven.all_different
    assert not seven.feasible
    assert any("two orders are equal" in reason for reason in seven.reasons)


@pytest.mark.parametrize("seed", range(12))
def test_different_orders_of_a_tight_set_keep_its_configurations_apart(seed):
    """Three clips of one configuration and two others: 12 of the 120 orders have no bad
    neighbours.
    """
    clips = [
        *(ClipFactors(f"a{n}", "a", f"s{n}") for n in range(3)),
        *(ClipFactors(n, n, n) for n in "xy"),
    ]
    balance = balanced_orders(clips, 8, str(seed), effort=QUICK).balance
    assert balance.all_different
    assert balance.same_configuration_neighbours == 0


def test_one_clip_and_one_reviewer_is_a_round_too():
    orders = balanced_orders([ClipFactors("only", "a", "s")], 1, "seed")
    assert orders.orders == (("only",),)
    assert orders.balance.feasible
    assert orders.balance.configuration_carry_over is None
    assert orders.balance.clip_position == (0.5, 0.5)


def test_a_configuration_with_most_clips_is_placed_and_named_as_the_reason():
    clips = [
        *(ClipFactors(f"a{n}", "a", f"s{n % 4}") for n in range(8)),
        ClipFactors("b", "b", "s0"),
    ]
    balance = balanced_orders(clips, 4, "seed", effort=QUICK).balance
    assert not balance.feasible
    assert balance.same_configuration_neighbours == 4 * 6
    assert balance.reasons[0] == (
        "one configuration has 8 of 9 clips: each order has at least 6 neighbours of the same "
        "configuration"
    )


def test_a_round_of_one_scene_says_that_scenes_cannot_be_kept_apart():
    balance = balanced_orders(grid(6, 1), 2, "seed", effort=QUICK).balance
    assert balance.same_configuration_neighbours == 0
    assert balance.scene_carry_over is None
    assert balance.reasons == (
        "one scene has 6 of 6 clips: each order has at least 5 neighbours of the same scene",
    )


def test_another_seed_gives_another_order_and_reviewers_share_none(core_round):
    clips, orders = core_round
    assert len(set(orders.orders)) == 4
    assert (
        balanced_orders(clips, 4, "another", effort=0.01).orders
        != balanced_orders(clips, 4, "seed", effort=0.01).orders
    )


def test_the_order_of_a_seed_never_changes():
    """Pinned: a round's stored order must be explained by its seed in later versions too."""
    orders = balanced_orders(grid(4, 3), 2, "pinned", effort=1).orders
    assert [" ".join(name.removeprefix("clip-") for name in order) for order in orders] == PINNED


def test_the_balance_is_plain_data(core_round):
    assert json.loads(json.dumps(asdict(core_round[1].balance)))["orders"] == 4


def test_a_late_reviewer_takes_the_part_that_a_leaver_left_open(core_round):
    clips, orders = core_round
    kept = orders.orders[:2] + orders.orders[3:]
    late = extra_order(clips, kept, "round seed", "reviewer 5", effort=0.5)
    assert sorted(late) == sorted(orders.orders[0])
    assert late not in orders.orders
    balance = measure_balance(clips, [*kept, late])
    assert (balance.same_configuration_neighbours, balance.same_scene_neighbours) == (0, 0)
    assert balance.clip_position[0] >= 0.4
    assert balance.clip_position[1] <= 0.6
    carry = balance.configuration_carry_over
    assert carry.squares <= 1.1 * carry.least_squares + 15
    assert late == extra_order(clips, kept, "round seed", "reviewer 5", effort=0.5)
    assert late != extra_order(clips, kept, "round seed", "reviewer 6", effort=0.5)


def test_a_late_order_passes_over_clips_that_were_replaced():
    clips = grid(5, 4)
    earlier = balanced_orders(clips, 2, "seed", effort=QUICK).orders
    replaced = [*clips[1:], ClipFactors("new-copy", clips[0].configuration, clips[0].scene)]
    late = extra_order(replaced, earlier, "seed", "late", effort=QUICK)
    assert sorted(late) == sorted(clip.id for clip in replaced)


def test_a_late_order_stands_alone_without_earlier_ones():
    clips = grid(5, 4)
    late = extra_order(clips, [], "seed", "late", effort=QUICK)
    assert measure_balance(clips, [late]).feasible


def test_what_cannot_be_ordered_is_refused():
    clips = grid(2, 2)
    with pytest.raises(OrderRefused, match="no clip"):
        balanced_orders([], 4, "seed")
    with pytest.raises(OrderRefused, match="0 reviewers"):
        balanced_orders(clips, 0, "seed")
    with pytest.raises(OrderRefused, match="clip-0-0-0 is listed more than once"):
        balanced_orders([*clips, clips[0]], 4, "seed")
    with pytest.raises(OrderRefused, match="no clip"):
        extra_order([], [], "seed", "late")
