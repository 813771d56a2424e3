"""What people agree to before they review: a short text with a version, and statements to tick. No
Django here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from fartbench.errors import BadInput
from fartbench.protocol import digest_of
from fartbench.wording import has_control_characters

Kind = Literal["heading", "item", "paragraph"]
LARGEST = 100_000  # bytes
MOST_STATEMENTS = 20
_VERSION = re.compile(r"version: *(\S{1,40})")
_STATEMENT, _HEADING, _ITEM = "- [ ] ", "## ", "- "


@dataclass(frozen=True, slots=True)
class ConsentDocument:
    """A text as it is shown: ``text`` without its version and statements, and the statements in
    their order.
    """

    version: str
    text: str
    statements: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The lower-case hex SHA-256 over all of it."""
        return digest_of([self.version, self.text, list(self.statements)])

    @property
    def blocks(self) -> list[tuple[Kind, str]]:
        """The text in its parts: lines that follow each other are one paragraph."""
        blocks: list[tuple[Kind, str]] = []
        before = ""
        for line in self.text.split("\n"):
            kind = _kind_of(line)
            if kind == "paragraph" and line and before:
                last, words = blocks.pop()
                blocks.append((last, f"{words} {line.strip()}"))
            elif line:
                blocks.append((kind, line.removeprefix(_HEADING).removeprefix(_ITEM)))
            before = line
        return blocks


def _kind_of(line: str) -> Kind:
    if line.startswith(_HEADING):
        return "heading"
    return "item" if line.startswith(_ITEM) else "paragraph"


def parse_consent(content: str, name: str) -> ConsentDocument:
    """Read a ``consent.md``: ``version: …`` in the first line, then paragraphs, ``## headings``,
    ``- items`` and, one a line, ``- [ ] statements`` to tick.

    Raises BadInput.
    """
    first, _, rest = content.replace("\r\n", "\n").strip().partition("\n")
    version = _VERSION.fullmatch(first.strip())
    lines = rest.split("\n")
    statements = [
        line.removeprefix(_STATEMENT).strip() for line in lines if line.startswith(_STATEMENT)
    ]
    text = "\n".join(line for line in lines if not line.startswith(_STATEMENT)).strip()
    faults = []
    if version is None:
        faults.append("the first line is not “version: …”, such as “version: 2”")
    if not text:
        faults.append("it has no text")
    if len(statements) > MOST_STATEMENTS or len(set(statements)) < len(statements):
        faults.append(f"its statements are not at most {MOST_STATEMENTS} different ones")
    if has_control_characters(content.replace("\r\n", "\n")):
        faults.append("it holds a control character")
    if faults or version is None:
        raise BadInput(name, faults)
    return ConsentDocument(version[1], text, tuple(statements))
