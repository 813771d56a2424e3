"""Releases: a round's results as files that a stranger can check, without a database."""
