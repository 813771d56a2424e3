"""Clips made elsewhere: all of a manifest or nothing, and every bad row named."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from fartbench.errors import BadInput
from fartbench.models import AuditEntry, Round, RoundState
from fartbench.storage import StorageFull
from fartbench.stores import raw_clips
from generation.cells import mark_cell
from generation.errors import CellRefused, ManifestRefused
from generation.importing import ImportReport, import_clips
from generation.manifest import CellKey
from generation.models import Cell, Clip, Configuration, Sample, SampleState
from tests import factories
from tests.manifests import COLUMNS, Lab, write_csv

pytestmark = pytest.mark.django_db


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture
def round_() -> Round:
    return factories.make_round()


def take_in(round_: Round, manifest: Path, **options: object) -> ImportReport:
    return import_clips(round_=round_, manifest=manifest, actor="test", **options)  # type: ignore[arg-type]


def rows_now() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Cell, Sample, Clip, Configuration, AuditEntry))


def test_clips_are_stored_untouched_under_their_hash_with_probed_facts(
    round_: Round, lab: Lab
) -> None:
    report = take_in(round_, lab.manifest())
    assert len(report.added) == 8
    assert report.provisional == ["alpha", "beta"]
    sample = Sample.objects.get(cell__configuration__name="beta", cell__scene="r01-toast")
    assert sample.clip is not None
    assert sample.clip.path.read_bytes() == (lab.folder / "beta-r01-toast.mp4").read_bytes()
    assert sample.clip.facts["width"] == 192
    assert sample.clip.facts["has_audio"] is True
    assert sample.clip.facts["video_codec"] == "h264"
    assert sample.clip.facts["duration_s"] == pytest.approx(1.0, abs=0.1)
    assert Configuration.objects.get(name="alpha").provisional
    assert round_.state == RoundState.GENERATING


def test_details_are_kept(round_: Round, lab: Lab) -> None:
    lab.rows[0] |= {
        "cost_usd": "0.35",
        "seed": "7",
        "model_version": "v2",
        "generated_at": "2026-11-01T10:00:00+01:00",
    }
    take_in(round_, lab.manifest())
    sample = Sample.objects.get(cell__configuration__name="alpha", cell__scene="r01-lift")
    assert (str(sample.cost_usd), sample.generation_seed, sample.model_version) == (
        "0.350000",
        "7",
        "v2",
    )
    assert sample.generated_at is not None
    assert sample.generated_at.isoformat() == "2026-11-01T09:00:00+00:00"


def test_the_same_bytes_again_change_nothing(round_: Round, lab: Lab) -> None:
    take_in(round_, lab.manifest())
    before = rows_now()
    report = take_in(round_, lab.manifest())
    assert (report.added, report.replaced, report.unchanged) == ([], [], 8)
    assert rows_now() == before


def test_cells_missing_from_the_manifest_wait_for_an_outcome(round_: Round, lab: Lab) -> None:
    lab.rows.remove(lab.row("beta", "r01-toast"))
    report = take_in(round_, lab.manifest())
    assert report.waiting == ["beta/r01-toast/1"]
    assert (
        Sample.objects.get(cell__configuration__name="beta", cell__scene="r01-toast").state
        == SampleState.PLANNED
    )


def test_refusals_and_failures_keep_their_reasons(round_: Round, lab: Lab) -> None:
    lab.row("alpha", "r01-lift").update(file="", outcome="refused", reason="policy")
    lab.row("alpha", "r01-squat").update(file="", outcome="failed")
    take_in(round_, lab.manifest())
    samples = {s.cell.scene: s for s in Sample.objects.filter(cell__configuration__name="alpha")}
    assert (samples["r01-lift"].state, samples["r01-lift"].reason) == ("refused", "policy")
    assert (samples["r01-squat"].state, samples["r01-squat"].reason) == (
        "failed",
        "no reason given",
    )


def test_a_clip_without_sound_is_a_result_and_is_noted(round_: Round, lab: Lab) -> None:
    (lab.folder / "alpha-r01-lift.mp4").write_bytes(factories.tiny_clip(seconds=1.0, sound=False))
    report = take_in(round_, lab.manifest())
    assert any("no sound track" in note and "alpha/r01-lift/1" in note for note in report.notes)
    assert len(report.added) == 8


def test_what_a_clip_is_not_is_noted_and_the_clip_stands(round_: Round, lab: Lab) -> None:
    """core-r01 asks for 8 s, give or take 1 s, in 16:9."""
    (lab.folder / "alpha-r01-lift.mp4").write_bytes(
        factories.tiny_clip(seconds=2.0, size="108x108")
    )
    notes = {note for note in take_in(round_, lab.manifest()).notes if "alpha/r01-lift/1" in note}
    assert len(notes) == 2
    assert any("lasts 2.0 s; the protocol asks for 8 s, give or take 1 s" in note for note in notes)
    assert any("is shown 108 x 108, which is not 16:9" in note for note in notes)


@pytest.mark.parametrize(
    ("width", "height", "fits"),
    [(1280, 720, True), (854, 480, True), (720, 1280, False), (640, 480, False)],
)
def test_the_shape_allows_for_even_sizes(width: int, height: int, fits: bool) -> None:
    assert factories.make_protocol().rules.clip.has_shape(width, height) is fits


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"file": "nowhere.mp4"}, "row 2, file: there is no file 'nowhere.mp4'"),
        ({"file": ""}, "row 2, file: the outcome is 'ok' and no file is named"),
        ({"file": "."}, "row 2, file: there is no file '.'"),
        ({"scene": "r01-lfit"}, "row 2, scene: the round has no scene 'r01-lfit'"),
        ({"replicate": "2"}, "row 2, replicate: '2' is not a whole number from 1 to 1"),
        ({"replicate": "½"}, "row 2, replicate: '½' is not a whole number from 1 to 1"),
        ({"replicate": "-1"}, "row 2, replicate: '-1' is not a whole number from 1 to 1"),
        ({"outcome": "great"}, "row 2, outcome: 'great' is not one of: ok, refused, failed"),
        ({"outcome": "refused"}, "row 2, file: a clip is named, but its outcome is 'refused'"),
        ({"configuration": "=cmd()"}, "row 2, configuration: '=cmd()' cannot be one"),
        ({"configuration": ""}, "row 2, configuration: '' cannot be one"),
        ({"cost_usd": "cheap"}, "row 2, cost_usd: 'cheap' is not an amount"),
        ({"cost_usd": "-1"}, "row 2, cost_usd: '-1' is not an amount"),
        ({"cost_usd": "NaN"}, "row 2, cost_usd: 'NaN' is not an amount"),
        ({"generated_at": "yesterday"}, "row 2, generated_at: 'yesterday' is not a time"),
        ({"seed": "x" * 81}, "row 2, seed: longer than 80 characters"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_taken(
    round_: Round, lab: Lab, change: dict[str, str], expected: str
) -> None:
    lab.rows[0] |= change
    before = rows_now()
    with pytest.raises(ManifestRefused) as caught:
        take_in(round_, lab.manifest())
    assert any(fault.startswith(expected) for fault in caught.value.faults), caught.value.faults
    assert rows_now() == before
    assert round_.state == RoundState.DRAFT


def test_every_bad_row_is_named_in_one_report(round_: Round, lab: Lab) -> None:
    (lab.folder / "alpha-r01-squat.mp4").write_text("#EXTM3U\nfile:///etc/passwd\n")
    (lab.folder / "alpha-r01-chair.mp4").write_bytes(b"")
    data = (lab.folder / "alpha-r01-toast.mp4").read_bytes()
    (lab.folder / "alpha-r01-toast.mp4").write_bytes(data[: len(data) // 2])
    lab.rows[0]["scene"] = "nowhere"
    lab.rows.append(dict(lab.rows[-1]))
    with pytest.raises(ManifestRefused) as caught:
        take_in(round_, lab.manifest())
    numbers = [fault.split(",")[0].split(":")[0] for fault in caught.value.faults]
    assert numbers == ["row 2", "row 3", "row 4", "row 5", "row 10"]
    assert "was already named in row 9" in caught.value.faults[-1]
    assert not any(str(raw_clips().root) in fault for fault in caught.value.faults)


def test_a_wrong_header_is_named(round_: Round, lab: Lab) -> None:
    path = write_csv(
        lab.folder / "m.csv",
        [c.replace("scene", "scenes") for c in COLUMNS],
        [{"configuration": "a"}],
    )
    with pytest.raises(BadInput) as caught:
        take_in(round_, path)
    assert caught.value.faults[0] == "header: the column 'scene' is missing"


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace(",", ";"),
        lambda text: "sep=;\n" + text.replace(",", ";"),
        lambda text: text.replace("\n", ",,,\n") + ",,,,\n,,,,\n",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("alpha,", '"alpha",'),
    ],
    ids=["byte-order mark", "semicolons", "sep=", "empty columns and rows", "CRLF", "quotes"],
)
def test_a_spreadsheet_s_habits_are_no_fault(
    round_: Round, lab: Lab, rewrite: Callable[[str], str]
) -> None:
    path = lab.manifest()
    path.write_bytes(rewrite(path.read_text().replace("\r\n", "\n")).encode())
    assert len(take_in(round_, path).added) == 8


class TestReplacing:
    @pytest.fixture(autouse=True)
    def _imported(self, round_: Round, lab: Lab) -> None:
        take_in(round_, lab.manifest())
        (lab.folder / "alpha-r01-lift.mp4").write_bytes(factories.tiny_clip(number=99, seconds=1.0))

    def test_other_bytes_need_to_be_asked_for(self, round_: Round, lab: Lab) -> None:
        with pytest.raises(
            ManifestRefused, match="row 2: alpha/r01-lift/1 has another result already"
        ):
            take_in(round_, lab.manifest())

    def test_replacing_needs_a_reason(self, round_: Round, lab: Lab) -> None:
        with pytest.raises(ManifestRefused, match="say why results are replaced"):
            take_in(round_, lab.manifest(), replace=True, reason=" ")

    def test_with_a_reason_it_is_replaced_and_recorded(self, round_: Round, lab: Lab) -> None:
        report = take_in(round_, lab.manifest(), replace=True, reason="wrong file")
        assert (report.replaced, report.unchanged) == (["alpha/r01-lift/1"], 7)
        entry = AuditEntry.objects.last()
        assert entry is not None
        assert (entry.details["replaced"], entry.details["reason"]) == (
            ["alpha/r01-lift/1"],
            "wrong file",
        )

    def test_once_blinded_it_is_refused_by_the_program_and_the_database(
        self, round_: Round, lab: Lab
    ) -> None:
        sample = Sample.objects.get(cell__configuration__name="alpha", cell__scene="r01-lift")
        Sample.objects.filter(pk=sample.pk).update(frozen_at="2026-11-30T00:00:00Z")
        with pytest.raises(
            ManifestRefused, match="has its blind copy and can no longer be replaced"
        ):
            take_in(round_, lab.manifest(), replace=True, reason="wrong file")
        with pytest.raises(IntegrityError), transaction.atomic():
            Sample.objects.filter(pk=sample.pk).update(reason="changed")


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_fills_up_leaves_no_row_and_says_what_to_do(
    round_: Round, lab: Lab, monkeypatch: pytest.MonkeyPatch, fault: int
) -> None:
    kept = 0

    def full_after_three(self: Path, target: Path) -> Path:
        nonlocal kept
        kept += 1
        if kept > 3:
            raise OSError(fault, "disk fault")
        return original(self, target)

    original = Path.replace
    monkeypatch.setattr(Path, "replace", full_after_three)
    unfinished = raw_clips().root / "tmp"
    before, left_before = rows_now(), set(unfinished.glob("*"))
    with pytest.raises(StorageFull, match="run the same command again"):
        take_in(round_, lab.manifest())
    assert rows_now() == before
    monkeypatch.undo()
    assert len(take_in(round_, lab.manifest()).added) == 8
    assert set(unfinished.iterdir()) == left_before


class TestMarkingCells:
    def mark(self, round_: Round, **changes: object) -> Sample:
        asked = {
            "cell": CellKey("alpha", "r01-lift", 1),
            "state": SampleState.NOT_GENERATED,
            "reason": "out of time",
        }
        return mark_cell(round_=round_, actor="test", **(asked | changes))  # type: ignore[arg-type]

    def test_an_outcome_is_set_with_its_reason(self, round_: Round) -> None:
        sample = self.mark(round_)
        assert (sample.state, sample.reason) == ("not_generated", "out of time")
        assert self.mark(round_).pk == sample.pk

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"reason": " "}, "the reason is empty"),
            ({"cell": CellKey("alpha", "nowhere", 1)}, "has no cell alpha/nowhere/1"),
            ({"cell": CellKey("alpha", "r01-lift", 2)}, "has no cell alpha/r01-lift/2"),
        ],
    )
    def test_what_cannot_be_is_refused(
        self, round_: Round, changes: dict[str, object], words: str
    ) -> None:
        with pytest.raises(CellRefused, match=words):
            self.mark(round_, **changes)

    def test_a_result_is_not_changed_by_hand(self, round_: Round, lab: Lab) -> None:
        take_in(round_, lab.manifest())
        with pytest.raises(CellRefused, match="a result is not changed by hand"):
            self.mark(round_)
