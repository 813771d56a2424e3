"""Adding clips by browser, request by request: pieces, checks, refusals, and the way without a
script.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from fartbench.models import AuditEntry, Round, RoundState
from generation.models import Configuration, Sample
from generation.uploads import folder
from generation.uploads.folder import Upload, find_upload, uploads_root
from tests.factories import make_round, make_staff, tiny_clip
from web.generation import clips

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]
CLIP = tiny_clip(seconds=1.0)
HEAD = "configuration,scene,replicate,file,outcome\r\n"


@pytest.fixture(autouse=True)
def own_uploads(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def round_() -> Round:
    return make_round(name="spring", scenes=["r01-lift", "r01-toast"])


def make_admin(name: str = "ada") -> User:
    admin = make_staff(name)
    admin.user_permissions.add(*Permission.objects.filter(codename="change_round"))
    return admin


@pytest.fixture
def admin(round_: Round) -> Client:
    client = Client()
    client.force_login(make_admin())
    return client


def imports() -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(action="clips imported")


def begin(client: Client, files: dict[str, bytes], round_name: str = "spring") -> Any:
    listed = [{"path": path, "size": len(data)} for path, data in files.items()]
    return client.post(
        reverse("generation-clips", args=[round_name]),
        json.dumps({"files": listed}),
        content_type="application/json",
    )


def begun(client: Client, files: dict[str, bytes]) -> Upload:
    answer = begin(client, files)
    assert answer.status_code == 200, answer.content
    return find_upload(answer.json()["url"].split("/")[-2], round_name="spring")


def piece(
    client: Client, upload: Upload, number: int, offset: int, data: bytes, *, sha256: str = ""
) -> Any:
    digest = sha256 or hashlib.sha256(data).hexdigest()
    address = reverse("generation-piece", args=["spring", upload.key])
    return client.post(
        f"{address}?file={number}&piece={offset // folder.PIECE_BYTES}&sha256={digest}",
        data,
        content_type="application/octet-stream",
    )


def sent(client: Client, files: dict[str, bytes]) -> Upload:
    """Send files as the page's script does."""
    upload = begun(client, files)
    by_path = {path.split("/", 1)[-1]: data for path, data in files.items()} | files
    for number, file in enumerate(upload.files):
        data = by_path[file.path]
        for offset in range(0, len(data), folder.PIECE_BYTES):
            part = data[offset : offset + folder.PIECE_BYTES]
            assert piece(client, upload, number, offset, part).status_code == 200
    return find_upload(upload.key, round_name="spring")


def looked(client: Client, upload: Upload) -> Any:
    address = reverse("generation-look", args=["spring", upload.key])
    while True:
        answer = client.post(address)
        if answer.status_code != 200 or not answer.json()["more"]:
            return answer


def act(client: Client, upload: Upload, action: str, **fields: Any) -> str:
    address = reverse("generation-upload", args=["spring", upload.key])
    answer = client.post(address, {"action": action, **fields}, follow=True)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def table(*rows: tuple[str, ...]) -> dict[str, list[str]]:
    columns = ("file", "configuration", "scene", "replicate", "outcome", "reason")
    return {column: [row[place] for row in rows] for place, column in enumerate(columns)}


LIFT = ("alpha_r01-lift_1.mp4", "alpha", "r01-lift", "1", "ok", "")
TOAST = ("alpha_r01-toast_1.mp4", "alpha", "r01-toast", "1", "ok", "")
TWO = {LIFT[0]: CLIP, TOAST[0]: tiny_clip(number=1, seconds=1.0)}


def test_clips_are_sent_checked_and_taken_in(admin: Client, round_: Round) -> None:
    upload = sent(admin, {f"mine/{path}": data for path, data in TWO.items()})
    assert [file.path for file in upload.files] == [LIFT[0], TOAST[0]]
    assert looked(admin, upload).json() == {"looked": 2, "total": 2, "more": False}
    page = admin.get(reverse("generation-upload", args=["spring", upload.key])).content.decode()
    assert 'value="alpha"' in page
    assert page.count('<option value="r01-lift" selected>') == 1
    still = admin.get(reverse("generation-poster", args=["spring", upload.key, 0]))
    assert still.getvalue()[:3] == b"\xff\xd8\xff"
    assert "2 would be added" in act(admin, upload, "check", **table(LIFT, TOAST))
    assert not Sample.objects.exists()
    assert not Configuration.objects.exists()
    assert not imports().exists()
    assert "The clips are in the round" in act(admin, upload, "take_in", **table(LIFT, TOAST))
    sample = Sample.objects.get(cell__scene="r01-lift")
    assert sample.clip is not None
    assert sample.clip.path.read_bytes() == CLIP
    assert imports().get().actor == "ada"
    assert not upload.clips_folder.exists()


