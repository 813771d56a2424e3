"""Strict reading of YAML data files: text in, plain values out, faults in words. No Django here."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from fartbench.errors import BadInput

MAX_BYTES = 200_000


class DataError(BadInput):
    """A data file that cannot be used."""


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file. Raises DataError when it is missing, too large, no text or not YAML."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(str(path), [f"the file is larger than {MAX_BYTES} bytes"])
        return yaml_content(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise DataError(str(path), ["there is no such file"]) from error
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(str(path), [f"the file cannot be read: {error}"]) from error
    except YAMLError as error:
        raise DataError(
            str(path), [f"this is not YAML, or a key appears twice: {str(error).splitlines()[0]}"]
        ) from error


def yaml_content(text: str) -> Any:
    """Return the content of YAML 1.2 without repeated keys, the caller's to change. Raises YAMLError."""
    return deepcopy(_parsed(text))


@lru_cache(maxsize=128)
def _parsed(text: str) -> Any:
    """Parse it. Remembered: it takes a hundred times as long as a copy, and the same files are read again and again."""
    return YAML(typ="safe", pure=True).load(text)


def tuples(content: Any) -> Any:
    """Return ``content`` with tuples for lists: strict models want what cannot be changed in place."""
    if isinstance(content, list):
        return tuple(tuples(item) for item in content)
    if isinstance(content, dict):
        return {key: tuples(value) for key, value in content.items()}
    return content


def faults_of(error: ValidationError) -> list[str]:
    """Return one line per fault: the path of the key, and the rule."""
    return [
        f"{'.'.join(str(part) for part in fault['loc']) or 'the file'}: {_words(fault)}" for fault in error.errors()
    ]


def _words(fault: Any) -> str:
    known = {"extra_forbidden": "unknown key", "missing": "this key is missing"}
    return known.get(fault["type"]) or str(fault["msg"]).removeprefix("Value error, ")
