"""What a process read last, shared by threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random
from types import SimpleNamespace

import pytest

from fartbench.recent import Recent
from web.pages import published


def test_the_newest_are_kept() -> None:
    recent: Recent[int, str] = Recent(2)
    recent.keep({1: "one", 2: "two"})
    recent.keep({3: "three"})
    assert recent.known([1, 2, 3]) == {2: "two", 3: "three"}


def _queried(names: list[str]) -> list[SimpleNamespace]:
    """Stand for the query of results that were not read lately."""
    return [SimpleNamespace(configuration=name) for name in names]


def test_threads_that_push_each_other_s_rows_out_all_read_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The cache before looked for rows that another thread had just let go, and raised KeyError."""
    monkeypatch.setattr(published, "_rows", Recent(20))
    monkeypatch.setattr(published, "documents_of", lambda _: None)
    monkeypatch.setattr(published, "rows_from", lambda *_: _queried)
    releases = [
        SimpleNamespace(
            digest=f"{n}", created_at=n, round=SimpleNamespace(protocol=SimpleNamespace(rules=None))
        )
        for n in range(4)
    ]

    def visit(seed: int) -> int:
        luck = Random(seed)
        for _ in range(400):
            names = [str(luck.randrange(40)) for _ in range(15)]
            found = published.rows_of(luck.choice(releases))(names)  # type: ignore[arg-type]
            assert [row.configuration for row in found] == names
        return seed

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns in the middle of everything
    try:
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(visit, range(8))) == list(range(8))
    finally:
        sys.setswitchinterval(before)
