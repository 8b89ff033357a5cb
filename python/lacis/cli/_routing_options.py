"""The options that make or read forwarding tables, and what is asked for with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from ..sm.engines import ENGINES, OMNI_PATH, OPTIONS, OURS, described

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._core import Routes, TableFile
    from ..requests.routing import RouteOptions
    from ..results import OptionRow

OptionValue = bool | int | str
"""Value of an option of the command line: a flag, a number, or text; a file is its path."""

_PARAMETERS = {"guid2lid": "guid2lid_cache"}
"""Keyword → parameter, where they differ: `lacis route --guid2lid` writes such a file."""


def _declared(row: OptionRow) -> Callable[[Any], Any]:
    """An option of the command line from the table of options. What is not given is ``None``."""
    kinds: dict[str, dict[str, Any]] = {
        "flag": {"is_flag": True},
        "number": {"metavar": row.unit, "type": click.IntRange(*row.range) if row.range else None},
    }
    return click.option(
        *row.flags,
        _PARAMETERS.get(row.name, row.name),
        default=None,
        help=described(row),
        **kinds.get(row.kind, {"metavar": row.unit}),
    )


ENGINE_OPTIONS = {
    "engine": click.option(
        "-R",
        "--engine",
        metavar="ENGINE[,…]",
        help=f"{', '.join(n for n in ENGINES if n not in (*OURS, *OMNI_PATH))}, Omni-Path's {', '.join(OMNI_PATH)}, or "
        f"Lacis' own {' and '.join(OURS)}; of a list, the first that accepts; minhop unless given, on Omni-Path "
        f"{OMNI_PATH[0]}.",
    ),
    **{_PARAMETERS.get(name, name): _declared(row) for name, row in OPTIONS.items()},
    "opensm_conf": click.option(
        "--opensm-conf",
        metavar="FILE",
        help="Read what concerns routing from an opensm.conf; options given here override it.",
    ),
    "lenient": click.option(
        "--lenient",
        is_flag=True,
        default=None,
        help="Ignore GUIDs in files that the fabric lacks or that are listed twice, as OpenSM does, with a remark.",
    ),
    "verbose": click.option(
        "--verbose",
        is_flag=True,
        default=None,
        help="Name every key of --opensm-conf that has no effect; --json always has them.",
    ),
}
"""Parameter → option; names and letters of options are those of `opensm`."""
LFTS = {
    "lfts": click.option(
        "--lfts",
        metavar="FILE",
        help="Read the tables instead: opensm-lfts.dump, a list of routes (.fdbs), the output of dump_lfts or ibroute, or an opareport snapshot.",
    )
}
GUID_LISTS = ("roots", "cn", "io", "order")
PORT_LISTS = ("ids", "hop_weights", "ignore", "search_order")
"""Options whose files list GUIDs, and those whose files list ports of switches."""


@dataclass(frozen=True)
class RoutingArguments:
    """What the command line says of tables; None of what was not given."""

    engine: str | None = None
    """A list, as `-R` takes it."""
    opensm_conf: str | None = None
    """Path of a configuration."""
    lfts: str | None = None
    """Path of tables to read."""
    lenient: bool | None = None
    verbose: bool | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Only what was given, by its name in `ENGINE_OPTIONS`; files by their paths."""

    @property
    def first(self) -> str | None:
        """One of the options that were given, as it is typed; none where there is none."""
        for name in (*LFTS, *ENGINE_OPTIONS):
            if self.options.get(name, getattr(self, name, None)) is not None:
                return typed(name)
        return None

    @property
    def names_tables(self) -> bool:
        """Whether they say how tables are made, or where to read them."""
        return any(value is not None for value in (self.engine, self.opensm_conf, self.lfts))


OWN = ("engine", "opensm_conf", "lfts", "lenient", "verbose")
"""Parameters with a field in `RoutingArguments`."""


@dataclass(frozen=True)
class Choice:
    """How to make tables, as asked for on the command line and in an opensm.conf."""

    engines: str
    options: RouteOptions
    """What `routing.route` takes, with files read."""
    paths: dict[str, str]
    """The files of GUIDs, by option."""
    guids: dict[str, list[int]]
    """The GUIDs in them."""
    files: dict[str, str]
    """The files that the engine `file` loads, by option."""
    tables: tuple[str, TableFile] | None
    """The tables among them, with their file's name."""
    asked: str | None = None
    """The engines as typed, or as the opensm.conf has them; none where neither names any."""
    given: Mapping[str, OptionValue] = field(default_factory=dict)
    """The options as typed, or as the opensm.conf has them, with files by their paths."""
    lenient: bool = False
    """Whether GUIDs that are unknown or listed twice are ignored."""

    def tables_file(self, routes: Routes) -> str | None:
        """The file that these tables were loaded from; none where an engine made them."""
        return self.tables[0] if self.tables is not None and routes.engine_used == "file" else None


def typed(name: str) -> str:
    """What the user types for an option."""
    decorated: Any = (LFTS | ENGINE_OPTIONS)[name](lambda: None)
    flag: str = decorated.__click_params__[0].opts[0]
    return flag
