"""Other programs' formats: Label Studio there and back, votes as P.910 tools write them, one long
table.
"""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from fartbench.errors import BadInput
from fartbench.models import Round
from review.models import AnswerSheet
from rounds.answers_import import LABEL_STUDIO, import_answers
from rounds.errors import AnswersRefused
from scoring.export import export_round
from scoring.formats import WRITERS
from scoring.formats.label_studio import labelling_config, read_label_studio
from tests.scoring.record_factory import core_r01, make_record
from tests.scoring.rows import make_locked_round, make_open_round

VOTES = {
    ("alpha", "r01-lift"): {
        "event": ["no"] * 4,
        "cause": ["na:no_event"] * 4,
        "sound": ["1", "na:no_sound", "2", "5"],
    },
    ("beta", "r01-lift"): {"sound": ["na:no_sound"] * 4, "event": ["no"] * 4},
}
PROTOCOL = core_r01().protocol


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def written(folder: Path, form: str) -> Path:
    WRITERS[form](folder, make_record(votes=VOTES))
    return folder


class TestP910:
    def test_votes_per_clip(self, tmp_path: Path) -> None:
        rows = {
            row["short_file_name"]: row
            for row in rows_of(written(tmp_path, "p910") / "sound_votes_per_clip.csv")
        }
        lift = rows["s-alpha-r01-lift-1"]
        assert [lift[f"vote_{number}"] for number in range(1, 5)] == ["1", "", "2", "5"]
        assert (lift["n"], lift["condition"]) == ("3", "alpha/r01-lift")
        assert float(lift["MOS"]) == pytest.approx(8 / 3)
        assert float(lift["std"]) == pytest.approx(np.std([1, 2, 5], ddof=1))
        assert float(lift["95%CI"]) == pytest.approx(
            4.30265273 * np.std([1, 2, 5], ddof=1) / 3**0.5
        )
        empty = rows["s-beta-r01-lift-1"]
        assert (empty["n"], empty["MOS"], empty["std"], empty["95%CI"]) == ("0", "", "", "")

    def test_votes_per_worker_hold_each_vote_once(self, tmp_path: Path) -> None:
        rows = rows_of(written(tmp_path, "p910") / "sound_votes_per_worker.csv")
        assert len(rows) == 16 * 4 - 1 - 4
        assert rows[0] == {
            "HITId": "r1-R-0", "workerid": "R-0", "file": "s-alpha-r01-lift-1.mp4",
            "short_file_name": "s-alpha-r01-lift-1", "vote": "1", "condition": "alpha/r01-lift",
        }  # fmt: skip
        assert {path.name.partition("_")[0] for path in tmp_path.iterdir()} == {
            "sound",
            "timing",
            "people",
        }


def test_the_long_table_has_numbers_for_ratings_and_na_where_there_is_none(tmp_path: Path) -> None:
    rows = rows_of(written(tmp_path, "long") / "long.csv")
    assert len(rows) == 16 * 4 * 6
    lift = [row for row in rows if row["clip"] == "s-alpha-r01-lift-1" and row["reviewer"] == "R-1"]
    by_question = {row["question"]: row for row in lift}
    sound, people, cause = by_question["sound"], by_question["people"], by_question["cause"]
    assert (sound["kind"], sound["value"], sound["rating"], sound["na_reason"]) == (
        "rating",
        "NA",
        "NA",
        "no_sound",
    )
    assert (people["value"], people["rating"], people["na_reason"]) == ("5", "5", "NA")
    assert (cause["kind"], cause["value"], cause["rating"], cause["na_reason"]) == (
        "fact",
        "NA",
        "NA",
        "no_event",
    )


class TestLabelStudio:
    def test_the_interface_offers_every_answer_by_its_alias(self) -> None:
        view = ET.fromstring(labelling_config(PROTOCOL))  # noqa: S314 - our own
        aliases = {
            choices.get("name"): [c.get("alias") for c in choices]
            for choices in view.iter("Choices")
        }
        assert aliases["event"] == ["yes", "no", "unclear"]
        assert aliases["sound"] == ["1", "2", "3", "4", "5", "na:no_sound"]
        assert aliases["people"][-1] == "na:no_people_visible"

    def test_what_is_written_is_read_back(self, tmp_path: Path) -> None:
        found = read_label_studio(
            written(tmp_path, "label-studio") / "label-studio.json", PROTOCOL, {}
        )
        assert len(found) == 64
        lift = next(a for a in found if (a.stimulus, a.reviewer) == ("s-alpha-r01-lift-1", "R-1"))
        assert lift.answers == {
            "event": "no", "cause": "na:no_event", "detail": "yes",
            "sound": "na:no_sound", "timing": "4", "people": "5",
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("content", "fault"),
        [
            ("{", "this is not JSON in UTF-8"),
            ("{}", "this is not a list of tasks"),
            ("[]", "it holds no annotation"),
            (
                '[{"data": {"stimulus": "s"}, "annotations": [{"result": []}]}]',
                "the key 'completed_by' is missing",
            ),
            ('[{"annotations": [{"reviewer": "R", "result": []}]}]', "the key 'data' is missing"),
            ('[{"data": {"stimulus": "s"}, "annotations": [7]}]', "task 1, annotation 1: "),
        ],
    )
    def test_other_files_are_refused(self, tmp_path: Path, content: str, fault: str) -> None:
        (tmp_path / "file.json").write_text(content)
        with pytest.raises(BadInput) as caught:
            read_label_studio(tmp_path / "file.json", PROTOCOL, {})
        assert fault in str(caught.value)

    @pytest.mark.parametrize(
        ("result", "expected"),
        [
            ({"from_name": "sound", "type": "rating", "value": {"rating": 3}}, {"sound": "3"}),
            ({"from_name": "sound", "type": "choices", "value": {"choices": ["Mostly real"]}},
             {"sound": "4"}),
            ({"from_name": "sound", "type": "choices", "value": {"choices": ["N/A: Nothing was "
                                                                             "heard"]}},
             {"sound": "na:no_sound"}),
            ({"from_name": "sound", "type": "choices", "value": {"choices": ["1", "2"]}}, None),
            ({"from_name": "sound", "type": "textarea", "value": {"text": ["x"]}}, None),
            ({"from_name": "smell", "type": "choices", "value": {"choices": ["1"]}}, None),
        ],
    )  # fmt: skip
    def test_choices_by_label_and_ratings_are_read(
        self, tmp_path: Path, result: object, expected: object
    ) -> None:
        task = {
            "data": {"video": "https://host/clips/s1.mp4"},
            "annotations": [{"completed_by": 3, "result": [result]}],
        }
        (tmp_path / "file.json").write_text(json.dumps([task]))
        if expected is None:
            with pytest.raises(BadInput, match="task 1, annotation 1"):
                read_label_studio(tmp_path / "file.json", PROTOCOL, {})
            return
        (found,) = read_label_studio(tmp_path / "file.json", PROTOCOL, {"3": "a@example.org"})
        assert (found.stimulus, found.reviewer, found.answers) == ("s1", "a@example.org", expected)

    def test_cancelled_annotations_are_passed_over(self, tmp_path: Path) -> None:
        task = {
            "data": {"stimulus": "s"},
            "annotations": [{"was_cancelled": True}, {"reviewer": "R", "result": []}],
        }
        (tmp_path / "file.json").write_text(json.dumps([task]))
        assert len(read_label_studio(tmp_path / "file.json", PROTOCOL, {})) == 1


