"""Scripted reviewers of rollouts: they see the known truth of a window through eyes that make
mistakes.

What a window holds follows from the rollout's plan (`simulation.local.rollouts`): where it breaks,
how each update was followed, where the sound drops out, how much contrast is lost. No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from fartbench.protocol import Form, Pairs, Response
from fartbench.protocol.pairs import TIE, A, B
from fartbench.protocol.rollouts.metrics import Metric
from fartbench.protocol.rollouts.schema import Scenario
from simulation.demo.simulation import Temper, random_of, some_na

Span = tuple[float, float]
Latent = Mapping[str, float | bool | None]
"""What is right about a window, by question: a level on its scale, a fact, or a time (s of the
window) if any.
"""

CLOSE = 0.35  # two windows that seem less apart on a scale of 1 to 5 are a tie
SETTLES_S = 0.5  # from the first sign of an update to its target
NEVER_S = 12.0  # how late what is never reached counts when two windows are compared


@dataclass(frozen=True, slots=True)
class Watched:
    """A window of a rollout of known ``truth`` (`RolloutTruth.as_json`): its ``spans`` (s), and
    what it is about.
    """

    truth: Mapping[str, Any]
    scenario: Scenario
    place: str
    spans: Sequence[Span]

    def latent(self, form: Form) -> Latent:
        """Return what is right about every question of a form."""
        return {key: self._right(key, form) for key in form.keys}

    def _right(self, key: str, form: Form) -> float | bool | None:
        what = key.partition("_")[2]
        if what in {"started", "onset_latency", "target_latency", "fulfilment"}:
            return self._update(what)
        if key == "source_state_established":
            return self._source_came
        if key == "dependency_following":
            if self._source_came:
                return self._update("fulfilment")
            return None
        of_picture = form.key.partition(".")[0].endswith("-video")
        kept = 4.8 - 2.4 * self._forgotten - self._faded / 8
        facts_and_levels: dict[str, float | bool | None] = {
            "generation_break": self._breaks > 0,
            "deformation": False,
            "object_disappears": self._forgotten > 0,
            "audio_break": self._dropouts > 0,
            "audio_artefact": self._dropouts > 0,
            "visual_continuity": 4.9 - 1.8 * self._breaks,
            "audio_continuity": 4.9 - 2.2 * self._dropouts,
            "subject_retention": kept,
            "environment_retention": kept + 0.3,
            "audio_retention": kept - self._dropouts,
        }
        if key in facts_and_levels:
            return facts_and_levels[key]
        if of_picture:
            return 4.9 - self._faded - 0.7 * self._breaks
        return 4.7 - 1.3 * self._dropouts - self._faded / 3

    @property
    def _faded(self) -> float:
        """How many points the lost contrast costs in the middle of the window."""
        middle = fmean(self.spans[-1])
        return 3.2 * float(self.truth["drift"]) * middle / float(self.truth["seconds"])

    @property
    def _breaks(self) -> int:
        return min(2, sum(self._meets(span) for _kind, _boundary, span in self.truth["defects"]))

    @property
    def _dropouts(self) -> int:
        return min(2, sum(self._meets(span) for span in self.truth["dropouts"]))

    @property
    def _forgotten(self) -> float:
        """How many updates are given up while the last piece of the window lasts."""
        begin, end = self.spans[-1]
        return float(
            any(until is not None and begin < until < end for *_, until in self.truth["responses"])
        )

    @property
    def _source_came(self) -> bool:
        source = self.scenario.update(self.place).depends_on
        begin, end = self.spans[0]
        start = None if source is None else self._response(source)[0]
        return start is not None and begin <= start < end

    def _update(self, what: str) -> float | bool | None:
        """Return what is right about the update of this window's last piece."""
        begin, end = self.spans[-1]
        start, until = self._response(self.place)
        onset = None if start is None or start >= end else start - begin
        if what == "started":
            return onset is not None
        if what == "onset_latency":
            return onset
        if what == "target_latency":
            if onset is None:
                return None
            return onset + SETTLES_S
        if onset is None:
            return 1.2
        if until is not None and until < end:
            return 3.6
        return 4.7

    def _response(self, update: str) -> tuple[float | None, float | None]:
        """Return from when until when (s of the rollout) an update is followed."""
        number = [one.id for one in self.scenario.updates].index(update) + 1
        response = next(one for one in self.truth["responses"] if one[0] == number)
        return response[2], response[3]

    def _meets(self, span: Span) -> bool:
        return any(span[0] < end and begin < span[1] for begin, end in self.spans)


def watched_responses(
    form: Form, latent: Latent, *, temper: Temper, seed: str
) -> dict[str, Response]:
    """Answer every question of ``form``. Deterministic from ``seed``.

    A fact that holds is missed at the reviewer's own rate, unless other questions hang on it; a
    rating is the level with the reviewer's leniency and noise, a time is read off to a step or two,
    and neither contradicts what was said.
    """
    random = random_of(seed)
    conditions = [rule.when for rule in form.protocol.na_rules] + [
        rule.when for rule in form.protocol.value_rules
    ]
    hung_on = {when.question for when in conditions if when}
    given: dict[str, Response] = {}
    for question in form.questions:
        key, right, kind = (
            question.key,
            latent[question.key],
            form.protocol.answer_set(question).kind,
        )
        sees, slip = random.random() < temper.acuity, random.gauss(0, temper.noise)
        if kind == "choice":
            given[key] = Response(value="yes" if right and (sees or key in hung_on) else "no")
        elif right is None:
            given[key] = some_na(form, key, given)
        else:
            felt = right + (slip if kind == "time" else temper.leniency + slip)
            given[key] = _nearest(form, given, key, felt)
    return given


def _nearest(form: Form, given: Mapping[str, Response], key: str, felt: float) -> Response:
    """Return the value nearest to what is felt that contradicts nothing.

    StopIteration when every value does.
    """
    by_distance = sorted(form.options(key), key=lambda option: abs(float(option.value) - felt))
    tried = (Response(value=option.value) for option in by_distance)
    return next(one for one in tried if not _contradicts(form, {**given, key: one}))


def _contradicts(form: Form, given: Mapping[str, Response]) -> bool:
    return any(violation.question in given for violation in form.violations(given))


def watched_preference(
    pairs: Pairs,
    question: str,
    metric: Metric,
    latents: tuple[Latent, Latent],
    *,
    temper: Temper,
    seed: str,
) -> str:
    """Answer a question about two windows (A, B) as what ``metric`` reads of each is right, with a
    slip of one's own.

    Deterministic from ``seed``.
    """
    random = random_of(seed)
    seen_a, seen_b = (_appeal(metric, latent) + random.gauss(0, temper.noise) for latent in latents)
    outcome = TIE if abs(seen_a - seen_b) < CLOSE else A if seen_a > seen_b else B
    return pairs.answer(question, outcome) or ""


def _appeal(metric: Metric, latent: Latent) -> float:
    """Return how good a window is by what a metric reads of its form; by all of it where that is
    the scenario's own.
    """
    read = [latent[key] for key in metric.questions if key in latent] or list(latent.values())
    if any(key.endswith("_latency") for key in metric.questions):
        return -fmean(NEVER_S if value is None else value for value in read)
    return fmean(1.0 if value is None else value for value in read)
