"""Hostile and odd ZIP archives: refused by name, or unpacked inside their limits."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from fartbench.archives import ArchiveLimits, ArchiveRefused, unpack
from fartbench.sent_names import faults_of_paths

LIMITS = ArchiveLimits(entries=20, file_bytes=10_000, total_bytes=50_000)


def packed(
    *files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


def unpacked(data: bytes, tmp_path: Path) -> list[str]:
    path = tmp_path / "sent.zip"
    path.write_bytes(data)
    folder = tmp_path / "room"
    folder.mkdir(exist_ok=True)
    return unpack(path, folder, LIMITS)


def link() -> bytes:
    info = zipfile.ZipInfo("clip.mp4")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return packed((info, b"/etc/passwd"))


def with_flag(flag: int) -> bytes:
    """Set a flag in both headers of the one entry."""
    data = bytearray(packed(("clip.mp4", b"x" * 50)))
    central = data.index(b"PK\x01\x02")
    struct.pack_into("<H", data, 6, struct.unpack_from("<H", data, 6)[0] | flag)
    struct.pack_into("<H", data, central + 8, struct.unpack_from("<H", data, central + 8)[0] | flag)
    return bytes(data)


def says_it_is_smaller() -> bytes:
    """A bomb whose headers say that it is small."""
    data = bytearray(packed(("clip.mp4", b"\0" * 9_000)))
    central = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, 22, 100)
    struct.pack_into("<I", data, central + 24, 100)
    return bytes(data)


def says_it_has_many_entries() -> bytes:
    data = bytearray(packed(("clip.mp4", b"x")))
    end = data.rindex(b"PK\x05\x06")
    struct.pack_into("<HH", data, end + 8, 65_000, 65_000)
    return bytes(data)


def in_another_encoding() -> bytes:
    data = packed(("clip_aeiou.mp4", b"x"))
    return data.replace(b"clip_aeiou", "clip_äöü".encode("latin-1") + b"ou")


def damaged() -> bytes:
    data = bytearray(packed(("clip.mp4", bytes(range(256)) * 8), method=zipfile.ZIP_STORED))
    data[200] ^= 0xFF
    return bytes(data)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: packed(("../clip.mp4", b"x")), "'../clip.mp4': it is not a path inside"),
        (lambda: packed(("a/../../clip.mp4", b"x")), "not a path inside"),
        (lambda: packed(("/etc/clip.mp4", b"x")), "'/etc/clip.mp4': it is not a path inside"),
        (lambda: packed(("C:clip.mp4", b"x")), "not a path inside"),
        (lambda: packed(("a\\clip.mp4", b"x")), "not a path inside"),
        (lambda: packed(("cl\x1bip.mp4", b"x")), "holds a control character"),
        (lambda: packed(("a/" * 15 + "clip.mp4", b"x")), "folders deep"),
        (lambda: packed(("x" * 250 + ".mp4", b"x")), "longer than 200 bytes"),
        (link, "'clip.mp4': it is a link"),
        (lambda: with_flag(0x1), "'clip.mp4': it is encrypted"),
        (lambda: packed(("more.zip", packed(("clip.mp4", b"x")))), "'more.zip': it is an archive"),
        (lambda: packed(("clip.mp4", b"x"), method=zipfile.ZIP_LZMA), "use “deflate” or “store”"),
        (lambda: packed(("clip.mp4", b"\0" * 10_001)), "it has 10001 bytes; a file has at most"),
        (
            lambda: packed(*((f"{n}.mp4", b"\0" * 9_000) for n in range(6))),
            "unpacked it would have more than 50000 bytes",
        ),
        (lambda: packed(*((f"{n}.mp4", b"") for n in range(21))), "at most 20"),
        (says_it_has_many_entries, "65000 entries; an archive has at most 20"),
        (says_it_is_smaller, "'clip.mp4': "),
        (in_another_encoding, "its name is not UTF-8"),
        (damaged, "'clip.mp4': damaged"),
        (lambda: packed(("Clip.mp4", b"x"), ("clip.MP4", b"y")), "two files of this name"),
        (lambda: packed(("clip", b"x"), ("clip/one.mp4", b"y")), "a folder has the same name"),
        (packed, "there is no file in it"),
        (lambda: b"this is text" * 10, "not a whole ZIP archive"),
        (lambda: packed(("clip.mp4", b"x" * 99))[:-30], "not a whole ZIP archive"),
    ],
)
def test_what_is_hostile_is_refused_by_name(
    make: Callable[[], bytes], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ArchiveRefused) as refused:
        unpacked(make(), tmp_path)
    assert words in str(refused.value)
    assert "sent.zip" in str(refused.value)
    outside = {path.name for path in tmp_path.rglob("*")} - {"sent.zip", "room"}
    assert outside <= {"clip.mp4"}
    written = tmp_path / "room" / "clip.mp4"
    assert not written.exists() or written.stat().st_size <= LIMITS.file_bytes


def test_a_list_of_entries_that_fills_the_memory_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = packed(*((f"{n:05}.mp4", b"") for n in range(2_000)))
    monkeypatch.setattr(zipfile, "ZipFile", None)  # whatever opens it fails another way
    with pytest.raises(ArchiveRefused, match="2000 entries; an archive has at most 20"):
        unpacked(data, tmp_path)


def test_what_is_whole_is_unpacked_and_litter_is_passed_over(tmp_path: Path) -> None:
    data = packed(
        ("mine/", b""),
        ("mine/alpha.mp4", b"one"),
        ("mine/.DS_Store", b"litter"),
        ("__MACOSX/mine/._alpha.mp4", b"litter"),
        ("mine/Thumbs.db", b"litter"),
        ("mine/beta_ü.mp4", b"two"),
    )
    assert unpacked(data, tmp_path) == ["mine/alpha.mp4", "mine/beta_ü.mp4"]
    assert (tmp_path / "room" / "mine" / "alpha.mp4").read_bytes() == b"one"


def test_a_name_in_utf_8_without_its_mark_is_read(tmp_path: Path) -> None:
    """As macOS packs it."""
    data = packed(("clip_aaaa.mp4", b"x")).replace(b"clip_aaaa", "clip_üü".encode())
    assert unpacked(data, tmp_path) == ["clip_üü.mp4"]


def test_a_list_of_paths_has_every_fault_named() -> None:
    faults = faults_of_paths(["a.mp4", "../b.mp4", "", "c/./d.mp4"])
    assert len(faults) == 3
    assert faults_of_paths(["a/b.mp4", "a/c.mp4", "A/B.mp4"]) == [
        "'A/B.mp4': there are two files of this name"
    ]
