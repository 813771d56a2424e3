"""What a page says of itself to a chat or a search engine that shows a link to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from scoring.models import Release
from web.pages.board import Board

SITE_WORDS = (
    "Models that generate picture and sound together are given the same short scenes. People who "
    "do not know whose clip they see settle the facts and rate the craft."
)
# Inside a <script> no character of the text may end it or open another.
_IN_SCRIPT = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}


@dataclass(frozen=True)
class Sharing:
    """Title, one or two sentences, the page's address without a query, JSON-LD or nothing, and
    whether other sites can show the page in a frame (oEmbed).
    """

    title: str
    words: str
    url: str
    json_ld: SafeString | None = None
    has_frame: bool = False


def of_home() -> Sharing:
    """Return what the first page says of itself."""
    title = "FARTBench: blind review of generated sound and picture"
    return Sharing(title, SITE_WORDS, _address("/"))


def of_board(release: Release, board: Board, summary: Mapping[str, Any], path: str) -> Sharing:
    """Return what a leaderboard says of itself, as a data set of its release."""
    round_ = release.round
    title = f"Leaderboard of round {round_.name}"
    words = _board_words(release, board, summary)
    described = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": title,
        "description": words,
        "url": _address(path),
        "version": str(release.number),
        "datePublished": release.created_at.date().isoformat(),
        "measurementTechnique": f"Blind review under {round_.protocol.rules.title}",
    }
    return Sharing(title, words, _address(path), _script_text(described), has_frame=True)


def _board_words(release: Release, board: Board, summary: Mapping[str, Any]) -> str:
    words = (
        f"{_count(summary['configurations'], 'configuration')}, "
        f"{_count(len(board.scenes), 'scene')}, {_count(summary['reviewers'], 'reviewer')} who did "
        "not know whose clip they saw."
    )
    if release.demonstration:
        return f"A demonstration, not a result. {words}"
    for row in board.rows:
        # Only where no other rank is possible: a link says no more than the board does.
        ranks = row.rank_set
        if ranks is not None and ranks["low"] == ranks["high"] == 1:
            return f"{words} {row.configuration} leads."
    return words


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _address(path: str) -> str:
    return f"{settings.BASE_URL}{path}"


def _script_text(content: dict[str, Any]) -> SafeString:
    text = json.dumps(content, ensure_ascii=False).translate(_IN_SCRIPT)
    return mark_safe(text)  # noqa: S308, escaped for a script just above
