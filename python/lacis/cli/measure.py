"""`lacis measure`: the real fabric, with MPI."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import LacisError
from ..facts.words import count, noun
from ..measure.program import TESTS
from ._fabric import fabric_argument, load, warn
from ._keep import keep_measured as keep
from ._numbers import RAIL, RANKS_PER_HOST, SOME_LISTED
from ._output import console, echo, json_option, new_table, print_json, print_table
from ._progress import progress
from ._routing import routing_options, tables_file, walked
from ._rows import assumed_rates
from ._traffic import skip_absent_option
from .results._shared import store_option

if TYPE_CHECKING:
    from .._core import Fabric, Routes
    from ..documents.measure import FigureRow, MeasureDocument
    from ..measure import Campaign, Launch, Run


class _Measure(click.Group):
    """A group in which every name of a test is a command too."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            return "test", self.commands["test"], args
        return super().resolve_command(ctx, args)


@click.group("measure", cls=_Measure)
def command() -> None:
    """The real fabric, with MPI: builds lacis-mpi, launches it over hosts, sums up what it writes."""


@command.command("test", short_help=f"Measure: {', '.join(TESTS)}; several with commas between them.")
@click.argument("tests", metavar="TEST[,…]")
@click.argument("args", metavar="[-- OPTIONS OF LACIS-MPI]", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--hosts",
    metavar="HOSTS",
    help="In the order of the ranks: node[01-16], or file:PATH; inside a job of Slurm's, its hosts unless given.",
)
@click.option(
    "--launcher",
    default="mpiexec",
    show_default=True,
    metavar="NAME",
    help="mpiexec (or its path), srun or flux.",
)
@click.option("--launcher-args", default="", metavar="TEXT", help="For the launcher, as a shell splits them.")
@click.option(
    "--ranks-per-host",
    type=RANKS_PER_HOST,
    help="As many as the slots of a host in a file of --hosts, else one, unless given.",
)
@click.option(
    "--fabric", metavar="FABRIC", help="Says which leaf each host is on, which makes classes of pairs."
)
@click.option(
    "--counters",
    metavar="SOURCE",
    help="Port counters before and after each round: sysfs, or a command that prints them.",
)
@click.option("--mpicc", default="mpicc", show_default=True, metavar="PATH", help="Builds lacis-mpi, once.")
@click.option("--program", metavar="PATH", help="A lacis-mpi that exists.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where results go, on a file system that all hosts see; TEST.jsonl.",
)
@click.option("--dry-run", is_flag=True, help="Print the launch line and the files, and run nothing.")
@click.option(
    "--save",
    "save_as",
    metavar="NAME",
    help="Name of the run in the store; by default its tests' names.",
)
@click.option("--no-save", is_flag=True, help="Keep no run in the store, only the output.")
@store_option
@json_option
def test(
    tests: str,
    args: tuple[str, ...],
    hosts: str | None,
    launcher: str,
    launcher_args: str,
    ranks_per_host: int | None,
    fabric: str | None,
    counters: str | None,
    mpicc: str,
    program: str | None,
    output: str | None,
    dry_run: bool,
    save_as: str | None,
    no_save: bool,
    where: str,
    as_json: bool,
) -> int:
    """Measure with MPI over hosts.

    Rows of the output are JSON lines; `lacis measure show FILE` sums them up. Its values are also kept as a run, for
    `lacis results` and `lacis explain`. What follows `--` goes to lacis-mpi: `lacis measure nxn --hosts node[01-16] -- --one-at-a-time --bytes 1M`.

    Exit status 1: the run did not finish; the file holds what was measured until then.
    """
    from .. import measure

    _check(tests)
    if save_as is not None and no_save:
        raise click.UsageError("--save and --no-save do not go together")
    names, slots = _hosts(hosts or _of_job())
    if ranks_per_host is None:
        ranks_per_host = _same(slots)
    path = Path(output or f"{tests.replace(',', '-')}.jsonl").absolute()
    known = load(fabric) if fabric else None
    with progress("building lacis-mpi"):
        built = Path(program) if program else _planned(mpicc) if dry_run else measure.build(mpicc)
    launch = measure.prepare(
        tests,
        names,
        path,
        program=built,
        launcher=launcher,
        ranks_per_host=ranks_per_host,
        fabric=known,
        counters=counters,
        launcher_args=_split(launcher_args, "--launcher-args"),
        args=args,
        mpicc=mpicc,
    )
    if launch.unknown:
        from ..ranks import nodesets

        warn(
            f"{fabric} lacks {count(len(launch.unknown), 'host')}, whose leaf is not known: {nodesets.fold(launch.unknown)}"
        )
    if dry_run:
        _print_dry(launch, as_json)
        return 0
    with progress(f"measuring {tests}") as advance:
        run, status = measure.run(launch, advance)
    if status != 0 or not run.complete:
        last = run.progress[-1:]
        came = (
            f" in round {last[0].rounds} of {last[0].of} of {last[0].test}" if last else " before any round"
        )
        warn(f"the run ended{came} with status {status}; {path} holds what was measured")
    kept = None if no_save else keep(launch, known, fabric, save_as or tests, where)
    if as_json:
        print_json(_document(launch, run, kept))
    else:
        _print(run)
        if kept is not None:
            echo(f"kept as {kept} in {where}")
    return int(status != 0 or not run.complete)


