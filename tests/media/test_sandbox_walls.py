"""What a hole in a decoder could not be used for: network, secrets, programs and the disk are out
of reach.
"""

from __future__ import annotations

import importlib
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from fartbench.media import sandbox_policy
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.sandbox import Sandbox
from fartbench.media.sandbox_child import walls_of_the_child
from fartbench.media.sandbox_policy import ORDERS, Order, Policy, needed
from fartbench.media.sandbox_walls import landlock_version
from tests.media import jobs

SECONDS = 60.0
HAS_LANDLOCK = landlock_version() > 0


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def clip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a clip in a folder of its own."""
    monkeypatch.setattr(sandbox_policy, "_ROOTS", set())
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "clip.mp4").write_bytes(b"clip")
    return tmp_path / "clips" / "clip.mp4"


def tried(sandbox: Sandbox, clip: Path, what: str, target: object) -> str:
    found: str = sandbox.call(jobs.attempt, clip, what, f"at {target}", seconds=SECONDS)
    return found


def test_the_child_says_which_walls_stand(sandbox: Sandbox, clip: Path) -> None:
    assert sandbox.call(walls_of_the_child, clip, seconds=SECONDS)["files"] == HAS_LANDLOCK


def test_nothing_listens_that_the_child_can_reach(sandbox: Sandbox, clip: Path) -> None:
    walls = sandbox.call(walls_of_the_child, clip, seconds=SECONDS)
    with socket.create_server(("127.0.0.1", 0)) as server:
        reached = tried(sandbox, clip, "connect", server.getsockname()[1])
    assert (reached == "done") is not walls["network"]
    with socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0fartbench-tests-of-walls")
        abstract.listen()
        reached = tried(sandbox, clip, "connect by name", "fartbench-tests-of-walls")
    assert (reached == "done") is not walls["network"]


# Each test below is about a wall that this kernel has, or else about what is left without it.
def assert_out_of_reach(outcome: str) -> None:
    assert outcome.startswith("done") is not HAS_LANDLOCK, outcome


def test_it_reads_neither_secrets_nor_the_environment_of_its_parent(
    sandbox: Sandbox, clip: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret_key"
    secret.write_text("secret")
    assert_out_of_reach(tried(sandbox, clip, "read", f"{clip.parent}/../secret_key"))
    assert not tried(sandbox, clip, "read", f"/proc/{os.getpid()}/environ").startswith("done")
    assert_out_of_reach(tried(sandbox, clip, "read", "/etc/passwd"))
    assert_out_of_reach(tried(sandbox, clip, "read", Path(settings.BASE_DIR) / "pyproject.toml"))
    assert tried(sandbox, clip, "read", clip).startswith("done"), "its own file"


def test_it_writes_and_removes_nothing(sandbox: Sandbox, clip: Path) -> None:
    assert_out_of_reach(tried(sandbox, clip, "write", clip.parent / "new"))
    assert_out_of_reach(tried(sandbox, clip, "write", Path(settings.DATA_DIR) / "new"))
    other = clip.parent / "other.mp4"
    other.write_bytes(b"other")
    assert_out_of_reach(tried(sandbox, clip, "remove", other))


def test_of_the_systems_temporary_folder_it_has_a_private_part_that_is_emptied_and_removed(
    sandbox: Sandbox, clip: Path
) -> None:
    own = Path(sandbox.call(jobs.left_behind, clip, seconds=SECONDS))
    assert own.parent.parent == Path(tempfile.gettempdir())
    assert own.parent.stat().st_mode & 0o777 == 0o700
    assert list(own.parent.iterdir()) == []
    with tempfile.TemporaryDirectory() as shared:
        assert_out_of_reach(tried(sandbox, clip, "write", Path(shared) / "new"))
    sandbox.close()
    assert not own.parent.exists()


def test_it_starts_no_program_and_signals_no_process(sandbox: Sandbox, clip: Path) -> None:
    assert_out_of_reach(tried(sandbox, clip, "run", sys.executable))
    assert_out_of_reach(tried(sandbox, clip, "run", ffmpeg_binary()))
    if landlock_version() >= 6:
        assert tried(sandbox, clip, "signal", os.getpid()) == "PermissionError"


def test_an_order_that_the_table_allows_it_writes_its_target_and_starts_ffmpeg(
    sandbox: Sandbox, clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ORDERS, "tests.media.jobs:copy_with", Order(writes=(0,), program=1))
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "copy.mp4"
    assert (
        sandbox.call(jobs.copy_with, clip, str(target), str(ffmpeg_binary()), seconds=SECONDS)
        == "ffmpeg"
    )
    assert target.read_bytes() == b"clip"
    assert_out_of_reach(tried(sandbox, clip, "run", sys.executable))


def test_one_child_serves_what_lies_in_registered_folders(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_policy, "_ROOTS", {tmp_path})
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "clip").write_bytes(b"clip")
        assert tried(sandbox, tmp_path / name / "clip", "read", tmp_path / name / "clip") == "done"
        if name == "a":
            first = sandbox.pid
    assert sandbox.pid == first


def test_every_order_of_the_table_is_a_function_that_is_there() -> None:
    for name in ORDERS:
        module, _, function = name.partition(":")
        assert callable(getattr(importlib.import_module(module), function)), name


def test_a_policy_covers_what_lies_below_it() -> None:
    clips = Policy(frozenset({Path("/d/clips")}), frozenset({Path("/d/clips/tmp")}))
    assert clips.covers(Policy(frozenset({Path("/d/clips/ab")})))
    assert clips.covers(
        Policy(frozenset({Path("/d/clips/tmp/x")}), frozenset({Path("/d/clips/tmp/x")}))
    )
    assert not clips.covers(Policy(frozenset({Path("/d")})))
    assert not clips.covers(Policy(frozenset(), frozenset({Path("/d/clips")})))
    assert not clips.covers(Policy(programs=frozenset({Path("/usr/bin/ffmpeg")})))


def test_the_needs_of_an_order_follow_from_the_table(tmp_path: Path) -> None:
    arguments: list[Any] = ["/out/x.mp4", "/usr/bin/ffmpeg", {"a": 1}, 3, "no path"]
    found = needed("blinding.making:_make_normalised_here", Path("/in/clip.mp4"), arguments)
    assert found == Policy(
        frozenset({Path("/in")}), frozenset({Path("/out")}), frozenset({Path("/usr/bin/ffmpeg")})
    )
    other = needed("blinding.leakscan:_scan_here", Path("/in/clip.mp4"), arguments[:1])
    assert other == Policy(frozenset({Path("/in"), Path("/out")}))
