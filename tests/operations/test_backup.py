"""Backup and restore: a copy is whole, verifies itself, says what is missing, and half a restore is
no restore.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from blinding.models import Stimulus
from fartbench import audit, jobs, writeonce
from fartbench.models import AuditEntry, ProtocolVersion, Round
from fartbench.sessionstore import SessionStore
from fartbench.stores import blind_copies, raw_clips
from generation.models import Clip, Commissioning
from operations import health
from operations.backup import making, restoring, rows
from operations.backup.folder import LIST, BackupList, newest, read_list
from operations.errors import BackupRefused
from review.models import AnswerSheet
from review.services import set_cohort
from scoring.models import Release
from tests.factories import CORE_R01
from tests.manifests import COLUMNS, Lab, write_csv
from tests.scoring.rows import answer_all, make_open_round

# The backup reads at one moment, which takes a transaction of its own.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lab(settings: Any, tmp_path: Path) -> Path:
    """Make a round with clips and blind copies, answered and published, in a data folder of its
    own; return where its backups go.
    """
    settings.DATA_DIR = tmp_path / "data"
    files = tmp_path / "lab"
    files.mkdir()
    given = Lab(files, configurations=("alpha", "beta"), scenes=("r01-lift",))
    call_command("load_protocol", str(CORE_R01), verbosity=0)
    call_command("create_round", "real", "--protocol", "core-r01@1.0.0", "--scene", "r01-lift")
    call_command(
        "import_clips", "real", str(write_csv(files / "manifest.csv", COLUMNS, given.rows))
    )
    call_command("blind", "real")
    round_ = Round.objects.get(name="real")
    set_cohort(round=round_, emails=[f"p{number}@example.org" for number in range(4)], actor="test")
    call_command("open_round", "real")
    round_.refresh_from_db()
    answer_all(round_)
    call_command("close_round", "real")
    call_command("publish", "real")
    return tmp_path / "backups"


def start_anew(settings: Any, folder: Path) -> None:
    """Lose everything: rows and files."""
    call_command("flush", interactive=False, verbosity=0)
    settings.DATA_DIR = folder


def all_rows() -> dict[str, list[str]]:
    """Return every row of what people and programs made, as text."""
    models = (AuditEntry, Round, AnswerSheet, Clip, Stimulus, Release, ProtocolVersion)
    return {
        model.__name__: [str(row) for row in model.objects.order_by("pk").values()]
        for model in models
    }


def test_what_is_restored_is_what_was_and_goes_on(lab: Path, settings: Any, tmp_path: Path) -> None:
    call_command("backup", str(lab))
    kept, page = all_rows(), Client().get("/rounds/real/").content
    assert AuditEntry.objects.latest("sequence").action == health.BACKED_UP
    start_anew(settings, tmp_path / "new")
    call_command("restore", str(lab))
    found = all_rows()
    # The entry of the backup itself came after it; that of the restore is new.
    assert found.pop("AuditEntry")[:-1] == kept.pop("AuditEntry")[:-1]
    assert found == kept
    assert AuditEntry.objects.latest("sequence").action == restoring.RESTORED
    assert list(audit.faults()) == []
    assert writeonce.missing() == []
    assert Client().get("/rounds/real/").content == page
    after = Round.objects.create(name="next", protocol=ProtocolVersion.objects.get())
    assert after.pk > Round.objects.get(name="real").pk
    call_command("verify_data")


def test_a_second_backup_copies_only_what_is_new(
    lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("backup", str(lab))
    capsys.readouterr()
    call_command("backup", str(lab))
    assert "(0 of them new)" in capsys.readouterr().out
    assert len(list(lab.glob("*/backup.json"))) == 2
    assert newest(lab) == max(path.parent for path in lab.glob("*/backup.json"))
    assert lab.stat().st_mode & 0o777 == newest(lab).stat().st_mode & 0o777 == 0o700


def test_a_backup_is_closed_to_other_accounts_whatever_folder_it_goes_to(tmp_path: Path) -> None:
    folder = tmp_path / "mounted"
    (folder / "content").mkdir(parents=True)
    for path in (folder, folder / "content"):
        path.chmod(0o755)
    made = making.make_backup(folder, actor="test").folder
    closed = (folder, folder / "content", made)
    assert [path.stat().st_mode & 0o777 for path in closed] == [0o700] * 3


def test_an_installation_that_runs_without_a_round_is_still_empty(
    lab: Path, settings: Any, tmp_path: Path
) -> None:
    made = making.make_backup(lab, actor="test").folder
    assert not {path.name.removesuffix(".jsonl.gz") for path in made.iterdir()} & {*rows.LEFT_OUT}
    start_anew(settings, tmp_path / "new")
    jobs.beat("a worker")
    Client().post("/login/", {"username": "ada", "password": "wrong"})
    SessionStore().save()
    call_command("restore", str(lab))
    assert AnswerSheet.objects.filter(locked_at__isnull=False).exists()


def test_what_rotted_in_the_folder_of_backups_is_replaced_by_the_next_backup(
    lab: Path, settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("backup", str(lab))
    clip, release = Clip.objects.earliest("pk"), Release.objects.get()
    for rotten in (
        lab / "content" / "clips" / clip.sha256[:2] / clip.sha256,
        lab / "content" / "releases" / release.digest / "manifest.json",
    ):
        rotten.chmod(0o644)
        rotten.write_bytes(b"other bytes")
    capsys.readouterr()
    call_command("backup", str(lab))
    assert "1 files in the folder were damaged and were replaced" in capsys.readouterr().out
    start_anew(settings, tmp_path / "new")
    call_command("restore", str(lab))
    call_command("verify_data")


def test_what_storage_lacks_is_named_and_the_rest_is_saved_and_restored(
    lab: Path, settings: Any, tmp_path: Path
) -> None:
    clip, copy = Clip.objects.first(), Stimulus.objects.first()
    assert clip is not None
    assert copy is not None
    raw_clips().path(clip.sha256).unlink()
    blind_copies().path(copy.sha256).chmod(0o644)
    blind_copies().path(copy.sha256).write_bytes(b"other bytes")
    with pytest.raises(CommandError) as caught:
        call_command("backup", str(lab))
    assert caught.value.returncode == 1
    assert f"clips: {clip.sha256}" in str(caught.value)
    assert f"blind: {copy.sha256}" in str(caught.value)
    start_anew(settings, tmp_path / "new")
    with pytest.raises(CommandError, match="missing or damaged"):
        call_command("restore", str(lab))
    assert not Round.objects.exists()
    with pytest.raises(CommandError) as caught:
        call_command("restore", str(lab), "--incomplete")
    assert f"raw clip {clip.sha256}: missing from storage" in str(caught.value)
    assert str(caught.value).count("missing from storage") == 2
    assert Round.objects.get().name == "real"


def damage(made: Path, part: str) -> None:
    """Spoil one part of a backup."""
    content, answers = made.parent / "content", made / "review.answer.jsonl.gz"
    if part == "table":
        lines = gzip.decompress(answers.read_bytes()).splitlines(keepends=True)
        answers.write_bytes(gzip.compress(b"".join(lines[:-1])))
    elif part == "list":
        document = json.loads((made / "backup.json").read_text())
        document["backup"]["tables"]["review.answer"]["rows"] -= 1
        (made / "backup.json").write_text(json.dumps(document))
    elif part == "clip":
        next((content / "clips").glob("??/*")).unlink()
    else:
        shutil.rmtree(next((content / "releases").iterdir()))


def test_a_damaged_backup_is_refused_and_changes_nothing(
    lab: Path, settings: Any, tmp_path: Path
) -> None:
    call_command("backup", str(lab))
    start_anew(settings, tmp_path / "new")
    words = {"table": "review.answer is missing or damaged", "list": "backup.json was changed",
             "clip": "clips: ",
             "release": "release: real/1"}  # fmt: skip
    for part, said in words.items():
        spoiled = tmp_path / part
        shutil.copytree(lab, spoiled)
        damage(newest(spoiled), part)
        with pytest.raises(CommandError) as caught:
            call_command("restore", str(spoiled))
        assert said in str(caught.value)
        assert not Round.objects.exists()
        assert not (tmp_path / "new").exists()


def test_a_restore_that_breaks_half_way_leaves_nothing_and_is_run_again(
    lab: Path, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call_command("backup", str(lab))
    start_anew(settings, tmp_path / "new")
    done: list[str] = []

    def breaks(model: Any, path: Path) -> None:
        done.append(path.name)
        if len(done) > 20:
            raise OSError("the disk went away")
        rows.read_table(model, path)

    with monkeypatch.context() as patch:
        patch.setattr(restoring, "read_table", breaks)
        with pytest.raises(OSError, match="went away"):
            call_command("restore", str(lab))
    assert not Round.objects.exists()
    assert not AuditEntry.objects.exists()
    assert writeonce.missing() == []
    call_command("restore", str(lab))
    assert AnswerSheet.objects.filter(locked_at__isnull=False).count() == 8


def test_an_installation_with_rows_of_its_own_is_left_alone(lab: Path) -> None:
    call_command("backup", str(lab))
    with pytest.raises(CommandError, match="already has rows"):
        call_command("restore", str(lab))


def test_a_backup_that_breaks_half_way_is_none(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: Any) -> bool:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(making, "take_in", breaks)
        with pytest.raises(CommandError, match="make room"):
            call_command("backup", str(lab))
    with pytest.raises(BackupRefused, match="no complete backup"):
        newest(lab)
    assert not AuditEntry.objects.filter(action=health.BACKED_UP).exists()
    call_command("backup", str(lab))
    assert read_list(newest(lab)).missing == []


def test_a_round_that_was_buying_is_paused(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"
    round_ = make_open_round(name="later", scenes=["r01-lift"])
    Round.objects.create(name="buying", protocol=round_.protocol, state="generating")
    Commissioning.objects.create(round=Round.objects.get(name="buying"))
    with pytest.raises(CommandError, match="storage lacks"):  # these rows have no files behind them
        call_command("backup", str(tmp_path / "backups"))
    start_anew(settings, tmp_path / "new")
    restoring.restore(newest(tmp_path / "backups"), actor="test", incomplete=True)
    assert list(Commissioning.objects.values_list("round__name", "paused")) == [("buying", True)]


def manage(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, str(Path(project.BASE_DIR) / "manage.py"), *command]
    return subprocess.run(
        program, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.engine("postgres")
def test_a_backup_moves_to_a_new_machine_and_another_engine_and_back(
    lab: Path, settings: Any, tmp_path: Path, process_environment: dict[str, str]
) -> None:
    """From PostgreSQL into an empty SQLite file, where the tables are made first, and from there
    into PostgreSQL.
    """
    call_command("backup", str(lab))
    there = {
        "DATABASE_URL": f"sqlite:///{tmp_path}/moved.sqlite3",
        "DATA_DIR": str(tmp_path / "moved"),
    }
    restored = manage("restore", str(lab), **there)
    assert restored.returncode == 0, restored.stderr
    assert (
        "Every clip, locked sheet, release and entry of the audit trail is what it was."
        in restored.stdout
    )
    again = manage("backup", str(tmp_path / "again"), **there)
    assert again.returncode == 0, again.stderr
    first, second = read_list(newest(lab)), read_list(newest(tmp_path / "again"))
    assert (first.engine, second.engine) == ("postgresql", "sqlite")
    assert (first.content, first.releases) == (second.content, second.releases)
    kept = all_rows()
    start_anew(settings, tmp_path / "new")
    call_command("restore", str(tmp_path / "again"))
    found = all_rows()
    assert found.pop("AuditEntry")[: len(kept["AuditEntry"]) - 1] == kept.pop("AuditEntry")[:-1]
    assert found == kept


def test_a_folder_without_backups_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no complete backup"):
        call_command("restore", str(tmp_path))


ODD_NAMES = {
    "a release outside": ("releases", {"../../slipped-out/1": "a" * 64}),
    "a release at the root": ("releases", {"/elsewhere/1": "a" * 64}),
    "a release without a number": ("releases", {"real": "a" * 64}),
    "a release in a release": ("releases", {"real/1/plots": "a" * 64}),
    "a digest that leads elsewhere": ("releases", {"real/1": "../../clips"}),
    "a clip outside": ("content", {"clips": ["../../etc/passwd"], "blind": []}),
    "another kind of files": ("content", {"../clips": ["a" * 64]}),
    "a table elsewhere": ("tables", {"../x": {"rows": 0, "sha256": "a" * 64}}),
}


@pytest.mark.parametrize("kind", ODD_NAMES)
def test_a_resealed_backup_writes_nowhere_else(kind: str, tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "backup").mkdir()
    field, names = ODD_NAMES[kind]
    listed = BackupList(
        made_at="", program={}, engine="sqlite", migrations=[], audit_head="", tables={}
    )
    listed.write(tmp_path / "backup")
    document = json.loads((tmp_path / "backup" / LIST).read_text())
    document["backup"][field] = names
    text = json.dumps(document["backup"], ensure_ascii=False, indent=1, sort_keys=True)
    document["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (tmp_path / "backup" / LIST).write_text(json.dumps(document))
    with pytest.raises(BackupRefused, match="is not"):
        restoring.restore(tmp_path / "backup", actor="test")
    assert not (tmp_path / "slipped-out").exists()


def test_a_release_is_not_restored_through_a_link(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data" / "releases").mkdir(parents=True)
    (tmp_path / "data" / "releases" / "real").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BackupRefused, match="outside of"):
        restoring._target_of("real/1")


def test_a_backup_opens_no_session(lab: Path) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    key = client.cookies["sessionid"].value
    made = making.make_backup(lab, actor="test").folder
    stored = b"".join(gzip.decompress(path.read_bytes()) for path in made.glob("*.gz"))
    assert key.encode() not in stored
    assert not (made / "sessions.session.jsonl.gz").exists()
