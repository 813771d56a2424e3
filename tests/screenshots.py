"""Pictures of the main pages, on a desk, on a phone and in the dark: ``make screenshots`` writes
docs/screenshots.

It looks at the demonstration in DATA_DIR, which ``manage.py demo --rollouts --no-serve`` has made,
and serves it meanwhile on a free port of the loopback interface. For pages of reviewers it goes
further than the demonstration: the pairs are reached, and one more rollout is drawn, of which
windows wait.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import django
from playwright.sync_api import Browser, Page, sync_playwright

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fartbench.settings")
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps an event loop in this thread
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from blinding.services import request_blinding  # noqa: E402
from fartbench import jobs  # noqa: E402
from fartbench.media.ffmpeg import ffmpeg_binary  # noqa: E402
from fartbench.models import Round, RoundState  # noqa: E402
from fartbench.rounds import Looks, create_round  # noqa: E402
from generation.commissioning import commission  # noqa: E402
from generation.verdicts import waive_verdicts  # noqa: E402
from review.models import CohortMember, Reviewer  # noqa: E402
from review.pairs.selectors import next_pair  # noqa: E402
from review.selectors import next_assignment, training_of  # noqa: E402
from review.services import set_cohort  # noqa: E402
from rounds.opening import open_round  # noqa: E402
from simulation.configurations import built_in_systems  # noqa: E402
from simulation.demo.accounts import ADMIN  # noqa: E402
from simulation.demo.rollouts import ROLLOUTS, WAIVED  # noqa: E402
from simulation.demo.rounds import (  # noqa: E402
    ACTOR,
    FINISHED,
    OPEN,
    PAIRS,
    PILOT,
    SIMULATED,
    YOU,
    answer_as,
    answered,
)
from simulation.demo.simulation import TEMPERS  # noqa: E402
from tests.browser import QUIET_FLAGS  # noqa: E402
from web.pages.published import published_release  # noqa: E402

FOLDER = Path(settings.BASE_DIR) / "docs" / "screenshots"
LOOKS = {
    "desk": {"viewport": {"width": 1366, "height": 768}},
    "phone": {
        "viewport": {"width": 360, "height": 740},
        "device_scale_factor": 2,
        "is_mobile": True,
    },
    "dark": {"viewport": {"width": 1366, "height": 768}, "color_scheme": "dark"},
}
START_SECONDS = 30
PAINT_MS = 300  # a frame that has arrived is yet to be drawn
PICTURES_READY = """() => Promise.all([...document.querySelectorAll("video")].map(
    video => video.readyState > 1 || new Promise(done => {
        video.addEventListener("loadeddata", done);
        setTimeout(done, 5000);
    })
))"""


@dataclass(frozen=True)
class Shot:
    """A page to look at, as whom (no user for a visitor), and what of it should stand at the top of
    the picture.
    """

    name: str
    address: str
    user: User | None = None
    top: str = ""


def shots() -> list[Shot]:
    """Return the pages of a visitor, of the demonstration's invited reviewer and of its admin."""
    release = published_release(FINISHED)
    member, pairs, windows = _begun(OPEN), _begun(PAIRS), _begun(_windows().name)
    training = training_of(member.round)
    answer_as(pairs.round, YOU, TEMPERS[0], answered)  # pairs come after the single clips
    system, scenario = "stream-patchy", "frog-pond-i"
    you, admin = member.reviewer.user, User.objects.get(username=ADMIN)
    leader = release.scores["leaderboard"][0]["configuration"]
    return [
        Shot("home", "/"),
        Shot("leaderboards", "/leaderboards/"),
        Shot("leaderboard", f"/rounds/{FINISHED}/"),
        Shot("configuration", f"/rounds/{FINISHED}/configurations/{leader}/"),
        Shot("judges", f"/rounds/{FINISHED}/human-ai/"),
        Shot("pilot", f"/rounds/{PILOT}/"),
        Shot("state", "/state/"),
        Shot("method", "/method/"),
        Shot("review-queue", "/review/", you),
        Shot("review-training", f"/review/rounds/{OPEN}/training/{training[0].place}/", you),
        Shot("review-form", f"/review/{_due(member.reviewer, member)}/", you),
        Shot("review-pair", f"/review/pairs/{next_pair(pairs.reviewer, pairs.round)}/", you),
        Shot("review-window", f"/review/{_due(windows.reviewer, windows)}/", you),
        Shot("columns", f"/rounds/{ROLLOUTS}/", top=".filter"),
        Shot("system", f"/rounds/{ROLLOUTS}/configurations/{system}/", top=".plot"),
        Shot("timeline", f"/rounds/{ROLLOUTS}/rollouts/{system}/{scenario}/1/", top=".plot"),
        Shot("alignment", f"/rounds/{ROLLOUTS}/alignment/", top=".table-scroll"),
        Shot("staff-rounds", "/staff/", admin),
        Shot("staff-round", f"/staff/rounds/{OPEN}/", admin),
        Shot("staff-audit", "/staff/audit/", admin),
        Shot("staff-health", "/staff/health/", admin),
    ]


