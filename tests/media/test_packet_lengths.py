"""What a sound packet says of its own length is what it decodes to."""

from dataclasses import replace
from fractions import Fraction

import pytest

from fartbench.media.errors import UnsafeMedia
from fartbench.media.packet_lengths import packet_seconds
from fartbench.media.probe import probe
from tests.media.matroska_writer import SoundTrack, in_blocks, write_matroska
from tests.media.sound import sound, with_band_replication


@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100, 48_000, 96_000])
def test_aac(rate):
    coded = sound("aac", rate=rate, seconds=0.6)
    assert packet_seconds("aac", coded.config, coded.packets[0]) == Fraction(1024, rate)


@pytest.mark.parametrize("kind", ["explicit", "stereo", "implicit"])
def test_band_replication_does_not_change_how_long_a_packet_lasts(kind):
    coded = with_band_replication(sound("aac", rate=24_000), kind=kind)
    assert packet_seconds("aac", coded.config, coded.packets[0]) == Fraction(1024, 24_000)


@pytest.mark.parametrize(
    ("config", "length"),
    [
        ("1194", Fraction(960, 48_000)),
        ("17800bb810", Fraction(1024, 6_000)),
        ("", None),
        ("11", None),
        ("16fb", None),
        ("178000000010", None),
    ],
)
def test_aac_set_up_records(config, length):
    assert packet_seconds("aac", bytes.fromhex(config), b"") == length


@pytest.mark.parametrize("length", ["2.5", "5", "10", "20", "40", "60", "120"])
def test_opus(length):
    coded = sound("libopus", "-frame_duration", length, seconds=0.6)
    assert packet_seconds("opus", coded.config, coded.packets[1]) == Fraction(length) / 1000


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000])
def test_mp3(rate):
    coded = sound("libmp3lame", rate=rate, seconds=0.6)
    assert packet_seconds("mp3", b"", coded.packets[0]) == Fraction(coded.packet_samples, rate)


@pytest.mark.parametrize(
    ("codec", "packet"),
    [
        ("opus", ""),
        ("opus", "03"),
        ("mp3", "fffb"),
        ("mp3", "fff0c000"),
        ("mp3", "ffebc000"),
        ("vorbis", "00"),
    ],
)
def test_what_does_not_say_is_none(codec, packet):
    assert packet_seconds(codec, b"", bytes.fromhex(packet)) is None


def test_more_channels_than_a_clip_may_have_are_refused_whatever_the_container_says(tmp_path):
    coded = sound("libopus", "-mapping_family", "255", seconds=0.4, layout="7.1.4")
    claimed = replace(coded, channels=2)
    source = write_matroska(
        tmp_path / "clip.mkv", SoundTrack(claimed, in_blocks(claimed, "none", each=1))
    )
    with pytest.raises(UnsafeMedia, match="12 channels of sound"):
        probe(source)
