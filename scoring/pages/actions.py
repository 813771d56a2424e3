"""Which steps a round's page offers as buttons. What a step needs and refuses is the step's own business."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fartbench.models import Round, RoundState
from scoring.steps import Step

BEFORE_OPENING = (RoundState.DRAFT, RoundState.GENERATING, RoundState.BLINDING)


@dataclass(frozen=True, slots=True)
class Action:
    """A button: what it does, in words for the confirmation, and whether it is the step that is due."""

    step: str
    title: str
    words: str
    states: tuple[RoundState, ...]
    is_due: bool = False


ACTIONS = (
    Action(
        "mark_cell",
        "Set the outcome of a cell",
        "For a cell that brought no clip. A result is not changed by hand later.",
        BEFORE_OPENING,
    ),
    Action(
        "blind",
        "Make the blind copies",
        "Workers make a copy of every clip without any trace of its origin, and give each an opaque id. "
        "From then on the clips cannot be replaced.",
        (RoundState.GENERATING, RoundState.BLINDING),
    ),
    Action(
        "make_training",
        "Draw training clips",
        "The built-in renderer draws three clips of known truth. Every reviewer who begins a round on this protocol "
        "practises on them first, with explained answers. They are in no round and count for nothing.",
        BEFORE_OPENING,
    ),
    Action(
        "set_cohort",
        "Name the reviewers",
        "They become the whole primary cohort of the round, and each gets a new invite link. "
        "Links made before and not yet used stop working.",
        BEFORE_OPENING,
    ),
    Action(
        "open_round",
        "Open the round",
        "The protocol is frozen, every reviewer gets an own order, and reviewing begins. This cannot be undone.",
        BEFORE_OPENING,
    ),
    Action(
        "close_round",
        "Close the round",
        "Reviewing ends and no sheet can be changed or added any more. This cannot be undone.",
        (RoundState.REVIEWING,),
    ),
    Action(
        "publish",
        "Publish the round",
        "The scores are frozen as a release that everyone can see, with whose clip each one is. This cannot be undone.",
        (RoundState.LOCKED,),
    ),
)


def actions_for(round_: Round, due: Step | None) -> list[Action]:
    """Return the steps that this round's state permits, the due one marked. Training clips are made once."""
    command = due.command if due else ""
    done = {"make_training"} if round_.protocol.training_clips.exists() else set()
    offered = [action for action in ACTIONS if round_.state in action.states and action.step not in done]
    return [replace(action, is_due=action.step == command) for action in offered]