@command.command("show", short_help="What a file of results says, also of a run that was cut off.")
@click.argument("file", metavar="FILE")
@json_option
def show(file: str, as_json: bool) -> int:
    """What a file of lacis-mpi says, also of a run that was cut off.

    Exit status 1: the run did not finish.
    """
    from .. import measure

    run = measure.read(file)
    if as_json:
        from ..documents.measure import MeasureShowDocument

        document = MeasureShowDocument(
            provenance="measured",
            file=file,
            complete=run.complete,
            torn=run.torn,
            tests=run.progress,
            rows=run.rows,
            remarks=run.remarks,
        )
        print_json(document)
    else:
        _print(run)
    return int(not run.complete)


@command.command("plan", short_help="Which rounds to measure so that links can be distinguished.")
@fabric_argument
@routing_options
@click.option("--hosts", metavar="HOSTS", help="The hosts to measure; all of the rail.")
@skip_absent_option
@click.option("--rail", type=RAIL, default=1, show_default=True, help="Whose adapters send.")
@click.option(
    "--rounds", type=click.IntRange(0, 10_000), default=64, show_default=True, help="Add so many at most."
)
@click.option(
    "--crossings",
    type=click.IntRange(1, 1000),
    default=4,
    show_default=True,
    help="Flows over every link, and rounds that distinguish any two links, at least.",
)
@click.option("--given", metavar="FILE", help="Rounds that are measured anyway: lines ROUND FROM TO.")
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Of rounds at random."
)
@click.option("--top", type=SOME_LISTED, default=10, show_default=True, help="Inseparable classes to show.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the added rounds, for lacis-mpi --schedule file:FILE."
)
@json_option
def plan(
    fabric: Fabric,
    routes: Routes,
    hosts: str | None,
    rail: int,
    rounds: int,
    crossings: int,
    given: str | None,
    seed: int,
    top: int,
    output: str | None,
    as_json: bool,
) -> int:
    """Which rounds to measure so that a slow link can be distinguished from every other.

    Flows follow the tables. Two links that the same measured flows cross cannot be distinguished; rounds are chosen until
    no such links are left that other pairs of hosts would separate. In a round a host sends to one host and receives from
    one.

    Classes are counted exactly; times are modelled (100 repeats of 8 messages of 4 MiB at the slowest link's rate).

    Exit status 1: links are left that other pairs would separate.
    """
    from ..io import files
    from ..measure import campaign
    from ..ranks.participants import named_hosts

    read = []
    if given:
        with files.reading(given) as data:
            read = campaign.read_rounds(data)
    named = None if hosts is None else named_hosts(fabric, hosts, "--hosts", str(rail))
    with progress("choosing rounds"):
        found = campaign.plan(
            routes, named, rail=rail, rounds=rounds, crossings=crossings, seed=seed, given=read
        )
    if found.skipped:
        first = ", ".join(found.skipped[:3]) + (" …" if len(found.skipped) > 3 else "")
        warn(f"{count(len(found.skipped), 'adapter')} without a host's name left out: {first}")
    if output:
        files.write(output, found.text)
    if as_json:
        _print_plan_json(routes, found, output)
    elif output != "-":
        _print_plan(routes, found, top)
    return int(found.classes < found.finest)


