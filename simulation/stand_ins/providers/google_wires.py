"""How Google's two services speak: Gemini Interactions, and Veo on Vertex. No Django here.

Sources: recorded exchanges of the SDK and the API references, read in November 2026.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any

from generation.providers.answers import at
from simulation.stand_ins.providers.ledger import Job
from simulation.stand_ins.providers.wire import (
    BROKE,
    DECLINED,
    Answer,
    Phase,
    Wire,
    fault,
    plain_error,
)


# --- Gemini Interactions
# ----------------------------------------------------------------------
def _gemini_read(body: Mapping[str, Any], _path: str) -> tuple[str, str, int | None, str]:
    return (
        str(body["model"]),
        str(body["input"]),
        at(body, "generation_config.seed"),
        str(at(body, "labels.attempt") or ""),
    )


def _gemini_state(job: Job, phase: Phase, urls: list[str], clip: Callable[[], bytes]) -> Answer:
    names = {
        "waiting": "queued",
        "working": "in_progress",
        "made": "completed",
        "empty": "completed",
    }
    body: dict[str, Any] = _gemini_accepted(job, "") | {"status": names.get(phase, "failed")}
    if phase == "made":
        video = {
            "type": "video",
            "mime_type": "video/mp4",
            "data": base64.b64encode(clip()).decode(),
        }
        body["steps"] = [{"type": "model_output", "content": [video] * max(1, len(urls))}]
        body["usage"] = {
            "total_input_tokens": 200,
            "total_output_tokens": 46_000,
            "total_tokens": 46_200,
        }
    if phase in ("failed", "refused"):
        code, words = fault(phase, "safety", "internal")
        body["errors"] = [{"code": code, "message": words}]
    return 200, body


def _gemini_accepted(job: Job, _base: str) -> dict[str, Any]:
    model = job.model
    if job.fault == "wrong_model":
        model = "another-model"
    times = {"created": "2026-11-30T00:00:00Z", "updated": "2026-11-30T00:00:00Z"}
    return {"id": job.id, "object": "interaction", "status": "in_progress", "model": model, **times}


GEMINI = Wire(
    key="gemini", submit=r"/v1(?:beta)?/interactions",
    look=r"/v1(?:beta)?/interactions/(?P<id>[^/]+)",
    read=_gemini_read, accepted=_gemini_accepted, state=_gemini_state,
    declined=lambda: (400, {"error": {"code": "prohibited_content", "message": "Input blocked: "
                                                                               f"{DECLINED}"}}),
    error=plain_error,
)  # fmt: skip


# --- Veo on Vertex
# ----------------------------------------------------------------------
_VERTEX = r"/v1(?:beta1)?/projects/[^/]+/locations/[^/]+/publishers/google/models/(?P<model>[^:]+)"


def _vertex_read(body: Mapping[str, Any], path: str) -> tuple[str, str, int | None, str]:
    model = re.search(r"/models/([^:]+):", path)
    tag = at(body, "labels.attempt") or at(body, "parameters.labels.attempt") or ""
    return (
        model[1] if model else "",
        str(at(body, "instances.0.prompt")),
        at(body, "parameters.seed"),
        str(tag),
    )


def _vertex_name(job: Job) -> str:
    model = f"projects/p/locations/us-central1/publishers/google/models/{job.model}"
    return f"{model}/operations/{job.id}"


def _vertex_state(job: Job, phase: Phase, urls: list[str], clip: Callable[[], bytes]) -> Answer:
    name = {"name": _vertex_name(job)}
    if phase in ("waiting", "working"):
        return 200, name
    if phase == "failed":
        return 200, {**name, "done": True, "error": {"code": 13, "message": BROKE}}
    if phase == "refused":
        reasons = [f"{DECLINED} Support codes: 58061214"]
        return 200, {
            **name,
            "done": True,
            "response": {"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": reasons},
        }
    if phase == "empty":
        return 200, {**name, "done": True, "response": {}}
    video = {"bytesBase64Encoded": base64.b64encode(clip()).decode(), "mimeType": "video/mp4"}
    return 200, {**name, "done": True, "response": {"videos": [video] * max(1, len(urls))}}


VERTEX = Wire(
    key="vertex", submit=_VERTEX + ":predictLongRunning", look=_VERTEX + ":fetchPredictOperation",
    look_method="POST",
    read=_vertex_read, accepted=lambda job, _base: {"name": _vertex_name(job)}, state=_vertex_state,
    declined=lambda: (400, {"error": {"code": 400, "status": "INVALID_ARGUMENT",
                                      "message": f"{DECLINED} Support codes: 58061214"}}),
    error=lambda status, code, words: {"error": {"code": status, "status": code.upper(),
                                                 "message": words}},
)  # fmt: skip
