"""Rounds, how far they are, and who reviews them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from api.errors import FieldsRefused, NotAllowed
from api.guard import operation, round_of, token_of
from api.paging import Page, page_of
from api.scopes import Role, Scope
from fartbench.models import ProtocolVersion, Round
from generation.models import Configuration, Sample
from generation.planning import plan_round
from review.progress import progress_of_round
from rounds.deleting import delete_round
from rounds.due import due_step
from web.generation.round_form import RoundForm
from web.pages.rounds import progress_of

ROUTER = Router(tags=["rounds"])


class RoundLine(Schema):
    """A round in a list."""

    name: str
    protocol: str
    state: str
    created_at: datetime


class DueStep(Schema):
    """What brings a round on: the key of a step, empty while people or workers are at work."""

    key: str
    words: str


class RoundDetail(RoundLine):
    """A round: ``progress`` is how much of each part is done, and of how much."""

    scenes: list[str]
    replicates: int
    opened_at: datetime | None
    closed_at: datetime | None
    published_at: datetime | None
    due: DueStep | None
    progress: dict[str, list[int]]


class NewRound(Schema):
    """What a round is to be. ``source`` is own, providers or built_in; the last four are for
    rollouts.
    """

    name: str
    protocol: str
    scenes: list[str]
    replicates: int
    source: str = "own"
    configurations: list[str] = Field(default_factory=list)
    sample: int | None = None
    horizons: list[float] = Field(default_factory=list)
    kinds: list[str] = Field(default_factory=list)
    reviewers: int | None = None


class CellLine(Schema):
    """A cell of a round, with what became of it. Nothing here says under which id it is shown."""

    configuration: str
    scene: str
    replicate: int
    state: str
    reason: str
    cost_usd: str | None


class MemberLine(Schema):
    """How far a reviewer is. Nothing here says what was answered."""

    code: str
    role: str
    invite: str
    done: int
    total: int
    last_activity: datetime | None


@operation(ROUTER, "GET", "/rounds", scope=Scope.ROUNDS_READ, response=Page[RoundLine])
def list_rounds(
    request: HttpRequest, state: str = "", cursor: str = "", limit: int = 50
) -> dict[str, Any]:
    """List the rounds, the newest first."""
    rows = Round.objects.select_related("protocol")
    if state:
        rows = rows.filter(state=state)
    if names := token_of(request).rounds:
        rows = rows.filter(name__in=names)
    return page_of(rows, _line, cursor=cursor, limit=limit)


@operation(ROUTER, "GET", "/rounds/{name}", scope=Scope.ROUNDS_READ, response=RoundDetail)
def get_round(request: HttpRequest, name: str) -> RoundDetail:
    """Say how far a round is, and which step is due."""
    return detail_of(round_of(request, name))


@operation(
    ROUTER,
    "POST",
    "/rounds",
    scope=Scope.ROUNDS_WRITE,
    role=Role.ADMIN,
    response={201: RoundDetail},
)
def create_round(request: HttpRequest, new: NewRound) -> Status[RoundDetail]:
    """Make a round. This buys nothing."""
    if token_of(request).rounds:
        raise NotAllowed("This token is for some rounds alone, so it cannot make another one.")
    protocols = {str(one): one for one in ProtocolVersion.objects.all()}
    protocol = protocols.get(new.protocol)
    if protocol is None:
        known = ", ".join(sorted(protocols)) or "none"
        raise FieldsRefused(
            "The round", {"protocol": f"{new.protocol!r} is not loaded. Loaded: {known}."}
        )
    given = {name: value for name, value in new.dict().items() if value is not None}
    configurations = [one for one in Configuration.objects.exclude(digest="") if one.file]
    form = RoundForm(_as_form(given), protocol=protocol, configurations=configurations)
    if not form.is_valid():
        raise FieldsRefused(
            "The round",
            {name: " ".join(map(str, errors)) for name, errors in form.errors.items()},
        )
    made = plan_round(form.plan(), actor=token_of(request).actor)
    return Status(201, detail_of(made))


def _as_form(given: dict[str, Any]) -> dict[str, Any]:
    """Return the values as the controls of a form have them: numbers as short texts."""
    horizons = [f"{one:g}" for one in given.pop("horizons", [])]
    return given | {"horizons": horizons}


@operation(
    ROUTER,
    "DELETE",
    "/rounds/{name}",
    scope=Scope.ROUNDS_WRITE,
    role=Role.ADMIN,
    response={204: None},
)
def delete_draft(request: HttpRequest, name: str) -> Status[None]:
    """Delete a draft that nothing was bought or decided in."""
    delete_round(round_=round_of(request, name), actor=token_of(request).actor)
    return Status(204, None)


@operation(ROUTER, "GET", "/rounds/{name}/cells", scope=Scope.ROUNDS_READ, response=Page[CellLine])
def list_cells(
    request: HttpRequest, name: str, cursor: str = "", limit: int = 100
) -> dict[str, Any]:
    """List the cells of a round with what became of each."""
    rows = Sample.objects.filter(cell__round=round_of(request, name))
    return page_of(rows.select_related("cell__configuration"), _cell, cursor=cursor, limit=limit)


@operation(
    ROUTER,
    "GET",
    "/rounds/{name}/members",
    scope=Scope.MEMBERS,
    role=Role.ADMIN,
    response=list[MemberLine],
)
def list_members(request: HttpRequest, name: str) -> list[MemberLine]:
    """List the reviewers of a round by code, and how far each is."""
    return [
        MemberLine(
            code=one.code,
            role=one.role,
            invite=one.invite_state,
            done=one.done,
            total=one.total,
            last_activity=one.last_activity,
        )
        for one in progress_of_round(round_of(request, name))
    ]


def _line(round_: Round) -> RoundLine:
    return RoundLine(
        name=round_.name,
        protocol=str(round_.protocol),
        state=round_.state,
        created_at=round_.created_at,
    )


def detail_of(round_: Round) -> RoundDetail:
    due = due_step(round_)
    return RoundDetail(
        **_line(round_).dict(),
        scenes=round_.scenes,
        replicates=round_.replicates,
        opened_at=round_.opened_at,
        closed_at=round_.closed_at,
        published_at=round_.published_at,
        due=DueStep(key=due.key, words=due.words) if due else None,
        progress={bar.key: [bar.done, bar.total] for bar in progress_of(round_).bars},
    )


def _cell(sample: Sample) -> CellLine:
    return CellLine(
        configuration=sample.cell.configuration.name,
        scene=sample.cell.scene,
        replicate=sample.cell.replicate,
        state=sample.state,
        reason=sample.reason,
        cost_usd=None if sample.cost_usd is None else str(sample.cost_usd),
    )
