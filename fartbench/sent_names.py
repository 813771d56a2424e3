"""Names of files that a browser or an archive sends: each a path inside one folder, and nothing
else. No Django here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from fartbench.wording import has_control_characters, printable

MOST_PARTS = 12
MOST_BYTES = 200
"""Of one part of a path: file systems take 255."""
_LITTER = {".ds_store", "thumbs.db", "desktop.ini"}
_LITTER_FOLDERS = {"__macosx"}
SHOWN = 80


def shown(name: str) -> str:
    """Return a name as a message shows it: without commands to a terminal, cut where it is long."""
    text = printable(name)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def is_litter(name: str) -> bool:
    """Say whether a system left this file beside others: nobody means to send it."""
    *folders, last = name.lower().split("/")
    hidden = last.startswith("._") or last in _LITTER
    return hidden or any(folder in _LITTER_FOLDERS for folder in folders)


def fault_of_path(name: str) -> str:
    """Return why a name cannot be that of a file inside a folder; an empty text when it can."""
    parts = name.split("/")
    leads_out = name[1:2] == ":" or "\\" in name or any(part in {".", ".."} for part in parts)
    is_control = has_control_characters(name) or any("\ud800" <= one <= "\udfff" for one in name)
    rules = (
        (not parts[-1], "a file needs a name"),
        (leads_out or "" in parts, "it is not a path inside the folder that was sent"),
        (is_control, "its name holds a control character"),
        (len(parts) > MOST_PARTS, f"it lies more than {MOST_PARTS} folders deep"),
        (
            any(len(part.encode(errors="replace")) > MOST_BYTES for part in parts),
            f"a part of its name is longer than {MOST_BYTES} bytes",
        ),
    )
    return next((words for is_broken, words in rules if is_broken), "")


def faults_of_paths(names: Sequence[str]) -> list[str]:
    """Return the faults of names that are sent together, each with its name."""
    faults = [f"{shown(name)!r}: {fault}" for name in names if (fault := fault_of_path(name))]
    return faults or _clashes(names)


def _clashes(names: Sequence[str]) -> list[str]:
    """Return names that one disk would keep as two files and another as one, or as a folder."""
    seen: dict[str, str] = {}
    faults = []
    for name in names:
        earlier = seen.setdefault(_folded(name), name)
        if earlier is not name:
            faults.append(f"{shown(name)!r}: there are two files of this name")
    folders = {_folded(str(folder)) for name in names for folder in PurePosixPath(name).parents}
    faults += [
        f"{shown(name)!r}: a folder has the same name"
        for folded, name in seen.items()
        if folded in folders
    ]
    return faults


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def common_folder(names: Iterable[str]) -> str:
    """Return the folder that all of these paths begin with, with a slash; empty without one."""
    tops = {name.split("/")[0] if "/" in name else "" for name in names}
    return f"{tops.pop()}/" if len(tops) == 1 and "" not in tops else ""
