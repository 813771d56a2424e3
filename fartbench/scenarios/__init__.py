"""Scenarios of long rollouts: a prompt, perhaps updates at stated times, and what to look for. No Django here."""
