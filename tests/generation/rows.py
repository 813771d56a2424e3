"""Single rows of commissioning for tests that only need one to be there."""

from __future__ import annotations

from fartbench.models import Round
from generation.models import Configuration, Prompt, ProviderAccount
from generation.prompts import ADAPTERS, read_specification
from generation.prompts.adapters import render


def make_account(provider: str = "fal") -> str:
    """Make an account and return its provider's key."""
    return ProviderAccount.objects.create(provider=provider).provider


def make_prompt(round_: Round) -> int:
    """Make a prompt, not frozen, of any configuration for the round's first scene, and return its
    key.
    """
    scene = round_.scenes[0]
    specification, content = read_specification(
        round_.protocol.name, round_.protocol.version, scene
    )
    rendered = render(specification, ADAPTERS["veo"])
    made = Prompt.objects.create(
        configuration=Configuration.objects.order_by("pk").first(), protocol=round_.protocol,
        scene=scene,
        adapter="veo", adapter_version=rendered.adapter_version, specification=content,
        specification_digest="0" * 64,
        body=rendered.body, sha256=rendered.sha256,
    )  # fmt: skip
    return made.pk
