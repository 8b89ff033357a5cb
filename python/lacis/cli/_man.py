"""Manual pages made from the commands: `python -m lacis.cli._man FOLDER` writes `lacis.1`, `lacis-route.1` and so on."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import COMMANDS, cli
from ._help import GroupedCommand, sections

if TYPE_CHECKING:
    from collections.abc import Iterator

EXIT = (
    ("0", "yes, or done."),
    ("1", "the answer is no; the description says to which question."),
    ("2", "could not tell: bad input or wrong usage, in one line on standard error."),
    ("70", "a bug in Lacis, in one line that says how to report it."),
    ("130", "interrupted by Ctrl-C."),
)


def pages() -> dict[str, str]:
    """Name of a page → its text, of the program and every command."""
    from importlib.metadata import version

    of = version("lacis")
    commands = dict(leaves(cli, "lacis"))
    found = {name.replace(" ", "-"): page(name, command, of) for name, command in commands.items()}
    return {"lacis": _program(commands, of)} | found


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Commands without subcommands, each with what is typed."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command, info_name=name)
    for one in command.list_commands(context):
        sub = command.get_command(context, one)
        if sub is not None:
            yield from leaves(sub, f"{name} {one}")


def page(name: str, command: click.Command, version: str) -> str:
    """The page of a command."""
    context = click.Context(command, info_name=name)
    text = command.help or ""
    first, _, rest = text.partition("\n\n")
    lines = [*_head(name, " ".join(first.split()), version)]
    lines += [".SH SYNOPSIS", f".B {_text(name)}", _text(" ".join(command.collect_usage_pieces(context)))]
    lines += [".SH DESCRIPTION", *_paragraphs(first), *_paragraphs(rest), ".SH OPTIONS"]
    for title, shown, folded in sections(command.get_params(context)):
        records = [option.get_help_record(context) for option in (*shown, *folded)]
        lines += [f'.SS "{_text(title)}"'] if any(records) else []
        for typed, about in filter(None, records):
            lines += [".TP", f".B {_text(typed)}", _text(about)]
    if isinstance(command, GroupedCommand) and command.examples:
        lines += [".SH EXAMPLES", ".nf", *map(_text, command.examples), ".fi"]
    return "\n".join([*lines, *_exit(), ".SH SEE ALSO", ".BR lacis (1)"]) + "\n"


def _program(commands: dict[str, click.Command], version: str) -> str:
    lines = [*_head("lacis", "a fabric engineer's workbench for InfiniBand and Omni-Path", version)]
    lines += [".SH SYNOPSIS", ".B lacis", "COMMAND [OPTIONS] FABRIC"]
    lines += [".SH DESCRIPTION", *_paragraphs(cli.help or ""), ".SH COMMANDS"]
    for name, command in commands.items():
        about = COMMANDS.get(name.removeprefix("lacis ")) or command.get_short_help_str(200)
        lines += [".TP", f".BR {_text(name.replace(' ', '-'))} (1)", _text(about)]
    return "\n".join([*lines, *_exit(), ".SH SEE ALSO", ".BR opensm (8),", ".BR ibnetdiscover (8)"]) + "\n"


def _head(name: str, about: str, version: str) -> list[str]:
    title = name.replace(" ", "-")
    return [
        f'.TH "{_text(title.upper())}" "1" "" "Lacis {_text(version)}" "Lacis"',
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{_text(title)} \\- {_text(about.rstrip('.'))}",
    ]


def _exit() -> list[str]:
    lines = [".SH EXIT STATUS"]
    for status, about in EXIT:
        lines += [".TP", f".B {status}", _text(about)]
    return lines


def _paragraphs(text: str) -> Iterator[str]:
    """Text as click has it: paragraphs, which are not wrapped where they begin with a backspace."""
    for paragraph in text.split("\n\n"):
        lines = paragraph.strip("\n").split("\n")
        if lines[0].strip(" ") == "\b":
            yield from (".PP", ".nf", *map(_text, lines[1:]), ".fi")
        elif any(lines):
            yield from (".PP", _text(" ".join(line.strip() for line in lines)))


def _text(text: str) -> str:
    """A text in which nothing is an instruction of roff."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("`", "\\(ga")
    escaped = escaped.replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^(['.])", r"\\&\1", escaped)


def main() -> None:
    """Writes the pages into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / f"{name}.1").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
