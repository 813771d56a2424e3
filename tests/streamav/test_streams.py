"""A stream over a real WebSocket on loopback: prompts at their time, chunks as they came, a history
that stays.
"""

import itertools
import json
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import av
import numpy as np
import pytest
from websockets.sync.server import serve

from fartbench.media.errors import NotAVideo
from fartbench.media.probe import probe
from generation.prompts.timed import TimedPrompt
from generation.rollouts import streaming
from generation.rollouts.assembling import assemble
from generation.rollouts.geometry import Geometry
from generation.rollouts.log import NAME, LogUnreadable, RolloutLog, read_log
from generation.rollouts.port import NOTHING, Chunk, Ended, Opened, Prompted, StreamOrder, extended
from generation.rollouts.streaming import AlreadyOpened, take_stream
from generation.rollouts.websocket import WebSocketProvider
from measuring.pace import Timing
from measuring.signals import Boundaries, measure_signals
from simulation.local.rollouts import Defect, DefectKind, Fate, RolloutPlan
from simulation.local.rollouts.scenery import TONES
from simulation.stand_ins.providers.streaming import Behaviour, StreamingStandIn

PLAN = RolloutPlan(width=160, height=90, defects=(Defect(DefectKind.BLACK, 6),))
ORDER = StreamOrder(
    "model",
    14.0,
    (TimedPrompt("start"), TimedPrompt("first", 3.0), TimedPrompt("second", 6.0)),
    3,
    "t1",
)


def take(folder: Path, **behaviour) -> tuple[RolloutLog, list[dict]]:
    with StreamingStandIn(Behaviour(**{"plan": PLAN} | behaviour)) as stand_in:
        return take_stream(WebSocketProvider(stand_in.url, next_s=10), ORDER, folder), stand_in.seen


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RolloutLog, Path]:
    folder = tmp_path_factory.mktemp("stream")
    log, seen = take(folder / "chunks", fates=(Fate.FOLLOWED, Fate.IGNORED))
    assert [order["token"] for order in seen] == ["t1"]
    assemble(folder / "chunks", folder / "rollout.mp4")
    return folder / "chunks", log, folder / "rollout.mp4"


def test_chunks_and_boundaries_are_logged_as_they_came(whole):
    folder, log, _ = whole
    assert (log.outcome, log.frames, log.provider_id) == ("whole", 14 * 24, "stream-1")
    assert log.boundaries == Geometry(25, 24, 24).boundaries(14 * 24)
    assert [chunk.frames for chunk in log.chunks] == [25, *[24] * 12, 23]
    walls = [chunk.wall_s for chunk in log.chunks]
    assert walls == sorted(walls)
    assert 0 < log.first_chunk_s < walls[-1] <= log.wall_s
    assert log.history != NOTHING
    assert read_log(folder) == log


def test_a_prompt_is_given_at_the_first_chunk_that_begins_at_its_time_or_later(whole):
    _, log, _ = whole
    assert [(one.step, one.due_s, one.media_s) for one in log.prompts] == [
        ("P1", 3.0, 73 / 24),
        ("P2", 6.0, 145 / 24),
    ]
    before = {chunk.ends_s: chunk.wall_s for chunk in log.chunks}
    after = {chunk.starts_s: chunk.wall_s for chunk in log.chunks}
    for prompt in log.prompts:
        assert before[prompt.media_s] <= prompt.wall_s <= after[prompt.media_s]