def tasks_for(round_: Round, **changes: str) -> list[dict[str, object]]:
    """Return a task per stimulus with an annotation of each reviewer, by account number."""
    answers = {
        "event": "yes",
        "cause": "yes",
        "detail": "yes",
        "sound": "4",
        "timing": "4",
        "people": "4",
    } | changes
    result = [
        {
            "from_name": question,
            "to_name": "video",
            "type": "choices",
            "value": {"choices": [answer]},
        }
        for question, answer in answers.items()
    ]
    return [
        {
            "data": {"stimulus": stimulus.pk},
            "annotations": [{"completed_by": number, "result": result} for number in range(1, 5)],
        }
        for stimulus in round_.stimuli.all()
    ]


@pytest.mark.django_db
class TestImport:
    def accounts(self, round_: Round) -> dict[str, str]:
        members = round_.members.select_related("reviewer").order_by("place")
        return {
            str(number): member.reviewer.email for number, member in enumerate(members, start=1)
        }

    def test_annotations_become_locked_sheets_by_command(self, tmp_path: Path) -> None:
        round_ = make_open_round(configurations=["alpha"], scenes=["r01-lift"])
        path = tmp_path / "file.json"
        path.write_text(json.dumps(tasks_for(round_)))
        accounts = [
            f"--account={account}={email}" for account, email in self.accounts(round_).items()
        ]
        call_command("import_answers", round_.name, path, "--format", "label-studio", *accounts)
        assert AnswerSheet.objects.filter(locked_at__isnull=False, source="imported").count() == 4

    def test_an_answer_against_the_form_is_refused_and_nothing_is_kept(
        self, tmp_path: Path
    ) -> None:
        round_ = make_open_round(configurations=["alpha"], scenes=["r01-lift"])
        path = tmp_path / "file.json"
        path.write_text(json.dumps(tasks_for(round_, sound="na:no_sound")))
        with pytest.raises(
            AnswersRefused, match="is allowed only when 'event' was answered 'no'"
        ) as caught:
            import_answers(
                round_=round_,
                path=path,
                actor="test",
                form=LABEL_STUDIO,
                accounts=self.accounts(round_),
            )
        assert len(caught.value.faults) == 4
        assert not AnswerSheet.objects.exists()

    def test_an_account_that_nobody_named_is_refused(self, tmp_path: Path) -> None:
        round_ = make_open_round(configurations=["alpha"], scenes=["r01-lift"])
        path = tmp_path / "file.json"
        path.write_text(json.dumps(tasks_for(round_)))
        with pytest.raises(AnswersRefused, match="'1' is not in the cohort of this round"):
            import_answers(round_=round_, path=path, actor="test", form=LABEL_STUDIO)

    def test_a_wrong_account_option_is_wrong_use(self, tmp_path: Path) -> None:
        round_ = make_open_round(configurations=["alpha"], scenes=["r01-lift"])
        with pytest.raises(CommandError, match="is not ACCOUNT=REVIEWER") as caught:
            call_command("import_answers", round_.name, tmp_path / "x", "--account", "7")
        assert caught.value.returncode == 2

    @pytest.mark.parametrize("form", list(WRITERS))
    def test_every_format_is_exported_from_a_round(self, tmp_path: Path, form: str) -> None:
        round_ = make_locked_round(configurations=["alpha"], scenes=["r01-lift"])
        files = export_round(
            round_=round_, folder=tmp_path / "out", actor="test", reason="test", form=form
        )
        assert {"SHA256SUMS"} < {file.name for file in files}
        everything = b"".join(file.read_bytes() for file in files)
        assert not any(
            member.reviewer.email.encode() in everything for member in round_.members.all()
        )
