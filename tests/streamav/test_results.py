"""A round of rollouts with scripted answers: every column is also computed here, from the answers
alone.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from fartbench.protocol.rollouts.schema import Scenario
from measuring.measurement import Measurement
from scoring.errors import ReleaseRefused
from scoring.records import MeasuredRecord, RoundRecord, WindowRecord
from scoring.release.contents import hashes_of, write_release
from scoring.release.kinds import documents_of
from scoring.release.loading import load_record, read_manifest
from scoring.release.manifest import MANIFEST, Issue
from scoring.release.verifying import verify_release
from scoring.release.writers import readable_json_bytes
from scoring.rollouts.document import provisional_columns
from tests.streamav.rollout_record import make_round, signals, streamav
from tests.streamav.scripts import drawn

ISSUE = Issue(
    1,
    "http://example.org/rounds/rollouts/",
    demonstration=True,
    audit={"sequence": 1, "hash": "0" * 64},
)
SCENARIOS = {one.key: one for one in streamav().protocol.rollouts.scenarios}
INTERVAL_PLUG_INS = {"VA": 0.01, "PQ": 0.1, "AVAlign": 0.02, "AVSync": 0.03}


def plugged(place: int, scenario: Scenario) -> list[MeasuredRecord]:
    """Return what plug-ins would have stored: values that rise with the interval, and one of the
    whole.
    """
    found = [
        MeasuredRecord(
            place,
            "interval",
            str(number),
            Measurement(code, step * (place + number), "points", code, "1"),
        )
        for code, step in INTERVAL_PLUG_INS.items()
        for number in range(1, 7)
    ]
    if scenario.track == "progressive":
        whole = 0.5 + place / 100
        found += [
            MeasuredRecord(place, "full", "", Measurement(code, whole, "points", code, "1"))
            for code in ("SC", "BC")
        ]
    return found


def measured(place: int, _name: str, scenario: Scenario) -> list[MeasuredRecord]:
    return signals(place, scenario, score=80.0 + place / 10, fps=10.0 + place) + plugged(
        place, scenario
    )


@pytest.fixture(scope="module")
def record() -> RoundRecord:
    return make_round(
        drawn, reviewers=2, measured=measured, failed={("beta", "cave-survey-p"): "no stream"}
    )


@pytest.fixture(scope="module")
def columns(record: RoundRecord) -> dict[str, Any]:
    scores = documents_of(record).scores
    return {one["configuration"]: one["columns"] for one in scores["readings"][0]["systems"]}


class Independent:
    """Every metric of one system, by the definitions of arXiv:2608.26336v1 and from the scripted
    texts alone.
    """

    def __init__(self, record: RoundRecord, name: str, horizon_s: float = 180.0) -> None:
        self.horizon_s = horizon_s
        self.answers: dict[str, list[tuple[WindowRecord, int, dict[str, str]]]] = defaultdict(list)
        self.places = {}
        for window in record.windows:
            cell = record.cells[window.cell]
            if cell.configuration == name:
                self.places[cell.scene] = window.cell
                for reviewer in range(2):
                    self.answers[cell.scene].append(
                        (window, reviewer, drawn(name, cell.scene, window, reviewer))
                    )

    def over(self, value_of: Any, track: str = "") -> float | None:
        """Return the mean over the cases of a track that have a value."""
        found = [value_of(scene) for scene in self.answers if track in ("", SCENARIOS[scene].track)]
        known = [value for value in found if value is not None]
        return mean(known) if known else None

    def rated(self, unit: str, *keys: str, fixed_end: bool = False) -> Any:
        """Return what gives a case's mean: of the keys in a sheet, of the sheets of a place, of the
        places.
        """

        def value_of(scene: str) -> float | None:
            by_place = defaultdict(list)
            for window, _, given in self.answers[scene]:
                is_late = (
                    window.end_s != self.horizon_s if fixed_end else window.end_s > self.horizon_s
                )
                if window.unit != unit or is_late:
                    continue
                numbers = [
                    float(given[key])
                    for key in keys
                    if key in given and not given[key].startswith("na:")
                ]
                if numbers:
                    by_place[window.place].append(mean(numbers))
            return mean(mean(values) for values in by_place.values()) if by_place else None

        return value_of

    def interval(self, scene: str, number: int, *keys: str) -> float:
        sheets = [
            mean(float(given[key]) for key in keys)
            for window, _, given in self.answers[scene]
            if (window.unit, window.place) == ("interval", str(number)) and keys[0] in given
        ]
        return mean(sheets)

    def drift(self, *keys: str) -> Any:
        return lambda scene: abs(
            self.interval(scene, int(self.horizon_s // 30), *keys) - self.interval(scene, 1, *keys)
        )

    def changed(self, *keys: str) -> Any:
        """Return what gives a case's mean change of matched criteria between the first and the last
        30 s.
        """

        def value_of(scene: str) -> float | None:
            changes = []
            for reviewer in range(2):
                ends: dict[str, dict[str, str]] = {"first": {}, "last": {}}
                for window, who, given in self.answers[scene]:
                    is_end = window.place == "first" or window.end_s == self.horizon_s
                    if window.unit == "endpoint" and who == reviewer and is_end:
                        ends[window.place] |= {key: given[key] for key in keys if key in given}
                if ends["first"]:
                    pairs = [
                        (float(ends["first"][key]), float(ends["last"][key]))
                        for key in ends["first"]
                    ]
                    changes.append(mean(abs(last - first) for first, last in pairs))
            return mean(changes) if changes else None

        return value_of

    def achieved(self, key: str) -> Any:
        def value_of(scene: str) -> float | None:
            by_place = defaultdict(list)
            for window, _, given in self.answers[scene]:
                if key in given and window.end_s <= self.horizon_s:
                    by_place[window.place].append(0.0 if given[key].startswith("na:") else 1.0)
            return mean(mean(values) for values in by_place.values()) if by_place else None

        return value_of

    def at_prompts(self, scene: str) -> float:
        signal = 1 + 4 * (80.0 + self.places[scene] / 10) / 100
        return 0.7 * signal + 0.3 * self.rated("prompt", "visual_continuity")(scene)


VQ = ("visual_fidelity", "subject_integrity", "motion_naturalness", "visual_artifacts")
AQ = ("audio_naturalness", "audio_artifacts")
VIDEO = ("scene", "visual_style", "subjects", "activity")
AUDIO = ("sound_source", "sound_content", "temporal_relation")
P, I = "progressive", "interactive"  # noqa: E741 - the tracks


def expected(found: Independent) -> dict[str, float | None]:
    """Return the metrics that come from answers at the horizon of ``found``."""
    return {
        "VQ": found.over(found.rated("interval", *VQ)),
        "AQ": found.over(found.rated("interval", *AQ)),
        "VIF": found.over(found.rated("full", *VIDEO, fixed_end=True), P),
        "AIF": found.over(found.rated("full", *AUDIO, fixed_end=True), P),
        "VID": found.over(found.changed(*VIDEO), P),
        "AID": found.over(found.changed(*AUDIO), P),
        "VQ-D": found.over(found.drift(*VQ), P),
        "AQ-D": found.over(found.drift(*AQ), P),
        "VUF": found.over(found.rated("update", "video_fulfilment"), I),
        "AUF": found.over(found.rated("update", "audio_fulfilment"), I),
        "PVC": found.over(found.at_prompts, I),
        "PAC": found.over(found.rated("prompt", "audio_continuity"), I),
        "PVUAR": found.over(found.achieved("video_target_latency"), I),
        "PAUAR": found.over(found.achieved("audio_target_latency"), I),
        "PVRL": found.over(found.rated("update", "video_target_latency"), I),
        "PARL": found.over(found.rated("update", "audio_target_latency"), I),
        "VSR": found.over(
            found.rated("retention", "subject_retention", "environment_retention"), I
        ),
        "ASR": found.over(found.rated("retention", "audio_retention"), I),
        "HDF": found.over(found.rated("dependency", "dependency_following"), I),
    }


def expected_of_machines(found: Independent) -> dict[str, float | None]:
    """Return the metrics that machines measured over the whole rollout (`measured`)."""
    place = found.places
    values = {
        "NBC": found.over(lambda scene: 80.0 + place[scene] / 10),
        "FPS": found.over(lambda scene: 10.0 + place[scene]),
        "TTFC": found.over(lambda scene: 36 / (10.0 + place[scene])),
        "SC": found.over(lambda scene: 0.5 + place[scene] / 100, P),
        "BC": found.over(lambda scene: 0.5 + place[scene] / 100, P),
    }
    for code, step in INTERVAL_PLUG_INS.items():
        values[code] = found.over(lambda scene, step=step: step * (place[scene] + 3.5))
        values[f"{code}-D"] = 5 * step
    return values


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_each_of_the_32_columns_is_what_the_answers_and_measurements_come_to(
    record, columns, name
) -> None:
    by_hand = Independent(record, name)
    values = expected(by_hand) | expected_of_machines(by_hand)
    assert len(values) == 32
    found = columns[name]["180"]["all"]
    assert {code: found[code]["value"] for code in values} == pytest.approx(values)
    assert not any(one["provisional"] for one in found.values())


@pytest.mark.parametrize("horizon_s", [60, 120])
def test_a_horizon_is_a_prefix_and_the_pace_of_the_whole_is_not_of_it(
    record, columns, horizon_s
) -> None:
    by_hand = Independent(record, "alpha", horizon_s)
    values = expected(by_hand) | {"NBC": expected_of_machines(by_hand)["NBC"]}
    found = columns["alpha"][str(horizon_s)]["all"]
    assert {code: found[code]["value"] for code in values} == pytest.approx(values)
    assert found["FPS"]["value"] is None
    assert found["VA"]["value"] is not None


def test_a_generation_that_failed_is_coverage_and_a_track_has_its_own_shared_metrics(
    columns,
) -> None:
    vq = columns["beta"]["180"]["all"]["VQ"]
    assert vq["cases"] == {"computed": 23, "generation_failure": 1}
    assert vq["coverage"] == pytest.approx(23 / 24)
    assert vq["reasons"]["generation_failure"] == "failed: no stream"
    tracks = columns["beta"]["180"]
    assert (tracks["progressive"]["VQ"]["n"], tracks["interactive"]["VQ"]["n"]) == (11, 12)
    assert set(tracks["progressive"]) == {
        "VA",
        "VQ",
        "PQ",
        "AQ",
        "AVAlign",
        "AVSync",
        "NBC",
        "FPS",
        "TTFC",
    }


def test_an_evaluator_that_failed_makes_its_columns_provisional_and_missing_weights_do_not() -> (
    None
):
    def broken(place: int, name: str, scenario: Scenario) -> list[MeasuredRecord]:
        failed = Measurement.without(
            "VA", "evaluator_failure", "out of memory", unit="points", tool="va", version="1"
        )
        absent = Measurement.without(
            "PQ", "unavailable", "no weights: x", unit="points", tool="pq", version="1"
        )
        rows = [MeasuredRecord(place, "interval", "", failed)] if name == "alpha" else []
        return [*signals(place, scenario), *rows, MeasuredRecord(place, "interval", "", absent)]

    scenario = next(iter(SCENARIOS))
    scores = documents_of(make_round(drawn, scenarios=[scenario], measured=broken)).scores
    assert {(name, code) for name, code, _ in provisional_columns(scores)} == {
        ("alpha", "VA"),
        ("alpha", "VA-D"),
    }
    assert {why for *_, why in provisional_columns(scores)} == {"out of memory"}
    pq = scores["readings"][0]["systems"][0]["columns"]["180"]["all"]["PQ"]
    assert (pq["value"], pq["reasons"]) == (None, {"unavailable": "no weights: x"})


def released(record: RoundRecord, folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    return write_release(folder, documents_of(record), streamav().content, ISSUE)


@pytest.fixture(scope="module")
def small() -> RoundRecord:
    return make_round(drawn, scenarios=list(SCENARIOS)[:4], reviewers=2, measured=measured)


@pytest.fixture(scope="module")
def release(small: RoundRecord, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    released(small, folder)
    return folder


def test_a_release_holds_every_column_and_verifies_without_a_database(small, release) -> None:
    verified = verify_release(release)
    assert verified.round == "rollouts"
    header, *lines = (release / "columns.csv").read_text().splitlines()
    assert "metric,value,low,high,n" in header
    assert len(lines) == 2 * 3 * (32 + 2 * 9)  # systems, horizons, and shared metrics of each track
    again, _ = load_record(release, read_manifest(release))
    assert documents_of(again).scores == documents_of(small).scores


def changed(release: Path, folder: Path, file: str, old: bytes, new: bytes) -> Path:
    """Return a copy of a release in which a file was changed and its hash in the manifest with
    it.
    """
    shutil.copytree(release, folder)
    content = (folder / file).read_bytes()
    assert old in content
    (folder / file).write_bytes(content.replace(old, new, 1))
    stated = json.loads((folder / MANIFEST).read_bytes())
    del stated["digest"]
    stated["files"] = {path: found for path, found in hashes_of(folder).items() if path != MANIFEST}
    from fartbench.protocol import digest_of  # noqa: PLC0415

    (folder / MANIFEST).write_bytes(readable_json_bytes({**stated, "digest": digest_of(stated)}))
    return folder


def test_one_changed_byte_is_refused(release, tmp_path) -> None:
    shutil.copytree(release, tmp_path / "r")
    path = tmp_path / "r" / "columns.csv"
    path.write_bytes(path.read_bytes()[:-3] + b"x\r\n")
    with pytest.raises(ReleaseRefused, match=r"columns\.csv was changed"):
        verify_release(tmp_path / "r")


def test_a_changed_answer_is_refused_even_with_a_new_manifest(release, tmp_path) -> None:
    """Somebody who changes an answer and states the new hashes is found out by what the answers
    come to.
    """
    row = next(
        line
        for line in (release / "answers.csv").read_bytes().splitlines()
        if b",visual_fidelity,3," in line
    )
    folder = changed(
        release,
        tmp_path / "r",
        "answers.csv",
        row,
        row.replace(b",visual_fidelity,3,", b",visual_fidelity,5,"),
    )
    with pytest.raises(ReleaseRefused, match=r"columns\.csv is not what the answers give"):
        verify_release(folder)


def test_a_sheet_that_contradicts_itself_is_refused_by_the_rule(release, tmp_path) -> None:
    lines = (release / "answers.csv").read_bytes().splitlines()
    rows = list(csv.DictReader(line.decode() for line in lines))
    reached = next(
        row
        for row in rows
        if row["question"] == "video_target_latency" and row["answer"][:1] not in {"", "n"}
    )
    place = next(
        place for place, row in enumerate(rows, 1)
        if row["question"] == "video_fulfilment"
        and (row["stimulus"], row["reviewer"]) == (reached["stimulus"], reached["reviewer"])
    )  # fmt: skip
    given = f",video_fulfilment,{rows[place - 1]['answer']},".encode()
    folder = changed(
        release,
        tmp_path / "r",
        "answers.csv",
        lines[place],
        lines[place].replace(given, b",video_fulfilment,2,"),
    )
    with pytest.raises(ReleaseRefused, match=r"video_fulfilment: what is clearly reached"):
        verify_release(folder)


def test_a_changed_measurement_or_column_is_refused_even_with_a_new_manifest(
    release, tmp_path
) -> None:
    folder = changed(
        release, tmp_path / "m", "measurements.csv", b",FPS,full,,10.0,fps", b",FPS,full,,99.0,fps"
    )
    with pytest.raises(ReleaseRefused, match=r"cases\.csv is not what the answers give"):
        verify_release(folder)
    vq = next(
        line
        for line in (release / "columns.csv").read_bytes().splitlines()
        if b",180,all,alpha,VQ," in line
    )
    folder = changed(release, tmp_path / "c", "columns.csv", vq, vq.replace(b",VQ,", b",VQ,9"))
    with pytest.raises(ReleaseRefused, match=r"columns\.csv is not what the answers give"):
        verify_release(folder)


def test_the_same_rows_give_the_same_bytes(small, release, tmp_path) -> None:
    released(small, tmp_path / "again")
    assert hashes_of(tmp_path / "again") == hashes_of(release)
