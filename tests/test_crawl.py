"""A reviewer who keeps every byte, header, address and cookie that the product sends learns nothing
about the makers.

Sentinels are planted in every field that names a maker; then all that a reviewer can reach is
fetched and searched.
"""

import gzip
import html
import json
import re
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from django.core.management import call_command
from django.http import HttpResponseBase
from django.test import Client
from pytest_django import DjangoDbBlocker

from blinding.models import BlindingKey, Stimulus
from fartbench.models import Round
from generation.models import Configuration, Family, Sample
from review.models import Assignment, TrainingClip
from review.services import set_cohort
from tests.factories import CORE_R01, make_training_clips, tiny_clip
from tests.kept import kept_rows
from tests.manifests import COLUMNS, SCENES, write_csv

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

CONFIGURATIONS = ("zzconfig-aleph", "zzconfig-beth", "zzconfig-gimel")
EMAILS = [f"r{number}@example.org" for number in range(4)]
LINK = re.compile(r"""(?:href|src|action|data-[a-z-]+)="(/[^"]*)\"""")
IN_JSON = re.compile(r'"(/[a-z][^"\\ ]*)"')


@dataclass
class Kept:
    """Everything a reviewer was sent, by where it came from."""

    answers: dict[str, bytes] = field(default_factory=dict)

    def add(self, name: str, response: HttpResponseBase) -> bytes:
        body = b"".join(response) if response.streaming else response.content  # type: ignore[arg-type,attr-defined]
        if response.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        head = "\n".join(f"{key}: {value}" for key, value in response.headers.items())
        cookies = response.cookies.output() if response.cookies else ""
        self.answers[name] = f"{name}\n{head}\n{cookies}\n".encode() + body
        return body


