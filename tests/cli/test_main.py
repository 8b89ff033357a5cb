"""The program as a whole: help, errors, exit status."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lacis.cli import COMMANDS

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
        (["fabric", "--bogus"], "No such option '--bogus'"),
        (["fabric", "/nonexistent/file"], "/nonexistent/file: no such file or directory"),
        (["fabric", "."], ".: is a directory"),
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


def test_the_help_of_routing_options_stands_in_groups(lacis: Lacis) -> None:
    text = lacis("route", "--help").out
    titles = [
        "Options:",
        "Engine:",
        "Roots, nodes and order:",
        "Choice of ports:",
        "Lanes:",
        "LIDs:",
        "The fabric:",
    ]
    places = [text.index(f"\n{title}\n") for title in titles]
    assert places == sorted(places)
    assert places[1] < text.index("--opensm-conf") < places[2] < text.index("--root-guid-file") < places[3]
