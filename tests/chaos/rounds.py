"""A whole round of 20 reviewers over HTTP while everything that can fail does: ``make chaos``.

    python -m tests.chaos.rounds [--reviewers 20] [--configurations 2] [--minutes 4] [--seed 1]

PostgreSQL, Redis, gunicorn and two Celery workers run on this machine. While clips are imported and
blinded, while people review, and while the round is closed, scored and published, processes are
killed with SIGKILL, the database and Redis are restarted, the database is crashed, disks are full,
clocks jump and the files are away, at random. Afterwards every answer that a person was told is
saved must be there, once; the round must have gone on to its release, and the release and the audit
trail must verify. Prints a ledger; status 1 when any of that does not hold.
"""

# ruff: noqa: PLC0415, T201 - Django can be imported only when its settings are there; a program of its own
from __future__ import annotations

import argparse
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.installation import BASE, NO_ROOM, Installation
from tests.chaos.reviewing import Person

ROUND = "chaos"
SCENES = ("r01-lift", "r01-squat", "r01-chair", "r01-toast")
CALLS_A_SHEET = 7.3  # a page, two pieces of a clip, three to four saves, a lock
COMMAND_TIMEOUT_S = 600
MOST_TIMES = 2  # of the time that the people need anyway; after that they finish undisturbed


