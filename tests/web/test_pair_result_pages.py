"""Pages about pairs: FartElo for everyone, progress and planning for staff."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from fartbench.models import Round
from review.models import PairTask, Vote
from rounds.opening import close_round, publish
from rounds.pairs import plan_pairs
from tests.factories import make_staff
from tests.pairs import open_pair_round, protocol_with_pairs
from tests.scoring.rows import make_published_round
from tests.scoring.test_pair_results import SCENES, vote_all

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]


@pytest.fixture
def ada() -> Client:
    client, staff = Client(), make_staff()
    staff.user_permissions.add(*Permission.objects.filter(codename="change_round"))
    client.force_login(staff)
    return client


def test_everyone_sees_strengths_wins_and_ties_of_a_published_round() -> None:
    round_ = open_pair_round(scenes=SCENES)
    vote_all(round_)
    close_round(round_=round_, actor="test")
    assert Client().get(reverse("preference", args=[round_.name])).status_code == 404
    release = publish(round_=round_, actor="test")
    page = Client().get(reverse("preference", args=[round_.name])).content.decode()
    for words in (
        "Which of these two is more convincing?",
        "36 votes of 4 reviewers on 12 pairs",
        "Both bad",
    ):
        assert words in page
    assert page.index(">alpha<") < page.index(">beta<") < page.index(">gamma<")
    assert "Regularised" not in page and "no common scale" not in page
    plot = Client().get(
        reverse(
            "release-file", args=[round_.name, release.number, "plots/preference-convincing.svg"]
        )
    )
    drawing = b"".join(plot.streaming_content).decode()
    assert "400 points are odds of ten to one" in drawing and "alpha" in drawing
    (address,) = re.findall(r'src="([^"]+-matrix\.svg)"', page)
    matrix = b"".join(Client().get(address).streaming_content).decode()
    met = release.document("preference")["questions"]["convincing"]["matrix"]["alpha"]["gamma"]
    assert (
        f"alpha against gamma: {met['share']:.0%} of 12 votes; expected {met['expected']:.0%}"
        in matrix
    )
    assert matrix.count("<rect") == 6 and "1. alpha" in matrix, (
        "each two of three, seen from both sides"
    )
    assert (
        reverse("preference", args=[round_.name])
        in Client().get(reverse("leaderboard", args=[round_.name])).content.decode()
    )


def test_a_winner_of_everything_is_regularised_and_groups_that_never_met_stand_apart() -> None:
    round_ = open_pair_round(scenes=SCENES)
    vote_all(round_, upsets=10_000)
    close_round(round_=round_, actor="test")
    publish(round_=round_, actor="test")
    page = Client().get(reverse("preference", args=[round_.name])).content.decode()
    assert "Regularised: one side of this table won every time" in page


def test_a_protocol_without_pairs_has_no_tab_and_says_so() -> None:
    release = make_published_round(configurations=("alpha",), scenes=["r01-lift"])
    address = reverse("preference", args=[release.round.name])
    assert "has no blind pairs" in Client().get(address).content.decode()
    assert (
        address
        not in Client().get(reverse("leaderboard", args=[release.round.name])).content.decode()
    )


def test_a_round_in_which_no_pairs_were_planned_has_no_tab_and_says_so() -> None:
    release = make_published_round(
        configurations=("alpha",), scenes=["r01-lift"], protocol=protocol_with_pairs()
    )
    address = reverse("preference", args=[release.round.name])
    assert (
        "No pair was voted on in this round: none was planned."
        in Client().get(address).content.decode()
    )
    assert (
        address
        not in Client().get(reverse("leaderboard", args=[release.round.name])).content.decode()
    )


def test_staff_sees_progress_and_balance_and_no_configuration(ada: Client) -> None:
    round_ = open_pair_round()
    page = ada.get(reverse("staff-pairs", args=[round_.name])).content.decode()
    assert "2 times" in page and "equally often on each side" in page and "0 of 5" in page
    for name in ("alpha", "beta", "gamma"):
        assert name not in page
    overview = ada.get(reverse("staff-round", args=[round_.name])).content.decode()
    assert reverse("staff-pairs", args=[round_.name]) in overview and "votes on pairs" in overview


def test_an_admin_plans_pairs_with_a_button(ada: Client) -> None:
    round_ = open_pair_round(most=1)
    assert PairTask.objects.count() == 6
    reply = ada.post(reverse("staff-step", args=[round_.name]), {"step": "plan_pairs"}, follow=True)
    assert "4 pairs and 12 tasks were added" in reply.content.decode()
    assert reply.redirect_chain[-1][0] == reverse("staff-pairs", args=[round_.name])
    assert plan_pairs(round_=Round.objects.get(), actor="test").pairs == 0


def test_the_trail_that_staff_reads_shows_no_digest_to_compare_guesses_with(ada: Client) -> None:
    round_ = open_pair_round(scenes=SCENES)
    vote_all(round_)
    trail = ada.get(f"{reverse('staff-audit')}?round={round_.name}").content.decode()
    assert "Vote locked" in trail or "vote locked" in trail
    assert not [
        digest for digest in Vote.objects.values_list("digest", flat=True) if digest in trail
    ]
    overview = ada.get(reverse("staff-round", args=[round_.name])).content.decode()
    assert "vote locked" not in overview.lower() and "pairs planned" in overview.lower()
