"""What to run on Omni-Path, as lines of its manager's opafm.xml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bundle import Bundle
from .gains import figures
from .opafm_lines import lines

if TYPE_CHECKING:
    from .make import Maker
    from .outcome import Outcome


def bundle(maker: Maker, after: Outcome) -> Bundle:
    """The bundle that lets Omni-Path's manager route by one of its engines."""
    engine, options = after.variant.engine, after.variant.options
    said = lines(engine, options)
    return Bundle(
        name=engine,
        kind="opafm",
        title=f"{engine} of Omni-Path's manager",
        purpose="The fabric manager routes by another of its algorithms; it mends its tables after failures as it does now.",
        engines=[engine],
        lines=said,
        back=[
            "Before you change it, keep a copy of opafm.xml. To go back, put the copy in its place and restart the "
            "manager."
        ],
        figures=figures(maker.base, after),
        against=maker.baseline.words,
        failures=maker.failures(engine, options, "the manager makes new tables after each"),
    )
