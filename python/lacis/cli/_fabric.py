"""The FABRIC argument and the options that change a fabric before it is used."""

from __future__ import annotations

import functools
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import LacisError
from ..facts.words import harmless
from ._flags import with_flags
from ._numbers import SEED
from ._progress import clear, progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._core import Fabric, Note
    from ..fabric.folder import FolderFabric
    from ..fabric.reading import Cabling
    from ..facts.doubts import Doubt


class Columns(click.ParamType["Cabling"]):
    """`switch=NAME,port=NAME,peer=NAME,peer-port=NAME`: the columns of a list of cables."""

    name = "COLUMNS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Cabling:
        from ..fabric.reading import Cabling

        if isinstance(value, Cabling):
            return value
        pairs = [word.partition("=") for word in value.split(",")]
        given = {key.strip().replace("-", "_"): name.strip() for key, _, name in pairs}
        if set(given) != set(Cabling._fields) or len(pairs) != len(given) or not all(given.values()):
            self.fail(f"{value!r}: expected switch=NAME,port=NAME,peer=NAME,peer-port=NAME", param, ctx)
        return Cabling(**given)


def named(columns: Cabling) -> str:
    """Columns as they are typed."""
    return ",".join(f"{key.replace('_', '-')}={name}" for key, name in columns._asdict().items())


def fabric_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds FABRIC and the options that change it; the command receives a `Fabric` as `fabric`."""
    return _with_fabric(_ADDED(function))


def bare_fabric_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `fabric_argument`, without `--with`: for commands where that means something else."""
    return _with_fabric(function)


def uncounted_fabric_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `bare_fabric_argument`, without `--counters`: for commands where that names the counters of a window."""
    return _with_fabric(function, counted=False)


def fabric_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `fabric_argument`, as the option `--fabric`: for commands whose argument is something else."""
    named = click.option("--fabric", "fabric", metavar="FABRIC", required=True, help="The fabric.")
    return _with_fabric(_ADDED(function), declared=named)


def optional_fabric_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `fabric_argument`, with an optional FABRIC: `fabric` is None where it is not given."""
    return _with_fabric(_ADDED(function), required=False)


_ADDED = click.option(
    "--with",
    "added",
    multiple=True,
    metavar="SELECTOR",
    help="Add cables A--B or hosts host@A; repeatable.",
)


_COUNTED = click.option(
    "--counters",
    metavar="FILE",
    help="Counters of its ports: the output of ibqueryerrors, a db_csv of ibdiagnet, a recording or a store.",
)


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same: no option is added."""
    return function


def load_arrays() -> None:
    """Imports numpy: the engine would with the first array, and cannot recover where that import is interrupted."""
    import numpy  # noqa: F401, ICN001


def without_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a command that looks at no array: to import numpy takes as long as many an engine."""
    function.__dict__["uses_arrays"] = False
    return function


def _with_fabric(
    function: Callable[..., Any],
    *,
    required: bool = True,
    counted: bool = True,
    declared: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None,
) -> Callable[..., Any]:
    """Adds the fabric, by an argument or as it is declared, and the options that change it."""
    option: Callable[[Callable[..., Any]], Callable[..., Any]] = _COUNTED if counted else _plain
    argument = click.argument("fabric", metavar="FABRIC" if required else "[FABRIC]", required=required)

    @(declared or argument)
    @click.option(
        "--without",
        multiple=True,
        metavar="SELECTOR",
        help="Remove cables, switches or hosts first; repeatable.",
    )
    @click.option(
        "--roles",
        metavar="FILE",
        help="What switches and hosts are, where Lacis is wrong: lines such as `leaf MLG-*`, `storage cache-*`.",
    )
    @click.option(
        "--columns",
        type=Columns(),
        metavar="switch=…,port=…,peer=…,peer-port=…",
        help="FABRIC is a CSV of cables with these columns.",
    )
    @option
    @click.option("--shuffle-guids", type=SEED, metavar="SEED", help="Give every node a random GUID first.")
    @functools.wraps(function)
    def with_fabric(
        *args: Any,
        fabric: str | None,
        without: tuple[str, ...],
        roles: str | None,
        columns: Cabling | None,
        shuffle_guids: int | None,
        counters: str | None = None,
        added: tuple[str, ...] = (),
        **kwargs: Any,
    ) -> Any:
        if getattr(function, "uses_arrays", True):
            load_arrays()
        if fabric is None:
            if without or added or any(one is not None for one in (roles, columns, counters, shuffle_guids)):
                raise click.UsageError(
                    "--without, --with, --roles, --columns, --counters and --shuffle-guids change a FABRIC, which is not given"
                )
            return function(*args, fabric=None, **kwargs)
        loaded = load(fabric, without, added, roles, shuffle_guids, columns, counters)
        changes = [f"--without {shlex.quote(s)}" for s in without] + [
            f"--with {shlex.quote(s)}" for s in added
        ]
        stated = [f"--columns {shlex.quote(named(columns))}"] if columns else []
        stated += [f"--roles {shlex.quote(roles)}"] if roles else []
        renamed = [] if shuffle_guids is None else [f"--shuffle-guids {shuffle_guids}"]
        meta = click.get_current_context().meta
        meta[_AGAIN] = functools.partial(
            load, fabric, without, added, roles, shuffle_guids, columns, counters
        )
        meta[_COUNTERS] = counters
        meta[_SOURCE], meta[_CHANGED] = (
            (fabric, " ".join([fabric, *stated, *changes, *renamed])),
            bool(changes),
        )
        return function(*args, fabric=loaded, **kwargs)

    return with_fabric


_SOURCE = "lacis.fabric"
_FOLDER = "lacis.fabric.folder"
_CHANGED = "lacis.fabric.changed"
_AGAIN = "lacis.fabric.again"
_COUNTERS = "lacis.fabric.counters"


def source() -> tuple[str, str]:
    """What the user called the running command's fabric: FABRIC, and FABRIC with the options that change it."""
    named: tuple[str, str] = click.get_current_context().meta[_SOURCE]
    return named