def _print_plan_json(routes: Routes, found: Campaign, output: str | None) -> None:
    from ..documents.measure import MeasurePlanDocument

    document = MeasurePlanDocument(
        provenance="modelled",
        engine_requested=routes.engine_requested,
        engine_used=routes.engine_used,
        tables=tables_file(),
        rounds=found.rounds,
        given=found.given,
        suspects=found.suspects,
        finest=found.finest,
        classes=found.classes,
        inseparable=found.inseparable,
        uncrossed=found.uncrossed,
        least_crossings=found.least_crossings,
        unrouted=found.unrouted,
        seconds=found.seconds,
        assumed_rates=assumed_rates(found.assumed_rates),
        skipped=found.skipped,
        file=output,
    )
    print_json(document)


def _print_plan(routes: Routes, found: Campaign, top: int) -> None:
    echo(walked(routes))
    echo(
        f"{count(found.suspects, 'link')} {noun(found.suspects, 'is a suspect', 'are suspects')}: directed, crossed by a flow of some pair"
    )
    if found.unrouted:
        echo(f"  {count(found.unrouted, 'pair')} {noun(found.unrouted, 'has', 'have')} no route")
    out = console()
    table = new_table("round", "flows", "most on a link", "classes", "seconds", "how", words=("how",))
    for number, one in enumerate(found.rounds, start=1 - found.given):
        name = "given" if number < 1 else f"{number}"
        row = (f"{len(one.flows):,}", f"{one.contention}", f"{one.classes:,}", f"{one.seconds:.1f}", one.kind)
        table.add_row(name, *row)
    if table.row_count:
        print_table(out, table)
    added = len(found.rounds) - found.given
    echo(
        f"{count(added, 'round')} to measure, {found.seconds:,.0f} s at most (modelled; 50 ms a round beyond its messages assumed)"
    )
    if found.assumed_rates:
        echo(
            f"  the rate of {count(found.assumed_rates[0], 'link')} is unknown: {found.assumed_rates[1]} assumed"
        )
    echo(
        f"{count(found.classes, 'class', 'classes')} of links distinguished, of {found.finest:,} that flows between these hosts can distinguish; "
        f"{count(found.least_crossings, 'flow')} over a link at least"
    )
    if found.uncrossed:
        echo(f"  {count(found.uncrossed, 'link')} {noun(found.uncrossed, 'is', 'are')} crossed by no round")
    for can_be_split, text in (
        (True, "more rounds would separate"),
        (False, "no pair of these hosts separates"),
    ):
        classes = [one.links for one in found.inseparable if one.can_be_split == can_be_split]
        if not classes:
            continue
        echo(f"{count(len(classes), 'class', 'classes')} of links that {text}:")
        for links in classes[:top]:
            shown = "; ".join(f"{a} → {b}" for a, b in links[:4])
            echo(f"  {shown}" + (f"; and {len(links) - 4:,} more" if len(links) > 4 else ""))
        if len(classes) > top:
            echo(f"  and {len(classes) - top:,} more (--top, --json)")


def _of_job() -> str:
    """The hosts of the job that this runs in."""
    listed = os.environ.get("SLURM_JOB_NODELIST") or os.environ.get("SLURM_NODELIST")
    if not listed:
        raise click.UsageError("--hosts: the hosts to measure, as this is no job of Slurm's")
    return listed


def _check(tests: str) -> None:
    for name in tests.split(","):
        if name not in TESTS:
            import difflib

            near = difflib.get_close_matches(name, [*TESTS, "plan", "show"], 2, 0.4)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"no test {name!r}{hint} ({', '.join(TESTS)})")


