"""A whole round of small rollouts by command; what reviewers are sent says nothing of who made
them.
"""

import csv
import json
import re
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from blinding.models import BlindingKey, Stimulus
from fartbench import jobs
from fartbench.models import Round, RoundState
from fartbench.protocol import Form, Response
from fartbench.rounds import Looks, RoundRefused, create_round
from generation.models import Sample
from review.errors import InvalidAnswers
from review.models import AnswerSheet, Assignment
from review.models import Form as FormRow
from review.order import ClipFactors
from review.order_shares import shared_orders
from review.services import lock_sheet, plan_orders, replace_reviewer, set_cohort
from scoring.models import Release
from tests.factories import make_cohort, make_protocol, make_round, make_staff, make_stimulus
from tests.generation.buying import work
from tests.streamav.small import FOLDER, write_protocol
from tests.test_crawl import Kept, crawl
from tests.unguarded import set_state

EMAILS = ["a@example.org", "b@example.org"]
SYSTEMS = ("stream-steady", "stream-fading")
TEXTS = {"choice": "yes", "scale": "4", "time": "0.5"}


def right(form: Form, **changes: str) -> dict[str, str]:
    """Return an answer to every question of a form: yes, 4, half a second."""
    texts = {
        key: TEXTS[form.protocol.answer_set(form.protocol.question(key)).kind] for key in form.keys
    }
    return texts | {key: value for key, value in changes.items() if key in texts}


@pytest.fixture
def opened(tmp_path: Path, db: None, monkeypatch: pytest.MonkeyPatch) -> Round:
    monkeypatch.setattr(jobs, "RENEW_EVERY_S", 3600.0)
    call_command("load_protocol", str(write_protocol(tmp_path / "protocol")))
    call_command(
        "create_round", "S", "--protocol", "small-streamav@0.1.0", "--scene", "small-i",
        "--units", "update,dependency,initial",
    )  # fmt: skip
    for system in SYSTEMS:
        call_command("commission", "S", "--configuration", system, "--without-verdicts", "a test")
    work(seconds=120)
    call_command("blind", "S")
    call_command("set_cohort", "S", *EMAILS)
    call_command("open_round", "S")
    return Round.objects.get()


def answer_file(round_: Round, folder: Path, **changes: str) -> Path:
    """Write the answers of the whole cohort to every window, named by cell, form and place."""
    rows, columns = [], ["reviewer", "configuration", "scenario", "form", "place"]
    keys = BlindingKey.objects.select_related("stimulus", "sample__cell__configuration")
    for key in keys.filter(stimulus__round=round_):
        given = right(round_.protocol.form(key.stimulus.form_key), **changes)
        named = {
            "scenario": key.stimulus.scene,
            "form": key.stimulus.form,
            "place": key.stimulus.place,
        }
        named["configuration"] = key.sample.cell.configuration.name
        rows += [{"reviewer": email, **named, **given} for email in EMAILS]
        columns += [question for question in given if question not in columns]
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return folder / "answers.csv"