@dataclass
class Ledger:
    """What was done to the installation, and what came of it."""

    seed: int = 0
    harm: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    replies: Counter[str] = field(default_factory=Counter)
    logins: int = 0
    saved: int = 0
    sheets: int = 0
    seconds: float = 0.0
    release: str = ""
    faults: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return it as text."""
        harm = "\n".join(f"  {count:4} x {name}" for name, count in sorted(self.harm.items()))
        return [
            f"Done to the installation in {self.seconds:.0f} s:\n{harm}",
            "Commands, with how often each was run until it had done its work: "
            f"{dict(self.commands)}",
            f"Calls by answer: {dict(sorted(self.replies.items()))}; {self.logins} logins in the "
            "middle of the work",
            f"{self.saved} answers in {self.sheets} sheets were reported as saved and locked, and "
            "compared row by row",
            f"Release: {self.release or 'none'}",
            *(f"DOES NOT HOLD: {fault}" for fault in self.faults),
            f"Lost or wrong: {len(self.faults) or 'nothing'}. Repeat with SEED={self.seed}.",
        ]


def run(
    *,
    reviewers: int,
    configurations: int,
    scenes: int,
    minutes: float,
    kills: int,
    once: bool,
    seed: int,
) -> Ledger:
    """Run it in a folder of its own, which goes afterwards; return the ledger."""
    folder = Path(tempfile.mkdtemp(prefix="fartbench-chaos-", dir="/tmp"))
    folder.chmod(0o755)  # under root PostgreSQL runs as nobody, who must get in
    place = Installation(folder, queue_workers=1 if once else 2)
    os.environ.update(place.environment)
    start, ledger = time.monotonic(), Ledger(seed)
    try:
        place.start()
        course = _Course(
            place, ledger, random.Random(seed), minutes=minutes, kills=kills, once=once
        )
        course.run(reviewers, configurations, SCENES[:scenes])
    finally:
        _disconnect()
        place.stop()
        shutil.rmtree(folder, ignore_errors=True)
    ledger.seconds = time.monotonic() - start
    return ledger


class _Course:
    """The steps of the round, and the harm done meanwhile."""

    def __init__(
        self,
        place: Installation,
        ledger: Ledger,
        luck: random.Random,
        *,
        minutes: float,
        kills: int,
        once: bool,
    ) -> None:
        self.place, self.ledger, self.luck, self.kills, self.once = place, ledger, luck, kills, once
        self.minutes, self.start = minutes, time.monotonic()

    def run(self, reviewers: int, configurations: int, scenes: tuple[str, ...]) -> None:
        _django()
        self._command("migrate", "--verbosity", "0")
        self._command("load_protocol", "fixtures/protocols/core-r01/1.0.0")
        self._command(
            "create_round",
            ROUND,
            "--protocol",
            "core-r01@1.0.0",
            *(f"--scene={key}" for key in scenes),
        )
        self.place.wait_for_web()
        manifest = self._manifest(configurations, scenes)
        self._command("import_clips", ROUND, manifest, kills=2 * self.kills)
        self._blind()
        people = self._people(reviewers, configurations * len(scenes))
        self._review(people)
        self._compare(people)
        self._command("close_round", ROUND, kills=self.kills)
        self._command("score", ROUND, kills=self.kills)
        self._command("publish", ROUND, kills=self.kills, full_disk=True)
        self._check_release()

    def _manifest(self, configurations: int, scenes: tuple[str, ...]) -> str:
        from tests.manifests import Lab

        (self.place.folder / "lab").mkdir()
        names = tuple(f"model-{number}" for number in range(configurations))
        return str(Lab(self.place.folder / "lab", configurations=names, scenes=scenes).manifest())

    def _blind(self) -> None:
        """Leave the copies to the queue under harm; the command makes what is left then."""
        from blinding.services import request_blinding
        from fartbench.rounds import find_round

        self._persistently(lambda: request_blinding(round_=find_round(ROUND), actor="chaos"))
        for harm in (
            self.place.kill_queue_worker,
            self.place.fill_worker_disk,
            self.place.lose_storage,
        ):
            self._do(harm)
        self._command("blind", ROUND, kills=2 * self.kills)

    def _people(self, count: int, clips: int) -> list[Person]:
        """Open the round and let everybody in: the cohort, and the others beside it."""
        from fartbench.rounds import find_round
        from review.services import set_cohort
        from rounds.changes import invite_secondary

        size = find_round(ROUND).protocol.rules.cohort.size
        emails = [f"person-{number}@example.org" for number in range(count)]
        links = set_cohort(round=find_round(ROUND), emails=emails[:size], actor="chaos")
        self._command("open_round", ROUND, kills=self.kills)
        links += [
            invite_secondary(round_=find_round(ROUND), email=one, actor="chaos")
            for one in emails[size:]
        ]
        self.place.wait_for_web()
        think_s = 60 * self.minutes / (clips * CALLS_A_SHEET)
        people = [Person(self.place.port, self.luck.randrange(2**32), think_s) for _ in links]
        for person, link in zip(people, links, strict=True):
            person.enter(link.url, link.code, ROUND)
        return people

    def _review(self, people: list[Person]) -> None:
        from review.models import CohortMember

        first = {
            member.reviewer.code: member.assignments.order_by("position").values_list(
                "stimulus_id", flat=True
            )[0]
            for member in CohortMember.objects.select_related("reviewer")
        }
        threads = [
            threading.Thread(target=person.review, args=(first[person.code],)) for person in people
        ]
        for thread in threads:
            thread.start()
        try:
            self._harm_while(lambda: any(thread.is_alive() for thread in threads))
        finally:
            for person in people:
                person.stopping.set()
            for thread in threads:
                thread.join()

    def _harm_while(self, is_going: Callable[[], bool]) -> None:
        """Do every kind of harm in turn, shuffled anew each time, while people are at work, but not
        without end.
        """
        place = self.place
        kinds = [
            place.kill_web_worker, place.kill_web_server, place.kill_queue_worker,
            place.restart_postgres, place.crash_postgres, place.restart_redis,
            place.fill_database_disk,
            place.jump_clock, place.lose_storage, *([] if self.once else [place.kill_web_worker]),
        ]  # fmt: skip
        until = time.monotonic() + MOST_TIMES * 60 * self.minutes
        waiting = self.luck.sample(kinds, len(kinds))
        while waiting:
            self._do(waiting.pop())
            pause = time.monotonic() + self.luck.uniform(0.5, 4)
            while is_going() and time.monotonic() < pause:
                time.sleep(0.1)
            if (
                not waiting and is_going() and time.monotonic() < until and not self.once
            ):  # even a short round goes through all kinds once
                waiting = self.luck.sample(kinds, len(kinds))
        while is_going():
            place.keep_up()
            time.sleep(0.2)
        place.wait_for_web()

    def _do(self, harm: Any) -> None:
        self._note(_words(harm).lower())
        _disconnect()
        harm(self.luck)
        self.ledger.harm[_words(harm)] += 1
        self.place.keep_up()

    def _compare(self, people: list[Person]) -> None:
        """Compare every row with what the people were told."""
        self._persistently(lambda: self.ledger.faults.extend(_differences(people)))
        for person in people:
            self.ledger.replies += person.replies
            self.ledger.logins += person.logins
            self.ledger.faults += person.faults
            self.ledger.sheets += sum(told.locked for told in person.told.values())
            self.ledger.saved += sum(len(told.answers) for told in person.told.values())

    def _check_release(self) -> None:
        from scoring.models import Release

        for release in Release.objects.select_related("round"):
            self._command("verify_release", str(release.folder))
            self.ledger.release = f"{release}, SHA-256 {release.digest}, verified"
        self._command("verify_audit")

    def _command(self, *arguments: str, kills: int = 0, full_disk: bool = False) -> None:
        """Run a command: first killed at random, then with a full disk, and then left alone, when
        it must end well.
        """
        for attempt in range(kills + full_disk):
            self.ledger.commands[arguments[0]] += 1
            done = self._once(arguments, full_disk=attempt == kills)
            if done and done.returncode == 0:
                return
        from django.core.management import call_command

        self._note(arguments[0])
        self.ledger.commands[arguments[0]] += 1
        self._persistently(
            lambda: call_command(*arguments, stdout=io.StringIO(), stderr=io.StringIO())
        )

    def _once(
        self, arguments: tuple[str, ...], *, full_disk: bool
    ) -> subprocess.CompletedProcess[str] | None:
        command = [sys.executable, "manage.py", *arguments]
        if full_disk:
            command = ["prlimit", f"--fsize={NO_ROOM}", "--", *command]
            self.ledger.harm["Run a command on a full disk"] += 1
        wait = COMMAND_TIMEOUT_S if full_disk else self.luck.uniform(0.6, 2.5)
        process = subprocess.Popen(
            command, cwd=BASE, env=self.place.environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        try:
            out, err = process.communicate(timeout=wait)
        except subprocess.TimeoutExpired:
            from tests.chaos.servers import family_of, kill_all

            kill_all(family_of(process.pid))
            process.communicate()
            self.ledger.harm["Kill a command"] += 1
            return None
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def _note(self, words: str) -> None:
        """Say on standard error what is going on, for whoever waits."""
        print(f"{time.monotonic() - self.start:5.0f} s  {words}", file=sys.stderr, flush=True)

    def _persistently(self, work: Callable[[], Any]) -> None:
        from django.core.management import CommandError
        from django.db import DatabaseError

        last: Exception | None = None
        for _ in range(120):
            try:
                work()
            except (DatabaseError, CommandError) as error:
                last = error
            else:
                return
            _disconnect()
            time.sleep(1)
        raise SystemExit(f"This does not end well, however often it is done: {last}")


def _differences(people: list[Person]) -> list[str]:
    from fartbench.models import AuditEntry
    from operations.auditing import trail_faults
    from review.models import AnswerSheet

    told = {(person.code, clip): note for person in people for clip, note in person.told.items()}
    sheets = list(AnswerSheet.objects.select_related("reviewer").prefetch_related("answers"))
    rows = {(sheet.reviewer.code, sheet.stimulus_id): sheet for sheet in sheets}
    found = [f"{place}: told of, not stored" for place in told.keys() - rows.keys()]
    found += [f"{place}: stored, told nobody" for place in rows.keys() - told.keys()]
    found += [f"{len(sheets) - len(rows)} sheets stand twice"] if len(sheets) != len(rows) else []
    for place, note in told.items():
        if sheet := rows.get(place):
            stored = {question: str(response) for question, response in sheet.responses().items()}
            if (stored, sheet.locked_at is not None) != (note.answers, note.locked):
                found.append(f"{place}: told {note}, stored {stored}, locked {sheet.locked_at}")
    locks = Counter(
        (actor, details["stimulus"])
        for actor, details in AuditEntry.objects.filter(action="sheet locked").values_list(
            "actor", "details"
        )
    )
    found += [f"{place}: locked {count} times" for place, count in locks.items() if count > 1]
    return found + list(trail_faults())


def _words(harm: Any) -> str:
    return str(harm.__name__.replace("_", " ").capitalize())


def _django() -> None:
    import django

    django.setup()


def _disconnect() -> None:
    from django.db import connections

    connections.close_all()


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reviewers", type=int, default=20)
    parser.add_argument("--configurations", type=int, default=2)
    parser.add_argument(
        "--scenes", type=int, default=len(SCENES), help="how many of the protocol's scenes"
    )
    parser.add_argument(
        "--minutes", type=float, default=4, help="how long the people review, about"
    )
    parser.add_argument(
        "--kills", type=int, default=1, help="how often each command of the round is killed"
    )
    parser.add_argument("--once", action="store_true", help="do each kind of harm once, and stop")
    parser.add_argument("--seed", type=int, default=1, help="of what is done when")
    options = vars(parser.parse_args())
    print(f"Seed {options['seed']}", flush=True)
    ledger = run(**options)
    print("\n".join(ledger.lines()))
    return 1 if ledger.faults else 0


if __name__ == "__main__":
    sys.exit(main())
