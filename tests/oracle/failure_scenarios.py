"""Sequences of losses and returns, for the real OpenSM and for Lacis."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lacis import _core

from . import plugin
from .compare import conf_of, lid_ranges
from .daemon import Daemon, daemon

if TYPE_CHECKING:
    from lacis.requests.routing import RouteOptions

    from .scores import Count

Change = tuple[str, str]
"""The change (``cut``, ``drop``, ``restore``) and its selector."""
Cable = tuple[str, int, str, int]
"""Identifier and port at both ends."""


USUAL = (38, 8, 14, 8, 26, 6)
"""How often each kind of change is drawn."""


class Site:
    """The nodes and cables of a net file, and which of them are missing."""

    def __init__(self, net: str) -> None:
        blocks = re.finditer(r'^(Switch|Ca)\s+\d+\s+"([^"]+)".*\n((?:\[.*\n?)*)', net, re.M)
        self.switches: list[str] = []
        self.adapters: list[str] = []
        self.cables: list[Cable] = []
        for kind, ident, body in (m.groups() for m in blocks):
            (self.switches if kind == "Switch" else self.adapters).append(ident)
            for port, far, far_port in re.findall(r'^\[(\d+)\](?:\(\w+\))?\s*"([^"]+)"\[(\d+)\]', body, re.M):
                if (ident, int(port)) < (far, int(far_port)):
                    self.cables.append((ident, int(port), far, int(far_port)))
        self.cut: set[Cable] = set()
        self.gone: set[str] = set()

    def up(self) -> set[Cable]:
        """The cables that work."""
        return {c for c in self.cables if c not in self.cut and not self.gone & {c[0], c[2]}}

    def between_switches(self) -> list[Cable]:
        """The working cables between two switches."""
        up = self.up()
        return [c for c in self.cables if c in up and c[0].startswith("S-") and c[2].startswith("S-")]

    def happen(self, change: Change) -> None:
        """Applies a change; cables are named by one of their ends."""
        kind, selector = change
        if selector.endswith("]"):
            node, _, port = selector[:-1].partition("[")
            cable = next(c for c in self.cables if (node, int(port)) in (c[:2], c[2:]))
            (self.cut.add if kind == "cut" else self.cut.discard)(cable)
        else:
            (self.gone.add if kind == "drop" else self.gone.discard)(selector)

    def tell(self, changes: list[Change], subnet: Daemon) -> None:
        """Applies changes in the simulator too, one after another."""
        for change in changes:
            before = self.up()
            self.happen(change)
            after = self.up()
            for node, port, _, _ in sorted(before - after):
                subnet.unlink(node, port)
            for node, port, _, _ in sorted(after - before):
                subnet.relink(node, port)

    def forget_lids(self, changes: list[Change], subnet: Daemon) -> None:
        """Takes the LIDs of switches away that changes have switched off for good: the simulator only unlinks them."""
        for kind, selector in changes:
            if kind == "drop" and selector in self.gone and selector in self.switches:
                subnet.forget_lid(selector)


def random_scenario(
    net: str, manager: str, length: int, seed: int, weights: Sequence[int] = USUAL
) -> Iterator[list[Change]]:
    """Changes for `sweeps` sweeps; at the end everything returns. The manager's own node and cable stay.

    ``weights`` are those of a cut between switches, of a host's cable, a switch, a host, a return, and a cable that is
    down for a moment.
    """
    rng = random.Random(seed)
    site = Site(net)

    def named(cable: Cable) -> str:
        end = rng.choice((cable[:2], cable[2:]))
        return f"{end[0]}[{end[1]}]"

    def one() -> list[Change]:
        missing = [("restore", named(c)) for c in sorted(site.cut)] + [
            ("restore", n) for n in sorted(site.gone)
        ]
        kind = rng.choices(
            ["cable", "host cable", "switch", "host", "return", "moment"],
            [weight if kind != 4 or missing else 0 for kind, weight in enumerate(weights)],
        )[0]
        up = sorted(site.up())
        if kind == "return":
            return [rng.choice(missing)]
        if kind in ("cable", "moment"):
            cables = site.between_switches()
            if not cables:
                return []
            name = named(rng.choice(cables))
            return [("cut", name)] + ([("restore", name)] if kind == "moment" else [])
        if kind == "host cable":
            cables = [c for c in up if c not in site.between_switches() and manager not in (c[0], c[2])]
            return [("cut", named(rng.choice(cables)))] if cables else []
        nodes = site.switches if kind == "switch" else site.adapters
        near = {n for c in up for n in (c[0], c[2]) if manager in (c[0], c[2])}
        left = [n for n in nodes if n not in site.gone and n not in near and n != manager]
        return [("drop", rng.choice(left))] if left else []

    for _ in range(length):
        step: list[Change] = []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            for change in one():
                site.happen(change)
                step.append(change)
        if step:
            yield step
    back = [("restore", named(c)) for c in sorted(site.cut)] + [("restore", n) for n in sorted(site.gone)]
    if back:
        yield back


@dataclass(frozen=True)
class Scenario:
    """A net, an engine list, the manager's options and node, and the changes."""

    net: str
    engines: str
    manager: str
    steps: tuple[tuple[Change, ...], ...]
    options: RouteOptions = field(default_factory=dict)  # type: ignore[assignment]
    inside: bool = False
    """Whether OpenSM is to run Lacis' engines of these names."""


