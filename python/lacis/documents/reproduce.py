"""The document of `lacis reproduce`: reports from the field, and what Lacis makes of them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from .base import Count, Document, Row, one_of


class ReproducedNumber(Row, frozen=True, rename={"kind": "class"}):
    """A number of a report, and ours."""

    number: str
    """Its name (`A4`); a number may have several rows."""
    what: str
    """What it means."""
    kind: Annotated[str, one_of("E", "D", "S", "I", "P", "N")]
    """`E` exact arithmetic or structure, `D` deterministic model, `S` statistical or several assumptions fit, `I` input, `P` protocol only, `N` not modelled."""
    model: Annotated[
        str, one_of("exact", "counted", "fluid", "packet", "input", "protocol only", "not modelled")
    ]
    """How ours was computed."""
    unit: str
    """Of all lists of numbers; empty for counts and ratios."""
    reported: list[float]
    """The report's numbers and no others; empty where it gives none."""
    said: str | None
    """What the report says in words."""
    ours: list[float]
    """Our numbers; empty where nothing is modelled."""
    interval: list[float]
    """Where `ours` are means over random draws, half the width of each 95 % interval; else empty."""
    tolerance: str | None
    """The allowed difference, for all of the interval; null where nothing is claimed."""
    expected: list[float]
    """What ours are held against, where that is not what is reported; else empty."""
    basis: str | None
    """Where `expected` is from; null where ours are held against what is reported."""
    verdict: Annotated[
        str,
        one_of("within", "consistent with", "OUT", "not claimed", "input", "protocol only", "not modelled"),
    ]
    """How the two agree."""
    note: str | None
    """A remark needed to read the row."""


class ReproducedReport(Row, frozen=True):
    """A report, reproduced."""

    report: Annotated[str, one_of("A", "B", "C", "D", "E", "F")]
    """Its letter."""
    title: str
    """Its title."""
    story: str
    """What was done."""
    assumptions: list[str]
    """Inputs that the report does not give."""
    rows: Annotated[list[ReproducedNumber], Meta(min_length=1)]
    """Number by number."""


class ReproduceDocument(Document, frozen=True, tag="lacis.reproduce/1"):
    """`lacis reproduce [A|B|C|D|E|F]... [--seeds N] --json`: reports from the field, run on generated fabrics."""

    reports: list[ReproducedReport]
    """Those asked for, in that order."""
    out: Count
    """Rows beyond their tolerance; the exit status is 1 where it is not 0."""
