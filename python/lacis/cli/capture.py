"""`lacis capture`: one archive with all that an engineer needs later."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..facts.words import count, noun
from ._fabric import warn
from ._help import GroupedCommand
from ._output import console, echo, json_option, new_table, print_json, print_table
from ._progress import progress

if TYPE_CHECKING:
    from .._core import Fabric
    from ..capture import Pseudonyms
    from ..capture.collected import Piece
    from ..documents.capture import CaptureDocument

_OTHER_ARCHIVES = (".zip", ".7z", ".tar", ".bz2", ".xz", ".zst")
"""Endings of archives that are no tar with gzip, whose tools would refuse it."""


@click.command("capture", cls=GroupedCommand)
@click.argument("fabric", metavar="[FABRIC]", required=False)
@click.option(
    "--discover",
    is_flag=True,
    help="Ask the fabric: ibnetdiscover, dump_fts, ibqueryerrors and sminfo, and the files of a manager on this host.",
)
@click.option("--lfts", metavar="FILE", multiple=True, help="Forwarding tables; repeatable.")
@click.option("--counters", metavar="FILE", multiple=True, help="Counters of ports; repeatable.")
@click.option("--opensm-conf", metavar="FILE", help="The manager's configuration.")
@click.option("--log", metavar="FILE", multiple=True, help="A log, of which the end is kept; repeatable.")
@click.option("--also", metavar="FILE", multiple=True, help="Any other file; repeatable.")
@click.option(
    "--root",
    metavar="DIR",
    default="/",
    show_default=True,
    help="A copy of another host's /sys, /proc and /dev.",
)
@click.option("--host/--no-host", default=True, help="Whether this host is described, as `lacis host` does.")
@click.option(
    "--anonymous",
    is_flag=True,
    help="Replace names of hosts and switches, the same in every file; GUIDs stay.",
)
@click.option(
    "--names-to", metavar="FILE", help="With --anonymous: write which name became which, to be kept apart."
)
@click.option(
    "-o", "--output", metavar="FILE", default="lacis-capture.tar.gz", show_default=True, help="The archive."
)
@json_option
def command(
    fabric: str | None,
    discover: bool,
    lfts: tuple[str, ...],
    counters: tuple[str, ...],
    opensm_conf: str | None,
    log: tuple[str, ...],
    also: tuple[str, ...],
    root: str,
    host: bool,
    anonymous: bool,
    names_to: str | None,
    output: str,
    as_json: bool,
) -> None:
    """Write one archive with the fabric, its tables, counters, configuration and versions, and this host.

    FABRIC is a file, or what --discover finds. Every command reads the archive in its stead:
    `lacis report lacis-capture.tar.gz`.
    """
    from ..capture import Captured, Pseudonyms, capture, discovered

    if names_to is not None and not anonymous:
        raise click.UsageError("--names-to is for --anonymous")
    if as_json and output == "-":
        raise click.UsageError("--json and -o - both write to standard output")
    if output.lower().endswith(_OTHER_ARCHIVES):
        raise click.UsageError(f"-o {output}: the archive is tar with gzip: end its name in .tar.gz or .tgz")
    given = {"lfts": lfts, "counters": counters, "log": log, "also": also}
    if fabric is None and not discover and not host and not opensm_conf and not any(given.values()):
        raise click.UsageError("nothing to capture: FABRIC, --discover or a file")
    with progress("collecting"):
        found = discovered() if discover else Captured([], [])
        pieces = [*found.pieces, *_named(fabric, opensm_conf, given)]
        names = None
        if anonymous:
            read = _read(fabric, pieces)
            names = Pseudonyms(read, [os.uname().nodename.partition(".")[0]] if host and root == "/" else [])
            pieces = _with_new_names(pieces, read, names)
        manifest = capture(output, pieces, found.missing, host=root if host else None, names=names)
    if names is not None:
        _write_names(names, names_to)
    if as_json:
        print_json(manifest)
    elif output != "-":
        _print(manifest, output)


def _named(fabric: str | None, opensm_conf: str | None, given: dict[str, tuple[str, ...]]) -> list[Piece]:
    """The files that the user names, and the fabric; a spec is kept as Lacis' JSON."""
    from .. import fabric as api
    from ..capture.collected import Piece, read

    pieces: list[Piece] = []
    if fabric is not None:
        if fabric != "-" and Path(fabric).is_file():
            pieces.append(read(f"fabric{Path(fabric).suffix}", fabric))
        else:
            pieces.append(Piece("fabric.json", fabric, api.read(fabric).to_json().encode()))
    pieces += (read("tables.lfts", path) for path in given["lfts"])
    pieces += (read(f"counters{Path(path).suffix}", path) for path in given["counters"])
    if opensm_conf is not None:
        pieces.append(read("opensm.conf", opensm_conf))
    pieces += (read("opensm.log", path) for path in given["log"])
    pieces += (read(f"also-{Path(path).name}", path) for path in given["also"])
    return pieces


def _read(fabric: str | None, pieces: list[Piece]) -> Fabric | None:
    """The fabric whose names are replaced: of FABRIC, or of what was discovered."""
    from .. import _core
    from .. import fabric as api
    from ..io.packed import unpacked

    if fabric is not None and fabric != "-":
        return api.read(fabric)
    data = next((piece.data for piece in pieces if piece.name.startswith("fabric")), None)
    return None if data is None else _core.read_fabric(unpacked(data))


def _with_new_names(pieces: list[Piece], fabric: Fabric | None, names: Pseudonyms) -> list[Piece]:
    """The fabric's own file as Lacis' JSON with the new names: texts are searched for names, a fabric has them as fields."""
    from ..capture.collected import Piece

    if fabric is None:
        return pieces
    kept = [piece for piece in pieces if not piece.name.startswith("fabric")]
    return [Piece("fabric.json", "", names.fabric(fabric).to_json().encode()), *kept]


def _write_names(names: Pseudonyms, path: str | None) -> None:
    from ..io.files import write

    if names.kept:
        shown = ", ".join(names.kept[:5])
        warn(
            f"{count(len(names.kept), 'name')} {noun(len(names.kept), 'is', 'are')} kept in texts, too short or of the words of the formats: {shown}"
        )
    if path is not None:
        write(path, "".join(f"{new}\t{name}\n" for name, new in names.new.items()))


def _print(manifest: CaptureDocument, output: str) -> None:
    table = new_table("file", "bytes", "from")
    for file in manifest.files:
        if not file.name.startswith("host/"):
            table.add_row(file.name, f"{file.bytes:,}", file.source)
    host = [file for file in manifest.files if file.name.startswith("host/")]
    if host:
        table.add_row(
            "host/", f"{sum(file.bytes for file in host):,}", f"{count(len(host), 'file')} of the host"
        )
    print_table(console(), table)
    for missing in manifest.missing:
        echo(f"missing: {missing.source}: {missing.reason}")
    echo(f"written: {output}")
