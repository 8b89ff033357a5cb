"""What accuses a cable or an adapter, what holds a job up, and what is missing for saying that nothing does.

What is broken comes first, then what is busy; that a fabric is innocent is said only where every port of the job was read, nothing
of it is lost, and nothing of it is left to explain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np

from ..counters import LinkState, Lost
from ..facts import guilt as of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..fabric.ports import Ports
    from ..job.windows import Window
    from .measured import Measured

TOLERATED = {
    "SymbolErrors": 10,
    "EffectiveErrors": 10,
    "RcvErrors": 10,
    "LinkDowned": 0,
    "LinkErrorRecovery": 0,
    "LocalLinkIntegrityErrors": 0,
    "ExcessiveBufferOverruns": 0,
    "FecUncorrectable": 0,
    "UncorrectableErrors": 0,
}
"""Counters that accuse a cable, and what is tolerated on a port in the window, at most: of those that every link counts now and then
what the file of thresholds of `ibqueryerrors` proposes."""
_ALWAYS = (
    *("XmitData", "RcvData", "XmitWait", "LinkErrorRecovery", "LinkDowned", "RcvErrors", "XmitDiscards"),
    *("LocalLinkIntegrityErrors", "ExcessiveBufferOverruns"),
)
_OF_TECHNOLOGY = {"InfiniBand": ("SymbolErrors",), "Omni-Path": ("UncorrectableErrors",)}
_NEVER = (1 << 64) - 1
_COVERED = 0.9
"""A port that was read for less of the window was not read for all of it."""
_NAMED = 4
"""Ports that a fact names."""
_DOWN = (LinkState.DOWN, LinkState.INIT, LinkState.ARMED)
_BECAUSE: dict[int, of.LostBecause] = dict(
    zip((code for code in Lost if code != Lost.NOTHING), get_args(of.LostBecause), strict=True)
)


def required(technology: str) -> tuple[str, ...]:
    """The counters without which no port is known to be clean."""
    return (*_ALWAYS, *_OF_TECHNOLOGY.get(technology, ()))


def lost_of(measured: Measured, technology: str) -> dict[str, NDArray[np.uint8]]:
    """By a counter: why its growth is not known; of one that is required, also where no reading has it."""
    absent = np.full(len(measured.is_read), Lost.ABSENT, np.uint8)
    return dict.fromkeys(required(technology), absent) | dict(measured.lost)


def guilty_parts(
    links: Ports,
    measured: Measured,
    ports: NDArray[np.bool_],
    roots: NDArray[np.bool_],
    in_log: Mapping[int, int],
    of_log: int,
) -> list[of.GuiltyPart]:
    """What is broken, the worst first.

    Args:
        links: the fabric's.
        measured: what they did.
        ports: those of the job, at both ends of each link.
        roots: links that hold the job up, whether its packets cross them or not.
        in_log: failures in the job's log that cross a cable, by the lower of its rows.
        of_log: all failures in the log.
    """
    accusing = np.isin(measured.states, _DOWN) | np.isfinite(measured.slowed)
    for counter, limit in TOLERATED.items():
        if counter in measured.grown:
            accusing |= measured.grown[counter] > limit
    accusing &= ports
    slow = roots & _to_adapters(links) & (measured.slow > 0)
    found: list[tuple[tuple[float, ...], of.GuiltyPart]] = []
    cables = np.minimum(np.arange(len(links)), links.far)
    for cable in np.unique(cables[accusing]).tolist():
        both = (cable, int(links.far[cable]))
        evidence = [one for row in both for one in _accusations(links, measured, row)]
        evidence += [_held_up(links, measured, row) for row in both if slow[row]]
        evidence.sort(key=_severity)
        if in_log.get(cable):
            evidence.append(of.LogNames(in_log[cable], of_log))
        kind, number = _severity(evidence[0])
        worst = (kind, -in_log.get(cable, 0), number)
        found.append((worst, of.GuiltyPart("cable", links.ends(cable), True, evidence)))
    for row in np.flatnonzero(slow).tolist():
        if accusing[row] or accusing[links.far[row]]:
            continue
        held = _held_up(links, measured, row)
        part = of.GuiltyPart("adapter", links.ends(row), bool(ports[row]), [held])
        kind, number = _severity(held)
        found.append(((kind, -in_log.get(int(cables[row]), 0), number), part))
    return [part for _, part in sorted(found, key=lambda one: (one[0], one[1].ends))]


def _to_adapters(links: Ports) -> NDArray[np.bool_]:
    return links.of_switch & links.is_cabled & ~links.to_switch


def _held_up(links: Ports, measured: Measured, row: int) -> of.AdapterHoldsUp:
    discards = int(measured.grown["XmitDiscards"][row]) if "XmitDiscards" in measured.grown else 0
    return of.AdapterHoldsUp(
        *links.ends(row), float(measured.waiting[row]), float(measured.peak[row]), discards
    )


def _accusations(links: Ports, measured: Measured, row: int) -> list[of.Evidence]:
    port, peer = links.ends(row)
    found: list[of.Evidence] = []
    if measured.states[row] in _DOWN:
        found.append(of.PortDown(port, peer))
    if np.isfinite(measured.slowed[row]):
        found.append(of.LinkSlowed(port, peer, float(measured.slowed[row]), float(links.rates[row])))
    for counter, limit in TOLERATED.items():
        if counter in measured.grown and measured.grown[counter][row] > limit:
            exact = bool(measured.lost[counter][row] == Lost.NOTHING)
            at_host = not links.between_switches[row]
            grown = int(measured.grown[counter][row])
            found.append(of.ErrorsGrew(port, peer, counter, grown, limit, exact, at_host))
    return found


def _severity(one: of.Evidence) -> tuple[int, float]:
    """What sorts the worst first: a link that is down, one that was or is slow, errors by their number, an adapter by the waiting."""
    match one:
        case of.PortDown():
            return 0, 0.0
        case of.LinkSlowed(carries=carries, rate=rate):
            return 1, -rate / carries
        case of.ErrorsGrew(counter="LinkDowned", growth=growth):
            return 1, -float(growth)
        case of.ErrorsGrew(growth=growth):
            return 2, -float(growth)
        case of.AdapterHoldsUp(waiting=waiting):
            return 3, -waiting
        case _:
            return 4, 0.0


def common_node(parts: Sequence[of.GuiltyPart]) -> str:
    """The node at which all of several parts have an end; empty where there is none."""
    if len(parts) < 2:
        return ""
    ends = [{end.rpartition("[")[0] for end in part.ends} for part in parts]
    shared = set.intersection(*ends)
    return min(shared) if shared else ""


def roots_of(
    links: Ports, measured: Measured, job: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """What holds a job up: busy links and slow adapters, its own and those that its packets wait behind; and its links that wait.

    Data that waits on a link waits for a buffer of the switch at its end, which is emptied as fast as the links that leave that
    switch allow: from switch to switch the waiting leads to a link that is busy, or to an adapter that does not take what it gets.
    """
    is_root = (measured.hot > 0) | (_to_adapters(links) & (measured.slow > 0))
    trunk = links.between_switches
    held = measured.held > 0
    waiting = job & held & ~is_root & trunk
    roots = job & is_root
    reached = np.zeros(len(links.names), np.bool_)
    frontier = np.unique(links.far_nodes[job & held & trunk])
    while len(frontier):
        reached[frontier] = True
        from_here = links.of_switch & np.isin(links.nodes, frontier)
        roots |= from_here & is_root
        beyond = np.unique(links.far_nodes[from_here & held & trunk])
        frontier = beyond[~reached[beyond]]
    # A host whose own adapter waits sends into a leaf that waits; that a leaf is free and does not take it is not explained.
    from_hosts = job & held & ~is_root & ~links.of_switch
    roots |= is_root & np.isin(links.nodes, links.far_nodes[from_hosts])
    return roots, waiting | from_hosts


def missing_readings(
    links: Ports, measured: Measured, ports: NDArray[np.bool_], window: Window, technology: str, unrouted: int
) -> list[of.Missing]:
    """What is missing for saying that all of a job's ports were clean, whatever was read of others."""
    found: list[of.Missing] = []
    if unrouted:
        found.append(of.PairsUnrouted(unrouted))
    found += _unread(links, measured, ports)
    there = ports & measured.is_read
    if not measured.has_times:
        found.append(of.TimesUnknown())
    else:
        found += _uncovered(links, measured, there, window)
    names = required(technology)
    for counter, codes in lost_of(measured, technology).items():
        if counter not in names and counter not in measured.grown:
            continue
        for code in np.unique(codes[there]).tolist():
            # A counter that a device does not have is missing only where no port is known to be clean without it.
            if code == Lost.NOTHING or (code == Lost.ABSENT and counter not in names):
                continue
            at = np.flatnonzero(there & (codes == code))
            found.append(of.CountersLost(counter, _BECAUSE[code], _named(links, at), len(at)))
    received = measured.sent > 0
    # A link that carried packets, and did not go down, was up.
    silent = there & (measured.states == LinkState.UNKNOWN) & ~(received | links.of_far(received, 0))
    if silent.any():
        found.append(of.StatesUnknown(_named(links, np.flatnonzero(silent)), int(silent.sum())))
    unknown = ports & ~np.isfinite(links.rates)
    if unknown.any():
        at = np.flatnonzero(unknown)
        found.append(of.RatesUnknown([links.ends(row) for row in at[:_NAMED].tolist()], len(at)))
    for counter, growth in measured.grown.items():
        # What accuses a cable is said there.
        at = np.flatnonzero(ports & (growth > 0) & (growth <= TOLERATED.get(counter, _NEVER)))
        if len(at):
            at = at[np.argsort(-growth[at].astype(np.float64), kind="stable")]
            found.append(of.ErrorsFew(counter, int(growth[at[0]]), _named(links, at), len(at)))
    return found


