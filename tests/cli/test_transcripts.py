"""The tutorial shows what the program prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def transcripts(page: str) -> Iterator[tuple[str, str]]:
    """Each command of the page's ``console`` blocks, and the lines after it."""
    for block in BLOCK.findall(page):
        for command in block.removeprefix("$ ").split("\n$ "):
            typed, _, printed = command.partition("\n")
            yield typed, printed


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("jq"), reason="the tutorial uses jq")
def test_each_command_of_the_tutorial_prints_what_the_page_shows(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment.pop("COLUMNS", None)
    for command, printed in transcripts((ROOT / "docs" / "tutorial.md").read_text()):
        words = ["bash", "-c", f"{command} 2>&1"]
        run = subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        shown = [line.rstrip() for line in run.stdout.splitlines()]
        assert "\n".join(shown).rstrip() == printed.rstrip(), command