def test_the_joined_file_holds_the_very_pictures_of_the_chunks_and_the_sound_without_gaps(whole):
    folder, log, path = whole
    facts = probe(path)
    assert (facts.frame_count, facts.frame_rate, facts.duration_s) == (14 * 24, "24/1", 14.0)

    def pictures(file: Path) -> list[bytes]:
        with av.open(str(file)) as container:
            return [frame.to_ndarray().tobytes() for frame in container.decode(video=0)]

    assert pictures(path) == [one for chunk in log.chunks for one in pictures(folder / chunk.file)]
    with av.open(str(path)) as container:
        wave = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])

    def tone(step: int, at_s: float) -> float:
        piece = wave[round(at_s * 48_000) :][:24_000]
        return 2 * abs(
            np.mean(piece * np.exp(-2j * np.pi * TONES[step - 1] * np.arange(24_000) / 48_000))
        )

    level = [
        float(np.sqrt(np.mean(np.square(part)))) for part in np.split(wave[: 13 * 48_000], 13 * 20)
    ]
    assert min(level[1:]) > 0.04
    assert [tone(1, at) > 0.1 for at in (4, 6, 12)] == [False, True, True]
    assert tone(2, 12) < 0.03


def test_signals_are_measured_at_logged_boundaries_with_the_logs_times(whole):
    _, log, path = whole
    found = measure_signals(
        path,
        boundaries=Boundaries(tuple(log.boundaries), "logged"),
        timing=Timing(log.frames, log.wall_s, log.first_chunk_s),
    )
    continuity, fps, first = found.measurements
    assert [one.status for one in found.measurements] == ["computed"] * 3
    assert (fps.value, first.value) == (pytest.approx(log.frames / log.wall_s), log.first_chunk_s)
    black = PLAN.geometry.boundaries(14 * 24)[6] / 24
    worst = min(found.native, key=lambda window: (window.score, abs(window.at_s - black)))
    assert worst.at_s == pytest.approx(black)
    assert worst.black == pytest.approx(4 / 32)
    assert continuity.evidence["source"] == "logged"


@pytest.mark.parametrize(
    ("behaviour", "outcome", "reason", "chunks"),
    [
        ({"refuse": "moderation"}, "refused", "moderation", 0),
        ({"break_after": 3}, "broken", "the connection was closed", 3),
        ({"wrong_hash_at": 2}, "broken", "chunk 2 is not what its hash says", 2),
    ],
)
def test_what_goes_wrong_is_an_outcome_and_what_had_come_stays(
    tmp_path, behaviour, outcome, reason, chunks
):
    log, _ = take(tmp_path / "s", **behaviour)
    assert (log.outcome, len(log.chunks)) == (outcome, chunks)
    assert reason in log.reason
    assert len(list((tmp_path / "s").glob("chunk-*"))) == chunks
    assert log.first_chunk_s is None or chunks


class Scripted:
    """A provider that sends what it is told, right or wrong."""

    key = client = "scripted"

    def __init__(self, *events) -> None:
        self.script, self.said = events, []

    @contextmanager
    def open(self, order):
        yield self

    def events(self):
        yield Opened("1", None)
        yield from self.script

    def commit(self, index: int, history: str) -> None:
        self.said.append(("commit", index))

    def prompt(self, step: str, text: str, history: str) -> None:
        self.said.append(("prompt", step, text))


def piece(index: int, starts_s: float, ends_s: float, frames: int = 24) -> Chunk:
    return Chunk(index, frames, starts_s, ends_s, b"bytes")


AFTER = extended(NOTHING, piece(0, 0, 4).sha256)


@pytest.mark.parametrize(
    ("events", "reason", "kept"),
    [
        ([piece(0, 0, 1), piece(2, 1, 2)], "chunk 2 at 1 s came after 1 of 1 s", 1),
        ([piece(0, 0, 1), piece(0, 0, 1)], "chunk 0 at 0 s came after 1", 1),
        ([piece(0, 0, 1), piece(1, 3, 4)], "chunk 1 at 3 s came after 1 of 1 s", 1),
        ([piece(0, 0, 1, 0)], "chunk 0 is empty", 0),
        ([piece(0, 0, 4), Prompted("P1", 4, NOTHING)], "P1 was taken on another history", 1),
        ([Prompted("P7", 0, NOTHING)], "P7 was taken and never given", 0),
        (
            [piece(0, 0, 4), Prompted("P1", 3.5, AFTER)],
            "P1 was taken for 3.5 s, and 4 s were made already",
            1,
        ),
        ([piece(0, 0, 4), Prompted("P1", 14.5, AFTER)], "P1 was taken for 14.5 s", 1),
        (
            [piece(0, 0, 4), piece(1, 4, 14), Ended()],
            "it ended, and P1 was given and never taken",
            2,
        ),
        ([piece(0, 0, 1), piece(1, 1.06, 2)], "chunk 1 at 1.06 s came after 1 of 1 s", 1),
        ([piece(0, 0, 13), Ended()], "it ended at 13 of 14 s", 1),
    ],
)
def test_what_a_provider_does_out_of_turn_breaks_the_stream_and_is_said(
    tmp_path, events, reason, kept
):
    log = take_stream(Scripted(*events), ORDER, tmp_path)
    assert (log.outcome, len(log.chunks)) == ("broken", kept)
    assert reason in log.reason