def _begun(name: str) -> CohortMember:
    """Return the invited reviewer in a round, as after its start page: this installation is for
    pictures alone.
    """
    member = CohortMember.objects.select_related("reviewer__user", "round").get(
        round__name=name, reviewer__email=YOU
    )
    now, practised = timezone.now(), [clip.pk for clip in training_of(member.round)]
    CohortMember.objects.filter(pk=member.pk).update(
        consented_at=now, sound_checked_at=now, practised=practised
    )
    return member


def _windows() -> Round:
    """Return an open round with windows of one rollout after its updates."""
    protocol = Round.objects.get(name=ROLLOUTS).protocol
    looks = Looks(kinds=("update",))
    round_ = create_round(
        name="windows", protocol=str(protocol), actor=ACTOR, scenes=["frog-pond-i"], looks=looks
    )
    if round_.state == RoundState.DRAFT:
        waive_verdicts(round_=round_, reason=WAIVED, actor=ACTOR)
        commission(round_=round_, configurations=built_in_systems()[:1], seed=1, actor=ACTOR)
        _work()
        round_.refresh_from_db()
        request_blinding(round_=round_, actor=ACTOR)
        _work()
        set_cohort(round=round_, emails=[YOU, *SIMULATED[:2]], actor=ACTOR)
        open_round(round_=round_, actor=ACTOR)
    return round_


def _work() -> None:
    while claim := jobs.claim_next():
        jobs.run(claim)


def _due(reviewer: Reviewer, member: CohortMember) -> str:
    return next_assignment(reviewer, member.round).stimulus_id


@contextmanager
def server() -> Iterator[str]:
    """Serve the installation and yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "fartbench.wsgi",
        "--bind",
        f"127.0.0.1:{port}",
        "--threads",
        "8",
    ]
    process = subprocess.Popen(
        [*command, "--log-level", "warning"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "BASE_URL": address},
    )
    try:
        _wait_for(port)
        yield address
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the web server did not start; its last words stand above")


def take(browser: Browser, base: str, shot: Shot, look: str) -> None:
    """Write one picture."""
    context = browser.new_context(base_url=base, reduced_motion="reduce", **LOOKS[look])
    if shot.user is not None:
        client = Client()
        client.force_login(shot.user)
        cookie = {
            "name": settings.SESSION_COOKIE_NAME,
            "value": client.cookies[settings.SESSION_COOKIE_NAME].value,
        }
        context.add_cookies([{**cookie, "url": base}])
    page = context.new_page()
    _open(page, shot.address)
    if shot.top:
        page.locator(shot.top).first.evaluate("one => one.scrollIntoView()")
        page.wait_for_timeout(PAINT_MS)
    _keep(page.screenshot(), FOLDER / f"{shot.name}-{look}.png")
    context.close()


def _keep(picture: bytes, path: Path) -> None:
    """Write a picture in few colours: a third of the size, and nobody sees it."""
    few = "split[a][b];[a]palettegen=max_colors=192:stats_mode=full[p];[b][p]paletteuse=dither=none"
    command = [
        str(ffmpeg_binary()),
        "-loglevel",
        "error",
        "-y",
        "-i",
        "-",
        "-vf",
        few,
        "-pred",
        "mixed",
        str(path),
    ]
    subprocess.run(command, input=picture, check=True)


def _open(page: Page, address: str) -> None:
    response = page.goto(address)
    if response is None or response.status != 200:
        raise RuntimeError(f"{address} answered {response and response.status}")
    page.evaluate(PICTURES_READY)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(PAINT_MS)


def main() -> None:
    """Write every picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    binary = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
    with server() as base, sync_playwright() as playwright, tempfile.TemporaryDirectory() as home:
        browser = playwright.chromium.launch(
            executable_path=binary,
            args=QUIET_FLAGS,
            env={**os.environ, "HOME": home},
            chromium_sandbox=os.geteuid() != 0,
        )
        for shot in shots():
            for look in LOOKS:
                take(browser, base, shot, look)
        browser.close()
    pictures = len(list(FOLDER.glob("*.png")))
    print(f"{pictures} pictures are in {FOLDER.relative_to(settings.BASE_DIR)}")  # noqa: T201


if __name__ == "__main__":
    main()
