"""A page of the site as a file: its links lead to the files beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape
from html.parser import HTMLParser
from posixpath import dirname, join, normpath, relpath
from urllib.parse import parse_qs, unquote, urlsplit

LINKS = frozenset({"href", "src", "poster"})
LIVE_ONLY = "data-live"
"""Marks what only a server can answer, such as a link to log in; a file is written without it."""
EMPTY = frozenset({"base", "br", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
"""Elements that have no end tag."""
CLIP = re.compile(r"/rounds/[^/]+/clips/[^/.]+$")
_PARTS = re.compile(r"""(?:from|import)\s*["'](\.[^"']+)["']|url\(\s*["']?([^"')]+)""")

Wanted = Callable[[str], bool]


def file_of(address: str) -> str | None:
    """Return the file (relative to the folder of the site) that an address of the site becomes, or
    None for one with a query other than the number of a page.
    """
    parts = urlsplit(address)
    query = parse_qs(parts.query, keep_blank_values=True)
    page = query.pop("page", ["1"])[0]
    if query or not page.isdecimal():
        return None
    path = unquote(parts.path).lstrip("/")
    if path == "" or path.endswith("/"):
        return path + ("index.html" if page == "1" else f"index-page-{page}.html")
    return f"{path}.mp4" if CLIP.match(parts.path) else path


class StaticPage(HTMLParser):
    """Rewrites a page. ``links`` are the addresses of the site that it leads to.

    Forms go, and so does what is marked as `LIVE_ONLY`. A link to an address that ``is_wanted``
    says no to becomes text.
    """

    def __init__(self, address: str, is_wanted: Wanted) -> None:
        super().__init__(convert_charrefs=False)
        self.address, self.is_wanted = address, is_wanted
        self.links: list[str] = []
        self._written: list[str] = []
        self._left_out: list[str] = []

    def text_of(self, page: str) -> str:
        """Return the text of the file."""
        self.feed(page)
        self.close()
        return "".join(self._written)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Write a tag with its links changed, or begin to leave its element out."""
        if self._left_out or tag == "form" or LIVE_ONLY in dict(attrs):
            if tag not in EMPTY:
                self._left_out.append(tag)
            return
        changed = [(name, self._link(name, value)) for name, value in attrs]
        if tag == "link" and ("href", None) in changed:
            return
        kept = [(name, value) for name, value in changed if name not in LINKS or value is not None]
        self._written.append(f"<{tag}{''.join(_attribute(name, value) for name, value in kept)}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Write a tag that ends itself, as in SVG."""
        if not self._left_out and LIVE_ONLY not in dict(attrs):
            kept = "".join(_attribute(name, value) for name, value in attrs)
            self._written.append(f"<{tag}{kept}/>")

    def handle_endtag(self, tag: str) -> None:
        """Write the end of an element, or end leaving it out."""
        if not self._left_out:
            self._written.append(f"</{tag}>")
        elif tag == self._left_out[-1]:
            self._left_out.pop()

    def handle_data(self, data: str) -> None:
        """Write text as it is."""
        self._write(data)

    def handle_entityref(self, name: str) -> None:
        """Write a named character as it is."""
        self._write(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Write a numbered character as it is."""
        self._write(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        """Write the type of the document."""
        self._write(f"<!{decl}>")

    def _write(self, text: str) -> None:
        if not self._left_out:
            self._written.append(text)

    def _link(self, name: str, value: str | None) -> str | None:
        if name not in LINKS or value is None:
            return value
        parts = urlsplit(value)
        if parts.scheme or parts.netloc or not (parts.path or parts.query):
            return value  # another site, or a place on this page
        path = absolute(self.address, parts.path)
        address = f"{path}?{parts.query}" if parts.query else path
        target = file_of(address)
        if target is None or not self.is_wanted(path):
            return None
        self.links.append(address)
        here = dirname(file_of(self.address) or "")
        return relpath(target, here or ".") + (f"#{parts.fragment}" if parts.fragment else "")


def absolute(address: str, path: str) -> str:
    """Return the path that a link of the page at ``address`` leads to."""
    here = urlsplit(address).path
    if not path:
        return here
    whole = normpath(join(dirname(here), path))
    return f"{whole}/" if path.endswith("/") and whole != "/" else whole


def parts_of(text: str, address: str) -> list[str]:
    """Return the addresses of what a style sheet or a script loads from beside itself."""
    found = [module or picture for module, picture in _PARTS.findall(text)]
    return [absolute(address, one) for one in found if not one.startswith(("data:", "http", "#"))]


def _attribute(name: str, value: str | None) -> str:
    return f" {name}" if value is None else f' {name}="{escape(unescape(value))}"'
