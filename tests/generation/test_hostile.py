"""Providers that nobody vouches for: whatever they send, nothing is bought twice, no key gets out,
nothing hangs.
"""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from generation.providers import download as downloads
from generation.providers import exchange
from generation.providers.access import Access
from generation.providers.download import download
from generation.providers.port import Fetched, Gone, NeedsOperator, NoAnswer, Submitted, Unsure
from generation.providers.registry import provider
from tests.generation.hostile import (
    KEY,
    Act,
    Handler,
    Hostile,
    accepted,
    dripping,
    hinting,
    hostile,
)
from tests.generation.test_adapters import PROVIDERS, order


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hostile]:
    with hostile(monkeypatch) as running:
        yield running


@pytest.fixture
def elsewhere() -> Iterator[Hostile]:
    with Hostile(lambda handler: handler.say(accepted("stolen"))) as running:
        yield running


def submitted(key: str) -> Submitted:
    return provider(key).submit(provider(key).request(order(key)))


def deep(handler: Handler) -> None:
    handler.raw(b'{"id": ' + b"[" * 200_000 + b"]" * 200_000 + b"}")


def twice_packed(handler: Handler) -> None:
    packed = gzip.compress(gzip.compress(b" " * 1_000_000))
    handler.raw(packed, Content_Encoding="gzip, gzip")


def cut_short(handler: Handler) -> None:
    handler.raw(b'{"id": "1"', Content_Length="5000")


NO_ANSWERS: dict[str, Act] = {
    "garbage": lambda handler: handler.raw(b"\x00\xff<html>"),
    "empty": lambda handler: handler.raw(b""),
    "deep": deep,
    "list": lambda handler: handler.say([1, [2]]),
    "number": lambda handler: handler.raw(b"1" * 5000),
    "nan": lambda handler: handler.raw(b"NaN"),
    "packed": twice_packed,
    "bomb": lambda handler: handler.raw(gzip.compress(b" " * 10_000_000), Content_Encoding="gzip"),
    "no gzip": lambda handler: handler.raw(b"no gzip at all", Content_Encoding="gzip"),
    "charset": lambda handler: handler.raw(
        b"\xff\xfe", Content_Type="application/json; charset=hex"
    ),
    "short": cut_short,
    "303": lambda handler: handler.say({}, 303, Location="http://127.0.0.1:9/"),
    "999": lambda handler: handler.say({}, 999),
}


