"""Times scoring, publishing and reading of rounds on a real database: ``python -m
tests.bench.bench_rounds``.

A release of 25 configurations x 4 scenes x 4 reviewers in a warm process (target: under 2 s), and
the scores and reports of rounds up to 100,000 clips x 4 reviewers x 6 questions (under 60 s and 1.5
GB, growing linearly). Rounds are filled by bulk statements with the write-once guards lifted; the
clips have no files. ``--engine postgres`` starts a PostgreSQL server. ``--release`` also publishes
the large rounds and reads their public pages (under 50 ms of server time each). Status 1 when a
target is missed.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http import HTTPStatus
from itertools import pairwise
from pathlib import Path
from random import Random
from secrets import token_hex
from typing import Any

from tests.servers import postgres_server

SECONDS_RELEASE, SECONDS_LARGE, MEGABYTES_LARGE = 2.0, 60.0, 1536.0
MILLISECONDS_PAGE, PAGE_READS = 50.0, 9
PAGES = ("", "?sort=score&page=2", "scenes/", "scenes/{scene}/", "ratings/", "agreement/",
         "human-ai/", "pairs/",
         "coverage/", "releases/", "configurations/{configuration}/")  # fmt: skip
SIZES = (25, 250, 1000)  # configurations, of 4 scenes x 25 replicates each
REPLICATES, BATCH = 25, 2_000


def say(line: str) -> None:
    """Print one line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of a call and what it returned; of processor time, so that a busy machine
    counts less.
    """
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def peak_megabytes() -> float:
    """The most memory this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def set_up(engine: str, stack: ExitStack) -> None:
    """Start Django on an empty database of this engine, in a folder that goes afterwards."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fartbench-bench-")))
    address = (
        stack.enter_context(postgres_server())
        if engine == "postgres"
        else f"sqlite:///{folder / 'db.sqlite3'}"
    )
    os.environ.update(
        DJANGO_SETTINGS_MODULE="fartbench.settings", DATA_DIR=str(folder), DATABASE_URL=address,
        DEBUG="false",
        SECRET_KEY="only-for-the-bench-0123456789-abc", BASE_URL="http://127.0.0.1:8000",
        CELERY_BROKER_URL="",
    )  # fmt: skip
    import django  # noqa: PLC0415 - its settings are read from what was just set

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", verbosity=0)


def fill(name: str, configurations: int, replicates: int) -> Any:
    """Make a closed round whose whole cohort has locked every sheet, and return it."""
    from django.db import connection, transaction  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from blinding.models import BlindingKey, Stimulus  # noqa: PLC0415
    from fartbench import writeonce  # noqa: PLC0415
    from fartbench.models import RoundState  # noqa: PLC0415
    from generation.models import Cell, Clip, Configuration, Sample  # noqa: PLC0415
    from review.models import AnswerSheet, Form  # noqa: PLC0415
    from review.services import write_forms  # noqa: PLC0415
    from tests.factories import make_cohort, make_round, reviewers_of  # noqa: PLC0415

    round_ = make_round(name=name)
    make_cohort(round_)
    writeonce.uninstall()
    now = timezone.now()
    with transaction.atomic():
        write_forms(round_.protocol)
        named = Configuration.objects.bulk_create(
            Configuration(name=f"{name}-{n:05}", label=f"Configuration {n}")
            for n in range(configurations)
        )
        cells = Cell.objects.bulk_create(
            [Cell(round=round_, configuration=c, scene=s,
                  replicate=r) for c in named for s in round_.scenes
             for r in range(1, replicates + 1)], batch_size=BATCH)  # fmt: skip
        clips = Clip.objects.bulk_create(
            [Clip(sha256=token_hex(32), size=1, facts={}) for _ in cells], batch_size=BATCH
        )
        samples = Sample.objects.bulk_create(
            [
                Sample(cell=cell, clip=clip, state="delivered")
                for cell, clip in zip(cells, clips, strict=True)
            ],
            batch_size=BATCH,
        )
        stimuli = Stimulus.objects.bulk_create(
            [Stimulus(round=round_, scene=cell.scene, sha256=f"{n:064x}", size=1, facts={})
             for n, cell in enumerate(cells)], batch_size=BATCH)  # fmt: skip
        BlindingKey.objects.bulk_create(
            [
                BlindingKey(stimulus=one, sample=other)
                for one, other in zip(stimuli, samples, strict=True)
            ],
            batch_size=BATCH,
        )
        forms = {form.scene: form for form in Form.objects.filter(protocol=round_.protocol)}
        responses = list(answered(stimuli, configurations, replicates))
        sheets = []
        for reviewer in reviewers_of(round_):
            for stimulus, given in zip(stimuli, responses, strict=True):
                sheet = AnswerSheet(
                    reviewer=reviewer,
                    stimulus=stimulus,
                    form=forms[stimulus.scene],
                    source="imported",
                )
                lock(sheet, reviewer.code, round_.protocol, given[len(sheets) // len(stimuli)], now)
                sheets.append(sheet)
        AnswerSheet.objects.bulk_create(sheets, batch_size=BATCH)
        given = [responses[n % len(stimuli)][n // len(stimuli)] for n in range(len(sheets))]
        insert_answers(connection, sheets, given)
        record_locks(round_, sheets)
        round_.state, round_.opened_at, round_.closed_at = RoundState.LOCKED, now, now
        round_.save()
    writeonce.install()
    return round_


def lock(sheet: Any, code: str, protocol: Any, given: Any, now: Any) -> None:
    """Set what a lock sets."""
    from review.services.locking import end_as_locked  # noqa: PLC0415

    end_as_locked(sheet, code, protocol, given, now)


def answered(
    stimuli: list[Any], configurations: int, replicates: int
) -> Iterator[list[dict[str, Any]]]:
    """Yield for each stimulus the answers of four reviewers, better ones for better
    configurations.
    """
    from tests.factories import answers  # noqa: PLC0415

    random = Random(1)
    quiet = answers(
        event="no", cause="na:no_event", detail="no", sound="na:no_sound", timing="na:no_event"
    )
    loud = {
        (fact, rating): answers(cause=fact, sound=rating, timing=rating)
        for fact in ("yes", "no", "unclear")
        for rating in "12345"
    }
    per_configuration = len(stimuli) // configurations
    for number in range(len(stimuli)):
        quality = (number // per_configuration % 25) / 25 + random.gauss(0, 0.2)
        yield [
            quiet
            if random.random() > 0.6 + 0.4 * quality
            else loud[
                "yes"
                if random.random() < 0.3 + 0.6 * quality
                else random.choice(("no", "unclear")),
                str(min(5, max(1, round(1 + 4 * quality + random.gauss(0, 0.8))))),
            ]
            for _ in range(4)
        ]


def insert_answers(connection: Any, sheets: list[Any], given: list[dict[str, Any]]) -> None:
    """Insert all answers by the quickest way the engine has."""
    rows = (
        (sheet.pk, question, response.value, response.na_reason)
        for sheet, responses in zip(sheets, given, strict=True)
        for question, response in responses.items()
    )
    columns = "review_answer (sheet_id, question, value, na_reason)"
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.cursor.connection.executemany(f"INSERT INTO {columns} VALUES (?, ?, ?, ?)", rows)  # noqa: S608
            return
        with cursor.copy(f"COPY {columns} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


def record_locks(round_: Any, sheets: list[Any]) -> None:
    """Write the audit trail's entry of every lock, in one chain."""
    from django.utils import timezone  # noqa: PLC0415

    from fartbench import audit  # noqa: PLC0415
    from fartbench.models import AuditEntry, AuditHead  # noqa: PLC0415

    head = AuditHead.objects.get(pk=1)
    codes = dict(round_.members.values_list("reviewer_id", "reviewer__code"))
    entries = []
    for sheet in sheets:
        entry = AuditEntry(
            sequence=head.sequence + 1, at=timezone.now(), actor=codes[sheet.reviewer_id],
            action="sheet locked",
            round_name=round_.name, details={"stimulus": sheet.stimulus_id, "digest": sheet.digest},
            previous_hash=head.hash,
        )  # fmt: skip
        entry.hash = audit._hash(entry)
        head.sequence, head.hash = entry.sequence, entry.hash
        entries.append(entry)
    AuditEntry.objects.bulk_create(entries, batch_size=BATCH)
    head.save()


