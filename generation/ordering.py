"""From a sample's row to the order that is sent to its provider: the same row, the same bytes."""

from __future__ import annotations

from generation.errors import CannotCommission
from generation.models import Prompt, Sample
from generation.prompts.schedule import SCHEDULE, read_schedule
from generation.prompts.timed import TimedPrompt
from generation.providers.order import Order

# The pilot's sequence (Core v0.1 document, section 8). Later replicates have no seed that the
# protocol names.
REPLICATE_SEEDS = {1: 104729, 2: 130363, 3: 155921}


def order_of(sample: Sample, token: str = "") -> Order:
    """Return the order of a sample.

    Raises CannotCommission for one whose configuration or prompt is missing.
    """
    configuration, prompt = sample.cell.configuration, sample.prompt
    file = configuration.file
    if file is None or prompt is None:
        raise CannotCommission(f"{sample.cell} has no frozen prompt, or its configuration no file.")
    return Order(
        file.model_id,
        file.parameters,
        prompts_of(prompt),
        seed_parameter=file.seed.parameter if file.seed else None,
        seed=int(sample.generation_seed) if sample.generation_seed else None,
        scene=sample.cell.scene,
        replicate=sample.cell.replicate,
        token=token,
        seconds=sample.cell.round.protocol.rules.clip.duration_s,
    )


def prompts_of(prompt: Prompt) -> tuple[TimedPrompt, ...]:
    """Return what a frozen prompt gives and when: one text at the start, or the schedule of a
    rollout.
    """
    if prompt.adapter == SCHEDULE:
        return read_schedule(prompt.text)
    return (TimedPrompt(prompt.text),)