def test_the_same_again_says_so_and_changes_nothing(admin: Client) -> None:
    upload = sent(admin, TWO)
    act(admin, upload, "take_in", **table(LIFT, TOAST))
    assert "was taken in already" in act(admin, upload, "take_in", **table(LIFT, TOAST))
    again = sent(admin, TWO)
    assert again.key != upload.key
    page = act(admin, again, "check", **table(LIFT, TOAST))
    assert "Nothing would change" in page
    assert "2 are in the round already, with the same bytes" in page
    assert imports().count() == 1


def test_one_bad_row_refuses_all_and_is_named_beside_its_clip(admin: Client) -> None:
    upload = sent(admin, TWO | {"notes.mp4": b"this is no video"})
    rows = table(LIFT, (TOAST[0], "alpha", "r01-soup", "9", "ok", ""), ("notes.mp4", "b", "r01-lift", "1", "ok", ""))  # fmt: skip
    page = act(admin, upload, "take_in", **rows)
    assert "2 things to correct" in page
    assert "the round has no scene &#x27;r01-soup&#x27;" in page
    assert "is not a whole number from 1 to 1" in page
    assert "is no MP4, MOV, WebM or Matroska file" in page
    assert 'value="alpha"' in page  # what was filled in is still there
    assert not Sample.objects.exists()
    left_out = table(LIFT, TOAST, ("notes.mp4", "b", "r01-lift", "1", "leave out", ""))
    assert "The clips are in the round" in act(admin, upload, "take_in", **left_out)
    assert Sample.objects.filter(state="delivered").count() == 2


def test_a_cell_without_a_clip_has_its_outcome_and_reason(admin: Client) -> None:
    upload = sent(admin, {LIFT[0]: CLIP})
    page = act(admin, upload, "check", **table(LIFT))
    assert "Cells without a clip: 1" in page
    assert "alpha/r01-toast/1" in page
    refused = ("", "alpha", "r01-toast", "1", "refused", "the maker's policy")
    act(admin, upload, "take_in", **table(LIFT, refused))
    sample = Sample.objects.get(cell__scene="r01-toast")
    assert (sample.state, sample.reason) == ("refused", "the maker's policy")


def test_a_csv_file_says_what_is_what(admin: Client) -> None:
    manifest = HEAD + "beta,r01-lift,1,one.mp4,ok\r\nbeta,r01-toast,1,,failed\r\n"
    upload = sent(admin, {"set/one.mp4": CLIP, "set/list.csv": manifest.encode()})
    assert "2 would be added" in act(admin, upload, "check")
    act(admin, upload, "take_in")
    assert set(Sample.objects.values_list("state", flat=True)) == {"delivered", "failed"}


def test_faults_of_a_csv_file_name_their_rows(admin: Client) -> None:
    manifest = HEAD + "beta,r01-lift,1,one.mp4,ok\r\nbeta,r01-soup,1,two.mp4,ok\r\n"
    upload = sent(admin, {"one.mp4": CLIP, "list.csv": manifest.encode()})
    page = act(admin, upload, "take_in")
    assert "row 3, scene: the round has no scene" in page
    assert "row 3, file: there is no file &#x27;two.mp4&#x27;" in page
    assert str(uploads_root()) not in page
    assert not Sample.objects.exists()


def test_a_corrected_csv_file_is_sent_alone(admin: Client) -> None:
    bad = HEAD + "beta,r01-soup,1,one.mp4,ok\r\n"
    upload = sent(admin, {"one.mp4": CLIP, "a list.csv": bad.encode()})
    looked(admin, upload)
    assert "row 2, scene" in act(admin, upload, "check")
    good = SimpleUploadedFile("corrected.csv", bad.replace("soup", "lift").encode())
    assert "1 would be added" in act(admin, upload, "csv", table=good)
    assert "not a CSV file" in act(admin, upload, "csv", table=SimpleUploadedFile("c.mp4", b"x"))
    assert "choose a CSV file" in act(admin, upload, "csv")
    assert "The clips are in the round" in act(admin, upload, "take_in")
    assert Sample.objects.get(cell__scene="r01-lift").state == "delivered"


def test_a_csv_file_waits_until_the_clips_have_come(admin: Client) -> None:
    upload = begun(admin, {LIFT[0]: CLIP})
    table_file = SimpleUploadedFile("t.csv", HEAD.encode())
    assert "not complete" in act(admin, upload, "csv", table=table_file)
    assert [file.path for file in find_upload(upload.key, round_name="spring").files] == [LIFT[0]]


