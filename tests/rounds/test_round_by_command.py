"""A whole round on the command line, without any provider: every step, in order and out of
order.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from blinding.models import Stimulus
from fartbench.models import Round
from review.models import Invite
from scoring.models import Release
from tests.commands import Run
from tests.factories import CORE_R01
from tests.manifests import Lab
from tests.small_lab import REVIEWERS, all_answers, make_ready

pytestmark = pytest.mark.django_db


@pytest.fixture
def ready(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    make_ready(lab)
    capsys.readouterr()  # what it said is none of the test's


def test_steps_out_of_order_are_refused_and_name_the_one_that_is_due(
    run: Run, refused: Run, lab: Lab
) -> None:
    run("load_protocol", CORE_R01)
    run("create_round", "r1", "--protocol", "core-r01@1.0.0")
    for step in ("blind", "open_round"):
        assert "import" in refused(step, "r1")
    for step in ("close_round", "score", "publish"):
        assert "Next step: “import_clips r1”" in refused(step, "r1")
    run("import_clips", "r1", lab.manifest())
    assert "blind r1" in refused("open_round", "r1")
    assert "Next step: “blind r1”" in refused("score", "r1")
    run("blind", "r1")
    assert "Next step: “set_cohort r1”" in refused("publish", "r1")
    assert "set_cohort r1" in refused("open_round", "r1")
    run("set_cohort", "r1", *REVIEWERS)
    assert "Next step: “open_round r1”" in refused(
        "import_answers", "r1", lab.answer_file(all_answers(lab))
    )
    run("open_round", "r1")
    assert "is open already" in run("open_round", "r1")
    for step in ("publish", "score"):
        waiting = (
            "Nothing for you to do: 44 sheets are still missing; “close_round” comes after that."
        )
        assert waiting in refused(step, "r1")
    assert "44 sheets are still missing" in refused("export", "r1", "--out", lab.folder / "out")
    assert not (lab.folder / "out").exists()
    assert "are fixed when it opens" in refused("import_clips", "r1", lab.manifest())
    assert "has its 11 blind copies already" in run("blind", "r1")
    run("import_answers", "r1", lab.answer_file(all_answers(lab)))
    run("close_round", "r1")
    assert "is closed already" in run("close_round", "r1")
    assert "is open already" in run("open_round", "r1")
    published = run("publish", "r1")
    again = run("publish", "r1")
    assert again.startswith("Round r1 is published already as release 1")
    assert again.splitlines()[1:] == published.splitlines()[-4:], "the same release"
    assert Release.objects.count() == 1


def test_a_cell_without_an_outcome_keeps_the_round_from_opening(
    run: Run, refused: Run, lab: Lab
) -> None:
    lab.rows.remove(lab.row("beta", "r01-lift"))
    run("load_protocol", CORE_R01)
    run("create_round", "r1", "--protocol", "core-r01@1.0.0")
    assert "Not generated yet: beta/r01-lift/1" in run("import_clips", "r1", lab.manifest())
    run("blind", "r1")
    run("set_cohort", "r1", *REVIEWERS)
    assert "beta/r01-lift/1 has no outcome yet" in refused("open_round", "r1")
    run("mark_cell", "r1", "--configuration", "beta", "--scene", "r01-lift", "--outcome",
        "not_generated",
        "--reason", "ran out of time")  # fmt: skip
    run("open_round", "r1")
    run("import_answers", "r1", lab.answer_file(lab.answers(REVIEWERS)))
    run("close_round", "r1")
    lines = {
        line["configuration"]: line
        for line in json.loads(run("score", "r1", "--json"))["leaderboard"]
    }
    assert lines["beta"]["rank"] is None
    assert lines["beta"]["unranked_because"] == "r01-lift not generated"
    assert lines["alpha"]["rank"] == 1


def test_a_missing_blind_copy_is_named_and_the_round_stays_closed(
    refused: Run, ready: None
) -> None:
    gone = Stimulus.objects.first()
    assert gone is not None
    gone.path.unlink()
    assert f"stimulus {gone.pk}: its blind copy is missing" in refused("open_round", "r1")
    round_ = Round.objects.get(name="r1")
    assert (round_.state, round_.opened_at, round_.protocol.frozen_at) == ("blinding", None, None)


def test_invites_are_shown_once_on_base_url_and_kept_as_hashes(
    run: Run, ready: None, settings: Any
) -> None:
    said = run("set_cohort", "r1", *REVIEWERS)
    links = [word for word in said.split() if word.startswith("http")]
    assert len(links) == 4
    assert all(link.startswith(settings.BASE_URL + "/i/") for link in links)
    tokens = {link.rstrip("/").rpartition("/")[2] for link in links}
    assert not tokens & set(Invite.objects.values_list("token_hash", flat=True))


def test_a_changed_protocol_under_the_same_version_is_refused(
    run: Run, refused: Run, tmp_path: Path
) -> None:
    run("load_protocol", CORE_R01)
    assert "is loaded" in run("load_protocol", CORE_R01)
    text = (CORE_R01 / "protocol.yaml").read_text(encoding="utf-8")
    (tmp_path / "protocol.yaml").write_text(
        text.replace("Mostly fake", "Rather fake"), encoding="utf-8"
    )
    assert "A changed protocol is a new version" in refused("load_protocol", tmp_path)


@pytest.mark.parametrize(
    "words", [["score"], ["score", "a", "--round", "b"], ["blind"], ["import_clips", "m.csv"]]
)
def test_wrong_use_has_status_2(words: list[str]) -> None:
    with pytest.raises(CommandError) as caught:
        call_command(*words)
    assert caught.value.returncode == 2


def test_an_unknown_round_names_those_there_are(run: Run, refused: Run, ready: None) -> None:
    assert "There is no round 'r9'. Rounds: r1." in refused("score", "r9")
