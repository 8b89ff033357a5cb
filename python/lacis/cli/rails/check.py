"""`lacis rails check`: what an environment does to the rails of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...errors import LacisError
from ...facts.words import count
from .._output import console, json_option, new_table, print_json, print_table, print_unpadded
from ._hosts import host_options, hosts_of, technology_of
from ._words import STACKS, pair_words, regime_row, regimes_words

if TYPE_CHECKING:
    from rich.console import Console

    from ...documents.stacks import CheckedStack, VariableRemark
    from ...rails.check import Checked
    from ...rails.outcome import Outcome, Remark

_MOST = 1 << 28
_SHOWN = 12
_STYLES = {
    "connects": "green",
    "tcp": "yellow",
    "fewer rails": "yellow",
    "depends": "red",
    "fails": "bold red",
}
_SEVERE = {"error": "bold red", "warning": "yellow", "notice": "cyan"}


@click.command("check", short_help="What an environment does to the rails of any two hosts.")
@click.argument("environment", metavar="ENV")
@click.argument("fabrics", metavar="[FABRIC…]", nargs=-1)
@click.option(
    "-e",
    "--set",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting that overrides ENV; repeatable.",
)
@click.option(
    "--stack",
    type=click.Choice(STACKS),
    multiple=True,
    help="Ask about this library, whatever the variables and adapters suggest; repeatable.",
)
@click.option(
    "--ppn",
    type=click.IntRange(1, 1 << 16),
    metavar="N",
    help="Processes a host, for contexts of Omni-Path's adapters; as ENV says unless given.",
)
@click.option(
    "--contexts",
    type=click.IntRange(1, 1 << 16),
    metavar="N",
    help="Contexts of each Omni-Path adapter: num_user_contexts of hfi1, one a core by default.",
)
@host_options
@json_option
def command(
    environment: str,
    fabrics: tuple[str, ...],
    given: tuple[str, ...],
    stack: tuple[str, ...],
    ppn: int | None,
    contexts: int | None,
    units: int | None,
    plane_count: int | None,
    technology: str | None,
    prefixes: tuple[str, ...],
    without: tuple[str, ...],
    as_json: bool,
) -> int:
    """Say what happens between any two hosts under the environment ENV.

    ENV is a file or `-`: the output of `env`, a job script, a module file; launchers' options (-x, -genv,
    --export) are understood. Without a FABRIC hosts are assumed to have the adapters that ENV names, two at least, each on
    a plane of its own.

    Exit status: 0 all connect on the rails that are set, or over TCP as is asked; 1 some do not, silently use fewer, or a variable does nothing
    or not what it says; 2 bad input.
    """
    from ...io.files import reading, text_of
    from ...rails import check
    from ...rails import environment as environments
    from ...rails.contexts import Limits

    settings = {}
    for text in given:
        name, is_setting, value = text.partition("=")
        if not is_setting or not name:
            raise click.UsageError(f"-e {text}: a setting is NAME=VALUE")
        settings[name] = value
    with reading(environment) as data:
        text = text_of(data)
        if len(data) > _MOST or "\0" in text[:4096]:
            raise LacisError("is no environment")
        env = environments.read(text, settings)
    if not env.variables:
        env.notes.append(f"{environment} sets no variable")
    first = stack[0] if stack else None
    kinds, whose, number = hosts_of(
        fabrics,
        units,
        plane_count,
        prefixes,
        without,
        lambda: technology_of(technology, first, env),
        check.named_units(env),
        check.named_devices(env),
    )
    stacks = list(dict.fromkeys(stack)) or check.stacks_of(env, check.technology_of(kinds, env))
    limits = Limits(ppn, contexts)
    checked = [check.check(env, kinds, one, limits) for one in stacks]
    others = check.unknown_variables(env)
    if as_json:
        from ...documents.stacks import CheckDocument

        document = CheckDocument(
            environment=environment,
            hosts=whose,
            hosts_counted=number,
            variables=len(env.variables),
            notes=env.notes,
            stacks=[_stack_row(one) for one in checked],
            variables_unknown=[_remark_row(remark) for remark in others],
        )
        print_json(document)
    else:
        out = console()
        print_unpadded(out, lambda: _print(out, whose, checked, others, env.notes))
    wrong = any(one.verdict not in ("connects", "tcp") for each in checked for one in each.between)
    odd = any(r.severity != "notice" for r in [*others, *(r for each in checked for r in each.remarks)])
    return int(wrong or odd)


def _remark_row(remark: Remark) -> VariableRemark:
    from ...documents.stacks import VariableRemark

    return VariableRemark(remark.severity, remark.name, remark.line or None, remark.text, remark.advice)


def _stack_row(checked: Checked) -> CheckedStack:
    from ...documents.stacks import BetweenHosts, CheckedStack, PairOutcome

    def outcome(one: Outcome) -> PairOutcome:
        return PairOutcome([(str(x), str(y)) for x, y in one.rails], one.failure, one.lost, one.beside)

    return CheckedStack(
        stack=checked.stack,
        settings={one.name: one.value for one in checked.settings},
        between=[
            BetweenHosts(
                hosts=(list(one.a), list(one.b)),
                verdict=one.verdict,
                rails_used=one.used,
                rails_in_common=one.common,
                outcomes=[outcome(each) for each in one.outcomes],
            )
            for one in checked.between
        ],
        by_size=[regime_row(regime) for regime in checked.regimes],
        remarks=[_remark_row(remark) for remark in checked.remarks],
    )


def _print(out: Console, whose: str, checked: list[Checked], others: list[Remark], notes: list[str]) -> None:
    from rich.text import Text

    out.print(whose)
    for note in notes:
        out.print(f"note: {note}")
    for each in checked:
        out.print()
        set_ = ", ".join(
            f"{one.name}={one.written} (line {one.line})" if one.line else f"{one.name}={one.written}"
            for one in each.settings
        )
        out.print(
            Text.assemble((each.title, "bold"), f": {set_ or 'no variable of it is set; its defaults'}")
        )
        if not each.between:
            out.print("  a single host: nothing crosses the network")
        else:
            _print_between(out, each)
        for line in regimes_words(each.regimes):
            out.print(f"  {line}")
        _print_remarks(out, list(each.remarks))
    if others:
        out.print()
        _print_remarks(out, others)


def _print_between(out: Console, each: Checked) -> None:
    from rich.padding import Padding
    from rich.text import Text

    table = new_table("between", "verdict", "rails", words=("verdict",), prose=("between",))
    for one in each.between[:_SHOWN]:
        verdict = {
            "depends": "some processes fail",
            "fewer rails": "connects, on fewer rails",
            "tcp": "connects, over TCP",
        }.get(one.verdict, one.verdict)
        rails = "none" if one.verdict == "tcp" else f"{one.used} of {one.common}"
        table.add_row(pair_words(one), Text(verdict, _STYLES[one.verdict]), rails)
    print_table(out, table)
    left = len(each.between) - _SHOWN
    if left > 0:
        out.print(f"… {count(left, 'more pair')} of kinds of hosts: --json")
    causes: dict[str, None] = {}
    for one in each.between:
        failure = next((outcome.failure for outcome in one.outcomes if outcome.failure is not None), None)
        if failure is not None:
            text = f'"{failure.text}"\n' if failure.text else ""
            causes.setdefault(f"{text}cause: {failure.cause}.\nfix: {failure.fix}")
        for lost in dict.fromkeys(outcome.lost for outcome in one.outcomes if outcome.lost):
            causes.setdefault(f"silently: {lost}.")
        for beside in dict.fromkeys(outcome.beside for outcome in one.outcomes if outcome.beside):
            causes.setdefault(f"{beside}.")
    for text in list(causes)[:_SHOWN]:
        out.print(Padding(Text(text), (0, 0, 0, 2), expand=False))


def _print_remarks(out: Console, remarks: list[Remark]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    for remark in remarks:
        at = f" (line {remark.line})" if remark.line else ""
        advice = f" → {remark.advice}" if remark.advice else ""
        line = Text.assemble(
            (remark.severity, _SEVERE[remark.severity]), f" {remark.name}{at}: {remark.text}{advice}"
        )
        out.print(Padding(line, (0, 0, 0, 2), expand=False))
