"""A protocol of one's own, without a line of code: lips and voices, two of three reviewers, six
points in all.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from fartbench.models import Round
from review.models import AnswerSheet, Assignment, Reviewer
from scoring.models import Release
from scoring.release.verifying import verify_release
from tests.manifests import Lab, write_csv

pytestmark = pytest.mark.django_db

OWN = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "lip-sync" / "1.0.0"
REVIEWERS = ("ida", "jon", "kim")
SCENES = ("news", "laugh")
QUESTIONS = ("speech", "lips", "drift", "face", "voice")
GOOD = {"speech": "yes", "lips": "yes", "drift": "na:never", "face": "6", "voice": "5"}
APART = {"speech": "yes", "lips": "no", "drift": "2.5", "face": "3", "voice": "4"}
MUTE = {
    "speech": "no",
    "lips": "na:silent",
    "drift": "na:silent",
    "face": "4",
    "voice": "na:silent",
}
Rows = list[dict[str, Any]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*words: object) -> str:
        call_command(*map(str, words))
        return capsys.readouterr().out

    return run


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, configurations=("alpha", "beta", "gamma"), scenes=SCENES)


@pytest.fixture
def opened(run: Callable[..., str], lab: Lab) -> Round:
    run("load_protocol", OWN)
    run("create_round", "heads", "--protocol", "lip-sync@1.0.0")
    run("import_clips", "heads", lab.manifest())
    run("blind", "heads")
    run("set_cohort", "heads", *(f"{name}@example.org" for name in REVIEWERS))
    run("open_round", "heads")
    return Round.objects.get(name="heads")


def visible_words(page: str) -> set[str]:
    """Return the words that stand on a page, in small letters."""
    text = re.sub(
        r"<(script|style)\b.*?</\1>|<[^>]*>", " ", page.partition("<main")[2], flags=re.DOTALL
    )
    return set(re.findall(r"[a-z]+", text.lower()))


def answers(lab: Lab, changes: dict[tuple[str, str, str], dict[str, str]]) -> Path:
    """Write everyone's answers: good ones, but for ``changes`` by configuration, scene and
    reviewer.
    """
    rows: Rows = [
        {
            "reviewer": f"{name}@example.org",
            "configuration": row["configuration"],
            "scene": row["scene"],
            "replicate": 1,
        }
        | changes.get((row["configuration"], row["scene"], name), GOOD)
        for row in lab.rows
        for name in REVIEWERS
    ]
    return write_csv(
        lab.folder / "answers.csv",
        ("reviewer", "configuration", "scene", "replicate", *QUESTIONS),
        rows,
    )


def test_a_whole_round_by_its_own_rules(
    run: Callable[..., str], lab: Lab, opened: Round, client: Client
) -> None:
    """alpha is right throughout; beta's lips are apart for two of three in the laugh; gamma is mute
    in the news.
    """
    changes = {("beta", "laugh", name): APART for name in REVIEWERS[:2]}
    changes |= {("gamma", "news", name): MUTE for name in REVIEWERS}
    changes |= {("gamma", "laugh", "ida"): APART}  # one of three: the fact still counts
    run("import_answers", "heads", answers(lab, changes))
    run("close_round", "heads")
    document = json.loads(run("score", "heads", "--json"))
    board = {
        line["configuration"]: (line["rank"], line["factual_score"])
        for line in document["leaderboard"]
    }
    assert board == {"alpha": (1, "6"), "beta": (2, "4"), "gamma": (3, "3")}
    laugh = document["leaderboard"][1]["scenes"]["laugh"]
    assert laugh["lips"] == {"consensus": "no", "votes": {"yes": 1, "no": 2, "unsure": 0, "na": 0}}
    run("publish", "heads")
    release = Release.objects.get()
    verify_release(release.folder)
    ratings = json.loads((release.folder / "reports.json").read_bytes())["reports"]["ratings"][
        "questions"
    ]
    assert set(ratings) == {"face", "voice"}
    voices = ratings["voice"]["overall"]
    assert (voices["n"], voices["na"]["by_reason"]["silent"], voices["counts"]["5"]) == (15, 3, 12)
    for page in ("leaderboard", "scenes", "ratings", "agreement", "coverage", "releases"):
        shown = client.get(reverse(page, args=["heads"]))
        assert shown.status_code == 200, page
        assert "event" not in visible_words(shown.content.decode()), page
    assert "form the words that are heard" in client.get(reverse("method")).content.decode()


def test_the_form_is_drawn_from_the_file_and_held_to_it(opened: Round, client: Client) -> None:
    ida = Reviewer.objects.get(email="ida@example.org")
    opened.members.filter(reviewer=ida).update(
        consented_at=opened.opened_at, sound_checked_at=opened.opened_at
    )
    client.force_login(ida.user)
    due = (
        Assignment.objects.filter(member__reviewer=ida)
        .select_related("stimulus")
        .order_by("position")
        .first()
    )
    assert due is not None
    page = client.get(reverse("review-sheet", args=[due.stimulus_id])).content.decode()
    for words in (
        "Is speech heard?",
        "Cannot tell",
        "From which second on",
        "How natural is the voice?",
        "They are never apart",
    ):
        assert words in page
    assert "fart" not in page.lower().replace("fartbench", "")
    wrong = GOOD | {"lips": "na:silent"}
    reply = client.post(
        reverse("review-lock", args=[due.stimulus_id]),
        json.dumps(
            {"revision": 0, "answers": wrong, "playback": {"covered": [[[0, 60]]], "plays": 1}}
        ),
        content_type="application/json",
        headers={"accept": "application/json"},
    )
    assert reply.status_code == 422
    assert "lips" in reply.json()["violations"]
    assert not AnswerSheet.objects.filter(locked_at__isnull=False).exists()


def test_an_answer_of_another_protocol_is_refused(
    run: Callable[..., str], lab: Lab, opened: Round
) -> None:
    bad = answers(lab, {("alpha", "news", "ida"): GOOD | {"speech": "unclear"}})
    with pytest.raises(
        CommandError, match=r"speech: 'unclear' is not an answer; allowed are yes, no, unsure"
    ):
        run("import_answers", "heads", bad)
    assert not AnswerSheet.objects.exists()
