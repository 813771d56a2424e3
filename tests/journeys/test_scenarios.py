"""An expert's page in a real browser: the keys alone do, it fits a phone, and everyone can use
it.
"""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Permission
from django.test import Client
from playwright.sync_api import Page, expect

from fartbench.models import ProtocolVersion
from generation.models import ScenarioVerdict
from generation.verdicts import give_verdict
from tests import factories
from tests.streamav.small import FOLDER

pytestmark = pytest.mark.django_db(transaction=True)
LIST = "/staff/scenarios/streamav/0.1.0/"
FIRST, SECOND = "cave-survey-p", "cave-survey-i"


@pytest.fixture
def protocol(transactional_db: None) -> ProtocolVersion:
    return factories.make_protocol(FOLDER)


def sign_in_expert(page: Page, live_server: Any) -> None:
    user = factories.make_staff("eve")
    user.user_permissions.add(*Permission.objects.filter(codename="add_scenarioverdict"))
    client = Client()
    client.force_login(user)
    cookie = {
        "name": "sessionid",
        "value": client.cookies["sessionid"].value,
        "url": live_server.url,
    }
    page.context.add_cookies([cookie])


def test_keys_alone_are_enough_for_two_verdicts(
    page: Page, live_server: Any, protocol: ProtocolVersion
) -> None:
    sign_in_expert(page, live_server)
    page.goto(f"{LIST}{FIRST}/")
    page.keyboard.press("a")
    expect(page.get_by_role("radio", name="Accept")).to_be_checked()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{LIST}{SECOND}/")
    page.keyboard.press("c")
    expect(page.get_by_label("What is to be corrected")).to_be_focused()
    page.keyboard.type("P3 has two intents.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text(f"“To be corrected” is saved for {SECOND}")
    said = list(ScenarioVerdict.objects.order_by("pk").values_list("scenario", "verdict", "words"))
    assert said == [(FIRST, "accept", ""), (SECOND, "correct", "P3 has two intents.")]


def test_keys_go_on_and_back_and_a_verdict_without_words_stays_on_the_page(
    page: Page, live_server: Any, protocol: ProtocolVersion
) -> None:
    sign_in_expert(page, live_server)
    page.goto(f"{LIST}{FIRST}/")
    page.keyboard.press("n")
    page.wait_for_url(f"**{LIST}{SECOND}/")
    page.keyboard.press("p")
    page.wait_for_url(f"**{LIST}{FIRST}/")
    page.keyboard.press("r")
    page.get_by_role("button", name="Give this verdict").click()
    assert page.get_by_label("What is to be corrected").evaluate("box => box.validity.valueMissing")
    assert not ScenarioVerdict.objects.exists()


@pytest.mark.parametrize(
    "viewport", [{"width": 1366, "height": 768}, {"width": 360, "height": 740}]
)
def test_everyone_can_use_the_pages_and_they_fit(
    page: Page, live_server: Any, protocol: ProtocolVersion, viewport: Any
) -> None:
    for expert, verdict in (("ann", "accept"), ("ben", "correct")):
        give_verdict(
            protocol=protocol,
            scenario=SECOND,
            expert=expert,
            verdict=verdict,
            words="P3 has two intents.",
        )
    sign_in_expert(page, live_server)
    page.set_viewport_size(viewport)
    for address in ("/staff/scenarios/", LIST, f"{LIST}{FIRST}/", f"{LIST}{SECOND}/"):
        page.goto(address)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
