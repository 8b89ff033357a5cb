"""`lacis results diff`: two runs, or two groups of runs, test by test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...errors import LacisError
from ...facts.words import count, quantity
from .._numbers import SHARE
from .._output import (
    console,
    echo,
    json_option,
    new_table,
    print_json,
    print_line,
    print_table,
    print_unpadded,
)
from ._shared import chosen, file_options, size, store_option

if TYPE_CHECKING:
    from ...documents.results import ChangedPairs, Difference

_PAIRS = 5
"""Pairs that changed apart from the rest, that are shown without --all, where chance does not explain them."""
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
    FILE, or several, that `lacis results import` reads. Each pair of hosts that both have is compared with itself; pairs that
    changed apart from the rest are listed.

    Exit status: 0 nothing is worse; 1 something is, by more than chance explains: its whole 95 % interval is worse, or more of
    the pairs apart from the rest are worse than better, by SHARE with --least; 2 nothing is in common.
    """
    from ...measured import compare
    from ...measured.comparison import only_in_one

    before, after = chosen(a, where, **said).frame, chosen(b, where, **said).frame
    found = compare(before, after, least=least)
    if not found:
        raise LacisError(f"{a} and {b} have no test, size and number of ranks in common")
    alone = only_in_one(before, after)
    verdicts = [one.verdict for one in found]
    apart = [one.changed_pairs.verdict for one in found if one.changed_pairs is not None]
    status = 1 if "worse" in (*verdicts, *apart) else 0
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
            number = count(one.pairs, "pair") if one.pairs else f"{one.samples[0]:,}, {one.samples[1]:,}"
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
    for one in found:
        if one.changed_pairs is not None:
            _print_changed(one, one.changed_pairs, show_all=show_all)
    summed = ", ".join(
        f"{verdicts.count(verdict)} {verdict}"
        for verdict in ("better", "worse", "no difference shown", "too few repeats")
        if verdict in verdicts
    )
    echo(f"{count(len(found), 'test')} in common: {summed}")
    if any(alone):
        echo(f"{alone[0]} only before, {alone[1]} only after")
    return status


def _print_changed(one: Difference, changed: ChangedPairs, *, show_all: bool) -> None:
    """Pairs that changed apart from the rest: how many, of which hosts, and the greatest changes."""
    out = console()
    where = f"{one.test}, {one.what}" + ("" if one.bytes is None else f", {count(one.bytes, 'byte')}")
    proved = changed.verdict in _STYLES
    verdict = changed.verdict if proved else "chance may do that"
    print_line(
        out,
        f"{where}: of {count(one.pairs, 'pair')} {changed.worse:,} became worse and {changed.better:,} better "
        f"apart from the rest: {verdict}",
        style=_STYLES.get(changed.verdict, ""),
    )
    for host in changed.hosts:
        print_line(out, f"  {host.changed:,} of the {count(host.pairs, 'pair')} of {host.host}")
    shown = changed.pairs if show_all else changed.pairs[:_PAIRS] if proved else []
    for pair in shown:
        before, after = (quantity(value, one.unit) for value in (pair.before, pair.after))
        print_line(
            out, f"  {pair.source} to {pair.destination}: {before}, then {after} ({pair.ratio - 1:+.2%})"
        )
    if hidden := len(changed.pairs) - len(shown):
        print_line(out, f"  and {hidden:,} more: --all" if shown else "  they are listed by --all")
