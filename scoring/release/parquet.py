"""A table as one Parquet file, in the plainest form the format allows. No Django here.

Source: the Apache Parquet format, version 2 (file layout, Thrift compact protocol, dictionary
pages, and the hybrid of run lengths and packed bits). One row group; every column is required,
dictionary-encoded and uncompressed: answers repeat so much that the codes are small already, and no
compressor's version can change a byte. Libraries that write Parquet weigh more than all else this
project installs, and each stamps its own version into the file.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path
from struct import pack

import numpy as np
from numpy.typing import NDArray

from scoring.release.columns import Column, Table
from scoring.release.rows import RowOfCells

MAGIC = b"PAR1"
CREATED_BY = b"fartbench"
# Numbers of the format: physical types, converted type, encodings, page types.
_INT32, _BYTE_ARRAY = 1, 6
_UTF8 = 0
_PLAIN, _RLE_DICTIONARY = 0, 8
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12


def write_parquet(path: Path, table: Table, rows: Iterable[RowOfCells]) -> None:
    """Write a table; columns of whole numbers are INT32, all others text.

    ValueError for an empty cell of a number.
    """
    codes = [array("i") for _ in table.columns]
    known: list[dict[object, int]] = [{} for _ in table.columns]
    for row in rows:
        for place, cell in enumerate(row):
            found = known[place]
            codes[place].append(found.setdefault(cell, len(found)))
    count = len(codes[0])
    with path.open("wb") as file:
        file.write(MAGIC)
        chunks = []
        for column, values, numbers in zip(table.columns, known, codes, strict=True):
            start = file.tell()
            dictionary = _page(_DICTIONARY_PAGE, 7, len(values), _PLAIN, _plain(column, values))
            data = _page(
                _DATA_PAGE,
                5,
                count,
                _RLE_DICTIONARY,
                _packed(np.array(numbers, dtype=np.int64), len(values)),
            )
            file.write(dictionary + data)
            chunks.append(
                _chunk(column, count, start, len(dictionary), len(dictionary) + len(data))
            )
        footer = _footer(table, count, chunks, file.tell() - len(MAGIC))
        file.write(footer + pack("<i", len(footer)) + MAGIC)


def _plain(column: Column, values: Iterable[object]) -> bytes:
    if column.kind == "integer":
        if any(not isinstance(value, int) for value in values):
            raise ValueError(f"The column {column.name!r} has a cell without a number.")
        return b"".join(pack("<i", value) for value in values)
    texts = (str(value).encode() for value in values)
    return b"".join(pack("<I", len(text)) + text for text in texts)


def _packed(codes: NDArray[np.int64], values: int) -> bytes:
    """Return the width in bits and one run of packed codes, filled up to a multiple of eight."""
    width = max(1, (values - 1).bit_length())
    groups = -(-len(codes) // 8)
    filled = np.zeros(groups * 8, dtype=np.int64)
    filled[: len(codes)] = codes
    bits = ((filled[:, None] >> np.arange(width)) & 1).astype(np.uint8)
    return (
        bytes([width])
        + _varint(groups << 1 | 1)
        + np.packbits(bits.reshape(-1), bitorder="little").tobytes()
    )


def _page(kind: int, header_field: int, count: int, encoding: int, content: bytes) -> bytes:
    levels = [(3, _I32, _zigzag(3)), (4, _I32, _zigzag(3))] if kind == _DATA_PAGE else []
    inner = _struct([(1, _I32, _zigzag(count)), (2, _I32, _zigzag(encoding)), *levels])
    size = _zigzag(len(content))
    return (
        _struct(
            [
                (1, _I32, _zigzag(kind)),
                (2, _I32, size),
                (3, _I32, size),
                (header_field, _STRUCT, inner),
            ]
        )
        + content
    )


def _chunk(column: Column, count: int, start: int, dictionary: int, size: int) -> bytes:
    metadata = _struct(
        [
            (1, _I32, _zigzag(_physical(column))),
            (2, _LIST, _list(_I32, [_zigzag(_PLAIN), _zigzag(_RLE_DICTIONARY)])),
            (3, _LIST, _list(_BINARY, [_binary(column.name.encode())])),
            (4, _I32, _zigzag(0)),
            (5, _I64, _zigzag(count)),
            (6, _I64, _zigzag(size)),
            (7, _I64, _zigzag(size)),
            (9, _I64, _zigzag(start + dictionary)),
            (11, _I64, _zigzag(start)),
        ]
    )
    return _struct([(2, _I64, _zigzag(start)), (3, _STRUCT, metadata)])


def _footer(table: Table, count: int, chunks: list[bytes], size: int) -> bytes:
    root = _struct([(4, _BINARY, _binary(b"schema")), (5, _I32, _zigzag(len(table.columns)))])
    group = _struct(
        [(1, _LIST, _list(_STRUCT, chunks)), (2, _I64, _zigzag(size)), (3, _I64, _zigzag(count))]
    )
    return _struct(
        [
            (1, _I32, _zigzag(2)),
            (2, _LIST, _list(_STRUCT, [root, *(_schema(column) for column in table.columns)])),
            (3, _I64, _zigzag(count)),
            (4, _LIST, _list(_STRUCT, [group])),
            (6, _BINARY, _binary(CREATED_BY)),
        ]
    )


def _schema(column: Column) -> bytes:
    text = [] if column.kind == "integer" else [(6, _I32, _zigzag(_UTF8))]
    kind = _zigzag(_physical(column))
    return _struct(
        [(1, _I32, kind), (3, _I32, _zigzag(0)), (4, _BINARY, _binary(column.name.encode())), *text]
    )


def _physical(column: Column) -> int:
    return _INT32 if column.kind == "integer" else _BYTE_ARRAY


def _struct(fields: list[tuple[int, int, bytes]]) -> bytes:
    """Return fields (number, type, content) in the Thrift compact protocol; their numbers go up by
    at most 15.
    """
    written, last = b"", 0
    for number, kind, content in fields:
        written += bytes([(number - last) << 4 | kind]) + content
        last = number
    return written + b"\0"


def _list(kind: int, items: list[bytes]) -> bytes:
    head = (
        bytes([len(items) << 4 | kind])
        if len(items) < 15
        else bytes([0xF0 | kind]) + _varint(len(items))
    )
    return head + b"".join(items)


def _binary(content: bytes) -> bytes:
    return _varint(len(content)) + content


def _zigzag(number: int) -> bytes:
    return _varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _varint(number: int) -> bytes:
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    written.append(number)
    return bytes(written)
