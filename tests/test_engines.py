"""The run of all tests: files are shared, and what failed beside others gets a second chance alone,
loudly.
"""

from pathlib import Path

import pytest

from tests import engines

ROOT = Path(__file__).parent.parent
FAILS_ONCE = """
from pathlib import Path

def test_that_fails_once():
    there = Path("it-failed").exists()
    Path("it-failed").touch()
    assert there
"""
FAILS = "def test_that_fails():\n    assert False\n"
FAILS_OFTEN = (
    "import pytest\n\n@pytest.mark.parametrize('number', range(6))\ndef test_it(number):\n    "
    "assert False\n"
)
CRASHES = f"{FAILS}\ndef test_that_ends_the_process():\n    import os\n    os._exit(1)\n"
PASSES = "def test_that_passes():\n    pass\n"
NOTES = """
from pathlib import Path

def test_it():
    with Path("notes").open("a") as notes:
        notes.write(Path(__file__).stem + " ")
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that the runs are in, without the plug-ins of this project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    return tmp_path


def run(*parts: str) -> int:
    return engines.main([["-p", "tests.turns", *part.split()] for part in parts])


def test_what_passes_alone_passes_and_is_named_in_the_last_lines(
    suite: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (suite / "test_one.py").write_text(PASSES)
    (suite / "test_two.py").write_text(FAILS_ONCE)
    assert run("test_one.py", "test_two.py") == 0
    *_, named, last = capfd.readouterr().out.splitlines()
    assert named.startswith("Passed only when run again alone: test_two.py::test_that_fails_once (")
    assert last == "All tests passed."


def test_what_fails_alone_too_fails_the_run(suite: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (suite / "test_one.py").write_text(FAILS_ONCE)
    (suite / "test_two.py").write_text(FAILS)
    assert run("test_one.py", "test_two.py") == 1
    *_, named, last = capfd.readouterr().out.splitlines()
    assert "test_that_fails_once" in named
    assert last == "Failed: -p tests.turns test_two.py"


@pytest.mark.parametrize("fault", ["import nothing_of_that_name", CRASHES, FAILS_OFTEN])
def test_a_broken_file_a_crash_and_many_failures_are_not_run_again(
    suite: Path, capfd: pytest.CaptureFixture[str], fault: str
) -> None:
    (suite / "test_one.py").write_text(FAILS_ONCE)
    (suite / "test_two.py").write_text(fault)
    assert run("test_one.py", "test_two.py") == 1
    said = capfd.readouterr().out
    assert "Once more" not in said
    assert "Passed only" not in said


def test_equal_parts_share_the_files_and_run_each_once(
    suite: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    names = [f"test_{number}" for number in range(8)]
    for name in names:
        (suite / f"{name}.py").write_text(NOTES)
    assert run(".", ".") == 0
    assert sorted((suite / "notes").read_text().split()) == names
