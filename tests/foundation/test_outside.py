"""Files and texts from outside: nothing is waited for or read without end, and no text is taken for
another.
"""

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from fartbench.datafiles import read_json, read_yaml
from fartbench.errors import MOST_SHOWN, BadInput
from fartbench.outgoing import _is_inside
from fartbench.protocol import load_protocol
from fartbench.storage import KEPT_AT, level_times
from fartbench.stores import blind_copies
from fartbench.tables import guarded, plain, read_table
from fartbench.wording import fault_of_name, has_control_characters, printable
from generation.errors import ManifestRefused
from generation.manifest import MOST_CONFIGURATIONS, REQUIRED, read_manifest
from generation.models import Configuration
from scoring.formats.fastchat import read_battles
from scoring.formats.label_studio import read_label_studio
from tests.factories import CORE_R01, make_round, make_stimulus

PROTOCOL = load_protocol(CORE_R01).protocol
READERS: dict[str, Callable[[Path], Any]] = {
    "yaml": read_yaml,
    "json": read_json,
    "table": lambda path: read_table(path, required=("a",)),
    "label studio": lambda path: read_label_studio(path, PROTOCOL, {}),
    "battles": read_battles,
}


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_holes(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10**12)


@pytest.mark.parametrize("make", [make_pipe, make_device, make_holes, Path.mkdir])
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_of_bounded_size_is_refused_at_once(
    reader: str, make: Any, tmp_path: Path
) -> None:
    make(tmp_path / "input")
    with pytest.raises(BadInput, match=r"not a regular file|larger than"):
        READERS[reader](tmp_path / "input")


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n=1", "\xa0=1", "\u3000=1", "＝1+1",
     "＋A1", "－A1",
     "＠A", " ＝1", "'=1", "'' =1"],
)  # fmt: skip
def test_a_cell_that_a_spreadsheet_could_run_is_guarded_and_read_back(cell: str) -> None:
    assert guarded(cell) == f"'{cell}"
    assert plain(guarded(cell)) == cell


@pytest.mark.parametrize("cell", ["", "yes", "-5", "+3.5", "a=b", " yes", "'tis", "1＝1"])
def test_any_other_cell_stays_and_is_read_back(cell: str) -> None:
    assert guarded(cell) == cell
    assert plain(cell) == cell


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("loc\u0430l-maestro", "mixes letters of Cyrillic and Latin"),
        ("\u0391lpha", "mixes letters of Greek and Latin"),
        ("ａlpha", "only look like plain ones"),
        ("\u0441\u043e\u0440\u0430", "look like Latin ones"),
        ("\u039a\u0391\u03a4 2", "look like Latin ones"),
        ("al\u200bpha", "control character"),
        ("\x1b[31malpha", "control character"),
        ("al\u202epha", "control character"),
    ],
)
def test_a_name_that_could_be_taken_for_another_is_refused(name: str, fault: str) -> None:
    assert fault in fault_of_name(name)


@pytest.mark.parametrize(
    "name",
    ["local-maestro", "Größe 2.0", "模型-pro", "日本語モデル", "модель 2", "モデルA", "한국 漢字"],
)
def test_a_name_in_letters_that_are_written_together_is_taken(name: str) -> None:
    assert fault_of_name(name) == ""


def test_what_commands_a_terminal_is_shown_as_its_escape() -> None:
    assert printable("a\x1b[2Jb\u202ec\nd\te") == "a\\x1b[2Jb\\u202ec\nd\te"
    assert has_control_characters("\x9b") and not has_control_characters("a\nb\tc é")


def manifest(folder: Path, *rows: dict[str, Any]) -> Path:
    columns = [*REQUIRED, "reason", "generated_at"]
    with (folder / "m.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(
            {"scene": "r01-lift", "replicate": 1, "outcome": "refused", **row} for row in rows
        )
    return folder / "m.csv"


def read(path: Path) -> list[str]:
    return read_manifest(path, scenes=["r01-lift"], replicates=1).faults


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", "1000-01-01T00:00Z", "0001-01-01"]
)
def test_a_time_that_no_clip_can_have_is_a_fault(at: str, tmp_path: Path) -> None:
    assert (
        "not a time such as"
        in read(manifest(tmp_path, {"configuration": "a", "generated_at": at}))[0]
    )


def test_a_manifest_says_what_hides_in_it(tmp_path: Path) -> None:
    rows = ({"configuration": "loc\u0430l"}, {"configuration": "b", "reason": "\x1b]0;x\x07"})
    faults = read(manifest(tmp_path, *rows))
    assert "could be taken for another name" in faults[0]
    assert "reason: it holds a control character" in faults[1]


