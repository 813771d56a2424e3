"""What a judge is sent as the clip: the blind bytes, or for a sensitivity run the same without
sound or picture.
"""

from pathlib import Path

import av
import pytest

from fartbench.media.probe import probe
from judging.media import NotVaried, clip_bytes
from judging.models import Variant
from tests.factories import tiny_clip


@pytest.fixture(scope="module")
def blind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("media") / "blind"
    path.write_bytes(tiny_clip())
    return path


def packets(data: bytes, tmp_path: Path, kind: str) -> list[bytes]:
    path = tmp_path / "clip.mp4"
    path.write_bytes(data)
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(**{kind: 0}) if packet.size]


@pytest.mark.parametrize("variant", [Variant.FROZEN, Variant.REVERSED])
def test_the_frozen_run_sends_the_blind_bytes(blind: Path, variant: str) -> None:
    assert clip_bytes(blind, variant) == blind.read_bytes()


def test_a_muted_clip_has_the_same_picture_and_no_sound(blind: Path, tmp_path: Path) -> None:
    muted = clip_bytes(blind, Variant.MUTED)
    assert packets(muted, tmp_path, "video") == packets(blind.read_bytes(), tmp_path, "video")
    (tmp_path / "muted.mp4").write_bytes(muted)
    assert not probe(tmp_path / "muted.mp4").has_audio


def test_a_clip_without_picture_is_black_and_sounds_the_same(blind: Path, tmp_path: Path) -> None:
    dark = clip_bytes(blind, Variant.NO_PICTURE)
    assert packets(dark, tmp_path, "audio") == packets(blind.read_bytes(), tmp_path, "audio")
    (tmp_path / "dark.mp4").write_bytes(dark)
    with av.open(str(tmp_path / "dark.mp4")) as container:
        frames = [frame.to_ndarray(format="gray") for frame in container.decode(video=0)]
    assert len(frames) == round(1.2 * 24)
    assert max(frame.max() for frame in frames) < 20


def test_what_is_no_clip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("not a clip")
    with pytest.raises(NotVaried, match="could not be varied"):
        clip_bytes(path, Variant.MUTED)
