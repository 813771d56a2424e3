"""The steps of a round, each made from its one object: the same rules, forms and refusals as its
button.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, QueryDict
from ninja import Router, Schema

from api.errors import FieldsRefused, KeyMissing, NotAllowed, NotThere
from api.guard import operation, round_of, token_of
from api.once import HEADER, key_of
from api.operations.rounds import RoundDetail, detail_of
from api.scopes import Role, Scope
from fartbench.models import Round
from rounds.due import due_step
from rounds.forms import StepForm
from rounds.step import Step
from rounds.steps import STEPS

ROUTER = Router(tags=["steps"])
SPENDS = frozenset({"commission", "judge", "resume_orders", "send_again", "set_ceiling"})
PEOPLE = frozenset(
    {"set_cohort", "invite_again", "replace_reviewer", "add_secondary", "revoke_access"}
)
JSON = "application/json"


class FieldLine(Schema):
    """What a step asks for. ``choices`` are those that its form offers now."""

    name: str
    label: str
    kind: str
    is_required: bool
    choices: list[str]


class StepLine(Schema):
    """A step that can be done now. ``note`` is what to know before."""

    key: str
    title: str
    words: str
    note: str
    scope: str
    is_due: bool
    is_drastic: bool
    fields: list[FieldLine]


class InviteLine(Schema):
    """A link that lets one reviewer in. It is a secret of that person."""

    code: str
    email: str
    url: str


class StepDone(Schema):
    """What a step did, and how the round is after it."""

    words: str
    details: list[str]
    links: list[InviteLine]
    round: RoundDetail


@operation(ROUTER, "GET", "/rounds/{name}/steps", scope=Scope.ROUNDS_READ, response=list[StepLine])
def list_steps(request: HttpRequest, name: str) -> list[StepLine]:
    """List the steps that can be done now, and what each asks for."""
    round_ = round_of(request, name)
    due = due_step(round_)
    offered = [step for step in STEPS.values() if _is_here(step) and step.is_offered(round_)]
    return [_line(step, round_, due.key if due else "") for step in offered]


@operation(
    ROUTER,
    "POST",
    "/rounds/{name}/steps/{key}",
    scope=Scope.ROUNDS_WRITE,
    role=Role.ADMIN,
    response=StepDone,
)
def do_step(request: HttpRequest, name: str, key: str) -> StepDone:
    """Do a step. One that was done already says so and changes nothing.

    The body is a JSON object of the step's fields, or a form where a field is a file. Steps that
    spend money or invite people need an Idempotency-Key. What takes long is left to workers: ask
    for the round until the step that is due changes.
    """
    round_ = round_of(request, name)
    step = STEPS.get(key)
    if step is None or not _is_here(step):
        raise NotThere(f"There is no step {key!r}. See /api/v1/rounds/{name}/steps.")
    _refuse_scope(request, step)
    form = StepForm(step, round_, _values_of(request, step), request.FILES)
    if not form.is_valid():
        raise FieldsRefused(
            "The step",
            {field: " ".join(map(str, errors)) for field, errors in form.errors.items()},
        )
    done = step.perform(round_, token_of(request).actor, form.cleaned_data)
    round_.refresh_from_db()
    return StepDone(
        words=done.words,
        details=list(done.details),
        links=[InviteLine(code=link.code, email=link.email, url=link.url) for link in done.links],
        round=detail_of(round_),
    )


def _is_here(step: Step) -> bool:
    return step.has_form


def scope_of(step: Step) -> Scope:
    """Return the scope that a token needs for a step."""
    if step.key in SPENDS:
        return Scope.SPEND
    return Scope.MEMBERS if step.key in PEOPLE else Scope.ROUNDS_WRITE


def _refuse_scope(request: HttpRequest, step: Step) -> None:
    needed = scope_of(step)
    if needed not in token_of(request).scopes:
        raise NotAllowed(f"This token does not have the scope “{needed}”.")
    if needed != Scope.ROUNDS_WRITE and not key_of(request):
        raise KeyMissing(
            f"Send a new {HEADER} with this step, and the same one when you send it again."
        )


def _values_of(request: HttpRequest, step: Step) -> QueryDict:
    """Return the fields of a call as a form has them. Raises FieldsRefused."""
    if request.content_type != JSON:
        return request.POST
    try:
        given = json.loads(request.body or b"{}")
    except ValueError as error:
        raise FieldsRefused("The body", {"body": f"it is not JSON: {error}"}) from error
    if not isinstance(given, dict):
        raise FieldsRefused("The body", {"body": "it is not a JSON object"})
    _refuse_unknown(given, step)
    chosen = {field.name for field in step.fields if field.kind == "samples"}
    values = QueryDict(mutable=True)
    for name, value in given.items():
        values.setlist(name, _texts(value, is_chosen=name in chosen))
    return values


def _refuse_unknown(given: Mapping[str, Any], step: Step) -> None:
    """Raise FieldsRefused for fields that the step does not ask for: a misspelt one would be
    passed over.
    """
    known = [field.name for field in step.fields]
    words = f"the step asks for {', '.join(known)} alone" if known else "the step asks for nothing"
    unknown = [name for name in given if name not in known]
    if unknown:
        raise FieldsRefused("The step", dict.fromkeys(unknown, words))


def _texts(value: Any, *, is_chosen: bool) -> list[str]:
    """Return a value as the control of a form sends it: lists of texts in lines, boxes as “on”."""
    if isinstance(value, list):
        texts = [str(one) for one in value]
        return texts if is_chosen else ["\n".join(texts)]
    if value is None or value is False:
        return []
    return ["on" if value is True else str(value)]


def _line(step: Step, round_: Round, due: str) -> StepLine:
    worded = step.worded(round_)
    return StepLine(
        key=step.key,
        title=worded.title,
        words=worded.words,
        note=step.note(round_),
        scope=scope_of(step).value,
        is_due=step.key == due,
        is_drastic=step.is_drastic,
        fields=[
            FieldLine(
                name=field.name,
                label=field.label,
                kind=field.kind,
                is_required=field.is_required,
                choices=[str(choice) for choice in field.choices(round_)],
            )
            for field in worded.fields
            if field.asked(round_)
        ],
    )
