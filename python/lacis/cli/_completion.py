"""Completion in a shell: what a parameter can be, and the scripts of bash, zsh and fish.

A shell asks by running the program with `_LACIS_COMPLETE=SHELL_complete` and gets a line for each answer:
`KIND,VALUE` (fish: `KIND,VALUE<tab>HELP`; zsh: three lines). Kinds are click's `plain`, `file` and `dir`, and
`prefix`, after which no blank follows.
"""

from __future__ import annotations

import os
import re
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    split_arg_string,
)

VARIABLE = "_LACIS_COMPLETE"


class File(click.ParamType[str]):
    """The name of a file, as it was typed."""

    name = "FILE"

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> str:
        return str(value)

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        return [CompletionItem(incomplete, type="file")]


class Folder(File):
    """The name of a folder."""

    name = "DIR"

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        return [CompletionItem(incomplete, type="dir")]


class FabricName(File):
    """A fabric: a file, or a synthetic spec."""

    name = "FABRIC"

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        from .. import _core

        families = [(name, is_whole) for name, is_whole in _core.families() if name.startswith(incomplete)]
        if not incomplete or not families:
            return [CompletionItem(incomplete, type="file")]
        about = "synthetic fabric"
        return [
            CompletionItem(name, help=about)
            if is_whole
            else CompletionItem(f"{name}:", type="prefix", help=about)
            for name, is_whole in families
        ]


class Engines(File):
    """Routing engines, with commas between."""

    name = "ENGINE"

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        from ..sm.engines import ENGINES

        before, comma, last = incomplete.rpartition(",")
        return [
            CompletionItem(before + comma + name, type="plain")
            for name in ENGINES
            if name.lower().startswith(last.lower()) and name not in before.split(",")
        ]


class TrafficName(File):
    """A traffic: a pattern of hosts, or a message program."""

    name = "TRAFFIC"

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        from .. import _core

        if incomplete.startswith(_WITH_FILES):
            return [CompletionItem(incomplete, type="file")]
        return [
            CompletionItem(name, type="prefix" if name.endswith(":") else "plain")
            for name in _core.traffic_names()
            if name.startswith(incomplete)
        ]


_WITH_FILES = ("file:", "trace:")
"""Beginnings of a traffic, after which a file is named."""
_MOST_BYTES = 64 << 20
"""Of a file of a fabric up to which its nodes are completed: reading more takes longer than a person waits."""
_MOST_NAMES = 1000
"""Nodes that are listed."""


