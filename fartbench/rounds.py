"""Rounds: how one is made, and the one way in which it moves from state to state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from fartbench import audit
from fartbench.errors import Refusal
from fartbench.models import ProtocolVersion, Round, RoundState
from fartbench.protocol.rollouts.sampling import asked_of, even_part, round_plan
from fartbench.protocols import find_protocol


class UnknownRound(Refusal):
    """No round has this name."""


class RoundRefused(Refusal):
    """A round that cannot be made as asked."""


class StepOutOfOrder(Refusal):
    """A step that is not due; the message names the one that is."""


_words_of_due_step: list[Callable[[Round], str]] = []


def say_due_steps_with(words: Callable[[Round], str]) -> None:
    """Name the due step with ``words``, which give a sentence about a round.

    An app calls this that sees clips, reviewers and answers, and so knows what a round waits for.
    """
    _words_of_due_step[:] = [words]


def where_it_stands(round_: Round) -> str:
    """Return the state of the round and the step that is due, as sentences for a refusal."""
    (words,) = _words_of_due_step
    return f"Round {round_.name!r} is “{round_.get_state_display()}”. {words(round_)}"


def refuse_unless(round_: Round, step: str, *states: RoundState) -> None:
    """Raise StepOutOfOrder, naming the due step, unless the round is in one of ``states``."""
    if round_.state not in states:
        raise StepOutOfOrder(f"“{step}” is out of order. {where_it_stands(round_)}")


def find_round(name: str) -> Round:
    """Return the round with this name. Raises UnknownRound, naming the rounds there are."""
    found = Round.objects.select_related("protocol").filter(name=name).first()
    if found is None:
        names = (
            ", ".join(Round.objects.order_by("name").values_list("name", flat=True)) or "none yet"
        )
        raise UnknownRound(f"There is no round {name!r}. Rounds: {names}.")
    return found


@dataclass(frozen=True, slots=True)
class Looks:
    """What of the rollouts of a round is judged; see
    `fartbench.protocol.rollouts.sampling.RoundPlan`.

    ``sample`` scenarios are chosen evenly over tracks and domains, all of them without.
    """

    sample: int | None = None
    horizons: tuple[float, ...] = ()
    kinds: tuple[str, ...] = ()
    reviewers: int = 0


@transaction.atomic
def create_round(
    *,
    name: str,
    protocol: str,
    actor: str,
    replicates: int = 1,
    scenes: list[str] | None = None,
    looks: Looks | None = None,
) -> Round:
    """Make a round of ``protocol`` (``name@version``). Asking for the very same round again changes
    nothing.

    Raises RoundRefused for a name that is taken or cannot be one, for a scene that the protocol
    does not have, or for ``looks`` at clips that are judged whole; PlanRefused or TooFew for looks
    that its rollouts cannot have.
    """
    version = find_protocol(protocol)
    wanted = {
        "protocol": version,
        "replicates": replicates,
        "scene_keys": _scene_keys(version, scenes or []),
        **_looks(version, looks, scenes or []),
    }
    if existing := Round.objects.filter(name=name).first():
        if all(getattr(existing, field) == value for field, value in wanted.items()):
            return existing
        raise RoundRefused(
            f"Round {name!r} exists already, on {existing.protocol}. Choose another name."
        )
    made = Round(name=name, **wanted)
    _refuse_faults(made)
    made.save()
    audit.record(
        "round created", actor=actor, round_name=name, protocol=str(version), digest=version.digest
    )
    return made


def _refuse_faults(round_: Round) -> None:
    """Raise RoundRefused with every fault of the fields."""
    try:
        round_.full_clean()
    except ValidationError as error:
        faults = "; ".join(
            f"{field}: {' '.join(texts)}" for field, texts in error.message_dict.items()
        )
        raise RoundRefused(f"Round {round_.name!r} cannot be made. {faults}") from error


def _looks(version: ProtocolVersion, looks: Looks | None, scenes: Iterable[str]) -> dict[str, Any]:
    rollouts, chosen = version.rules.rollouts, set(scenes)
    if rollouts is None:
        if looks not in (None, Looks()):
            raise RoundRefused(
                f"Clips of {version} are judged whole: it has no sample, horizons or kinds of "
                "windows."
            )
        return {}
    looks = looks or Looks()
    plan = round_plan(rollouts, horizons=looks.horizons, kinds=looks.kinds, looks=looks.reviewers)
    found: dict[str, Any] = {"unit_plan": plan.model_dump(mode="json")}
    if looks.sample is not None:
        among = [one for one in rollouts.scenarios if not chosen or one.key in chosen]
        part = even_part(among, looks.sample, seed=0)
        found["scene_keys"] = _scene_keys(version, [one.key for one in part])
        chosen = set(found["scene_keys"])
    for scenario in rollouts.scenarios:
        if (not chosen or scenario.key in chosen) and not asked_of(rollouts, plan, scenario):
            raise RoundRefused(
                f"Nothing of {scenario.key} would be looked at: its track has no such kind of "
                "window."
            )
    return found


def _scene_keys(version: ProtocolVersion, scenes: list[str]) -> list[str]:
    known = [scene.key for scene in version.rules.scenes]
    if unknown := [key for key in scenes if key not in known]:
        raise RoundRefused(
            f"{version} has no scene {unknown[0]!r}. Its scenes: {', '.join(known)}."
        )
    return [key for key in known if key in scenes]


def move(round_: Round, *, to: RoundState, within: tuple[RoundState, ...], **fields: Any) -> None:
    """Set the round's state from one of ``within`` to ``to``, once: a compare-and-set on its row.

    Raises StepOutOfOrder when the round is elsewhere (perhaps moved by somebody else a moment ago).
    """
    moved = Round.objects.filter(pk=round_.pk, state__in=within).update(state=to, **fields)
    round_.refresh_from_db()
    if not moved:
        raise StepOutOfOrder(
            f"Round {round_.name!r} is “{round_.get_state_display()}” and cannot become "
            f"“{to.label}”."
        )
