"""Text from outside: letters that pass for others, and characters that command a terminal.

No Django here.
"""

from __future__ import annotations

import re
import unicodedata

# Commands to a terminal, and marks that reverse the direction of what follows them.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
# Scripts that are written together; any other mixture is how one name is made to look like another.
_TOGETHER = (
    {"LATIN", "CJK", "HIRAGANA", "KATAKANA"},
    {"LATIN", "CJK", "BOPOMOFO"},
    {"LATIN", "CJK", "HANGUL"},
)
# Letters of Cyrillic and Greek that nobody tells from Latin ones.
_LIKE_LATIN = frozenset("АВЕЅІЈКМНОРСТХҮавеѕіјкмнорстхуԁһԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧονυ")


def has_control_characters(text: str) -> bool:
    """Say whether a text holds a character that commands a terminal or hides; line ends and tabs
    are none.
    """
    return _CONTROL.search(text) is not None


def printable(text: str) -> str:
    """Return a text that can be shown on a terminal: every such character as its escape."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def fault_of_name(name: str) -> str:
    """Return why a name could be taken for another one, nothing when it could not."""
    if has_control_characters(name):
        return "it holds a control character"
    if unicodedata.normalize("NFKC", name) != name:
        return "it holds characters that only look like plain ones"
    scripts = {
        unicodedata.name(letter, "UNKNOWN").split()[0] for letter in name if letter.isalpha()
    }
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        return f"it mixes letters of {' and '.join(sorted(script.title() for script in scripts))}"
    letters = {letter for letter in name if letter.isalpha()}
    if letters and letters <= _LIKE_LATIN:
        return "all of its letters look like Latin ones and are not"
    return ""
