"""What notebooks show: small HTML tables that parse, name everything as it is, and run nothing."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import lacis
import pytest

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>&'"
"""A description that a page must not take for its own."""


class Cells(HTMLParser):
    """The tags of a page, and the texts of its cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        assert all(name == "style" for name, _ in attrs)
        if tag in ("td", "th", "caption"):
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th", "caption"):
            self.texts[-1] += data


@pytest.fixture(scope="module")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> lacis.Fabric:
    """A tree whose switches have hostile names; a cable is absent."""
    text = lacis.read("fat-tree:4,2").to_net()
    for kind in ("leaf", "spine"):
        text = text.replace(f'"{kind}-0', f'"{HOSTILE}{kind}-0')
    path: Path = tmp_path_factory.mktemp("hostile") / "net"
    path.write_text(text)
    return lacis.read(path).without(["*leaf-01--*spine-01"])


@pytest.fixture(scope="module")
def shown(fabric: lacis.Fabric) -> dict[str, Any]:
    """Whatever has a view, with what its page must say."""
    routes = lacis.route(fabric)
    lost = routes.with_table(routes.table() * 0 + 255)
    return {
        "fabric": (fabric, ["15", "4xHDR: 15"]),
        "routes": (routes, ["minhop", "14"]),
        "proof": (lacis.verify(routes), ["yes", "56"]),
        "lost": (lacis.verify(lost), ["no", "no entry", "56"]),
        "prediction": (lacis.predict(routes, "shift:1,2"), ["16", f"{HOSTILE}leaf-01[4]"]),
        "times": (lacis.times(routes, "shift:2", 10**6), ["8", "8,000,000"]),
        "simulation": (lacis.simulate(routes, "shift:2"), ["8", "no"]),
        "findings": (lacis.examine(fabric), ["UPLINK_MISSING", f"{HOSTILE}leaf-01 – {HOSTILE}spine-01"]),
        "table": (lacis.tables.nodes(fabric), ["14 rows, the first 10", f"{HOSTILE}leaf-01", "–"]),
    }


VIEWS = ("fabric", "routes", "proof", "lost", "prediction", "times", "simulation", "findings", "table")


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_a_table_that_says_what_is_the_case(shown: dict[str, Any], name: str) -> None:
    result, said = shown[name]
    page = result._repr_html_()
    cells = Cells(page)
    assert cells.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert set(said) <= set(cells.texts), cells.texts
    assert len(page) < 20_000


def test_hostile_names_are_texts() -> None:
    from lacis.notebook import table

    page = table(HOSTILE, [(HOSTILE, HOSTILE, 3, 0.25, None, True)], [HOSTILE] * 6)
    assert "<script" not in page
    assert "<img" not in page
    assert Cells(page).texts == [HOSTILE] * 9 + ["3", "0.25", "–", "True"]


def test_refusals_and_loops_are_shown() -> None:
    with pytest.warns(lacis.FallbackWarning):
        routes = lacis.route(lacis.read("ring:6"), "ftree")
    texts = Cells(routes._repr_html_()).texts  # type: ignore[attr-defined]  # a view that is attached
    assert texts[texts.index("ftree refused") + 1] == routes.refusals[0].reason
    proof = lacis.verify(routes)
    texts = Cells(proof._repr_html_()).texts  # type: ignore[attr-defined]
    assert texts[texts.index("credit loops") + 1] == str(len(proof.credit_loops)) != "0"
    assert texts[texts.index("ports of a loop") + 1].startswith(proof.credit_loops[0].ports[0])


def test_long_lists_are_cut() -> None:
    fabric = lacis.read("fat-tree:32,2").without([f"leaf-{n:02}--spine-{n:02}" for n in range(1, 12)])
    found = lacis.examine(fabric)
    assert len(found.findings) == 11
    cells = Cells(found._repr_html_())
    assert cells.texts[0].endswith("; the first 10")
    assert len(cells.texts) == 1 + 5 + 10 * 5
