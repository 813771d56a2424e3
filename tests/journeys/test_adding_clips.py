"""Adding clips in a real browser: a folder becomes a table, a lost connection and a reload go on,
and everyone can use the pages.
"""

from __future__ import annotations

import base64
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Permission
from django.test import Client
from playwright.sync_api import Page, Route, expect

from fartbench.models import Round
from generation.models import Sample
from generation.uploads import folder
from tests.browser import Faults, wait_for
from tests.factories import make_round, make_staff, tiny_clip
from web.generation import clips

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "/staff/generation/rounds/spring/clips/"
SCENES = ["r01-lift", "r01-toast"]


@pytest.fixture
def round_(transactional_db: None, settings: Any, tmp_path: Path) -> Round:
    settings.DATA_DIR = tmp_path / "data"
    return make_round(name="spring", scenes=SCENES)


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A folder with two clips whose names say their cells, and one whose name says nothing."""
    lab = tmp_path / "mine"
    lab.mkdir()
    for number, name in enumerate(
        ("alpha_r01-lift_1.mp4", "alpha_r01-toast_1.mp4", "IMG_2041.mp4")
    ):
        (lab / name).write_bytes(tiny_clip(number=number, seconds=1.0))
    return lab


def sign_in_admin(page: Page, live_server: Any) -> None:
    user = make_staff("ada")
    user.user_permissions.add(*Permission.objects.filter(codename="change_round"))
    client = Client()
    client.force_login(user)
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send pieces of 4 kB, so that a tiny clip has several."""
    for module in (folder, clips):
        monkeypatch.setattr(module, "PIECE_BYTES", 4096)


def test_a_folder_becomes_a_table_and_then_clips_of_the_round(
    page: Page, live_server: Any, round_: Round, lab: Path
) -> None:
    sign_in_admin(page, live_server)
    page.goto(ADDRESS)
    page.get_by_label("Or a whole folder").set_input_files(lab)
    expect(page.get_by_role("heading", name="3 files for spring")).to_be_focused()
    expect(page.get_by_label("Configuration of alpha_r01-lift_1.mp4")).to_have_value("alpha")
    expect(page.get_by_label("Scene of alpha_r01-lift_1.mp4")).to_have_value("r01-lift")
    expect(page.get_by_label("Scene of IMG_2041.mp4")).to_have_value("")
    expect(page.get_by_text("All of them were looked at")).to_be_visible()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="1 thing to correct")).to_be_visible()
    expect(page.get_by_text("the round has no scene")).to_be_visible()
    page.get_by_label("Take in IMG_2041.mp4?").select_option("Leave out")
    page.get_by_role("button", name="Check again").click()
    expect(page.get_by_role("heading", name="Everything fits")).to_be_visible()
    assert not Sample.objects.exists()
    page.get_by_role("button", name="Add 2").click()
    expect(page.get_by_role("heading", name="2 added to spring")).to_be_visible()
    assert Sample.objects.filter(state="delivered").count() == 2


@pytest.mark.usefixtures("round_")
def test_files_are_dropped(page: Page, live_server: Any) -> None:
    sign_in_admin(page, live_server)
    page.goto(ADDRESS)
    clip = base64.b64encode(tiny_clip(seconds=1.0)).decode()
    # What a person drags is not for a script to make; a list of files is.
    transfer = page.evaluate_handle(
        """(clip) => {
            const bytes = Uint8Array.from(atob(clip), (one) => one.charCodeAt(0));
            const transfer = new DataTransfer();
            transfer.items.add(new File([bytes], "alpha_r01-lift_1.mp4"));
            return transfer;
        }""",
        clip,
    )
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": transfer})
    expect(page.get_by_label("Configuration of alpha_r01-lift_1.mp4")).to_have_value("alpha")
    expect(page.get_by_text("All of them were looked at")).to_be_visible()


