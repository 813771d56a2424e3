"""A round of every configuration, bought from the stand-ins: for the demonstration and for
rehearsals.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from fartbench.errors import Refusal
from fartbench.models import Round
from fartbench.rounds import create_round
from generation.commissioning import commission
from generation.configurations import read_configurations
from generation.configuring import load_configurations, named
from generation.models import Configuration, ProviderAccount
from generation.prompting import audit_prompt, current_prompts, freeze_prompts, render_prompts
from generation.prompts import QUESTIONS

AUDITOR = "Demonstration: no person has compared these prompts"
AT_ONCE = 12
START_S = 60


class NoStandIn(Refusal):
    """The stand-ins are not running, and a demonstration does not buy from real providers."""


def commission_everything(
    *, name: str, protocol: str, actor: str, replicates: int = 1, scenes: list[str] | None = None
) -> Round:
    """Make a round of all configurations and commission it from the stand-ins. Asking again adds
    nothing.

    Raises NoStandIn unless STAND_IN_URL is set: this must never reach a provider that takes money.
    """
    if not os.environ.get("STAND_IN_URL", ""):
        raise NoStandIn(
            "Start “manage.py stand_in_providers” and set STAND_IN_URL to the address it prints."
        )
    load_configurations(actor=actor)
    configurations = named(loaded.file.name for loaded in read_configurations())
    round_ = create_round(
        name=name, protocol=protocol, actor=actor, replicates=replicates, scenes=scenes
    )
    _freeze(round_, configurations, actor)
    for provider in {configuration.provider for configuration in configurations}:
        figures = {"max_in_flight": AT_ONCE, "min_interval_s": 0.0}
        ProviderAccount.objects.get_or_create(provider=provider, defaults=figures)
    commission(round_=round_, configurations=configurations, actor=actor)
    return round_


def _freeze(round_: Round, configurations: list[Configuration], actor: str) -> None:
    render_prompts(
        protocol=round_.protocol, configurations=configurations, scenes=round_.scenes, actor=actor
    )
    prompts = [
        p for p in current_prompts(round_.protocol, configurations).values() if p.frozen_at is None
    ]
    for prompt in {prompt.sha256: prompt for prompt in prompts}.values():
        audit_prompt(prompt=prompt, answers=dict.fromkeys(QUESTIONS, True), auditor=AUDITOR)
    freeze_prompts(prompts=prompts, actor=actor)


@contextmanager
def running_stand_in(
    *, port: int = 8790, fault_rate: float = 0.0, variants: int = 1
) -> Iterator[str]:
    """Run the stand-ins in a process of their own and set STAND_IN_URL for this process and its
    children.
    """
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "stand_in_providers"]
    options = [
        "--port",
        str(port),
        "--streaming-port",
        "0",
    ]  # nothing here streams, and another may run beside it
    options += ["--fault-rate", str(fault_rate), "--variants", str(variants)]
    server, url = subprocess.Popen([*command, *options]), f"http://127.0.0.1:{port}"
    try:
        _wait_for(server, url)
        os.environ["STAND_IN_URL"] = url
        yield url
    finally:
        os.environ.pop("STAND_IN_URL", None)
        server.terminate()
        server.wait()


def _wait_for(server: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/ledger", timeout=1):  # noqa: S310 - loopback, put together above
                return
        except OSError:
            time.sleep(0.1)
    raise NoStandIn(f"The stand-ins did not start at {url}. Is the port taken?")
