"""A whole round by calls alone, from its clips to a release that verifies."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from fartbench.models import AuditEntry, Round
from generation.models import Sample
from tests.api.calls import Caller, admin
from tests.factories import CORE_R01, CORE_V01, make_protocol
from tests.manifests import Lab
from tests.scoring.rows import answer_all

pytestmark = pytest.mark.django_db

EMAILS = [f"r{number}@example.org" for number in range(4)]
SCENES = ["r01-lift", "r01-toast"]


@pytest.fixture
def caller() -> Caller:
    make_protocol(CORE_R01)
    return Caller(admin())


def send_all(caller: Caller, name: str, files: dict[str, bytes]) -> str:
    """Send files in pieces; return the path of the upload."""
    announced = [{"path": path, "size": len(data)} for path, data in files.items()]
    upload = caller.post(f"/rounds/{name}/uploads", {"files": announced})
    step = upload["piece_bytes"]
    path = f"/rounds/{name}/uploads/{upload['key']}"
    for file in upload["files"]:
        data = files[file["path"]]
        for place in range(-(-len(data) // step)):
            piece = data[place * step : (place + 1) * step]
            sha256 = hashlib.sha256(piece).hexdigest()
            address = f"{path}/files/{file['number']}/pieces/{place}?sha256={sha256}"
            assert caller.call("PUT", address, piece).status_code == 200
    assert caller.get(path)["is_complete"]
    return path


def delivery(folder: Path) -> dict[str, bytes]:
    """Return clips of two configurations with their manifest, by name."""
    lab = Lab(folder, configurations=("alpha", "beta"), scenes=SCENES)
    manifest = lab.manifest()
    files = {path.name: path.read_bytes() for path in manifest.parent.glob("*.mp4")}
    return files | {"manifest.csv": manifest.read_bytes()}


def step(caller: Caller, key: str, body: dict[str, Any] | None = None, **headers: str) -> Any:
    return caller.post(f"/rounds/own/steps/{key}", body, **headers)


def test_a_round_of_own_clips_from_its_making_to_its_release(
    caller: Caller, tmp_path: Path
) -> None:
    new = {"name": "own", "protocol": "core-r01@1.0.0", "scenes": SCENES, "replicates": 1}
    assert caller.post("/rounds", new)["state"] == "draft"
    path = send_all(caller, "own", delivery(tmp_path))
    tried = caller.post(f"{path}/import", {"dry_run": True})
    assert tried["done"] is False
    assert not Sample.objects.exists()
    assert caller.post(f"{path}/import", {"dry_run": False})["done"]
    assert caller.post(f"{path}/import", {"dry_run": False})["done"]  # said again, done once
    assert Sample.objects.filter(clip__isnull=False).count() == 4

    assert caller.get("/rounds/own")["due"]["key"] == "blind"
    step(caller, "blind")
    call_command("blind", "own")  # what a worker does with the jobs
    links = step(caller, "set_cohort", {"emails": EMAILS}, **{"idempotency-key": "1"})["links"]
    assert [link["email"] for link in links] == EMAILS
    assert step(caller, "open_round")["round"]["state"] == "reviewing"
    assert "already" in step(caller, "open_round")["words"]

    round_ = Round.objects.get(name="own")
    answer_all(round_)
    progress = caller.get("/rounds/own")["progress"]
    assert progress["sheets"] == [16, 16]
    assert {one["done"] for one in caller.get("/rounds/own/members")} == {4}
    step(caller, "close_round")
    scores = caller.post("/rounds/own/preview", {"reason": "a look"})["scores"]
    assert {line["configuration"] for line in scores["leaderboard"]} == {"alpha", "beta"}
    step(caller, "publish")
    (release,) = caller.get("/rounds/own/releases")
    verified = caller.post("/rounds/own/releases/1/verify")
    assert verified["sha256"] == release["sha256"]
    for file in release["files"]:
        sent = caller.call("GET", f"/rounds/own/releases/1/files/{file['path']}")
        content = b"".join(sent.streaming_content)
        assert not file["sha256"] or hashlib.sha256(content).hexdigest() == file["sha256"]

    actors = set(AuditEntry.objects.filter(round_name="own").values_list("actor", flat=True))
    assert f"ada (token {caller.token.hint})" in actors
    previews = AuditEntry.objects.filter(round_name="own", action="scores previewed")
    assert previews.get().details["reason"] == "a look"


def test_faults_of_a_manifest_come_by_row_and_nothing_is_taken_in(
    caller: Caller, tmp_path: Path
) -> None:
    new = {"name": "own", "protocol": "core-r01@1.0.0", "scenes": SCENES, "replicates": 1}
    caller.post("/rounds", new)
    files = delivery(tmp_path)
    files["manifest.csv"] = files["manifest.csv"].replace(b"r01-lift", b"r01-attic", 1)
    path = send_all(caller, "own", files)
    answer = caller.call("POST", f"{path}/import", {"dry_run": False})
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert "r01-attic" in fault["detail"]
    assert fault["row"] == 2
    assert not Sample.objects.exists()


def test_a_piece_out_of_place_says_how_much_has_come(caller: Caller, tmp_path: Path) -> None:
    new = {"name": "own", "protocol": "core-r01@1.0.0", "scenes": SCENES, "replicates": 1}
    caller.post("/rounds", new)
    upload = caller.post("/rounds/own/uploads", {"files": [{"path": "a.mp4", "size": 5}]})
    address = f"/rounds/own/uploads/{upload['key']}/files/0/pieces/0?sha256={'0' * 64}"
    answer = caller.call("PUT", address, b"12345")
    assert answer.status_code == 409
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["received"] == 0


def test_what_a_round_cannot_be_is_said_by_field(caller: Caller) -> None:
    new = {"name": "a b", "protocol": "core-r01@1.0.0", "scenes": ["attic"], "replicates": 0}
    answer = caller.call("POST", "/rounds", new)
    assert answer.status_code == 422
    fields = {error["field"] for error in answer.json()["errors"]}
    assert fields == {"name", "scenes", "replicates"}
    answer = caller.call("POST", "/rounds", new | {"protocol": "no-such@1"})
    assert [error["field"] for error in answer.json()["errors"]] == ["protocol"]
    assert not Round.objects.exists()


def test_protocols_and_configurations_are_loaded_from_files(caller: Caller) -> None:
    folder = CORE_V01
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w") as archive:
        for file in folder.rglob("*"):
            archive.write(file, file.relative_to(folder))
    for name, content, loaded in (
        ("pilot.zip", room.getvalue(), "core-v0.1@0.1.0 is loaded"),
        ("nothing.yaml", b"a: [", ""),
    ):
        sent = SimpleUploadedFile(name, content)
        answer = caller.client.post(
            "/api/v1/protocols",
            {"file": sent},
            headers={"authorization": f"Bearer {caller.text}"},
        )
        if loaded:
            assert answer.status_code == 201
            assert loaded in answer.json()["words"]
        else:
            assert answer.status_code == 422
            assert answer.json()["errors"][0]["file"] == name
    assert "core-v0.1" in {one["name"] for one in caller.get("/protocols")}


def test_a_draft_can_be_deleted_and_an_open_round_cannot(caller: Caller) -> None:
    new = {"name": "own", "protocol": "core-r01@1.0.0", "scenes": SCENES, "replicates": 1}
    caller.post("/rounds", new)
    assert caller.call("DELETE", "/rounds/own").status_code == 204
    assert caller.call("DELETE", "/rounds/own").status_code == 404
