"""Renders a specification for a family of models: the same facts in the order and dress its maker
documents.

Pure and deterministic: equal specification and adapter version, equal bytes. An adapter has no
words of its own but its headings and joints, which ``generation.prompts.check`` knows; everything
else comes out of the specification. No Django here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from fartbench.protocol.specification import Moment, Specification

READ = "2026-11-30"


@dataclass(frozen=True, slots=True)
class Guide:
    """A prompting guide that was consulted, and when."""

    title: str
    url: str
    retrieved: str = READ

    def as_json(self) -> dict[str, str]:
        """Return it as it is archived with a prompt."""
        return {"title": self.title, "url": self.url, "retrieved": self.retrieved}


@dataclass(frozen=True, slots=True)
class Adapter:
    """How a family wants a scene: the order of its sections, their headings, and how times and
    limits are put.

    ``headings`` maps a section to the words before it; a section without one is running text.
    """

    key: str
    version: str
    order: tuple[str, ...]
    headings: dict[str, str] = field(default_factory=dict)
    times: Literal["words", "stamps", "seconds"] = "words"
    limits: Literal["prohibitions", "states"] = "prohibitions"
    joint: str = "\n"
    guides: tuple[Guide, ...] = ()


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt: its exact bytes with their SHA-256, and what made it."""

    body: bytes
    sha256: str
    adapter: str
    adapter_version: str
    sources: tuple[dict[str, str], ...]

    @property
    def text(self) -> str:
        """The prompt as text."""
        return self.body.decode()


def render(specification: Specification, adapter: Adapter) -> Rendered:
    """Return the prompt of a scene for a family."""
    parts = []
    for section in adapter.order:
        if sentences := _SECTIONS[section](specification, adapter):
            heading = adapter.headings.get(section, "")
            parts.append(f"{heading} {' '.join(sentences)}".strip())
    body = adapter.joint.join(parts).encode()
    sources = tuple(guide.as_json() for guide in adapter.guides)
    return Rendered(body, hashlib.sha256(body).hexdigest(), adapter.key, adapter.version, sources)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _seconds(value: float) -> str:
    return f"{value:g}"


def _timed(moment: Moment, style: str) -> str:
    if moment.window is None:
        return _sentence(moment.text)
    start, end = moment.window
    if style == "stamps":
        return f"[{_stamp(start)}-{_stamp(end)}] {_sentence(moment.text)}"
    if style == "seconds":
        return f"[{_seconds(start)}s-{_seconds(end)}s] {_sentence(moment.text)}"
    if start == end:
        return f"At {_seconds(start)} seconds, {moment.text}."
    return f"Between {_seconds(start)} and {_seconds(end)} seconds, {moment.text}."


def _stamp(seconds: float) -> str:
    return f"{int(seconds // 60):02d}:{seconds % 60:02.0f}"


def _subjects(scene: Specification, _adapter: Adapter) -> list[str]:
    return [_sentence(f"{one.who}, {one.anchor}") for one in scene.subjects]


def _action(scene: Specification, adapter: Adapter) -> list[str]:
    return [_timed(moment, adapter.times) for moment in scene.timeline] + _reactions(scene, adapter)


def _reactions(scene: Specification, _adapter: Adapter) -> list[str]:
    return [_sentence(one.text) for one in scene.reactions]


def _camera(scene: Specification, _adapter: Adapter) -> list[str]:
    return [_sentence(text) for text in (scene.camera.shot, *scene.camera.rules)]


def _sound(scene: Specification, _adapter: Adapter) -> list[str]:
    return [_sentence(text) for text in scene.audio.rules]


def _limits(scene: Specification, adapter: Adapter) -> list[str]:
    return [
        _sentence(one.text if adapter.limits == "prohibitions" else one.positive)
        for one in scene.prohibited
    ]


_SECTIONS: dict[str, Callable[[Specification, Adapter], list[str]]] = {
    "style": lambda scene, _: [_sentence(scene.style)],
    "location": lambda scene, _: [_sentence(scene.location)],
    "subjects": _subjects,
    "action": _action,
    "ambience": lambda scene, _: [_sentence(scene.audio.ambience)],
    "sound": _sound,
    "camera": _camera,
    "limits": _limits,
}

_FILM = ("style", "camera", "location", "subjects", "action", "ambience", "sound", "limits")
_STAGE = ("location", "subjects", "action", "camera", "ambience", "sound", "style", "limits")

# Headings and joints only: what each maker's guide recommends, as far as one was found. A family
# without a guide gets plain prose in the same order, and says so by having none.
ADAPTERS: dict[str, Adapter] = {
    adapter.key: adapter
    for adapter in (
        Adapter(
            "veo", "1.0.0", _FILM, {"ambience": "Ambient noise:", "sound": "Audio:"},
            times="stamps",
            guides=(Guide("Vertex AI: Veo 3.1 model page",
                          "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/veo/3-1-generate"),),
        ),
        Adapter(
            "gemini-omni", "1.0.0", _STAGE, {"ambience": "Ambient sound:", "camera": "Camera:"},
            times="words",
            guides=(Guide("Gemini API: Gemini Omni Flash", "https://ai.google.dev/gemini-api/docs/omni"),),
        ),
        Adapter(
            "kling", "1.0.0", _STAGE,
            {"location": "Scene:", "subjects": "Characters:", "action": "Action:",
             "camera": "Camera:",
             "ambience": "Audio:", "style": "Style:"}, times="words", limits="states",
            guides=(Guide("Kling 3.0 Prompting Guide, fal", "https://blog.fal.ai/kling-3-0-prompting-guide"),),
        ),
        Adapter(
            "seedance", "1.0.0", _STAGE, {"camera": "Camera:", "ambience": "Sound:"},
            times="seconds", limits="states",
            guides=(Guide("ByteDance Seed: Seedance 2.0", "https://seed.bytedance.com/en/seedance2_0"),),
        ),
        Adapter(
            "wan", "1.0.0", _STAGE, {"ambience": "Sound:"}, times="words", joint=" ",
            guides=(Guide("Alibaba Cloud Model Studio: text-to-video guide",
                          "https://www.alibabacloud.com/help/en/model-studio/text-to-video-guide/"),),
        ),
        Adapter(
            "ltx", "1.0.0", _STAGE, times="words", limits="states", joint=" ",
            guides=(Guide("LTX-2.3 prompting tips in ComfyUI's workflow templates", "https://docs.comfy.org"),),
        ),
        Adapter("minimax", "1.0.0", _STAGE, times="words", joint=" "),
        Adapter("grok", "1.0.0", _STAGE, times="words", joint=" "),
        Adapter("pixverse", "1.0.0", _STAGE, times="words", limits="states", joint=" "),
        Adapter("vidu", "1.0.0", _STAGE, times="words", joint=" "),
        Adapter(
            "sora", "1.0.0", _STAGE,
            {"camera": "Cinematography:", "action": "Actions:", "ambience": "Background sound:"},
            times="words",
        ),
        Adapter("literal", "1.0.0", _STAGE, times="words", joint=" "),
    )
}  # fmt: skip
