"""The command line: one command a file, loaded only when it is called.

Exit status: 0 yes or done, 1 the answer is no, 2 it cannot be known; `_ends` has the others.
"""

from __future__ import annotations

import importlib
import os
import sys
from itertools import takewhile

import click

from ._completion import VARIABLE, answer
from ._ends import ended
from ._help import grouped, help_all
from ._streams import open_streams

SECTIONS = {
    "Look": {
        "report": "Everything about a fabric on one page: findings, engines, loads, bandwidth.",
        "fabric": "What a fabric is and what is wrong with it.",
        "trace": "The route from one end node to another and back, on every rail.",
        "diff": "What is different: two states of a fabric, two tables, or tables and an engine.",
        "job": "Where a job sits, which of its flows share a link, what it gets beside others.",
        "rails": "Several adapters a host: planes, rails and leaves; environments, logs, NCCL.",
    },
    "Route and prove": {
        "route": "Compute forwarding tables as the manager would, and write them.",
        "order": "Write hosts in an order: a guid_routing_order_file for OpenSM, or a host file for a job.",
        "verify": "Prove what the tables do with every pair: delivered, lost, looping, balanced.",
    },
    "Improve": {
        "advise": "What to run instead of what runs now, as bundles to load and to take back.",
        "tune": "The inputs with which OpenSM alone makes the best tables, and keeps every pair.",
        "opensm": "Lacis' engines inside OpenSM: the lines of opensm.conf, checked.",
        "opafm": "Omni-Path's opafm.xml: checked, explained, compared, and what a change does.",
    },
    "Predict": {
        "predict": "Which flows contend for links, and what bandwidth is left.",
        "simulate": "What messages get, packet by packet: bandwidth, latency, waiting, deadlock.",
        "whatif": "What the manager does when cables and nodes fail and come back, and what is left.",
        "survive": "Every cable and every switch failing alone, ranked by damage.",
    },
    "Place ranks and jobs": {
        "topology": "The fabric as a scheduler sees it, for Slurm, Kubernetes, Volcano, Flux and PBS; its file judged.",
        "fit": "The best free nodes for a job, beside what Slurm's tree and others would take.",
        "fragmentation": "How far running jobs are from the best nodes, and the swap that helps most.",
        "replay": "A trace of jobs under four rules of choosing nodes: waiting, use, slow-down.",
        "permute": "Ranks in another order on a job's hosts: less on the busiest link, fewer bytes above.",
    },
    "Measure and explain": {
        "measure": "The real fabric with MPI: pairs, shifts, congestion; and which rounds distinguish cables.",
        "results": "Results of measurements: read, kept, compared, over time.",
        "explain": "What a measurement shows: which cable, adapter or switch is slow.",
    },
    "Watch": {
        "top": "What ports do, on a terminal: now, as a store has it, or as a simulation makes it.",
        "serve": "The fabric in a browser: a map with time, ports, routes, and what would be.",
        "why": "Was it the fabric? A job's links, what their counters show, and a verdict.",
        "counters": "The counters of every port: read from the running fabric or files, once or again and again.",
        "watch": "What goes wrong on the fabric, as it does: cables, hot links, tables, the manager.",
        "exporter": "Counters of all ports for Prometheus, with rules of alerts and a dashboard.",
        "host": "This host as far as communication goes, and what is wrong with it.",
        "capture": "One archive with all that an engineer needs later: fabric, tables, counters, host.",
    },
    "More": {
        "reproduce": "Five field reports reproduced, number by number: reported, ours, model, tolerance.",
        "completion": "The script with which bash, zsh or fish completes what follows `lacis`.",
    },
}
"""What a user wants → commands, each with what it does in a line; here and not in the commands, so that `lacis --help` imports
none of them."""
COMMANDS = {name: about for section in SECTIONS.values() for name, about in section.items()}
"""Command → what it does, in a line."""


class _LazyGroup(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        from .. import _core

        _core.hush_panics()
        module = importlib.import_module(f".{name}", __name__)
        return grouped(module.command, name)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", about) for name, about in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            # Who types `help` means none of the commands that are called nearly so.
            near = [] if args[0] == "help" else difflib.get_close_matches(args[0], COMMANDS, 3, 0.4)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"no command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from importlib.metadata import version

        click.echo(f"lacis {version('lacis')}")
        ctx.exit()


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.option(
    "--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Print the version."
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Lacis: a fabric engineer's workbench for InfiniBand and Omni-Path.

    FABRIC is a file in any supported format (ibnetdiscover output, an ibsim net file, Lacis JSON), `-` for
    standard input, or a synthetic fabric such as `fat-tree:36,3` or `itasca`.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


cli.params.append(help_all(hidden=True))


def run(args: list[str] | None = None) -> int:
    """Runs a command line and returns its exit status; `_ends` says what each means."""
    words = sys.argv[1:] if args is None else list(args)

    def command() -> int:
        if VARIABLE in os.environ:  # a shell asks what can follow
            return answer(cli, os.environ[VARIABLE])
        # Not `cli.main`, which takes a closed pipe for a failure.
        with cli.make_context("lacis", words) as ctx:
            result = cli.invoke(ctx)
        return result if isinstance(result, int) else 0

    return ended(command, as_json="--json" in takewhile("--".__ne__, words))


def main() -> None:
    """Entry point of the `lacis` program."""
    open_streams()
    sys.exit(run())