def _unread(links: Ports, measured: Measured, ports: NDArray[np.bool_]) -> list[of.Missing]:
    by_reason: dict[str, list[int]] = {}
    for row in np.flatnonzero(ports & ~measured.is_read).tolist():
        by_reason.setdefault(measured.unread.get(row, ""), []).append(row)
    return [
        of.PortsUnread(_named(links, np.array(rows)), len(rows), reason)
        for reason, rows in sorted(by_reason.items())
    ]


def _uncovered(
    links: Ports, measured: Measured, there: NDArray[np.bool_], window: Window
) -> list[of.Missing]:
    """Ports of whose window less is known than is required, between the first reading and the last and in the intervals."""
    within = np.minimum(measured.ends, window.end) - np.maximum(measured.begins, window.begin)
    covered = np.clip(np.minimum(within / 1e9, measured.seconds) / window.seconds, 0.0, 1.0)
    at = np.flatnonzero(there & (covered < _COVERED))
    if not len(at):
        return []
    at = at[np.argsort(covered[at], kind="stable")]
    return [of.WindowUncovered(_named(links, at), len(at), float(covered[at[0]]))]


def _named(links: Ports, rows: NDArray[np.integer]) -> list[str]:
    return [links.name(row) for row in rows[:_NAMED].tolist()]


def wait_unexplained(links: Ports, measured: Measured, waiting: NDArray[np.bool_]) -> list[of.Missing]:
    """Links that wait where nothing that was read explains it."""
    at = np.flatnonzero(waiting)
    if not len(at):
        return []
    at = at[np.argsort(-measured.waiting[at], kind="stable")]
    named = [links.ends(row) for row in at[:_NAMED].tolist()]
    return [of.WaitUnexplained(named, len(at), float(measured.waiting[at[0]]))]