def differences(scenario: Scenario, count: Count) -> list[str]:
    """Runs the scenario in both, counts entries, and describes each difference."""
    found: list[str] = []
    fabric = _core.read_fabric(scenario.net.encode())
    conf, files = conf_of(scenario.options, 1)
    options: RouteOptions = {**scenario.options, "sm": scenario.manager}
    ours = _core.manage(fabric, scenario.engines, **options)
    site = Site(scenario.net)
    engines = scenario.engines
    if scenario.inside:
        engines, conf = plugin.inside(engines), plugin.AS_IT_IS + conf
    with daemon(scenario.net, engines, conf, sm=scenario.manager, files=files) as subnet:
        theirs = subnet.first()
        refused = [one.engine for one in ours.routes.refusals]
        done_so_far: list[list[Change]] = []
        did, varies = None, False
        for step in [(), *scenario.steps]:
            if step:
                site.tell(list(step), subnet)
                if scenario.options.get("ucast_cache"):
                    site.forget_lids(list(step), subnet)
                ours, did = ours.after(list(step))
                theirs = subnet.sweep()
                done_so_far.append(list(step))
                if did.sweeps:
                    refused = [one.engine for one in did.sweeps[0].refusals]
            where = f"{scenario.engines} {scenario.options} on {scenario.manager} after {done_so_far}"
            routes = ours.routes
            count.runs += 1
            cached = did is not None and any(sweep.mode == "cached" for sweep in did.sweeps)
            if did is not None and did.sweeps and theirs.cached != cached:
                found.append(f"{where}: from the cache in OpenSM: {theirs.cached}, in Lacis: {cached}")
                break
            count.cached += int(theirs.cached)
            used, failed = plugin.outside(theirs.engine or ""), [plugin.outside(e) for e in theirs.failed]
            if theirs.cached:
                # No engine runs, and the log names none.
                used, failed = routes.engine_used, refused
            count.fell_back += int(used not in scenario.engines.split(","))
            if (used or None) != routes.engine_used or failed != refused:
                found.append(
                    f"{where}: OpenSM used {theirs.engine} after {theirs.failed}, "
                    f"Lacis {routes.engine_used} after {refused}"
                )
            # Where OpenSM's tables vary from run to run, so do the entries that later sweeps keep.
            varies = routes.undefined or (varies and bool(step) and not _recomputed(did))
            if varies:
                continue
            found += _compare(where, theirs.tables, theirs.lids, ours, count)
            if found:
                break
    return found


def _recomputed(step: _core.Step | None) -> bool:
    return step is not None and any(sweep.mode == "recomputed" for sweep in step.sweeps)


def _compare(
    where: str, tables: dict[int, dict[int, int]], lids: dict[int, range], ours: _core.Managed, count: Count
) -> list[str]:
    routes = ours.routes
    guids = routes.fabric.guids()[: routes.fabric.num_switches].tolist()
    seen = {guid for guid, is_seen in zip(guids, ours.seen(), strict=True) if is_seen}
    if seen != tables.keys():
        return [f"{where}: OpenSM sees {len(tables)} switches, Lacis {len(seen)}"]
    found = []
    own = lid_ranges(routes)
    assigned = sorted({lid for all_of in lids.values() for lid in all_of})
    count.lids += len(assigned)
    count.lids_equal += sum(len(all_of) for guid, all_of in lids.items() if own.get(guid) == all_of)
    found += [f"{where}: LIDs of {g:#x}: {lids.get(g)}, {own.get(g)}" for g in lids if own.get(g) != lids[g]][
        :3
    ]
    for guid, row in zip(guids, routes.table(), strict=True):
        if guid not in seen:
            continue
        for lid in assigned:
            theirs, entry = tables[guid].get(lid, 255), int(row[lid])
            count.entries += 1
            count.equal += theirs == entry
            if theirs != entry and len(found) < 5:
                found.append(f"{where}: switch {guid:#x} LID {lid}: OpenSM {theirs}, Lacis {entry}")
    return found
