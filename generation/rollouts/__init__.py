"""Rollouts: long clips that come in chunks while prompts arrive. No Django here."""
