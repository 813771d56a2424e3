"""CSV as spreadsheets write it: its encoding, its delimiter, its records. No Django here."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from fartbench.errors import BadInput
from fartbench.regular import regular_bytes

MAX_BYTES = 50_000_000
_DELIMITERS = ",;\t"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_ZIP = b"PK\x03\x04"
# A first line by which a file tells Excel its delimiter. Spreadsheets do not show it, so it is not
# counted as a row.
_SEP = re.compile(r'"?sep=(.*?)"?[,;\t]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)


@dataclass(frozen=True)
class Record:
    """A row of a table with the number that a spreadsheet shows, from 1; ``cells`` are stripped."""

    number: int
    cells: list[str]

    @property
    def is_empty(self) -> bool:
        """Say whether no cell holds anything."""
        return not any(self.cells)


@dataclass(frozen=True)
class CsvText:
    """The records of a CSV file in order, empty ones too.

    ``is_cut_off`` when its last line has no end.
    """

    records: list[Record]
    is_cut_off: bool


def read_records(path: Path, name: str, known: Collection[str]) -> CsvText:
    """Read the records of a CSV file: UTF-8 or UTF-16, commas, semicolons or tabs, quotes, any line
    ends.

    ``known`` are column names; they tell which delimiter a header has that has several. Raises
    BadInput, which names the file as ``name``, when it is missing, too large, or not CSV.
    """
    text = _decoded(_content(path, name), name)
    told, body = _take_sep(text, name)
    delimiter = told or _likely_delimiter(body, known)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
    try:
        # Spreadsheets count records, not lines: a line break in quotes does not shift the numbers.
        records = []
        for number, cells in enumerate(reader, start=1):
            records.append(Record(number, [cell.strip() for cell in cells]))
    except csv.Error as error:
        raise BadInput(name, [f"line {reader.line_num}: the file is not CSV: {error}"]) from error
    return CsvText(records, is_cut_off=bool(body) and body[-1] not in "\r\n")


def _content(path: Path, name: str) -> bytes:
    try:
        return regular_bytes(path, MAX_BYTES)
    except BadInput as refusal:
        raise BadInput(name, refusal.faults) from refusal


def _decoded(content: bytes, name: str) -> str:
    if content.startswith(_ZIP):
        raise BadInput(
            name, ["the file is a spreadsheet’s own format, not CSV; save the sheet as “CSV UTF-8”"]
        )
    encoding = "utf-16" if content.startswith(_UTF_16) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        words = "UTF-16" if encoding == "utf-16" else "UTF-8"
        raise BadInput(name, [f"the file is not valid {words}; save it as “CSV UTF-8”"]) from error
    if "\0" in text:  # UTF-16 without its mark, or no text at all
        raise BadInput(name, ["the file is not text: it holds zero bytes; save it as “CSV UTF-8”"])
    return text


def _take_sep(text: str, name: str) -> tuple[str, str]:
    """Return the delimiter that a first line “sep=;” names (empty without one), and the text below
    it.
    """
    match = _SEP.match(text)
    if match is None:
        return "", text
    delimiter = match[1] or text[match.start() + len("sep=") :][:1].strip("\r\n")
    if len(delimiter) != 1 or delimiter in '"\r\n' or delimiter.isalnum():
        raise BadInput(
            name,
            ["line 1: “sep=” must name one character that separates the columns, such as “sep=;”"],
        )
    return delimiter, text[match.end() :]


def _likely_delimiter(text: str, known: Collection[str]) -> str:
    """Return the delimiter by which the first line has most known column names, else the commonest
    in it.
    """
    first_line = next((line for line in text.splitlines() if line.strip(" ,;\t")), "")

    def score(delimiter: str) -> tuple[int, int]:
        names = {name.strip(' "') for name in first_line.split(delimiter)}
        return len(names & set(known)), first_line.count(delimiter)

    return max(_DELIMITERS, key=score)
