"""The commands of docs/api.md, run as they are written against a server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fartbench.models import Round
from generation.models import Sample
from tests.api.calls import Caller, admin
from tests.factories import CORE_R01, make_protocol, tiny_clip

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.engine("sqlite")]

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
MANIFEST = "configuration,scene,replicate,file,outcome\nalpha,r01-lift,1,alpha.mp4,ok\n"
# What the guide asks of curl, for machines without it.
STAND_IN = """#!{python}
import sys, urllib.error, urllib.request
method, body, headers, address, rest = None, None, {{}}, "", iter(sys.argv[1:])
for word in rest:
    if word == "-H":
        name, _, value = next(rest).partition(": ")
        headers[name] = value
    elif word == "-X":
        method = next(rest)
    elif word == "-d":
        body = next(rest).encode()
    elif word == "--data-binary":
        with open(next(rest).removeprefix("@"), "rb") as file:
            body = file.read()
    else:
        address = word
request = urllib.request.Request(address, data=body, headers=headers, method=method)
try:
    answer = urllib.request.urlopen(request)
except urllib.error.HTTPError as refusal:
    answer = refusal
sys.stdout.write(answer.read().decode())
"""


def commands() -> list[str]:
    """Return the commands of the guide, one by one, lines that go on joined."""
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    joined = "".join(blocks).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip()]


def folder_with_curl(folder: Path) -> str:
    """Return a PATH on which there is curl."""
    if shutil.which("curl"):
        return os.environ["PATH"]
    program = folder / "curl"
    program.write_text(STAND_IN.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def run(command: str, folder: Path, environment: dict[str, str]) -> Any:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return json.loads(done.stdout)


def test_the_commands_of_the_guide_make_a_round(tmp_path: Path, live_server: Any) -> None:
    make_protocol(CORE_R01)
    (tmp_path / "alpha.mp4").write_bytes(tiny_clip(number=1, seconds=1.0))
    (tmp_path / "manifest.csv").write_text(MANIFEST, encoding="utf-8")
    environment = {
        "PATH": folder_with_curl(tmp_path),
        "TOKEN": Caller(admin()).text,
        "SITE": live_server.url,
    }
    answers = []
    for command in commands():
        answers.append(run(command, tmp_path, environment))
        if "key" in answers[-1]:
            environment["KEY"] = answers[-1]["key"]
    assert not [answer for answer in answers if answer.get("type")], "a problem document"
    assert Sample.objects.get().clip is not None
    assert answers[-1]["name"] == "own"
    assert Round.objects.get(name="own").state == answers[-1]["state"] == "blinding"
