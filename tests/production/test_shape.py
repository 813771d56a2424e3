"""The whole shape as it runs in service, on loopback.

PostgreSQL, Redis, an S3 server, two Celery workers set apart by queue, gunicorn behind nginx: a
round goes through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from django.conf import settings as project
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from blinding.models import Stimulus
from blinding.services import request_blinding
from fartbench.models import Round, WorkerBeat
from fartbench.stores import raw_clips
from generation.models import Clip
from review.models import Assignment
from review.services import set_cohort
from tests.factories import CORE_R01
from tests.manifests import COLUMNS, Lab, write_csv
from tests.production.servers import Bucket, answers, celery_worker, gunicorn, nginx, wait_for
from tests.servers import START_SECONDS, free_ports

pytestmark = [pytest.mark.engine("postgres"), pytest.mark.django_db(transaction=True)]

# All that an answer with a clip may carry. nginx sets Date and Connection itself.
HEADERS = {
    "accept-ranges", "cache-control", "connection", "content-length", "content-range",
    "content-security-policy",
    "content-type", "cross-origin-opener-policy", "cross-origin-resource-policy", "date",
    "referrer-policy", "server",
    "x-content-type-options", "x-frame-options",
}  # fmt: skip


@pytest.fixture
def site(
    process_environment: dict[str, str],
    redis_broker: str,
    bucket: Bucket,
    settings: Any,
    tmp_path: Path,
) -> Iterator[str]:
    """Run all of it and yield the address of nginx."""
    port, web = free_ports(2)
    settings.CELERY_BROKER_URL = redis_broker
    environment = process_environment | bucket.environment | {
        "CELERY_BROKER_URL": redis_broker, "DATA_DIR": str(project.DATA_DIR), "BASE_URL": f"http://127.0.0.1:{port}",
        "X_ACCEL_PREFIX": "/protected", "BEHIND_PROXY": "true", "SECRET_KEY": project.SECRET_KEY,
    }  # fmt: skip
    (tmp_path / "nginx").mkdir()
    elsewhere = environment | {"DATA_DIR": str(tmp_path / "other-machine")}
    sweeping = ["-Q", "submit,poll,sweep", "-B", "-s", str(tmp_path / "beat")]
    with ExitStack() as running:
        running.enter_context(celery_worker(environment, "asking", *sweeping))
        running.enter_context(celery_worker(elsewhere, "media", "-Q", "media"))
        running.enter_context(gunicorn(environment, web, "--workers", "1"))
        address = running.enter_context(nginx(tmp_path / "nginx", port=port, web=web))
        wait_for(lambda: answers(f"http://127.0.0.1:{web}/healthz"))
        yield address


def test_a_round_goes_through_the_whole_shape_and_stays_blind(
    site: str, bucket: Bucket, tmp_path: Path
) -> None:
    round_ = blinded_round(tmp_path)
    stored = set(Clip.objects.values_list("sha256", flat=True))
    assert {
        name.rpartition("/")[2] for name in bucket.names() if name.startswith("clips/")
    } == stored
    links = set_cohort(
        round=round_, emails=[f"p{number}@example.org" for number in range(4)], actor="test"
    )
    call_command("open_round", "real", verbosity=0)
    with httpx.Client(base_url=site, trust_env=False, timeout=START_SECONDS) as reviewer:
        came_in(reviewer, links[0].url)
        assert reviewer.get(f"/media/{Stimulus.objects.all()[0].pk}").status_code == 404, (
            "before the start page"
        )
        round_.members.update(consented_at=timezone.now(), sound_checked_at=timezone.now())
        stays_blind(reviewer)
    with httpx.Client(base_url=site, trust_env=False, timeout=START_SECONDS) as outsider:
        shut_to_everybody(outsider)
    wrong_passwords_are_counted_by_person(site)
    assert (tmp_path / "nginx" / "access.log").read_bytes() == b"", (
        "who looked at what is nobody's business"
    )
    wait_for(
        lambda: (
            {"submit", "poll", "media"} <= set(WorkerBeat.objects.values_list("queue", flat=True))
        )
    )


def blinded_round(folder: Path) -> Round:
    """Import clips here and let the worker on the other machine, which has none of them, make the
    blind copies.
    """
    lab = Lab(folder, configurations=("alpha", "beta", "gamma"), scenes=("r01-lift",))
    call_command("load_protocol", str(CORE_R01), verbosity=0)
    call_command("create_round", "real", "--protocol", "core-r01@1.0.0", "--scene", "r01-lift")
    call_command(
        "import_clips",
        "real",
        str(write_csv(folder / "manifest.csv", COLUMNS, lab.rows)),
        verbosity=0,
    )
    round_ = Round.objects.get(name="real")
    request_blinding(round_=round_, actor="test")
    wait_for(lambda: Stimulus.objects.filter(round=round_).count() == 3)
    return round_


def came_in(reviewer: httpx.Client, link: str) -> None:
    page = reviewer.get(urlsplit(link).path)
    token = page.text.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    entered = reviewer.post(
        urlsplit(link).path, data={"csrfmiddlewaretoken": token}, headers={"Referer": link}
    )
    assert entered.status_code == 302, entered.text


def stays_blind(reviewer: httpx.Client) -> None:
    """Every clip comes through nginx with the same headers, in ranges too, and they say nothing."""
    stimuli = [
        row.stimulus
        for row in Assignment.objects.filter(member__place=1).select_related("stimulus")
    ]
    assert len(stimuli) == 3
    heads: dict[str, set[tuple[tuple[str, str], ...]]] = {}
    for stimulus in stimuli:
        whole = reviewer.get(f"/media/{stimulus.pk}")
        part = reviewer.get(f"/media/{stimulus.pk}", headers={"Range": "bytes=100-299"})
        several = reviewer.get(f"/media/{stimulus.pk}", headers={"Range": "bytes=0-1,5-6"})
        outside = reviewer.get(
            f"/media/{stimulus.pk}", headers={"Range": f"bytes={stimulus.size}-"}
        )
        head = reviewer.head(f"/media/{stimulus.pk}")
        statuses = [answer.status_code for answer in (whole, part, several, outside, head)]
        assert statuses == [200, 206, 200, 416, 200]
        assert whole.content == stimulus.path.read_bytes()
        assert part.content == whole.content[100:300]
        assert part.headers["Content-Range"] == f"bytes 100-299/{stimulus.size}"
        assert head.headers["Content-Length"] == str(stimulus.size)
        for name, answer in {
            "whole": whole,
            "part": part,
            "several": several,
            "outside": outside,
            "head": head,
        }.items():
            heads.setdefault(name, set()).add(told(answer.headers))
        assert set(whole.headers) | set(part.headers) <= HEADERS
        assert whole.headers["Cache-Control"] == "private, no-store"
        assert whole.headers["Server"] == "nginx"
        # A copy in the browser's cache cannot be asked about by date or tag either.
        asked = {"If-Modified-Since": "Mon, 30 Nov 2037 00:00:00 GMT", "If-None-Match": "*"}
        assert reviewer.get(f"/media/{stimulus.pk}", headers=asked).status_code == 200
    assert {name: len(told) for name, told in heads.items()} == dict.fromkeys(heads, 1)


def told(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in headers.items() if name != "date"))


def shut_to_everybody(outsider: httpx.Client) -> None:
    stimulus, clip = Stimulus.objects.first(), Clip.objects.first()
    assert stimulus is not None
    assert clip is not None
    where = stimulus.path.relative_to(project.DATA_DIR).as_posix()
    raw = raw_clips().path(clip.sha256).relative_to(project.DATA_DIR).as_posix()
    for path in (f"/protected/{where}", f"/protected/{raw}", f"/protected/blind/../{raw}",
                 f"/{raw}", f"/{where}",
                 f"/media/{stimulus.pk}", "/metrics",
                 "/protected/blind/%2e%2e/secret_key"):  # fmt: skip
        assert outsider.get(path).status_code in {400, 404}, path
    assert connection.vendor == "postgresql"


def wrong_passwords_are_counted_by_person(site: str) -> None:
    """What ends TLS in front of nginx says where a request comes from; what a client claimed before
    that is nothing.
    """
    with httpx.Client(base_url=site, trust_env=False) as stranger:
        token = (
            stranger.get("/login/")
            .text.partition('name="csrfmiddlewaretoken" value="')[2]
            .partition('"')[0]
        )

        def tries(forwarded: str) -> int:
            fields = {"csrfmiddlewaretoken": token, "username": "ada", "password": "wrong"}
            headers = {"Referer": f"{site}/login/", "X-Forwarded-For": forwarded}
            return stranger.post("/login/", data=fields, headers=headers).status_code

        assert [tries(f"203.0.113.{number}, 198.51.100.1") for number in range(6)] == [200] * 5 + [
            429
        ]
        assert tries("198.51.100.2") == 200, "somebody else's guesses keep nobody out"
