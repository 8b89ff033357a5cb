"""`--also`: traffic at the same time, in one argument."""

from __future__ import annotations

import difflib
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ._numbers import LOAD, MESSAGES, RANKS_PER_HOST, SERVICE_LEVEL, WINDOW
from ._units import Rate, Size, Time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..requests.workload import Workload

TESTS = ("burst", "windows", "ping-pong", "load")

ALSO: dict[str, tuple[str, click.ParamType[Any]]] = {
    "test": ("test", click.Choice(TESTS)),
    "bytes": ("size", Size(zero=True)),
    "count": ("count", MESSAGES),
    "window": ("window", WINDOW),
    "load": ("load", LOAD),
    "duration": ("duration", Time()),
    "sl": ("sl", SERVICE_LEVEL),
    "ranks-per-host": ("ranks_per_host", RANKS_PER_HOST),
    "local-rate": ("local_rate", Rate()),
    "host-order": ("host_order", click.STRING),
    "rail": ("rail", click.STRING),
    "striping": ("striping", click.Choice(["off", "psm2", "ucx"])),
}
"""Key as typed → name in the library, and the type of its value."""


class AlsoTraffic(NamedTuple):
    """A workload that runs beside the main one; None as the main one has it."""

    work: Workload
    """Its hosts and striping are not set."""
    host_order: str | None
    rail: str | None
    striping: str | None
    typed: dict[str, object]
    """What was given, as JSON has it."""


_OF_HOSTS = ("host_order", "rail", "striping")


class Also(click.ParamType[AlsoTraffic]):
    """`TRAFFIC KEY=VALUE …`: a workload; shell quotes keep blanks together."""

    name = "ALSO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> AlsoTraffic:
        if isinstance(value, AlsoTraffic):
            return value
        traffic, given, typed = self.split(value, ALSO, param, ctx)
        return workload_of(traffic, given, typed)

    def split(
        self,
        value: str,
        keys: Mapping[str, tuple[str, click.ParamType[Any]]],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, dict[str, Any], dict[str, object]]:
        """The traffic; what was given, by its name in the library; the same as JSON has it.

        Args:
            value: what was typed.
            keys: as `ALSO`.
            param: of the command.
            ctx: of the command.
        """
        try:
            traffic, *rest = shlex.split(value)
        except ValueError as error:
            reason = "it is empty" if not value.strip() else str(error).lower()
            self.fail(f"{value!r}: {reason}; expected TRAFFIC KEY=VALUE …", param, ctx)
        if "=" in traffic and traffic.partition("=")[0] in keys:
            self.fail(f"{value!r}: the traffic comes first, as in 'shift:1 {traffic}'", param, ctx)
        given: dict[str, Any] = {}
        typed: dict[str, object] = {"traffic": traffic}
        for word in rest:
            key, is_pair, text = word.partition("=")
            if not is_pair or key not in keys:
                nearest = difflib.get_close_matches(key, keys, 1)
                known = f"did you mean {nearest[0]}=?" if nearest else f"keys are {', '.join(keys)}"
                self.fail(f"{word!r} in {value!r}: {known}", param, ctx)
            name, kind = keys[key]
            if name in given:
                self.fail(f"{value!r}: {key} is given twice", param, ctx)
            try:
                given[name] = typed[key.replace("-", "_")] = kind.convert(text, param, ctx)
            except click.BadParameter as error:
                self.fail(f"{key} in {value!r}: {error.message}", param, ctx)
        return traffic, given, typed


def workload_of(traffic: str, given: dict[str, Any], typed: dict[str, object]) -> AlsoTraffic:
    """The workload that was given, its messages of 1 MB where nothing else is said."""
    from ..requests.workload import Workload

    order, rail, striping = (given.pop(name, None) for name in _OF_HOSTS)
    work = Workload(traffic=traffic, **{"size": 10**6, **given})
    return AlsoTraffic(work, order, rail, striping, typed)
