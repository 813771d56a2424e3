"""The parameters that each provider's text-to-video request knows, by the provider's own names. No
Django here.

A name that is not here is refused when a configuration is loaded: providers ignore what they do not
know, and a misspelt switch would leave an enhancer on. Sources: the providers' API references and
SDK types, read in November 2026; the configuration files name them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PARAMETERS: dict[str, frozenset[str]] = {
    "local": frozenset(),
    "websocket": frozenset({"seed"}),
    "gemini": frozenset({"aspect_ratio", "duration", "resolution", "delivery", "task", "seed"}),
    "vertex": frozenset(
        {"aspect_ratio", "duration_seconds", "resolution", "generate_audio", "enhance_prompt",
         "number_of_videos",
         "person_generation", "seed"}
    ),
    "openai": frozenset({"seconds", "size"}),
    "fal": frozenset(
        {"duration", "aspect_ratio", "resolution", "generate_audio", "auto_fix", "negative_prompt",
         "audio", "seed",
         "generate_audio_switch", "thinking_type", "enable_prompt_expansion", "cfg_scale", "fps"}
    ),
    "runway": frozenset({"ratio", "duration", "audio", "resolution", "promptExpansionMode",
                         "seed"}),
    "ark": frozenset({"generate_audio", "resolution", "ratio", "duration", "watermark", "seed"}),
    "dashscope": frozenset(
        {"resolution", "ratio", "duration", "watermark", "prompt_extend", "negative_prompt", "seed"}
    ),
    "minimax": frozenset({"duration", "ratio", "resolution", "seed"}),
    "xai": frozenset({"duration", "aspect_ratio", "resolution", "generate_audio"}),
    "kling": frozenset({"mode", "duration", "aspect_ratio", "sound", "negative_prompt",
                        "cfg_scale"}),
}  # fmt: skip


def unknown_parameters(provider: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return the names that the provider does not know. Raises KeyError for an unknown provider."""
    return sorted(set(parameters) - PARAMETERS[provider])
