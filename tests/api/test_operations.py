"""Every operation by every scope and role, read from the OpenAPI document; what each leaves
unsaid; and its problems.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command

from api.application import document
from api.models import KeptAnswer
from api.reference import Operation, operations_of
from api.scopes import Scope
from blinding.models import BlindingKey, Stimulus
from fartbench.models import Round
from review.selectors import next_assignment
from tests.api.calls import Caller, admin, staff
from tests.factories import CORE_R01, make_locked_sheet, make_protocol, reviewers_of
from tests.scoring.rows import make_open_round, make_published_round

pytestmark = pytest.mark.django_db

LIFT = ["r01-lift"]
OPERATIONS = operations_of(document())
PATHS = {
    "name": "shown",
    "number": "1",
    "path": "answers.csv",
    "key": "no-such",
    "place": "0",
    "sha256": "0" * 64,
}


def address(one: Operation) -> str:
    filled = re.sub(r"\{(\w+)\}", lambda match: PATHS[match[1]], one.path)
    return f"{filled}?sha256={PATHS['sha256']}" if "sha256" in one.parameters else filled


def ids(one: Operation) -> str:
    return one.key


@pytest.mark.parametrize("one", OPERATIONS, ids=ids)
def test_an_operation_is_for_its_scope_and_role_alone(one: Operation) -> None:
    make_published_round(name="shown", scenes=LIFT, configurations=("alpha",))
    everything = [scope.value for scope in Scope]
    others = [scope for scope in everything if scope != one.scope]
    if one.scope:
        answer = Caller(admin(), others).call(one.method, address(one), {})
        assert answer.status_code == 403
        assert one.scope in answer.json()["detail"]
    of_staff = [scope for scope in everything if scope not in {"rounds:write", "spend", "members"}]
    if one.role == "admin" and one.scope in of_staff:
        answer = Caller(staff(), of_staff).call(one.method, address(one), {})
        assert answer.status_code == 403
        assert "Only an admin" in answer.json()["detail"]
    allowed = Caller(admin("eve"), everything).call(one.method, address(one), {})
    assert allowed.status_code not in {401, 403, 405}
    assert allowed.status_code < 500
    body_of(allowed)


@pytest.mark.parametrize("one", OPERATIONS, ids=ids)
def test_no_operation_tells_of_an_open_round_what_its_pages_hide(one: Operation) -> None:
    round_ = make_open_round(name="running", scenes=LIFT, configurations=("gamma", "delta"))
    rae = reviewers_of(round_)[0]
    locked = make_locked_sheet(rae, next_assignment(rae, round_).stimulus)
    caller = Caller(admin())
    path = address(one).replace("/shown", "/running")
    answer = caller.call(one.method, path, {"reason": "curious"} if one.key == "preview" else {})
    body = body_of(answer)
    if one.key in {"list_entries", "list_members"}:
        assert locked.digest.encode() not in body
        assert b"answers" not in body
        return
    joined = list(pairs_of(body.decode()))
    assert not joined, "a stimulus and its configuration in one object"
    assert locked.digest.encode() not in body


def body_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def pairs_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield each stimulus that is said in one object with its configuration."""
    try:
        said = json.loads(text)
    except ValueError:
        return
    keys = {
        key.stimulus_id: key.sample.cell.configuration.name
        for key in BlindingKey.objects.select_related("sample__cell__configuration")
    }
    for part in objects_of(said):
        words = json.dumps(part)
        for stimulus, configuration in keys.items():
            if stimulus in words and configuration in words:
                yield stimulus, configuration


