"""The reports of releases are read strictly, those of older formats too."""

import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from pydantic import ValidationError

from scoring.report_classes.judges import JudgeReport
from scoring.report_classes.pairs import PreferenceReport
from scoring.report_classes.people import (
    AgreementReport,
    CoverageReport,
    FactualReport,
    GateReport,
    RatingsReport,
)
from scoring.report_classes.weighted import (
    FailureCodesReport,
    ObservationsReport,
    SceneScoresReport,
    SmokeReport,
)

RELEASES = sorted((Path(__file__).parent / "releases").glob("*.zip"))
CLASSES = {
    "event_success": GateReport,
    "source_or_cause": GateReport,
    "factual_success": FactualReport,
    "agreement": AgreementReport,
    "coverage": CoverageReport,
    "human_ai_agreement": JudgeReport,
    "observations": ObservationsReport,
    "failure_codes": FailureCodesReport,
    "test_scores": SceneScoresReport,
    "smoke": SmokeReport,
    "ratings": RatingsReport,
    "preference": PreferenceReport,
}


def reports_of(archive):
    with ZipFile(archive) as files:
        (name,) = [name for name in files.namelist() if name.endswith("reports.json")]
        return json.loads(files.read(name))["reports"]


@pytest.mark.parametrize("archive", RELEASES, ids=lambda archive: archive.stem)
def test_a_report_of_any_format_is_written_as_it_was_read(archive):
    for key, report in reports_of(archive).items():
        if key in CLASSES:
            read = CLASSES[key].model_validate(report)
            assert json.dumps(read.document()) == json.dumps(report), key


def test_a_field_that_no_report_has_is_refused():
    report = reports_of(RELEASES[0])["ratings"]
    with pytest.raises(ValidationError, match="Extra inputs"):
        RatingsReport.model_validate(report | {"questions_asked": {}})
    for question in report["questions"].values():
        question["overall"]["n"] = "12"
    with pytest.raises(ValidationError, match="valid integer"):
        RatingsReport.model_validate(report)
