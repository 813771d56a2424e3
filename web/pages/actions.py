"""Which steps a round's pages offer as buttons.

What a step needs and refuses is the step's own business.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal

from fartbench.models import Round, RoundState
from judging.selectors import left_open
from rounds.steps import BEFORE_OPENING, Step

Kind = Literal["text", "cell", "outcome", "reviewer", "email", "emails", "stimulus"]


@dataclass(frozen=True, slots=True)
class Field:
    """What a step asks for: its name there, its label, and what can be chosen or typed."""

    name: str
    label: str
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Action:
    """A button: what it does, in words for the confirmation, and whether it is the step that is
    due.

    In ``ACTIONS`` its texts hold ``{clip}`` and ``{stimulus}`` where the protocol's own words go.
    """

    step: str
    title: str
    words: str
    states: tuple[RoundState, ...]
    fields: tuple[Field, ...] = ()
    place: Literal["round", "reviewers", "blinding", "pairs"] = "round"
    is_due: bool = False


WHY = Field("reason", "Why")
COPYING = (RoundState.GENERATING, RoundState.BLINDING)
ACTIONS = (
    Action(
        "plan_pairs",
        "Plan the pairs",
        "Draws the pairs that the plan still lacks and asks the cohort about them. What is planned "
        "stays, so doing it "
        "again only fills in what a replaced copy or reviewer left open.",
        (RoundState.REVIEWING,),
        place="pairs",
    ),
    Action(
        "revoke_access",
        "Shut a reviewer out",
        "Every session ends, and password, return code and open links stop working. Answers stay. "
        "A new link lets the "
        "reviewer in again.",
        (*BEFORE_OPENING, RoundState.REVIEWING),
        (Field("code", "Reviewer", "reviewer"), WHY),
        place="reviewers",
    ),
    Action(
        "mark_cell",
        "Set the outcome of a cell",
        "For a cell that brought no {clip}. A result is not changed by hand later.",
        BEFORE_OPENING,
        (Field("cell", "Cell", "cell"), Field("state", "Outcome", "outcome"), WHY),
    ),
    Action(
        "blind",
        "Make the blind copies",
        "Workers make a copy of every {stimulus} without any trace of its origin, and give each an "
        "opaque id. "
        "From then on the {clip}s cannot be replaced.",
        COPYING,
    ),
    Action(
        "make_training",
        "Draw training clips",
        "The built-in renderer draws three clips of known truth. Every reviewer who begins a round "
        "on this protocol "
        "practises on them first, with explained answers. They are not part of any round and do "
        "not count.",
        BEFORE_OPENING,
    ),
    Action(
        "set_cohort",
        "Name the reviewers",
        "They become the whole primary cohort of the round, and each gets a new invite link. "
        "Links made before and not yet used stop working.",
        BEFORE_OPENING,
        (Field("emails", "Addresses of the reviewers, one on each line", "emails"),),
    ),
    Action(
        "open_round",
        "Open the round",
        "The protocol is frozen, every reviewer gets their own order, and reviewing begins. This "
        "cannot be undone.",
        BEFORE_OPENING,
    ),
    Action(
        "close_round",
        "Close the round",
        "Reviewing ends and no sheet can be changed or added any more. This cannot be undone.",
        (RoundState.REVIEWING,),
    ),
    Action(
        "measure",
        "Measure the rollouts",
        "Workers measure every rollout: where its chunks meet, how fast it came, its sound, and "
        "what models say whose "
        "weights are installed. What failed, or lacked weights that are there now, is measured "
        "again.",
        (RoundState.LOCKED,),
    ),
    Action(
        "publish",
        "Publish the round",
        "The figures are frozen as a release that everyone can see, with whose {stimulus} each one "
        "is. This cannot be "
        "undone.",
        (RoundState.LOCKED,),
    ),
    Action(
        "replace_reviewer",
        "Replace a reviewer",
        "The new one gets a whole order of their own and an invite link. The sheets of the old one "
        "stay, and no "
        "longer count.",
        (RoundState.REVIEWING,),
        (
            Field("old", "Who leaves", "reviewer"),
            Field("new", "Address of who comes", "email"),
            WHY,
        ),
        "reviewers",
    ),
    Action(
        "add_secondary",
        "Add a secondary reviewer",
        "One more person reviews every {stimulus} beside the cohort. These answers are kept apart "
        "and enter no score.",
        (RoundState.REVIEWING,),
        (Field("email", "Address", "email"),),
        "reviewers",
    ),
    Action(
        "normalise",
        "Normalise the round",
        "Every {stimulus} is re-encoded to the protocol's common format, because a single one "
        "would be marked. "
        "Copies that were made are dropped; make them again afterwards.",
        COPYING,
        (WHY,),
        "blinding",
    ),
    Action(
        "exclude_clip",
        "Leave a {clip} out",
        "For a {clip} that no blind copy can be made of. It is counted as not reviewable and its "
        "configuration is "
        "listed unranked.",
        COPYING,
        (Field("cell", "Cell", "cell"), WHY),
        "blinding",
    ),
    Action(
        "replace_copy",
        "Give a copy a new id",
        "For a copy that did not play. Every reviewer is asked about it again; earlier answers no "
        "longer count.",
        (RoundState.REVIEWING,),
        (Field("stimulus", "The {stimulus}, by its opaque id", "stimulus"), WHY),
        "blinding",
    ),
    Action(
        "not_reviewable",
        "Declare a {stimulus} not reviewable",
        "No one is asked about it any more, and its configuration is listed unranked. This cannot "
        "be undone.",
        (RoundState.REVIEWING,),
        (Field("stimulus", "The {stimulus}, by its opaque id", "stimulus"), WHY),
        "blinding",
    ),
)


def actions_for(round_: Round, due: Step | None) -> list[Action]:
    """Return the steps that this round's state permits, the due one marked.

    Training clips are made once.
    """
    command = due.command if due else ""
    done = {"make_training"} if round_.protocol.training_clips.exists() else set()
    done.add("measure" if round_.protocol.rules.rollouts is None else "make_training")
    offered = [
        action for action in ACTIONS if round_.state in action.states and action.step not in done
    ]
    return [replace(_worded(action, round_), is_due=action.step == command) for action in offered]


def _worded(action: Action, round_: Round) -> Action:
    """Return an action in the words of the round's protocol."""
    own = asdict(round_.protocol.rules.words)
    words = action.words.format(**own)
    if action.step == "publish" and (left := left_open(round_)):
        words = (
            f"{words} {left} Afterwards they are asked no more; “judge {round_.name}” asks them "
            "now."
        )
    fields = tuple(replace(field, label=field.label.format(**own)) for field in action.fields)
    return replace(action, title=action.title.format(**own), words=words, fields=fields)


def placed(actions: list[Action], place: str) -> list[Action]:
    """Return the actions that stand in one part of the pages."""
    return [action for action in actions if action.place == place]