def objects_of(said: Any, above: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Yield each object of a document, with what the objects around it say of themselves."""
    if isinstance(said, list):
        for part in said:
            yield from objects_of(part, above)
        return
    if not isinstance(said, dict):
        yield [said, *above]
        return
    plain = {name: part for name, part in said.items() if not isinstance(part, dict | list)}
    yield [plain, *above]
    for name, part in said.items():
        if isinstance(part, dict | list):
            yield from objects_of(part, (name, plain, *above))


@pytest.mark.parametrize(
    "said",
    [
        {"s": "S1", "c": "alpha"},
        {"s": "S1", "c": "alpha", "files": []},
        {"c": "alpha", "cell": {"s": "S1"}},
        {"items": [{"c": "alpha", "clips": ["S1"]}]},
        {"alpha": {"clip": {"s": "S1"}}},
    ],
)
def test_a_stimulus_is_noticed_beside_and_below_its_configuration(said: Any) -> None:
    assert any("S1" in str(part) and "alpha" in str(part) for part in objects_of(said))


def test_neighbours_in_a_list_are_not_joined() -> None:
    said = {"items": [{"c": "alpha"}, {"s": "S1"}]}
    assert not any("S1" in str(part) and "alpha" in str(part) for part in objects_of(said))


def test_lists_come_in_pages_that_miss_nothing() -> None:
    make_protocol(CORE_R01)
    for number in range(7):
        Round.objects.create(
            name=f"r{number}", protocol=make_protocol(CORE_R01), scene_keys=["r01-lift"]
        )
    caller = Caller(admin())
    names, cursor = [], ""
    while True:
        page = caller.get(f"/rounds?limit=3&cursor={cursor}")
        names += [one["name"] for one in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert names == [f"r{number}" for number in reversed(range(7))]
    for wrong in ("limit=0", "limit=201", "cursor=x", "limit=x"):
        answer = caller.call("GET", f"/rounds?{wrong}")
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == wrong.partition("=")[0]


def ready_round() -> Round:
    round_ = make_open_round(name="running", scenes=LIFT, configurations=("gamma",))
    return Round.objects.get(pk=round_.pk)


def test_a_call_with_the_same_key_is_done_once_and_answered_alike() -> None:
    make_protocol(CORE_R01)
    caller = Caller(admin())
    new = {"name": "own", "protocol": "core-r01@1.0.0", "scenes": LIFT, "replicates": 1}
    first = caller.call("POST", "/rounds", new, **{"idempotency-key": "k"})
    again = caller.call("POST", "/rounds", new, **{"idempotency-key": "k"})
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert again["Idempotency-Replayed"] == "true"
    assert Round.objects.count() == 1
    other = caller.call("POST", "/rounds", new | {"name": "two"}, **{"idempotency-key": "k"})
    assert other.status_code == 422
    assert other.json()["type"].endswith("#key-reused")
    changed = new | {"replicates": 2}
    refused = caller.call("POST", "/rounds", changed, **{"idempotency-key": "another"})
    assert refused.status_code == 422  # the name is taken
    assert KeptAnswer.objects.count() == 1  # a refusal changed nothing and is not kept


def test_what_invites_people_needs_a_key() -> None:
    make_protocol(CORE_R01)
    caller = Caller(admin())
    new = {"name": "own", "protocol": "core-r01@1.0.0", "scenes": LIFT, "replicates": 1}
    caller.post("/rounds", new)
    body = {"emails": [f"r{number}@example.org" for number in range(4)]}
    answer = caller.call("POST", "/rounds/own/steps/set_cohort", body)
    assert (answer.status_code, answer.json()["type"][-12:]) == (400, "#key-missing")
    first = caller.post("/rounds/own/steps/set_cohort", body, **{"idempotency-key": "k"})
    again = caller.post("/rounds/own/steps/set_cohort", body, **{"idempotency-key": "k"})
    assert first["links"] == again["links"]
    stored = KeptAnswer.objects.get().content
    assert all(link["url"] not in stored for link in first["links"])
    without = Caller(admin("eve"), ["rounds:write"])
    answer = without.call("POST", "/rounds/own/steps/set_cohort", body, **{"idempotency-key": "k"})
    assert answer.status_code == 403


def test_a_step_out_of_order_says_which_is_due() -> None:
    ready_round()
    answer = Caller(admin()).call("POST", "/rounds/running/steps/publish", {})
    problem = answer.json()
    assert answer.status_code == 409
    assert problem["due_step"]["words"]
    assert problem["type"].endswith("#step-out-of-order")


@pytest.mark.parametrize(
    ("body", "field"), [({"incompleet": True}, "incompleet"), (b"[]", "body"), (b"{", "body")]
)
def test_a_step_refuses_what_it_does_not_ask_for(body: Any, field: str) -> None:
    ready_round()
    caller = Caller(admin())
    if isinstance(body, bytes):
        answer = caller.client.post(
            "/api/v1/rounds/running/steps/close_round",
            body,
            content_type="application/json",
            headers={"authorization": f"Bearer {caller.text}"},
        )
    else:
        answer = caller.call("POST", "/rounds/running/steps/close_round", body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert Round.objects.get(name="running").closed_at is None


def test_an_unknown_address_is_a_problem_too() -> None:
    answer = Caller(admin()).call("GET", "/nothing/here")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert Caller(admin("eve")).call("PATCH", "/rounds").status_code == 405


def test_the_document_and_the_guide_are_up_to_date() -> None:
    call_command("openapi", "--check")


def test_stimuli_are_nowhere_in_the_document() -> None:
    assert Stimulus.__name__.lower() not in json.dumps(document()["components"]).lower()
