"""Every service that can judge, by its name. No Django here."""

from __future__ import annotations

from functools import cache

from judging.ports.port import JudgePort


@cache
def port(service: str) -> JudgePort:
    """Return the adapter of a service. Raises KeyError for one that there is none for."""
    # An SDK is loaded when it is needed: it costs a second that other commands need not wait for.
    if service == "gemini":
        from judging.ports.gemini import GeminiJudge  # noqa: PLC0415

        return GeminiJudge()
    if service == "openai_compatible":
        from judging.ports.openai_compatible import OpenAICompatibleJudge  # noqa: PLC0415

        return OpenAICompatibleJudge()
    raise KeyError(service)
