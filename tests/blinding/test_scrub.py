"""What of each codec's stream may stay, unit by unit."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinding.scrub.aac import leading_elements, scrub_aac, trim_config
from blinding.scrub.av1 import scrub_av1
from blinding.scrub.coded import CannotScrub
from blinding.scrub.mp3 import scrub_mp3
from blinding.scrub.nal import fill_to, scrub_h264, scrub_hevc, tells_nothing
from blinding.scrub.opus import padding_of, scrub_opus
from fartbench.media.bits import BitReader, without_bits
from fartbench.media.packet_lengths import opus_packet_samples
from tests.blinding.dirty import with_fill

SPS, PPS = bytes.fromhex("6742c01edb02"), bytes.fromhex("68ce3c80")
SLICE = b"\x65" + bytes(range(1, 60))


def units(*found, width=4):
    return memoryview(b"".join(len(unit).to_bytes(width, "big") + unit for unit in found))


def avcc(*, tail=b"", width=4):
    return (
        b"\1"
        + SPS[1:4]
        + bytes([0xFC | width - 1, 0xE1, 0, len(SPS)])
        + SPS
        + b"\1\0"
        + bytes([len(PPS)])
        + PPS
        + tail
    )


def joined(sample):
    return b"".join(map(bytes, sample))


def sei(kind, payload):
    return b"\x06" + bytes([kind, len(payload)]) + payload + b"\x80"


def test_h264_keeps_slices_alone():
    message, delimiter, filler, unknown = (
        sei(5, b"ZZ" * 20),
        b"\x09\x10",
        b"\x0c\xff\xff\x80",
        b"\x18ZZUNSPECIFIED",
    )
    coded = scrub_h264(
        avcc(tail=b"ZZTAIL"), [units(delimiter, SPS, PPS, message, SLICE, filler, unknown)]
    )
    assert joined(coded.samples[0]) == bytes(units(SLICE))
    assert (coded.entry, coded.record) == ("avc1", avcc())
    assert sum(coded.removed.values()) == 6 + len("ZZTAIL")


def test_h264_units_get_four_byte_lengths():
    coded = scrub_h264(avcc(width=2), [units(SLICE, width=2)])
    assert joined(coded.samples[0]) == bytes(units(SLICE))
    assert coded.record == avcc()


def test_h264_parameter_sets_that_change_stay_in_the_stream():
    other = bytes.fromhex("68ce3880")
    coded = scrub_h264(avcc(), [units(SLICE), units(other, SLICE)])
    assert coded.entry == "avc3"
    assert joined(coded.samples[1]) == bytes(units(other, SLICE))


@pytest.mark.parametrize(("kind", "word"), [(19, "film grain"), (47, "orientation")])
def test_messages_that_change_the_picture_are_not_dropped_in_silence(kind, word):
    with pytest.raises(CannotScrub, match=word):
        scrub_h264(avcc(), [units(sei(kind, bytes(4)), SLICE)])


@pytest.mark.parametrize("sample", [b"\0\0\0\xff\x65", b"\0\0\0\2\x06\x80", b"\0"])
def test_damaged_or_empty_pictures_are_refused(sample):
    with pytest.raises((CannotScrub, IndexError)):
        scrub_h264(avcc(), [memoryview(sample)])


def test_text_in_a_parameter_set_is_refused():
    with pytest.raises(CannotScrub, match="readable text"):
        scrub_h264(avcc(), [units(SPS + b"ZZ made by a model", SLICE)])


def test_hevc_keeps_slices_of_the_base_layer_and_end_marks():
    vps, sps, pps = b"\x40\x01vps", b"\x42\x01sps", b"\x44\x01pps"
    arrays = b"".join(
        bytes([0x20 | kind]) + b"\0\1" + struct.pack(">H", 5) + unit
        for kind, unit in ((0, vps), (1, sps), (2, pps))
    )
    message = b"\x4e\x01\x05\x10" + b"ZZ" * 8 + b"\x80"
    in_record = b"\x27\0\1" + struct.pack(">H", len(message)) + message
    header = b"\1" + bytes(12) + b"\xf0\0\xfc\xfd\xf8\xf8\x00\x18\x0f"
    picture, end, other_layer = b"\x26\x01" + bytes(30), b"\x48\x01", b"\x02\x09" + bytes(30)
    coded = scrub_hevc(
        header + b"\4" + arrays + in_record,
        [units(b"\x46\x01\x10", message, picture, other_layer, end)],
    )
    assert joined(coded.samples[0]) == bytes(units(picture, end))
    assert b"ZZ" not in coded.record
    assert (
        coded.record.count(b"vps") == coded.record.count(b"sps") == coded.record.count(b"pps") == 1
    )
    assert coded.record[19:21] == b"\0\0", "no average frame rate"


def obu(kind, payload, *, sized=True):
    return (
        bytes([kind << 3 | (2 if sized else 0)])
        + (bytes([len(payload)]) if sized else b"")
        + payload
    )


def test_av1_keeps_what_a_decoder_needs():
    sequence, frame = obu(1, b"\x0a\x0b\x00"), obu(6, bytes(range(40)))
    metadata, padding = obu(5, b"\x04ZZT35"), obu(15, b"ZZPADDING")
    sample = (
        obu(2, b"")
        + sequence
        + metadata
        + padding
        + obu(8, b"ZZ")
        + obu(6, bytes(range(40)), sized=False)
    )
    coded = scrub_av1(b"\x81\0\0\x1f" + sequence + metadata, [memoryview(sample)])
    assert joined(coded.samples[0]) == sequence + frame
    assert coded.record == b"\x81\0\0\0" + sequence


def test_av1_sizes_past_the_end_are_refused():
    with pytest.raises(CannotScrub, match="damaged"):
        scrub_av1(b"\x81\0\0\0", [memoryview(b"\x32\x7f\0")])


AAC_LC = bytes.fromhex("1190")
SOUND = bytes.fromhex("21100504d0") + bytes(20) + b"\xe0"


@pytest.mark.parametrize("length", [14, 15, 20, 33, 200])
def test_text_before_the_sound_of_an_aac_packet_goes(length):
    dirty = with_fill(SOUND, b"Z" * length)
    coded = scrub_aac(AAC_LC, [memoryview(dirty), memoryview(SOUND)])
    assert joined(coded.samples[0]) == SOUND
    assert joined(coded.samples[1]) == SOUND


def test_an_aac_fill_element_that_changes_the_sound_is_refused():
    gain = bytearray(with_fill(SOUND, b"Z" * 20))
    gain[1] |= 0b0000_0001
    gain[2] |= 0b0110_0000
    with pytest.raises(CannotScrub, match="changes the sound"):
        scrub_aac(AAC_LC, [memoryview(bytes(gain))])
    assert leading_elements(SOUND) == 0


@pytest.mark.parametrize(
    ("given_", "kept"), [("1190", "1190"), ("119056e500", "119056e500"), ("11905a5a5a5a", "1190")]
)
def test_the_aac_set_up_record_is_cut_to_its_fields(given_, kept):
    assert trim_config(bytes.fromhex(given_)) == bytes.fromhex(kept)


FOUR_CHANNELS = "118004c404002110"
"""AAC-LC, 48 kHz, with a channel record: one pair in front, one behind."""


@pytest.mark.parametrize(
    ("given_", "kept"), [("00", "00"), ("085a5a4e414d455a5a", "00"), ("025a5a56e500", "0056e500")]
)
def test_the_comment_of_an_aac_channel_record_goes(given_, kept):
    assert trim_config(bytes.fromhex(FOUR_CHANNELS + given_)) == bytes.fromhex(FOUR_CHANNELS + kept)


@pytest.mark.parametrize(
    "config", ["", "11", "f8", "1180", FOUR_CHANNELS + "045a5a", FOUR_CHANNELS]
)
def test_other_aac_set_up_records_are_refused(config):
    with pytest.raises(CannotScrub):
        trim_config(bytes.fromhex(config))


def test_opus_padding_goes_and_the_packet_lasts_as_long():
    frames = bytes(range(60))
    dirty = b"\xff\x42" + bytes([7]) + frames + b"ZZNAME!"
    coded = scrub_opus(b"\0\2\x01\x38" + struct.pack(">IhB", 44100, 0, 0), [memoryview(dirty)])
    assert joined(coded.samples[0]) == b"\xff\x02" + frames
    assert opus_packet_samples(dirty) == opus_packet_samples(coded.samples[0][0]) == 1920
    assert bytes(padding_of(memoryview(dirty))) == b"ZZNAME!"
    assert b"\x00\x00\xbb\x80" in coded.record, "the encoder's input rate is not kept"


def mp3_frame(back, bits, body):
    """A mono MPEG-1 frame of 48 kHz whose first granule has ``bits`` bits of sound, which begins
    ``back`` bytes before it.
    """
    side = f"{back:09b}" + "0" * 5 + "0" * 4 + f"{bits:012b}" + "0" * 47 + "0" * 59
    return b"\xff\xfb\x94\xc0" + int(side, 2).to_bytes(17, "big") + body


def test_mp3_ancillary_bytes_become_zero_across_frames():
    first, second = (
        mp3_frame(0, 80, b"s" * 10 + b"ZZLAME3" + b"t" * 4),
        mp3_frame(4, 12 * 8, b"u" * 8 + b"ZZ"),
    )
    coded = scrub_mp3([memoryview(first), memoryview(second)])
    assert joined(coded.samples[0])[21:] == b"s" * 10 + bytes(7) + b"t" * 4
    assert joined(coded.samples[1])[21:] == b"u" * 8 + bytes(2)


@given(st.binary(min_size=1, max_size=40), st.data())
def test_taking_bits_out_leaves_the_others(data, draw):
    start = draw.draw(st.integers(0, 8 * len(data)))
    end = draw.draw(st.integers(start, 8 * len(data)))
    bits = "".join(f"{byte:08b}" for byte in data)
    kept = bits[:start] + bits[end:]
    found = "".join(f"{byte:08b}" for byte in without_bits(data, start, end))
    assert found == kept + "0" * (-len(kept) % 8)


@given(st.lists(st.integers(0, 2**16), max_size=20))
def test_exp_golomb_numbers_are_read_back(numbers):
    coded = "".join(f"{'0' * ((n + 1).bit_length() - 1)}{n + 1:b}" for n in numbers)
    coded += "0" * (-len(coded) % 8)
    reader = BitReader(int(coded or "0", 2).to_bytes(len(coded) // 8, "big"))
    assert [reader.unsigned() for _ in numbers] == numbers


@given(st.lists(st.integers(5, 3000), min_size=1, max_size=30), st.integers(0, 5000))
def test_filled_pictures_have_exactly_the_common_size(sizes, spare):
    samples = [[bytes(size)] for size in sizes]
    total = sum(sizes) + 6 * len(sizes) + spare
    fill_to(samples, total)
    assert sum(len(joined(sample)) for sample in samples) == total
    for sample in samples:
        added = joined(sample[1:])
        assert struct.unpack(">I", added[:4]) == (len(added) - 4,)
        assert tells_nothing(added[4:])


def test_pictures_over_the_common_size_are_refused():
    with pytest.raises(CannotScrub, match="more than the common bit rate"):
        fill_to([[bytes(100)]], 100)
