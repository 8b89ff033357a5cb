"""A reproduced report: a row for each number, with the reported one, ours, and the tolerance between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

CLASSES = {
    "E": "exact arithmetic or structure",
    "D": "deterministic model",
    "S": "statistical, or several assumptions fit",
    "I": "input",
    "P": "protocol only: the number needs the hardware",
    "N": "not modelled: the note says why",
}
"""Classes of numbers, by how close a model may claim to be."""


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


def relative(share: float) -> Tolerance:
    """Within a share of what was reported."""
    return _each(f"± {share:.0%}", lambda a, b: abs(a - b) <= share * abs(a))


def within(amount: float, unit: str) -> Tolerance:
    """Within an amount of what was reported."""
    return _each(f"± {amount:g} {unit}".rstrip(), lambda a, b: abs(a - b) <= amount)


def between(text: str, low: float, high: float) -> Tolerance:
    """All of ours from `low` to `high`."""
    return Tolerance(text, lambda _, ours: all(low <= value <= high for value in ours))


def promise(text: str, holds: Callable[..., bool]) -> Tolerance:
    """A relation between ours; `holds` gets them as arguments."""
    return Tolerance(text, lambda _, ours: holds(*ours))


@dataclass(frozen=True)
class Row:
    """A number of a report.

    Attributes:
        number: its name among the report's numbers, `A4`.
        what: what was measured or counted.
        kind: its class, a key of `CLASSES`.
        model: how ours was found: `exact`, `counted`, `fluid`, `packet` …
        reported: the numbers that the report says, and nothing else; none where it says none.
        ours: what Lacis finds; none where nothing is modelled.
        unit: of `reported` and `ours`.
        tolerance: none where nothing is claimed.
        note: a remark for the reader.
        said: what the report says in words.
        interval: where ours are means over random draws, half of each one's 95 % confidence interval.
        expected: what ours are held against where that is not what the report says.
        basis: where `expected` is from.
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
    interval: tuple[float, ...] = ()
    expected: tuple[float, ...] = ()
    basis: str = ""

    @property
    def verdict(self) -> str:
        """Whether ours agrees with what was reported."""
        if self.kind in "IPN":
            return {"I": "input", "P": "protocol only", "N": "not modelled"}[self.kind]
        if self.tolerance is None:
            return "not claimed"
        known = self.expected or self.reported
        if not all(self.tolerance.holds(known, ours) for ours in self._ends()):
            return "OUT"
        return "consistent with" if self.kind == "S" else "within"

    def _ends(self) -> tuple[tuple[float, ...], ...]:
        """The numbers that are judged: ours, and both ends of their intervals where ours are means."""
        if not self.interval:
            return (self.ours,)
        return tuple(
            tuple(value + sign * half for value, half in zip(self.ours, self.interval, strict=True))
            for sign in (-1, 0, 1)
        )

    @property
    def is_out(self) -> bool:
        """Whether ours is beyond the tolerance."""
        return self.verdict == "OUT"


def not_modelled(number: str, what: str, because: str, said: str = "") -> Row:
    """A number of a report that no model of Lacis gives, and why."""
    return Row(number, what, "N", "not modelled", said=said, note=f"{what}: not modelled, because {because}")


class Averaged(TypedDict):
    """The arguments `ours` and `interval` of `Row`."""

    ours: tuple[float, ...]
    interval: tuple[float, ...]


def averaged(values: ArrayLike) -> Averaged:
    """`ours` and `interval` of a row: means over draws, the first axis, and Student's 95 % interval."""
    values = np.asarray(values, dtype=float)
    values = values.reshape(len(values), -1)
    half = quantile(len(values) - 1) * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    half[np.ptp(values, axis=0) == 0] = 0  # a mean of equal numbers is rounded
    return Averaged(ours=tuple(values.mean(axis=0).tolist()), interval=tuple(half.tolist()))


def quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with `freedom` degrees of freedom, at least 7, to a thousandth.

    M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 26.7.5.
    """
    x: float = NormalDist().inv_cdf(0.975)
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
    )
    return float(x + sum(term / freedom ** (n + 1) for n, term in enumerate(terms)))


@dataclass(frozen=True)
class HeatMaps:
    """Maps of one quantity, side by side, all on one scale.

    Attributes:
        name: of the file.
        caption: what is seen.
        unit: of the scale.
        maps: by label, arrays of shape `(n, n)`, NaN where nothing was measured.
        block: number of successive rows and columns that belong together.
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
    """Numbers side by side: a bar for each label and series, and lines at the reported numbers."""

    name: str
    caption: str
    unit: str
    labels: tuple[str, ...]
    series: Mapping[str, tuple[float, ...]]
    reported: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A field report, reproduced.

    Attributes:
        letter: selects it on the command line.
        title: what it is about, where and when.
        story: what was done.
        assumptions: every input that is not in the report.
        rows: its numbers.
        figures: to draw.
    """

    letter: str
    title: str
    story: str
    assumptions: tuple[str, ...]
    rows: tuple[Row, ...]
    figures: tuple[HeatMaps | Bars, ...] = ()
