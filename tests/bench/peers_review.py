"""Times the same operation on Label Studio and Potato: ``python -m tests.bench.peers_review
[--install]``.

Both are on PyPI and no part of this project: each runs as a tool, in a virtual environment of its
own under ``var/bench`` (``--install`` makes them, which takes minutes; ``--tools`` names another
folder that has them), started as its own documentation says, on loopback. The operation is what a
reviewer does: change one answer of six and have it saved, then hand in the whole form. One request
at a time, timed by the client, each on a connection of its own, as `bench_review` times ours.
Prints JSON.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

import psutil

TOOLS = Path(__file__).resolve().parents[2] / "var" / "bench"
PACKAGES = {"label-studio": "label-studio", "potato": "potato-annotation"}
QUESTIONS = {
    "event": ("yes", "no", "unclear"), "cause": ("yes", "no", "unclear"), "detail": ("yes", "no",
                                                                                     "unclear"),
    "sound": tuple("12345"), "timing": tuple("12345"), "people": tuple("12345"),
}  # fmt: skip
WARM, TIMES, START_S = 5, 60, 600
JSON, FORM = (
    {"Content-Type": "application/json"},
    {"Content-Type": "application/x-www-form-urlencoded"},
)


class PeerFailed(RuntimeError):
    """A peer could not be started or did not take a call; the message says which and what it
    answered.
    """


def python_of(tool: str, tools: Path) -> Path:
    """Return the Python that has the tool."""
    return tools / tool / "bin" / "python"


def install(tools: Path) -> None:
    """Make an environment for each tool and install it there."""
    for tool, package in PACKAGES.items():
        if not python_of(tool, tools).exists():
            venv.create(tools / tool, with_pip=True)
            subprocess.run(
                [python_of(tool, tools), "-m", "pip", "--quiet", "install", package], check=True
            )


class Client:
    """A browser's session with one server: cookies, and a new connection for each call."""

    def __init__(self, port: int) -> None:
        self.port, self.cookies = port, dict[str, str]()

    def call(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> bytes:
        """Return the body of a good answer. Raises PeerFailed for any other."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            connection.request(method, path, body, {"Cookie": cookie, **headers})
            reply = connection.getresponse()
            found = reply.read()
        finally:
            connection.close()
        for one in reply.headers.get_all("Set-Cookie") or []:
            name, _, value = one.partition(";")[0].partition("=")
            self.cookies[name] = value
        if reply.status >= 400:
            raise PeerFailed(f"{method} {path}: {reply.status} {found[:300]!r}")
        return found


@contextmanager
def running(
    command: list[str], folder: Path, port: int, environment: Mapping[str, str]
) -> Iterator[psutil.Process]:
    """Run a server until the block ends; yields its process once it listens."""
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=log, stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
    try:
        _wait(port, server, folder)
        yield psutil.Process(server.pid)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait(port: int, server: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + START_S
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if server.poll() is not None or time.monotonic() > deadline:
            raise PeerFailed((folder / "log").read_text(errors="replace")[-1500:])
        time.sleep(0.3)


def timed(server: psutil.Process, work: Callable[[int], object]) -> dict[str, float]:
    """Return median and 95th percentile (ms) of a call, and the server's processor time for each
    (ms).
    """
    for number in range(WARM):
        work(number)
    spent, before = [], _cpu(server)
    for number in range(TIMES):
        start = time.perf_counter()
        work(WARM + number)
        spent.append((time.perf_counter() - start) * 1000)
    cpu = (_cpu(server) - before) / TIMES * 1000
    return {"median_ms": median(spent), "p95_ms": quantiles(spent, n=20)[-1], "cpu_ms": cpu}


def _cpu(server: psutil.Process) -> float:
    return sum(
        sum(process.cpu_times()[:2]) for process in [server, *server.children(recursive=True)]
    )


def _form(number: int) -> dict[str, str]:
    return {question: values[number % len(values)] for question, values in QUESTIONS.items()}


def label_studio(python: Path, folder: Path, port: int) -> dict[str, Any]:
    """Time drafts and submitted annotations of a form of six questions on one video task for each
    submission.
    """
    token = "0123456789abcdef0123456789abcdef01234567"  # of an installation that lives for a minute
    command = [str(python.parent / "label-studio"), "start", "--no-browser", "--port", str(port),
               "--data-dir",
               str(folder), "--username", "a@example.org", "--password", "a-long-password",
               "--user-token", token,
               "--enable-legacy-api-token"]  # fmt: skip
    environment = {
        "COLLECT_ANALYTICS": "False",
        "LATEST_VERSION_CHECK": "False",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    headers = {**JSON, "Authorization": f"Token {token}"}
    with running(command, folder, port, environment) as server:
        client = Client(port)

        def post(path: str, body: Any, method: str = "POST") -> Any:
            return json.loads(client.call(method, path, json.dumps(body), headers))

        project = post(
            "/api/projects/", {"title": "six questions", "label_config": _label_config()}
        )["id"]
        tasks = [{"video": f"/clip-{number}.mp4"} for number in range(WARM + TIMES)]
        post(f"/api/projects/{project}/import", tasks)
        listed = json.loads(
            client.call("GET", f"/api/projects/{project}/tasks/?page_size=200", None, headers)
        )
        ids = [task["id"] for task in listed]
        draft = post(
            f"/api/tasks/{ids[0]}/drafts", {"result": _label_result(_form(0)), "lead_time": 1}
        )["id"]
        save = timed(
            server,
            lambda n: post(
                f"/api/drafts/{draft}/",
                {"result": _label_result(_form(n)), "lead_time": 1},
                "PATCH",
            ),
        )
        lock = timed(
            server,
            lambda n: post(
                f"/api/tasks/{ids[n]}/annotations/",
                {"result": _label_result(_form(n)), "lead_time": 1},
            ),
        )
    return {"save": save, "lock": lock}


def _label_config() -> str:
    choices = "".join(
        f'<Choices name="{question}" toName="video">'
        + "".join(f'<Choice value="{value}"/>' for value in values)
        + "</Choices>"
        for question, values in QUESTIONS.items()
    )
    return f'<View><Video name="video" value="$video"/>{choices}</View>'


def _label_result(form: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "from_name": question,
            "to_name": "video",
            "type": "choices",
            "value": {"choices": [value]},
        }
        for question, value in form.items()
    ]


def potato(python: Path, folder: Path, port: int) -> dict[str, Any]:
    """Time saving one answer and saving a whole form, which is Potato's way to hand one in."""
    items = [{"id": f"clip-{number}", "text": f"clip {number}"} for number in range(WARM + TIMES)]
    (folder / "items.json").write_text("\n".join(json.dumps(item) for item in items))
    schemes = [
        {
            "annotation_type": "radio",
            "name": question,
            "description": question,
            "labels": list(values),
        }
        for question, values in QUESTIONS.items()
    ]
    config = {
        "annotation_task_name": "six questions", "task_dir": ".", "output_annotation_dir": "out",
        "output_annotation_format": "json", "data_files": ["items.json"],
        "item_properties": {"id_key": "id", "text_key": "text"}, "annotation_schemes": schemes,
        "require_password": True, "user_config": {"allow_all_users": True, "users": []},
        "port": port,
        "secret_key": "only for a bench", "site_dir": "default",
        "alert_time_each_instance": 10_000_000,
    }  # fmt: skip
    (folder / "config.yaml").write_text(json.dumps(config))  # JSON is YAML
    command = [
        str(python.parent / "potato"),
        "start",
        "config.yaml",
        "-p",
        str(port),
        "--host",
        "127.0.0.1",
    ]
    with running(command, folder, port, {}) as server:
        client = Client(port)
        client.call(
            "POST",
            "/register",
            urlencode({"action": "signup", "email": "ann", "pass": "a-long-password"}),
            FORM,
        )
        client.call("GET", "/annotate", None, {})

        def update(number: int, answers: Mapping[str, str]) -> None:
            annotations = {f"{question}:{value}": value for question, value in answers.items()}
            body = {"instance_id": "clip-0", "annotations": annotations, "span_annotations": []}
            said = json.loads(client.call("POST", "/updateinstance", json.dumps(body), JSON))
            if said.get("status") != "success":
                raise PeerFailed(f"Potato did not save: {said}")

        save = timed(server, lambda n: update(n, {"event": _form(n)["event"]}))
        lock = timed(server, lambda n: update(n, _form(n)))
    return {"save": save, "lock": lock}


PEERS: dict[str, Callable[[Path, Path, int], dict[str, Any]]] = {
    "label-studio": label_studio,
    "potato": potato,
}


def measure(tools: Path = TOOLS) -> dict[str, Any]:
    """Return for each peer its version and times, or the reason why there are none."""
    found: dict[str, Any] = {}
    for tool, work in PEERS.items():
        python = python_of(tool, tools)
        if not python.exists():
            found[tool] = {
                "missing": "not installed: run “python -m tests.bench.peers_review --install”"
            }
            continue
        code = f"import importlib.metadata as m; print(m.version({PACKAGES[tool]!r}))"
        version = subprocess.run(
            [python, "-c", code], check=True, capture_output=True, text=True
        ).stdout.strip()
        with tempfile.TemporaryDirectory(prefix=f"fartbench-{tool}-") as folder:
            try:
                found[tool] = {"version": version, **work(python, Path(folder), _free_port())}
            except (PeerFailed, OSError, ValueError, KeyError) as error:
                found[tool] = {
                    "version": version,
                    "missing": f"it could not be measured: {str(error)[-300:]}",
                }
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> int:
    """Measure from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true", help="install both first; takes minutes")
    parser.add_argument(
        "--tools", type=Path, default=TOOLS, help="the folder with an environment for each"
    )
    options = parser.parse_args()
    if options.install:
        install(options.tools)
    found = measure(options.tools)
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    return 1 if any("missing" in peer for peer in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
