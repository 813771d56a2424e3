"""The lock files, the commands of the Makefile, and the contract of the pure modules."""

import ast
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def _pins(lock: str) -> dict[str, Version]:
    found = re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE)
    return {name: Version(version) for name, version in found}


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_file_names_no_host_and_pins_every_package_by_hash(lock: str):
    text = (ROOT / lock).read_text()
    entries = text.replace("\\\n", " ").splitlines()
    assert "//" not in text
    assert entries
    assert [
        entry for entry in entries if not re.fullmatch(r"[a-z0-9-]+==\S+( +--hash=sha256:[0-9a-f]{64})+", entry)
    ] == []


def test_tests_run_on_the_very_versions_that_the_product_runs_on():
    runtime, dev = _pins("requirements.lock"), _pins("requirements-dev.lock")
    assert runtime.items() <= dev.items()


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("requirements.lock", PYPROJECT["project"]["dependencies"]),
        ("requirements-dev.lock", PYPROJECT["dependency-groups"]["dev"]),
    ],
)
def test_a_lock_file_has_what_the_project_asks_for(lock: str, wanted: list[str]):
    pins = _pins(lock)
    asked = [Requirement(line) for line in wanted]
    assert [str(one) for one in asked if one.name not in pins or pins[one.name] not in one.specifier] == []


def _make(*arguments: str) -> str:
    """Return what make prints, whether or not another make runs these tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def test_make_help_lists_every_command_there_is():
    targets = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert re.findall(r"^  make (\S+)", _make("help"), re.MULTILINE) == targets


@pytest.mark.parametrize(("serve", "ending"), [("0", "demo --no-serve\n"), ("1", "demo\n")])
def test_make_demo_serves_unless_told_not_to(serve: str, ending: str):
    assert _make("--dry-run", "demo", f"SERVE={serve}").endswith(ending)


def test_modules_that_promise_to_do_without_django_are_held_to_it():
    (contract,) = [each for each in PYPROJECT["tool"]["importlinter"]["contracts"] if each["id"] == "pure"]
    promising = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for app in PYPROJECT["tool"]["importlinter"]["root_packages"]
        for path in (ROOT / app).rglob("*.py")
        if "No Django here." in (ast.get_docstring(ast.parse(path.read_text())) or "")
    }
    held = tuple(contract["source_modules"])
    assert {module for module in promising if not f"{module}.".startswith(tuple(f"{one}." for one in held))} == set()
    assert promising
