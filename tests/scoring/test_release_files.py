"""Files of a release as visitors get them: those that were published, and no others."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from blinding.models import Stimulus
from scoring.models import Release
from scoring.release.verifying import verify_release
from tests.scoring.rows import make_locked_round, make_open_round, make_published_round
from tests.web.test_pages import PAGES, SCENES, text_of

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]


FORGED = (
    "../1/answers.csv", "../../../db.sqlite3", "plots/../answers.csv", "/etc/passwd", "plots", "",
    ".", "answers.csv/",
    "ANSWERS.CSV", "no-such-file.csv",
)  # fmt: skip


def test_a_file_that_was_changed_does_not_go_out_as_what_was_published(client: Client) -> None:
    release = make_published_round(name="spring", scenes=SCENES[:1])
    changed = release.folder / "answers.csv"
    changed.chmod(0o644)
    changed.write_text("made up")
    assert client.get(reverse("release-file", args=["spring", 1, "answers.csv"])).status_code == 404
    assert client.get(reverse("release-archive", args=["spring", 1])).status_code == 404


def test_files_of_a_release_are_sent_as_their_manifest_names_them_and_no_others(
    client: Client,
) -> None:
    release = make_published_round(name="spring", scenes=SCENES[:1])
    for path, sha256 in release.manifest["files"].items():
        response = client.get(reverse("release-file", args=["spring", 1, path]))
        assert hashlib.sha256(response.getvalue()).hexdigest() == sha256
        assert "sandbox" in response["Content-Security-Policy"]
        assert client.get(reverse("release-file", args=["spring", 1, path]),
                          headers={"If-None-Match": response["ETag"]}
                          ).status_code == 304  # fmt: skip
    manifest = client.get(reverse("release-file", args=["spring", 1, "manifest.json"]))
    assert json.loads(manifest.getvalue())["digest"] == release.digest
    (release.folder / "secret.txt").write_text("not named by the manifest")
    for path in (*FORGED, "secret.txt"):
        assert client.get(f"/rounds/spring/releases/1/{path}").status_code == 404, path
    assert client.get(reverse("release-file", args=["spring", 2, "answers.csv"])).status_code == 404


def test_a_file_that_became_a_link_out_of_its_folder_or_is_gone_is_not_sent(client: Client) -> None:
    release = make_published_round(name="spring", scenes=SCENES[:1])
    outside = release.folder.parent / "outside.csv"
    outside.write_text("secret")
    (release.folder / "answers.csv").unlink()
    (release.folder / "answers.csv").symlink_to(outside)
    (release.folder / "clips.csv").unlink()
    for path in ("answers.csv", "clips.csv"):
        assert client.get(reverse("release-file", args=["spring", 1, path])).status_code == 404
    assert "Missing" in text_of(client, "releases", "spring")


def test_a_release_is_downloaded_as_one_archive_that_verifies(
    client: Client, tmp_path: Path
) -> None:
    make_published_round(name="r1")
    release = Release.objects.get()
    (release.folder / "secret.txt").write_text("not named by the manifest")
    address = reverse("release-archive", args=["r1", 1])
    assert address in text_of(client, "releases", "r1")
    sent = [b"".join(client.get(address).streaming_content) for _ in range(2)]
    assert sent[0] == sent[1]
    with zipfile.ZipFile(io.BytesIO(sent[0])) as packed:
        packed.extractall(tmp_path)
    assert verify_release(tmp_path / "r1-1").digest == release.digest
    assert not (tmp_path / "r1-1" / "secret.txt").exists()
    release.folder.with_name("1.zip").unlink()
    (release.folder / "answers.csv").unlink()
    (release.folder / "answers.csv").symlink_to(release.folder / "secret.txt")
    assert client.get(address).status_code == 404
    assert client.get(reverse("release-archive", args=["r1", 2])).status_code == 404


@pytest.mark.parametrize("make", [make_open_round, make_locked_round])
def test_a_round_that_is_not_published_shows_visitors_nothing(client: Client, make: Any) -> None:
    round_ = make(name="spring", scenes=SCENES[:1])
    stimulus = Stimulus.objects.filter(round=round_).first()
    for name, args in (
        *((name, ["spring", *args]) for name, args in PAGES),
        ("release-file", ["spring", 1, "answers.csv"]),
        ("published-clip", ["spring", stimulus.pk]),
    ):
        assert client.get(reverse(name, args=args)).status_code == 404
    assert "spring" not in text_of(client, "leaderboards")


def test_a_clip_is_served_under_its_own_round_only(client: Client) -> None:
    published = make_published_round(name="spring", scenes=SCENES[:1])
    hidden = make_open_round(name="hidden", scenes=SCENES[:1], configurations=("gamma",))
    own, other = (
        Stimulus.objects.filter(round=round_).first().pk for round_ in (published.round, hidden)
    )
    whole = client.get(reverse("published-clip", args=["spring", own]))
    part = client.get(reverse("published-clip", args=["spring", own]), HTTP_RANGE="bytes=0-9")
    assert (whole.status_code, part.status_code) == (200, 206)
    assert len(part.getvalue()) == 10
    assert client.get(reverse("published-clip", args=["spring", other])).status_code == 404
    assert client.get(reverse("published-clip", args=["hidden", other])).status_code == 404


def test_names_with_odd_characters_have_pages(client: Client) -> None:
    odd = "Modèle 3.1 (fast) +audio"
    make_published_round(name="spring", scenes=SCENES[:1], configurations=(odd,))
    address = client.get(reverse("leaderboard", args=["spring"])).content.decode()
    assert reverse("configuration", args=["spring", odd]) in address
    assert client.get(reverse("configuration", args=["spring", odd])).status_code == 200


def test_every_page_keeps_to_the_content_policy(client: Client) -> None:
    make_published_round(name="spring", scenes=SCENES[:1])
    for name, args in (
        ("home", []),
        *((name, ["spring", *args]) for name, args in PAGES),
        ("method", []),
    ):
        response = client.get(reverse(name, args=args))
        page = response.content.decode()
        assert "'unsafe-inline'" not in response["Content-Security-Policy"]
        assert " style=" not in page
        assert "<style" not in page
        assert "onclick" not in page
        assert '<script type="module" src=' in page or "<script" not in page