def test_a_round_of_rollouts_goes_from_its_creation_to_its_release_by_command(
    opened: Round, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # P1 is joint, P2 of the picture and builds on P1: 3 forms about updates, 1 about a pair, 2
    # about the beginning.
    per_rollout = {
        "update-video": 2, "update-both": 1, "dependency-both": 1,
        "initial-video.small-i": 1, "initial-both.small-i": 1,
    }  # fmt: skip
    found = Counter(Stimulus.objects.filter(round=opened).values_list("form", flat=True))
    assert found == {form: count * len(SYSTEMS) for form, count in per_rollout.items()}
    assert Assignment.objects.count() == 12 * len(EMAILS)
    assert set(per_rollout) <= set(FormRow.objects.values_list("scene", flat=True))
    with pytest.raises(CommandError, match=r"video_fulfilment: what is clearly reached"):
        call_command(
            "import_answers", "S", str(answer_file(opened, tmp_path, video_fulfilment="2"))
        )
    assert not AnswerSheet.objects.exists()
    call_command("import_answers", "S", str(answer_file(opened, tmp_path,
                                                        source_state_established="no",
                                                       dependency_following="na:source_not_established")))  # fmt: skip
    assert AnswerSheet.objects.filter(locked_at__isnull=False).count() == 24
    call_command("close_round", "S")
    opened.refresh_from_db()
    assert opened.state == RoundState.LOCKED
    pair = AnswerSheet.objects.filter(stimulus__form="dependency-both").first()
    assert str(pair.responses()["dependency_following"]) == "na:source_not_established"
    with pytest.raises(CommandError, match="run “measure S”"):
        call_command("publish", "S")
    call_command("measure", "S")
    call_command("score", "S")
    assert "no overall score" in capsys.readouterr().out
    call_command("publish", "S")
    release = Release.objects.get()
    call_command("verify_release", str(release.folder))
    verdicts = json.loads((release.folder / "verdicts.json").read_bytes())
    assert (
        verdicts["waived"]["reason"] == release.document("summary")["without_verdicts"] == "a test"
    )
    for columns in release.document("columns/people/4/all")["systems"].values():
        assert (columns["VUF"]["value"], columns["PVRL"]["value"]) == (4, 0.5)
        assert columns["HDF"]["cases"] == {"not_applicable": 1}  # its source never came about
        assert columns["VA"]["reasons"] == {"unavailable": "no weights: WEIGHTS_DIR is not there"}


def test_a_reviewer_learns_what_to_judge_and_not_who_made_it(opened: Round) -> None:
    link = set_cohort(round=opened, emails=EMAILS, actor="test")[0]
    client, kept = Client(), Kept()
    assert "parts of long clips" in client.get(urlsplit(link.url).path).content.decode()
    client.post(urlsplit(link.url).path)
    start = "/review/rounds/S/"
    told = kept.add("start", client.get(start)).decode()
    assert (
        "two pieces with a grey card between them" in told and "Unclear" not in told
    )  # no form of it has that answer
    kept.add(
        "sound", client.post(f"{start}sound", {"heard": client.session["tones"], "volume": "0.5"})
    )
    kept.add("consent", client.post(start, {"agree": "on"}))
    mine = list(
        Assignment.objects.filter(member__reviewer__email=EMAILS[0]).select_related("stimulus")
    )
    pages = {}
    for assignment in mine:
        name = assignment.stimulus_id
        pages[assignment.stimulus.form] = kept.add(
            f"GET {name}", client.get(f"/review/{name}/")
        ).decode()
        kept.add(f"media {name}", client.get(f"/media/{name}"))
        part = client.get(f"/media/{name}", headers={"Range": "bytes=0-99"})
        assert (part.status_code, part["Content-Range"]) == (
            206,
            f"bytes 0-99/{assignment.stimulus.size}",
        )
        given = right(opened.protocol.form(assignment.stimulus.form_key))
        locked = client.post(f"/review/{name}/lock", given)
        kept.add(f"lock {name}", locked)
        assert locked.status_code == 302
        pages[assignment.stimulus.form] += kept.add(
            f"locked {name}", client.get(f"/review/{name}/")
        ).decode()
    crawl(client, kept, ["/review/", "/", "/method/"])
    pages = {form: re.sub(r"\s+", " ", page) for form, page in pages.items()}
    assert "The disc turns blue." in pages["dependency-both"]
    assert "Two pieces with a grey card between them" in pages["dependency-both"]
    assert (
        "What was asked for in the first piece: A red disc comes. It beeps."
        in pages["dependency-both"]
    )
    assert "in the first piece" not in pages["update-both"]
    assert (
        "It was asked for as the clip begins" in pages["update-both"]
        and "asked for at" not in pages["update-both"]
    )
    assert not any(
        "It was asked for" in pages[form] for form in ("dependency-both", "initial-video.small-i")
    )
    assert "Picture alone" in pages["update-video"] and "Picture alone" not in pages["update-both"]
    assert "Is it a landscape?" in pages["initial-video.small-i"]
    samples = Sample.objects.select_related("clip")
    secrets = {*SYSTEMS, "Built-in streamer", opened.seed, *(one.clip.sha256 for one in samples)}
    for name, answer in kept.answers.items():
        found = [secret for secret in secrets if secret.encode() in answer]
        assert not found, f"{name} holds {found}"


def test_a_contradiction_keeps_a_sheet_open_in_the_browser_too(opened: Round) -> None:
    assignment = Assignment.objects.filter(stimulus__form="update-both").first()
    reviewer = assignment.member.reviewer
    Assignment.objects.filter(member=assignment.member)
    form = opened.protocol.form("update-both")
    texts = right(form, audio_onset_latency="0.9")
    for other in Assignment.objects.filter(
        member=assignment.member, position__lt=assignment.position
    ):
        _lock(reviewer, other.stimulus, right(opened.protocol.form(other.stimulus.form_key)))
    for wrong, rule in (
        (texts, "is not an answer"),
        (
            texts | {"audio_onset_latency": "1", "audio_target_latency": "0.5"},
            "reached before it begins",
        ),
        (
            texts | {"audio_started": "no", "audio_onset_latency": "1"},
            "only when 'audio_started' was answered 'yes'",
        ),
    ):
        with pytest.raises(InvalidAnswers) as caught:
            _lock(reviewer, assignment.stimulus, wrong)
        assert any(rule in violation.rule for violation in caught.value.violations)
    never = {
        "audio_started": "no",
        "audio_onset_latency": "na:not_started",
        "audio_target_latency": "na:not_reached",
    }
    assert _lock(reviewer, assignment.stimulus, texts | never | {"audio_fulfilment": "1"}).locked_at


def _lock(reviewer, stimulus, texts):
    responses = {key: Response.parse(text) for key, text in texts.items()}
    return lock_sheet(reviewer=reviewer, stimulus_id=stimulus.pk, responses=responses)


@pytest.mark.django_db
def test_a_round_looks_at_a_sample_and_refuses_what_it_cannot_look_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("load_protocol", str(write_protocol(tmp_path / "protocol")))
    assert "2 scenarios, " in capsys.readouterr().out
    call_command(
        "create_round",
        "S",
        "--protocol",
        "small-streamav@0.1.0",
        "--sample",
        "2",
        "--horizons",
        "2,4",
    )
    assert "Next: “commission S”" in capsys.readouterr().out
    round_ = Round.objects.get()
    assert (round_.scenes, round_.looks.horizons) == (["small-p", "small-i"], (2.0, 4.0))
    for words, looks in (
        ("over 3 s; horizons are 2, 4 s", Looks(horizons=(3,))),
        ("no kind of window 'boundary'", Looks(kinds=("boundary",))),
        ("Nothing of small-i", Looks(kinds=("full",))),
        ("cannot be shared evenly", Looks(sample=1)),
    ):
        with pytest.raises(Exception, match=words):
            create_round(name="T", protocol="small-streamav@0.1.0", actor="test", looks=looks)
    call_command("load_protocol", "fixtures/protocols/core-r01/1.0.0")
    with pytest.raises(RoundRefused, match="judged whole"):
        create_round(name="T", protocol="core-r01@1.0.0", actor="test", looks=Looks(horizons=(60,)))


def test_shares_are_even_in_clips_looks_and_configurations() -> None:
    clips = [
        ClipFactors(f"{configuration}-{scene}-{window}", f"c{configuration}", f"s{scene}")
        for configuration in range(4) for scene in range(5) for window in range(6)
    ]  # fmt: skip
    drawn = shared_orders(clips, 5, 3, "seed", effort=0.05)
    assert {len(order) for order in drawn.orders} == {72}
    assert set(Counter(name for order in drawn.orders for name in order).values()) == {3}
    by = [Counter(name[0] for name in order) for order in drawn.orders]
    assert max(max(one.values()) - min(one.values()) for one in by) <= 2
    assert drawn.balance.same_configuration_neighbours == 0
    assert drawn == shared_orders(clips, 5, 3, "seed", effort=0.05)
    assert shared_orders(clips, 3, 0, "seed", effort=0.05).orders != drawn.orders


def test_both_ends_of_a_rollout_are_judged_by_the_same_reviewers() -> None:
    clips, ends = [], {}
    for configuration in range(4):
        for scene in range(5):
            for window in ("first", "last", "later", "interval-1", "interval-2", "interval-3"):
                clips.append(
                    ClipFactors(
                        f"{configuration}-{scene}-{window}", f"c{configuration}", f"s{scene}"
                    )
                )
                if "-" not in window:
                    ends[clips[-1].id] = f"{configuration}-{scene}"
    drawn = shared_orders(clips, 5, 3, "seed", together=ends, effort=0.05)
    for rollout in set(ends.values()):
        seen = [
            len({name for name in order if ends.get(name) == rollout}) for order in drawn.orders
        ]
        assert sorted(seen) == [0, 0, 3, 3, 3]
    assert {len(order) for order in drawn.orders} == {72}
    assert set(Counter(name for order in drawn.orders for name in order).values()) == {3}
    by = [Counter(name[0] for name in order) for order in drawn.orders]
    assert max(max(one.values()) - min(one.values()) for one in by) <= 4
    assert drawn != shared_orders(clips, 5, 3, "seed", effort=0.05)


@pytest.mark.django_db
def test_a_round_keeps_the_ends_of_each_form_together_where_reviewers_share_the_windows() -> None:
    round_ = make_round(protocol=make_protocol(FOLDER))
    round_.unit_plan = {"horizons": [180.0], "kinds": ["endpoint", "interval"], "looks": 1}
    round_.save()
    factors = {}
    for scene in round_.scenes[:3]:
        for form, unit, place in (
            (f"endpoint-video.{scene}", "endpoint", "first"), (f"endpoint-video.{scene}",
                                                               "endpoint", "last"),
            (f"endpoint-both.{scene}", "endpoint", "first"), (f"endpoint-both.{scene}", "endpoint",
                                                              "last"),
            ("interval-video", "interval", "1"), ("interval-video", "interval", "2"),
        ):  # fmt: skip
            factors[make_stimulus(round_, scene=scene, form=form, unit=unit, place=place).pk] = "c0"
    make_cohort(round_)
    plan_orders(round=round_, factors=factors, effort=0.1)
    who = dict(Assignment.objects.values_list("stimulus_id", "member__place"))
    by_form = Counter(
        (who[one.pk], one.scene, one.form) for one in round_.stimuli.filter(unit="endpoint")
    )
    assert sorted(by_form.values()) == [2] * 6
    assert sorted(Counter(who.values()).values()) == [6, 6, 6]


def test_staff_sees_how_far_a_round_of_rollouts_is(opened: Round, client: Client) -> None:
    client.force_login(make_staff())
    for page in ("", "progress", "blinding/", "fingerprint/"):
        assert client.get(f"/staff/rounds/S/{page}").status_code == 200, page
    assert client.get("/staff/").status_code == client.get("/state/").status_code == 200


@pytest.mark.django_db
def test_who_takes_a_place_over_gets_the_share_that_is_left() -> None:
    round_ = make_round(protocol=make_protocol(FOLDER))
    round_.unit_plan = {"horizons": [180.0], "kinds": ["update"], "looks": 1}
    round_.save()
    factors = {
        make_stimulus(round_, scene=scene).pk: f"c{n % 2}"
        for n, scene in enumerate(round_.scenes[:6])
    }
    make_cohort(round_)
    plan_orders(round=round_, factors=factors, effort=0.1)
    set_state(round_, RoundState.REVIEWING)
    old = round_.members.order_by("place").first()
    share = set(old.assignments.values_list("stimulus_id", flat=True))
    assert [member.assignments.count() for member in round_.members.all()] == [2, 2, 2]
    replace_reviewer(
        round=round_,
        old=old.reviewer.code,
        new="new@example.org",
        reason="ill",
        factors=factors,
        actor="test",
    )
    new = round_.members.get(reviewer__email="new@example.org")
    assert set(new.assignments.values_list("stimulus_id", flat=True)) == share
