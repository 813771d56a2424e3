"""Chunks that are not what a stream said of them: they make no rollout, and the reason names the
chunk.
"""

from __future__ import annotations

import io
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import av
import numpy as np
import pytest
from av.video.frame import VideoFrame

from fartbench.media.errors import NotAVideo
from fartbench.media.probe import probe
from generation.providers import streams
from generation.providers.port import Failed, Fetched
from generation.providers.streams import FOLDER, WebSocketStreams
from generation.rollouts.assembling import assemble
from generation.rollouts.log import ChunkRecord, LogWriter

SIZE = (64, 48)
RATE = 24


def coded(
    pictures: int,
    *,
    size: tuple[int, int] = SIZE,
    reordered: int = 0,
    kind: str = "mov",
    tone: int = 0,
) -> bytes:
    """Return a chunk of gray pictures, each a shade of its own; ``reordered`` lets the coder look
    ahead.
    """
    out = io.BytesIO()
    with av.open(out, "w", format=kind) as container:
        video = container.add_stream(
            "libx264", rate=RATE, options={"preset": "ultrafast", "bf": str(reordered)}
        )
        video.width, video.height, video.pix_fmt = *size, "yuv420p"
        for number in range(pictures):
            plane = np.full((size[1] * 3 // 2, size[0]), 128, np.uint8)
            plane[: size[1]] = 20 + (tone + number) * 3
            container.mux(video.encode(VideoFrame.from_ndarray(plane, format="yuv420p")))
        container.mux(video.encode(None))
    return out.getvalue()


def stream(folder: Path, chunks: list[tuple[bytes, int, float]]) -> Path:
    """Write a stream that came whole: of each chunk its bytes, how many pictures it said, how many
    seconds.
    """
    folder.mkdir()
    log, at = LogWriter(folder), 0.0
    log.write("sent", client="test", token="t")
    for index, (data, frames, seconds) in enumerate(chunks):
        name = f"chunk-{index:05d}.mov"
        (folder / name).write_bytes(data)
        log.write(
            "chunk",
            **asdict(ChunkRecord(index, frames, at, at + seconds, index + 1.0, "0" * 64, name)),
        )
        at += seconds
    log.write("end", outcome="whole", reason="", wall_s=9.0)
    log.close()
    return folder


GOOD = (coded(12), 12, 0.5)


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ((coded(12), 24, 0.5), "chunk-00001 has 12 frames; the stream announced 24"),
        ((coded(12), 6, 0.5), "chunk-00001 has 12 frames; the stream announced 6"),
        ((coded(12, size=(96, 64)), 12, 0.5), "coded in another way"),
        ((b"", 12, 0.5), "chunk-00001 cannot be read"),
        ((b"no video at all", 12, 0.5), "chunk-00001 cannot be read"),
        ((coded(12)[:300], 12, 0.5), "chunk-00001 cannot be read"),
        ((coded(12, kind="matroska"), 12, 0.5), "chunk-00001 cannot be read"),
        ((coded(12), 12, 0.9), "chunk-00001 comes with pictures at another rate"),
    ],
)
def test_a_chunk_that_is_not_what_was_said_fails_the_rollout_and_is_named(
    tmp_path: Path, second: tuple[bytes, int, float], words: str
) -> None:
    folder = stream(tmp_path / "s", [GOOD, second])
    with pytest.raises(NotAVideo, match=words):
        assemble(folder, tmp_path / "out.mp4")
    assert {path.name for path in tmp_path.iterdir()} == {"s"}


def test_pictures_that_are_coded_out_of_their_order_are_joined_in_it(tmp_path: Path) -> None:
    chunks = [(coded(12, reordered=2, tone=12 * turn), 12, 0.5) for turn in range(3)]
    assemble(stream(tmp_path / "s", chunks), tmp_path / "out.mp4")
    facts = probe(tmp_path / "out.mp4")
    assert (facts.frame_count, facts.frame_rate, facts.duration_s) == (36, "24/1", 1.5)
    with av.open(str(tmp_path / "out.mp4")) as container:
        frames = list(container.decode(video=0))
    shades = [frame.to_ndarray()[: SIZE[1]].mean() for frame in frames]
    assert shades == pytest.approx([20 + 3 * number for number in range(36)], abs=2)
    times = [Fraction(frame.pts) * frame.time_base for frame in frames]
    assert [at - times[0] for at in times] == [Fraction(number, RATE) for number in range(36)]


def test_a_stream_whose_chunks_make_no_rollout_is_a_failure_and_is_not_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        streams, "access", lambda key: SimpleNamespace(base_url=f"ws://127.0.0.1:1/{key}")
    )
    folders = {name: stream(tmp_path / name, [GOOD, second]) for name, second in {
        "odd": (coded(12), 24, 0.5), "good": GOOD,
    }.items()}  # fmt: skip
    found = {
        name: WebSocketStreams().make({FOLDER: str(folder)}, tmp_path / f"{name}.mp4", print)
        for name, folder in folders.items()
    }
    assert isinstance(found["good"], Fetched)
    assert isinstance(found["odd"], Failed)
    assert "its chunks make no rollout: odd: chunk-00001 has 12 frames" in found["odd"].reason
