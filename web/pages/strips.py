"""Votes as a row of blocks.

A board has thousands of gates and few different ones, so each is written once.
"""

from __future__ import annotations

from functools import lru_cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


@lru_cache(maxsize=4096)
def votes_strip(seats: tuple[str, ...]) -> SafeString:
    """Return a block for each place of a cohort, by the answer's value."""
    blocks = format_html_join("", '<i class="vote vote--{}"></i>', ((seat,) for seat in seats))
    return format_html('<span class="votes" aria-hidden="true">{}</span>', blocks)


@lru_cache(maxsize=4096)
def gate_item(label: str, outcome: str, words: str, seats: tuple[str, ...]) -> SafeString:
    """Return a gate of a clip as a list item: its mark and votes, with ``words`` for anyone who
    cannot see them.
    """
    return format_html(
        '<li class="gate gate--{0}" title="{1}: {2}"><span class="gate__mark" '
        'aria-hidden="true"></span> {3}'
        '<span class="visually-hidden">{1}: {2}</span></li>',
        outcome,
        label,
        words,
        votes_strip(seats),
    )
