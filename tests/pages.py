"""The report's page as a browser would take it."""

from __future__ import annotations

from html.parser import HTMLParser

SECTIONS = ["changes", "findings", "fabric", "engines", "bandwidth", "hottest", "leaves", "method"]
"""Ids of the sections that every report has."""


class Page(HTMLParser):
    """What a browser would fetch, which ids there are, and whether the tags close."""

    VOID = frozenset({"meta", "br", "link", "img", "input"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.fetched.append(values["src"] or "")
        if tag == "link":
            self.fetched.append(values.get("href") or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag
