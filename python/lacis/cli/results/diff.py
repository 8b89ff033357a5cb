"""`lacis results diff`: two runs, or two groups of runs, test by test."""

from __future__ import annotations

from typing import Any

import click

from ...errors import LacisError
from ...facts.words import count, quantity
from .._numbers import SHARE
from .._output import console, echo, json_option, new_table, print_json, print_table, print_unpadded
from ._shared import chosen, file_options, size, store_option

_STYLES = {"worse": "red", "better": "green"}


@click.command("diff", short_help="By how much two runs differ, and whether their repeats say so.")
@click.argument("a", metavar="BEFORE")
@click.argument("b", metavar="AFTER")
@store_option
@click.option(
    "--least",
    type=SHARE,
    default=0.0,
    metavar="SHARE",
    help="Ignore smaller differences: 0.02 for 2 %.",
)
@click.option("--all", "show_all", is_flag=True, help="Also tests that show no difference.")
@file_options
@json_option
def command(a: str, b: str, where: str, least: float, show_all: bool, as_json: bool, **said: Any) -> int:
    """Compare what BEFORE and AFTER both measured, test by test and size by size.

    Each is a RUN or a group of runs, whose repeats are taken together: a name, tag:KEY=VALUE, or ids with commas between; or a
    FILE, or several, that `lacis results import` reads. Each pair of hosts that both have is compared with itself.

    Exit status: 0 nothing is worse; 1 something is, by more than chance explains: its whole 95 % interval is worse, by SHARE
    with --least; 2 nothing is in common.
    """
    from ...measured import compare
    from ...measured.comparison import only_in_one

    before, after = chosen(a, where, **said).frame, chosen(b, where, **said).frame
    found = compare(before, after, least=least)
    if not found:
        raise LacisError(f"{a} and {b} have no test, size and number of ranks in common")
    alone = only_in_one(before, after)
    verdicts = [one.verdict for one in found]
    status = 1 if "worse" in verdicts else 0
    if as_json:
        from ...documents.results import ResultsDiffDocument

        document = ResultsDiffDocument(
            before=a,
            after=b,
            least=least,
            tests=found,
            only_before=alone[0],
            only_after=alone[1],
        )
        print_json(document)
        return status
    shown = [one for one in found if show_all or one.verdict in _STYLES]
    if shown:
        out = console()
        words = ("test", "what", "verdict")
        table = new_table(
            "test", "what", "bytes", "before", "after", "change", "95 % interval", "n", "verdict", words=words
        )
        for one in shown:
            change = f"{one.ratio - 1:+.2%}"
            interval = (
                "–" if one.low is None or one.high is None else f"{one.low - 1:+.2%} … {one.high - 1:+.2%}"
            )
            number = f"{one.pairs:,} pairs" if one.pairs else f"{one.samples[0]:,}, {one.samples[1]:,}"
            what = one.what if one.statistic in ("sample", "mean") else f"{one.what}, {one.statistic}"
            table.add_row(
                *(
                    one.test,
                    what,
                    size(one.bytes),
                    quantity(one.before, one.unit),
                    quantity(one.after, one.unit),
                ),
                *(change, interval, number, one.verdict),
                style=_STYLES.get(one.verdict),
            )
        print_unpadded(out, lambda: print_table(out, table))
    summed = ", ".join(
        f"{verdicts.count(verdict)} {verdict}"
        for verdict in ("better", "worse", "no difference shown", "too few repeats")
        if verdict in verdicts
    )
    echo(f"{count(len(found), 'test')} in common: {summed}")
    if any(alone):
        echo(f"{alone[0]} only before, {alone[1]} only after")
    return status
