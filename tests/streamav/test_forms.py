"""Forms ask what the metrics read, in the scenario's words, and leave out what a scenario does not
have.
"""

from pathlib import Path

import pytest
from django.conf import settings

from authoring.generating import generate
from authoring.material import read_material
from authoring.sets import read_set
from fartbench.protocol.rollouts.forms import asked, read_forms
from fartbench.protocol.rollouts.metrics import read_table
from fartbench.protocol.rollouts.reading import ScenarioError
from fartbench.protocol.rollouts.units import read_units, units
from tests.streamav.workload import calls

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"
FORMS, TABLE, PLAN, SET = (
    read_forms(FOLDER),
    read_table(FOLDER),
    read_units(FOLDER),
    read_set(FOLDER),
)
SCENARIOS = {one.key: one for one in SET.scenarios}


def forms_of(key: str) -> dict[tuple[str, str, str], list[str]]:
    scenario = SCENARIOS[key]
    return {
        (unit.kind, unit.place, form.shown): [question.key for question in form.questions]
        for unit in units(PLAN, scenario, horizon_s=180)
        for form in asked(FORMS, scenario, unit)
    }


def test_every_metric_reads_questions_that_the_form_of_its_unit_asks():
    by_unit: dict[str, set[str]] = {}
    for form in FORMS.forms:
        keys = {question.key for question in form.questions} | set(
            TABLE.criteria.get(form.criteria or "", ())
        )
        by_unit.setdefault(form.unit, set()).update(keys)
    for metric in TABLE.metrics:
        if metric.computed in {"answers", "mixed"} and metric.of is None:
            wanted = {
                *TABLE.questions(metric),
                *([metric.established_by] if metric.established_by else []),
            }
            assert wanted <= by_unit[metric.unit], metric.code


def test_scales_go_from_the_lowest_to_the_highest_value_that_the_table_names():
    for metric in TABLE.metrics:
        for form in FORMS.forms:
            for question in form.questions:
                if question.key in metric.questions and metric.recipe in {
                    "mean",
                    "if_established",
                    "prompt_continuity",
                }:
                    values = [
                        float(one.value) for one in FORMS.answer_sets[question.answers].answers
                    ]
                    assert (min(values), max(values)) == (metric.low, metric.high)
    moments = [float(one.value) for one in FORMS.answer_sets["moment"].answers]
    assert (moments[0], moments[1], moments[-1]) == (
        0,
        0.5,
        29.5,
    )  # s, the grid of the public evaluation code


def test_a_criterion_that_the_prompt_does_not_have_is_not_asked():
    found = forms_of("potter-wheel-p")
    assert found["full", "full", "video"] == ["scene", "visual_style", "subjects", "activity"]
    assert found["full", "full", "both"] == ["sound_source", "sound_content"]
    assert found["endpoint", "last", "both"] == found["endpoint", "first", "both"]


def test_an_update_is_asked_about_in_its_own_modality_and_with_its_own_part():
    found = forms_of("potter-wheel-i")
    assert ("update", "P1", "both") not in found
    assert ("update", "P3", "video") not in found
    assert {shown for kind, place, shown in found if (kind, place) == ("update", "P2")} == {
        "video",
        "both",
    }
    scenario = SCENARIOS["potter-wheel-i"]
    unit = next(
        one
        for one in units(PLAN, scenario, horizon_s=180)
        if (one.kind, one.place) == ("update", "P2")
    )
    targets = {form.shown: form.target for form in asked(FORMS, scenario, unit)}
    assert targets == {"video": scenario.update("P2").visual, "both": scenario.update("P2").audio}


def test_dependent_updates_are_asked_about_their_source_first_and_only_they():
    found = forms_of("potter-wheel-i")
    assert {place for kind, place, _ in found if kind == "dependency"} == {"P2", "P4", "P5"}
    assert found["dependency", "P5", "both"] == ["source_state_established", "dependency_following"]


def test_a_whole_set_makes_as_many_forms_a_system_as_the_paper_has_judge_calls():
    scenarios = generate(read_material(FOLDER), SET.constraints, seed=3)
    forms = sum(
        1
        for one in scenarios
        for unit in units(PLAN, one, horizon_s=180)
        for _ in asked(FORMS, one, unit)
    )
    assert forms == calls(TABLE, PLAN, scenarios, horizon_s=180).total() == 9760


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("answers: moment, wording", "answers: hours, wording", "answer set 'hours'"),
        ("reason: not_reached}", "reason: asleep}", "N/A reason 'asleep'"),
        ("question: audio_started, value", "question: audio_begun, value", "no question "
                                                                           "'audio_begun'"),
        ("criteria: video, answers: fulfilment, lead", "answers: fulfilment, lead",
         "either questions or a checklist"),
    ],
)  # fmt: skip
def test_a_form_that_names_what_is_not_there_is_refused(
    tmp_path: Path, old: str, new: str, fault: str
):
    text = (FOLDER / "forms.yaml").read_text()
    assert old in text
    (tmp_path / "forms.yaml").write_text(text.replace(old, new, 1))
    with pytest.raises(ScenarioError, match=fault):
        read_forms(tmp_path)
