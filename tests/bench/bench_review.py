"""Times the review's server: ``make bench-review``, or ``python -m tests.bench.bench_review
[--quick]``.

On a PostgreSQL that keeps what it says it keeps, with gunicorn's worker processes and clips of 7
MB: first saving and locking at one request at a time, then many reviewers with a person's think
times, each reading pages and clips. At the end every row is compared with what the clients were
told. The targets of single requests are of the server's time, from gunicorn's own log; what a
client waited, connection included, stands beside it. Exit status 1 when a target is missed or a row
differs.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import psutil

from tests.bench.reviewing import ReviewerClient
from tests.servers import postgres_server

if TYPE_CHECKING:
    from fartbench.models import Round

ROOT = Path(__file__).resolve().parents[2]
CLIP_BYTES = 7_000_000
COHORT = 4
WORKERS = 4
SINGLE = 150  # requests of each kind, one at a time
SAVE_EVERY_S, LOCK_EVERY_S = 5.0, 60.0
MEDIAN_MS, P95_MS, CROWD_P95_MS = 10.0, 20.0, 300.0
GROWTH_MB = 40  # of one worker


def say(line: str) -> None:
    """Print one line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@contextmanager
def installation() -> Iterator[int]:
    """Set up a database and a data folder, point Django at them, and yield a free port."""
    with (
        tempfile.TemporaryDirectory(prefix="fartbench-bench-") as folder,
        postgres_server(durable=True) as database,
    ):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "fartbench.settings",
            "DATABASE_URL": database,
            "DATA_DIR": folder,
            "SECRET_KEY": secrets.token_urlsafe(40),
            "DEBUG": "false",
            "BASE_URL": f"http://127.0.0.1:{port}",
        }
        import django  # noqa: PLC0415 - only now does the environment say where

        django.setup()
        from django.core.management import call_command  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        yield port


