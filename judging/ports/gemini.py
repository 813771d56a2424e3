"""Gemini through ``generateContent``, with google-genai. No Django here.

One POST: the SDK does not retry this call by itself, and its settings say so; it would follow
redirects, with key and clip, and gets a client that does not. Source of fields and reasons: the
SDK's own types and the Gemini API reference, read in November 2026.
"""

from __future__ import annotations

import copy
from importlib.metadata import version
from typing import Any

from google import genai
from google.genai import types
from pydantic import ValidationError

from fartbench.outgoing import BoundedClient, text_of, trust
from fartbench.protocol import JudgeModel
from judging.answer_schema import with_ordering
from judging.ports import faults
from judging.ports.access import Access, access
from judging.ports.port import (
    CLIP,
    Answer,
    Ask,
    Blocked,
    Exchange,
    Replied,
    Request,
    SettingsRefused,
    Unusable,
    Usage,
    refuse_reserved,
)

API_VERSION = (
    "v1"  # what the SDK asks by itself; named, so that another SDK changes nothing unnoticed
)
# An end for one of these reasons is a refusal; whatever was said until then is no answer.
_BLOCKING = frozenset(
    {
        "SAFETY",
        "PROHIBITED_CONTENT",
        "BLOCKLIST",
        "SPII",
        "RECITATION",
        "IMAGE_SAFETY",
        "LANGUAGE",
        "OTHER",
    }
)
_RESERVED = frozenset(
    {"candidatecount", "responsemimetype", "responsejsonschema", "responseschema",
     "systeminstruction", "tools",
     "cachedcontent", "httpoptions"}
)  # fmt: skip


class GeminiJudge:
    """A Gemini model as judge."""

    service = "gemini"
    client = f"gemini judge 1, google-genai {version('google-genai')}"

    def request(self, ask: Ask) -> Request:
        """Return the arguments of the call: the clip first, then the questions.

        Raises SettingsRefused.
        """
        refuse_reserved(ask.model, _RESERVED)
        rules, sampling = ask.rules, ask.rules.sampling
        media = {"inline_data": {"mime_type": "video/mp4", "data": CLIP},
                 "video_metadata": {"fps": ask.frames_per_second}}  # fmt: skip
        body = {
            "model": ask.model.model,
            "contents": [{"role": "user", "parts": [media, {"text": ask.text}]}],
            "config": {
                "temperature": sampling.temperature,
                "seed": sampling.seed,
                "candidate_count": 1,
                "max_output_tokens": sampling.max_output_tokens,
                "response_mime_type": "application/json",
                "response_json_schema": with_ordering(ask.schema),
                "media_resolution": f"MEDIA_RESOLUTION_{rules.media.resolution.upper()}",
                "thinking_config": {"thinking_level": sampling.thinking.upper()},
                "safety_settings": [
                    {"category": category, "threshold": rules.safety.threshold}
                    for category in rules.safety.categories
                ],
                **ask.model.settings,
            },
        }
        _refuse_unknown(ask.model, body["config"])
        return Request(f"/{API_VERSION}/models/{ask.model.model}:generateContent", body)

    def send(self, request: Request, clip: bytes) -> Answer:
        """Send one question."""
        entry = access(self.service)
        body = copy.deepcopy(dict(request.body))
        body["contents"][0]["parts"][0]["inline_data"]["data"] = clip
        with faults.client(entry) as http:
            try:
                reply = _client(entry, http).models.generate_content(**body)
            except Exception as error:  # noqa: BLE001 - the SDK raises its own errors and those of all it is made of
                return faults.of_exchange(error, http.answer, entry)
            return _read(
                reply, faults.kept(entry, 200, text_of(http.answer) if http.answer else "")
            )


def _refuse_unknown(model: JudgeModel, config: Any) -> None:
    # The SDK would refuse it too, but for every clip.
    try:
        types.GenerateContentConfig.model_validate(config)
    except ValidationError as error:
        fault = error.errors()[0]
        raise SettingsRefused(
            f"Judge {model.name}: settings.{fault['loc'][0]}: {fault['msg']}"
        ) from error


def _client(entry: Access, http: BoundedClient) -> genai.Client:
    options = types.HttpOptions(
        base_url=entry.base_url,
        api_version=API_VERSION,
        timeout=int(1000 * faults.SECONDS_TO_ANSWER),
        retry_options=types.HttpRetryOptions(attempts=1),
        httpx_client=http,
        async_client_args={
            "verify": trust(),
            "ssl": trust(),
        },  # of no use here, and made all the same
    )
    return genai.Client(api_key=entry.key, enterprise=False, http_options=options)


def _read(reply: types.GenerateContentResponse, exchange: Exchange) -> Answer:
    version_, usage = reply.model_version or "", _usage(reply)
    candidates = reply.candidates or []
    if not candidates:
        feedback = reply.prompt_feedback
        if feedback and feedback.block_reason:
            reason = feedback.block_reason.value
        else:
            reason = ""
        if not reason:
            return Unusable(
                "the answer holds no candidate and no reason", version_, usage, exchange
            )
        return Blocked(f"input: {reason}", version_, usage, exchange)
    if candidates[0].finish_reason:
        ended = candidates[0].finish_reason.value
    else:
        ended = ""
    if ended in _BLOCKING:
        return Blocked(f"output: {ended}", version_, usage, exchange)
    parts = (candidates[0].content.parts if candidates[0].content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    if ended != "STOP" or not text:
        return Unusable(f"it ended with {ended or 'no reason'}{'' if text else ' and no text'}",
                        version_, usage, exchange)  # fmt: skip
    return Replied(text, version_, reply.response_id or "", usage, exchange)


def _usage(reply: types.GenerateContentResponse) -> Usage:
    counted = reply.usage_metadata
    if counted is None:
        return Usage()
    counts = []
    for count in (counted.candidates_token_count, counted.thoughts_token_count):
        if count is not None:
            counts.append(count)
    if counts:
        output = sum(counts)
    else:
        output = None
    return Usage(
        counted.prompt_token_count, output, counted.model_dump(mode="json", exclude_none=True)
    )
