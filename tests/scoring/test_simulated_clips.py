"""Real or simulated is part of the data: a clip says where it comes from, and what is derived from it
says so too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from generation.importing import import_clips
from generation.models import Origin
from generation.providers.access import Access, is_simulated
from review.models import Source
from rounds import opening as rounds
from scoring.errors import ReleaseRefused
from scoring.records.reading import read_round
from scoring.records.rows import PRETENDED, SIMULATED
from scoring.release.contents import write_release
from scoring.release.kinds import documents_of
from scoring.release.manifest import issue_of
from scoring.release.verifying import verify_release
from scoring.release.writers import read_csv
from tests.factories import make_round, make_staff
from tests.generation.buying import bought, only_sample, running_stand_in, work
from tests.manifests import Lab
from tests.scoring.rows import answer_all, make_filled_round
from web.pages.state import state_lines

pytestmark = pytest.mark.django_db
LIFT = ["r01-lift"]


def test_a_clip_that_was_brought_in_is_real(tmp_path: Path) -> None:
    lab = Lab(tmp_path, configurations=("alpha",), scenes=("r01-lift",))
    import_clips(round_=make_round(scenes=LIFT), manifest=lab.manifest(), actor="test")
    assert (only_sample().origin, only_sample().is_simulated) == (Origin.IMPORTED, False)


def test_a_clip_that_a_stand_in_sold_says_so_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_stand_in(monkeypatch):
        bought("seedance-2.5")
        work()
    monkeypatch.delenv("STAND_IN_URL")
    assert (only_sample().origin, only_sample().is_simulated) == (Origin.STAND_IN, True)


@pytest.mark.parametrize(
    ("address", "simulated"),
    [
        ("https://api.example.com", False),
        ("http://api.example.com", True),
        ("http://127.0.0.1:8790/ark", True),
        ("https://localhost/ark", True),
        ("https://10.0.0.5", True),
        ("https://standin", True),
        ("https://8.8.8.8", False),
        ("wss://models.example.com", False),
        ("ws://10.0.0.5:9000", False),
        ("ws://127.0.0.1:9000", True),
    ],
)
def test_which_addresses_cannot_be_a_providers(address: str, simulated: bool) -> None:
    assert Access(address, {}).is_simulated == simulated


def test_another_address_in_the_environment_does_not_make_a_stand_in_real(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("STAND_IN_URL", raising=False)
    monkeypatch.setenv("ARK_API_KEY", "key")
    assert not is_simulated("ark")
    monkeypatch.setenv("ARK_BASE_URL", "http://192.168.1.9:8790/ark")
    assert is_simulated("ark")
    monkeypatch.delenv("ARK_API_KEY")
    assert not is_simulated("ark")  # nothing is sent without a key


@pytest.mark.parametrize("origin", [Origin.DRAWN, Origin.STAND_IN, Origin.IMPORTED])
def test_what_is_derived_from_a_simulated_clip_is_a_demonstration(
    client: Client, origin: Origin
) -> None:
    round_ = make_filled_round(name="spring", origin=origin)
    rounds.open_round(round_=round_, actor="test")
    answer_all(round_)
    rounds.close_round(round_=round_, actor="test")
    release = rounds.publish(round_=round_, actor="test")
    marked = origin != Origin.IMPORTED
    origins = {row["origin"] for row in read_csv(release.folder / "clips.csv")}
    assert origins == {str(origin)}
    verify_release(release.folder)
    assert release.demonstration == marked
    assert release.manifest["release"]["demonstration"] == marked
    (line,) = state_lines()
    assert (line.official, line.demonstrations) == ((0, 2) if marked else (2, 0))
    for name, args in (("home", []), ("leaderboard", ["spring"]), ("releases", ["spring"])):
        page = client.get(reverse(name, args=args)).content.decode()
        assert ("emonstration" in page) == marked, name


def test_the_origins_that_pretend_are_those_of_the_rows():
    assert {str(origin) for origin in Origin.simulated()} == PRETENDED
    assert SIMULATED == Source.SIMULATED


@pytest.mark.parametrize("origin", [Origin.DRAWN, Origin.IMPORTED])
def test_a_release_that_says_otherwise_is_refused(tmp_path: Path, origin: Origin) -> None:
    round_ = make_filled_round(name="spring", origin=origin)
    rounds.open_round(round_=round_, actor="test")
    answer_all(round_)
    rounds.close_round(round_=round_, actor="test")
    release = rounds.publish(round_=round_, actor="test")
    issue = issue_of(release.manifest)
    lie = replace(issue, demonstration=not issue.demonstration)
    write_release(tmp_path, documents_of(read_round(round_)), round_.protocol.content, lie)
    with pytest.raises(ReleaseRefused, match="marked as a demonstration"):
        verify_release(tmp_path)


def test_the_page_of_a_round_says_how_much_of_it_is_simulated(client: Client) -> None:
    make_filled_round(name="spring", origin=Origin.DRAWN)
    client.force_login(make_staff("stan"))
    page = " ".join(client.get(reverse("staff-round", args=["spring"])).content.decode().split())
    assert "8 results of this round come from no real model" in page
    assert "Delivered, simulated" in page