def make_rounds(reviewers: int) -> list[Round]:
    """Return open rounds for so many reviewers: four people and eight clips each, all of one 7 MB
    file.
    """
    from blinding.models import Stimulus  # noqa: PLC0415
    from tests import factories  # noqa: PLC0415

    sha256, size = factories.stored_copy(factories.padded(factories.tiny_clip(), CLIP_BYTES))

    def one_file(round_: Round, *, scene: str, data: bytes | None) -> Stimulus:
        facts = {"duration_s": factories.CLIP_SECONDS, "has_audio": True}
        return Stimulus.objects.create(
            round=round_, scene=scene, sha256=sha256, size=size, facts=facts
        )

    factories.make_stimulus = one_file
    return [factories.open_round() for _ in range(reviewers // COHORT)]


def sign_in_all(rounds: list[Round], port: int) -> list[ReviewerClient]:
    """Return a client for each reviewer of the rounds."""
    from django.test import Client  # noqa: PLC0415

    from review.selectors import next_assignment  # noqa: PLC0415
    from tests.factories import reviewers_of  # noqa: PLC0415

    found = []
    for round_ in rounds:
        for reviewer in reviewers_of(round_):
            client = Client()
            client.force_login(reviewer.user)
            due = next_assignment(reviewer, round_)
            assert due is not None
            session = client.cookies["sessionid"].value
            found.append(ReviewerClient(port, session, reviewer.code, due.stimulus_id))
    return found


@contextmanager
def serving(port: int) -> Iterator[list[psutil.Process]]:
    """Run gunicorn and yield its worker processes."""
    command = [sys.executable, "-m", "gunicorn", "fartbench.wsgi", "--bind", f"127.0.0.1:{port}"]
    log = ["--access-logfile", str(_access_log()), "--access-logformat", "%(U)s %(D)s"]
    server = subprocess.Popen(
        [*command, "--workers", str(WORKERS), "--log-level", "warning", *log], cwd=ROOT
    )
    try:
        deadline = time.monotonic() + 60
        while len(workers := psutil.Process(server.pid).children()) < WORKERS or not _answers(port):
            assert time.monotonic() < deadline, "the web server did not start"
            time.sleep(0.2)
        yield workers
    finally:
        server.terminate()
        server.wait()


def _access_log() -> Path:
    return Path(os.environ["DATA_DIR"]) / "access.log"


def _server_ms(call: str, count: int) -> list[float]:
    """Return how long the server took for each of the last ``count`` requests whose address ends
    so.
    """
    deadline = time.monotonic() + 10
    while True:  # a line is written after the answer
        lines = [line.split() for line in _access_log().read_text(encoding="utf-8").splitlines()]
        found = [int(micros) / 1000 for address, micros in lines if address.endswith(f"/{call}")]
        if len(found) >= count or time.monotonic() > deadline:
            return found[-count:]
        time.sleep(0.1)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def one_at_a_time(clients: list[ReviewerClient], workers: list[psutil.Process]) -> bool:
    """Time saves and locks, one request at a time; whether the targets hold."""
    for client in clients[
        : WORKERS * 3
    ]:  # every worker parses the protocol and opens its connection
        client.save({"event": "no"})
        client.seconds.clear()
    good = True
    for kind in ("save", "lock"):
        before = _cpu(workers)
        for number in range(SINGLE):
            client = clients[number % len(clients)]
            client.save(
                {"event": ("yes", "no")[number // len(clients) % 2]}
            ) if kind == "save" else client.lock()
        cpu = (_cpu(workers) - before) / SINGLE * 1000
        waited = median(
            second * 1000 for client in clients for second in client.seconds.pop(kind, [])
        )
        times = _server_ms({"save": "draft", "lock": "lock"}[kind], SINGLE)
        middle, high = median(times), quantiles(times, n=20)[-1]
        good = good and middle <= MEDIAN_MS and high <= P95_MS
        words = (
            f"median {middle:.1f} ms, 95th percentile {high:.1f} ms of the server's time, "
            f"{cpu:.1f} ms of CPU"
        )
        say(f"  {kind}: {words}; a client waited {waited:.1f} ms")
    return good


def _cpu(workers: list[psutil.Process]) -> float:
    return sum(sum(worker.cpu_times()[:2]) for worker in workers)


def crowd(clients: list[ReviewerClient], workers: list[psutil.Process], seconds: float) -> bool:
    """Let all review at once; whether no call failed for good, the times hold and memory stays
    bounded.
    """
    until = time.monotonic() + seconds
    before = [worker.memory_info().rss for worker in workers]
    people = [threading.Thread(target=_review, args=(client, until)) for client in clients]
    for person in people:
        person.start()
    for person in people:
        person.join()
    good = True
    for kind in ("save", "lock", "page", "range"):
        times = sorted(
            second * 1000 for client in clients for second in client.seconds.get(kind, [])
        )
        if len(times) > 1:
            high = quantiles(times, n=20)[-1]
            good = good and high <= CROWD_P95_MS
            say(
                f"  {kind}: {len(times)} calls, median {median(times):.1f} ms, 95th percentile "
                f"{high:.1f} ms"
            )
    failed = [words for client in clients for words in client.failed]
    growth = (
        max(worker.memory_info().rss - was for worker, was in zip(workers, before, strict=True))
        / 2**20
    )
    retries = sum(client.retries for client in clients)
    say(
        f"  {retries} calls mended by a retry, {len(failed)} not; the largest worker grew by "
        f"{growth:.0f} MB"
    )
    for words in failed[:5]:
        say(f"    {words}")
    return good and not failed and growth <= GROWTH_MB


def _review(client: ReviewerClient, until: float) -> None:
    """One person: a change every five seconds, a lock a minute, the page and the clip before each
    sheet.
    """
    luck = random.Random(client.code)
    time.sleep(luck.uniform(0, SAVE_EVERY_S))
    lock_at = time.monotonic() + luck.uniform(SAVE_EVERY_S, LOCK_EVERY_S)
    client.read_page()
    client.read_clip(CLIP_BYTES)
    while time.monotonic() < until and client.stimulus:
        if time.monotonic() >= lock_at:
            client.lock()
            lock_at += LOCK_EVERY_S
            if client.stimulus:
                client.read_page()
                client.read_clip(CLIP_BYTES)
        else:
            question = luck.choice(["sound", "timing", "people"])
            client.save({"event": "yes", question: luck.choice("12345")})
        time.sleep(luck.uniform(0.5, 1.5) * SAVE_EVERY_S)


def differences(clients: list[ReviewerClient]) -> list[str]:
    """Compare every row with what the clients were told, and return what differs in words."""
    from fartbench import audit  # noqa: PLC0415
    from fartbench.models import AuditEntry  # noqa: PLC0415
    from review.models import AnswerSheet  # noqa: PLC0415

    told = {
        (client.code, stimulus): note
        for client in clients
        for stimulus, note in client.told.items()
    }
    rows = {
        (sheet.reviewer.code, sheet.stimulus_id): sheet
        for sheet in AnswerSheet.objects.select_related("reviewer").prefetch_related("answers")
    }
    found = [f"{place}: told of, not stored" for place in told.keys() - rows.keys()]
    found += [f"{place}: stored, told nobody" for place in rows.keys() - told.keys()]
    for place, note in told.items():
        if sheet := rows.get(place):
            stored = {question: str(response) for question, response in sheet.responses().items()}
            if (stored, sheet.locked_at is not None) != (note.answers, note.locked):
                found.append(f"{place}: told {note}, stored {stored}, locked {sheet.locked_at}")
    locked = sum(note.locked for note in told.values())
    if AuditEntry.objects.filter(action="sheet locked").count() != locked:
        found.append(f"{locked} locks were told, and the audit trail has another number")
    say(
        f"  {len(told)} sheets, {locked} of them locked, compared row by row: {len(found)} "
        "differences"
    )
    return found + list(audit.faults())


def main() -> int:
    """Run both parts and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reviewers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120, help="how long they review at once")
    parser.add_argument("--quick", action="store_true", help="40 reviewers for 20 seconds")
    options = parser.parse_args()
    reviewers, seconds = (40, 20.0) if options.quick else (options.reviewers, options.seconds)
    with installation() as port:
        clients = sign_in_all(make_rounds(reviewers), port)
        with serving(port) as workers:
            say(f"One request at a time, {WORKERS} worker processes, {os.cpu_count()} cores:")
            single = one_at_a_time(clients, workers)
            say(
                f"{len(clients)} reviewers for {seconds:.0f} s, clips of {CLIP_BYTES / 1e6:.0f} MB:"
            )
            together = crowd(clients, workers, seconds)
        faults = differences(clients)
        for fault in faults[:10]:
            say(f"    {fault}")
    say(
        f"Targets at one request at a time (median {MEDIAN_MS:.0f} ms, 95th {P95_MS:.0f} ms) "
        f"{_word(single)}; "
    )
    say(
        f"together (95th {CROWD_P95_MS:.0f} ms, no lasting error, {GROWTH_MB} MB a worker) "
        f"{_word(together)}."
    )
    return 0 if single and together and not faults else 1


def _word(good: bool) -> str:
    return "hold" if good else "are MISSED"


if __name__ == "__main__":
    sys.exit(main())
