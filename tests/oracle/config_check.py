"""The fabric manager's `config_check`, and documents for it.

`config_check -d` prints the manager's checksums: documents of one checksum mean the same to it.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

CHECK = Path("/usr/lib/opa-fm/bin/config_check")
SHIPPED = Path("/etc/opa-fm/opafm.xml")
HEAD = """<?xml version="1.0"?>
<Config><Common>
<Applications><Application><Name>SA</Name><Select>SA</Select><Select>PM</Select></Application><Application>
<Name>All</Name><ServiceIDRange>0-0xffffffffffffffff</ServiceIDRange><Select>UnmatchedServiceID</Select>
<Select>UnmatchedMGID</Select></Application></Applications>
<DeviceGroups><DeviceGroup><Name>All</Name><Select>All</Select></DeviceGroup></DeviceGroups>
<VirtualFabrics><VirtualFabric><Name>Default</Name><Enable>1</Enable><PKey>0x7fff</PKey><Security>1</Security>
<Member>All</Member><Application>All</Application><Application>SA</Application></VirtualFabric></VirtualFabrics>
<Shared/><Sm><Start>1</Start></Sm><Fe/><Pm><Start>1</Start></Pm>
"""


def need() -> None:
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
        [CHECK, "-s", "-v", "-c", str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    ignored = re.findall(r"Unexpected tag ignored: (\S+)", done.stdout + done.stderr)
    return done.returncode == 0, sorted(set(ignored))


def element(section: str, text: str) -> str:
    for name in reversed(section.split("/")):
        text = f"<{name}>{text}</{name}>"
    return text


def document(common: str, own: str) -> str:
    started = "<Shared><Start>1</Start></Shared><Sm/><Fe/><Pm/>"
    return f"{HEAD}{common}</Common>\n<Fm>{started}{own}</Fm></Config>"


def sums(path: Path, text: str) -> list[str]:
    """The checksums of the first instance; none where `config_check` refuses the document."""
    path.write_text(text)
    words = [str(CHECK), "-s", "-v", "-d", "-c", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    first = done.stdout.split("FM instance 0\n")[-1].split("FM instance 1")[0]
    found = re.findall(r"[SP]M overall checksum +(\d+) +consistency checksum +(\d+)", first)
    return [number for pair in found for number in pair] if done.returncode == 0 else []