def test_a_csv_file_takes_the_place_of_the_table(admin: Client) -> None:
    upload = sent(admin, {LIFT[0]: CLIP})
    rows = HEAD + f"gamma,r01-toast,1,{LIFT[0]},ok\r\n"
    assert "gamma" in act(admin, upload, "csv", table=SimpleUploadedFile("t.csv", rows.encode()))
    act(admin, upload, "take_in")
    assert Sample.objects.get(state="delivered").cell.configuration.name == "gamma"


@pytest.mark.parametrize(
    "name", ["../../../secret.mp4", "{secret}", "../about.json", "a/../../../secret.mp4"]
)
def test_a_csv_file_names_nothing_outside_of_its_upload(
    admin: Client, tmp_path: Path, name: str
) -> None:
    secret = tmp_path / "secret.mp4"
    secret.write_bytes(CLIP)
    manifest = HEAD + f"beta,r01-lift,1,{name.format(secret=secret)},ok\r\n"
    upload = sent(admin, {"one.mp4": CLIP, "list.csv": manifest.encode()})
    assert "there is no file" in act(admin, upload, "take_in")
    assert not Sample.objects.exists()


def test_another_clip_needs_the_box_and_a_reason(admin: Client) -> None:
    act(admin, sent(admin, {LIFT[0]: CLIP}), "take_in", **table(LIFT))
    other = sent(admin, {LIFT[0]: tiny_clip(number=5, seconds=1.0)})
    assert "has another result already" in act(admin, other, "take_in", **table(LIFT))
    assert "say why results are replaced" in act(admin, other, "take_in", replace="on", **table(LIFT))  # fmt: skip
    done = act(admin, other, "take_in", replace="on", reason_to_replace="a slip", **table(LIFT))
    assert "1 replaced" in done
    assert AuditEntry.objects.latest("sequence").details["reason"] == "a slip"


def test_pieces_are_checked_and_go_on_where_they_were(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "PIECE_BYTES", 4096)
    monkeypatch.setattr(clips, "PIECE_BYTES", 4096)
    data = os.urandom(10_000)
    upload = begun(admin, {"one.mp4": data})
    damaged = piece(admin, upload, 0, 0, data[:4096], sha256="0" * 64)
    assert (damaged.status_code, damaged.json()["received"]) == (409, 0)
    assert "was damaged on its way" in damaged.json()["words"]
    assert piece(admin, upload, 0, 0, data[:100]).status_code == 409
    assert piece(admin, upload, 0, 4096, data[4096:8192]).status_code == 409
    assert piece(admin, upload, 0, 0, data[:4096]).json() == {"received": 4096}
    # Its answer was lost, so the browser sends it again.
    again = piece(admin, upload, 0, 0, data[:4096])
    assert (again.status_code, again.json()["received"]) == (409, 4096)
    # A server that was killed while it wrote leaves half a piece behind.
    with upload.path_of(upload.files[0]).open("ab") as file:
        file.write(b"half")
    state = admin.get(reverse("generation-upload-state", args=["spring", upload.key])).json()
    assert state["files"][0]["received"] == 4096
    assert state["files"][0]["last_piece"] == hashlib.sha256(data[:4096]).hexdigest()
    assert "not complete" in act(admin, upload, "check", **table())
    # The same files again, as after a reload, are the same upload.
    assert begun(admin, {"one.mp4": data}).key == upload.key
    for offset in (4096, 8192):
        piece(admin, upload, 0, offset, data[offset : offset + 4096])
    assert upload.path_of(upload.files[0]).read_bytes() == data
    assert piece(admin, upload, 0, 12_288, b"more").status_code == 409
    assert piece(admin, upload, 7, 0, b"x").status_code == 409


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "no file was chosen"),
        ({"../one.mp4": b"x"}, "not a path inside the folder"),
        ({"a.csv": b"x"}, "there is a CSV file and no clip"),
        ({"a.csv": b"x", "b.csv": b"x", "c.mp4": b"x"}, "there are 2 CSV files"),
        ({"a.zip": b"x", "c.mp4": b"x"}, "a ZIP comes alone"),
        ({"a.zip": b"x", "b.zip": b"x"}, "there are 2 ZIP files"),
        ({f"{n}.mp4": b"" for n in range(9)}, "9 files; at most 8"),
        ({"a.mp4": b"x" * 2001}, "2001 bytes in all; at most 2000"),
    ],
)
def test_files_that_cannot_be_taken_are_refused_before_a_byte_is_sent(
    admin: Client, settings: Any, files: dict[str, bytes], words: str
) -> None:
    settings.UPLOAD_MAX_FILES, settings.UPLOAD_MAX_BYTES = 8, 2000
    answer = begin(admin, files)
    assert answer.status_code == 400
    assert words in answer.json()["words"]
    assert list(uploads_root().iterdir()) == []


