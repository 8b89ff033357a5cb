"""The engines and the options of a manager: tables of the core, which feed commands, help, report and benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from ..results import OptionRow

ENGINES = {row.name: row for row in _core.engine_table()}
"""Row by name, in the order of help texts."""
OPTIONS = {row.name: row for row in _core.option_table()}
"""Row by keyword of `RouteOptions`, in the order of help texts."""
OPENSM = tuple(row.name for row in ENGINES.values() if row.author == "OpenSM" and row.needs is None)
"""OpenSM's engines that need no file."""
OURS = tuple(row.name for row in ENGINES.values() if row.author == "Lacis")
"""Lacis' engines, which OpenSM runs as its plugin; on one VL unless `nue_vls` is given."""
OMNI_PATH = tuple(row.name for row in ENGINES.values() if row.author == "Omni-Path")
"""Engines of Omni-Path's fabric manager, its default first."""
OUTGROWING = tuple(row.name for row in ENGINES.values() if row.outgrows_tables)
"""Engines whose time grows faster than their tables: on large fabrics they take long."""
KEYS = {row.key: row.name for row in OPTIONS.values() if row.key is not None}
"""Key in `opensm.conf` → keyword of `RouteOptions`; without `max_op_vls`, which is a code for the number of VLs."""


def described(option: OptionRow) -> str:
    """What an option does and which engines read it, in the one sentence that help texts and `RouteOptions` have of it."""
    read_by = f" ({', '.join(option.engines)})" if option.engines else ""
    return f"{option.help}{read_by}."


def usual(technology: str) -> str:
    """The default engine of the manager of a technology: `Omni-Path` or `InfiniBand`."""
    return OMNI_PATH[0] if technology == "Omni-Path" else "minhop"
