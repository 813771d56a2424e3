"""Every window that a round looks at becomes a stimulus: the right seconds, as large as its kind,
without a trace.
"""

from collections import Counter
from pathlib import Path

import pytest
from django.db.models import Q

from blinding.errors import ClipsNotBlindable
from blinding.leakscan import scan
from blinding.models import BlindCopy, BlindingKey, Stimulus
from blinding.selectors import copies_of
from blinding.services import blind_round, exclude_clip, request_blinding
from fartbench import jobs
from fartbench.media.probe import probe
from fartbench.models import Round
from fartbench.protocols import store_protocol
from fartbench.rounds import Looks, create_round
from generation.importing import import_clips
from generation.models import Sample
from generation.verdicts import waive_verdicts
from review.about import about
from rounds.due import Due, due_step
from tests.factories import tiny_clip
from tests.generation.buying import work
from tests.streamav.rounds import generated
from tests.streamav.small import write_protocol

pytestmark = pytest.mark.django_db
shown_with_sound = Q(form__contains="-both")
KINDS = ("interval", "update", "prompt", "retention", "dependency")


@pytest.fixture(autouse=True)
def _no_renewal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "RENEW_EVERY_S", 3600.0)


def test_the_workers_cut_what_is_looked_at(tmp_path: Path) -> None:
    round_ = generated(
        tmp_path / "p", "stream-steady", scenes=["small-i"], looks=Looks(kinds=KINDS)
    )
    assert due_step(round_) == Due("blind", "1 rollouts have no blind copy yet")
    assert request_blinding(round_=round_, actor="test") == 1
    assert due_step(round_) == Due(
        "", "1 rollouts wait for their blind copies, and workers make them"
    )
    assert copies_of(round_) == (0, 17)
    work(seconds=240)
    assert copies_of(round_) == (17, 17)
    assert due_step(round_) == Due("set_cohort", "no reviewers are named yet")
    stimuli = list(Stimulus.objects.filter(round=round_))
    assert Counter(one.form for one in stimuli) == {
        "interval-video": 4, "interval-both": 4, "update-video": 2, "update-both": 1,
        "prompt-video": 2,
        "prompt-audio": 2, "retention-video": 2, "retention-audio": 2, "dependency-both": 1,
    }  # fmt: skip
    sizes = {(one.unit, one.size) for one in stimuli}
    assert len(sizes) == len(KINDS)
    assert all(one.path.stat().st_size == one.size for one in stimuli)
    lengths = {one.unit: round(probe(one.path).duration_s, 1) for one in stimuli}
    assert lengths == {
        "interval": 1.0,
        "update": 1.0,
        "prompt": 1.0,
        "retention": 3.0,
        "dependency": 3.0,
    }
    pair = Stimulus.objects.get(form="dependency-both")
    assert (pair.place, pair.end_s, pair.context["target"]) == ("P2", 3.0, "The disc turns blue.")
    assert [(one["role"], one["begin_s"]) for one in pair.context["windows"]] == [
        ("source", 0.0),
        ("current", 2.0),
    ]
    # A prompt is told to lie where its window has it; a pair says by its pieces what is before and
    # after.
    at = {one.unit: about(one.context).lines for one in stimuli if one.place == "P2"}
    assert at["update"][0].startswith("It was asked for as the clip begins")
    assert at["prompt"][0] == "It was asked for at 0.5 s."
    assert at["retention"][0].startswith("Two pieces")
    assert (
        BlindingKey.objects.filter(stimulus__round=round_).values("sample").distinct().count() == 1
    )
    # An update is judged by the very seconds of an interval: cut once.
    assert BlindCopy.objects.count() == 4 + 4 + 4 + 4 + 1
    assert [finding for one in stimuli for finding in scan(one.path) if finding.flagged] == []
    before = set(Stimulus.objects.values_list("id", flat=True))
    assert blind_round(round_=round_, actor="test") == len(before)
    assert set(Stimulus.objects.values_list("id", flat=True)) == before


def test_horizons_are_the_beginning_of_one_rollout(tmp_path: Path) -> None:
    looks = Looks(horizons=(2, 4), kinds=("full", "endpoint"))
    round_ = generated(tmp_path / "p", "stream-steady", scenes=["small-p"], looks=looks)
    blind_round(round_=round_, actor="test")
    found = Counter(
        (one.unit, one.place, one.end_s) for one in Stimulus.objects.filter(shown_with_sound)
    )
    assert found == {
        ("full", "full", 2.0): 1, ("full", "full", 4.0): 1, ("endpoint", "first", 1.0): 1,
        ("endpoint", "last", 2.0): 1, ("endpoint", "last", 4.0): 1,
    }  # fmt: skip


def imported(folder: Path, looks: Looks, **seconds: float) -> tuple[Round, list[str]]:
    """Return a round of one scene with an imported rollout of each name and length (s), and the
    notes of the import.
    """
    store_protocol(write_protocol(folder / "p"), actor="test")
    round_ = create_round(
        name="R", protocol="small-streamav@0.1.0", actor="test", scenes=["small-p"], looks=looks
    )
    waive_verdicts(round_=round_, reason="a test", actor="test")
    rows = ["configuration,scene,replicate,file,outcome"]
    for name, length in seconds.items():
        (folder / name).write_bytes(tiny_clip(seconds=length))
        rows.append(f"{name},small-p,1,{name},ok")
    (folder / "m.csv").write_text("\n".join(rows), encoding="utf-8")
    return round_, import_clips(round_=round_, manifest=folder / "m.csv", actor="test").notes


def test_a_rollout_that_ends_too_early_is_named_and_can_be_left_out(tmp_path: Path) -> None:
    round_, _ = imported(tmp_path, Looks(kinds=("interval",)), short=0.6)
    with pytest.raises(
        ClipsNotBlindable, match=r"it lasts 0\.6\d s; there is no window from 0 s to 1 s"
    ) as caught:
        blind_round(round_=round_, actor="test")
    assert "exclude_clip" in str(caught.value) and "normalise" not in str(caught.value)
    assert not Stimulus.objects.exists()
    exclude_clip(round_=round_, sample=Sample.objects.get(), reason="it ends early", actor="test")
    assert (blind_round(round_=round_, actor="test"), BlindCopy.objects.count()) == (0, 0)


def test_an_imported_rollout_that_ends_too_early_is_noted_before_it_is_blinded(
    tmp_path: Path,
) -> None:
    _, notes = imported(tmp_path, Looks(horizons=(2, 4), kinds=("full",)), whole=3.9, short=3.2)
    assert [note for note in notes if " lasts " in note] == [
        "row 3: short/small-p/1 lasts 3.2 s and is judged up to 4 s, so “blind” will refuse it: "
        "import a complete one "
        "with --replace and --reason, or leave it out with “exclude_clip”."
    ]
