"""What a round expects of the clip of a cell, and the notes on a clip that is there."""

from __future__ import annotations

from fartbench.media.stored_facts import read_facts
from fartbench.models import Round
from fartbench.protocol.rollouts.sampling import asked_of
from generation.clip_notes import Expected, clip_notes
from generation.models import Sample


def expected_of(round_: Round, scene: str) -> Expected:
    """Return what the round's protocol expects of a clip of this scene."""
    rules, plan = round_.protocol.rules, round_.looks
    if rules.rollouts is None or plan is None:
        return Expected(rules.clip)
    forms = asked_of(rules.rollouts, plan, rules.rollouts.scenario(scene))
    return Expected(rules.clip, max(form.unit.end_s for form in forms))


def notes_of(sample: Sample) -> list[str]:
    """Return the notes on a sample's clip; none without a clip, or when its facts were never
    recorded.
    """
    facts = read_facts(sample.clip.facts) if sample.clip else None
    if facts is None:
        return []
    return clip_notes(facts, expected_of(sample.cell.round, sample.cell.scene))
