"""Options about lanes: how many, for which service levels, in which order; and options for packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from ._numbers import number_of
from ._units import Time

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..documents.predict import DividedLanes
    from ..qos.lanes import Lanes

    Command = TypeVar("Command", bound=Callable[..., Any])

_NO_LIMIT = 255  # of high priority


class Mapping(click.ParamType[tuple[int, ...]]):
    """Sixteen lanes, that of each service level: `0,1,0,…`."""

    name = "VL,…"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        lanes = value.split(",")
        if len(lanes) != 16 or any(number_of(lane, 0, 14) is None for lane in lanes):
            self.fail(f"{value!r}: expected 16 lanes from 0 to 14 with commas between them", param, ctx)
        return tuple(int(lane) for lane in lanes)


class Table(click.ParamType[tuple[tuple[int, int], ...]]):
    """An arbitration table as OpenSM's options have it: `0:64,1:255`."""

    name = "VL:WEIGHT,…"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[int, int], ...]:
        if isinstance(value, tuple):
            return value
        table: list[tuple[int, int]] = []
        entries = value.split(",")
        for entry in entries:
            lane, _, weight = entry.partition(":")
            numbers = number_of(lane, 0, 14), number_of(weight, 0, 255)
            if numbers[0] is not None and numbers[1] is not None:
                table.append((numbers[0], numbers[1]))
        if len(table) != len(entries) or len(table) > 64:
            self.fail(
                f"{value!r}: expected up to 64 of LANE:WEIGHT with commas between them, lanes 0 to 14, weights 0 to 255",
                param,
                ctx,
            )
        return tuple(table)


class Parameters(click.ParamType[dict[str, float]]):
    """Parameters of congestion control: `default`, or `threshold=8,timer=20us`."""

    name = "KEY=VALUE,…"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, float]:
        if isinstance(value, dict):
            return value
        most = {"threshold": 15, "packet_size": 2**32 - 1, "step": 1e6}
        parameters: dict[str, float] = {}
        for word in [] if value == "default" else value.split(","):
            key, _, text = word.partition("=")
            if key == "timer":
                parameters[key] = Time().convert(text, param, ctx)
                continue
            try:
                parameters[key] = float(text) if key == "step" else int(text)
            except ValueError:
                self.fail(f"{word!r}: expected `default`, or KEY=VALUE with commas between them", param, ctx)
            if not 0 <= parameters[key] <= most.get(key, 65535):
                self.fail(f"{word!r}: expected 0 to {most.get(key, 65535):g}", param, ctx)
        return parameters


def lane_options(command: Command) -> Command:
    """Add the options about lanes to a command."""
    options = (
        click.option(
            "--lanes",
            type=click.IntRange(1, 15),
            help="Lanes of every link (as many as --sl2vl or the tables need unless given).",
        ),
        click.option(
            "--sl2vl",
            type=Mapping(),
            help="The lane of each of the 16 service levels, on every link (its own number unless given).",
        ),
        click.option(
            "--vlarb-high",
            type=Table(),
            default=(),
            help="Arbitration table of high priority: lanes and weights in units of 64 bytes. "
            "Without tables lanes take turns.",
        ),
        click.option("--vlarb-low", type=Table(), default=(), help="Arbitration table of low priority."),
        click.option(
            "--high-limit",
            type=click.IntRange(0, 255),
            default=0,
            show_default=True,
            help="Units of 4096 bytes of high priority before a packet of low; 0: one packet, 255: no limit.",
        ),
    )
    return _add(options, command)


def packet_options(command: Command) -> Command:
    """Add the options about lanes that make sense for packets alone, and congestion control."""
    options = (
        click.option(
            "--preempt",
            is_flag=True,
            help="Packets of lanes in --vlarb-high interrupt others on a link (Traffic Flow Optimization).",
        ),
        click.option(
            "--congestion-control",
            type=Parameters(),
            help="FECN and BECN: `default`, or values for threshold, marking_rate, packet_size, "
            "increase, limit, least, timer, step.",
        ),
    )
    return _add(options, command)


def _add(options: tuple[Callable[[Command], Command], ...], command: Command) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def lanes_row(lanes: Lanes | None) -> DividedLanes | None:
    """The lanes by which links are divided."""
    from ..documents.base import row_of
    from ..documents.predict import DividedLanes

    return None if lanes is None else row_of(DividedLanes, lanes)


def lanes_words(lanes: Lanes | None) -> list[str]:
    """The lanes by which links are divided, in words."""
    if lanes is None:
        return []
    by = "as their arbitration tables say" if lanes.vlarb_high or lanes.vlarb_low else "equally"
    packets = ", packets of 4096 bytes" if lanes.vlarb_high and lanes.high_limit < _NO_LIMIT else ""
    return [f"links are divided among the lanes in use {by}{packets}"]
