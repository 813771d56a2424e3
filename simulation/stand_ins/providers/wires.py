"""How each provider speaks: what an order looks like, and every answer in its own shape. No Django
here.

Sources: recorded exchanges of the SDKs and the providers' API references, read in November 2026.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulation.stand_ins.providers.google_wires import GEMINI, VERTEX
from simulation.stand_ins.providers.ledger import Job
from simulation.stand_ins.providers.wire import (
    BROKE,
    DECLINED,
    Answer,
    Phase,
    Wire,
    fault,
    plain_error,
    read_common,
)


# --- fal
# ----------------------------------------------------------------------
def _fal_state(job: Job, phase: Phase, _urls: list[str], _clip: Callable[[], bytes]) -> Answer:
    name = {"waiting": "IN_QUEUE", "working": "IN_PROGRESS"}.get(phase, "COMPLETED")
    body: dict[str, Any] = {"status": name, "request_id": job.id}
    if phase == "waiting":
        return 202, {**body, "queue_position": 0}
    body |= {"logs": None, "metrics": {"inference_time": 1.5}}
    if phase == "working":
        return 202, body
    if phase in ("failed", "refused"):
        body |= {"error": BROKE, "error_type": "internal_server_error"}
    return 200, body


def _fal_result(job: Job, phase: Phase, urls: list[str]) -> Answer:
    if phase == "refused":
        return _fal_declined()
    if phase == "failed":
        return 500, {"detail": [{"loc": ["body"], "type": "internal_server_error", "msg": BROKE}]}
    if phase == "empty":
        return 200, {"seed": job.seed}
    files = [{"url": url, "content_type": "video/mp4"} for url in urls]
    if len(files) > 1:
        return 200, {"seed": job.seed, "videos": files}
    return 200, {"seed": job.seed, "video": files[0]}


def _fal_declined() -> Answer:
    detail = {
        "loc": ["body", "prompt"],
        "type": "content_policy_violation",
        "msg": DECLINED,
        "categories": ["sexual"],
    }
    return 422, {"detail": [detail]}


def _fal_accepted(job: Job, base: str) -> dict[str, Any]:
    own = f"{base}/{'/'.join(job.model.split('/')[:2])}/requests/{job.id}"
    links = {"response_url": own, "status_url": f"{own}/status", "cancel_url": f"{own}/cancel"}
    return {"status": "IN_QUEUE", "request_id": job.id, "queue_position": 0, **links}


FAL = Wire(
    key="fal", submit=r"/(?P<model>(?!.*/requests/).+)", look=r"/.+/requests/(?P<id>[^/]+)/status",
    result=r"/.+/requests/(?P<id>[^/]+)", results=_fal_result,
    read=lambda body, path: (path.strip("/"), *read_common(body, path)[1:]),
    accepted=_fal_accepted, state=_fal_state, declined=_fal_declined,
    error=lambda _s, code, words: {"detail": [{"loc": ["body"], "type": code, "msg": words}]},
)  # fmt: skip


# --- Runway
# ----------------------------------------------------------------------
def _runway_state(job: Job, phase: Phase, urls: list[str], _clip: Callable[[], bytes]) -> Answer:
    names = {"waiting": "PENDING", "working": "RUNNING", "made": "SUCCEEDED", "empty": "SUCCEEDED"}
    body: dict[str, Any] = {
        "id": job.id,
        "status": names.get(phase, "FAILED"),
        "createdAt": "2026-11-30T00:00:00Z",
    }
    if phase == "working":
        body["progress"] = 0.4
    if phase == "made":
        body |= {"output": urls, "cost": {"credits": 320}}
    if phase == "empty":
        body |= {"output": [], "cost": {"credits": 320}}
    if phase in ("failed", "refused"):
        code, words = fault(phase, "SAFETY.INPUT.TEXT", "INTERNAL.BAD_OUTPUT.CODE01")
        body |= {"failure": words, "failureCode": code, "cost": {"credits": 0}}
    return 200, body


RUNWAY = Wire(
    key="runway", submit=r"/v1/text_to_video", look=r"/v1/tasks/(?P<id>[^/]+)", read=read_common,
    accepted=lambda job, _base: {"id": job.id, "estimatedCost": {"credits": 320}},
    state=_runway_state,
    declined=lambda: (400, {"error": DECLINED, "failureCode": "SAFETY.INPUT.TEXT"}),
    error=lambda _s, code, words: {"error": words, "code": code},
)  # fmt: skip


# --- ModelArk, DashScope, MiniMax, xAI, Kling, OpenAI
# ----------------------------------------------------------------------
def _ark_state(job: Job, phase: Phase, urls: list[str], _clip: Callable[[], bytes]) -> Answer:
    names = {"waiting": "queued", "working": "running", "made": "succeeded", "empty": "succeeded"}
    body: dict[str, Any] = {
        "id": job.id,
        "model": job.model,
        "status": names.get(phase, "failed"),
        "seed": job.seed,
    }
    if phase == "made":
        body |= {
            "content": {"video_url": urls[0]},
            "usage": {"completion_tokens": 172_800},
            "revised_prompt": job.prompt,
        }
    if phase in ("failed", "refused"):
        code, words = fault(phase, "OutputVideoSensitiveContentDetected", "InternalServiceError")
        body["error"] = {"code": code, "message": words}
    return 200, body


ARK = Wire(
    key="ark", submit=r"/api/v3/contents/generations/tasks",
    look=r"/api/v3/contents/generations/tasks/(?P<id>[^/?]+)",
    read=read_common, accepted=lambda job, _base: {"id": job.id}, state=_ark_state,
    declined=lambda: (400, plain_error(400, "InputTextSensitiveContentDetected", DECLINED)),
    error=plain_error,
    listing=r"/api/v3/contents/generations/tasks",
    page=lambda jobs: {"items": [{"id": j.id, "model": j.model,
                                  "created_at": int(j.created)} for j in jobs]},
)  # fmt: skip


def _dashscope_state(job: Job, phase: Phase, urls: list[str], _clip: Callable[[], bytes]) -> Answer:
    names = {"waiting": "PENDING", "working": "RUNNING", "made": "SUCCEEDED", "empty": "SUCCEEDED"}
    output: dict[str, Any] = {"task_id": job.id, "task_status": names.get(phase, "FAILED")}
    if phase == "made":
        output["video_url"] = urls[0]
    if phase in ("failed", "refused"):
        output["code"], output["message"] = fault(phase, "DataInspectionFailed", "InternalError")
    return 200, {"request_id": "r", "output": output, "usage": {"duration": 8}}


DASHSCOPE = Wire(
    key="dashscope", submit=r"/api/v1/services/aigc/video-generation/video-synthesis",
    look=r"/api/v1/tasks/(?P<id>[^/]+)",
    read=read_common, state=_dashscope_state,
    accepted=lambda job, _b: {"request_id": "r", "output": {"task_id": job.id,
                                                            "task_status": "PENDING"}},
    declined=lambda: (400, {"request_id": "r", "code": "DataInspectionFailed",
                            "message": DECLINED}),
    error=lambda _s, code, words: {"request_id": "r", "code": code, "message": words},
)  # fmt: skip


def _minimax_state(job: Job, phase: Phase, urls: list[str], _clip: Callable[[], bytes]) -> Answer:
    names = {"waiting": "queued", "working": "running", "made": "succeeded", "empty": "succeeded"}
    task: dict[str, Any] = {"id": job.id, "status": names.get(phase, "failed")}
    if phase == "made":
        task["content"] = {"url": urls[0]}
    if phase in ("failed", "refused"):
        code, words = fault(phase, "1027", "1000")
        task["error"] = {"code": code, "message": words}
    return 200, {"task": task}


MINIMAX = Wire(
    key="minimax", submit=r"/v2/video_generation", look=r"/v2/query/video_generation/(?P<id>[^/]+)",
    read=read_common,
    accepted=lambda job, _base: {"task_id": job.id}, state=_minimax_state,
    declined=lambda: (400, plain_error(400, "1026", f"Sensitive input: {DECLINED}")),
    error=plain_error,
)  # fmt: skip


def _xai_state(job: Job, phase: Phase, urls: list[str], _clip: Callable[[], bytes]) -> Answer:
    if phase in ("waiting", "working"):
        return 202, {"status": "pending"}
    if phase == "failed":
        return 200, {"status": "failed", "error": {"code": "internal_error", "message": BROKE}}
    if phase == "refused":
        return 200, {"status": "done", "video": {"respect_moderation": False}, "model": job.model}
    if phase == "made":
        video = {"url": urls[0], "duration": 8, "respect_moderation": True}
    else:
        video = {"duration": 0}
    return 200, {
        "status": "done",
        "video": video,
        "model": job.model,
        "usage": {"cost_in_usd_ticks": 11_200_000_000},
    }


XAI = Wire(
    key="xai", submit=r"/v1/videos/generations", look=r"/v1/videos/(?P<id>[^/]+)", read=read_common,
    accepted=lambda job, _base: {"request_id": job.id}, state=_xai_state,
    declined=lambda: (400, {"code": "invalid_argument", "error": "Blocked by content moderation: "
                                                                 f"{DECLINED}"}),
    error=lambda _s, code, words: {"code": code, "error": words},
)  # fmt: skip


def _kling_state(job: Job, phase: Phase, urls: list[str], _clip: Callable[[], bytes]) -> Answer:
    names = {"waiting": "submitted", "working": "processing", "made": "succeed", "empty": "succeed"}
    data: dict[str, Any] = {
        "task_id": job.id,
        "task_status": names.get(phase, "failed"),
        "task_result": {"videos": []},
    }
    if phase == "made":
        data["task_result"] = {
            "videos": [{"id": str(i), "url": url, "duration": "8"} for i, url in enumerate(urls)]
        }
    if phase == "failed":
        data["task_status_msg"] = BROKE
    if phase == "refused":
        data["task_status_msg"] = f"Failure to pass the risk control system: {DECLINED}"
    return 200, {"code": 0, "message": "SUCCEED", "data": data}


KLING = Wire(
    key="kling", submit=r"/v1/videos/text2video", look=r"/v1/videos/text2video/(?P<id>[^/?]+)",
    read=read_common,
    accepted=lambda job, _b: {"code": 0, "message": "SUCCEED",
                              "data": {"task_id": job.id, "task_status": "submitted"}},
    state=_kling_state, by_tag=r"/v1/videos/text2video",
    declined=lambda: (400, {"code": 1301, "message": f"Content risk control: {DECLINED}"}),
    error=lambda _s, code, words: {"code": 1200, "message": f"{words} ({code})"},
)  # fmt: skip


def _openai_state(job: Job, phase: Phase, _urls: list[str], _clip: Callable[[], bytes]) -> Answer:
    names = {
        "waiting": "queued",
        "working": "in_progress",
        "made": "completed",
        "empty": "completed",
    }
    body: dict[str, Any] = _openai_accepted(job, "") | {"status": names.get(phase, "failed")}
    if phase in ("failed", "refused"):
        code, words = fault(phase, "moderation_blocked", "server_error")
        body["error"] = {"code": code, "message": words}
    return 200, body


def _openai_accepted(job: Job, _base: str) -> dict[str, Any]:
    more = {"model": job.model, "seconds": "8", "size": "1280x720", "created_at": int(job.created)}
    return {"id": job.id, "object": "video", "status": "queued", "progress": 0, **more}


OPENAI = Wire(
    key="openai", submit=r"/v1/videos", look=r"/v1/videos/(?P<id>[^/?]+)",
    content=r"/v1/videos/(?P<id>[^/]+)/content",
    read=read_common, accepted=_openai_accepted, state=_openai_state,
    declined=lambda: (400, plain_error(400, "moderation_blocked", DECLINED)), error=plain_error,
    listing=r"/v1/videos", page=lambda jobs: {"data": [_openai_accepted(job, "") for job in jobs]},
)  # fmt: skip

WIRES = {
    wire.key: wire
    for wire in (FAL, GEMINI, VERTEX, RUNWAY, ARK, DASHSCOPE, MINIMAX, XAI, KLING, OPENAI)
}
