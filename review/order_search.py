"""The search inside `review.order`: swaps under a falling threshold. No Django here.

Threshold accepting (Dueck & Scheuer 1990, Journal of Computational Physics 90): a swap is kept when it makes the cost
worse by no more than a threshold that falls to zero. Costs are integers and no exponential is taken, so the outcome is
the same on every machine.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

# The price of each fault. Neighbours from one configuration are never traded for anything else, neighbours from one
# scene only for those; the soft rest was weighed by trial on 25 x 4, 24 x 4, 8 x 4 and 25 x 4 x 3 clips.
SAME_CONFIGURATION = 1_000_000
SAME_SCENE = 20_000
CONFIGURATION_CARRY = 24
SCENE_CARRY = 6
SCENE_CROWD = 6
SHORT_GAP = 6
OFF_CENTRE = 1
FIRST_THRESHOLD = 60
GAP_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Layout:
    """The factors of the clips 0..n-1 as numbers: `configuration[clip]` and `scene[clip]`, each counted from 0."""

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
    """Orders made of `dealt` (order, pass, clip) by swaps inside the passes; `fixed` orders count but do not move."""
    search = _Search(layout, dealt, fixed)
    search.run(rand, swaps)
    return search.orders()


class _Search:
    """All orders laid end to end in `line`, with a mark before, between and after them.

    A token stands for one clip in one order: order x clips + clip. The mark is counted like a configuration and a
    scene of its own, so that what opens and what ends the orders is balanced too.
    """

    def __init__(
        self, layout: Layout, dealt: Sequence[Sequence[Sequence[int]]], fixed: Sequence[Sequence[int]]
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
        self.passes: list[tuple[int, int]] = []  # for each movable place: first place and size of its pass
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
        self.carry: defaultdict[int, int] = defaultdict(int)  # configuration x row + configuration that follows
        self.scene_carry: defaultdict[int, int] = defaultdict(int)
        self.crowd: defaultdict[int, int] = defaultdict(int)  # block of as many places as scenes, and scene
        self.off_centre = [0] * self.clips  # twice the distance from the middle, summed over the orders
        for order in fixed:
            for place, clip in enumerate(order):
                self.off_centre[clip] += 2 * place + 1 - len(order)
            for left, right in pairwise([self.mark, *order, self.mark]):
                self._join(left, right, 1)
        for left, right in pairwise(self.line):
            self._join(left, right, 1)
        self._count_places()

    def _count_places(self) -> None:
        """Swaps stay inside passes, and a pass holds a configuration once: who comes before whom never changes."""
        self.before = [-1] * (self.mark + 1)
        self.after = [-1] * (self.mark + 1)
        latest: dict[int, int] = {}
        for place, token in enumerate(self.line):
            if token == self.mark:
                latest.clear()
                continue
            self.off_centre[token % self.clips] += 2 * ((place - 1) % (self.clips + 1)) + 1 - self.clips
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
        return [[token % self.clips for token in self.line[start : start + self.clips]] for start in starts]

    def run(self, rand: Callable[[], float], swaps: int) -> None:
        """Try `swaps` swaps of two places of one pass, under a threshold that falls from the first one to nothing."""
        if not self.movable:
            return
        line, movable, passes, total = self.line, self.movable, self.passes, len(self.movable)
        for done in range(swaps):
            pick = int(rand() * total)
            start, size = passes[pick]
            first, second = movable[pick], start + int(rand() * size)
            if first == second:
                continue
            if first > second:
                first, second = second, first
            threshold = FIRST_THRESHOLD * (swaps - done) // swaps
            neighbours = self._neighbour_delta(first, second)
            if neighbours > threshold:
                continue
            left, right = line[first], line[second]
            rest = neighbours + self._place_delta(left, right, first, second)
            if rest + self._relink(first, second) > threshold:
                self._relink(first, second)
            else:
                self._move(left, right, first, second)

    def _neighbour_delta(self, first: int, second: int) -> int:
        """The change of the price of bad neighbours if the two places were swapped; nothing is changed."""
        line = self.line
        left, right = line[first], line[second]
        if second == first + 1:
            return (
                self._bad(line[first - 1], right)
                + self._bad(left, line[second + 1])
                - self._bad(line[first - 1], left)
                - self._bad(right, line[second + 1])
            )
        a, b, c, d = line[first - 1], line[first + 1], line[second - 1], line[second + 1]
        bad = self._bad
        return (
            (bad(a, right) + bad(right, b) + bad(c, left) + bad(left, d))
            - (bad(a, left) + bad(left, b) + bad(c, right) + bad(right, d))
        )  # fmt: skip

    def _bad(self, left: int, right: int) -> int:
        if self.configuration[left] == self.configuration[right]:
            return SAME_CONFIGURATION
        return SAME_SCENE if self.scene[left] == self.scene[right] else 0

    def _place_delta(self, left: int, right: int, first: int, second: int) -> int:
        """The change from short gaps, off-centre clips and crowded scenes if `left` and `right` changed places."""
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

    def _move(self, left: int, right: int, first: int, second: int) -> None:
        """Take note that `left` went from the first place to the second, and `right` the other way."""
        self.place[left], self.place[right] = second, first
        self.off_centre[left % self.clips] += 2 * (second - first)
        self.off_centre[right % self.clips] -= 2 * (second - first)
        row, here, there = self.scenes, first // self.scenes, second // self.scenes
        for block, gained, lost in ((here, right, left), (there, left, right)):
            self.crowd[block * row + self.scene[gained]] += 1
            self.crowd[block * row + self.scene[lost]] -= 1

    def _short(self, token: int, place: int) -> int:
        """By how many places `token` at `place` is too near to the clips of its configuration before and after it."""
        before, after = self.before[token], self.after[token]
        short = max(0, self.gap - place + self.place[before]) if before >= 0 else 0
        return short + (max(0, self.gap - self.place[after] + place) if after >= 0 else 0)

    def _relink(self, first: int, second: int) -> int:
        """Swap the two places in `line` and in the carry-over counts; the change of the price of carry-over."""
        line = self.line
        edges = (first - 1, first, second) if second == first + 1 else (first - 1, first, second - 1, second)
        price = 0
        for edge in edges:
            price += self._join(line[edge], line[edge + 1], -1)
        line[first], line[second] = line[second], line[first]
        for edge in edges:
            price += self._join(line[edge], line[edge + 1], 1)
        return price

    def _join(self, left: int, right: int, step: int) -> int:
        """Count a pair of neighbours once more (step 1) or once less (-1); the change of the price."""
        key = self.configuration[left] * self.row + self.configuration[right]
        scene_key = self.scene[left] * self.scene_row + self.scene[right]
        count, scene_count = self.carry[key], self.scene_carry[scene_key]
        self.carry[key], self.scene_carry[scene_key] = count + step, scene_count + step
        return CONFIGURATION_CARRY * (2 * count + step) * step + SCENE_CARRY * (2 * scene_count + step) * step
