"""The text that a judge is sent: title, what the clip is about and the form, as the review screen
shows them.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fartbench.protocol import Form
from review.about import about
from review.page import Choice, QuestionBlock, question_blocks


def about_text(context: Mapping[str, Any]) -> str:
    """Return what is said of one clip alone, as lines; empty for a clip that is shown whole."""
    return about(context).in_words


def question_text(form: Form, instructions: str, *, about: str = "", reverse: bool = False) -> str:
    """Return instructions, title, what is said of the clip (``about``) and questions.

    With ``reverse`` each question's options stand last to first.
    """
    lines = [instructions, "", f"Scene: {form.title}", *([about] if about else [])]
    for block in question_blocks(form, {}):
        lines += ["", *_question(block, reverse=reverse)]
    return "\n".join(lines) + "\n"


def _question(block: QuestionBlock, *, reverse: bool) -> Iterator[str]:
    yield f"{block.place}. {block.key} ({block.label}): {block.text}"
    if block.help:
        yield f"   {block.help}"
    options = [
        *(_option(choice) for choice in block.choices),
        *(_na(choice) for choice in block.na),
    ]
    yield from (f"   {option}" for option in (reversed(options) if reverse else options))


def _option(choice: Choice) -> str:
    return f"{choice.value} = {choice.label}"


def _na(choice: Choice) -> str:
    if choice.condition:
        condition = f", {choice.condition}"
    else:
        condition = ""
    return f"{choice.value} = N/A: {choice.label}{condition}"
