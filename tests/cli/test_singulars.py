"""One of a thing is not called by its plural, on the smallest fabrics that have one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

STAR = "chain:1:h=3"
PLURAL = re.compile(
    r"(?<![\d,.])1 (?:adapters|cables|failures|flows|hosts|leaves|LIDs|events|links|messages|nodes|pairs|ranks|slots|bytes|rows|classes|rounds|phases|ports|random patterns|switches)\b"
)


@pytest.mark.parametrize(
    "args",
    [
        ("route", STAR, "-o", "tables"),
        ("opensm", "conf", STAR, "-R", "eventree"),
        ("topology", STAR, "--as", "slurm-tree"),
        ("topology", "chain:1:h=1", "--as", "slurm-tree"),
        ("rails", "nccl", "chain:2:h=1"),
        ("predict", "chain:1:h=2", "--traffic", "shift"),
        ("predict", "chain:1:h=2", "--patterns", "1"),
        ("tune", "chain:2:h=1", "--steps", "3", "--failures", "all"),
        ("simulate", "chain:2:h=1", "--traffic", "shift:1", "--bytes", "1"),
        ("measure", "plan", "chain:2:h=1", "--rounds", "1"),
        ("predict", "chain:2:h=1", "--traffic", "incast:1", "--model", "fluid", "--bytes", "1"),
        ("order", "chain:2:h=1", "--by", "host", "--list", "one"),
        ("rails", "doctor", "byte"),
        ("permute", "one", "--fabric", "chain:2:h=1", "--stencil", "2"),
    ],
    ids=" ".join,
)
def test_one_is_singular(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one").write_text("node0001\n")
    (tmp_path / "byte").write_text("x")
    done = lacis(*args)
    text = " ".join((done.out + done.err).split())
    assert text
    assert PLURAL.findall(text) == []
