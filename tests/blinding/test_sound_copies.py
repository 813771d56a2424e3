"""Sound as other programs write it is copied and proven, or refused for a reason that is true."""

import struct
from itertools import pairwise

import av
import pytest
from av.audio.layout import AudioLayout

from blinding.copying import NotCopyable, blind_copy
from blinding.leakscan import scan
from blinding.mp4_writer import box
from blinding.proof import prove
from fartbench.media.probe import probe
from tests.media.clips import clip, ffmpeg
from tests.media.matroska_writer import Block, SoundTrack, in_blocks, write_matroska
from tests.media.sound import sound, with_band_replication

CODERS = {"aac": ("aac",), "opus": ("libopus",), "mp3": ("libmp3lame",)}


def copied(source, tmp_path):
    """Copy and prove a clip; return the copy and its proof."""
    blind = tmp_path / "blind.mp4"
    blind_copy(source, blind)
    proof = prove(source, blind)
    assert proof.holds, proof.faults
    assert [finding for finding in scan(blind) if not finding.may_be_chance] == []
    return blind, proof


def packet_times(path):
    """Return when each sound packet is heard after the first frame of picture (s), by
    libavformat.
    """
    with av.open(str(path)) as container:
        pictures = [
            packet.pts * packet.time_base
            for packet in container.demux(video=0)
            if packet.pts is not None
        ]
    with av.open(str(path)) as container:
        sounds = [
            packet.pts * packet.time_base
            for packet in container.demux(audio=0)
            if packet.pts is not None
        ]
    return [float(time - min(pictures)) for time in sounds]


def matroska(tmp_path, kind, blocks, **fields):
    return write_matroska(tmp_path / "clip.mkv", SoundTrack(sound(*CODERS[kind]), blocks, **fields))


def remuxed(source, tmp_path, suffix=".mp4", *options):
    target = tmp_path / f"remuxed{suffix}"
    ffmpeg("-i", source, "-c", "copy", *options, target)
    return target


@pytest.mark.parametrize("has_default_duration", [True, False])
@pytest.mark.parametrize("lacing", ["none", "xiph", "ebml"])
@pytest.mark.parametrize("kind", CODERS)
def test_laced_packets_follow_each_other(tmp_path, kind, lacing, has_default_duration):
    coded = sound(*CODERS[kind])
    each = round(1_000_000_000 * coded.packet_samples / coded.rate) if has_default_duration else 0
    blocks = in_blocks(coded, lacing, each=8 if lacing != "none" else 1)
    source = matroska(tmp_path, kind, blocks, default_duration=each)
    blind, _ = copied(source, tmp_path)
    steps = [after - before for before, after in pairwise(packet_times(blind))]
    assert steps[1:-1] == pytest.approx(
        [coded.packet_samples / coded.rate] * len(steps[1:-1]), abs=1e-6
    )
    facts = probe(source)
    assert facts.audio_duration_s == pytest.approx(probe(blind).audio_duration_s, abs=1e-3)


def test_fixed_lacing(tmp_path):
    coded = sound("libopus", "-vbr", "off")
    source = tmp_path / "clip.mkv"
    write_matroska(source, SoundTrack(coded, in_blocks(coded, "fixed")))
    blind, _ = copied(source, tmp_path)
    assert packet_times(blind)[:3] == pytest.approx([0.0, 0.02, 0.04], abs=1e-6)


@pytest.mark.parametrize("kind", ["implicit", "explicit", "stereo"])
@pytest.mark.parametrize("container", ["mkv", "laced.mkv", "mp4"])
def test_replicated_bands_double_the_rate(tmp_path, kind, container):
    coded = with_band_replication(sound("aac", rate=24_000), kind=kind)
    blocks = in_blocks(
        coded, "ebml" if "laced" in container else "none", each=4 if "laced" in container else 1
    )
    source = write_matroska(tmp_path / "clip.mkv", SoundTrack(coded, blocks))
    if container == "mp4":
        source = remuxed(source, tmp_path)
    blind, proof = copied(source, tmp_path)
    facts = probe(blind)
    assert (facts.sample_rate, facts.audio_packet_samples) == (48_000, 2048)
    assert proof.samples == pytest.approx(2048 * len(coded.packets), abs=48)


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 88_200, 96_000])
@pytest.mark.parametrize("way", ["mkv", "mp4", "flv"])
def test_every_rate_by_way_of_clocks_that_round(tmp_path, rate, way):
    coded = sound("aac", rate=rate, seconds=0.6)
    blocks = in_blocks(coded, "none", each=1)
    source = write_matroska(tmp_path / "clip.mkv", SoundTrack(coded, blocks))
    if way == "flv":
        source = remuxed(source, tmp_path, ".flv")
    if way != "mkv":
        source = remuxed(source, tmp_path)
    blind, proof = copied(source, tmp_path)
    assert probe(blind).sample_rate == rate
    assert proof.samples == pytest.approx(1024 * len(coded.packets), abs=rate / 1000)


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000])
@pytest.mark.parametrize("channels", ["1", "2"])
def test_mp3_of_every_version(tmp_path, rate, channels):
    coded = sound("libmp3lame", "-ac", channels, rate=rate, seconds=0.6)
    source = write_matroska(
        tmp_path / "clip.mkv", SoundTrack(coded, in_blocks(coded, "none", each=1))
    )
    _, proof = copied(source, tmp_path)
    assert proof.samples == coded.packet_samples * len(coded.packets)


