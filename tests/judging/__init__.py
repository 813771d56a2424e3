"""Tests of the AI judges."""
