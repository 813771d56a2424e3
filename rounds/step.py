"""What a step of a round is: one object, from which its command, its button and the words for it
are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from fartbench.models import Round, RoundState
from fartbench.rounds import refuse_unless
from fartbench.wording import has_control_characters
from review.services import InviteLink
from rounds.errors import TextRefused

BEFORE_OPENING = (RoundState.DRAFT, RoundState.GENERATING, RoundState.BLINDING)
COPYING = (RoundState.GENERATING, RoundState.BLINDING)

Kind = Literal[
    "text",
    "cell",
    "outcome",
    "reviewer",
    "email",
    "emails",
    "stimulus",
    "number",
    "check",
    "samples",
    "amount",
    "file",
    "choice",
]
# The part of a round's pages that has the button; “row” is a row of the table of reviewers.
Place = Literal["round", "reviewers", "row", "blinding", "pairs", "clips"]
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """What to say after a step. ``links`` are secrets: only the command prints them, and the page
    of the round's reviewers shows them. ``details`` are lines for the command alone.
    """

    words: str
    links: tuple[InviteLink, ...] = ()
    details: tuple[str, ...] = ()


Run = Callable[[Round, str, Values], Done]


def _elsewhere(_round: Round, _actor: str, _values: Values) -> Done:
    raise NotImplementedError("The step has a command or page of its own shape.")


def always(_round: Round) -> bool:
    """Say yes."""
    return True


def _never_done(_round: Round, _values: Values) -> Done | None:
    return None


def _no_choices(_round: Round) -> Iterable[str]:
    return ()


def _no_note(_round: Round) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Field:
    """What a step asks for: an argument of its command and a control of its form.

    ``choices`` are what the form offers of a round, ``asked`` whether the form asks for it at all.
    ``needed_with`` names the box with which it is required.
    """

    name: str
    label: str
    kind: Kind = "text"
    is_positional: bool = False
    is_required: bool = True
    needed_with: str = ""
    choices: Callable[[Round], Iterable[str]] = _no_choices
    asked: Callable[[Round], bool] = always


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a round.

    ``key`` is its command's name. Its texts may hold ``{clip}``, ``{stimulus}`` and the other words
    of a protocol. ``run`` does it in one of ``states``; a step without has a command or page of its
    own shape and only its name here. ``done`` says, without changing anything, that it was done
    already. ``offered`` says whether its button is shown, perhaps ``only_when_due``, and ``note``
    what to know before it is pressed.
    """

    key: str
    title: str
    words: str
    states: tuple[RoundState, ...]
    run: Run = _elsewhere
    fields: tuple[Field, ...] = ()
    done: Callable[[Round, Values], Done | None] = _never_done
    offered: Callable[[Round], bool] = always
    note: Callable[[Round], str] = _no_note
    place: Place = "round"
    is_drastic: bool = False
    only_when_due: bool = False

    def perform(self, round_: Round, actor: str, values: Values, run: Run | None = None) -> Done:
        """Do the step, perhaps with another ``run``, and say what was done, or that it was done
        already.

        Raises TextRefused, StepOutOfOrder, and whatever Refusal the step itself has.
        """
        self._refuse_control_characters(values)
        if already := self.done(round_, values):
            return replace(already, words=f"{already.words} Nothing was changed.")
        refuse_unless(round_, self.key, *self.states)
        return (run or self.run)(round_, actor, values)

    def _refuse_control_characters(self, values: Values) -> None:
        """Raise TextRefused for a text that a terminal would take for commands: results show it."""
        for field in self.fields:
            value = values.get(field.name)
            if isinstance(value, str) and has_control_characters(value):
                raise TextRefused(
                    f"{field.name}: the text holds a control character. Write it without."
                )

    @property
    def has_form(self) -> bool:
        """Whether a form can do the step."""
        return self.run is not _elsewhere

    def is_offered(self, round_: Round) -> bool:
        """Say whether a page of the round offers the step now."""
        return self.has_form and round_.state in self.states and self.offered(round_)

    def worded(self, round_: Round) -> Step:
        """Return the step with the words of the round's protocol in its texts."""
        words = asdict(round_.protocol.rules.words)
        fields = tuple(replace(field, label=field.label.format(**words)) for field in self.fields)
        return replace(
            self,
            title=self.title.format(**words),
            words=self.words.format(**words),
            fields=fields,
        )


WHY = Field("reason", "Why")