class Nodes(File):
    """A node of the fabric that the command line names; in a selector, the last node of a cable `A--B`."""

    name = "NODE"

    def shell_complete(
        self, ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        before, dashes, last = incomplete.rpartition("--")
        names = sorted(name for name in set(_names(ctx)) if name.startswith(last))
        return [CompletionItem(f"{before}{dashes}{name}", type="plain") for name in names[:_MOST_NAMES]]


class Hosts(Nodes):
    """Hosts of the fabric, with commas between, a set, or `file:PATH`."""

    name = "HOSTS"

    def shell_complete(
        self, ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        if incomplete.startswith("file:"):
            return [CompletionItem(incomplete, type="file")]
        before, comma, last = incomplete.rpartition(",")
        names = [name for name in _names(ctx, only_hosts=True) if name.startswith(last)]
        return [CompletionItem(f"{before}{comma}{name}", type="plain") for name in names[:_MOST_NAMES]]


def _names(ctx: click.Context, *, only_hosts: bool = False) -> list[str]:
    """Names of the nodes of FABRIC; none where it is not given yet, cannot be read at once, or is standard input."""
    from pathlib import Path

    from .. import _core
    from .. import fabric as api
    from ..errors import LacisError

    given = next((ctx.params[key] for key in ("fabric", "fabrics") if ctx.params.get(key)), None)
    source = given[0] if isinstance(given, tuple) else given
    try:
        if source in (None, "-") or (Path(source).is_file() and Path(source).stat().st_size > _MOST_BYTES):
            return []
        fabric = api.read(source)
    except (LacisError, OSError):
        return []
    hosts = _core.hosts(fabric).names
    return list(hosts) if only_hosts else [*(name for name, _ in fabric.switches()), *hosts]


_BY_METAVAR = {
    # Without brackets and what says that there may be more.
    "FILE": File(),
    "FILE|auto": File(),
    "PATH": File(),
    "ENV": File(),
    "LOG": File(),
    "PLAN": File(),
    "STORE": File(),
    "HOSTFILE": File(),
    "TRACE": File(),
    "diff FILE NEW": File(),
    "RUN|FILE": File(),
    "DIR": Folder(),
    "FOLDER": Folder(),
    "FABRIC": FabricName(),
    "FABRIC|FILE": FabricName(),
    "ENGINE": Engines(),
    "PATTERN": TrafficName(),
    "PROGRAM": TrafficName(),
    "TRAFFIC": TrafficName(),
    "NODE": Nodes(),
    "SELECTOR": Nodes(),
    "A": Nodes(),
    "B": Nodes(),
    "HOSTS": Hosts(),
    "JOB": Hosts(),
    "SET": Hosts(),
}


def complete(parameter: click.Parameter) -> None:
    """Makes a parameter completable, by its metavar: FILE, DIR, FABRIC, ENGINE, TRAFFIC, NODE, HOSTS, and their like."""
    kind = _BY_METAVAR.get(re.sub(r"[][,…]", "", parameter.metavar or ""))
    if kind is not None and parameter.type is click.STRING:
        parameter.type = kind


# Not COMP_WORDS: bash breaks words at `:` and `=`, which fabrics and options contain.
_BASH = """\
%(complete_func)s() {
    local kind value
    local IFS=$'\\n'
    COMPREPLY=()
    while IFS=',' read -r kind value; do
        case $kind in
            file) compopt -o filenames -o default ;;
            dir) compopt -o filenames -o dirnames ;;
            prefix) COMPREPLY+=("$value"); compopt -o nospace ;;
            plain)
                if [[ $value == *' '* ]]; then printf -v value %%q "$value"; fi
                COMPREPLY+=("$value")
                ;;
        esac
    done < <(COMP_LINE="${COMP_LINE:0:COMP_POINT}" \\
        %(complete_var)s=bash_complete "$1" 2> /dev/null)
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

_ZSH = """\
#compdef %(prog_name)s
_%(prog_name)s() {
    local kind value help
    local -a plain prefixes shown
    while read -r kind && read -r value && read -r help; do
        case $kind in
            file) _path_files -f ;;
            dir) _path_files -/ ;;
            prefix) prefixes+=("$value") ;;
            plain)
                shown+=("$value${help:+  -- $help}")
                [[ $value == *' '* ]] && value=${(q)value}
                plain+=("$value")
                ;;
        esac
    done < <(COMP_WORDS="${(pj:\\n:)words[1,CURRENT-1]}" COMP_LAST="$PREFIX" \\
        %(complete_var)s=zsh_complete "$words[1]" 2> /dev/null)
    (( $#prefixes )) && compadd -Q -S '' -- "${prefixes[@]}"
    (( $#plain )) && compadd -Q -l -V unsorted -d shown -- "${plain[@]}"
    return 0
}
# Loaded from $fpath this is the body of _%(prog_name)s at its first call; otherwise it was sourced.
if [[ $funcstack[1] == _%(prog_name)s ]]; then
    _%(prog_name)s "$@"
else
    compdef _%(prog_name)s %(prog_name)s
fi
"""

_FISH = """\
function %(complete_func)s
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    COMP_WORDS=(string join \\n -- $words | string collect) COMP_LAST="$last" \\
        %(complete_var)s=fish_complete $words[1] 2> /dev/null | while read -l line
        set -l item (string split -m 1 , -- $line)
        switch $item[1]
            case file
                __fish_complete_path (commandline -ct)
            case dir
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $item[2]
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


def _words() -> tuple[list[str], str]:
    """The complete arguments, and the one that is being typed."""
    return os.environ.get("COMP_WORDS", "").split("\n")[1:], os.environ.get("COMP_LAST", "")


class _Bash(BashComplete):
    source_template = _BASH

    def source(self) -> str:
        return ShellComplete.source(self)

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ.get("COMP_LINE", "")
        words = split_arg_string(line)
        is_new = not line or line[-1].isspace()
        return (words[1:], "") if is_new else (words[1:-1], words[-1])

    def complete(self) -> str:
        found = self.get_completions(*self.get_completion_args())
        return "\n".join(f"{item.type},{item.value}" for item in found)


class _Zsh(ZshComplete):
    source_template = _ZSH

    def get_completion_args(self) -> tuple[list[str], str]:
        return _words()

    def format_completion(self, item: CompletionItem[str]) -> str:
        return f"{item.type}\n{item.value}\n{item.help or ''}"


class _Fish(FishComplete):
    source_template = _FISH

    def get_completion_args(self) -> tuple[list[str], str]:
        return _words()

    def format_completion(self, item: CompletionItem[str]) -> str:
        return f"{item.type},{item.value}" + (f"\t{item.help}" if item.help else "")


SHELLS = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def answer(cli: click.Command, instruction: str) -> int:
    """Answers a shell: `bash_source` prints its script, `bash_complete` what can follow."""
    name, _, asked = instruction.partition("_")
    if name not in SHELLS or asked not in ("source", "complete"):
        known = ", ".join(f"{shell}_source, {shell}_complete" for shell in SHELLS)
        raise click.UsageError(f"{VARIABLE}={instruction}: expected one of {known}")
    shell = SHELLS[name](cli, {}, "lacis", VARIABLE)
    if asked == "source":
        click.echo(shell.source(), nl=False)
    else:
        click.echo(shell.complete())
    return 0
