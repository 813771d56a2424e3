"""The documents of ``docs/`` as help pages: who may read which, and how one becomes HTML.

A reviewer reads what is written for reviewers, and nothing that names models or says what a clip
was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.urls import reverse
from markdown_it import MarkdownIt
from markdown_it.token import Token

FOR_EVERYONE = ("reviewers",)
FOR_STAFF = ("staff", "rounds", "diagnostics", "pairs", "blinding", "glossary")
FOR_ADMINS = (
    "admins",
    "generation",
    "judging",
    "own-protocol",
    "core-v0.1",
    "streamav",
    "operations",
    "commands",
    "api",
    "threat-model",
)
_MARKDOWN = MarkdownIt("js-default")  # with tables; HTML in a document is shown as text
_TABLE = '<div class="table-scroll" tabindex="0" role="group" aria-label="Table">'


@dataclass(frozen=True, slots=True)
class HelpPage:
    """A document: the end of its address, and its title."""

    slug: str
    title: str


def readable(*, is_staff: bool, is_admin: bool) -> tuple[str, ...]:
    """Return the documents that such an account may read, the nearest to its work first."""
    if is_admin:
        return (FOR_ADMINS[0], *FOR_STAFF, *FOR_ADMINS[1:], *FOR_EVERYONE)
    return (*FOR_STAFF, *FOR_EVERYONE) if is_staff else FOR_EVERYONE


def help_pages(allowed: tuple[str, ...]) -> list[HelpPage]:
    """Return the pages of these documents."""
    return [HelpPage(slug, _text(slug).split("\n", 1)[0].lstrip("# ")) for slug in allowed]


def help_html(slug: str, allowed: tuple[str, ...]) -> str:
    """Return a document as HTML. Links lead to the pages of ``allowed``, or to other sites;
    pictures are left out.
    """
    tokens = _MARKDOWN.parse(_text(slug))
    for token in tokens:
        if token.children:
            token.children = _linked(token.children, allowed)
    html = str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))
    html = html.replace("<pre>", '<pre tabindex="0">')  # the keyboard can scroll what is wide
    html = html.replace("<th></th>", "<td></td>")  # the head of a column that has none
    return html.replace("<table>", f"{_TABLE}<table>").replace("</table>", "</table></div>")


def _text(slug: str) -> str:
    path = Path(settings.BASE_DIR) / "docs" / f"{slug}.md"
    return path.read_text(encoding="utf-8")


def _linked(tokens: list[Token], allowed: tuple[str, ...]) -> list[Token]:
    """Return the tokens of a line with links to pages of this site, and without other files."""
    kept = []
    is_link = True
    for token in tokens:
        if token.type == "image":
            continue
        if token.type == "link_open":
            address = _address(str(token.attrs["href"]), allowed)
            is_link = bool(address)
            token.attrs["href"] = address
        if token.type in {"link_open", "link_close"} and not is_link:
            continue
        kept.append(token)
    return kept


def _address(target: str, allowed: tuple[str, ...]) -> str:
    """Return where a link of a document leads on this site; empty when it leads nowhere."""
    if target.startswith("https://"):
        return target
    slug = target.partition("#")[0].removesuffix(".md")
    return reverse("help-page", args=[slug]) if slug in allowed else ""
