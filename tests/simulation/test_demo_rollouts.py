"""The demonstration's round of rollouts: the protocol in miniature, and reviewers who see what was
drawn.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.test import Client
from rich.console import Console

from blinding import copies
from blinding.fingerprint import technical_facts
from blinding.looks import Look
from blinding.models import BlindCopy
from fartbench import jobs
from fartbench.media.probe import frame_times, probe
from fartbench.models import AuditEntry, Job, JobState, Round, RoundState
from fartbench.protocol import Form, Protocol, form_for, load_protocol
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.protocol.rollouts.units import Unit, units
from fartbench.rounds import Looks, create_round
from generation.models import Sample
from judging.models import JudgeTry
from measuring.models import MeasurementRow
from review.models import AnswerSheet, Vote
from scoring.models import Release
from simulation.built_in import rollouts as local_rollouts
from simulation.configurations import built_in_systems
from simulation.demo import rollouts
from simulation.demo.judges import CLEAR
from simulation.demo.miniature import SCALE, SCENARIOS, write_miniature
from simulation.demo.simulation import TEMPERS
from simulation.demo.watching import Latent, Watched, watched_preference, watched_responses
from simulation.local.rollouts import RolloutPlan, RolloutTruth
from simulation.local.rollouts.plan import truth_of
from simulation.local.rollouts.systems import SYSTEMS, draw_plan, system
from tests.factories import stored_copy, tiny_clip
from tests.streamav.rollout_record import FOLDER


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    return load_protocol(write_miniature(FOLDER, tmp_path_factory.mktemp("miniature"))).protocol


def test_the_miniature_is_the_protocol_but_for_its_times_and_its_size(
    small: Protocol, tmp_path: Path
) -> None:
    whole = load_protocol(FOLDER).protocol
    assert (
        small.rollouts.forms == whole.rollouts.forms
        and small.rollouts.metrics == whole.rollouts.metrics
    )
    assert [one.key for one in small.rollouts.scenarios] == sorted(
        SCENARIOS, key=[s.key for s in whole.scenes].index
    )
    for scenario in small.rollouts.scenarios:
        other = whole.rollouts.scenario(scenario.key)
        assert [one.at_s * SCALE for one in scenario.updates] == [
            one.at_s for one in other.updates
        ][:3]
        own = units(small.rollouts.units, scenario, horizon_s=24)
        assert [unit[:2] for unit in own] == [
            unit[:2] for unit in units(whole.rollouts.units, other, horizon_s=120)
        ]
    told = [
        small.summary,
        *(rule.text for rule in small.rules),
        *(kind.text for kind in small.rollouts.units.kinds),
    ]
    assert not [text for text in told if re.search(r"\b(30|36|180) s\b", text)]
    assert "A rollout lasts 24 s; 12 s are the beginning of the same rollout." in told
    first, again = (write_miniature(FOLDER, tmp_path / name) / "protocol.yaml" for name in "ab")
    assert first.read_bytes() == again.read_bytes()


def watched(small: Protocol, name: str) -> list[tuple[Scenario, Unit, Form, Latent]]:
    """Return every form about every window of a system's rollouts, with what is right about it."""
    found = []
    for scenario in small.rollouts.scenarios:
        updates = [one.at_s for one in scenario.updates]
        plan = draw_plan(
            system(name), scenario.key, seconds=scenario.duration_s, updates_s=updates, seed=7
        )
        truth = truth_of(plan).as_json()
        for unit in units(small.rollouts.units, scenario, horizon_s=scenario.duration_s):
            spans = [(window.begin_s, window.end_s) for window in unit.windows]
            for asked in small.rollouts.forms.forms:
                if asked.unit == unit.kind and asked.questions_for(scenario):
                    form = form_for(small, asked.key_for(scenario))
                    right = Watched(truth, scenario, unit.place, spans).latent(form)
                    found.append((scenario, unit, form, right))
    return found


@pytest.mark.parametrize("name", [one.key for one in SYSTEMS])
def test_what_scripted_reviewers_answer_may_be_locked_and_is_the_same_each_time(
    small: Protocol, name: str
) -> None:
    for scenario, unit, form, right in watched(small, name):
        for temper in TEMPERS:
            seed = f"{scenario.key}/{unit.kind}/{unit.place}"
            given = watched_responses(form, right, temper=temper, seed=seed)
            assert not form.violations(given), (seed, form.key)
            assert given == watched_responses(form, right, temper=temper, seed=seed)


def means(small: Protocol, name: str) -> dict[str, float]:
    """Return the mean of each scale as it is answered by who sees everything."""
    found = defaultdict(list)
    for _scenario, _unit, form, right in watched(small, name):
        for key, response in watched_responses(form, right, temper=CLEAR, seed="clear").items():
            if (response.value or "").isdigit():
                found[key].append(int(response.value))
    return {key: fmean(values) for key, values in found.items()}