@pytest.mark.parametrize("body", ["{", "[]", '{"files": 1}', '{"files": [{"path": 1, "size": 1}]}', '{"files": [{"path": "a", "size": -1}]}', '{"files": [{"path": "a", "size": true}]}'])  # fmt: skip
def test_a_list_that_is_none_is_refused(admin: Client, body: str) -> None:
    address = reverse("generation-clips", args=["spring"])
    answer = admin.post(address, body, content_type="application/json")
    assert answer.status_code == 400
    assert "not a list of names and sizes" in answer.json()["words"]


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_a_zip_is_unpacked_in_its_place(admin: Client) -> None:
    upload = sent(
        admin, {"clips.zip": packed({f"mine/{path}": data for path, data in TWO.items()})}
    )
    assert looked(admin, upload).json()["total"] == 2
    upload = find_upload(upload.key, round_name="spring")
    assert [file.path for file in upload.files] == [LIFT[0], TOAST[0]]
    assert "2 would be added" in act(admin, upload, "check", **table(LIFT, TOAST))


def test_a_hostile_zip_is_refused_and_gone(admin: Client, tmp_path: Path) -> None:
    upload = sent(admin, {"clips.zip": packed({"../../evil.mp4": CLIP})})
    answer = looked(admin, upload)
    assert answer.status_code == 400
    assert "'../../evil.mp4': it is not a path inside" in answer.json()["words"]
    assert not upload.folder.exists()
    assert list(tmp_path.rglob("evil.mp4")) == []


def test_without_a_script_one_form_sends_all(admin: Client) -> None:
    files = [SimpleUploadedFile(path, data) for path, data in TWO.items()]
    answer = admin.post(reverse("generation-clips", args=["spring"]), {"files": files}, follow=True)
    page = answer.content.decode()
    assert "2 files for spring" in page
    assert LIFT[0] in page
    upload = find_upload(answer.redirect_chain[-1][0].split("/")[-2], round_name="spring")
    assert "The clips are in the round" in act(admin, upload, "take_in", **table(LIFT, TOAST))


def test_a_form_without_a_token_is_refused_and_leaves_nothing(round_: Round) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_admin())
    address = reverse("generation-clips", args=["spring"])
    assert client.post(address, {"files": SimpleUploadedFile("a.mp4", CLIP)}).status_code == 403
    assert client.post(address, "{}", content_type="application/json").status_code == 403
    assert list(uploads_root().iterdir()) == []


def test_a_form_for_one_file_takes_no_second(admin: Client) -> None:
    files = [SimpleUploadedFile(f"{n}.csv", b"x") for n in range(2)]
    address = reverse("staff-step", args=["spring"])
    assert admin.post(address, {"step": "import_outcomes", "outcomes": files}).status_code == 400


def test_an_upload_is_thrown_away(admin: Client) -> None:
    upload = sent(admin, {LIFT[0]: CLIP})
    assert "The round is unchanged" in act(admin, upload, "discard")
    assert not upload.folder.exists()
    assert piece(admin, upload, 0, 0, b"x").status_code == 410
    assert "There is no such upload" in act(admin, upload, "check")


def test_an_upload_belongs_to_its_round(admin: Client) -> None:
    upload = sent(admin, {LIFT[0]: CLIP})
    make_round(name="other")
    for name in ("generation-upload-state", "generation-table"):
        assert admin.get(reverse(name, args=["other", upload.key])).status_code == 404
    address = reverse("generation-upload", args=["other", upload.key])
    assert "There is no such upload" in admin.get(address, follow=True).content.decode()


def test_the_table_can_be_taken_to_a_spreadsheet(admin: Client) -> None:
    upload = sent(admin, {"=HYPERLINK(1)_r01-lift.mp4": CLIP})
    text = admin.get(reverse("generation-table", args=["spring", upload.key])).content.decode()
    assert text.startswith("configuration,scene,replicate,file,outcome")
    assert "r01-lift,1,'=HYPERLINK(1)_r01-lift.mp4,ok" in text


def test_an_opened_round_takes_no_clips(admin: Client, round_: Round) -> None:
    Round.objects.update(state=RoundState.LOCKED)
    page = admin.get(reverse("generation-clips", args=["spring"])).content.decode()
    assert "can no longer change" in page
    assert begin(admin, TWO).status_code == 400


def test_folders_of_uploads_are_closed_to_others_and_swept_when_old(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = sent(admin, {LIFT[0]: CLIP})
    assert uploads_root().stat().st_mode & 0o077 == 0
    monkeypatch.setattr(folder, "KEPT_DAYS", -1)
    fresh = begun(admin, TWO)
    assert not old.folder.exists()
    assert fresh.folder.exists()