@pytest.mark.parametrize("said", [0, 22_050, 44_100, 65_535])
def test_a_wrong_rate_in_the_sample_entry_does_no_harm(tmp_path, said):
    source = remuxed(matroska(tmp_path, "aac", in_blocks(sound("aac"), "none", each=1)), tmp_path)
    data = bytearray(source.read_bytes())
    struct.pack_into(">I", data, data.index(b"mp4a") + 28, said << 16)
    source.write_bytes(data)
    _, proof = copied(source, tmp_path)
    assert proof.samples == pytest.approx(1024 * len(sound("aac").packets), abs=48)


RECORDED = [0, 47, 63, 88, 121, 121, 139, 170, 181, 200, 233, 240]


@pytest.mark.parametrize(
    "times",
    [
        [34 + time for time in RECORDED],
        [20 * index + (400 if index > 5 else 0) for index in range(12)],
        [20 * index + (5 if index > 5 else 0) for index in range(12)],
        [700 + 20 * index for index in range(12)],
        [20 * index + index // 3 for index in range(12)],
        [0],
    ],
    ids=["real clock", "gap", "small gap", "late", "drift", "one packet"],
)
def test_every_packet_is_heard_when_it_was(tmp_path, times):
    packets = sound("libopus").packets
    source = matroska(
        tmp_path,
        "opus",
        [Block(time, [packet]) for time, packet in zip(times, packets, strict=False)],
    )
    blind, _ = copied(source, tmp_path)
    assert packet_times(blind) == pytest.approx([time / 1000 for time in times], abs=1e-3)


@pytest.mark.parametrize(
    ("kind", "delay"), [("opus", 6_500_000), ("aac", 21_333_333), ("aac", 44_000_000)]
)
@pytest.mark.parametrize("discard", [0, 7_000_000, 20_000_000, 33_500_000])
@pytest.mark.parametrize("drop_first", [False, True])
def test_sound_that_is_hidden_at_both_ends_stays_hidden(tmp_path, kind, delay, discard, drop_first):
    coded = sound(*CODERS[kind])
    blocks = in_blocks(coded, "none", each=1)
    blocks[-1].discard, blocks[-1].drop_first = discard, drop_first
    _, proof = copied(matroska(tmp_path, kind, blocks, delay=delay), tmp_path)
    hidden = delay / 1e9 + min(discard / 1e9, coded.packet_samples / coded.rate)
    assert proof.samples == pytest.approx(
        coded.packet_samples * len(coded.packets) - hidden * coded.rate, abs=48
    )


@pytest.mark.parametrize(
    ("place", "discard", "lacing", "reason"),
    [
        (5, 7_000_000, "none", "drops sound inside"),
        (0, -7_000_000, "none", "drops sound inside"),
        (-1, 7_000_000, "xiph", "drops sound of several packets"),
    ],
)
def test_sound_dropped_elsewhere_is_refused(tmp_path, place, discard, lacing, reason):
    blocks = in_blocks(sound("libopus"), lacing, each=4 if lacing == "xiph" else 1)
    blocks[place].discard = discard
    with pytest.raises(NotCopyable, match=reason):
        blind_copy(matroska(tmp_path, "opus", blocks), tmp_path / "blind.mp4")


def test_packets_out_of_order_are_refused(tmp_path):
    blocks = in_blocks(sound("libopus"), "none", each=1)
    blocks[9].time = blocks[8].time - 5
    with pytest.raises(NotCopyable, match="out of order"):
        blind_copy(matroska(tmp_path, "opus", blocks), tmp_path / "blind.mp4")


@pytest.mark.parametrize(
    "options",
    [
        ("-movflags", "frag_keyframe+empty_moov+default_base_moof"),
        ("-movflags", "frag_keyframe+delay_moov"),
        ("-use_editlist", "0"),
        ("-movie_timescale", "1000"),
        ("-t", "0.8"),
    ],
    ids=["fragments", "fragments with edit lists", "without edit lists", "milliseconds", "cut"],
)
@pytest.mark.parametrize("kind", ["aac", "opus"])
def test_mp4_as_ffmpeg_writes_it(tmp_path, kind, options):
    delay = {"aac": 21_333_333, "opus": 6_500_000}[kind]
    source = matroska(tmp_path, kind, in_blocks(sound(*CODERS[kind]), "none", each=1), delay=delay)
    copied(remuxed(source, tmp_path, ".mp4", *options), tmp_path)


@pytest.mark.parametrize(("options", "lists"), [((), 2), (("-use_editlist", "0"), 1)])
def test_opus_has_an_edit_list_when_it_had_one(tmp_path, options, lists):
    source = matroska(
        tmp_path, "opus", in_blocks(sound("libopus"), "none", each=1), delay=6_500_000
    )
    blind, _ = copied(remuxed(source, tmp_path, ".mp4", *options), tmp_path)
    assert blind.read_bytes().count(b"elst") == lists


def with_itunes_tag(source, priming):
    """Put a tag at the end of the movie header, which lies at the end of the file."""
    words = b" 00000000 " + b"%08X" % priming + b" 000001C4 0000000000011940"
    name = box(b"name", bytes(4), b"iTunSMPB")
    tag = box(
        b"----", box(b"mean", bytes(4), b"com.apple.iTunes"), name, box(b"data", bytes(8), words)
    )
    handler = box(b"hdlr", bytes(8), b"mdirappl", bytes(9))
    tags = box(b"udta", box(b"meta", bytes(4), handler, box(b"ilst", tag)))
    data = source.read_bytes()
    at = data.rindex(b"moov") - 4
    (size,) = struct.unpack_from(">I", data, at)
    assert at + size == len(data)
    source.write_bytes(data[:at] + struct.pack(">I", size + len(tags)) + data[at + 4 :] + tags)


@pytest.mark.parametrize("priming", [0, 1024, 20_000])
def test_an_itunes_tag_that_says_what_the_edit_list_says_does_no_harm(tmp_path, priming):
    source = remuxed(
        clip("h264_aac.mp4"), tmp_path, ".mp4", "-map_metadata", "-1", "-fflags", "+bitexact"
    )
    with_itunes_tag(source, priming)
    copied(source, tmp_path)


def test_an_itunes_tag_that_players_follow_differently_is_refused(tmp_path):
    source = remuxed(
        clip("h264_aac.mp4"), tmp_path, ".mp4", "-map_metadata", "-1", "-fflags", "+bitexact"
    )
    with_itunes_tag(source, 2112)
    with pytest.raises(NotCopyable, match="hides 2112 samples of its sound and the edit list 1024"):
        blind_copy(source, tmp_path / "blind.mp4")


@pytest.mark.parametrize("later", ["picture", "sound"])
@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_a_track_that_begins_later_stays_later(tmp_path, later, suffix):
    source, late = (
        matroska(tmp_path, "aac", in_blocks(sound("aac"), "none", each=1)),
        tmp_path / f"late{suffix}",
    )
    first, second = ("0:v", "1:a") if later == "picture" else ("1:v", "0:a")
    ffmpeg(
        "-itsoffset",
        "0.5",
        "-i",
        source,
        "-i",
        source,
        "-map",
        first,
        "-map",
        second,
        "-c",
        "copy",
        late,
    )
    copied(late, tmp_path)
    facts = probe(tmp_path / "blind.mp4")
    assert facts.audio_start - facts.video_start == pytest.approx(
        -0.5 if later == "picture" else 0.5, abs=2e-3
    )


LAYOUTS = ["mono", "stereo", "3.0", "5.0", "5.1", "7.1"]
OTHER_LAYOUTS = ["2.1", "quad", "5.1(side)", "6.1", "7.1(wide)"]
"""What AAC says by a channel record, since it has no number for them."""


ALL_LAYOUTS = [("aac", one) for one in [*LAYOUTS, "4.0", *OTHER_LAYOUTS]]
ALL_LAYOUTS += [("opus", one) for one in [*LAYOUTS, "quad", "6.1"]]
FAMILIES = {"mono": "0", "stereo": "0"}


def layout_clip(tmp_path, kind, layout, container="mkv"):
    family = ("-mapping_family", FAMILIES.get(layout, "1")) if kind == "opus" else ()
    coded = sound(*CODERS[kind], *family, seconds=0.4, layout=layout)
    source = write_matroska(
        tmp_path / "clip.mkv", SoundTrack(coded, in_blocks(coded, "none", each=1))
    )
    return source if container == "mkv" else remuxed(source, tmp_path, f".{container}")


@pytest.mark.parametrize("container", ["mkv", "mp4"])
@pytest.mark.parametrize(("kind", "layout"), ALL_LAYOUTS)
def test_every_layout(tmp_path, kind, layout, container):
    blind, _ = copied(layout_clip(tmp_path, kind, layout, container), tmp_path)
    assert probe(blind).channels == AudioLayout(layout).nb_channels


@pytest.mark.parametrize("layout", ["mono", "stereo", "5.1", "7.1", "quad"])
def test_layouts_in_quicktime(tmp_path, layout):
    blind, _ = copied(layout_clip(tmp_path, "aac", layout, "mov"), tmp_path)
    assert probe(blind).channels == AudioLayout(layout).nb_channels


@pytest.mark.parametrize(
    "options",
    [("-ac", "1"), ("-ac", "2", "-joint_stereo", "0"), ("-ac", "2", "-joint_stereo", "1")],
)
@pytest.mark.parametrize("container", ["mkv", "mp4", "mov"])
def test_mp3_of_every_mode(tmp_path, options, container):
    coded = sound("libmp3lame", *options, seconds=0.4, layout="stereo")
    source = write_matroska(
        tmp_path / "clip.mkv", SoundTrack(coded, in_blocks(coded, "none", each=1))
    )
    copied(source if container == "mkv" else remuxed(source, tmp_path, f".{container}"), tmp_path)


@pytest.mark.parametrize("layout", ["mono", "stereo", "5.1"])
def test_channels_without_loudspeakers_are_refused(tmp_path, layout):
    coded = sound("libopus", "-mapping_family", "255", seconds=0.4, layout=layout)
    source = write_matroska(
        tmp_path / "clip.mkv", SoundTrack(coded, in_blocks(coded, "none", each=1))
    )
    with pytest.raises(NotCopyable, match="family 255, which names no loudspeakers"):
        blind_copy(source, tmp_path / "blind.mp4")


REFUSED = {
    "flac": "FLAC", "alac": "ALAC", "ac3": "AC-3", "eac3": "E-AC-3", "pcm_s16le": "PCM",
    "pcm_s24le": "PCM",
    "libvorbis": "vorbis", "mp2": "MPEG layer",
}  # fmt: skip


@pytest.mark.parametrize("container", ["mkv", "mov", "mp4"])
@pytest.mark.parametrize("coder", REFUSED)
def test_other_sound_is_refused_by_its_name(tmp_path, coder, container):
    if (coder, container) == ("flac", "mov"):
        container = "mp4"  # QuickTime has no FLAC
    coded, source = tmp_path / "coded.mkv", tmp_path / f"clip.{container}"
    tone = "sine=frequency=440:sample_rate=48000:duration=0.4"
    ffmpeg(
        "-i", clip("silent.mp4"), "-f", "lavfi", "-i", tone, "-c:v", "copy", "-c:a", coder, coded
    )
    ffmpeg("-i", coded, "-c", "copy", "-strict", "-2", source)
    assert probe(source).has_audio
    with pytest.raises(
        NotCopyable, match=rf"{REFUSED[coder]}.* sound .*; normalising the round re-encodes it"
    ):
        blind_copy(source, tmp_path / "blind.mp4")


def test_uncompressed_sound_longer_than_the_tables_may_be(tmp_path):
    source = tmp_path / "clip.mov"
    ffmpeg(
        "-f", "lavfi", "-i", "color=size=64x64:rate=1:duration=6", "-f", "lavfi", "-i",
        "anullsrc=r=48000:d=6",
        "-t", "6", "-c:v", "libx264", "-c:a", "pcm_s16le", source,
    )  # fmt: skip
    facts = probe(source)
    assert (facts.audio_codec, facts.audio_duration_s) == ("sowt", 6)
    assert facts.audio_bit_rate == 2 * 16 * 48_000
    with pytest.raises(
        NotCopyable, match="plays PCM sound in MP4; normalising the round re-encodes it"
    ):
        blind_copy(source, tmp_path / "blind.mp4")
