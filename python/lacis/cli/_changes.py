"""Changes to a fabric on the command line, in the order in which they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ._help import GroupedCommand

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = {
    "cut": "Cut cables: A--B, A[PORT], …",
    "drop": "Switch nodes off: a switch or a host, by name.",
    "restore": "Bring cables or nodes back that were cut or dropped.",
}
_META = "lacis.changes"


class ChangesCommand(GroupedCommand):
    """A command that knows in which order `--cut`, `--drop` and `--restore` were typed.

    Click hands over the values of each option, but not their order among options. So each value is
    taken from the command line before Click parses it.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:  # a shell asks what can follow
            return super().parse_args(ctx, args)
        changes: list[tuple[str, str]] = []
        rest: list[str] = []
        todo = iter(args)
        for arg in todo:
            name, given, value = arg.partition("=")
            if arg == "--":
                rest += [arg, *todo]
            elif name.removeprefix("--") in KINDS and name.startswith("--"):
                selector = value if given else next(todo, None)
                if selector is None:
                    raise click.UsageError(f"Option '{name}' requires an argument.", ctx)
                changes.append((name.removeprefix("--"), selector))
            else:
                rest.append(arg)
        ctx.meta[_META] = changes
        return super().parse_args(ctx, rest)


def changes_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to the help of a `ChangesCommand`."""
    for kind, about in reversed(KINDS.items()):
        option = click.option(
            f"--{kind}", multiple=True, metavar="SELECTOR", help=f"{about} Repeatable.", expose_value=False
        )
        function = option(function)
    return function


def changes() -> list[tuple[str, str]]:
    """The changes of the running command: what to do, and the selector."""
    typed: list[tuple[str, str]] = click.get_current_context().meta[_META]
    return typed