def test_every_prompt_that_is_due_is_given_before_the_chunk_is_committed(tmp_path):
    pieces = [piece(0, 0, 2, 48), piece(1, 2, 7, 120), piece(2, 7, 14, 168)]
    history = extended(extended(NOTHING, pieces[0].sha256), pieces[1].sha256)
    taken = [Prompted(step, 7.0, history) for step in ("P1", "P2")]
    source = Scripted(*pieces[:2], *taken, pieces[2], Ended())
    assert take_stream(source, ORDER, tmp_path).outcome == "whole"
    assert source.said == [
        ("commit", 0), ("prompt", "P1", "first"), ("prompt", "P2", "second"), ("commit", 1),
        ("commit", 2),
    ]  # fmt: skip


def test_nothing_comes_before_a_stream_is_open(tmp_path):
    source = Scripted()
    source.events = lambda: iter([piece(0, 0, 1)])
    log = take_stream(source, ORDER, tmp_path)
    assert (log.outcome, log.reason) == ("broken", "chunk 0 came before the stream was opened")


def test_no_connection_is_a_broken_stream_with_its_reason(tmp_path):
    log = take_stream(WebSocketProvider("ws://127.0.0.1:1"), ORDER, tmp_path)
    assert (log.outcome, log.chunks) == ("broken", ())
    assert "there was no connection" in log.reason


def test_a_stream_is_never_opened_twice_in_one_place(tmp_path):
    take(tmp_path, refuse="no")
    with StreamingStandIn(Behaviour(PLAN)) as stand_in:
        with pytest.raises(AlreadyOpened, match="bought once"):
            take_stream(WebSocketProvider(stand_in.url), ORDER, tmp_path)
        assert stand_in.seen == []


def test_a_stream_that_we_left_keeps_what_had_come_and_a_torn_last_line_is_left_out(tmp_path):
    class Killed(BaseException):
        pass

    ticks = itertools.count()

    def clock() -> float:
        if next(ticks) == 4:
            raise Killed
        return 0.0

    with StreamingStandIn(Behaviour(PLAN)) as stand_in, pytest.raises(Killed):
        take_stream(WebSocketProvider(stand_in.url), ORDER, tmp_path, clock=clock)
    with (tmp_path / NAME).open("a") as file:
        file.write('{"kind": "chu')
    log = read_log(tmp_path)
    assert (log.outcome, len(log.chunks)) == ("cut", 2)
    assert assemble(tmp_path, tmp_path / "part.mp4") == log
    assert probe(tmp_path / "part.mp4").frame_count == 49


def test_a_client_whose_history_differs_is_told_so():
    from websockets.sync.client import connect  # noqa: PLC0415 - the wire itself, by hand

    plain = Behaviour(RolloutPlan(width=64, height=36))
    with StreamingStandIn(plain) as stand_in, connect(stand_in.url, proxy=None) as socket:
        socket.send(json.dumps({"type": "open", "seconds": 3.0, "prompt": "x", "seed": 1}))
        assert json.loads(socket.recv())["geometry"] == {"first": 25, "next": 24, "frame_rate": 24}
        socket.recv(), socket.recv()
        socket.send(json.dumps({"type": "commit", "index": 0, "history": NOTHING}))
        assert json.loads(socket.recv()) == {"type": "error", "reason": "your history is not mine"}


