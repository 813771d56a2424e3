"""The semantic-equivalence audit: nine questions about a prompt and its specification, each to be
YES. No Django here.

Source: Core v0.1 document, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping

QUESTIONS: dict[str, str] = {
    "subjects": "Same location and subjects?",
    "target": "Same target actor, identity and place in the picture?",
    "events": "Same number and type of events?",
    "condition": "Same audible or silent condition?",
    "timing": "Same timing constraints, within tolerance?",
    "camera": "Same camera and shot requirements?",
    "reactions": "Same required reactions?",
    "prohibited": "Same prohibited behaviours?",
    "advantage": "No extra creative advantage?",
}


def audit_faults(answers: Mapping[str, bool]) -> list[str]:
    """Return a sentence for each question that is not answered YES, or is not one of the nine."""
    missing = [f"not answered: {words}" for key, words in QUESTIONS.items() if key not in answers]
    refused = [
        f"answered NO: {words}" for key, words in QUESTIONS.items() if answers.get(key) is False
    ]
    return [
        *missing,
        *refused,
        *(f"unknown question {key!r}" for key in answers if key not in QUESTIONS),
    ]
