r"""Help of commands: one screen of the main options, in topics; `--help-all` has everything.

Every command gets it from `grouped`, when it is loaded. An option that no topic names is the command's own: it is always
shown, first. So is the text of a command up to a form feed (a line `\f`); what follows is for
`--help-all`. Examples (`_examples.py`) come last.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ._completion import complete
from ._examples import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Topic(NamedTuple):
    """Names of parameters on one topic: those that `--help` shows, and those that it folds."""

    shown: tuple[str, ...]
    folded: tuple[str, ...] = ()


TOPICS = {
    "Routing": Topic(
        ("engine", "lfts", "opensm_conf", "roots"),
        (
            *("cn", "io", "reverse_hops", "connect_roots", "quasi_ftree", "ids", "torus_config"),
            *(
                "order",
                "order_no_scatter",
                "hop_weights",
                "ignore",
                "search_order",
                "port_shifting",
                "scatter",
            ),
            *(
                "count_switches",
                "avoid_throttled",
                "mesh_analysis",
                "lfts_file",
                "lid_matrix_file",
                "spine_first",
                "tier_count",
                "ucast_cache",
                "fallback",
            ),
            *("lash_start_vl", "vls", "nue_vls", "nue_include_switches"),
            *("lmc", "lmc_esp0", "guid2lid_cache", "fresh_lids", "sm", "lenient", "verbose"),
        ),
    ),
    "Adapter": Topic(
        ("adapter",),
        (
            "adapter_port",
            "mad_timeout",
            "mad_retries",
            "mads_in_flight",
            "mads_per_node",
            "links_every",
        ),
    ),
    "Measurement": Topic(
        ("test_name", "rounds_file"), ("value_kind", "message_size", "matrix_unit", "on_rail")
    ),
    "Changes to the fabric": Topic(
        ("cut", "drop", "restore", "together", "without", "added"),
        ("roles", "columns", "counters", "shuffle_guids"),
    ),
    "Traffic": Topic(
        ("traffic", "patterns", "size", "model", "groups"),
        (
            *(
                "seed",
                "skip_absent",
                "host_order",
                "rail",
                "pairs",
                "shifts",
                "ranks_per_host",
                "local_rate",
                "also",
                "sl",
            ),
            *("host_efficiency", "link_efficiency", "multipath", "striping", "by_lane"),
            *("lanes", "sl2vl", "vlarb_high", "vlarb_low", "high_limit", "preempt", "congestion_control"),
        ),
    ),
    "Simulation": Topic(
        ("test", "device", "adaptive"),
        (
            *("count", "window", "load", "duration", "devices", "mtu", "buffer", "queues", "switch_latency"),
            *(
                "cable_length",
                "ar_algorithm",
                "ar_threshold",
                "ar_frequency",
                "ar_period",
                "lost_route_only",
                "opafm",
            ),
            *("cuts", "circles", "hop_limit"),
        ),
    ),
    "Thresholds": Topic((), ("utilisation", "waiting", "tick")),
    "Launching": Topic(
        ("form", "per_host", "script"), ("total_ranks", "starter", "job_memory", "walltime", "program")
    ),
    "Output": Topic(
        ("output", "as_json"),
        (
            *("guid2lid", "lid_matrix", "ca_order", "updn_roots", "sl2vl_file", "service_levels"),
            *("hottest", "busiest", "matrix", "listed", "interval", "save_as", "save_test"),
        ),
    ),
}
"""Title → its parameters, in the order of the help."""


class GroupedCommand(click.Command):
    """A command whose help has its options by topic, and whose parameters a shell can complete."""

    examples: Sequence[str] = ()
    """Command lines, as they are typed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        text = inspect.cleandoc(self.help or "")
        self.brief = text.partition("\f")[0].rstrip()
        self.help = text.replace("\f\n", "")
        for parameter in self.params:
            complete(parameter)
        self.params.append(help_all())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # A shell asks for the value of the last option: without it click would drop the arguments, too.
        if ctx.resilient_parsing and args and args[-1].startswith("-"):
            options = [one for one in self.params if isinstance(one, click.Option) and not one.is_flag]
            if any(args[-1] in one.opts for one in options):
                args = args[:-1]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        if not any("--skip-absent" in parameter.opts for parameter in self.params):
            from ..ranks import nodesets

            # No error advises an option that this command has not.
            ctx.with_resource(nodesets.advising(""))
        return super().invoke(ctx)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_some(ctx, formatter, everything=False)

    def format_some(self, ctx: click.Context, formatter: click.HelpFormatter, *, everything: bool) -> None:
        """Writes the help, with all options and the whole text where asked."""
        self.format_usage(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(self.help or "" if everything else self.brief)
        folded = []
        for title, shown, more in sections(self.get_params(ctx)):
            options = [*shown, *more] if everything else shown
            records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
            if more and not everything:
                folded.append(f"{len(more)} of {title}")
        if self.examples:
            with formatter.section("Examples" if len(self.examples) > 1 else "Example"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        if folded or (not everything and self.brief != self.help):
            formatter.write_paragraph()
            what = f"{', '.join(folded)}: " if folded else ""
            formatter.write_text(f"… more: {what}{ctx.command_path} --help-all")


def grouped(command: click.Command, path: str) -> click.Command:
    """A command, or the commands of a group, with the help of this module.

    Args:
        command: as its file has it.
        path: what follows `lacis` to call it.
    """
    if isinstance(command, click.Group):
        command.commands = {name: grouped(one, f"{path} {name}") for name, one in command.commands.items()}
        if all(parameter.name != "help_all" for parameter in command.params):
            command.params.append(help_all(hidden=True))
        return command
    if not isinstance(command, GroupedCommand):
        command = GroupedCommand(
            command.name,
            callback=command.callback,
            params=list(command.params),
            help=command.help,
            short_help=command.short_help,
            epilog=command.epilog,
            context_settings=command.context_settings,
            no_args_is_help=command.no_args_is_help,
            hidden=command.hidden,
        )
    command.examples = EXAMPLES.get(path, ())
    return command


def help_all(*, hidden: bool = False) -> click.Option:
    """The option that prints the whole help."""

    def show(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if not value or ctx.resilient_parsing:
            return
        formatter = ctx.make_formatter()
        if isinstance(ctx.command, GroupedCommand):
            ctx.command.format_some(ctx, formatter, everything=True)
        else:
            ctx.command.format_help(ctx, formatter)
        click.echo(formatter.getvalue().rstrip("\n"))
        ctx.exit()

    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        hidden=hidden,
        help="Show this message with every option.",
    )


def sections(
    parameters: Iterable[click.Parameter],
) -> list[tuple[str, list[click.Option], list[click.Option]]]:
    """Title, options that are shown, and those that are folded."""
    topic_of = {
        name: (title, is_folded)
        for title, topic in TOPICS.items()
        for is_folded, names in enumerate(topic)
        for name in names
    }
    found: dict[str, tuple[list[click.Option], list[click.Option]]]
    found = {title: ([], []) for title in ("Options", *TOPICS)}
    for parameter in parameters:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            title, is_folded = topic_of.get(parameter.name or "", ("Options", 0))
            found[title][is_folded].append(parameter)
    last = {"help": 1, "help_all": 1}
    found["Options"][0].sort(key=lambda option: last.get(option.name or "", 0))
    return [(title, *options) for title, options in found.items()]
