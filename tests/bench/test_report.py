"""The table of benchmarks is read from what each program really prints, and names what was not
there.
"""

import json

from tests.bench.report import BENCHES, Outcome, Ratio, page, ratios

BLINDING = """\
20 clips of 7.05 MB in /tmp/x
cp               median     5.0 ms  mean     5.1 ms per clip
blind copy       median    50.0 ms  mean    51.0 ms per clip
mat2             median   500.0 ms  mean   510.0 ms per clip
plain decode     median   300.0 ms  mean   310.0 ms per clip
blind, prove and scan  median  1200.0 ms  mean  1210.0 ms per clip
MISS 10.0 times cp (at most 5)
"""
SCORING = """\
100,000 clips x 4 reviewers, ordinal, 5 answers: alpha 0.412345678
  alpha, jackknife over 25,000 configurations       40.0 ms
  krippendorff package, 25,000 loops             80.0 s (from 5 loops, median 0.0032 s)
  speed-up 2,000x; difference of alpha 1.1e-16
"""
REVIEW = """\
One request at a time, 4 worker processes, 2 cores:
  save: median 8.0 ms, 95th percentile 12.0 ms of the server's time, 5.0 ms of CPU; a client waited 8.0 ms
  lock: median 10.0 ms, 95th percentile 18.0 ms of the server's time, 7.0 ms of CPU; a client waited 10.0 ms
40 reviewers for 20 s, clips of 7 MB:
  save: 125 calls, median 54.8 ms, 95th percentile 743.5 ms
"""
PEERS = {
    "potato": {
        "version": "2.0",
        "save": {"median_ms": 16.0, "cpu_ms": 4.0},
        "lock": {"median_ms": 40.0},
    },
    "label-studio": {"missing": "not installed"},
}


def outcomes(**texts: str) -> list[Outcome]:
    return [Outcome(bench, texts.get(bench.module, ""), 0, 1.0) for bench in BENCHES]


def test_each_ratio_is_theirs_over_ours() -> None:
    found = ratios(
        outcomes(
            bench_blinding=BLINDING,
            bench_scoring=SCORING,
            bench_review=REVIEW,
            peers_review=json.dumps(PEERS),
        )
    )
    assert {(line.what, line.peer): line.times for line in found if line.times} == {
        ("scrub and pad a clip of 7 MB", "cp (a plain copy)"): 0.1,
        ("scrub and pad a clip of 7 MB", "mat2"): 10.0,
        ("blind, prove and scan a clip", "ffmpeg decoding it once, on one core"): 0.25,
        (
            "alpha with its jackknife, 100,000 clips",
            "krippendorff package, looped (extrapolated from 5 loops)",
        ): 2000,
        ("save one change", "potato 2.0"): 2.0,
        ("hand in a form of six answers", "potato 2.0"): 4.0,
        ("save one change, the web server's processor time", "potato 2.0"): 0.8,
    }
    assert (
        Ratio("scrub and pad a clip of 7 MB", "50.0 ms", "exiftool", "not installed", None) in found
    )
    assert Ratio("save one change", "8.0 ms", "label-studio", "not installed", None) in found


def test_the_page_names_machine_versions_and_date_and_keeps_what_was_printed() -> None:
    text = page(outcomes(bench_blinding=BLINDING, peers_review="no JSON at all"), quick=True)
    assert "| scrub and pad a clip of 7 MB | 50.0 ms | mat2 | 500.0 ms | 10.0 |" in text
    assert all(
        word in text
        for word in (" UTC", "cores", "Python 3.", "django", "commit `", BLINDING.strip())
    )
