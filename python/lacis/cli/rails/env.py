"""`lacis rails env`: the environment that uses the rails that are wanted."""

from __future__ import annotations

import re
import shlex

import click

from ...facts.words import count
from .._fabric import warn
from .._output import json_option, print_json
from ._hosts import host_options, hosts_of, technology_of
from ._words import STACKS, pair_words, regime_row, regimes_words, why

_SHOWN = 5
"""Pairs of kinds of hosts that are named."""


@click.command("env", short_help="The environment that uses the rails that are wanted.")
@click.argument("fabrics", metavar="[FABRIC…]", nargs=-1)
@click.option(
    "--stack", type=click.Choice(STACKS), required=True, help="The library that is to use the rails."
)
@click.option(
    "--use",
    default="all",
    show_default=True,
    metavar="all|N|MAP",
    help="All rails; one by its number in the tables of rails, from 1; or a map unit:port,unit:port in the order of rails.",
)
@host_options
@json_option
def command(
    fabrics: tuple[str, ...],
    stack: str,
    use: str,
    units: int | None,
    plane_count: int | None,
    technology: str | None,
    prefixes: tuple[str, ...],
    without: tuple[str, ...],
    as_json: bool,
) -> int:
    """Print the environment in which a library uses the rails that are wanted, and what it will do by message size.

    The lines can be read by a shell: `source <(lacis rails env --stack psm2 --use all my.fabric)`. Without a FABRIC
    hosts are assumed to have two adapters on two planes. Rails are chosen on the commonest kind of host; hosts that lack
    them are named on standard error.

    Exit status: 0 done; 1 some hosts would not connect, or use fewer rails; 2 bad input.
    """
    from ...rails import check

    if use == "map" and fabrics and re.fullmatch(r"[\d:, ]+", fabrics[0]):
        use, fabrics = fabrics[0], fabrics[1:]
    kinds, whose, number = hosts_of(
        fabrics, units, plane_count, prefixes, without, lambda: technology_of(technology, stack, None)
    )
    made, chosen = check.settings(stack, use, kinds)
    checked = check.check(made, kinds, stack)
    most = max((one.used for one in checked.between), default=0)
    bad = [one for one in checked.between if one.verdict != "connects" or one.used < most]
    if as_json:
        from ...documents.stacks import EnvDocument

        document = EnvDocument(
            stack=stack,
            use=use,
            hosts=whose,
            hosts_counted=number,
            settings={variable.name: variable.value or "" for variable in made.variables.values()},
            rails=[str(adapter) for adapter in chosen],
            regimes=[regime_row(regime) for regime in checked.regimes],
            troubled=len({host for one in bad for host in (*one.a, *one.b)}),
        )
        print_json(document)
    else:
        click.echo(f"# {checked.title}: {', '.join(map(str, chosen))}; {whose}")
        for regime in regimes_words(checked.regimes):
            click.echo(f"# {regime}")
        for variable in made.variables.values():
            click.echo(f"export {variable.name}={shlex.quote(variable.value or '')}")
    for one in bad[:_SHOWN]:
        verdict, reason = one.verdict, why(one)
        if verdict == "connects":  # where the library says so itself, or leaves out what a host lacks
            verdict, reason = "fewer rails", f"{one.used} of {most}"
        warn(f"{pair_words(one)}: {verdict}: {reason}")
    if len(bad) > _SHOWN:
        warn(f"and {count(len(bad) - _SHOWN, 'more pair')} of kinds of hosts: lacis rails check")
    return 1 if bad else 0
