"""What to run on Omni-Path, as lines of its manager's opafm.xml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.advice import CopyRestored, OmniPathEngine
from .bundle import OPAFM, Bundle
from .gains import figures
from .opafm_lines import lines

if TYPE_CHECKING:
    from .make import Maker
    from .outcome import Outcome


def bundle(maker: Maker, after: Outcome) -> Bundle:
    """The bundle that lets Omni-Path's manager route by one of its engines."""
    engine, options = after.variant.engine, after.variant.options
    return Bundle(
        name=engine,
        alternative=OmniPathEngine(engine),
        engines=[engine],
        lines=lines(engine, options),
        back=CopyRestored(OPAFM, ()),
        against=maker.baseline.running,
        figures=figures(maker.base, after),
        failures=maker.failures(engine, options, "omni-path"),
    )