@pytest.mark.usefixtures("round_", "small_pieces")
def test_a_lost_connection_goes_on_where_it_was(
    page: Page, live_server: Any, lab: Path, faults: Faults
) -> None:
    faults.expect("ERR_INTERNET_DISCONNECTED")
    asked: list[str] = []

    def lose_the_third(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 3:
            route.abort("internetdisconnected")
        else:
            route.continue_()

    page.route("**/piece?*", lose_the_third)
    sign_in_admin(page, live_server)
    page.goto(ADDRESS)
    page.get_by_label("Files, or one ZIP").set_input_files(sorted(lab.iterdir()))
    expect(page.get_by_text("All of them were looked at")).to_be_visible()
    assert asked[2] == asked[3]  # the lost piece, once more, and no other twice
    assert len(set(asked)) == len(asked) - 1


@pytest.mark.usefixtures("round_", "small_pieces")
def test_after_a_reload_the_same_files_go_on(page: Page, live_server: Any, lab: Path) -> None:
    first = min(lab.iterdir())
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    # The second piece never arrives: the page is left in the middle.
    page.route("**/piece?file=0&piece=1&*", hold_the_first)
    sign_in_admin(page, live_server)
    page.goto(ADDRESS)
    page.get_by_label("Files, or one ZIP").set_input_files(first)
    wait_for(page, lambda: held)
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.get_by_role("heading", name="Not all files are here")).to_be_visible()
    sent.clear()
    page.get_by_label("The same files").set_input_files(first)
    expect(page.get_by_text("All of them were looked at")).to_be_visible()
    assert not any("piece=0&" in address for address in sent)
    assert any("piece=1&" in address for address in sent)


def test_a_zip_shows_its_clips_and_a_hostile_one_its_fault(
    page: Page, live_server: Any, round_: Round, lab: Path, faults: Faults
) -> None:
    faults.expect("400")
    sign_in_admin(page, live_server)
    for name, entry in (("good.zip", "alpha_r01-lift_1.mp4"), ("bad.zip", "../alpha.mp4")):
        with zipfile.ZipFile(lab / name, "w") as archive:
            archive.write(lab / "alpha_r01-lift_1.mp4", entry)
    page.goto(ADDRESS)
    page.get_by_label("Files, or one ZIP").set_input_files(lab / "good.zip")
    expect(page.get_by_label("Configuration of alpha_r01-lift_1.mp4")).to_have_value("alpha")
    page.goto(ADDRESS)
    page.get_by_label("Files, or one ZIP").set_input_files(lab / "bad.zip")
    expect(page.get_by_role("alert")).to_contain_text("'../alpha.mp4': it is not a path inside")


def test_without_a_script_one_form_does(
    new_page: Callable[..., Page], live_server: Any, round_: Round, lab: Path
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in_admin(page, live_server)
    page.goto(ADDRESS)
    page.get_by_label("Files, or one ZIP").set_input_files(sorted(lab.glob("alpha*")))
    page.get_by_role("button", name="Send the files").click()
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Add 2").click()
    expect(page.get_by_role("heading", name="2 added to spring")).to_be_visible()


@pytest.mark.usefixtures("round_")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "viewport", [{"width": 1366, "height": 768}, {"width": 390, "height": 844}]
)
def test_everyone_can_use_the_pages_and_they_fit(
    new_page: Callable[..., Page], live_server: Any, lab: Path, viewport: Any, scheme: Any
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    sign_in_admin(page, live_server)
    page.goto(ADDRESS)
    assert_usable(page)
    page.get_by_label("Files, or one ZIP").set_input_files(sorted(lab.iterdir()))
    expect(page.get_by_text("All of them were looked at")).to_be_visible()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("heading", name="1 thing to correct")).to_be_visible()
    assert_usable(page)
    page.get_by_label("Take in IMG_2041.mp4?").select_option("Leave out")
    page.get_by_role("button", name="Check again").click()
    page.get_by_role("button", name="Add 2").click()
    expect(page.get_by_role("heading", name="2 added to spring")).to_be_visible()
    assert_usable(page)


def assert_usable(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
