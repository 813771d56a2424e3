"""From a sample's row to the order that goes to its provider: the same row, the same bytes."""

from __future__ import annotations

from generation.errors import CannotCommission
from generation.models import Sample
from generation.providers.port import Order, TimedPrompt

# The pilot's sequence (Core v0.1 document, section 8). Later replicates have no seed that the protocol names.
REPLICATE_SEEDS = {1: 104729, 2: 130363, 3: 155921}


def order_of(sample: Sample, token: str = "") -> Order:
    """Return the order of a sample. Raises CannotCommission for one whose configuration or prompt is missing."""
    configuration, prompt = sample.cell.configuration, sample.prompt
    file = configuration.file
    if file is None or prompt is None:
        raise CannotCommission(f"{sample.cell} has no frozen prompt, or its configuration no file.")
    return Order(
        file.model_id,
        file.parameters,
        (TimedPrompt(prompt.text),),
        seed_parameter=file.seed.parameter if file.seed else None,
        seed=int(sample.generation_seed) if sample.generation_seed else None,
        scene=sample.cell.scene,
        replicate=sample.cell.replicate,
        token=token,
    )
