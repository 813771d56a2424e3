"""Configurations over time, and two releases beside each other."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from fartbench import writeonce
from generation.models import Configuration
from scoring.models import Release
from tests.scoring.rows import make_locked_round, make_open_round, make_published_round
from tests.test_access import client_of
from web.pages.comparing import compare_releases

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

LIFT = ["r01-lift"]


def page_of(client: Client, name: str, *args: str, **query: str) -> str:
    response = client.get(reverse(name, args=args), query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_a_configuration_is_followed_over_its_rounds_the_newest_first(client: Client) -> None:
    make_published_round(name="spring", scenes=LIFT, configurations=("alpha", "beta"))
    make_published_round(name="summer", scenes=LIFT, configurations=("alpha",))
    make_locked_round(name="closed", scenes=LIFT, configurations=("alpha", "gamma"))
    page = page_of(client, "configuration-history", "alpha")
    assert page.index(">summer</a>") < page.index(">spring</a>")
    assert "closed" not in page
    assert "first round" in page
    assert "as before" in page
    listed = page_of(client, "configurations")
    for name, rounds in (("alpha", 2), ("beta", 1)):
        address = reverse("configuration-history", args=[name])
        row = listed[listed.index(address) :]
        assert f'<td class="number">{rounds}</td>' in row[: row.index("</tr>")]
    assert "gamma" not in listed
    assert "beta" not in page_of(client, "configurations", q="ALP")
    assert client.get(reverse("configuration-history", args=["gamma"])).status_code == 404


def test_a_change_of_the_configuration_itself_is_named(client: Client) -> None:
    make_published_round(name="spring", scenes=LIFT, configurations=("alpha",))
    writeonce.uninstall()
    Configuration.objects.filter(name="alpha").update(model_id="alpha-2")
    writeonce.install()
    make_published_round(name="summer", scenes=LIFT, configurations=("alpha",))
    page = page_of(client, "configuration-history", "alpha")
    assert 'Changed</span> <span class="small">model_id</span>' in page


def test_a_reviewer_of_an_open_round_sees_no_round_of_its_protocol(client: Client) -> None:
    make_published_round(name="spring", scenes=LIFT, configurations=("alpha",))
    round_ = make_open_round(name="open", scenes=LIFT, configurations=("zeta",))
    reviewer = round_.members.first().reviewer
    rae = client_of("rae", {"rae": reviewer.user.username})
    assert "alpha" not in page_of(rae, "configurations")
    assert rae.get(reverse("configuration-history", args=["alpha"])).status_code == 404
    assert "spring/1" not in page_of(rae, "compare-releases")
    asked = {"one": "spring/1", "other": "spring/1"}
    assert rae.get(reverse("compare-releases"), asked).status_code == 404
    assert "alpha" in page_of(client, "configurations")


def edit(release: Release, table: str, column: str, value: str) -> dict[str, str]:
    """Change a cell of the first row of a table behind the program's back; return that row."""
    file = release.folder / f"{table}.csv"
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    before = dict(rows[0])
    rows[0][column] = value
    with file.open("w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return before


def changes(one: Release, other: Release) -> dict[str, Any]:
    return {table.table: table for table in compare_releases(one, other)}


def test_two_releases_are_compared_cell_by_cell(client: Client) -> None:
    spring = make_published_round(name="spring", scenes=LIFT, configurations=("alpha", "beta"))
    summer = make_published_round(name="summer", scenes=LIFT, configurations=("alpha", "gamma"))
    assert all(table.is_same for table in compare_releases(spring, spring))
    assert "answers" not in changes(spring, summer)
    before = edit(summer, "leaderboard", "unranked_because", "an edit")
    found = changes(spring, summer)
    leaderboard = found["leaderboard"]
    assert (leaderboard.only_one, leaderboard.only_other) == (("beta",), ("gamma",))
    assert before["configuration"] == "alpha"
    (change,) = [one for one in leaderboard.changes if one.column == "unranked_because"]
    assert (change.row, change.one, change.other) == ("alpha", "", "an edit")
    # Ids and digests of clips are others in every round, and say nothing.
    columns = {change.column for change in found["clips"].changes}
    assert not columns & {"stimulus", "raw_sha256", "blind_sha256", "round"}
    page = page_of(client, "compare-releases", one="spring/1", other="summer/1")
    assert "<td>an edit</td>" in page
    assert (
        client.get(reverse("compare-releases"), {"one": "x/1", "other": "spring/1"}).status_code
        == 404
    )
