"""`lacis completion`: what a shell needs to complete commands, options, engines, fabrics and files."""

from __future__ import annotations

import click

from ._completion import SHELLS, VARIABLE


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SHELLS)))
def command(shell: str) -> None:
    """Print the script with which SHELL completes what follows `lacis`.

    \b
    bash   lacis completion bash > ~/.local/share/bash-completion/completions/lacis
    zsh    lacis completion zsh > FOLDER/_lacis       FOLDER: one of $fpath
    fish   lacis completion fish > ~/.config/fish/completions/lacis.fish

    For one session: `source <(lacis completion bash)`.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    click.echo(SHELLS[shell](click.Command("lacis"), {}, "lacis", VARIABLE).source(), nl=False)
