"""Prompts: canonical specifications, their rendering for each family, and the checks of both.

No Django here.
"""

from fartbench.protocol.specification import Specification, parse_specification, read_specification
from generation.prompts.adapters import ADAPTERS, Rendered, render
from generation.prompts.audit import QUESTIONS, audit_faults
from generation.prompts.check import prompt_faults

__all__ = [
    "ADAPTERS",
    "QUESTIONS",
    "Rendered",
    "Specification",
    "audit_faults",
    "parse_specification",
    "prompt_faults",
    "read_specification",
    "render",
]
