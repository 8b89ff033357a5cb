"""The program as a whole: help, errors, exit status."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from lacis.cli import COMMANDS, cli
from lacis.cli._help import TOPICS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def test_help_names_every_command_and_imports_none_of_them() -> None:
    code = (
        "import sys; from lacis.cli import run; status = run(['--help']); "
        "heavy = {'numpy', 'rich', 'matplotlib', 'lacis._core', 'lacis.cli.report'} & set(sys.modules); "
        "sys.exit(f'imported {heavy}' if heavy else status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(lacis: Lacis, name: str) -> None:
    result = lacis(name, "--help")
    assert result.status == 0
    assert "Usage: lacis" in result.out
    assert "\\b" not in result.out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["rout"], "did you mean route"),
        (["fabric"], "Missing argument 'FABRIC'"),
        (["completion"], "Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish"),
        (["fabric", "--bogus"], "No such option '--bogus'"),
        (["fabric", "/nonexistent/file"], "/nonexistent/file: no such file or directory"),
        (["fabric", "."], ".: a folder without a fabric"),
        (["fabric", "fat-tre:8,2"], "fat-tree"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(lacis: Lacis, args: list[str], words: str) -> None:
    result = lacis(*args)
    assert result.status == 2
    assert result.err.startswith("lacis: ")
    assert result.err.count("\n") == 1
    assert words in result.err
    assert result.out == ""


def test_an_output_that_cannot_be_written_leaves_nothing_behind(lacis: Lacis, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "out.json"
    result = lacis("fabric", "article", "-o", target)
    assert result.status == 2
    assert str(target) in result.err
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = (
        f"{sys.executable} -c 'from lacis.cli import main; main()' fabric fat-tree:8,2 --json | head -c 20"
    )
    done = subprocess.run(
        ["bash", "-c", command + "; echo ${PIPESTATUS[0]} >&2"], capture_output=True, text=True, check=False
    )
    assert done.stderr == "0\n"


@pytest.mark.parametrize("args", [(), ("opensm",)])
def test_a_group_alone_shows_its_help(lacis: Lacis, args: tuple[str, ...]) -> None:
    result = lacis(*args)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("Usage: lacis")
    assert re.search(r"\n(Commands|Look):\n", result.out)


def leaves(command: click.Command, name: str) -> list[tuple[str, click.Command]]:
    """Commands without commands of their own, each with what is typed."""
    if not isinstance(command, click.Group):
        return [(name, command)]
    context = click.Context(command)
    names = {one: command.get_command(context, one) for one in command.list_commands(context)}
    return [leaf for one, sub in names.items() if sub for leaf in leaves(sub, f"{name} {one}".strip())]


EVERY = leaves(cli, "")


@pytest.mark.parametrize(("name", "command"), EVERY, ids=[name for name, _ in EVERY])
def test_help_fits_a_screen_and_help_all_has_every_option(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, name: str, command: click.Command
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    brief, whole = (lacis(*name.split(), option) for option in ("--help", "--help-all"))
    assert (brief.status, whole.status, brief.err, whole.err) == (0, 0, "", "")
    assert brief.out.count("\n") <= 58
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    for option in options:
        assert max(option.opts, key=len) in whole.out
    folded = [
        option
        for option in options
        if not re.search(rf"(?m)^  (-\w, )?{max(option.opts, key=len)}\b", brief.out)
    ]
    counted = [int(word) for word in re.findall(r"(\d+) of [A-Z]", brief.out.partition("… more: ")[2])]
    assert sum(counted) == len(folded)


@pytest.mark.parametrize("name", [name for name, _ in EVERY])
def test_help_is_as_wide_as_a_terminal_of_80_columns(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    whole = lacis(*name.split(), "--help-all").out
    # Examples, and the lines of a completion, are for a shell.
    lines = [line for line in whole.splitlines() if "lacis " not in line]
    assert [line for line in lines if len(line) > 80] == []


def test_options_stand_in_topics(lacis: Lacis) -> None:
    text = lacis("whatif", "--help-all").out
    titles = ("Options", "Routing", "Changes to the fabric", "Traffic", "Output")
    offsets = [text.index(f"\n{title}:\n") for title in titles]
    assert offsets == sorted(offsets)
    assert (
        offsets[1] < text.index("  --opensm-conf FILE") < offsets[2] < text.index("  --cut SEL") < offsets[3]
    )
    assert offsets[3] < text.index("  --host-order ORDER") < offsets[4] < text.index("  --json")


def test_a_topic_names_options_that_are_there_and_each_once() -> None:
    known = {parameter.name for _, command in EVERY for parameter in command.params}
    named = [name for topic in TOPICS.values() for part in topic for name in part]
    assert len(named) == len(set(named))
    assert set(named) <= known
