"""A rollout drawn and measured from the command line: defects with their parts, and what is
unavailable.
"""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.drawn_rollouts import BROKEN, PLANTED


def test_a_rollouts_defects_are_shown_with_their_parts_and_what_lacks_is_named(
    rollouts, tmp_path, capsys
):
    path, _ = rollouts["broken"]
    out = tmp_path / "found.json"
    call_command(
        "measure_rollout",
        str(path),
        "--geometry",
        "25,24",
        "--prompts",
        "6",
        "--weights",
        str(tmp_path),
        "--json",
        str(out),
    )
    said = capsys.readouterr().out
    assert "34 boundaries have a whole window; the worst that do not overlap:" in said
    assert "black 12%" in said
    assert "flashes 2" in said
    assert "picture's part of PVC" in said
    assert "dropout at 11.00 s" in said
    assert "FPS      unavailable: no times were logged" in said
    assert "AVAlign  unavailable: no weights: imagebind/imagebind_huge.pth" in said
    content = json.loads(out.read_text())
    scores = {round(window["at_s"] * 24): window["score"] for window in content["native"]}
    clean = [score for at, score in scores.items() if score == 100]
    assert all(scores[BROKEN.boundaries[boundary]] < 100 for boundary in PLANTED.values())
    assert len(clean) > 10
    assert len(content["plug_ins"]) == 6


def test_a_drawn_rollout_has_its_truth_beside_it_and_boundaries_unknown_unless_told(
    tmp_path: Path, capsys
):
    out = tmp_path / "r.mp4"
    call_command("draw_rollout", "stream-patchy", str(out), "--seconds", "8")
    truth = json.loads(out.with_suffix(".json").read_text())
    assert truth["frames"] == 192
    assert "--geometry 25,24" in capsys.readouterr().out
    call_command("measure_rollout", str(out))
    assert (
        "NBC      unavailable: boundaries cannot be observed: neither a log nor a geometry"
        in capsys.readouterr().out
    )


def test_before_a_model_starts_it_is_said_what_each_lacks_and_one_can_be_asked_for(
    tmp_path: Path, capsys
):
    rollout, out = tmp_path / "r.mp4", tmp_path / "r-measured.json"
    call_command("draw_rollout", "stream-patchy", str(rollout), "--seconds", "8")
    only = ["--only", "audiobox", "--only", "imagebind"]
    call_command(
        "measure_rollout", str(rollout), "--weights", str(tmp_path), "--json", str(out), *only
    )
    said = capsys.readouterr().out
    before, after = said.split("PQ       unavailable: no weights", 1)
    assert "PQ       audiobox: unavailable, without audiobox/checkpoint.pt" in before
    assert "AVAlign  imagebind: unavailable, without imagebind/imagebind_huge.pth" in before
    assert "VA " not in said.split("PQ       audiobox")[1]
    assert "AVAlign  unavailable" in after
    assert [one["tool"] for one in json.loads(out.read_text())["plug_ins"]] == [
        "audiobox",
        "imagebind",
    ]


def test_wrong_use_is_said(tmp_path: Path):
    for words in (["--geometry", "25"], ["--geometry", "0,24"], ["--prompts", "soon"]):
        with pytest.raises(CommandError):
            call_command("measure_rollout", str(tmp_path / "r.mp4"), *words)
    with pytest.raises(CommandError, match="leave --geometry out") as caught:
        call_command("measure_rollout", "r.mp4", "--geometry", "25,24", "--stream", str(tmp_path))
    assert caught.value.returncode == 2
