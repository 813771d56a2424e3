"""Every adapter against its stand-in: success, each way to decline, each way to fail, each class of
retry.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from generation.configurations import read_configurations
from generation.prompts.timed import TimedPrompt
from generation.providers.access import SERVICES, access
from generation.providers.contracts import FAL
from generation.providers.order import KeyMissing, Order, RequestRefused
from generation.providers.port import (
    Accepted,
    Failed,
    Fetched,
    NeedsOperator,
    NoAnswer,
    NotTaken,
    Pending,
    Ready,
    Refused,
    Unsure,
)
from generation.providers.registry import REMOTE_KEYS, provider
from generation.providers.rest import _links
from simulation.stand_ins.providers import StandIn
from simulation.stand_ins.providers.ledger import Job

FILES = {loaded.file.provider: loaded.file for loaded in reversed(read_configurations())}
PROVIDERS = sorted(REMOTE_KEYS)
KLING = {
    "mode": "std",
    "duration": "8",
    "aspect_ratio": "16:9",
    "sound": "on",
}  # no configuration uses it directly


def clip_of(job: Job) -> bytes:
    return b"clip of " + job.id.encode() * 400


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with StandIn(clip_of) as running:
        monkeypatch.setenv("STAND_IN_URL", running.url)
        yield running


def order(key: str, **changes: object) -> Order:
    prompts = (TimedPrompt("An adult in a lift."),)
    if key == "kling":
        return Order("kling-v3", KLING, prompts, token="token-1")
    file = FILES[key]
    seed = {"seed_parameter": file.seed.parameter, "seed": 104729} if file.seed else {}
    return Order(file.model_id, file.parameters, prompts, token="token-1", **seed)  # type: ignore[arg-type]


def accepted(key: str) -> Accepted:
    answer = provider(key).submit(provider(key).request(order(key)))
    assert isinstance(answer, Accepted), answer
    return answer


def end(key: str, answer: Accepted) -> object:
    for _ in range(8):
        found = provider(key).look(answer.provider_id, answer.handle)
        if not isinstance(found, Pending | NoAnswer):
            return found
    return found


@pytest.mark.parametrize("key", PROVIDERS)
class TestEveryProvider:
    def test_a_clip_comes_byte_for_byte(self, key: str, stand_in: StandIn, tmp_path: Path) -> None:
        answer = accepted(key)
        found = end(key, answer)
        assert isinstance(found, Ready)
        out = tmp_path / "clip.mp4"
        got = provider(key).fetch(
            answer.provider_id, answer.handle, found.outputs[0], out, lambda _part: None
        )
        (job,) = stand_in.ledger.jobs()
        assert isinstance(got, Fetched)
        assert out.read_bytes() == clip_of(job)
        assert job.prompt == "An adult in a lift."
        assert job.model == order(key).model_id
        assert job.seed == order(key).seed

    @pytest.mark.parametrize(
        "fault", ["refuse_now", "429", "500", "401", "invalid", "retired", "reset", "no_id"]
    )
    def test_an_answer_without_an_id_is_taken_for_what_it_is_after_one_post(
        self, key: str, stand_in: StandIn, fault: str
    ) -> None:
        stand_in.faults.add(key, fault)  # type: ignore[attr-defined]
        answer = provider(key).submit(provider(key).request(order(key)))
        expected = {
            "refuse_now": Refused,
            "429": NotTaken,
            "500": NotTaken,
            "reset": Unsure,
            "no_id": Unsure,
        }
        assert isinstance(answer, expected.get(fault, NeedsOperator)), answer
        assert (stand_in.ledger.submissions[key], stand_in.ledger.jobs()) == (1, [])
        if isinstance(answer, NotTaken):
            assert answer.retry_after_s == (1.0 if fault == "429" else None)
        if fault == "retired":
            assert isinstance(answer, NeedsOperator)
            assert answer.code == "provider_retired"

    def test_an_answer_that_never_comes_leaves_a_doubt_and_no_second_post(
        self, key: str, stand_in: StandIn
    ) -> None:
        stand_in.faults.add(key, "timeout_after_send")  # type: ignore[attr-defined]
        assert isinstance(provider(key).submit(provider(key).request(order(key))), Unsure)
        assert (stand_in.ledger.submissions[key], len(stand_in.ledger.jobs())) == (1, 1)

    @pytest.mark.parametrize("fault", ["refuse_later", "fail", "no_output"])
    def test_an_accepted_job_ends_as_the_provider_ends_it(
        self, key: str, stand_in: StandIn, fault: str
    ) -> None:
        stand_in.faults.add(key, fault)  # type: ignore[attr-defined]
        found = end(key, accepted(key))
        if key == "openai" and fault == "no_output":  # there the file itself is what is missing
            assert isinstance(found, Ready)
        else:
            assert isinstance(found, Refused if fault == "refuse_later" else Failed), found

    @pytest.mark.parametrize("fault", ["look_500", "look_reset"])
    def test_a_look_that_fails_is_no_result(self, key: str, stand_in: StandIn, fault: str) -> None:
        stand_in.faults.add(key, fault)  # type: ignore[attr-defined]
        answer = accepted(key)
        looks = [provider(key).look(answer.provider_id, answer.handle) for _ in range(3)]
        assert any(isinstance(look, NoAnswer) for look in looks)
        assert isinstance(looks[-1], Ready)

    def test_equal_orders_are_equal_requests_whatever_our_name_for_them(self, key: str) -> None:
        first, second = order(key), order(key)
        object.__setattr__(second, "token", "token-2")
        assert provider(key).request(first).sha256 == provider(key).request(second).sha256

    def test_nothing_is_sent_where_nobody_listens(
        self, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with StandIn(clip_of) as gone:
            monkeypatch.setenv("STAND_IN_URL", gone.url)
        assert isinstance(provider(key).submit(provider(key).request(order(key))), NotTaken)

    @pytest.mark.django_db
    def test_a_missing_key_is_named_and_never_shown(
        self, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("STAND_IN_URL", raising=False)
        for name in access_names(key):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(KeyMissing, match=access_names(key)[0]):
            access(key)


def access_names(key: str) -> list[str]:
    return list(SERVICES[key][2])


def test_a_stand_in_is_on_this_machine_or_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_URL", "https://lab.example.org")
    with pytest.raises(KeyMissing, match="loopback"):
        access("fal")


def test_a_key_shows_in_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STAND_IN_URL", raising=False)
    monkeypatch.setenv("FAL_KEY", "sk-very-secret\n")  # as a file holds it
    entry = access("fal")
    assert "sk-very-secret" not in repr(entry)
    assert entry.redacted("Key sk-very-secret is wrong") == "Key ••• is wrong"


def test_the_switches_that_stop_rewriting_and_rerolls_are_sent(stand_in: StandIn) -> None:
    files = {loaded.file.name: loaded.file for loaded in read_configurations()}

    def body(name: str) -> dict[str, object]:
        file = files[name]
        return dict(
            provider(file.provider)
            .request(Order(file.model_id, file.parameters, (TimedPrompt("p"),)))
            .body
        )

    assert body("minimax-h3-max")["promptExpansionMode"] == "disabled"
    assert body("kling-3.0-standard")["negative_prompt"] == ""
    assert body("pixverse-v6")["thinking_type"] == "disabled"
    assert body("veo-3.1")["config"]["enhance_prompt"] is False  # type: ignore[index]
    assert body("veo-3.1")["config"]["number_of_videos"] == 1  # type: ignore[index]
    assert FAL.headers["x-fal-no-retry"] == "1"


def test_an_order_of_several_prompts_is_refused_before_anything_is_sent(stand_in: StandIn) -> None:
    two = Order("m", {}, (TimedPrompt("one"), TimedPrompt("two", 4.0)))
    with pytest.raises(RequestRefused, match="one prompt"):
        provider("fal").request(two)


def test_a_link_on_another_host_is_not_asked_with_our_key(stand_in: StandIn) -> None:
    body = {
        "status_url": "https://elsewhere.example.org/x",
        "response_url": f"{stand_in.url}/fal/y",
    }
    assert _links(body, access("fal")) == {"response_url": f"{stand_in.url}/fal/y"}
