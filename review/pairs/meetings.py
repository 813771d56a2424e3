"""Which clips meet in blind pairs. No Django here.

Clips meet within one scene and one league only, and never two of the same configuration. The next
pair is of the two configurations that have met least, then of those shown least, then by a hash of
the secret seed. So the plan is near the best possible at whatever number of pairs it stops, needs
no table of designs, and continues from what is there. Configurations, scenes and leagues are opaque
labels: this module never learns what they stand for.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

Two = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Contender:
    """A clip that can meet others of its scene and league."""

    id: str
    configuration: str
    scene: str
    league: str = ""


@dataclass(frozen=True, slots=True)
class Clip:
    """A contender with what is asked about it (the name of its form, empty for a whole clip) and
    what it shows: a place in a rollout that ends at ``end_s`` seconds.
    """

    contender: Contender
    form: str = ""
    place: str = ""
    end_s: float = 0.0


def alike(clips: Iterable[Clip], form: str | None, *, seed: str) -> list[Contender]:
    """Return the clips with a form of this name that can be compared: in each scene those of one
    place.

    Without a form these are whole clips. Of the places that the most configurations have, the seed
    draws one; of one place the longest is taken.
    """
    places: defaultdict[str, defaultdict[tuple[str, float], list[Contender]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for clip in clips:
        if clip.form == (form or ""):
            places[clip.contender.scene][clip.place, clip.end_s].append(clip.contender)
    found = []
    for scene, there in sorted(places.items()):
        most = max(len({one.configuration for one in group}) for group in there.values())
        full = {
            key: group
            for key, group in there.items()
            if len({one.configuration for one in group}) == most
        }
        place = min({place for place, _ in full}, key=lambda name: hashed(seed, scene, name))
        found += full[max(key for key in full if key[0] == place)]
    return found


def plan_meetings(
    contenders: Sequence[Contender],
    *,
    seed: str,
    meetings: int | None = None,
    count: int | None = None,
    earlier: Iterable[Two] = (),
    most: int | None = None,
) -> list[Two]:
    """Return the clips that are to meet, as pairs of ids in the order of planning.

    Every two configurations of a league meet ``meetings`` times in each scene, or as often as
    ``count`` pairs in all need, spread evenly over scenes; ``earlier`` ones are counted. For a
    ``count`` no two clips meet twice: a round with fewer different pairs has fewer. ``most`` bounds
    the pairs of one scene and league, and then some meet less often. The same arguments give the
    same plan.
    """
    plan = _Plan(contenders, seed)
    for one, other in earlier:
        plan.recall(one, other)
    bound, often, enough = (
        float("inf") if limit is None else limit for limit in (most, meetings, count)
    )
    found: list[Two] = []
    while plan.planned < enough and (
        open_ := [
            arena
            for arena in plan.arenas
            if arena.planned < bound and arena.fewest < often and (count is None or arena.has_new)
        ]
    ):
        found.append(plan.next_meeting(min(open_, key=lambda arena: (arena.planned, arena.rank))))
    return found


class _Arena:
    """One scene and league: the configurations that can meet there, and how often each two of them
    did.
    """

    def __init__(
        self, clips: Mapping[str, list[str]], number: Mapping[str, int], seed: str, label: Two
    ) -> None:
        self.clips = clips
        self.pairs = list(combinations(sorted(clips), 2))
        self.one = np.array([number[pair[0]] for pair in self.pairs], dtype=np.int64)
        self.other = np.array([number[pair[1]] for pair in self.pairs], dtype=np.int64)
        self.place = {pair: place for place, pair in enumerate(self.pairs)}
        self.rank = hashed(seed, *label)
        lots = sorted(self.pairs, key=lambda pair: hashed(seed, *label, *pair))
        self.luck = np.argsort([self.place[pair] for pair in lots])
        self.met = np.zeros(len(self.pairs), dtype=np.int64)
        self.different = np.array(
            [len(clips[pair[0]]) * len(clips[pair[1]]) for pair in self.pairs], dtype=np.int64
        )

    @property
    def has_new(self) -> bool:
        """Whether there are two clips that did not meet yet."""
        return bool((self.met < self.different).any())

    @property
    def planned(self) -> int:
        return int(self.met.sum())

    @property
    def fewest(self) -> float:
        """How often those two met that met least; infinite where nobody can meet."""
        return int(self.met.min()) if len(self.met) else float("inf")


class _Plan:
    """Who has met whom so far over all scenes, how often each configuration was shown, and each
    clip used.
    """

    def __init__(self, contenders: Sequence[Contender], seed: str) -> None:
        self.known = {clip.id: clip for clip in contenders}
        names = sorted({clip.configuration for clip in contenders})
        self.number = {name: place for place, name in enumerate(names)}
        self.met = np.zeros((len(names), len(names)), dtype=np.int64)
        self.shown = np.zeros(len(names), dtype=np.int64)
        self.used: Counter[str] = Counter()
        clips: dict[Two, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for clip in sorted(contenders, key=lambda each: hashed(seed, each.id)):
            clips[clip.scene, clip.league][clip.configuration].append(clip.id)
        self.by_label = {
            label: _Arena(found, self.number, seed, label) for label, found in sorted(clips.items())
        }

    @property
    def arenas(self) -> Iterable[_Arena]:
        return self.by_label.values()

    @property
    def planned(self) -> int:
        return sum(arena.planned for arena in self.arenas)

    def recall(self, one: str, other: str) -> None:
        """Count a meeting of two clips that was planned before; one with a clip that is gone counts
        no more.
        """
        if one in self.known and other in self.known:
            first, second = sorted(
                (self.known[one], self.known[other]), key=lambda clip: clip.configuration
            )
            self._count(self.by_label[first.scene, first.league], first, second)

    def next_meeting(self, arena: _Arena) -> Two:
        """Let those meet who are due in an arena, each with its clip that was used least."""
        one, other = arena.one, arena.other
        shown, has_met = self.shown[one] + self.shown[other], arena.met >= arena.different
        keys = (arena.luck, shown, self.met[one, other], arena.met, has_met)
        due = arena.pairs[int(np.lexsort(keys)[0])]
        first, second = (min(arena.clips[name], key=lambda clip: self.used[clip]) for name in due)
        self._count(arena, self.known[first], self.known[second])
        return first, second

    def _count(self, arena: _Arena, first: Contender, second: Contender) -> None:
        arena.met[arena.place[first.configuration, second.configuration]] += 1
        one, other = self.number[first.configuration], self.number[second.configuration]
        self.met[one, other] += 1
        self.met[other, one] += 1
        self.shown[[one, other]] += 1
        self.used.update((first.id, second.id))


def hashed(*words: str) -> str:
    """Return a hash that nobody without the seed among the words can foresee."""
    return hashlib.sha256("|".join(words).encode()).hexdigest()
