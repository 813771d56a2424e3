"""The search inside `review.order`: swaps under a falling threshold. No Django here.

Threshold accepting (Dueck & Scheuer 1990, Journal of Computational Physics 90): a swap is kept when
it makes the cost worse by no more than a threshold that falls to zero. Costs are integers and no
exponential is taken, so the outcome is the same on every machine.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

# The price of each fault. Neighbours from one configuration are never traded for anything else,
# neighbours from one scene only for those; the soft rest was weighed by trial on 25 x 4, 24 x 4, 8
# x 4 and 25 x 4 x 3 clips.
SAME_CONFIGURATION = 1_000_000
SAME_SCENE = 20_000
CONFIGURATION_CARRY = 24
SCENE_CARRY = 6
SCENE_CROWD = 6
SHORT_GAP = 6
OFF_CENTRE = 1
FIRST_THRESHOLD = 60
GAP_SHARE = 0.4

Pairs = tuple[tuple[int, int], ...]  # of tokens that follow each other


@dataclass(frozen=True, slots=True)
class Layout:
    """The factors of the clips 0..n-1 as numbers: `configuration[clip]` and `scene[clip]`, each
    counted from 0.
    """

    configuration: list[int]
    scene: list[int]
    configurations: int
    scenes: int


def improve(
    layout: Layout,
    dealt: Sequence[Sequence[Sequence[int]]],
    rand: Callable[[], float],
    *,
    swaps: int,
    fixed: Sequence[Sequence[int]] = (),
) -> list[list[int]]:
    """Orders made of `dealt` (order, pass, clip) by swaps inside the passes; `fixed` orders count
    but do not move.
    """
    search = _Search(layout, dealt, fixed)
    search.run(rand, swaps)
    return search.orders()


class _Search:
    """All orders laid end to end in `line`, with a mark before, between and after them.

    A token is one clip in one order: order x clips + clip. The mark is counted like a
    configuration and a scene of its own, so that what opens and what ends the orders is balanced
    too.
    """

    def __init__(
        self,
        layout: Layout,
        dealt: Sequence[Sequence[Sequence[int]]],
        fixed: Sequence[Sequence[int]],
    ) -> None:
        self.clips, count = len(layout.configuration), len(dealt)
        self.mark = self.clips * count
        self.configuration = layout.configuration * count + [layout.configurations]
        self.scene = layout.scene * count + [layout.scenes]
        self.scenes = layout.scenes
        self.row, self.scene_row = layout.configurations + 1, layout.scenes + 1
        self.gap = int(GAP_SHARE * layout.configurations)
        self._lay_out(dealt)
        self._count(fixed)

    def _lay_out(self, dealt: Sequence[Sequence[Sequence[int]]]) -> None:
        self.line = [self.mark]
        self.passes: list[
            tuple[int, int]
        ] = []  # for each movable place: first place and size of its pass
        self.movable: list[int] = []
        for order, members_of_passes in enumerate(dealt):
            for members in members_of_passes:
                start, size = len(self.line), len(members)
                if size > 1:
                    self.movable += range(start, start + size)
                    self.passes += [(start, size)] * size
                self.line += [order * self.clips + clip for clip in members]
            self.line.append(self.mark)
        self.place = [0] * (self.mark + 1)
        for place, token in enumerate(self.line):
            self.place[token] = place

    def _count(self, fixed: Sequence[Sequence[int]]) -> None:
        """Fill the counts that the costs are made of."""
        self.carry: defaultdict[int, int] = defaultdict(
            int
        )  # configuration x row + configuration that follows
        self.scene_carry: defaultdict[int, int] = defaultdict(int)
        self.crowd: defaultdict[int, int] = defaultdict(
            int
        )  # block of as many places as scenes, and scene
        self.off_centre = [
            0
        ] * self.clips  # twice the distance from the middle, summed over the orders
        for order in fixed:
            for place, clip in enumerate(order):
                self.off_centre[clip] += 2 * place + 1 - len(order)
            for left, right in pairwise([self.mark, *order, self.mark]):
                self._count_pair(left, right, 1)
        for left, right in pairwise(self.line):
            self._count_pair(left, right, 1)
        self._count_places()

    def _count_places(self) -> None:
        """Swaps stay inside passes, and a pass holds a configuration once: who comes before whom
        never changes.
        """
        self.before = [-1] * (self.mark + 1)
        self.after = [-1] * (self.mark + 1)
        latest: dict[int, int] = {}
        for place, token in enumerate(self.line):
            if token == self.mark:
                latest.clear()
                continue
            self.off_centre[token % self.clips] += (
                2 * ((place - 1) % (self.clips + 1)) + 1 - self.clips
            )
            self.crowd[place // self.scenes * self.scenes + self.scene[token]] += 1
            earlier = latest.get(self.configuration[token], -1)
            self.before[token] = earlier
            if earlier >= 0:
                self.after[earlier] = token
            latest[self.configuration[token]] = token

    def orders(self) -> list[list[int]]:
        """The clips of each order, in order."""
        stride = self.clips + 1
        starts = range(1, len(self.line), stride)
        return [
            [token % self.clips for token in self.line[start : start + self.clips]]
            for start in starts
        ]

    def run(self, rand: Callable[[], float], swaps: int) -> None:
        """Try `swaps` swaps of two places of one pass, under a threshold that falls from the first
        one to nothing.
        """
        movable, passes, total = self.movable, self.passes, len(self.movable)
        for done in range(swaps if total else 0):
            pick = int(rand() * total)
            start, size = passes[pick]
            first, second = movable[pick], start + int(rand() * size)
            if first == second:
                continue
            if first > second:
                first, second = second, first
            threshold = FIRST_THRESHOLD * (swaps - done) // swaps
            lost, won = self._pairs(first, second)
            change = self._bad(won) - self._bad(lost)
            if change > threshold:
                continue
            change += self._place_delta(first, second)
            change += CONFIGURATION_CARRY * _squares_delta(
                self.carry, self.configuration, self.row, lost, won
            )
            change += SCENE_CARRY * _squares_delta(
                self.scene_carry, self.scene, self.scene_row, lost, won
            )
            if change <= threshold:
                self._swap(first, second, lost, won)

    def _pairs(self, first: int, second: int) -> tuple[Pairs, Pairs]:
        """The neighbours that would be lost and won if the tokens at the two places were
        swapped.
        """
        line = self.line
        left, right, before, after = line[first], line[second], line[first - 1], line[second + 1]
        if second == first + 1:
            return ((before, left), (left, right), (right, after)), (
                (before, right),
                (right, left),
                (left, after),
            )
        inner, outer = line[first + 1], line[second - 1]
        return (
            ((before, left), (left, inner), (outer, right), (right, after)),
            ((before, right), (right, inner), (outer, left), (left, after)),
        )

    def _bad(self, pairs: Pairs) -> int:
        """The price of the neighbours of one configuration or one scene."""
        configuration, scene = self.configuration, self.scene
        price = 0
        for left, right in pairs:
            if configuration[left] == configuration[right]:
                price += SAME_CONFIGURATION
            elif scene[left] == scene[right]:
                price += SAME_SCENE
        return price

    def _place_delta(self, first: int, second: int) -> int:
        """The change from short gaps, off-centre clips and crowded scenes if the tokens at the
        places were swapped.
        """
        left, right = self.line[first], self.line[second]
        short, far = self._short, second - first
        gaps = short(left, second) + short(right, first) - short(left, first) - short(right, second)
        off = self.off_centre[left % self.clips] - self.off_centre[right % self.clips]
        centre = 4 * far * (off + 2 * far) // self.clips
        crowd, here, there = 0, first // self.scenes, second // self.scenes
        one, other = self.scene[left], self.scene[right]
        if here != there and one != other:
            counts, row = self.crowd, self.scenes
            crowd = counts[here * row + other] + counts[there * row + one]
            crowd += 2 - counts[here * row + one] - counts[there * row + other]
        return gaps * SHORT_GAP + centre * OFF_CENTRE + crowd * SCENE_CROWD

    def _swap(self, first: int, second: int, lost: Pairs, won: Pairs) -> None:
        """Swap the tokens at two places and bring all counts up to date."""
        left, right = self.line[first], self.line[second]
        self.line[first], self.line[second] = right, left
        self.place[left], self.place[right] = second, first
        for pair in lost:
            self._count_pair(*pair, -1)
        for pair in won:
            self._count_pair(*pair, 1)
        self.off_centre[left % self.clips] += 2 * (second - first)
        self.off_centre[right % self.clips] -= 2 * (second - first)
        row, here, there = self.scenes, first // self.scenes, second // self.scenes
        for block, gained, gone in ((here, right, left), (there, left, right)):
            self.crowd[block * row + self.scene[gained]] += 1
            self.crowd[block * row + self.scene[gone]] -= 1

    def _count_pair(self, left: int, right: int, step: int) -> None:
        self.carry[self.configuration[left] * self.row + self.configuration[right]] += step
        self.scene_carry[self.scene[left] * self.scene_row + self.scene[right]] += step

    def _short(self, token: int, place: int) -> int:
        """By how many places `token` at `place` is too near to the clips of its configuration
        before and after it.
        """
        before, after = self.before[token], self.after[token]
        short = max(0, self.gap - place + self.place[before]) if before >= 0 else 0
        return short + (max(0, self.gap - self.place[after] + place) if after >= 0 else 0)


def _squares_delta(
    counts: Mapping[int, int], level: Sequence[int], row: int, lost: Pairs, won: Pairs
) -> int:
    """The change of the sum of squared counts when some pairs of levels are lost and others won."""
    steps: dict[int, int] = {}
    for left, right in won:
        key = level[left] * row + level[right]
        steps[key] = steps.get(key, 0) + 1
    for left, right in lost:
        key = level[left] * row + level[right]
        steps[key] = steps.get(key, 0) - 1
    change = 0
    for key, step in steps.items():
        if step:
            change += step * (2 * counts[key] + step)
    return change
