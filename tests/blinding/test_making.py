"""A clip is blinded in one trip to the sandbox, and everything stored about its copy is what single
steps find.
"""

import pytest

from blinding import making
from blinding.common_format import CommonFormat, Cut, WindowMissing
from blinding.copying import NotCopyable, blind_copy
from blinding.errors import ClipsNotBlindable
from blinding.fingerprint import technical_facts
from blinding.leakscan import scan
from blinding.making import make_normalised, make_plain
from blinding.models import BlindCopy
from blinding.normalise import normalise
from blinding.proof import prove
from blinding.services import blind_round
from fartbench.media import decoding
from fartbench.media import probe as probe_module
from fartbench.media.errors import NotAVideo
from fartbench.media.probe import frame_times, probe
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import Sandbox
from fartbench.storage import StorageFull
from fartbench.stores import blind_copies
from generation.importing import import_clips
from tests import factories
from tests.blinding import jobs
from tests.manifests import Lab
from tests.media.clips import clip

SMALL = CommonFormat(160, 90, "24/1", 1.0, video_bit_rate=400_000)


@pytest.fixture
def trips(monkeypatch):
    """The functions that the sandbox was sent, in order."""
    sent, call = [], Sandbox.call
    monkeypatch.setattr(
        Sandbox, "call", lambda self, function, *rest, **more: (
            sent.append(function.__name__), call(self, function, *rest, **more)
        )[1],
    )  # fmt: skip
    return sent


@pytest.fixture
def round_(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    lab = Lab(tmp_path, scenes=("r01-lift",))
    made = factories.make_round(scenes=list(lab.scenes))
    import_clips(round_=made, manifest=lab.manifest(), actor="test")
    return made


def assert_is_what_single_steps_find(made, copy):
    assert made.facts == probe(copy)
    assert made.frame_times == frame_times(copy)
    assert made.technical == technical_facts(copy)
    assert made.findings == scan(copy)


@pytest.mark.parametrize("name", ["h264_aac.mp4", "vp9_opus.webm", "silent.mp4"])
def test_a_plain_copy_in_one_trip_is_what_single_steps_make(tmp_path, trips, name):
    made = make_plain(clip(name), tmp_path / "one.mp4")
    assert trips == ["_make_plain_here"]
    assert made.copy == blind_copy(clip(name), tmp_path / "other.mp4")
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "other.mp4").read_bytes()
    assert made.proof == prove(clip(name), tmp_path / "other.mp4").as_json()
    assert_is_what_single_steps_find(made, tmp_path / "one.mp4")


def test_a_normalised_copy_in_one_trip_is_what_single_steps_make(tmp_path, trips):
    made = make_normalised(clip("h264_aac.mp4"), tmp_path / "one.mp4", SMALL, None)
    assert trips == ["_make_normalised_here"]
    other = normalise(clip("h264_aac.mp4"), tmp_path / "other.mp4", format=SMALL)
    assert (made.copy, made.proof) == (other.copy, other.proof.as_json())
    assert_is_what_single_steps_find(made, tmp_path / "one.mp4")


def test_the_clip_and_its_copy_are_probed_once_each(tmp_path, monkeypatch):
    probed, picture_facts = [], probe_module.picture_facts

    def counted(path, *rest):
        probed.append(path.name)
        return picture_facts(path, *rest)

    monkeypatch.setattr(probe_module, "picture_facts", counted)
    making._make_plain_here(clip("h264_aac.mp4"), str(tmp_path / "copy.mp4"))
    assert probed == ["h264_aac.mp4", "copy.mp4"]


def test_a_copy_has_no_frame_decoded_beside_those_of_the_proof(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a frame was decoded for the facts of a clip")

    monkeypatch.setattr(decoding, "first_picture", refuse)
    making._make_plain_here(clip("h264_aac.mp4"), str(tmp_path / "copy.mp4"))


def test_a_clip_of_which_only_the_headers_are_whole_is_refused_by_its_proof(tmp_path):
    damaged = tmp_path / "clip.mp4"
    data = bytearray(clip("h264_aac.mp4").read_bytes())
    with open_bytes(clip("h264_aac.mp4")) as view:
        first = read_movie(damaged, view).main("video").samples[0]
    half = first.size // 2
    data[first.offset + half : first.offset + first.size] = bytes(first.size - half)
    damaged.write_bytes(data)
    with pytest.raises(NotAVideo, match="cannot be decoded to its end"):
        making._make_plain_here(damaged, str(tmp_path / "copy.mp4"))


def test_a_window_that_the_clip_does_not_reach_is_refused_in_the_same_trip(tmp_path, trips):
    with pytest.raises(WindowMissing, match="there is no window from 500 s to 501 s"):
        make_normalised(clip("h264_aac.mp4"), tmp_path / "one.mp4", SMALL, Cut(((500, 501),)))
    assert trips == ["_make_normalised_here"]


def test_a_proof_that_does_not_hold_refuses_the_copy(tmp_path, monkeypatch):
    def write_another(_raw, _source, target):
        return making_write(clip("silent.mp4"), clip("silent.mp4"), target)

    making_write = making.write_copy
    monkeypatch.setattr(making, "write_copy", write_another)
    with pytest.raises(NotCopyable, match="would not be the same clip"):
        making._make_plain_here(clip("h264_aac.mp4"), str(tmp_path / "copy.mp4"))


@pytest.mark.django_db
def test_each_clip_of_a_round_takes_one_trip(round_, trips):
    assert blind_round(round_=round_, actor="test") == len(trips) == BlindCopy.objects.count()


@pytest.mark.django_db
def test_a_child_that_is_killed_half_way_stores_nothing_and_the_next_run_finishes(
    round_, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(making, "_make_plain_here", jobs.make_and_die_before_it_is_whole)
        with pytest.raises(ClipsNotBlindable, match="made the reader of media stop"):
            blind_round(round_=round_, actor="test")
    assert [path for path in blind_copies().root.rglob("*") if path.is_file()] == []
    assert blind_round(round_=round_, actor="test") == BlindCopy.objects.count()


@pytest.mark.django_db
def test_a_full_disk_stores_nothing_and_is_not_a_clips_fault(round_, monkeypatch):
    monkeypatch.setattr(making, "_make_plain_here", jobs.make_on_a_full_disk)
    with pytest.raises(StorageFull, match="No space left"):
        blind_round(round_=round_, actor="test")
    assert [path for path in blind_copies().root.rglob("*") if path.is_file()] == []
