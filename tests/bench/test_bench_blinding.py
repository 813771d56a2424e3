"""The benchmark of blinding says which targets are met; one that cannot be checked is not."""

import pytest

from tests.bench.bench_blinding import verdict

FLAT = (100.0, 105.0, 150.0)
MET = {"cp": [0.004], "blind copy": [0.016], "mat2": [0.2], "exiftool -all=": [0.15]}


def test_all_targets_met(capsys):
    assert verdict(MET, FLAT) == 0
    said = capsys.readouterr().out
    assert "ok   4.0 times cp (at most 5)" in said
    assert "ok   12.5 times as fast as mat2 (at least 10)" in said
    assert "MISS" not in said


@pytest.mark.parametrize("peer", ["mat2", "exiftool -all="])
def test_a_peer_that_is_missing_is_named_and_its_target_is_not_met(capsys, peer):
    assert verdict({name: spent for name, spent in MET.items() if name != peer}, FLAT) == 1
    assert f"MISS not compared with {peer}, which is missing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("results", "memory"),
    [
        (MET | {"cp": [0.003]}, FLAT),
        (MET | {"mat2": [0.15]}, FLAT),
        (MET | {"exiftool -all=": [0.09]}, FLAT),
        (MET, (100.0, 120.0, 150.0)),
        (MET, (100.0, 100.0, 201.0)),
    ],
)
def test_a_target_that_is_missed_is_a_failure(results, memory):
    assert verdict(results, memory) == 1