@pytest.fixture(scope="module")
def sentinels(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[set[str]]:
    with kept_rows(django_db_blocker):
        yield plant(tmp_path_factory.mktemp("clips"))


def plant(folder: Path) -> set[str]:
    """Make a round whose every naming field holds a sentinel, open it, and return the sentinels."""
    call_command("load_protocol", str(CORE_R01))
    call_command("create_round", "blindtest", "--protocol", "core-r01@1.0.0")
    rows = []
    for number, (name, scene) in enumerate((c, s) for c in CONFIGURATIONS for s in SCENES):
        file = folder / f"zzfile-{name}-{scene}.mp4"
        file.write_bytes(tiny_clip(number=number, seconds=1.0))
        cell = {
            "configuration": name,
            "scene": scene,
            "replicate": 1,
            "file": file.name,
            "outcome": "ok",
        }
        rows.append(
            cell
            | {
                "reason": "zzreason",
                "seed": "zzseed",
                "model_version": "zzversion",
                "cost_usd": "77.125",
            }
        )
    rows[-1] |= {"file": "", "outcome": "refused"}
    call_command(
        "import_clips", "blindtest", str(write_csv(folder / "zzmanifest.csv", COLUMNS, rows))
    )
    family = Family.objects.create(name="zzfamily", label="zzfamilylabel")
    Configuration.objects.update(
        label="zzlabel",
        family=family,
        provider="zzprovider",
        model_id="zzmodel",
        parameters={"zzparameter": "zzvalue"},
    )
    call_command("blind", "blindtest")
    make_training_clips(Round.objects.get().protocol)
    call_command("set_cohort", "blindtest", *EMAILS)
    call_command("open_round", "blindtest")
    raw = {sample.clip.sha256 for sample in Sample.objects.exclude(clip=None) if sample.clip}
    orders = set(Round.objects.values_list("seed", flat=True))
    words = "config label family provider model parameter value file reason seed version manifest"
    planted = {"77.125", *(f"zz{word}" for word in words.split())}
    return planted | raw | orders | set(EMAILS[1:])


@pytest.fixture
def client(sentinels: set[str]) -> Client:
    """Return the browser of the first reviewer, who came in by the invite link."""
    round_ = Round.objects.get()
    link = set_cohort(round=round_, emails=EMAILS, actor="test")[0]
    client = Client()
    assert client.post(urlsplit(link.url).path).status_code == 302
    return client


def assignments() -> list[Assignment]:
    return list(
        Assignment.objects.filter(member__reviewer__email=EMAILS[0]).select_related("stimulus")
    )


def links_in(page: str, body: bytes) -> Iterator[str]:
    text = html.unescape(body.decode("utf-8", "ignore"))
    for pattern in (LINK, IN_JSON):
        for found in pattern.findall(text):
            yield urlsplit(urljoin(page, found)).path


def crawl(client: Client, kept: Kept, starts: list[str]) -> None:
    waiting, seen = list(starts), set()
    while waiting:
        path = waiting.pop()
        if path in seen or path.startswith("/logout"):
            continue
        seen.add(path)
        response = client.get(unquote(path))
        body = kept.add(f"GET {path}", response)
        if location := response.headers.get("Location"):
            waiting.append(urlsplit(urljoin(path, location)).path)
        if any(
            kind in response.headers.get("Content-Type", "")
            for kind in ("html", "json", "javascript", "css")
        ):
            waiting += links_in(path, body)


def begin(client: Client, kept: Kept) -> None:
    """Go through the start page and the training."""
    start = "/review/rounds/blindtest/"
    kept.add("start", client.get(start))
    kept.add("miscounted", client.post(f"{start}sound", {"heard": "9"}))
    kept.add(
        "sound", client.post(f"{start}sound", {"heard": client.session["tones"], "volume": "0.5"})
    )
    kept.add("consent", client.post(start, {"agree": "on"}))
    for clip in TrainingClip.objects.all():
        page = f"{start}training/{clip.place}/"
        right = {question: solution.answer for question, solution in clip.solutions.items()}
        kept.add(f"GET {page}", client.get(page))
        kept.add(f"{page} incomplete", client.post(page, {"event": "yes"}))
        kept.add(f"{page} explained", client.post(page, right))
        kept.add(f"GET /media/training/{clip.pk}", client.get(f"/media/training/{clip.pk}"))


def answer(client: Client, kept: Kept) -> None:
    """Do what a reviewer does: begin, save, lock, report, ask for what is not there."""
    begin(client, kept)
    first, second, *_ = [assignment.stimulus_id for assignment in assignments()]
    draft = {"revision": 0, "answers": {"event": "yes"}}
    kept.add(
        "PUT draft", client.put(f"/review/{first}/draft", draft, content_type="application/json")
    )
    kept.add(
        "stale draft", client.put(f"/review/{first}/draft", draft, content_type="application/json")
    )
    kept.add("no JSON", client.put(f"/review/{first}/draft", b"{", content_type="application/json"))
    kept.add("lock too soon", client.post(f"/review/{first}/lock", {"event": "maybe"}))
    whole = {
        "event": "no",
        "cause": "na:no_event",
        "detail": "no",
        "sound": "na:no_sound",
        "timing": "2",
        "people": "5",
    }
    kept.add("lock", client.post(f"/review/{first}/lock", whole))
    kept.add("lock again", client.post(f"/review/{first}/lock", whole))
    kept.add("unplayable", client.post(f"/review/{second}/unplayable", {"reason": "no picture"}))
    kept.add("mistake", client.post(f"/review/{first}/mistake", {"text": "slipped"}))


def test_nothing_that_a_reviewer_can_reach_names_a_maker(
    client: Client, sentinels: set[str]
) -> None:
    kept = Kept()
    answer(client, kept)
    stimuli = [assignment.stimulus_id for assignment in assignments()]
    crawl(
        client,
        kept,
        [
            "/",
            "/review/",
            *(f"/review/{pk}/" for pk in stimuli),
            *(f"/media/{pk}" for pk in stimuli),
        ],
    )
    for path in ("/nowhere/", "/review/nowhere/", "/media/nowhere", "/staff/",
                 "/staff/rounds/blindtest/", "/admin/",
                 "/rounds/blindtest/", "/static/nowhere.css",
                 f"/media/{stimuli[0]}/x"):  # fmt: skip
        kept.add(f"GET {path}", client.get(path))
        kept.add(f"POST {path}", client.post(path))
        kept.add(f"DELETE {path}", client.delete(path))
    kept.add("range", client.get(f"/media/{stimuli[0]}", headers={"Range": "bytes=10-999"}))
    kept.add("no range", client.get(f"/media/{stimuli[0]}", headers={"Range": "bytes=99999999-"}))
    kept.add("head", client.head(f"/media/{stimuli[0]}"))
    suspicious = Client(enforce_csrf_checks=True)
    suspicious.cookies = client.cookies
    kept.add("forged", suspicious.post(f"/review/{stimuli[0]}/lock", {}))
    hits = {
        f"{sentinel!r} in {name}"
        for name, answer in kept.answers.items()
        for sentinel in sentinels
        if sentinel.lower().encode() in answer.lower()
    }
    assert not hits
    # The crawl was no walk in an empty house.
    assert len([name for name in kept.answers if "/media/" in name]) >= len(stimuli)
    assert sum(name.startswith("GET /static/") for name in kept.answers) > 5
    assert any(
        b"Did the sound come from the woman in the yellow raincoat?" in answer
        for answer in kept.answers.values()
    )


def test_an_id_that_is_not_yours_looks_like_one_that_does_not_exist(client: Client) -> None:
    call_command("create_round", "other", "--protocol", "core-r01@1.0.0")
    foreign = Stimulus.objects.create(
        round=Round.objects.get(name="other"), scene="r01-lift", sha256="0" * 64, size=10, facts={}
    ).pk
    nobody = "A" * len(foreign)

    def kept_of(path: str) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        for method in ("get", "post", "put", "head", "delete"):
            response = getattr(client, method)(path)
            body = b"".join(response) if response.streaming else response.content
            # The page repeats the address that was asked for, and a form its one-time token.
            body = re.sub(
                rb'value="[A-Za-z0-9]{64}"',
                b"",
                body.replace(foreign.encode(), b"ID").replace(nobody.encode(), b"ID"),
            )
            answers[method] = (response.status_code, sorted(response.headers.items()), body)
        return answers

    for address in (
        "/media/{}",
        "/review/{}/",
        "/review/{}/draft",
        "/review/{}/lock",
        "/review/{}/unplayable",
        "/review/{}/mistake",
    ):
        assert kept_of(address.format(foreign)) == kept_of(address.format(nobody)), address


def test_pages_and_files_of_one_scene_have_one_size_whoever_made_them(client: Client) -> None:
    begin(client, Kept())
    media: set[str] = set()
    for assignment in assignments():
        response = client.get(f"/media/{assignment.stimulus_id}")
        b"".join(response)  # type: ignore[arg-type]
        media.add(json.dumps(sorted(response.headers.items())))
    assert len(media) == 1
    ids = [len(pk) for pk in Stimulus.objects.values_list("pk", flat=True)]
    assert len(set(ids)) == 1


def test_response_times_do_not_tell_makers_apart(client: Client) -> None:
    """What tells makers apart does so however often one measures; what the machine does otherwise
    passes.
    """
    makers = dict(
        BlindingKey.objects.values_list("stimulus_id", "sample__cell__configuration__name")
    )
    assert any(are_alike(median_times(client, makers)) for _ in range(20))


def are_alike(medians: list[float]) -> bool:
    return max(medians) < 1.5 * min(medians)


def median_times(client: Client, makers: dict[str, str]) -> list[float]:
    times: dict[str, list[float]] = {name: [] for name in CONFIGURATIONS}
    for _ in range(12):  # in turn, so that a busy moment of the machine falls on all alike
        for stimulus, maker in makers.items():
            start = time.perf_counter()
            b"".join(client.get(f"/media/{stimulus}", headers={"Range": "bytes=0-4095"}))  # type: ignore[arg-type]
            times[maker].append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times.values()]
