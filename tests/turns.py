"""Several runs of pytest share the files of one suite: each takes the next file that no other has
taken.

``--turns FOLDER`` names an empty folder that these runs have in common. Whatever the files take,
all runs end at about the same time. A file is run by one of them as a whole.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import chain, groupby, pairwise
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--turns",
        type=Path,
        metavar="FOLDER",
        help="run only the files that no other run takes first",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    folder = session.config.getoption("--turns")
    if folder is None or session.testsfailed or session.config.getoption("collectonly"):
        return None  # pytest's own loop knows what to do
    for item, following in pairwise(chain(_taken(session.items, folder), [None])):
        assert item is not None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
    return True


def _taken(items: list[pytest.Item], folder: Path) -> Iterator[pytest.Item]:
    """Yield the tests of the files that are ours, and take the next file only when it is due."""
    ours: set[Path] = set()
    for path, tests in groupby(items, key=lambda item: item.path):
        if path in ours or _take(folder / sha256(bytes(path)).hexdigest()):
            ours.add(path)
            yield from tests


def _take(sign: Path) -> bool:
    """Make a folder that says that a file is taken; only one run can."""
    try:
        sign.mkdir()
    except FileExistsError:
        return False
    return True
