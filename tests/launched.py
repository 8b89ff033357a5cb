"""What tests of files for launchers share: a small tree, two of its hosts, and what a command wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Result

TREE = "fat-tree:4,2"
"""Four leaves of two nodes, node0001 to node0008, leaf by leaf."""
SOME = ("--hosts", "node[0001,0003]")


def written(result: Result) -> str:
    assert result.status == 0, result.err
    return result.out
