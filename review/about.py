"""What a reviewer or a judge is told of one clip besides its form: the prompt it is about, and its pieces.

No Django here. It is read from a stimulus's ``context``; a clip that is shown whole has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SHOWN = {
    "video": "Only the picture is judged; there is no sound.",
    "audio": "Only the sound is judged; there is no picture.",
}
ROLES = {"shown": "", "previous": "before", "source": "what it builds on", "current": "after"}


def about(context: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines: what was asked for, how the pieces of the clip lie in it (s), what of it is shown."""
    if target := context.get("target"):
        yield f"Asked for: {target}"
    windows = context.get("windows", ())
    if len(windows) > 1:
        pieces = "; ".join(
            f"{ROLES[window['role']]}, {window['begin_s']:g} to {window['end_s']:g} s" for window in windows
        )
        yield f"The clip has {len(windows)} pieces with a grey card between them: {pieces}."
    if words := SHOWN.get(context.get("shown", "")):
        yield words