def again() -> Callable[[], Fabric]:
    """Reads the running command's fabric again: its file may be another one by then."""
    read: Callable[[], Fabric] = click.get_current_context().meta[_AGAIN]
    return read


def sweeps() -> str | None:
    """The store or the recording of counters that the running command was given; none where it was given another file, or none."""
    from ..counters.counted import is_counted

    named: str | None = click.get_current_context().meta.get(_COUNTERS)
    return named if named is not None and is_counted(named) else None


def changed() -> bool:
    """Whether cables or nodes of the running command's fabric were removed or added after it was read."""
    return bool(click.get_current_context().meta[_CHANGED])


def load(
    source: str,
    without: tuple[str, ...] = (),
    added: tuple[str, ...] = (),
    roles: str | None = None,
    shuffle_guids: int | None = None,
    columns: Cabling | None = None,
    counters: str | None = None,
) -> Fabric:
    """Reads or generates a fabric; what the reader noticed goes to standard error."""
    from .. import fabric as api
    from ..io.archive import is_archive

    with progress("reading the fabric"):
        if columns is not None:
            fabric = api.read_cabling(source, columns)
        elif source not in ("", "-") and (Path(source).is_dir() or is_archive(source)):
            fabric = _load_folder(source)
        else:
            fabric = api.read(source)
    taken = folder()
    warn_of_notes(str(taken.source.path) if taken and taken.fabric is fabric else source, fabric.notes)
    if counters is not None:
        before = len(fabric.notes)
        fabric = _counted(fabric, counters)
        warn_of_notes(counters, fabric.notes[before:])
    if roles is not None:
        fabric = api.declare(fabric, roles)
    if without:
        fabric = fabric.without(list(without))
    if added:
        fabric = fabric.edit([f"+{selector}" for selector in added])
    if shuffle_guids is not None:
        fabric = fabric.shuffle_guids(shuffle_guids)
    return fabric


def _counted(fabric: Fabric, counters: str) -> Fabric:
    """The fabric with the counters of a file, or with the errors of a store or a recording."""
    from .. import fabric as api

    if Path(counters).is_dir() or Path(counters).is_file():
        from ..counters.counted import is_counted, with_errors

        if is_counted(counters):
            return with_errors(fabric, counters)
    return api.with_counters(fabric, counters)


def _load_folder(source: str) -> Fabric:
    """Reads a folder, and says what was taken from it."""
    from .. import fabric as api

    found = api.read_folder(source)
    for remark in found.remarks:
        warn_of(remark)
    click.get_current_context().meta[_FOLDER] = found
    return found.fabric


def folder() -> FolderFabric | None:
    """What was taken from the folder that the running command's fabric is; none where that is a file."""
    found: FolderFabric | None = click.get_current_context().meta.get(_FOLDER)
    return found


def need_opensm(fabric: Fabric, what: str) -> None:
    """Refuses a fabric whose manager is not OpenSM.

    Raises:
        LacisError: when it is an Omni-Path fabric.
    """
    if fabric.technology == "Omni-Path":
        reason = f"an Omni-Path fabric, whose manager has no {what}; `lacis advise` compares what it has"
        raise LacisError(reason, source=source()[0])


def need_cables(fabric: Fabric) -> None:
    """Refuses several nodes without any cable, which no tables can serve.

    Raises:
        LacisError: when there is no cable.
    """
    nodes = fabric.num_switches + fabric.num_end_nodes
    if nodes > 1 and not fabric.has_cables:
        reason = (
            f"has {nodes:,} nodes and no cables, so that nothing can be routed; `ibnetdiscover -H`, `-S` and `-l` list nodes "
            "alone, and without these options it lists their cables"
        )
        raise LacisError(reason, source=source()[0])


def warn_of_notes(file: str, notes: Iterable[Note]) -> None:
    """Prints what a reader noticed in a file; a document has it too."""
    remembered = _remembered(NOTES)
    for note in notes:
        warn(f"{file}: {note}")
        remembered.append((file, note))


def warn_of(doubt: Doubt) -> None:
    """Prints a doubt about tables or files; a document has it too."""
    from ..facts.wording import text

    warn(text(doubt))
    _remembered(DOUBTS).append(doubt)


NOTES, DOUBTS = "lacis.notes", "lacis.doubts"
"""Keys of click's context: files with what their readers noticed, and doubts about tables and files."""


def _remembered(key: str) -> list[Any]:
    """What the running command has printed of a kind; lost where no command runs."""
    context = click.get_current_context(silent=True)
    found: list[Any] = [] if context is None else context.meta.setdefault(key, [])
    return found


def warn(line: str) -> None:
    """Prints a warning, one line on standard error."""
    clear()
    print(f"lacis: {harmless(with_flags(line))}", file=sys.stderr)  # noqa: T201