@pytest.mark.parametrize("key", PROVIDERS)
class TestEveryProvider:
    def test_an_answer_that_makes_no_sense_leaves_a_doubt_after_one_post(
        self, key: str, server: Hostile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(exchange, "MOST_BYTES", 1_000_000)
        for posts, (kind, server.act) in enumerate(NO_ANSWERS.items(), 1):
            assert isinstance(submitted(key), Unsure), kind
            assert server.posts == len(server.asked) == posts, kind

    @pytest.mark.parametrize("act", [dripping, hinting])
    def test_an_answer_without_end_is_cut_off(
        self, key: str, act: Act, server: Hostile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(exchange, "SECONDS_TO_ANSWER", 0.1)
        monkeypatch.setattr(exchange, "MOST_BYTES", 1 << 60)
        monkeypatch.setattr(exchange, "MOST_BYTES_WITH_CLIP", 1 << 60)
        server.act = act
        assert isinstance(submitted(key), Unsure)
        assert server.posts == 1
        assert isinstance(provider(key).look("id", {}), NoAnswer)

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_a_redirect_is_not_followed_with_the_key(
        self, key: str, status: int, server: Hostile, elsewhere: Hostile
    ) -> None:
        server.act = lambda handler: handler.say({}, status, Location=f"{elsewhere.url}/x")
        answer = submitted(key)
        assert isinstance(answer, NeedsOperator if status > 302 else Unsure)
        assert isinstance(provider(key).look("id", {}), NoAnswer)
        assert (elsewhere.asked, server.posts) == (
            [],
            1 + (key == "vertex"),
        )  # whose looks are posts too

    def test_a_look_that_makes_no_sense_is_no_result(
        self, key: str, server: Hostile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(exchange, "MOST_BYTES", 1_000_000)
        monkeypatch.setattr(exchange, "MOST_BYTES_WITH_CLIP", 1_000_000)
        for kind, server.act in NO_ANSWERS.items():
            assert isinstance(provider(key).look("id", {}), NoAnswer), kind


class TestDownloads:
    def from_(
        self, url: str, out: Path, base: str = "", headers: dict[str, str] | None = None
    ) -> object:
        return download(Access(base or url, {}), url, out, lambda _part: None, headers)

    def test_a_link_may_lead_on_and_the_key_does_not_go_along(
        self, server: Hostile, elsewhere: Hostile, tmp_path: Path
    ) -> None:
        server.act = lambda handler: handler.say({}, 302, Location=f"{elsewhere.url}/clip")
        elsewhere.act = lambda handler: handler.raw(b"clip")
        headers = {"Authorization": KEY}
        got = self.from_(
            f"{server.url}/openai/x", tmp_path / "clip", f"{server.url}/openai", headers
        )
        assert isinstance(got, Fetched)
        assert (tmp_path / "clip").read_bytes() == b"clip"
        assert (KEY in server.headers[0], KEY in elsewhere.headers[0]) == (True, False)

    def test_a_link_that_leads_in_circles_is_given_up(
        self, server: Hostile, tmp_path: Path
    ) -> None:
        server.act = lambda handler: handler.say(
            {}, 302, Location=f"{server.url}/{len(server.asked)}"
        )
        assert isinstance(self.from_(server.url, tmp_path / "clip"), Gone)
        assert len(server.asked) == 6

    @pytest.mark.parametrize(
        "address",
        [
            "127.0.0.1",
            "10.0.0.7",
            "169.254.169.254",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "localhost",
            "a.localhost",
            "192.168.1.1",
        ],
    )
    def test_no_link_leads_into_this_network(
        self, address: str, server: Hostile, tmp_path: Path
    ) -> None:
        url = f"http://{address}:{server.url.rpartition(':')[2]}/clip"
        got = self.from_(url, tmp_path / "clip", "https://api.example.org")
        assert isinstance(got, Gone)
        assert "not a public address" in got.reason
        assert server.asked == []

    def test_a_name_that_stands_for_this_machine_is_found_out(
        self, server: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ask = socket.getaddrinfo
        monkeypatch.setattr(
            socket, "getaddrinfo", lambda _host, *args, **more: ask("127.0.0.1", *args, **more)
        )
        for name in (
            "http_proxy",
            "https_proxy",
            "all_proxy",
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
        ):
            monkeypatch.delenv(name, raising=False)
        url = f"http://clips.example.org:{server.url.rpartition(':')[2]}/clip"
        assert isinstance(self.from_(url, tmp_path / "clip", "https://api.example.org"), Gone)
        assert server.asked == []

    @pytest.mark.parametrize(
        "link", ["file:///etc/passwd", "ftp://x/", "//x/y", "http://", "data:,x", "", "http:x"]
    )
    def test_what_is_no_web_address_is_not_opened(
        self, link: str, server: Hostile, tmp_path: Path
    ) -> None:
        assert isinstance(self.from_(link, tmp_path / "clip", server.url), Gone)
        server.act = lambda handler: handler.say({}, 302, Location=link or "file:///etc/passwd")
        assert isinstance(self.from_(server.url, tmp_path / "clip"), Gone | NoAnswer)
        assert not (tmp_path / "clip").exists()

    @pytest.mark.parametrize(
        "link", ["http://[", "http://x:99999999/", "http://\x00/", "http://" + "x" * 70_000]
    )
    def test_a_link_that_cannot_be_read_is_no_clip(
        self, link: str, server: Hostile, tmp_path: Path
    ) -> None:
        assert isinstance(self.from_(link, tmp_path / "clip", server.url), Gone | NoAnswer)

    def test_a_file_without_end_is_cut_off(
        self, server: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server.act = dripping
        monkeypatch.setattr(downloads, "SECONDS_IN_ALL", 0.1)
        assert isinstance(self.from_(server.url, tmp_path / "clip"), NoAnswer)

    @pytest.mark.parametrize("headers", [{}, {"Content_Encoding": "gzip"}])
    def test_a_file_of_any_size_is_not_kept(
        self,
        headers: dict[str, str],
        server: Hostile,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(downloads, "MAX_BYTES", 1 << 16)
        data = b"x" * (1 << 18)
        server.act = lambda handler: handler.raw(
            gzip.compress(data) if headers else data, **headers
        )
        got = self.from_(server.url, tmp_path / "clip")
        assert isinstance(got, Gone)
        assert "larger than 65536 bytes" in got.reason
        assert (tmp_path / "clip").stat().st_size <= 1 << 16
