"""What README and docs say to type: the README's round is run line by line, every other command is
read by the program that it is for, and every link leads somewhere.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import CommandError

from fartbench.models import Round, RoundState
from scoring.models import Release
from tests.layers import ROOMS
from tests.manifests import Lab
from tests.scoring.rows import answer_all

ROOT = Path(settings.BASE_DIR)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
# What a page calls a value, and one that the command takes.
VALUES = {
    "N": "1",
    "PORT": "8001",
    "OUTCOME": "refused",
    "TEXT": "because",
    "PROTOCOL": "core-r01@1.0.0",
} | {"SEQUENCE:HASH": f"7:{'0' * 64}"}
STARTS = {"make", "m", "manage.py", "python", "celery", "gunicorn", "pytest", "sh", "docker"}


def page_id(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def commands_of(text: str) -> Iterator[str]:
    """Yield what a page's code says to type: lines of blocks, and code in the middle of a
    sentence.
    """
    blocks = re.findall(r"^```(?:sh|bash|console)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    rest = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for line in [*lines, *re.findall(r"`([^`\n]+)`", rest)]:
        command = re.sub(r"\s+#.*", "", line).strip().removeprefix("$ ")
        while re.match(r"[A-Z_]+=\S* \S", command):  # variables in front
            command = command.split(" ", 1)[1]
        first = Path(command.split(" ", 1)[0]).name if command else ""
        if first in STARTS and " " in command:
            yield command


def written(command: str) -> list[str]:
    """Return a command's words as one would type them: options that may be left out are there,
    places are filled.
    """
    words = [
        word for word in shlex.split(re.sub(r"[\[\]]", "", command)) if word not in {"…", "..."}
    ]
    return [VALUES.get(word.rstrip(".…"), word.rstrip("…")) for word in words]


def read_by_django(words: list[str]) -> None:
    """Let a management command read its words, without running it."""
    name, *rest = words
    if name == "help":
        return
    assert name in get_commands(), f"there is no command {name!r}"
    app = get_commands()[name]
    command = load_command_class(app, name) if isinstance(app, str) else app
    try:
        command.create_parser("manage.py", name).parse_args(rest)
    except CommandError as error:
        raise AssertionError(f"manage.py {' '.join(words)}: {error}") from error


def read(command: str) -> None:
    """Let what a command starts read its words. Raises AssertionError when it would not take
    them.
    """
    first, *rest = written(command)
    name = Path(first).name
    if name in {"python", "sh"} and rest and Path(rest[0]).name == "manage.py":
        name, rest = "manage.py", rest[1:]
    if name in {"m", "manage.py"}:
        read_by_django(rest)
    elif name == "make":
        targets = [word for word in rest if "=" not in word]
        assert all(re.search(rf"^{target}:", MAKEFILE, re.MULTILINE) for target in targets), command
    elif name == "python" and rest[0] != "-m":
        assert (ROOT / rest[0]).exists(), command
    elif name == "python":
        module = Path(*rest[1].split("."))
        assert any(
            (ROOT / place).exists() for place in (module.with_suffix(".py"), module / "__main__.py")
        ), command
    elif name in {"celery", "gunicorn"}:
        application = next(word for word in rest if word.startswith("fartbench."))
        assert (
            (ROOT / Path(*application.partition(":")[0].split("."))).with_suffix(".py").exists()
        ), command
    elif name in {"pytest", "sh"}:
        assert all((ROOT / word).exists() for word in rest if not word.startswith("-")), command


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_command_of_a_page_is_one_that_its_program_takes(page: Path) -> None:
    for command in commands_of(page.read_text(encoding="utf-8")):
        read(command)


@pytest.mark.parametrize(
    "command",
    ["make demonstrate", "manage.py blind_all ROUND", "m publish ROUND --sideways",
     "python -m tests.nothing",
     "manage.py set_cohort", "celery -A fartbench.selery worker", ".venv/bin/pytest tests/nowhere"],
)  # fmt: skip
def test_a_command_that_does_not_exist_is_found(command: str) -> None:
    assert list(commands_of(f"Type `{command} `.")) or " " in command
    with pytest.raises(AssertionError):
        read(command)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_of_a_page_leads_to_a_file_that_is_there(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    here = [link for link in links if "//" not in link]
    assert [link for link in here if not (page.parent / link).exists()] == []


def test_every_page_of_the_docs_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = {ROOT / "README.md"}
    while waiting:
        page = waiting.pop()
        reached.add(page)
        links = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text(encoding="utf-8"))
        waiting |= {(page.parent / link).resolve() for link in links} - reached
    assert {
        page_id(page) for page in PAGES if "decisions" not in page.parts and page not in reached
    } == set()


def test_the_readme_fits_on_two_screens() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


def test_every_command_of_ours_says_what_it_does_and_is_listed() -> None:
    ours = {name: app for name, app in get_commands().items() if app in ROOMS}
    assert len(ours) > 20
    assert [
        name for name, app in ours.items() if not load_command_class(app, name).help.strip()
    ] == []
    listed = set(
        re.findall(r"`(\w+)`", (ROOT / "docs" / "commands.md").read_text(encoding="utf-8"))
    )
    assert sorted(ours.keys() - listed) == []


@pytest.mark.django_db
def test_the_round_of_ones_own_in_the_readme_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    (tmp_path / "var").symlink_to(settings.DATA_DIR)
    monkeypatch.chdir(tmp_path)
    Lab(tmp_path, configurations=("alpha",)).manifest()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [command for command in commands_of(readme) if command.startswith("m ")]
    assert 10 <= len(lines) <= 14
    for line in lines:
        _, name, *words = shlex.split(line)
        if name == "close_round":
            answer_all(Round.objects.get(name="spring"))  # they rate in the browser
        call_command(name, *words)
    assert Round.objects.get(name="spring").state == RoundState.PUBLISHED
    said = capsys.readouterr().out
    assert said.count("/i/") == 4, "an invite link for each"
    assert Release.objects.get().digest in said.splitlines()[-1], "verified"
    assert (tmp_path / "spring-export" / "answers.csv").exists()
