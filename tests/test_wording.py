"""Words that readers of English as a second language have to guess at are in no page, message,
guide, comment or docstring.

The list is that of CONTRIBUTING.md: each of these words was used for many meanings.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
UNCLEAR = re.compile(
    r"\b(?:is|are|was|were) none of\b|\bwere said\b|\bwhoever\b|\btold\b(?! apart)|\bgoes\b|\bstands\b"
    r"|\bmeanwhile\b|\bthis is no\b|\btoo deep in each other\b|\bas any\b(?! other)|\ban own\b",
    re.IGNORECASE,
)
# People and glasses that are drawn do stand, and arms go down. A scale goes up.
MEANT = {
    "simulation/local/acting.py",
    "simulation/local/bodies.py",
    "simulation/local/rollouts/systems.py",
    "simulation/local/scenes/toast.py",
    "simulation/local/script.py",
    "simulation/local/truth.py",
}
# Texts that published releases contain: they change with the format of releases.
PUBLISHED = {
    "scoring/release/columns.py",
    "scoring/release/judge_columns.py",
    "scoring/reports/ranking.py",
}
# They list the words; scales go up; texts of columns are part of migrations.
LISTS = {
    "CONTRIBUTING.md",
    "blinding/models.py",
    "fartbench/protocol/questions.py",
    "review/answering.py",
}
READ = (".py", ".html", ".md", ".js", ".txt")


def written_here() -> list[str]:
    """Return the files of the product and of its guides."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        name
        for name in listed.stdout.split()
        if name.endswith(READ)
        and not name.startswith(("tests/", "fixtures/"))
        and "/migrations/" not in name
    ]


def sentences(name: str) -> Iterator[tuple[int, str]]:
    """Yield each text that a person may read, with the number of its line."""
    source = (ROOT / name).read_text(encoding="utf-8")
    if not name.endswith(".py"):
        yield from enumerate(source.splitlines(), 1)
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip().startswith("#"):
            yield number, line


def unclear(name: str) -> list[str]:
    return [
        f"{name}:{number}: {match.group()}"
        for number, text in sentences(name)
        for match in UNCLEAR.finditer(text)
    ]


def test_no_text_has_words_that_a_reader_has_to_guess_at() -> None:
    names = [name for name in written_here() if name not in MEANT | PUBLISHED | LISTS]
    assert len(names) > 500
    faults = [fault for name in names for fault in unclear(name)]
    assert not faults, "say it in plain words (CONTRIBUTING.md):\n" + "\n".join(faults)


@pytest.mark.parametrize(
    "text",
    [
        "It is none of ok, failed.",
        "Whoever asks",
        "it was told saved",
        "where it stands",
        "has an own order",
    ],
)
def test_each_kind_of_unclear_word_is_noticed(text: str) -> None:
    assert UNCLEAR.search(text)
