"""The words of what to know about launching."""

from __future__ import annotations

from .. import launch as on
from ..words import count
from .dispatch import text


@text.register
def _(fact: on.LauncherFirst) -> str:
    return (
        "mpirun gives the host on which it runs the first ranks, wherever the file has it: launch from the first host or from "
        f"one that is not in the file, or write {fact.instead}"
    )


@text.register
def _(fact: on.NodesSorted) -> str:
    return f"torchrun numbers nodes by --node-rank; with --rdzv-backend {fact.backend} it would sort them by their addresses"


@text.register
def _(fact: on.NamesQuoted) -> str:
    shown = fact.first.encode("unicode_escape").decode("ascii")
    return f'{count(fact.names, "name")} with blanks in quotes, which no launcher reads, such as "{shown}"'
