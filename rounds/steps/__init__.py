"""Every step of a round, in the order in which a round takes them."""

from __future__ import annotations

import re
from dataclasses import asdict

from fartbench.models import Round
from rounds.step import Step
from rounds.steps.answers import IMPORT_ANSWERS, IMPORT_BATTLES
from rounds.steps.clips import EXCLUDE_CLIP, IMPORT_CLIPS, MARK_CELL
from rounds.steps.copies import BLIND, DECLARE_NOT_REVIEWABLE, NORMALISE, REPLACE_COPY
from rounds.steps.course import (
    CLOSE_ROUND,
    EXPORT,
    LISTEN,
    MEASURE,
    OPEN_ROUND,
    PLAN_PAIRS,
    PUBLISH,
)
from rounds.steps.judges import JUDGE, PAUSE_JUDGES
from rounds.steps.orders import (
    CANCEL_ORDERS,
    COMMISSION,
    IMPORT_OUTCOMES,
    PAUSE_ORDERS,
    RESUME_ORDERS,
    SEND_AGAIN,
    SET_CEILING,
    WAIVE_VERDICTS,
)
from rounds.steps.reviewers import (
    ADD_SECONDARY,
    INVITE_AGAIN,
    MAKE_TRAINING,
    REPLACE_REVIEWER,
    REVOKE_ACCESS,
    SET_COHORT,
)

STEPS: dict[str, Step] = {
    step.key: step
    for step in (
        IMPORT_CLIPS, IMPORT_OUTCOMES, MARK_CELL,
        WAIVE_VERDICTS, COMMISSION, PAUSE_ORDERS, RESUME_ORDERS,
        CANCEL_ORDERS, SEND_AGAIN, SET_CEILING,
        BLIND, NORMALISE, EXCLUDE_CLIP,
        MAKE_TRAINING, SET_COHORT, INVITE_AGAIN, REVOKE_ACCESS,
        OPEN_ROUND, PLAN_PAIRS, REPLACE_REVIEWER, ADD_SECONDARY,
        IMPORT_ANSWERS, IMPORT_BATTLES,
        REPLACE_COPY, DECLARE_NOT_REVIEWABLE, JUDGE, PAUSE_JUDGES,
        CLOSE_ROUND, MEASURE, LISTEN, EXPORT, PUBLISH,
    )
}  # fmt: skip

# Commands that are no steps, and what a page of the round calls the same.
_ON_PAGES = {"score": "Preview the scores", "render_prompts": "Prompts"}
_COMMAND = re.compile(r"“([a-z_]+)(?: [^”]*)?”")


def for_browser(text: str, round_: Round) -> str:
    """Return a message with the titles of steps where it names their commands between “ and ”.

    Messages name what to do next by the command, because most are read there; a person in a browser
    looks for a button.
    """
    words = asdict(round_.protocol.rules.words)

    def title_of(match: re.Match[str]) -> str:
        if match[1] in _ON_PAGES:
            return f"“{_ON_PAGES[match[1]]}”"
        step = STEPS.get(match[1])
        return f"“{step.title.format(**words)}”" if step else match[0]

    return _COMMAND.sub(title_of, text)
