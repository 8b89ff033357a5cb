"""What the commands about results share: the store, numbers with units, rows of tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import LacisError
from ...facts.words import count
from .._fabric import warn
from .._units import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from ...documents.results import NamingRow, RunRow
    from ...measured.hosts import Naming
    from ...measured.results import Results
    from ...measured.store import Broken, Run

store_option = click.option(
    "--store",
    "where",
    metavar="DIR",
    envvar="LACIS_RESULTS",
    default="lacis-results",
    show_default=True,
    help="The folder of runs; LACIS_RESULTS names it too.",
)

_SHOWN = 8
_SIZE = Size(zero=True)

_FILE_OPTIONS = (
    click.option(
        "--matrix-test", metavar="NAME", help="FILEs that are matrices: the name of their test; `matrix`."
    ),
    click.option(
        "--matrix-what",
        default="value",
        metavar="WORD",
        help="FILEs that are matrices: what they have: latency, bandwidth.",
    ),
    click.option(
        "--unit",
        metavar="UNIT",
        help="FILEs that are matrices: their unit: us, MB/s (10⁶), MiB/s (2²⁰), Gb/s.",
    ),
    click.option(
        "--matrix-bytes", type=_SIZE, metavar="SIZE", help="FILEs that are matrices: the size of messages."
    ),
    click.option(
        "--hosts",
        metavar="SET",
        help="FILEs that have only ranks: hosts by rank, a node set in its order, or file:PATH.",
    ),
)


def file_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what files do not say themselves; the command receives it as keywords that `chosen` takes."""
    for option in reversed(_FILE_OPTIONS):
        function = option(function)
    return function


@dataclass(frozen=True)
class Chosen:
    """Values of runs of the store, or of files.

    Attributes:
        frame: the values.
        runs: of the store.
        read: what was read of files, or none.
    """

    frame: pl.DataFrame
    runs: Sequence[Run]
    read: Results | None


def chosen(
    selector: str | Sequence[str],
    where: str,
    *,
    matrix_test: str | None,
    matrix_what: str,
    unit: str | None,
    matrix_bytes: int | None,
    hosts: str | None,
) -> Chosen:
    """What texts name: files, else runs of the store; several with commas between.

    Raises:
        LacisError: when one is neither a file nor a run, or a file has no result.
    """
    from ... import measured
    from ...measured.results import together

    words = [selector] if isinstance(selector, str) else list(selector)
    # The name of a file may have a comma.
    words = [part for word in words for part in ([word] if is_file(word) else word.split(","))]
    files = [word for word in words if is_file(word)]
    others = [word for word in words if not is_file(word)]
    frames, runs, read = [], [], None
    store = measured.Store(where)
    if others or not files:
        named = ",".join(others)
        try:
            runs = store.find(named)
        except LacisError as error:
            if any("/" in word or "." in word for word in others):
                raise LacisError(f"{named} is neither a file nor a run: {error}") from None
            raise
        frames.append(store.values(named))
    if files:
        test = "matrix" if matrix_test is None and unit is not None else matrix_test
        read = measured.read(files, test=test, what=matrix_what, unit=unit, bytes=matrix_bytes)
        for note in read.notes:
            warn(str(note))
        if hosts is not None:
            read = measured.name_ranks(read, by_rank(hosts))
        frames.append(read.frame)
    return Chosen(together(frames), runs, read)


def is_file(text: str) -> bool:
    """Whether a text names a file, and not a run: a pipe of the shell is one, a folder is none."""
    return text == "-" or (bool(text) and Path(text).exists() and not Path(text).is_dir())


def size(number: int | None) -> str:
    """Bytes of a message."""
    return "–" if number is None else f"{number:,}"


def warn_broken(broken: list[Broken]) -> None:
    """Says on standard error which folders hold no run."""
    for folder in broken:
        warn(f"{folder.path}: {folder.reason}")


def tests_said(run: Run) -> str:
    """The tests of a run, in a few words."""
    tests = list(dict.fromkeys(one.test for one in run.manifest.tests))
    more = len(tests) - 3
    return ", ".join(tests[:3]) + (f" and {count(more, 'more', 'more')}" if more > 0 else "")


def run_row(run: Run) -> RunRow:
    """A run, as documents have it."""
    from msgspec.structs import asdict, fields

    from ...documents.results import RunRow

    values = asdict(run.manifest) | {"id": run.id, "path": str(run.path)}
    return RunRow(**{field.name: values[field.name] for field in fields(RunRow)})


def by_rank(text: str) -> list[str]:
    """Hosts in the order of ranks: of a set, or of a file's lines."""
    from ... import _core
    from ...io.files import reading, text_of
    from ...ranks import nodesets

    path = text.removeprefix("file:")
    if path == text:
        try:
            return nodesets.expand(text)
        except LacisError as error:
            raise error.within("--hosts") from None
    with reading(path) as data:
        words = [word for _, word in _core.read_hosts("ranks", text_of(data).encode())]
        return [name for word in words for name in (nodesets.expand(word) if "[" in word else [word])]


def warn_of_names(naming: Naming, on: str, names: str | None) -> None:
    """Says which hosts have other names, are not in the fabric, or were not measured."""
    from ...ranks import nodesets

    if naming.proposed and names != "auto":
        shown = ", ".join(f"{other} → {host}" for other, host in list(naming.proposed.items())[:_SHOWN])
        more = "" if len(naming.proposed) <= _SHOWN else f" and {len(naming.proposed) - _SHOWN} more"
        warn(
            f"{on}: {count(len(naming.proposed), 'host')} may have another name there: {shown}{more}; "
            "--names auto takes them, --write-names writes them"
        )
    if naming.absent:
        warn(
            f"{on}: lacks {count(len(naming.absent), 'host')} that were measured: {nodesets.fold(naming.absent)}"
        )
        total = len(naming.absent) + len(naming.found) + len(naming.proposed)
        if 2 * len(naming.absent) > total:
            warn(f"{on}: most hosts measured are not in it: results of another fabric?")
    if naming.unmeasured:
        warn(
            f"{on}: {count(len(naming.unmeasured), 'host')} of {len(naming.found) + len(naming.proposed) + len(naming.unmeasured)} without a result"
        )


def naming_row(naming: Naming) -> NamingRow:
    """How measured names agree with a fabric's, by number and by name."""
    from ...documents.results import NamingRow

    return NamingRow(
        found=len(naming.found),
        proposed=dict(naming.proposed),
        absent=list(naming.absent),
        unmeasured=list(naming.unmeasured),
    )
