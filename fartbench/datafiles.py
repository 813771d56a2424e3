"""Strict reading of YAML and JSON data files: text in, plain values out, faults in words.

No Django here.
"""

from __future__ import annotations

import json
import math
import re
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import YAMLError

from fartbench.errors import BadInput
from fartbench.regular import regular_text

# A data file is a page or two of text, a whole set of scenarios less than one megabyte; anything
# far larger is a mistake or an attack. Values are counted as they would be written out: a YAML
# alias expands to all that it names.
MAX_BYTES = 200_000
MAX_JSON_BYTES = 5_000_000
MAX_VALUES, MAX_DEPTH = 200_000, 20
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class DataError(BadInput):
    """A data file that cannot be used."""


def read_yaml(path: Path, *, largest: int = MAX_BYTES) -> Any:
    """Return the content of a YAML file as plain values.

    Raises DataError when it is missing, larger than ``largest`` bytes, no text, not YAML, or holds
    what JSON cannot.
    """
    try:
        return _plain(path, yaml_content(_text(path, largest)))
    except RecursionError as error:
        raise DataError(str(path), ["it is nested too deeply"]) from error
    except DuplicateKeyError as error:
        raise DataError(str(path), [f"a key appears twice: {_first_line(error)}"]) from error
    except (
        YAMLError,
        ValueError,
        TypeError,
    ) as error:  # the last two: a number or a key that Python cannot make
        raise DataError(str(path), [f"this is not YAML: {_first_line(error)}"]) from error


def yaml_content(text: str) -> Any:
    """Return the content of YAML 1.2 without repeated keys, the caller's to change.

    Raises YAMLError.
    """
    return deepcopy(_parsed(text))


@lru_cache(maxsize=128)
def _parsed(text: str) -> Any:
    """Parse it. Remembered: it takes a hundred times as long as a copy, and the same files are read
    again and again.
    """
    return YAML(typ="safe", pure=True).load(text)


def read_json(path: Path, *, largest: int = MAX_JSON_BYTES) -> Any:
    """Return the content of a JSON file as plain values. Raises DataError as `read_yaml` does."""
    try:
        return _plain(path, json.loads(_text(path, largest), object_pairs_hook=_once_each))
    except RecursionError as error:
        raise DataError(str(path), ["it is nested too deeply"]) from error
    except ValueError as error:
        raise DataError(str(path), [f"this is not JSON: {error}"]) from error


def _text(path: Path, largest: int) -> str:
    try:
        return regular_text(path, largest)
    except BadInput as error:
        raise DataError(error.what, error.faults) from error


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(
            f"the key {next(key for key in keys if keys.count(key) > 1)!r} appears twice"
        )
    return found


def _first_line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = (
        getattr(error, "problem", None) or (str(error) or type(error).__name__).splitlines()[0]
    )
    if mark:
        where = f" (line {mark.line + 1}, column {mark.column + 1})"
    else:
        where = ""
    return f"{str(problem).splitlines()[0]}{where}"


def _plain(path: Path, content: Any) -> Any:
    """Return content that is plain: texts, numbers, yes and no, nothing, lists and mappings of
    them. Raises DataError.

    What YAML calls a date or a set, a number that is none, and an alias that expands to more than
    anybody would write, itself included, would break whatever stores, hashes or prints the content
    later.
    """
    waiting: list[tuple[str, int, Any]] = [("", 0, content)]
    count = 0
    while waiting:
        where, depth, value = waiting.pop()
        count += 1
        if depth > MAX_DEPTH or count > MAX_VALUES:
            if depth > MAX_DEPTH:
                what = "it is nested too deeply"
            else:
                what = f"it holds over {MAX_VALUES} values"
            raise DataError(str(path), [what])
        if fault := _odd(value):
            raise DataError(str(path), [f"{where.removeprefix('.') or 'the file'}: {fault}"])
        if isinstance(value, dict):
            waiting += [(f"{where}.{key}", depth + 1, one) for key, one in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{where}[{place}]", depth + 1, one) for place, one in enumerate(value, 1)]
    return content


def _odd(value: Any) -> str:
    """Return why a value is not plain, nothing when it is; what lies in it is not looked at."""
    if isinstance(value, dict):
        if odd := [key for key in value if isinstance(key, bool) or not isinstance(key, str | int)]:
            return f"the key {odd[0]!r} is not text"
        return next(
            (
                f"the key {key!r} has a control character"
                for key in value
                if _CONTROL.search(str(key))
            ),
            "",
        )
    if isinstance(value, str):
        if _CONTROL.search(value):
            return "this text has a control character"
        return ""
    if isinstance(value, float):
        if math.isfinite(value):
            return ""
        return f"{value} is not a number"
    if isinstance(value, bool | int | list | type(None)):
        return ""
    return f"a {type(value).__name__} is not allowed here; write text in quotes"


def tuples(content: Any) -> Any:
    """Return ``content`` with tuples for lists: strict models want what cannot be changed in
    place.
    """
    if isinstance(content, list):
        return tuple(tuples(item) for item in content)
    if isinstance(content, dict):
        return {key: tuples(value) for key, value in content.items()}
    return content


def faults_of(error: ValidationError) -> list[str]:
    """Return one line per fault: the path of the key, and the rule."""
    return [
        f"{'.'.join(str(part) for part in fault['loc']) or 'the file'}: {_words(fault)}"
        for fault in error.errors()
    ]


def _words(fault: Any) -> str:
    known = {"extra_forbidden": "unknown key", "missing": "this key is missing"}
    return known.get(fault["type"]) or str(fault["msg"]).removeprefix("Value error, ")
