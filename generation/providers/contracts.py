"""The REST contracts, as data. Sources: the providers' API references and SDK types, read in
November 2026.

What could not be confirmed against a live service is said in ``docs/generation.md``. No Django
here.
"""

from __future__ import annotations

from generation.providers.answers import Moderation
from generation.providers.contract import Contract, Listing, bearer, signed_token

JSON = {"Content-Type": "application/json"}

FAL = Contract(
    key="fal",
    submit="/{model}",
    body={"prompt": "$prompt", "**": "settings"},
    # Without this header an accepted request is run again on another machine, up to ten times:
    # hidden rerolls.
    headers={**JSON, "x-fal-no-retry": "1"},
    authorization=bearer("FAL_KEY", "Key"),
    provider_id="request_id",
    look="/{app}/requests/{id}/status",
    status="status",
    states={"IN_QUEUE": "waiting", "IN_PROGRESS": "working", "COMPLETED": "made"},
    result="/{app}/requests/{id}",
    outputs=("video.url", "videos.0.url", "videos.1.url", "videos.2.url"),
    moderation=Moderation(
        codes=frozenset({"content_policy_violation"}),
        code_paths=("detail.0.type", "error_type"),
        message_paths=("detail.0.msg", "detail", "error"),
    ),
    returned=("seed", "prompt", "timings"),
)

ARK = Contract(
    key="ark",
    submit="/api/v3/contents/generations/tasks",
    body={"model": "$model", "content": [{"type": "text", "text": "$prompt"}], "**": "settings"},
    headers=JSON,
    authorization=bearer("ARK_API_KEY"),
    provider_id="id",
    look="/api/v3/contents/generations/tasks/{id}",
    status="status",
    states={
        "queued": "waiting", "running": "working", "succeeded": "made",
        "failed": "failed", "cancelled": "failed", "expired": "failed",
    },
    outputs=("content.video_url",),
    moderation=Moderation(pattern=r"SensitiveContentDetected"),
    model_version="model",
    returned=("revised_prompt", "seed", "resolution", "ratio", "duration"),
    output_tokens="usage.completion_tokens",
    listing=Listing(
        path="/api/v3/contents/generations/tasks?page_num=1&page_size={page_size}",
        items="items", id="id", model="model", created="created_at",
    ),
)  # fmt: skip

DASHSCOPE = Contract(
    key="dashscope",
    submit="/api/v1/services/aigc/video-generation/video-synthesis",
    body={"model": "$model", "input": {"prompt": "$prompt"}, "parameters": {"**": "settings"}},
    headers={**JSON, "X-DashScope-Async": "enable"},
    authorization=bearer("DASHSCOPE_API_KEY"),
    provider_id="output.task_id",
    look="/api/v1/tasks/{id}",
    status="output.task_status",
    states={
        "PENDING": "waiting", "RUNNING": "working", "SUCCEEDED": "made",
        "FAILED": "failed", "CANCELED": "failed", "UNKNOWN": "failed",
    },
    outputs=("output.video_url",),
    moderation=Moderation(pattern=r"DataInspectionFailed"),
    look_moderation=Moderation(
        pattern=r"DataInspectionFailed", code_paths=("output.code",),
        message_paths=("output.message",)
    ),
    returned=("usage", "output.actual_prompt"),
)  # fmt: skip

MINIMAX = Contract(
    key="minimax",
    submit="/v2/video_generation",
    body={"model": "$model", "content": [{"type": "text", "text": "$prompt"}], "**": "settings"},
    headers=JSON,
    authorization=bearer("MINIMAX_API_KEY"),
    provider_id="task_id",
    look="/v2/query/video_generation/{id}",
    status="task.status",
    states={
        "queued": "waiting", "running": "working", "succeeded": "made", "failed": "failed",
        "cancelled": "failed",
    },
    outputs=("task.content.url",),
    moderation=Moderation(pattern=r"(?i)sensitive|content_policy|\b1026\b|\b1027\b"),
    look_moderation=Moderation(
        pattern=r"(?i)sensitive|content_policy|\b1026\b|\b1027\b",
        code_paths=("task.error.code",), message_paths=("task.error.message",),
    ),
    returned=("task.usage", "task.model"),
)  # fmt: skip

XAI = Contract(
    key="xai",
    submit="/v1/videos/generations",
    body={"model": "$model", "prompt": "$prompt", "**": "settings"},
    headers=JSON,
    authorization=bearer("XAI_API_KEY"),
    provider_id="request_id",
    look="/v1/videos/{id}",
    status="status",
    states={"pending": "working", "done": "made", "failed": "failed", "expired": "failed"},
    declined=("video.respect_moderation", False),
    outputs=("video.url",),
    moderation=Moderation(pattern=r"(?i)moderation|content.policy|block_reason", code_paths=("code",
                                                                                             "error.code"),
                          message_paths=("error.message", "error", "block_reason")),
    model_version="model",
    returned=("video.duration",),
    usd_ticks="usage.cost_in_usd_ticks",
)  # fmt: skip

KLING = Contract(
    key="kling",
    submit="/v1/videos/text2video",
    body={
        "model_name": "$model",
        "prompt": "$prompt",
        "external_task_id": "$tag",
        "**": "settings",
    },
    headers=JSON,
    authorization=signed_token,
    ok=("code", 0),
    provider_id="data.task_id",
    look="/v1/videos/text2video/{id}",
    status="data.task_status",
    states={"submitted": "waiting", "processing": "working", "succeed": "made", "failed": "failed"},
    outputs=("data.task_result.videos.0.url", "data.task_result.videos.1.url"),
    moderation=Moderation(
        pattern=r"(?i)risk control|sensitive|\b1301\b",
        code_paths=("code",),
        message_paths=("message",),
    ),
    look_moderation=Moderation(
        pattern=r"(?i)risk control|sensitive",
        code_paths=("code",),
        message_paths=("data.task_status_msg",),
    ),
    by_tag="/v1/videos/text2video?external_task_id={tag}",
)

OPENAI = Contract(
    key="openai",
    submit="/v1/videos",
    body={"model": "$model", "prompt": "$prompt", "**": "settings"},
    encoding="multipart",
    authorization=bearer("OPENAI_API_KEY"),
    provider_id="id",
    look="/v1/videos/{id}",
    status="status",
    states={"queued": "waiting", "in_progress": "working", "completed": "made", "failed": "failed"},
    outputs=(),
    content="/v1/videos/{id}/content",
    moderation=Moderation(codes=frozenset({"moderation_blocked", "content_policy_violation"})),
    model_version="model",
    returned=("seconds", "size"),
    listing=Listing(
        path="/v1/videos?limit={page_size}",
        items="data",
        id="id",
        model="model",
        created="created_at",
    ),
)

CONTRACTS = {
    contract.key: contract for contract in (FAL, ARK, DASHSCOPE, MINIMAX, XAI, KLING, OPENAI)
}