def bench_release() -> bool:
    """Publish two small rounds; the second one in a warm process is what counts."""
    from rounds.opening import publish  # noqa: PLC0415

    for name in ("cold", "warm"):
        round_ = fill(name, 25, 1)
        seconds, _ = timed(lambda round_=round_: publish(round_=round_, actor="bench"))
        say(f"release of 25 x 4 x 4, {name} process: {seconds:.2f} s")
    return seconds < SECONDS_RELEASE


def bench_large(size: int, *, release: bool) -> float:
    """Score one large round; return the seconds."""
    from django import db  # noqa: PLC0415

    from fartbench.models import Round  # noqa: PLC0415
    from rounds.opening import publish  # noqa: PLC0415
    from scoring.records.reading import read_round  # noqa: PLC0415
    from scoring.release.kinds import documents_of  # noqa: PLC0415

    name = f"large-{size}"
    db.connections.close_all()  # a connection that two processes share ends for both when one of them lets it go
    child = os.fork()
    if child == 0:  # the making of a round must not count as the memory of scoring it
        seconds, _ = timed(lambda: fill(name, size, REPLICATES))
        say(
            f"{size * 4 * REPLICATES:,} clips, {size * 4 * REPLICATES * 24:,} answers: filled in "
            f"{seconds:.0f} s"
        )
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("The round could not be filled.")
    round_ = Round.objects.select_related("protocol").get(name=name)
    reading, record = timed(lambda: read_round(round_))
    scoring, documents = timed(lambda: documents_of(record))
    total = reading + scoring
    say(f"  read and checked {reading:.1f} s, scored and reported {scoring:.1f} s: {total:.1f} s, "
        f"{peak_megabytes():,.0f} MB at most")  # fmt: skip
    if release:
        del record, documents
        seconds, _ = timed(lambda: publish(round_=round_, actor="bench"))
        say(f"  whole release with all files {seconds:.1f} s, {peak_megabytes():,.0f} MB at most")
        bench_pages(round_)
    return total