def test_a_manifest_of_more_configurations_than_a_round_has_is_refused(tmp_path: Path) -> None:
    rows = [{"configuration": f"c{number}"} for number in range(MOST_CONFIGURATIONS + 1)]
    with pytest.raises(BadInput, match=f"names {MOST_CONFIGURATIONS + 1} configurations"):
        read(manifest(tmp_path, *rows))


def test_a_million_faults_are_counted_and_some_dozens_shown() -> None:
    words = str(ManifestRefused("m.csv", [f"row {number}: bad" for number in range(1_000_000)]))
    assert "1000000 faults" in words
    assert len(words.splitlines()) == MOST_SHOWN + 2
    assert f"and {1_000_000 - MOST_SHOWN} more" in words


@pytest.mark.parametrize(
    "annotations", ["Infinity", "NaN", "5", '"x"', "[3]", "[null]", "{}", "true"]
)
def test_annotations_that_are_none_are_refused_in_words(annotations: str, tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text(
        f'[{{"data": {{"stimulus": "x"}}, "annotations": {annotations}}}]'
    )
    with pytest.raises(BadInput):
        read_label_studio(tmp_path / "tasks.json", PROTOCOL, {})


@pytest.mark.django_db
def test_every_stored_copy_has_one_time_of_change() -> None:
    round_ = make_round()
    stored = [make_stimulus(round_).path for _ in range(3)]
    assert {path.stat().st_mtime for path in stored} == {KEPT_AT}
    os.utime(stored[0])
    level_times()
    assert {path.stat().st_mtime for path in blind_copies().root.glob("??/*")} == {KEPT_AT}


def test_a_reader_of_a_command_that_leaves_early_gets_no_traceback(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from django.core.management import execute_from_command_line\n"
        "from fartbench.commands import Command\n"
        "class Talks(Command):\n"
        "    needs_database, requires_system_checks = False, ()\n"
        "    def run(self, **options):\n"
        "        for _ in range(100000): self.say('line')\n"
        "Talks().run_from_argv(['manage.py', 'talks'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(settings.BASE_DIR), "DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-c", f"import django; django.setup()\n{script}"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as talking:
        assert talking.stdout is not None and talking.stderr is not None
        assert talking.stdout.readline() == b"line\n"
        talking.stdout.close()
        assert talking.stderr.read() == b""
    assert talking.returncode == 1


@pytest.mark.parametrize(
    ("address", "is_inside"),
    [
        ("127.0.0.1", True), ("169.254.169.254", True), ("100.64.0.1", True), ("224.0.0.1", True),
        ("::1", True), ("fe80::1%eth0", True), ("fec0::1", True), ("::7f00:1", True),
        ("::ffff:10.0.0.1", True), ("::ffff:0:127.0.0.1", True), ("64:ff9b::7f00:1", True),
        ("64:ff9b::a9fe:a9fe", True), ("64:ff9b:1::7f00:1", True), ("2002:7f00:1::", True),
        ("2001:0:7f00:1::", True), ("2001:db8::1", True), ("ff0e::1", True),
        ("8.8.8.8", False), ("2606:4700::1111", False), ("64:ff9b::808:808", False),
        ("::ffff:8.8.8.8", False), ("2002:808:808::", False),
    ],
)  # fmt: skip
def test_an_address_inside_this_network_is_known_in_every_spelling(
    address: str, is_inside: bool
) -> None:
    assert _is_inside(address) is is_inside


@pytest.mark.django_db
@pytest.mark.parametrize("command", ["import_clips", "import_outcomes", "import_answers"])
@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a device"])
def test_no_command_waits_for_what_is_not_a_file(command: str, kind: str, tmp_path: Path) -> None:
    round_ = make_round()
    path = tmp_path / "table.csv"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(CommandError):
        call_command(command, round_.name, str(path))


@pytest.mark.django_db
def test_no_command_makes_a_configuration_that_could_be_taken_for_another() -> None:
    round_ = make_round(scenes=["r01-lift"])
    wanted = ("--scene", "r01-lift", "--outcome", "refused", "--reason", "x")
    for name in ("loc\u0430l", "a/b", "\x1b[2J", ""):
        with pytest.raises(CommandError, match="The configuration"):
            call_command("mark_cell", round_.name, "--configuration", name, *wanted)
    assert not Configuration.objects.exists()


@pytest.mark.django_db
def test_no_reason_of_a_step_commands_a_terminal() -> None:
    round_ = make_round(scenes=["r01-lift"])
    cell = ("--configuration", "alpha", "--scene", "r01-lift")
    outcome = ("--outcome", "refused", "--reason")
    with pytest.raises(CommandError, match="control character"):
        call_command("mark_cell", round_.name, *cell, *outcome, "x\x1b[2J")
    call_command("mark_cell", round_.name, *cell, *outcome, "x")
    with pytest.raises(CommandError, match="control character"):
        call_command("limit_cell", round_.name, *cell, "--note", "x\u202e")
