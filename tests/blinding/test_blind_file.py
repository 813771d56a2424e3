"""The two commands that are worth having on their own, run as a user runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.blinding import dirty
from tests.media.clips import clip, ffmpeg

ROOT = Path(__file__).resolve().parents[2]


def manage(*arguments):
    """Run manage.py without a database to connect to."""
    environment = os.environ | {"DATABASE_URL": "sqlite:////nowhere/at/all/db.sqlite3"}
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "suffix"), [("h264_aac.mp4", ".mp4"), ("vp9_vorbis.webm", ".webm"), ("av1_opus.webm", ".mp4")]
)
def test_blind_file_prints_the_proof(tmp_path, name, suffix):
    source = dirty.dirty_container(name, tmp_path)
    target = tmp_path / f"out{suffix}"
    done = manage("blind_file", source, target, "--size", "500000")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["proof"]["holds"] is True
    assert printed["blind"] == {"size": 500_000, "leaks": []}
    assert printed["copy"]["raw_facts"]["video_codec"] in name
    assert target.stat().st_size == 500_000
    assert manage("leak_scan", target).returncode == 0
    dirty_scan = manage("leak_scan", target, source)
    assert dirty_scan.returncode == 1
    assert "ZZTITLE" in dirty_scan.stdout


@pytest.mark.parametrize("kind", ["text", "too small", "not copyable", "webm from mp4", "itself", "missing"])
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
    elif kind == "webm from mp4":
        target = tmp_path / "out.webm"
    elif kind == "itself":
        target = source
    before = sorted(tmp_path.iterdir())
    done = manage("blind_file", source, target, *more)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "clip.mp4" in done.stderr or "out.mp4" in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_leak_scan_says_what_it_could_not_open(tmp_path):
    done = manage("leak_scan", tmp_path / "missing.mp4")
    assert done.returncode == 1
    assert "missing.mp4" in done.stderr
