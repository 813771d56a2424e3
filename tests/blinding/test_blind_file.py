"""The two commands that are worth having on their own."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.blinding import dirty
from tests.media.clips import clip, ffmpeg

ROOT = Path(__file__).resolve().parents[2]


def manage(*arguments):
    """Run a command in this process; return its status, what it printed and what it complained
    of.
    """
    out = StringIO()
    try:
        call_command(*map(str, arguments), stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue(), str(error)
    except SystemExit as end:
        return end.code, out.getvalue(), ""
    return 0, out.getvalue(), ""


def test_the_commands_need_no_database(tmp_path):
    environment = os.environ | {"DATABASE_URL": "sqlite:////nowhere/at/all/db.sqlite3"}
    for arguments in (
        ("blind_file", clip("silent.mp4"), tmp_path / "out.mp4"),
        ("leak_scan", tmp_path / "out.mp4"),
    ):
        command = [sys.executable, "manage.py", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["h264_aac.mp4", "av1_opus.webm"])
def test_blind_file_prints_the_proof(tmp_path, name):
    source = dirty.dirty_container(name, tmp_path)
    target = tmp_path / "out.mp4"
    status, printed, complaint = manage("blind_file", source, target, "--size", "500000")
    assert status == 0, complaint
    found = json.loads(printed)
    assert found["proof"]["holds"] is True
    assert found["blind"] == {"size": 500_000, "leaks": []}
    assert found["copy"]["raw_facts"]["video_codec"] in name
    assert target.stat().st_size == 500_000
    assert manage("leak_scan", target)[0] == 0
    status, printed, _ = manage("leak_scan", target, source)
    assert status == 1
    assert "ZZTITLE" in printed


@pytest.mark.parametrize("kind", ["text", "too small", "not copyable", "itself", "missing"])
def test_refusals_name_the_file_and_leave_nothing(tmp_path, kind):
    source, target, more = tmp_path / "clip.mp4", tmp_path / "out.mp4", []
    if kind == "text":
        source.write_text("#EXTM3U")
    elif kind == "not copyable":
        ffmpeg("-i", clip("mpeg4_flac.mp4"), "-c", "copy", source)
    elif kind != "missing":
        source.write_bytes(clip("h264_aac.mp4").read_bytes())
    if kind == "too small":
        more = ["--size", "1000"]
    elif kind == "itself":
        target = source
    before = sorted(tmp_path.iterdir())
    status, _, complaint = manage("blind_file", source, target, *more)
    assert status == 1
    assert "clip.mp4" in complaint or "out.mp4" in complaint
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["out.webm", "OUT.WEBM", "out.mkv"])
def test_an_out_that_is_not_named_as_mp4_is_refused_before_it_is_touched(tmp_path, name):
    target = tmp_path / name
    target.write_bytes(b"somebody's file")
    status, _, complaint = manage("blind_file", clip("vp9_opus.webm"), target)
    assert status == 1
    assert f"{target}: blind copies are MP4 files" in complaint
    assert target.read_bytes() == b"somebody's file"


def test_leak_scan_says_what_it_could_not_open(tmp_path):
    status, _, complaint = manage("leak_scan", tmp_path / "missing.mp4")
    assert status == 1
    assert "missing.mp4" in complaint
