"""What a retold report says: one row a number, with what was reported, ours, and what stands between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

CLASSES = {
    "E": "exact arithmetic or structure",
    "D": "deterministic model",
    "S": "statistical, or several assumptions fit",
    "I": "input",
    "P": "protocol only: the number needs the hardware",
}
"""Classes of numbers, by how closely a model may claim to come."""


@dataclass(frozen=True)
class Tolerance:
    """How far ours may be from what was reported: in words, and as a test of (reported, ours)."""

    text: str
    holds: Callable[[tuple[float, ...], tuple[float, ...]], bool]


def _each(text: str, near: Callable[[float, float], bool]) -> Tolerance:
    def holds(reported: tuple[float, ...], ours: tuple[float, ...]) -> bool:
        return len(reported) == len(ours) and all(map(near, reported, ours))

    return Tolerance(text, holds)


def exact(half_unit: float = 0.0) -> Tolerance:
    """Equal, or equal once rounded as the report is: within half a unit of its last digit."""
    text = "exact" if half_unit == 0 else "exact, as rounded"
    return _each(text, lambda a, b: abs(a - b) <= half_unit + 1e-9 * abs(a))


def relative(part: float) -> Tolerance:
    """Within a part of what was reported."""
    return _each(f"± {part:.0%}", lambda a, b: abs(a - b) <= part * abs(a))


def within(amount: float, unit: str) -> Tolerance:
    """Within an amount of what was reported."""
    return _each(f"± {amount:g} {unit}".rstrip(), lambda a, b: abs(a - b) <= amount)


def between(text: str, low: float, high: float) -> Tolerance:
    """All of ours from `low` to `high`."""
    return Tolerance(text, lambda _, ours: all(low <= value <= high for value in ours))


def promise(text: str, holds: Callable[..., bool]) -> Tolerance:
    """What ours must be to each other; `holds` gets them as arguments."""
    return Tolerance(text, lambda _, ours: holds(*ours))


@dataclass(frozen=True)
class Row:
    """A number of a report.

    Attributes:
        number: as in the list of the report's numbers, `A4`.
        what: what it is.
        kind: its class, a key of `CLASSES`.
        model: what made ours: `exact`, `counted`, `fluid`, `packet` …
        reported: what the report says; none where it gives no number.
        ours: what Lacis finds; none where nothing is modelled.
        unit: of both.
        tolerance: none where nothing is claimed.
        note: what must be known to read it.
        said: what the report says, where that is no number.
    """

    number: str
    what: str
    kind: str
    model: str
    reported: tuple[float, ...] = ()
    ours: tuple[float, ...] = ()
    unit: str = ""
    tolerance: Tolerance | None = None
    note: str = ""
    said: str = ""

    @property
    def verdict(self) -> str:
        """Whether ours may claim to be what was reported."""
        if self.kind in "IP":
            return {"I": "input", "P": "protocol only"}[self.kind]
        if self.tolerance is None:
            return "not claimed"
        if not self.tolerance.holds(self.reported, self.ours):
            return "OUT"
        return "consistent with" if self.kind == "S" else "within"

    @property
    def is_out(self) -> bool:
        """Whether ours is beyond the tolerance."""
        return self.verdict == "OUT"


@dataclass(frozen=True)
class HeatMaps:
    """Maps of one quantity, side by side, all on one scale.

    Attributes:
        name: of the file.
        caption: what is seen.
        unit: of the scale.
        maps: by label, arrays of shape `(n, n)`, not a number where there is nothing.
        block: so many rows and columns belong together.
        axis: what the rows and columns are.
    """

    name: str
    caption: str
    unit: str
    maps: Mapping[str, NDArray[Any]]
    block: int
    axis: str


@dataclass(frozen=True)
class Bars:
    """Numbers side by side: for each label one bar a series, and lines where the report is."""

    name: str
    caption: str
    unit: str
    labels: tuple[str, ...]
    series: Mapping[str, tuple[float, ...]]
    reported: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A field report, retold.

    Attributes:
        letter: by which it is asked for.
        title: what it is about, where and when.
        story: what was done.
        assumptions: everything that enters and is not in the report.
        rows: its numbers.
        figures: to draw.
    """

    letter: str
    title: str
    story: str
    assumptions: tuple[str, ...]
    rows: tuple[Row, ...]
    figures: tuple[HeatMaps | Bars, ...] = ()
