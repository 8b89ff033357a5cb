"""Reports of Debian's ``opareport`` (package ``opa-fastfabric``) on a snapshot, offline."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "opa-fastfabric"

EXPECTED = {
    "opareport: -r ignored for -X",
    "opareport: -r and -Q ignored for -X",
}
"""Lines on standard error of reports that would ask a live fabric for its tables."""


class OpareportError(RuntimeError):
    """``opareport`` refused a snapshot, or printed a warning."""


def missing() -> list[str]:
    """The program, where this machine lacks it."""
    return [] if shutil.which("opareport") else ["opareport"]


def run(snapshot: Path, *words: str) -> str:
    """A report; any warning is an error.

    Args:
        snapshot: the file.
        words: more of the command line, such as ``-o``, ``links``.
    """
    done = subprocess.run(
        ["timeout", "-s", "KILL", "120", "opareport", "-q", "-X", str(snapshot), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if line.strip() and line.strip() not in EXPECTED]
    if done.returncode or said:
        raise OpareportError(f"{' '.join(words)}: exit {done.returncode}: {done.stderr[-1500:]}")
    return done.stdout


def _sections(text: str) -> dict[int, list[str]]:
    """The lines under each node."""
    found: dict[int, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        head = re.match(r"(0x[0-9a-f]{16}) SW ", line)
        if head:
            lines = found.setdefault(int(head[1], 16), [])
        else:
            lines.append(line)
    return found


def linear(snapshot: Path) -> dict[int, dict[int, int]]:
    """Forwarding tables: port by LID, by switch node GUID."""
    entry = re.compile(r"\s+(0x[0-9a-f]+)\s+(\d+)")
    tables: dict[int, dict[int, int]] = {}
    for switch, lines in _sections(run(snapshot, "-o", "linear")).items():
        found = (entry.match(line) for line in lines)
        tables[switch] = {int(m[1], 16): int(m[2]) for m in found if m}
    return tables


def port_groups(snapshot: Path) -> dict[int, tuple[dict[int, set[int]], dict[int, int]]]:
    """Ports by group, and group by LID, by switch node GUID."""
    groups: dict[int, tuple[dict[int, set[int]], dict[int, int]]] = {}
    for switch, lines in _sections(run(snapshot, "-o", "portgroups", "-d", "10")).items():
        ports: dict[int, set[int]] = {}
        by_lid: dict[int, int] = {}
        for line in lines:
            if m := re.match(r"\s+(\d+) : ((?:\d+, )+)", line):
                ports[int(m[1])] = {int(p) for p in m[2].replace(",", " ").split()}
            elif m := re.match(r"\s+(0x[0-9a-f]+) - ([0-9a-f]+)\s+(\d+)$", line):
                by_lid |= dict.fromkeys(range(int(m[1], 16), int(m[2], 16) + 1), int(m[3]))
        groups[switch] = (ports, by_lid)
    return groups


Cable = frozenset[tuple[int, int]]
"""Its two ends: node GUID and port."""


def links(snapshot: Path) -> tuple[int, set[Cable]]:
    """Their number, as printed, and the list."""
    text = run(snapshot, "-o", "links")
    counted = re.search(r"^(\d+) Links in Fabric", text, re.M)
    ends = re.findall(r"^ *(?:\S+|<->) +(0x[0-9a-f]{16}) +(\d+) (?:SW|FI) ", text, re.M)
    ports = [(int(guid, 16), int(port)) for guid, port in ends]
    return int(counted[1]) if counted else 0, {
        frozenset(pair) for pair in zip(ports[::2], ports[1::2], strict=True)
    }


def node_counts(snapshot: Path) -> tuple[int, int]:
    """Adapters and switches."""
    text = run(snapshot, "-o", "brnodes")
    counts = re.findall(r"^(\d+) Connected (?:FIs|Switches|Switch\(es\)) in Fabric", text, re.M)
    return int(counts[0]), int(counts[1])


@dataclass
class Usage:
    """Routes between adapters over a port of a switch, in each direction."""

    received: int
    sent: int


def path_usage(snapshot: Path) -> dict[tuple[int, int], Usage]:
    """Of the ports between switches, by switch node GUID and port."""
    found: dict[tuple[int, int], Usage] = {}
    for switch, lines in _sections(run(snapshot, "-o", "pathusage")).items():
        for line in lines:
            if m := re.match(r"\s+(\d+)\s+(\d+)\s+\d+\s+\d+\s+(\d+)\s+\d+\s+\d+$", line):
                found[switch, int(m[1])] = Usage(int(m[2]), int(m[3]))
    return found


def validate_routes(snapshot: Path) -> tuple[int, int]:
    """Routes between all LIDs, and how many of them do not arrive."""
    text = run(snapshot, "-o", "validateroutes")
    analysed, incomplete = (
        re.search(rf"^(\d+) {what}", text, re.M) for what in ("Analyzed Routes", r"Incomplete Route")
    )
    if not analysed or not incomplete:
        raise OpareportError(text[-500:])
    return int(analysed[1]), int(incomplete[1])


def validate_port_groups(snapshot: Path) -> tuple[int, list[str]]:
    """The number of alternate routes, and the errors."""
    text = run(snapshot, "-o", "validatepgs")
    tried = re.search(r"^Alternate Routes Tested: (\d+)", text, re.M)
    errors = re.findall(r"^\s*(?:ERROR|Path to|Duplicate|Unable).*$", text, re.M)
    return int(tried[1]) if tried else 0, errors


def _links(text: str) -> list[tuple[list[tuple[int, int]], dict[tuple[int, int], list[str]]]]:
    """The links of a report: their two ends, and the lines below each end."""
    found: list[tuple[list[tuple[int, int]], dict[tuple[int, int], list[str]]]] = []
    at: tuple[int, int] | None = None
    for line in text.splitlines():
        if m := re.match(r"\s*(?:\d+g|<->) +(0x[0-9a-f]{16}) +(\d+) (?:SW|FI)", line):
            at = (int(m[1], 16), int(m[2]))
            if "<->" not in line:
                found.append(([], {}))
            found[-1][0].append(at)
        elif at is not None and line.startswith("    "):
            found[-1][1].setdefault(at, []).append(line.strip())
        else:
            at = None
    return found


def slow_links(snapshot: Path) -> set[frozenset[tuple[int, int]]]:
    """Links that run slower than what is enabled, by the GUIDs and ports of their ends."""
    text = run(snapshot, "-o", "slowlinks")
    if "Links Checked" not in text:
        raise OpareportError(text[-500:])
    return {frozenset(ends) for ends, _ in _links(text)}


def port_errors(snapshot: Path) -> set[tuple[int, int, str]]:
    """Counters beyond their thresholds: GUID, port, counter."""
    text = run(snapshot, "-o", "errors", "-c", "/etc/opa/opamon.conf")
    if "Configured Thresholds" not in text:
        raise OpareportError(text[-500:])
    lines = [(end, line) for _, below in _links(text) for end, lines in below.items() for line in lines]
    return {(*end, line.split(":")[0]) for end, line in lines if "Threshold" in line}


def has_credit_loop(snapshot: Path) -> bool:
    """Whether routes between adapters can wait for each other in a circle."""
    text = run(snapshot, "-o", "validatecreditloops")
    if "Routes are deadlock free" in text:
        return False
    if "credit loop" in text.lower() or "deadlock" in text.lower():
        return True
    raise OpareportError(text[-500:])


def route(snapshot: Path, source: str, target: str) -> str:
    """Routes between two points, as printed."""
    return run(snapshot, "-o", "route", "-S", source, "-D", target)
