"""Any endpoint that speaks OpenAI's chat completions and takes video, with httpx. No Django here.

For instance a Qwen-Omni model behind vLLM, or a gateway. The clip is sent as a ``video_url`` part
with a data address; ``settings`` of the judge are added to the body as they stand, for what the
endpoint has of its own.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Mapping
from typing import Any

import httpx

from fartbench.outgoing import json_of, text_of
from judging.ports import faults
from judging.ports.access import access
from judging.ports.port import (
    CLIP,
    Answer,
    Ask,
    Blocked,
    Exchange,
    Replied,
    Request,
    Unusable,
    Usage,
    refuse_reserved,
)

SCHEMA_NAME = "answers"
_RESERVED = frozenset({"model", "messages", "n", "stream", "responseformat", "tools"})


class OpenAICompatibleJudge:
    """A model behind an OpenAI-compatible endpoint as judge."""

    service = "openai_compatible"
    client = f"openai-compatible judge 1, httpx {httpx.__version__}"

    def request(self, ask: Ask) -> Request:
        """Return the body: the clip first, then the questions, and the schema as a strict one.

        Raises SettingsRefused.
        """
        refuse_reserved(ask.model, _RESERVED)
        sampling = ask.rules.sampling
        body = {
            "model": ask.model.model,
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "video_url", "video_url": {"url": CLIP}},
                        {"type": "text", "text": ask.text},
                    ],
                }
            ],
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "n": 1,
            "max_tokens": sampling.max_output_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": SCHEMA_NAME, "strict": True, "schema": ask.schema},
            },
            **ask.model.settings,
        }
        return Request("/v1/chat/completions", body)

    def send(self, request: Request, clip: bytes) -> Answer:
        """Send one question."""
        entry = access(self.service)
        body = copy.deepcopy(dict(request.body))
        url = "data:video/mp4;base64," + base64.b64encode(clip).decode()
        body["messages"][0]["content"][0]["video_url"]["url"] = url
        headers = {"Authorization": f"Bearer {entry.key}"}
        with faults.client(entry) as http:
            try:
                reply = http.post(entry.base_url + request.endpoint, json=body, headers=headers)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                return faults.of_exchange(error, None, entry)
        data = json_of(reply)
        if not reply.is_success:
            return faults.of_status(reply, entry)
        if not isinstance(data, dict):
            return faults.unreadable(reply, entry)
        return _read(data, faults.kept(entry, reply.status_code, text_of(reply)))


def _read(data: Mapping[str, Any], exchange: Exchange) -> Answer:
    version, usage = str(data.get("model") or ""), _usage(data.get("usage"))
    choices = data.get("choices")
    if isinstance(choices, list) and choices:
        choice = _mapping(choices[0])
    else:
        choice = {}
    message = _mapping(choice.get("message"))
    ended, text = str(choice.get("finish_reason") or ""), message.get("content")
    if message.get("refusal"):
        return Blocked(str(message["refusal"]), version, usage, exchange)
    if ended == "content_filter":
        return Blocked(f"output: {ended}", version, usage, exchange)
    if ended != "stop" or not isinstance(text, str) or not text:
        return Unusable(f"it ended with {ended or 'no reason'}{'' if text else ' and no text'}",
                        version, usage, exchange)  # fmt: skip
    return Replied(text, version, str(data.get("id") or ""), usage, exchange)


def _mapping(found: Any) -> Mapping[str, Any]:
    if isinstance(found, Mapping):
        return found
    return {}


def _usage(found: Any) -> Usage:
    if not isinstance(found, Mapping):
        return Usage()
    tokens = [found.get(name) for name in ("prompt_tokens", "completion_tokens")]
    read, written = (count if type(count) is int else None for count in tokens)
    return Usage(read, written, dict(found))