def test_each_system_is_seen_to_be_bad_at_what_it_is_bad_at(small: Protocol) -> None:
    of = {one.key: means(small, one.key) for one in SYSTEMS}
    steady = of.pop("stream-steady")
    assert all(steady["video_fulfilment"] >= other["video_fulfilment"] for other in of.values())
    assert of["stream-deaf"]["video_fulfilment"] == min(
        other["video_fulfilment"] for other in of.values()
    )
    assert of["stream-forgetful"]["subject_retention"] == min(
        other["subject_retention"] for other in of.values()
    )
    assert of["stream-fading"]["visual_fidelity"] == min(
        other["visual_fidelity"] for other in of.values()
    )


def test_the_sooner_reaction_is_preferred_and_what_seems_alike_is_a_tie(small: Protocol) -> None:
    (latency,) = (one for one in small.rollouts.metrics.metrics if one.code == "PVRL")
    soon, late, never = ({"video_target_latency": value} for value in (1.0, 5.0, None))

    def prefer(a: Latent, b: Latent) -> str:
        return watched_preference(small.pairs, "pvrl", latency, (a, b), temper=CLEAR, seed="pair")

    assert (prefer(soon, late), prefer(late, soon), prefer(never, late), prefer(soon, soon)) == (
        "a",
        "b",
        "b",
        "tie",
    )


def marked(clip: bytes, *marks: object) -> bytes:
    """Return a clip that is like no other: a box that players skip says what it is of."""
    note = repr(marks).encode()
    return clip + (8 + len(note)).to_bytes(4, "big") + b"free" + note


def tiny_rollout(plan: RolloutPlan, out: Path, **_: object) -> RolloutTruth:
    out.write_bytes(marked(tiny_clip(seconds=1.0), plan))
    return truth_of(plan)


@cache
def facts_of_a_tiny_clip(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    return probe(path).as_json() | {"frame_times": frame_times(path)}, technical_facts(path)


def tiny_copy(sample: Sample, _round: Round, look: Look) -> BlindCopy:
    sha256, size = stored_copy(marked(tiny_clip(seconds=1.0), str(sample.cell), look.copy))
    facts, technical = facts_of_a_tiny_clip(sample.clip.path)
    about = {"sha256": sha256, "size": size, "facts": facts, "technical": technical, "removed": {}}
    return BlindCopy.objects.get_or_create(
        sample=sample, windows=look.windows, shown=look.shown, defaults=about
    )[0]


def work_here(kind: str, *_: object) -> None:
    while claim := jobs.claim_next():
        jobs.run(claim)
    assert not Job.objects.filter(kind=kind, state=JobState.FAILED).exists()


def rows() -> dict[str, int]:
    models = (Round, Sample, AnswerSheet, Vote, JudgeTry, MeasurementRow, Release, AuditEntry)
    return {model.__name__: model.objects.count() for model in models}


@pytest.mark.engine("sqlite")
@pytest.mark.django_db(transaction=True)
def test_the_round_is_finished_after_any_interruption_and_made_once(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    two = list(built_in_systems()[:2])
    monkeypatch.setattr(rollouts, "SCENARIOS", ("frog-pond-i",))
    monkeypatch.setattr(rollouts, "built_in_systems", lambda: two)
    few = Looks(kinds=("update", "prompt", "dependency"))
    monkeypatch.setattr(rollouts, "create_round", partial(create_round, looks=few))
    monkeypatch.setattr(local_rollouts, "render_rollout", tiny_rollout)
    monkeypatch.setattr(copies, "make_copy", tiny_copy)
    monkeypatch.setattr(rollouts, "work_through", work_here)
    console = Console(quiet=True)
    for stage in ("commission", "watch", "let_judge_watch", "request_measuring", "finish"):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(rollouts, stage, interrupt)
            rollouts.make_rollouts(console)
    made = rollouts.make_rollouts(console)
    assert made.state == RoundState.PUBLISHED
    before = rows()
    assert rollouts.make_rollouts(console) == made
    assert rows() == before
    release = Release.objects.get()
    assert release.demonstration and set(Vote.objects.values_list("source", flat=True)) == {
        "simulated"
    }
    sources = release.document("summary")["sources"]
    assert sources[0] == "people" and len(sources) == 2
    columns = release.document(f"columns/{sources[1]}/24/all")["systems"]["stream-steady"]
    # The round draws its seed anew, so how well the judge answers differs from run to run.
    assert columns["VUF"]["value"] is not None
    assert all(
        one["votes"] == 3 * one["pairs"] > 0
        for one in release.document("alignment")["questions"]
        if one["votes"]
    )
    page = client.get("/rounds/demo-rollouts/human-ai/").content.decode()
    assert (
        'aria-current="page">AI judges</a>' in page
        and "as people answer, below it as the judge does" in page
    )


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt
