"""Whether a measurement is fit to blame anyone: what its values, other tables and counters say together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tables import ASSUMED

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..documents.explain import Candidate, Fitness
    from .tables import WhichTables

_MANY_BEYOND = 0.1
"""The share of shared links beyond their rates from which no assumed tables run, though none that are known fit better."""


def why_unfit(
    fitness: Fitness, ask: Callable[[], WhichTables] | None, *, none_sent: bool = False
) -> tuple[str | None, list[str]]:
    """Whether no suspect is to be blamed, and which tables run where others do; `none_sent`: counters show no other traffic."""
    if fitness.doubt is None or (fitness.doubt == "traffic" and none_sent):
        return None, []
    by_numbers = "other_tables" if fitness.many_switches else None
    if fitness.doubt == "many" and ask is None:
        return by_numbers, []
    if fitness.doubt == "traffic" or ask is None:
        if fitness.doubt == "either" and none_sent:
            return None, []
        return ("other_tables" if fitness.doubt == "tables" else "other_traffic"), []
    which = ask()
    is_consistent = any(one.name == ASSUMED for one in which.consistent)
    if which.distinguishes and not is_consistent:
        names = running(which)
        if names or fitness.doubt == "tables":
            return "other_tables", names
    if fitness.doubt == "many":
        return by_numbers, []
    if fitness.doubt == "either":
        return (None if none_sent else "other_traffic"), []
    if fitness.beyond > _MANY_BEYOND * fitness.shared:
        return "other_tables", []
    # A few links beyond their rates are wrong entries, which are named by themselves.
    return ("other_traffic" if fitness.many_unexplained and not none_sent else by_numbers), []


def running(which: WhichTables) -> list[str]:
    """The tables that values are consistent with, in words; none where none fits."""
    return [_name(one) for one in which.consistent] if which.fits else []


def _name(one: Candidate) -> str:
    """A candidate in words."""
    return {
        "tables": one.name,
        "orders": f"{one.name} in another order of LIDs",
        "spread": "adaptive routing",
    }[one.how]
