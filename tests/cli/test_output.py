"""What is printed keeps the terminal's width, in a pipe too, and cuts neither names nor numbers off."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

import pytest
from lacis.facts.words import count

from tests.conftest import one_quick

if TYPE_CHECKING:
    from tests.conftest import Lacis

COMMAND = [sys.executable, "-c", "from lacis.cli import main; main()"]


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "no planes"), (1, "1 plane"), (2, "2 planes"), (2304, "2,304 planes")],
)
def test_one_thing_is_no_plural(number: int, words: str) -> None:
    assert count(number, "plane") == words
    assert count(number, "switch", "switches").endswith(" switch" if number == 1 else " switches")


@pytest.mark.parametrize("columns", [5, 40, 110])
def test_tables_are_whole_however_narrow_the_terminal(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = lacis("survive", "fat-tree:8,3", "--without", "random-cables=5%,seed=3", "--top", "3").out
    assert "…" not in out
    if columns >= 110:
        head = next(line for line in out.splitlines() if line.startswith("what fails"))
        assert head.endswith("worst shift   mean shift   entries")
        for row in out.split("─\n")[1].splitlines()[:3]:
            name, *numbers = row.split()
            assert len(numbers) == 6, row
            assert "--" in name or "-" in name
    else:  # there is no room for columns: each of the three rows is lines of its own, in 40 columns
        lines = out.splitlines()
        assert max(map(len, lines)) <= 40
        for label in ("worst shift", "mean shift", "entries"):
            assert sum(line.split("  ")[1:2] == [label] for line in lines) == 3
    out = lacis("fabric", "fat-tree:8,3").out
    if columns >= 110:
        assert "level   role    switches   links down   links up   down : up\n" in out
        assert "    0   leaf          32          128        128        1.00\n" in out
    assert all(f"\n{label} " in f"\n{out}" for label in ("switches", "end nodes", "bisection"))


@pytest.mark.parametrize("columns", one_quick([60, 90]))
def test_a_pipe_has_the_width_of_the_terminal_that_is_there(columns: int) -> None:
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    done = subprocess.run(
        [*COMMAND, "fabric", "fat-tree:4,2", "--without", "leaf-01--spine-01"],
        stdout=subprocess.PIPE,
        stderr=side,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
        env={key: value for key, value in os.environ.items() if key != "COLUMNS"},
    )
    os.close(side)
    os.close(main)
    lengths = [len(line) for line in done.stdout.splitlines() if not line.startswith(("level", "─"))]
    assert columns - 25 < max(lengths) <= columns


def test_service_levels_are_written_under_their_name_and_lanes_are_a_number(lacis: Lacis) -> None:
    result = lacis("route", "ring:6", "-R", "lash", "--lanes", "levels")
    assert (result.status, result.out) == (2, "")
    assert "No such option '--lanes'" in result.err
    result = lacis("predict", "ring:6", "--lanes", "levels")
    assert result.status == 2
    assert "'levels' is not a valid integer range" in result.err
