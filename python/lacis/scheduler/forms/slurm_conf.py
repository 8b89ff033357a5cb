"""Lines of Slurm's configuration: `Key=Value` in any case, `#` begins a comment, a backslash continues a line.

From the manual page `topology.conf(5)` of Slurm 22.05 to 26.11 and, for `scontrol show topology`, from the output of 22.05.8.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...errors import LacisError
from .. import hostlists
from ..site import Site, SiteSwitch

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEY = re.compile(r"(?:^|(?<=\s))([A-Za-z]+)\s*=\s*(\"[^\"]*\"|\S*)")
_KNOWN = {
    "switchname",
    "switches",
    "children",
    "nodes",
    "linkspeed",
    "level",
    "blockname",
    "blocksizes",
    "blocksize",
    "blockindex",
    "ringname",
}


def is_tree(text: str) -> bool:
    """Whether a text defines switches."""
    return bool(re.search(r"^\s*SwitchName\s*=", text, re.IGNORECASE | re.MULTILINE))


def is_block(text: str) -> bool:
    """Whether a text defines blocks."""
    return bool(re.search(r"^\s*BlockName\s*=", text, re.IGNORECASE | re.MULTILINE))


def read(text: str) -> Site:
    """The switches or blocks of a `topology.conf`, or of what `scontrol show topology` prints.

    Raises:
        LacisError: when a line is neither; with the line.
    """
    switches: list[SiteSwitch] = []
    sizes: list[int] = []
    is_of_blocks = False
    lists = hostlists.Lists()
    for line, whole in _lines(text):
        keys = {key.lower(): value.strip('"') for key, value in _KEY.findall(whole)}
        left = _KEY.sub("", whole).strip()
        unknown = [key for key in keys if key not in _KNOWN]
        if left or unknown:
            what = unknown[0] if unknown else left.split()[0]
            raise LacisError(f"{what[:40]!r} is no key of topology.conf", line, whole.strip()[:80])
        if "ringname" in keys:
            raise LacisError("rings are not read; trees and blocks are", line, whole.strip()[:80])
        if "blocksizes" in keys:
            sizes = _sizes(keys["blocksizes"], line)
        name = keys.get("switchname", keys.get("blockname"))
        if name is None:
            if keys.keys() <= {"blocksizes", "blocksize", "blockindex"}:
                continue
            raise LacisError("a line without SwitchName or BlockName", line, whole.strip()[:80])
        if not name:
            raise LacisError("a switch without a name", line, whole.strip()[:80])
        is_of_blocks |= "blockname" in keys
        children = lists.expand(keys.get("switches", keys.get("children", "")), line)
        # `scontrol show topology` lists below a switch of a higher level what its leaves have.
        repeats = keys.get("level", "0") != "0"
        hosts = [] if repeats else lists.expand(keys.get("nodes", ""), line)
        switches.append(SiteSwitch(name, line, hosts, children))
    if not switches:
        raise LacisError("no SwitchName and no BlockName")
    return Site(switches, sizes, has_tiers=not is_of_blocks)


def _sizes(text: str, line: int) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdigit() and 0 < int(word) < 1 << 31 for word in words):
        raise LacisError("BlockSizes are no numbers", line, text[:80])
    return [int(word) for word in words]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Whole lines without comments, each with the number of its last."""
    held = ""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#", 1)[0].rstrip()
        if line.endswith("\\"):
            held += line[:-1] if not held else line[:-1].lstrip()
            continue
        # A list goes on without a blank; a new key has one before it.
        whole = held + (line.lstrip() if held.endswith((",", "[")) else line)
        held = ""
        if whole.strip():
            yield number, whole
    if held.strip():
        yield len(text.splitlines()), held
