"""A stand-in for a model that streams: a WebSocket on loopback, pictures from the local renderer.
No Django here.

It makes a chunk only after the one before was committed, follows each prompt as its plan says, and
carries the same chained hash of what was committed as its client does.
"""

from __future__ import annotations

import hashlib
import io
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Self

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.video.frame import VideoFrame
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from generation.rollouts.port import NOTHING, extended
from simulation.local.rollouts import Fate, Response, RolloutPlan
from simulation.local.rollouts.scenery import RATE, Scenery

CODING = {"preset": "ultrafast", "crf": "20", "bf": "0", "threads": "1"}


@dataclass(frozen=True)
class Behaviour:
    """How the stand-in acts: which plan it draws, how it follows prompts (the last fate holds on),
    and its faults.

    ``chunk_s`` is how long it takes over each chunk; ``break_after`` chunks it drops the
    connection; ``says_geometry`` is whether it tells how its chunks are.
    """

    plan: RolloutPlan = field(default_factory=RolloutPlan)
    fates: Sequence[Fate] = (Fate.FOLLOWED,)
    refuse: str = ""
    break_after: int | None = None
    wrong_hash_at: int | None = None
    says_geometry: bool = True
    chunk_s: float = 0.0


@dataclass
class StreamingStandIn:
    """A running stand-in. Use as a context manager; ``url`` is its address, ``seen`` the orders it
    took.
    """

    behaviour: Behaviour = field(default_factory=Behaviour)
    port: int = 0
    seen: list[dict[str, Any]] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._numbers = count(1)
        self._server = serve(self._speak, "127.0.0.1", self.port, compression=None)
        self.url = f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="streaming-stand-in", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()

    def _speak(self, socket: ServerConnection) -> None:
        try:
            _Speaking(self, socket, f"stream-{next(self._numbers)}").speak(
                json.loads(socket.recv())
            )
        except ConnectionClosed:
            return


class _Speaking:
    """One connection."""

    def __init__(
        self, stand_in: StreamingStandIn, socket: ServerConnection, provider_id: str
    ) -> None:
        self._stand_in, self._socket, self._id = stand_in, socket, provider_id
        self._behaviour = stand_in.behaviour
        self._history = NOTHING
        self._responses: list[Response] = []

    def speak(self, order: dict[str, Any]) -> None:
        """Answer an order to its end."""
        self._stand_in.seen.append(order)
        behaviour = self._behaviour
        if behaviour.refuse:
            self._send(type="refused", reason=behaviour.refuse)
            return
        plan = replace(
            behaviour.plan, seconds=order["seconds"], seed=order.get("seed") or behaviour.plan.seed
        )
        shape = plan.geometry
        geometry = {"first": shape.first, "next": shape.next, "frame_rate": shape.frame_rate}
        self._send(
            type="opened", id=self._id, geometry=geometry if behaviour.says_geometry else None
        )
        scenery, starts = Scenery(plan), [0, *plan.boundaries]
        for index, (start, stop) in enumerate(zip(starts, [*starts[1:], plan.frames], strict=True)):
            if index == behaviour.break_after:
                self._socket.close(1011, "out of memory")
                return
            time.sleep(behaviour.chunk_s)
            if not self._chunk(
                index, encoded(scenery, start, stop, tuple(self._responses)), start, stop
            ):
                return
        self._send(type="end")

    def _chunk(self, index: int, data: bytes, start: int, stop: int) -> bool:
        """Send a chunk and wait until it is committed; take prompts in the meantime.

        Say whether all agrees.
        """
        rate = self._behaviour.plan.geometry.frame_rate
        sha256 = hashlib.sha256(data).hexdigest()
        said = NOTHING if index == self._behaviour.wrong_hash_at else sha256
        times = {"starts_s": start / rate, "ends_s": stop / rate}
        self._send(type="chunk", index=index, frames=stop - start, sha256=said, **times)
        self._socket.send(data)
        self._history = extended(self._history, sha256)
        while True:
            message = json.loads(self._socket.recv())
            if message["history"] != self._history:
                self._send(type="error", reason="your history is not mine")
                return False
            if message["type"] == "commit":
                return True
            self._prompted(message["step"], stop / rate)

    def _prompted(self, step: str, media_s: float) -> None:
        number, fates = int(step[1:]), self._behaviour.fates
        self._responses.append(Response(number, media_s, fates[min(number, len(fates)) - 1]))
        self._send(type="prompted", step=step, media_s=media_s, history=self._history)

    def _send(self, **message: Any) -> None:
        self._socket.send(json.dumps(message))


def encoded(scenery: Scenery, start: int, stop: int, responses: tuple[Response, ...]) -> bytes:
    """Return pictures ``start`` to ``stop`` with their sound as a MOV file of its own: H.264 and
    plain samples.
    """
    plan, rate = scenery.plan, scenery.plan.geometry.frame_rate
    out = io.BytesIO()
    with av.open(out, "w", format="mov") as container:
        video = container.add_stream("libx264", rate=rate, options=CODING)
        video.width, video.height, video.pix_fmt = plan.width, plan.height, "yuv420p"
        audio = container.add_stream("pcm_s16le", rate=RATE, layout="mono")
        for place in range(start, stop):
            flat = scenery.picture(place, responses)
            frame = VideoFrame.from_ndarray(
                flat.reshape(plan.height * 3 // 2, plan.width), format="yuv420p"
            )
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        wave = scenery.sound(round(start / rate * RATE), round(stop / rate * RATE), responses)
        samples = np.round(wave * 32767).astype(np.int16)[None]
        sound = AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        sound.sample_rate = RATE
        container.mux(audio.encode(sound))
        container.mux(audio.encode(None))
    return out.getvalue()
