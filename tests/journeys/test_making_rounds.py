"""From an empty installation to a round with clips, and to a launch, without a shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fartbench.models import Round
from generation.cells import lay_out
from generation.configurations.loader import FOLDER
from generation.configuring import load_configurations
from generation.models import Ceiling, Sample
from simulation.configurations import local_configurations
from tests.factories import make_protocol, make_round, tiny_clip
from tests.journeys.test_adding_clips import assert_usable, sign_in_admin

pytestmark = pytest.mark.django_db(transaction=True)
SCENES = ("r01-lift", "r01-squat", "r01-chair", "r01-toast")


@pytest.fixture
def own_folder(transactional_db: None, settings: Any, tmp_path: Path) -> Path:
    """Give the installation a folder of its own; return one with a clip for each scene."""
    settings.DATA_DIR = tmp_path / "data"
    lab = tmp_path / "mine"
    lab.mkdir()
    for number, scene in enumerate(SCENES):
        (lab / f"alpha_{scene}.mp4").write_bytes(tiny_clip(number=number, seconds=1.0))
    return lab


def test_a_newcomer_makes_a_round_of_own_clips_without_a_shell(
    page: Page, live_server: Any, own_folder: Path
) -> None:
    sign_in_admin(page, live_server)
    page.goto("/staff/")
    page.get_by_role("link", name="Make a round").click()
    page.get_by_role("link", name="Load one").click()
    page.get_by_role("button", name="Load core-r01/1.0.0").click()
    expect(page.get_by_role("status")).to_contain_text("core-r01@1.0.0 is loaded")
    page.get_by_role("main").get_by_role("link", name="Make a round").click()
    page.get_by_label("Name").fill("my round")
    page.get_by_text("Your own files").click()
    page.get_by_role("button", name="Make the round").click()
    expect(page.get_by_text("Letters, digits, “.”, “-” and “_” only.")).to_be_visible()
    expect(page.get_by_role("radio", name="Your own files")).to_be_checked()
    page.get_by_label("Name").fill("spring")
    page.get_by_role("button", name="Make the round").click()
    page.get_by_label("Or a whole folder").set_input_files(own_folder)
    expect(page.get_by_text("All of them were looked at")).to_be_visible()
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Add 4").click()
    page.get_by_role("link", name="Go on with the round").click()
    expect(page.get_by_text("4 delivered")).to_be_visible()
    assert Sample.objects.filter(cell__round__name="spring", state="delivered").count() == 4


@pytest.mark.usefixtures("own_folder")
def test_only_providers_ask_for_configurations(page: Page, live_server: Any) -> None:
    make_protocol()
    load_configurations(folder=FOLDER / "seedance-2.5.yaml", actor="test")
    sign_in_admin(page, live_server)
    page.goto("/staff/new-round/")
    page.get_by_role("radio", name="Your own files").check()
    expect(page.get_by_role("checkbox", name="Seedance 2.5")).to_be_hidden()
    expect(page.get_by_role("button", name="Estimate the cost")).to_be_hidden()
    page.get_by_role("radio", name="Providers make them").check()
    page.get_by_role("checkbox", name="Seedance 2.5").check()
    page.get_by_label("Name").fill("bought")
    page.get_by_role("button", name="Estimate the cost").click()
    expect(page.get_by_text("$7.39")).to_be_visible()
    assert not Round.objects.exists()


@pytest.mark.usefixtures("own_folder")
def test_a_launch_is_asked_for_twice(page: Page, live_server: Any) -> None:
    round_ = make_round(name="drawn", scenes=["r01-lift"])
    lay_out(round_, local_configurations()[0])
    sign_in_admin(page, live_server)
    page.goto("/staff/generation/rounds/drawn/")
    page.get_by_role("link", name="Have them drawn …").click()
    page.get_by_role("button", name="Go on to the confirmation").click()
    expect(page.get_by_role("heading", name="Confirm the launch of drawn")).to_be_visible()
    page.get_by_label("Type the name of the round").fill("something else")
    page.get_by_role("button", name="Draw 1 clip").click()
    expect(page.get_by_role("alert")).to_contain_text("What you typed is not the same")
    page.get_by_role("button", name="Go on to the confirmation").click()
    page.get_by_label("Type the name of the round").fill("drawn")
    page.get_by_role("button", name="Draw 1 clip").click()
    expect(page.get_by_role("status").first).to_contain_text("1 clips are asked for")
    assert not Ceiling.objects.exists()


@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "viewport", [{"width": 1366, "height": 768}, {"width": 390, "height": 844}]
)
def test_everyone_can_use_the_pages_and_they_fit(
    new_page: Callable[..., Page], live_server: Any, viewport: Any, scheme: Any
) -> None:
    load_configurations(actor="test")
    round_ = make_round(name="spring", scenes=["r01-lift"])
    lay_out(round_, local_configurations()[0])
    page = new_page(viewport=viewport, color_scheme=scheme)
    sign_in_admin(page, live_server)
    orders = "/staff/generation/rounds/spring/"
    for address in (
        "/staff/",
        "/staff/library/",
        "/staff/new-round/?protocol=",
        "/staff/new-round/?preset=smoke&protocol=core-r01%401.0.0",
        orders,
        f"{orders}launch/",
        f"{orders}delete/",
    ):
        page.goto(address)
        assert_usable(page)
