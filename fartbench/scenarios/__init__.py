"""Scenarios of long rollouts: a prompt, perhaps updates at stated times, and what to look for. No Django here."""

# A protocol can hold scenarios, so its package is read as a whole before any module of this one.
import fartbench.protocol  # noqa: F401
