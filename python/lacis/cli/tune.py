"""`lacis tune`: the inputs with which OpenSM alone makes tables near the best possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..facts.words import count
from ._ends import INTERRUPTED
from ._fabric import fabric_argument, need_opensm, source
from ._numbers import SEED, STEPS, number_of
from ._numbers import seconds as seconds_of
from ._output import console, json_option, new_table, print_json, print_line, print_table
from ._progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric
    from ..documents.advice import TunedFailures, TunedInputs
    from ..tuning import Limits, Tuned, Tuning


@click.command("tune")
@fabric_argument
@click.option(
    "--seconds",
    type=seconds_of(1),
    default=60.0,
    show_default=True,
    help="How long to search, about. Ctrl-C ends the search too; the best so far is shown.",
)
@click.option(
    "--steps",
    type=STEPS,
    metavar="N",
    help="Try N candidates, however long it takes: the same seed then has the same result.",
)
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of the random changes.")
@click.option(
    "--failures",
    metavar="N|all",
    help="Let N cables and switches fail alone for each of the best, or all; unless given, as many as time allows.",
)
@click.option(
    "--hosts",
    "groups",
    default="all",
    show_default=True,
    metavar="GROUP[,…]",
    help="Hosts of these groups alone: compute, management, storage, gateway.",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Write the best one's opensm.conf lines and files into a new folder.",
)
@json_option
def command(
    fabric: Fabric,
    seconds: float,
    steps: int | None,
    seed: int,
    failures: str | None,
    groups: str,
    output: str | None,
    as_json: bool,
) -> int:
    """Search OpenSM's inputs for the best tables that it alone makes for FABRIC.

    No plugin and no file of tables: OpenSM routes, and repairs after failures. The search tries engines, roots,
    compute nodes and orders of targets. Candidates that lose pairs of end nodes or leave a credit loop are refused; the
    best of the others go through single failures.

    Bandwidths are modelled: 1 / the most flows on any link of a path, as in `lacis report`. ± is half the width of
    a 95 % interval over seeds that the search has not used.

    Exit status 1: nothing was found that keeps every pair, before failures and after all that were tried.
    """
    from .. import tuning
    from ..tuning.written import refuse

    need_opensm(fabric, "inputs of OpenSM's")
    limits = tuning.Limits(seconds, steps, seed, _number(failures), groups)
    if output is not None:
        refuse(output)
    with progress("the search") as advance:
        result = tuning.search(fabric, limits=limits, progress=advance)
    best = next((tuned for tuned in result.found if tuned.accepted), None)
    written = []
    if best is not None and output is not None:
        written = tuning.write(best.engine, best.options, output)
    if as_json:
        _print_json(result, limits, best, output, written)
    else:
        _print(result, best, output, written)
    if result.stopped:
        return INTERRUPTED
    return 0 if best is not None else 1


def _number(failures: str | None) -> int | None:
    """How many failures; -1 for all."""
    if failures is None:
        return None
    if failures == "all":
        return -1
    number = number_of(failures, 0, 10**9)
    if number is None:
        raise click.BadParameter(
            f"{failures!r} is neither a number nor all (at most 1,000,000,000)", param_hint="'--failures'"
        )
    return number


def _tuned_row(tuned: Tuned) -> TunedInputs:
    """Inputs and what they do; lists of GUIDs become their lengths."""
    from dataclasses import asdict

    from ..documents.advice import EntriesOfList, TunedInputs
    from ..facts.wording import text

    options: dict[str, Any] = {
        name: EntriesOfList(len(value)) if isinstance(value, list) else value
        for name, value in tuned.options.items()
    }
    return TunedInputs(
        label=tuned.label,
        engine=tuned.engine,
        options=options,
        accepted=tuned.accepted,
        objections=[text(objection) for objection in tuned.objections],
        objected=tuned.objections,
        **asdict(tuned.figures),
        confirmed=tuned.confirmed,
        pairs_lost=tuned.lost,
        credit_loops=tuned.loops,
        undefined=tuned.undefined,
        fullest_over_forced=tuned.fullest,
        failures=tuned.failures,
    )


def _print_json(
    result: Tuning, limits: Limits, best: Tuned | None, output: str | None, written: list[str]
) -> None:
    from ..documents.advice import TuneDocument
    from ..tuning import conf

    document = TuneDocument(
        provenance="modelled",
        fabric=source()[1],
        hosts=result.hosts,
        seed=limits.seed,
        looked_at=result.looked_at,
        refused=result.refused,
        seconds=result.seconds,
        stopped=result.stopped,
        baseline=_tuned_row(result.baseline),
        yardstick=None if result.yardstick is None else _tuned_row(result.yardstick),
        found=[_tuned_row(tuned) for tuned in result.found],
        best=None if best is None else result.found.index(best),
        conf=[] if best is None else conf(best.engine, best.options, output or ".")[0],
        folder=output,
        written=written,
    )
    print_json(document)


def _print(result: Tuning, best: Tuned | None, output: str | None, written: list[str]) -> None:
    from rich.text import Text

    from ..facts.wording import text

    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    stopped = ", stopped" if result.stopped else ""
    say(
        f"{source()[1]}: {count(result.looked_at, 'candidate')} in {result.seconds:,.0f} s{stopped}, "
        f"{result.refused:,} of them refused by OpenSM's engine; traffic of {count(result.hosts, 'host')}"
    )
    columns = ("bisection", "worst", "shifts", "worst", "flows", "fullest", "failures that lose pairs")
    table = new_table("inputs", *columns, prose=("inputs",))
    for tuned in (result.baseline, result.yardstick, *result.found):
        if tuned is None:
            continue
        table.add_row(Text(_label(tuned, result)), *_cells(tuned))
    say()
    print_table(out, table)
    say()
    for tuned in result.found:
        for objection in tuned.objections:
            say(f"not for production: {tuned.label}: {text(objection)}")
    for tuned in (result.baseline, *result.found):
        _remark(tuned, say)
    if best is None:
        say("nothing was found that keeps every pair, before failures and after those that were tried")
        return
    _print_best(result, best, output, written, say)
    say("modelled: OpenSM 3.3.23's rules; a flow gets 1 / the most flows on a link of its path")


def _label(tuned: Tuned, result: Tuning) -> str:
    if tuned is result.baseline:
        return "minhop (OpenSM's default)"
    return "eventree (yardstick; needs the plugin)" if tuned is result.yardstick else tuned.label


def _cells(tuned: Tuned) -> list[str]:
    f, confirmed = tuned.figures, tuned.confirmed
    mean = f"{f.bisection:.3f}" if confirmed is None else f"{confirmed.mean:.3f} ± {confirmed.half:.3f}"
    return [
        mean,
        f"{f.bisection_worst:.3f}",
        f"{f.shift:.3f}",
        f"{f.shift_worst:.3f}",
        str(f.most_flows),
        f"{tuned.fullest:.2f} ×",
        _failed(tuned.failures),
    ]


def _failed(failures: TunedFailures | None) -> str:
    if failures is None or not failures.tried:
        return "not tried"
    return f"{failures.lose:,} of {failures.tried:,}"


def _remark(tuned: Tuned, say: Callable[..., None]) -> None:
    """Prints what the table has no column for."""
    if not tuned.objections and tuned.loops:
        say(f"{tuned.label}: {tuned.loops} credit loops")
    failed = tuned.failures
    if failed is None or not failed.tried:
        return
    if failed.tried < failed.of:
        say(
            f"{tuned.label}: {failed.tried:,} of {failed.of:,} failures were tried (--failures all tries all)"
        )
    if failed.apart:
        say(
            f"{tuned.label}: {count(failed.apart, 'failure')} {'leaves' if failed.apart == 1 else 'leave'} end nodes without a cable to others, whatever the tables"
        )
    if failed.blinded:
        say(
            f"{tuned.label}: {count(failed.blinded, 'failure')} {'cuts' if failed.blinded == 1 else 'cut'} the manager off, so that no tables are repaired until another takes over"
        )
    if failed.loops:
        say(
            f"{tuned.label}: after {count(failed.loops, 'failure')} there is a credit loop, for example {failed.example}"
        )


def _print_best(
    result: Tuning, best: Tuned, output: str | None, written: list[str], say: Callable[..., None]
) -> None:
    from ..tuning import conf

    mark = result.yardstick or result.baseline
    means = [one.figures.bisection if one.confirmed is None else one.confirmed.mean for one in (best, mark)]
    share = 100 * means[0] / means[1] if means[1] else 100.0
    name = "eventree" if result.yardstick else "minhop"
    say()
    say(
        f"best                  {best.label}: {share:.1f} % of {name}'s mean bisection; worst shift "
        f"{best.figures.shift_worst:.3f} ({name} {mark.figures.shift_worst:.3f}), at most {count(best.figures.most_flows, 'flow')} on a "
        f"link in a shift ({name} {mark.figures.most_flows})"
    )
    say("opensm.conf")
    for line in conf(best.engine, best.options, output or ".")[0]:
        say(f"    {line}")
    if output is not None:
        say(f"written to {output}: {', '.join(written)}")
    else:
        say("-o DIR writes these lines and the files")
