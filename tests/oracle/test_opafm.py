"""Findings about an opafm.xml, against the manager's own `config_check`.

Each run of it takes half a second, so there are few. Both refuse the same files, and the tags that it ignores are those
that Lacis lists as unknown.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from lacis.facts.found.settings import TagUnknown
from lacis.omnipath import opafm

pytestmark = pytest.mark.oracle

CHECK = Path("/usr/lib/opa-fm/bin/config_check")
SHIPPED = Path("/etc/opa-fm/opafm.xml")
ON = "<Enable>1</Enable><Algorithm>2</Algorithm>"


@pytest.fixture(autouse=True, scope="session")
def oracle_installed() -> None:
    """Skips where the manager is not installed; in CI that is a failure."""
    if CHECK.exists() and SHIPPED.exists():
        return
    reason = "no config_check: install the Debian package opa-fm"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def check(path: Path) -> tuple[bool, list[str]]:
    """Whether `config_check` accepts a file, and the tags that it ignores."""
    done = subprocess.run(
        [CHECK, "-s", "-v", "-c", path], capture_output=True, text=True, timeout=60, check=False
    )
    ignored = re.findall(r"Unexpected tag ignored: (\S+)", done.stdout + done.stderr)
    return done.returncode == 0, sorted(set(ignored))


def adaptive(inner: str) -> tuple[str, str]:
    return "<AdaptiveRouting>.*?</AdaptiveRouting>", f"<AdaptiveRouting>{inner}</AdaptiveRouting>"


CASES = {
    "as shipped": None,
    "no algorithm, on": adaptive("<Enable>1</Enable>"),
    "no algorithm, off": adaptive("<Enable>0</Enable>"),
    "algorithm 5": adaptive("<Enable>1</Enable><Algorithm>5</Algorithm>"),
    "algorithm 5, off": adaptive("<Enable>0</Enable><Algorithm>5</Algorithm>"),
    "threshold 9": adaptive(f"{ON}<Threshold>9</Threshold>"),
    "threshold 9, off": adaptive("<Enable>0</Enable><Algorithm>2</Algorithm><Threshold>9</Threshold>"),
    "threshold 7": adaptive(f"{ON}<Threshold>7</Threshold>"),
    "frequency 12": adaptive(f"{ON}<ARFrequency>12</ARFrequency>"),
    "frequency 300": adaptive(f"{ON}<ARFrequency>300</ARFrequency>"),
    "frequency -1": adaptive(f"{ON}<ARFrequency>-1</ARFrequency>"),
    "frequency empty": adaptive(f"{ON}<ARFrequency></ARFrequency>"),
    "enable yes": adaptive("<Enable>yes</Enable><Algorithm>2</Algorithm>"),
    "hexadecimal": adaptive("<Enable>0x1</Enable><Algorithm>0x1</Algorithm>"),
    "misspelt": adaptive(f"{ON}<Treshold>3</Treshold>"),
    "algorithm bogus": ("<RoutingAlgorithm>shortestpath", "<RoutingAlgorithm>bogus"),
    "nine tiers": ("<TierCount>3", "<TierCount>9"),
    "LMC 9": ("<Lmc>0<", "<Lmc>9<"),
    "LMC text": ("<Lmc>0<", "<Lmc>none<"),
    "LMC beyond 32 bits": ("<Lmc>0<", "<Lmc>4294967296<"),
    "priority 16": ("<Priority>0<", "<Priority>16<"),
    "unknown tags": ("<Sm>", "<Sm><Bogus>1</Bogus><Other><Lmc>9</Lmc></Other>"),
    "no Pm": (r"<Pm>.*?</Pm>", ""),
    "off in common, on in an instance": (
        r"(<Fm>.*?<Sm>)",
        r"\1<AdaptiveRouting><Enable>1</Enable><Threshold>9</Threshold></AdaptiveRouting>",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lint_refuses_what_config_check_refuses(tmp_path: Path, name: str) -> None:
    text = re.sub(r"<!--.*?-->", "", SHIPPED.read_text(), flags=re.DOTALL)
    change = CASES[name]
    if change is not None:
        changed = re.sub(change[0], change[1], text, count=1, flags=re.DOTALL)
        assert changed != text
        text = changed
    path = tmp_path / "opafm.xml"
    path.write_text(text)
    passes, ignored = check(path)
    found = opafm.findings(opafm.read(path))
    assert passes == all(one.severity != "error" for one in found), found
    unknown = sorted({one.facts.tag for one in found if isinstance(one.facts, TagUnknown)})
    if passes:
        assert unknown == ignored


def test_the_file_as_it_is_shipped_is_without_findings() -> None:
    assert opafm.findings(opafm.read(SHIPPED)) == []
    assert opafm.settings(opafm.read(SHIPPED)) == opafm.Settings()
