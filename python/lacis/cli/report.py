"""`lacis report`: the main job, from a fabric file to a page to act on."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from ..errors import LacisError
from ._baseline import baseline_options, read_baseline
from ._fabric import fabric_argument, source, sweeps, warn
from ._measured import measured_values, warn_of_units
from ._output import console, json_option, print_json, print_unpadded
from ._progress import progress
from ._traffic import groups_option
from .results._shared import store_option

if TYPE_CHECKING:
    import polars as pl

    from .._core import Fabric, Routes
    from ..explain import Explanation


class PageAddress(click.ParamType[str]):
    """`http://…`: where a page is."""

    name = "ADDRESS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The address; a page must not lead to anything that would be run."""
        try:
            parts = urlsplit(value)
            is_page = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_page = False
        if value and (not is_page or any(char.isspace() or not char.isprintable() for char in value)):
            self.fail(f"{value!r}: expected the address of a page, as `lacis serve` prints it", param, ctx)
        return str(value)


@click.command("report")
@fabric_argument
@click.option(
    "-o", "--output", metavar="FILE", help="The page to write.  [default: FABRIC's name with .html]"
)
@click.option(
    "--measured",
    "sources",
    metavar="RUN|FILE",
    multiple=True,
    help="Also show what was measured on it, as for `lacis explain`; repeatable.",
)
@click.option("--test", "test_name", metavar="NAME", help="The test of the measurement.")
@click.option("--what", metavar="WORD", help="Its values: bandwidth, latency.")
@click.option("--unit", metavar="UNIT", help="Unit of a matrix: us, MB/s (10⁶), MiB/s (2²⁰), Gb/s.")
@click.option("--names", metavar="FILE|auto", help="Other names of hosts, as for `lacis results import`.")
@click.option("--full", is_flag=True, help="Print every step, table and section, not the first screen alone.")
@click.option(
    "--serve-at",
    type=PageAddress(),
    metavar="ADDRESS",
    default="",
    help="The address that `lacis serve` printed: cables and findings of the page lead to its map.",
)
@store_option
@baseline_options
@groups_option
@json_option
def command(
    fabric: Fabric,
    output: str | None,
    sources: tuple[str, ...],
    test_name: str | None,
    what: str | None,
    unit: str | None,
    names: str | None,
    where: str,
    lfts: str | None,
    opensm_conf: str | None,
    sm: str | None,
    groups: str,
    full: bool,
    serve_at: str,
    as_json: bool,
) -> int:
    """Write everything about FABRIC on one self-contained HTML page, and the gist to the terminal.

    Health, what each engine would do, proof, predicted bandwidth, and what to change. Gains are against what runs
    now: --lfts, else --opensm-conf, else minhop, which is assumed.
    """
    from ..io import files
    from ..report import collect

    name, described = source()
    baseline = read_baseline(fabric, lfts, opensm_conf, sm, groups)
    target = _default_output(name) if output is None else output
    found, explained = None, None
    if sources:
        frame = measured_values(
            sources, where, fabric, None, names, test=test_name, what=what, unit=unit, size=None
        )
        from .. import explain

        try:
            found = explain.structure(frame, fabric, test=test_name, what=what)
        except LacisError as error:
            warn(f"--measured: no structure is shown: {error}")
        explained = functools.partial(_explained, frame, test_name, what)
    elif test_name or what or unit or names:
        raise click.UsageError("--test, --what, --unit and --names are about --measured, which is not given")
    with progress("report") as advance:
        report = collect.collect(
            fabric, described, advance, baseline, groups, found, explained or (lambda _: None), _prepare
        )
        from ..report import gist, page, terminal

        advance("writing the page")
        files.write(target, page.render(report, serve_at))
    if as_json:
        from ._reported import report_document

        print_json(report_document(report, target))
    elif target != "-":
        out = console()
        show = terminal.show if full else gist.print_gist
        print_unpadded(out, lambda: show(out, report, target))
    return 0


def _prepare() -> None:
    """Loads what shows a report."""
    from ..report import gist, page, terminal  # noqa: F401

    page.prepare()


def _explained(frame: pl.DataFrame, test: str | None, what: str | None, routes: Routes) -> Explanation | None:
    """The measurement explained by tables; none where these hosts cannot be compared."""
    from ..explain import explain

    try:
        found = explain(routes, frame, test=test, what=what, sweeps=sweeps())
    except LacisError as error:
        warn(f"--measured: no suspects are looked for: {error}")
        return None
    warn_of_units(found)
    return found


def _default_output(fabric: str) -> str:
    stem = "fabric" if fabric == "-" else Path(fabric).resolve().stem if Path(fabric).exists() else fabric
    safe = "".join(char if char.isalnum() or char in "-_.," else "-" for char in stem)
    return f"{safe}.html"
