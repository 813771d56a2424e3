"""Rollouts with planted defects, measured as rows after the close, and shown on the pages of the
published round.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from fartbench import jobs, writeonce
from fartbench.models import AuditEntry, Round, RoundState
from fartbench.rounds import StepOutOfOrder
from fartbench.storage import file_sha256
from fartbench.stores import raw_clips
from generation.models import Chunk, Clip, Sample
from measuring import rollouts as measuring
from measuring.models import MeasurementRow
from measuring.plug_ins.port import PlugIn
from measuring.rollouts import due_tasks, measure_round, request_measuring
from rounds import opening as rounds
from rounds.due import due_step
from scoring.records.reading import read_round
from scoring.release.kinds import documents_of
from tests.drawn_rollouts import BROKEN, CLEAN, PLANTED
from tests.factories import make_staff
from tests.streamav.rollout_record import make_round, streamav
from tests.streamav.rollout_rows import store
from tests.streamav.scripts import drawn
from tests.unguarded import set_state, unguarded

pytestmark = pytest.mark.django_db
SCENE = next(
    one.key for one in streamav().protocol.rollouts.scenarios if one.track == "interactive"
)
PLANS = {"broken": BROKEN, "clean": CLEAN}
PLUG_INS = 6


@pytest.fixture
def closed(rollouts: dict[str, Any]) -> Round:
    """A closed round of two systems: one rollout is clean, the other has a defect of each kind;
    both were logged.
    """
    round_ = store(make_round(drawn, configurations=list(PLANS), scenarios=[SCENE]))
    for sample in Sample.objects.filter(cell__round=round_).select_related("cell__configuration"):
        name = sample.cell.configuration.name
        with unguarded():
            Sample.objects.filter(pk=sample.pk).update(clip=stored(rollouts[name][0].read_bytes()))
        log_chunks(sample, PLANS[name])
    return round_


def stored(content: bytes) -> Clip:
    with raw_clips().scratch(".mp4") as scratch:
        scratch.write_bytes(content)
        sha256 = file_sha256(scratch)
        raw_clips().keep(scratch, sha256=sha256)
    return Clip.objects.get_or_create(sha256=sha256, defaults={"size": len(content), "facts": {}})[
        0
    ]


def log_chunks(sample: Sample, plan: Any) -> None:
    edges = [0, *plan.boundaries, plan.frames]
    rate = plan.geometry.frame_rate
    with unguarded():  # the round is closed
        Chunk.objects.bulk_create(
            Chunk(sample=sample, index=n, frame_start=start, frames=stop - start,
                  media_s=start / rate, wall_s=2.0 + n, source="logged")
            for n, (start, stop) in enumerate(pairwise(edges))
        )  # fmt: skip


def columns_of(round_: Round) -> dict[str, Any]:
    systems = documents_of(read_round(round_)).scores["readings"][0]["systems"]
    return {one["configuration"]: one["columns"]["180"]["all"] for one in systems}


def test_planted_defects_are_found_at_their_boundaries_and_stand_on_the_page_beside_the_clean_score(
    closed, client
):
    assert due_step(closed).key == "measure"
    assert measure_round(round_=closed, actor="test") == 2 * (
        1 + PLUG_INS - 2
    )  # two plug-ins are of the other track
    assert due_step(closed).key == "publish"
    columns = columns_of(closed)
    assert columns["clean"]["NBC"]["value"] == 100
    assert columns["broken"]["NBC"]["value"] < 100
    assert columns["clean"]["FPS"]["value"] == pytest.approx(
        CLEAN.frames / (2 + len(CLEAN.boundaries))
    )
    assert columns["clean"]["TTFC"]["value"] == 2
    assert columns["clean"]["VA"]["reasons"] == {
        "unavailable": "no weights: WEIGHTS_DIR is not there"
    }
    # The prompt at 30 s has a whole window in 38 s; those after the end have none, and are left
    # out.
    found = MeasurementRow.objects.filter(metric="PVC", sample__cell__configuration__name="clean")
    assert [row.place for row in found if row.status == "computed"] == ["P1"]

    rounds.publish(round_=closed, actor="test")
    page = client.get(reverse("rollout", args=["rollouts", "broken", SCENE, 1])).content.decode()
    for kind, boundary in PLANTED.items():  # one of every kind
        at_s = BROKEN.boundaries[boundary] / BROKEN.geometry.frame_rate
        row = nearest(page, at_s)
        assert row is not None, f"{kind} at {at_s} s is not on the page"
    assert {row["flashes"] for row in rows(page)} == {0, 2}
    assert "100.0" in page[page.index("by system") :]  # the clean rollout of the same scenario
    whole = client.get(reverse("rollout", args=["rollouts", "clean", SCENE, 1])).content.decode()
    assert "None is below 100: nothing was lost at any of 34 boundaries." in whole
    drawing = client.get(reverse("rollout-timeline", args=["rollouts", "broken", SCENE, 1]))
    assert drawing["Content-Type"] == "image/svg+xml"
    assert drawing.content.decode().count('class="bad"') >= len(PLANTED)
    assert "P1" in drawing.content.decode()


def rows(page: str) -> list[dict[str, float]]:
    """Return the table of the worst boundaries, as a visitor reads it."""
    table = page[page.index("Longest frozen") :]
    texts = re.findall(
        r"<t[hd][^>]*>([^<]*)</t[hd]>", table[table.index("<tbody>") : table.index("</tbody>")]
    )
    cells = [float(text.removesuffix(" s")) for text in texts]
    names = ("at_s", "score", "black", "repeated", "frozen_s", "flashes")
    return [dict(zip(names, cells[n : n + 6], strict=True)) for n in range(0, len(cells), 6)]


def nearest(page: str, at_s: float) -> dict[str, float] | None:
    """Return the row whose window (2 s to each side) holds a defect that begins at a boundary."""
    return next(
        (row for row in rows(page) if abs(row["at_s"] - at_s) <= 2 and row["score"] < 100), None
    )


def test_an_interrupted_run_goes_on_and_a_second_one_finds_nothing(closed, monkeypatch):
    done: list[str] = []

    def stop() -> None:
        done.append("one")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_round(round_=closed, actor="test", on_task=stop)
    left = len(due_tasks(closed))
    assert measure_round(round_=closed, actor="test") == left
    assert due_tasks(closed) == []
    assert measure_round(round_=closed, actor="test") == 0


def test_workers_do_the_same_and_a_job_that_came_twice_measures_once(closed):
    assert request_measuring(round_=closed, actor="test") == 10
    while claim := jobs.claim_next(round_name=closed.name):
        jobs.run(claim)
    count = MeasurementRow.objects.count()
    assert due_tasks(closed) == []
    measuring.run_measuring(
        f"{Sample.objects.filter(cell__round=closed).first().pk}:signals:1", lambda _: None
    )
    assert MeasurementRow.objects.count() == count


def test_weights_that_come_later_are_measured_in_a_further_run(
    closed, monkeypatch, settings, tmp_path
):
    measure_round(round_=closed, actor="test")
    settings.WEIGHTS_DIR = str(tmp_path)

    def plug_in(key: str, metric: str, values: list[float]) -> PlugIn:
        return PlugIn(
            key,
            metric,
            "points",
            (),
            "interval",
            "none",
            "test",
            lambda *_: lambda _media: values,
            (),
        )

    monkeypatch.setitem(
        measuring.PLUG_INS, "clip_aesthetics", plug_in("clip_aesthetics", "VA", [0.5])
    )
    assert {(task.job, task.run) for task in due_tasks(closed)} == {("clip_aesthetics", 2)}
    measure_round(round_=closed, actor="test")
    assert columns_of(closed)["clean"]["VA"]["value"] == 0.5
    assert due_tasks(closed) == []


def test_a_file_that_cannot_be_read_is_an_evaluators_failure_and_a_rollout_without_a_log_has_no_boundaries(
    closed,
):
    writeonce.uninstall()
    Chunk.objects.filter(sample__cell__configuration__name="clean").delete()
    writeonce.install()
    broken = Sample.objects.get(cell__configuration__name="broken")
    with unguarded():
        Sample.objects.filter(pk=broken.pk).update(clip=stored(b"no video"))
    measure_round(round_=closed, actor="test")
    columns = columns_of(closed)
    assert columns["broken"]["NBC"]["provisional"]
    assert columns["broken"]["PVC"]["provisional"]
    assert columns["clean"]["NBC"]["reasons"]["unavailable"].startswith(
        "boundaries cannot be observed: no chunk"
    )


def test_nothing_is_measured_while_a_round_is_open(closed):
    set_state(closed, RoundState.REVIEWING)
    closed.refresh_from_db()
    with pytest.raises(StepOutOfOrder, match="“measure” is out of order"):
        measure_round(round_=closed, actor="test")


def test_pages_of_rollouts_are_there_for_published_rounds_only(closed, client: Client):
    for name in ("rollout", "rollout-timeline"):
        assert client.get(reverse(name, args=["rollouts", "clean", SCENE, 1])).status_code == 404
    measure_round(round_=closed, actor="test")
    rounds.publish(round_=closed, actor="test")
    assert client.get(reverse("rollout", args=["rollouts", "clean", SCENE, 1])).status_code == 200
    assert (
        client.get(reverse("rollout", args=["rollouts", "clean", "nowhere", 1])).status_code == 404
    )


def test_staff_sees_rollouts_along_their_time_before_publication_for_the_reason_of_the_preview(
    closed, client: Client
):
    measure_round(round_=closed, actor="test")
    client.force_login(make_staff("stan"))
    drawing = reverse("staff-preview-timeline", args=["rollouts", "broken", SCENE, 1])
    assert client.get(drawing).status_code == 404
    page = client.post(
        reverse("staff-preview", args=["rollouts"]), {"reason": "a look"}
    ).content.decode()
    assert drawing in page and "Worst boundaries: " in page
    assert AuditEntry.objects.get(action="scores previewed").details == {"reason": "a look"}
    shown = client.get(drawing)
    assert shown["Content-Type"] == "image/svg+xml" and "no-store" in shown["Cache-Control"]
    assert client.get(drawing.replace("/1/", "/2/")).status_code == 404
    other = Client()
    other.force_login(make_staff("sue"))
    assert other.get(drawing).status_code == 404
    rounds.publish(round_=closed, actor="test")
    assert client.get(drawing).status_code == 404
    published = client.get(reverse("rollout-timeline", args=["rollouts", "broken", SCENE, 1]))
    assert published.content == shown.content


def test_the_table_is_filtered_and_sorted_without_a_script_and_references_are_marked(
    closed, client: Client
):
    measure_round(round_=closed, actor="test")
    rounds.publish(round_=closed, actor="test")
    address = reverse("leaderboard", args=["rollouts"])
    whole = client.get(address).content.decode()
    table = whole[whole.index('<table class="metric-table"') : whole.index("</table>")]
    assert table.count("<abbr>") == 32
    assert "unavailable: no weights" in table
    assert "There is no overall score" in whole
    assert "Reference, not measured here" in whole
    assert "14.484" in whole and "14.484" not in table
    sorted_ = client.get(
        address, {"category": "streaming", "sort": "NBC", "horizon": "60", "track": "interactive"}
    )
    streaming = sorted_.content.decode()
    part = streaming[streaming.index('<table class="metric-table"') : streaming.index("</table>")]
    assert part.count("<abbr>") == 3
    best = client.get(address, {"sort": "NBC"}).content.decode()
    assert best.index(">clean<") < best.index(">broken<")
    worst = client.get(address, {"sort": "name"}).content.decode()
    assert worst.index(">broken<") < worst.index(">clean<")
    for name in ("configuration",):
        page = client.get(reverse(name, args=["rollouts", "broken"])).content.decode()
        assert "Along the rollouts" in page
    assert client.get(reverse("coverage", args=["rollouts"])).status_code == 200
    assert client.get(reverse("home")).status_code == 200
    assert client.get(reverse("leaderboards")).status_code == 200
