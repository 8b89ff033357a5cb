"""Field reports, reproduced: each report's test is run on a fabric that Lacis generates; and figures of others.

One module for each report, named by its subject; `record` defines the rows.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .record import Report

MODULES = {
    "A": "adaptive",
    "B": "routing_order",
    "C": "two_networks",
    "D": "one_switch",
    "E": "directors",
    "F": "others",
}
"""Letter → module."""

DRAWN = ("E",)
"""Letters of the reports that take a number of random draws."""


def reports(letters: Iterable[str] = (), seeds: int = 32) -> Iterator[Report]:
    """Run reports one after the other, all unless some are named.

    Args:
        letters: of the reports.
        seeds: number of random draws, at least 8.

    Raises:
        LacisError: when there is no such report.
    """
    wanted = [letter.upper() for letter in letters] or list(MODULES)
    for letter in wanted:
        if letter not in MODULES:
            raise LacisError(f'no report "{letter}" (there are {", ".join(MODULES)})')
    for letter in dict.fromkeys(wanted):
        module = importlib.import_module(f".{MODULES[letter]}", __name__)
        report: Report = module.report(seeds) if letter in DRAWN else module.report()
        yield report
