"""The page that says where things stand: counts from the database, and what is official kept
apart.
"""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from review.models import Source
from tests.factories import CORE_R01, make_locked_sheet, make_protocol, reviewers_of
from tests.scoring.rows import make_open_round, make_published_round
from web.pages.state import state_lines

pytestmark = pytest.mark.django_db


def test_nothing_is_counted_before_there_is_anything(client: Client) -> None:
    assert "No protocol has been loaded yet" in client.get(reverse("state")).content.decode()


def test_scores_of_people_are_official_and_simulated_ones_are_not(client: Client) -> None:
    make_published_round(name="people")
    make_published_round(name="shown", source=Source.SIMULATED)
    make_open_round(name="open", scenes=["r01-lift"])
    (line,) = state_lines()
    assert (line.rounds, line.configurations, line.delivered) == (3, 2, 8 + 8 + 2)
    assert (line.locked, line.simulated) == (2 * 8 * 4, 8 * 4)
    assert (line.official, line.pilot, line.demonstrations) == (2, 0, 2)
    page = " ".join(client.get(reverse("state")).content.decode().split())
    assert re.search(r"locked evaluations, 32 of them simulated</dt><dd>64</dd>", page)


def test_sheets_are_counted_again_when_something_happened_and_not_for_each_visitor(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    round_ = make_open_round(name="open", scenes=["r01-lift"])
    assert state_lines()[0].locked == 0
    with django_assert_max_num_queries(3):
        client.get(reverse("state"))
    reviewer, stimulus = reviewers_of(round_)[0], round_.stimuli.first()
    assert stimulus is not None
    make_locked_sheet(reviewer, stimulus)
    assert state_lines()[0].locked == 1


def test_the_scores_of_a_pilot_never_become_official(client: Client, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(CORE_R01, tmp_path / "pilot"))
    rules = folder / "protocol.yaml"
    rules.write_text(rules.read_text(encoding="utf-8") + "\nmaturity: pilot\n", encoding="utf-8")
    make_published_round(name="early", protocol=make_protocol(folder))
    (line,) = state_lines()
    assert (line.official, line.pilot) == (0, 2)
    assert "Pilot: nothing of it becomes official" in client.get(reverse("state")).content.decode()