def _hosts(text: str) -> tuple[list[str], list[int]]:
    """The hosts, each with its slots."""
    from ..io import files
    from ..launch import read_slots
    from ..ranks import nodesets

    if text.startswith("file:"):
        with files.reading(text.removeprefix("file:")) as data:
            found = read_slots(data)
        if not found.is_host_by_host:
            raise click.UsageError("--hosts: ranks are counted host by host, and those of a host are apart")
        return list(found.spelled.values()), list(found.slots.values())
    names = nodesets.expand(text)
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise click.UsageError(f"--hosts names a host twice: {twice[0]}")
    if not names:
        raise click.UsageError("--hosts names no host")
    return names, [1] * len(names)


def _same(slots: list[int]) -> int:
    """How many slots each host has."""
    if len(set(slots)) > 1 or not slots[0]:
        raise click.UsageError(
            "--hosts: hosts have different numbers of slots, or none; --ranks-per-host gives all the same"
        )
    return slots[0]


def _split(text: str, option: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}") from None


def _planned(mpicc: str) -> Path:
    """Where a run will build the program; without the compiler only its name. A dry run builds nothing."""
    from .. import measure

    try:
        return measure.location(mpicc)
    except LacisError:
        return Path("lacis-mpi")


def _print_dry(launch: Launch, as_json: bool) -> None:
    if as_json:
        print_json(_document(launch, None, None))
        return
    for path, text in launch.written.items():
        click.echo(f"# {path}")
        click.echo(text, nl=False)
    if launch.counters:
        click.echo(
            f"# before and after each round: {shlex.join(launch.counters)} > {launch.kept}/TEST-ROUND-WHEN.txt"
        )
    click.echo(shlex.join(launch.line))


def _document(launch: Launch, run: Run | None, kept: str | None) -> MeasureDocument:
    """What was launched and measured; a dry run measures nothing."""
    from ..documents.measure import MeasureDocument

    return MeasureDocument(
        provenance="measured",
        line=launch.line,
        files=[str(path) for path in launch.written],
        output=str(launch.output),
        complete=run.complete if run else None,
        torn=run.torn if run else False,
        tests=run.progress if run else [],
        rows=run.rows if run else [],
        remarks=run.remarks if run else [],
        kept=kept,
    )


def _print(run: Run) -> None:
    out = console()
    first = run.records[0] if run.records else {"ranks": 0, "nodes": 0, "oversubscribed": False}
    echo(f"measured with {first['ranks']} ranks on {first['nodes']} nodes")
    if first["oversubscribed"]:
        echo("  more ranks than cores: times are the scheduler's, not the network's")
    table = new_table(
        "test", "what", "pairs", "bytes", "unit", "n", "min", "mean", "median", "max",
        words=("test", "what", "pairs", "unit"),
    )  # fmt: skip
    for row in run.rows:
        unit, scale = _unit(row)
        figures = (_figure(value, scale) for value in (row.min, row.mean, row.median, row.max))
        size = "" if row.bytes is None else f"{row.bytes:,}"
        table.add_row(row.test, row.what, row.pairs or "", size, unit, f"{row.count:,}", *figures)
    if table.row_count:
        print_table(out, table)
    for text in run.remarks:
        echo(text)
    for done in run.progress:
        if not done.complete:
            echo(f"{done.test} came to round {done.rounds} of {done.of}")
    if run.torn:
        echo("the last line is cut off and does not count")
    end = run.of("end")
    if end:
        echo(f"clocks at the end off by {1e6 * end[0]['clock_off_by']:.3g} µs at most, as far as can be seen")


def _unit(row: FigureRow) -> tuple[str, float]:
    return {"s": ("µs", 1e6), "bytes/s": ("GB/s", 1e-9)}.get(row.unit, (row.unit, 1.0))


def _figure(value: float | None, scale: float) -> str:
    return "" if value is None else f"{value * scale:,.4g}"
