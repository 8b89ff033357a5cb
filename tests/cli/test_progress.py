"""Progress: a line on a terminal for what takes long, and nothing anywhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

# Long work, without the two seconds in which nothing is said.
CODE = """
import sys, time
from lacis.cli import _progress, run
_progress.AFTER = 0.0
with _progress.progress("first thing") as advance:
    time.sleep(0.5)
    with _progress.progress("second thing"):
        time.sleep(0.5)
    for done in range(5):
        advance("failures", done, 8)
        time.sleep(0.1)
    time.sleep(0.3)
    print("on standard output")
sys.exit(run(sys.argv[1:]))
"""
COMMAND = [sys.executable, "-c", CODE, "predict", "fat-tree:4,2", "--patterns", "2"]


@pytest.mark.slow
def test_a_terminal_sees_what_is_running_and_nothing_stays() -> None:
    main, side = pty.openpty()
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=side, text=True) as program:
        os.close(side)
        seen = b""
        while True:
            try:
                piece = os.read(main, 1000)
            except OSError:  # the terminal's other end is closed
                break
            seen += piece
        assert program.stdout is not None
        out = program.stdout.read()
    os.close(main)
    assert program.returncode == 0
    text = seen.decode()
    assert text.index("first thing, ") < text.index("second thing, ") < text.index("failures 4 of 8 (50%), ")
    assert " s left" in text
    assert text.endswith("\r\x1b[K")
    assert "thing" not in out
    assert out.startswith("on standard output\nbisection: ")


@pytest.mark.slow
def test_a_pipe_sees_nothing_of_it() -> None:
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("on standard output\nbisection: ")
