"""Tables as the page's templates show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Column:
    """A heading; numbers are aligned right."""

    title: str
    is_number: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str
    note: str = ""
    """Smaller, below it."""
    kind: str = ""
    """A class: `bad`, `code` …"""
    sort: float | None = None
    """The key for sorting, where that is not the text."""
    switch: str = ""
    """The GUID of the switch that it names: a click shows it."""
    absent: str = ""
    """The name of what is absent: a click shows where it belongs."""
    at: str = ""
    """Where the map of `lacis serve` shows it: `port=…` or `node=…`."""
    called: str = ""
    """What is shown there, where that is not the text."""


@dataclass(frozen=True)
class Row:
    """A row; `is_best` of its table."""

    cells: list[Cell]
    is_best: bool = False


@dataclass(frozen=True)
class Group:
    """Rows under a heading, which may be empty."""

    title: str
    rows: list[Row]


@dataclass(frozen=True)
class Table:
    """A table that sorts by its headings."""

    name: str
    label: str
    columns: list[Column]
    groups: list[Group]
    caption: str = ""

    @property
    def length(self) -> int:
        """How many rows it has."""
        return sum(len(group.rows) for group in self.groups)


def table(
    name: str, label: str, head: Sequence[str], rows: Iterable[Sequence[Cell]], caption: str = ""
) -> Table:
    """A table of one group; a heading `n:…` makes its column numeric."""
    return Table(name, label, columns(head), [Group("", [Row(list(row)) for row in rows])], caption)


def columns(head: Sequence[str]) -> list[Column]:
    """Headings; `n:…` makes a column numeric."""
    return [Column(title.removeprefix("n:"), title.startswith("n:")) for title in head]


def percent(value: float) -> str:
    """A share in words."""
    return f"{100 * value:.1f} %"
