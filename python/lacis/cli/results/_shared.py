"""What the commands about results share: the store, numbers with units, rows of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...errors import LacisError
from ...facts.words import count

if TYPE_CHECKING:
    from ...documents.results import NamingRow, RunRow
    from ...measured.hosts import Naming
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


def size(number: int | None) -> str:
    """Bytes of a message."""
    return "–" if number is None else f"{number:,}"


def warn_broken(broken: list[Broken]) -> None:
    """Says on standard error which folders hold no run."""
    for folder in broken:
        click.echo(f"lacis: {folder.path}: {folder.reason}", err=True)


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
    from ...io.files import reading
    from ...ranks import nodesets

    path = text.removeprefix("file:")
    if path == text:
        try:
            return nodesets.expand(text)
        except LacisError as error:
            raise error.within("--hosts") from None
    with reading(path) as data:
        lines = (line.split("#", 1)[0].split() for line in data.decode(errors="replace").splitlines())
        return [words[0] for words in lines if words]


def warn_of_names(naming: Naming, on: str, names: str | None) -> None:
    """Says which hosts have other names, are not in the fabric, or were not measured."""
    from ...ranks import nodesets

    if naming.proposed and names != "auto":
        shown = ", ".join(f"{other} → {host}" for other, host in list(naming.proposed.items())[:_SHOWN])
        more = "" if len(naming.proposed) <= _SHOWN else f" and {len(naming.proposed) - _SHOWN} more"
        click.echo(
            f"lacis: {on}: {count(len(naming.proposed), 'host')} may have another name there: {shown}{more}; "
            "--names auto takes them, --write-names writes them",
            err=True,
        )
    if naming.absent:
        click.echo(
            f"lacis: {on}: lacks {count(len(naming.absent), 'host')} that were measured: {nodesets.fold(naming.absent)}",
            err=True,
        )
        total = len(naming.absent) + len(naming.found) + len(naming.proposed)
        if 2 * len(naming.absent) > total:
            click.echo(
                f"lacis: {on}: most hosts measured are not in it: results of another fabric?", err=True
            )
    if naming.unmeasured:
        click.echo(
            f"lacis: {on}: {count(len(naming.unmeasured), 'host')} of {len(naming.found) + len(naming.proposed) + len(naming.unmeasured)} without a result",
            err=True,
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