def bench_pages(round_: Any) -> None:
    """Read every public page of a published round, and stop when one takes too long."""
    from django.test import Client  # noqa: PLC0415

    cell = round_.cells.select_related("configuration").first()
    known = {"scene": cell.scene, "configuration": cell.configuration.name}
    client = Client()
    slowest = 0.0
    for address in [
        "/",
        "/leaderboards/",
        "/state/",
        *(f"/rounds/{round_.name}/{page.format(**known)}" for page in PAGES),
    ]:
        spent = sorted(
            timed(lambda address=address: _read_page(client, address))[0] for _ in range(PAGE_READS)
        )
        middle = 1000 * spent[PAGE_READS // 2]
        slowest = max(slowest, middle)
        say(f"    {address}: {middle:.1f} ms (at most {1000 * spent[-1]:.1f} ms)")
    if slowest >= MILLISECONDS_PAGE:
        raise SystemExit(
            f"A page took {slowest:.1f} ms of server time; the target is {MILLISECONDS_PAGE:g} ms."
        )


def _read_page(client: Any, address: str) -> None:
    response = client.get(address, headers={"host": "127.0.0.1"})
    if response.status_code != HTTPStatus.OK:
        raise SystemExit(f"{address} answered {response.status_code}.")


def main() -> int:
    """Run everything on one engine and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=SIZES, help="configurations of 100 clips each"
    )
    parser.add_argument(
        "--release", action="store_true", help="also write the whole release of the large rounds"
    )
    options = parser.parse_args()
    with ExitStack() as stack:
        set_up(options.engine, stack)
        good = bench_release()
        spent = [(size, bench_large(size, release=options.release)) for size in options.sizes]
        memory = peak_megabytes()
        for (small, before), (large, after) in pairwise(spent):
            say(f"{large / small:.1f} times the clips took {after / before:.1f} times as long")
        enough = not spent or (
            spent[-1][1] < SECONDS_LARGE and (options.release or memory < MEGABYTES_LARGE)
        )
        from django import db  # noqa: PLC0415

        db.connections.close_all()
    return 0 if good and enough else 1


if __name__ == "__main__":
    sys.exit(main())
