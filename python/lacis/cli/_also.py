"""`--also`: traffic at the same time, in one argument."""

from __future__ import annotations

import difflib
import shlex
from typing import Any

import click

from ._units import Rate, Size, Time

TESTS = ("burst", "windows", "ping-pong", "load")

# Key as typed → name in the library, and what it takes.
ALSO: dict[str, tuple[str, click.ParamType[Any]]] = {
    "test": ("test", click.Choice(TESTS)),
    "bytes": ("size", Size(zero=True)),
    "count": ("count", click.IntRange(1, 2**31 - 1)),
    "window": ("window", click.IntRange(1, 2**20)),
    "load": ("load", click.FloatRange(0, 10, min_open=True)),
    "duration": ("duration", Time()),
    "sl": ("sl", click.IntRange(0, 15)),
    "ranks-per-host": ("ranks_per_host", click.IntRange(1, 4096)),
    "local-rate": ("local_rate", Rate()),
    "host-order": ("host_order", click.STRING),
    "rail": ("rail", click.STRING),
    "striping": ("striping", click.Choice(["off", "psm2", "ucx"])),
}


class Also(click.ParamType[dict[str, Any]]):
    """`TRAFFIC KEY=VALUE …`: the parts of a workload; shell quotes keep blanks together."""

    name = "ALSO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        try:
            traffic, *rest = shlex.split(value)
        except ValueError as error:
            reason = "it is empty" if not value.strip() else str(error).lower()
            self.fail(f"{value!r}: {reason}; expected TRAFFIC KEY=VALUE …", param, ctx)
        if "=" in traffic and traffic.partition("=")[0] in ALSO:
            self.fail(f"{value!r}: the traffic comes first, as in 'shift:1 {traffic}'", param, ctx)
        found: dict[str, Any] = {"traffic": traffic}
        for word in rest:
            key, is_pair, text = word.partition("=")
            if not is_pair or key not in ALSO:
                nearest = difflib.get_close_matches(key, ALSO, 1)
                known = f"did you mean {nearest[0]}=?" if nearest else f"keys are {', '.join(ALSO)}"
                self.fail(f"{word!r} in {value!r}: {known}", param, ctx)
            name, kind = ALSO[key]
            if name in found:
                self.fail(f"{value!r}: {key} is given twice", param, ctx)
            try:
                found[name] = kind.convert(text, param, ctx)
            except click.BadParameter as error:
                self.fail(f"{key} in {value!r}: {error.message}", param, ctx)
        return found


def said(found: dict[str, Any]) -> dict[str, Any]:
    """What was given, with the keys that are typed."""
    typed = {name: key for key, (name, _) in ALSO.items()}
    return {typed.get(name, name).replace("-", "_"): value for name, value in found.items()}