def test_a_chunk_that_is_no_video_is_refused_and_nothing_is_written(tmp_path):
    log, _ = take(tmp_path, break_after=2)
    (tmp_path / log.chunks[1].file).write_bytes(b"no video")
    with pytest.raises(NotAVideo.__mro__[1]):
        assemble(tmp_path, tmp_path / "out.mp4")
    assert not (tmp_path / "out.mp4").exists()


def test_a_log_of_which_not_even_the_first_line_was_written_is_of_a_stream_that_was_cut(tmp_path):
    (tmp_path / NAME).write_text('{"kind": "sen', encoding="utf-8")
    log = read_log(tmp_path)
    assert (log.outcome, log.chunks) == ("cut", ())


def test_a_log_that_is_none_is_refused(tmp_path):
    with pytest.raises(LogUnreadable):
        read_log(tmp_path)


def test_prompts_out_of_order_are_refused():
    for times in ((1.0,), (0.0, 5.0, 5.0), (0.0, 9.0, 6.0), (0.0, 14.0), ()):
        with pytest.raises(ValueError, match="in order"):
            StreamOrder("m", 14.0, tuple(TimedPrompt("x", at) for at in times))


@pytest.mark.parametrize(
    "message",
    [
        "no JSON",
        "[" * 100_000,
        '{"type": ["opened"]}',
        '{"type": "opened", "id": "1", "geometry": {"first": 1e999, "next": 1, "frame_rate": 1}}',
        '{"type": "prompted", "step": "P1", "media_s": NaN, "history": ""}',
        '{"type": "prompted", "step": "P1", "media_s": 1e20, "history": ""}',
        '{"type": "error", "reason": "\\u0000' + "x" * 100_000 + '"}',
        '{"type": "opened", "id": "1", "geometry": {"first": 1.5, "next": 1, "frame_rate": true}}',
    ],
)
def test_messages_that_make_no_sense_break_a_stream_in_few_words(tmp_path, message):
    def speak(connection):
        connection.recv()
        connection.send(message)

    with serve(speak, "127.0.0.1", 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        log = take_stream(
            WebSocketProvider(f"ws://127.0.0.1:{port}", next_s=10), ORDER, tmp_path / "s"
        )
        server.shutdown()
    assert (log.outcome, log.chunks) == ("broken", ())
    assert 0 < len(log.reason) < 1100


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        (itertools.repeat(Opened("1", None)), "opened twice"),
        (
            (piece(number, number / 1e6, (number + 1) / 1e6, 24) for number in itertools.count()),
            "more pictures than fit",
        ),
        ([piece(0, 0, 15.0), piece(1, 15.0, 16.0)], "more than was asked for"),
        (
            [
                piece(0, 0, 4.0),
                *[Prompted("P1", 4.0, extended(NOTHING, piece(0, 0, 4.0).sha256))] * 2,
            ],
            "never given",
        ),
    ],
)
def test_a_stream_without_end_is_ended(tmp_path, events, reason):
    log = take_stream(Scripted(*itertools.islice(events, 5)), ORDER, tmp_path / "s")
    assert log.outcome == "broken"
    assert reason in log.reason


def test_a_stream_takes_no_more_than_its_time_and_size(tmp_path, monkeypatch):
    clock = itertools.count(0, 1000).__next__
    slow = take_stream(
        Scripted(*[piece(n, n, n + 1.0) for n in range(14)]), ORDER, tmp_path / "slow", clock=clock
    )
    assert "went on for more than 3600 s" in slow.reason
    monkeypatch.setattr(streaming, "MOST_BYTES", 12)
    large = take_stream(
        Scripted(*[piece(n, n, n + 1.0) for n in range(14)]), ORDER, tmp_path / "large"
    )
    assert (len(large.chunks), large.outcome) == (2, "broken")
