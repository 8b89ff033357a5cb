"""Every command keeps the width of the terminal, piped or not, and cuts nothing off."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

import pytest
from lacis.cli import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

WIDTHS = (60, 80, 120, 200)
RAILS = "fat-tree:8,2:rails=2"
CUT = ("fat-tree:8,2", "--without", "random-cables=8%,seed=3", "--without", "spine-02")

PRINTED: dict[str, list[tuple[str, ...]]] = {
    "report": [("report", *CUT, "-o", "page.html"), ("report", *CUT, "--full", "-o", "page.html")],
    "advise": [("advise", *CUT), ("advise", "torus:4x4")],
    "fabric": [("fabric", *CUT, "--why-levels"), ("fabric", RAILS, "--without", "node0003 HCA-2")],
    "verify": [("verify", *CUT), ("verify", "torus:4x4", "-R", "minhop"), ("verify", "cut.json", "--topology", "whole.json")],
    "trace": [("trace", RAILS, "node0001", "node0020"), ("trace", "fat-tree:8,3", "node0001", "node0100")],
    "diff": [("diff", "whole.json", "cut.json", "--all"), ("diff", "--fabric", "whole.json", "a.lfts", "b.lfts")],
    "job": [("job", "fat-tree:8,2", "node[0001-0009]"), ("job", RAILS, "node[0001-0009]")],
    "rails": [
        ("rails", RAILS, "--without", "node0003 HCA-2"),
        ("rails", "show", RAILS, "--all"),
        ("rails", "nccl", RAILS, "--algorithm", "ring"),
        ("rails", "check", "env.sh", RAILS),
        ("rails", "doctor", "job.log"),
    ],
    "predict": [
        ("predict", RAILS),
        ("predict", *CUT, "--traffic", "shift:3", "--model", "fluid"),
        ("predict", "fat-tree:8,2", "--traffic", "allreduce:ring", "--size", "1MB"),
    ],
    "simulate": [("simulate", "fat-tree:4,2", "--traffic", "shift:1", "--size", "64KiB")],
    "measure": [("measure", "design", "fat-tree:4,2", "--rounds", "3", "-o", "rounds")],
    "explain": [("explain", "fat-tree:4,2", "--measured", "nxn.csv"), ("explain", "--measured", "nxn.csv")],
    "whatif": [("whatif", "fat-tree:8,2", "--cut", "leaf-01--spine-01", "--drop", "spine-02")],
    "opensm": [("opensm", "conf", "fat-tree:8,2", "-R", "eventree", "-o", "opensm.conf")],
    "opafm": [("opafm", "opafm.xml")],
    "tune": [("tune", "fat-tree:4,2", "--seconds", "1")],
    "survive": [("survive", *CUT, "--top", "5")],
    "results": [("results", "list"), ("results", "show", "nxn.csv")],
}
