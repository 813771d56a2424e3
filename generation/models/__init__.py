"""What is commissioned and what came back: configurations, prompts, cells, samples, submissions and
raw clips.

And what experts said of scenarios before.
"""

from generation.models.cells import Cell, Clip, CostBasis, Origin, RawView, Sample, SampleState
from generation.models.configurations import Configuration, Family
from generation.models.prompts import Prompt, PromptAudit
from generation.models.rollouts import Chunk, ChunkSource, PromptDelivery
from generation.models.submissions import (
    Ceiling,
    Commissioning,
    ProviderAccount,
    SampleEvent,
    Submission,
    SubmissionState,
)
from generation.models.verdicts import Opinion, ScenarioVerdict, VerdictWaiver

__all__ = [
    "Ceiling",
    "Cell",
    "Chunk",
    "ChunkSource",
    "Clip",
    "Commissioning",
    "Configuration",
    "CostBasis",
    "Family",
    "Opinion",
    "Origin",
    "Prompt",
    "PromptAudit",
    "PromptDelivery",
    "ProviderAccount",
    "RawView",
    "Sample",
    "SampleEvent",
    "SampleState",
    "ScenarioVerdict",
    "Submission",
    "SubmissionState",
    "VerdictWaiver",
]
