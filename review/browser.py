"""What passes between a form's page and its script: the rules there, the answers back.

No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fartbench.protocol import AllowedAnswer, Consistency, Form, Response


def browser_rules(form: Form) -> dict[str, Any]:
    """Return the form's rules as JSON for ``static/js/review/rules.js``."""
    settled = {question: str(response) for question, response in form.settled.items()}
    return {
        "questions": [
            {"key": question.key, "stage": question.stage} for question in form.questions
        ],
        "allowed": list(map(_allowed, form.allowed)),
        "settled": settled,
        "firstImpression": list(form.first_impression),
        "consistency": list(map(_consistency, form.protocol.consistency)),
        "playback": {
            "fullPlays": form.protocol.playback.full_plays,
            "fraction": form.protocol.playback.played_fraction,
        },
    }


def parse_changes(answers: Mapping[str, Any]) -> dict[str, Response | None]:
    """Return the answers that a browser sent (``yes``, ``na:REASON``, or nothing for none) by
    question.

    Raises ResponseError for what is no answer at all; whether it is one of its question's is for
    the form to say.
    """
    return {str(key): Response.parse(str(text)) if text else None for key, text in answers.items()}


def _allowed(answer: AllowedAnswer) -> dict[str, Any]:
    return {
        "question": answer.question,
        "answer": str(answer.response),
        "when": [answer.requires_question, answer.requires_value]
        if answer.requires_question
        else None,
    }


def _consistency(rule: Consistency) -> dict[str, Any]:
    return {
        "question": rule.question,
        "other": rule.other,
        "atLeast": rule.at_least,
        "text": rule.text,
    }
