"""`lacis rails`: hosts with several adapters, what libraries do with them, and what a job's log says."""

from __future__ import annotations

import click

from . import check, doctor, env, nccl, show


class _Group(click.Group):
    """`lacis rails FABRIC` is `lacis rails show FABRIC`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help", "--help-all"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group("rails", cls=_Group)
def command() -> None:
    """Hosts with several adapters: where their rails are, what libraries do with them, what a log says.

    `lacis rails FABRIC…` is `lacis rails show FABRIC…`.
    """


for _one in (show, env, check, doctor, nccl):
    command.add_command(_one.command)
