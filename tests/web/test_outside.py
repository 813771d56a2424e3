"""Published results where other sites and programs use them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client, override_settings
from django.urls import reverse
from ruamel.yaml import YAML

from scoring.models import Release
from tests.scoring.rows import make_locked_round, make_published_round

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

LIFT = ["r01-lift"]
SITE = "http://127.0.0.1:8000"


@pytest.fixture
def release() -> Release:
    return make_published_round(name="spring", scenes=LIFT)


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def rows_of(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_table_is_there_as_csv_and_json_with_the_same_cells(
    client: Client, release: Release
) -> None:
    (described,) = client.get(reverse("public-rounds")).json()["rounds"]
    assert (described["round"], described["release"]) == ("spring", 1)
    assert described["release_sha256"] == release.digest
    assert {"answers", "clips", "configurations", "leaderboard"} <= described["tables"].keys()
    for table, addresses in described["tables"].items():
        path = addresses["csv"].removeprefix(SITE)
        assert body(client.get(path)) == (release.folder / f"{table}.csv").read_bytes()
        found = json.loads(body(client.get(addresses["json"].removeprefix(SITE))))
        assert found["release_sha256"] == release.digest
        expected = rows_of(release.folder, table)
        assert [one["name"] for one in found["columns"]] == list(found["rows"][0])
        for row, cells in zip(found["rows"], expected, strict=True):
            assert {name: "" if cell is None else str(cell) for name, cell in row.items()} == cells
    replicates = {row["replicate"] for row in found_rows(client, "clips")}
    assert replicates == {1}


def found_rows(client: Client, table: str) -> list[dict[str, Any]]:
    answer = body(client.get(reverse("public-table-json", args=["spring", table])))
    rows: list[dict[str, Any]] = json.loads(answer)["rows"]
    return rows


@pytest.mark.parametrize("view", ["public-table-csv", "public-table-json"])
def test_scripts_of_other_sites_may_read_a_table_and_ask_whether_it_changed(
    client: Client, release: Release, view: str
) -> None:
    address = reverse(view, args=["spring", "leaderboard"])
    answer = client.get(address, HTTP_ORIGIN="https://elsewhere.example")
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert body(answer)
    assert "Access-Control-Allow-Credentials" not in answer
    assert not answer.cookies
    again = client.get(address, HTTP_IF_NONE_MATCH=answer["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert again["Access-Control-Allow-Origin"] == "*"
    preflight = client.options(address, HTTP_ORIGIN="https://elsewhere.example")
    assert preflight.status_code == 204
    assert preflight["Access-Control-Allow-Headers"] == "If-None-Match"
    assert client.post(address).status_code == 405


@pytest.mark.parametrize("name", ["public-table-csv", "public-table-json"])
def test_what_is_not_published_is_not_there(client: Client, release: Release, name: str) -> None:
    make_locked_round(name="closed", scenes=LIFT)
    for args in (["spring", "manifest"], ["spring", "nothing"], ["closed", "answers"]):
        assert client.get(reverse(name, args=args)).status_code == 404
    numbered = reverse("public-release-json", args=["spring", 2, "answers"])
    assert client.get(numbered).status_code == 404
    for view in ("round-badge", "cite-bibtex", "cite-file", "embedded-board"):
        assert client.get(reverse(view, args=["closed"])).status_code == 404
    assert "closed" not in client.get(reverse("public-rounds")).content.decode()
    assert "closed" not in client.get(reverse("public-feed")).content.decode()


@pytest.mark.parametrize("name", ["public-table-csv", "public-table-json"])
def test_a_file_that_was_changed_is_not_sent_under_the_digest_of_its_release(
    client: Client, release: Release, name: str
) -> None:
    with (release.folder / "leaderboard.csv").open("a", encoding="utf-8") as file:
        file.write("x\n")
    assert client.get(reverse(name, args=["spring", "leaderboard"])).status_code == 404


def texts_of(picture: bytes) -> list[str]:
    root = ET.fromstring(picture)  # noqa: S314 - of our own making
    return [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}text")]


def test_badges_say_score_ranks_and_release(client: Client, release: Release) -> None:
    answer = client.get(reverse("round-badge", args=["spring"]))
    assert answer["Content-Type"] == "image/svg+xml"
    brand, words = texts_of(answer.content)
    assert brand == "FARTBench"
    assert words.endswith("configurations · release 1")
    (first, *_) = rows_of(release.folder, "leaderboard")
    address = reverse("configuration-badge", args=["spring", first["configuration"]])
    _, words = texts_of(client.get(address).content)
    assert " of 2 · " in words  # one scene is worth two points
    assert words.endswith("release 1")
    missing = reverse("configuration-badge", args=["spring", "no-such"])
    assert client.get(missing).status_code == 404


def test_a_citation_names_the_release_and_who_runs_the_installation(
    client: Client, release: Release
) -> None:
    with override_settings(OPERATOR="Lab & Söhne, 100 % careful"):
        entry = client.get(reverse("cite-bibtex", args=["spring"])).content.decode()
        text = client.get(reverse("cite-file", args=["spring"])).content.decode()
    assert entry.startswith("@misc{fartbench_spring_1,\n")
    assert entry.count("{") - entry.count("\\{") == entry.count("}") - entry.count("\\}")
    assert r"author = {{Lab \& Söhne, 100 \% careful}}" in entry
    assert release.digest in entry
    found = YAML(typ="safe").load(text)
    assert found["cff-version"] == "1.2.0"
    assert found["authors"] == [{"name": "Lab & Söhne, 100 % careful"}]
    assert found["version"] == "1"
    assert found["url"] == f"{SITE}/rounds/spring/"


def test_the_feed_has_every_release_with_its_address(client: Client, release: Release) -> None:
    answer = client.get(reverse("public-feed"))
    assert answer["Content-Type"].startswith("application/atom+xml")
    atom = "{http://www.w3.org/2005/Atom}"
    root = ET.fromstring(answer.content)  # noqa: S314 - of our own making
    (entry,) = root.iter(f"{atom}entry")
    assert entry.findtext(f"{atom}title", "").startswith("spring, release 1")
    assert entry.findtext(f"{atom}id") == f"urn:sha256:{release.digest}"
    link = entry.find(f"{atom}link")
    assert link is not None
    assert link.attrib["href"] == f"{SITE}/rounds/spring/releases/#release-1"


def test_only_pages_under_embed_may_be_framed_and_by_whom_is_a_setting(
    client: Client, release: Release
) -> None:
    address = reverse("embedded-board", args=["spring"])
    with override_settings(EMBED_ANCESTORS=["*"]):
        answer = client.get(address)
    assert answer.status_code == 200
    assert not answer.cookies
    page = answer.content.decode()
    for row in rows_of(release.folder, "leaderboard"):
        assert row["configuration"] in page
    assert "<form" not in page
    assert "<script" not in page
    for path in ("/", "/rounds/spring/", "/login/"):
        framed = client.get(path)
        assert "frame-ancestors 'none'" in framed["Content-Security-Policy"]
        assert framed["X-Frame-Options"] == "DENY"


def test_oembed_answers_for_leaderboards_of_this_site_alone(
    client: Client, release: Release
) -> None:
    page = client.get(reverse("leaderboard", args=["spring"])).content.decode()
    assert 'type="application/json+oembed"' in page
    address = reverse("oembed")
    answer = client.get(address, {"url": f"{SITE}/rounds/spring/", "maxwidth": "500"}).json()
    assert (answer["version"], answer["type"], answer["width"]) == ("1.0", "rich", 500)
    assert f'src="{SITE}/embed/rounds/spring/board/"' in answer["html"]
    for url in ("", "https://elsewhere.example/rounds/spring/", f"{SITE}/login/", f"{SITE}/x"):
        assert client.get(address, {"url": url}).status_code == 404
    asked = {"url": f"{SITE}/rounds/spring/", "format": "xml"}
    assert client.get(address, asked).status_code == 501
    wide = client.get(address, {"url": f"{SITE}/rounds/spring/", "maxwidth": "9" * 99}).json()
    assert wide["width"] == 800


def test_the_page_of_files_leads_to_all_of_it(client: Client, release: Release) -> None:
    page = client.get(reverse("releases", args=["spring"])).content.decode()
    for view in ("round-badge", "cite-bibtex", "cite-file", "embedded-board"):
        assert reverse(view, args=["spring"]) in page
    assert reverse("public-table-json", args=["spring", "leaderboard"]) in page
    assert "@misc{fartbench_spring_1," in page
    assert "&lt;iframe src=" in page
    assert "<iframe" not in page
    with override_settings(EMBED_ANCESTORS=[]):
        closed = client.get(reverse("releases", args=["spring"])).content.decode()
    assert "iframe" not in closed
