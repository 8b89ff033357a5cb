"""Reading the counters of a fabric's ports, sweep after sweep."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..readings import Unread
from . import attributes as at
from .answers import decoded, is_good, silent, unread
from .device import REQUEST, Pace, State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..readings import Readings
    from .device import Device
    from .links import LinkReader
    from .targets import Targets

_ROUNDS = 3
"""How often what is lost is asked for: a lossy link loses every retry of some request in a few thousand."""
_CHECKED_EACH = 16
"""Of so many agents one is asked for its GUID in a sweep after which nothing hints at a change."""
_TRIED = 8
"""Agents that are asked before all are."""


@dataclass(frozen=True)
class Checked:
    """Whether LIDs still belong to the nodes of the fabric.

    Attributes:
        asked: agents that were asked for their GUID.
        answered: those that answered.
        moved: numbers of agents whose LID another node has.
        changed: switches that say that one of their ports has changed since the manager looked, by GUID.
        grown: whether the table of a switch has more or fewer LIDs than in the sweep before.
        silent: agents that answered nothing in this sweep.
        linkless: whether no node says what its links do.
    """

    asked: int = 0
    answered: int = 0
    moved: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    changed: tuple[int, ...] = ()
    grown: bool = False
    silent: int = 0
    linkless: bool = False


class PortReader:
    """Reads counters of ports through a device. Nothing is set, but by `clear`.

    Args:
        device: an open one.
        ports: those to read.
        pace: how requests are sent.
        source: what readings are said to be from.
        links: asks what links do; without it that is not known.
    """

    def __init__(
        self,
        device: Device,
        ports: Targets,
        pace: Pace | None = None,
        source: str = "",
        links: LinkReader | None = None,
    ) -> None:
        self._device = device
        self._ports = ports
        self._pace = pace or Pace()
        self._source = source
        self._capabilities: NDArray[np.uint32] | None = None
        self._tops: dict[int, int] = {}
        self._sweeps = 0
        self._silent = np.zeros(len(ports.agent_lids), np.bool_)
        self._is_checkable: bool | None = None
        self.checked = Checked()
        self._links = links
        self._wanted: tuple[NDArray[np.void], NDArray[np.intp]] | None = None

    def read(self) -> Readings:
        """Reads every port once.

        Ports without an answer are named in `unread`: of some only one of the two attributes may be missing.

        Raises:
            LacisError: when the device goes away.
        """
        ports, started = self._ports, time.time_ns()
        capabilities = self._known_capabilities()
        if self._wanted is None:
            self._wanted = self._for_counters(capabilities[ports.agents])
        requests, of_rows = self._wanted
        answers = self._asked(requests)
        self._silent = silent(requests["node"], answers, len(ports.agent_lids))
        self.checked = self._check()
        self._sweeps += 1
        whole = decoded(ports, requests, answers, of_rows, capabilities)
        if self._links is not None:
            # What a link counts when it goes down is the surest sign that it did; the manager clears others.
            signs = whole.values["LinkDowned"] + (whole.values["LinkErrorRecovery"] << np.uint64(32))
            self._links.follow(signs, self.checked.changed, self._silent)
            known = self._links.known
            whole = replace(
                whole,
                states=known.states.copy(),
                physical=known.physical.copy(),
                lanes=known.lanes.copy(),
                speeds=known.speeds.copy(),
            )
            self.checked = replace(self.checked, linkless=not self._links.is_reached)
        readings = replace(
            whole.taken(whole.times != 0), started=started, ended=time.time_ns(), source=self._source
        )
        return self._without_moved(readings)

    def clear(self) -> tuple[Unread, ...]:
        """Sets all counters of the ports to zero; the ports of which some were not."""
        ports, rows = self._ports, np.arange(len(self._ports))
        capabilities = self._known_capabilities()
        has_wide = (capabilities & (at.EXTENDED | at.EXTENDED_WITHOUT_CAST) != 0)[ports.agents]
        narrow = self._requests(at.PORT_COUNTERS, rows)
        wide = self._requests(at.PORT_COUNTERS_EXTENDED, rows[has_wide])
        # CounterSelect has a bit for each counter to set, and CounterSelect2 those for which it has no room.
        narrow["body"][:, [2, 3, 18]] = 0xFF
        wide["body"][:, 2:8] = 0xFF
        requests = np.concatenate([narrow, wide])
        requests["method"] = at.SET
        answers = self._asked(requests)
        return unread(ports, requests, answers, np.concatenate([rows, rows[has_wide]]))

    def moved(self) -> list[int]:
        """GUIDs of the nodes whose LID another node had when it was last checked."""
        guids: list[int] = np.unique(self._ports.agent_guids[self.checked.moved]).tolist()
        return guids

    def _for_counters(self, capabilities: NDArray[np.uint32]) -> tuple[NDArray[np.void], NDArray[np.intp]]:
        """Requests for the counters of all ports, and the row of each, given what the agent of each row counts."""
        rows = np.arange(len(self._ports))
        is_wide = capabilities & (at.EXTENDED | at.EXTENDED_WITHOUT_CAST) != 0
        # Where errors have 64 bits, too, PortCounters has nothing that the extended ones do not have.
        is_whole = is_wide & (capabilities & (at.MORE_EXTENDED << 16) != 0)
        wanted = [(at.PORT_COUNTERS, rows[~is_whole]), (at.PORT_COUNTERS_EXTENDED, rows[is_wide])]
        requests = np.concatenate([self._requests(attribute, of) for attribute, of in wanted])
        return requests, np.concatenate([of for _, of in wanted])

    def _requests(self, attribute: at.Attribute, rows: NDArray[np.intp]) -> NDArray[np.void]:
        """Requests for an attribute of ports."""
        requests = self._to_agents(attribute, self._ports.agents[rows])
        requests["body"][:, at.PORT_SELECT] = self._ports.numbers[rows]
        return requests

    def _to_agents(self, attribute: at.Attribute, agents: NDArray[np.integer]) -> NDArray[np.void]:
        requests = np.zeros(len(agents), REQUEST)
        requests["node"], requests["lid"] = agents, self._ports.agent_lids[agents]
        requests["class"], requests["attribute"] = attribute.management_class, attribute.number
        requests["method"] = at.GET
        return requests

    def _asked(self, requests: NDArray[np.void]) -> NDArray[np.void]:
        """Answers; what was lost is asked for again, of nodes that have answered anything at all."""
        answers = self._device.ask(requests, self._pace)
        for number in range(1, _ROUNDS):
            lost = np.isin(answers["state"], (State.LOST, State.SILENT))
            if number > 1:
                lost &= ~silent(requests["node"], answers, len(self._ports.agent_lids))[requests["node"]]
            if not lost.any():
                break
            answers[lost] = self._device.ask(requests[lost], self._pace)
        return answers

    def _known_capabilities(self) -> NDArray[np.uint32]:
        """What each agent's counters are: CapabilityMask, and above it CapabilityMask2; asked for once."""
        if self._capabilities is None:
            agents = np.arange(len(self._ports.agent_lids))
            answers = self._asked(self._to_agents(at.CLASS_PORT_INFO, agents))
            good, data = is_good(answers), answers["data"]
            mask = at.value(data, at.CAPABILITIES) | at.value(data, at.CAPABILITIES_2) << np.uint64(16)
            # Of a node that does not say it, the counters that every node of the last ten years has are asked for.
            usual = at.EXTENDED | at.XMIT_WAIT
            self._capabilities = np.where(good, mask, usual).astype(np.uint32)
        return self._capabilities

    def _check(self) -> Checked:
        """Asks switches whether a port has changed, and agents for their GUID: some of them, or all where something hints at it."""
        ports, answering = self._ports, np.flatnonzero(~self._silent)
        if self._is_checkable is None:
            few = answering[:: max(1, len(answering) // _TRIED)]
            # Planes of an adapter take no such requests by LID, and each would be waited for.
            self._is_checkable = bool(is_good(self._ask_agents((at.NODE_INFO, few))).any())
        if not self._is_checkable:
            return Checked(len(answering), 0, silent=int(self._silent.sum()))
        switches = answering[ports.agent_switch[answering]]
        due = answering[answering % _CHECKED_EACH == self._sweeps % _CHECKED_EACH]
        due = answering if self._sweeps == 0 or self._silent.any() else due
        answers = self._ask_agents((at.SWITCH_INFO, switches), (at.NODE_INFO, due))
        answers, of_due = answers[: len(switches)], answers[len(switches) :]
        good = is_good(answers)
        is_changed = good & (at.value(answers["data"], at.CHANGED) != 0)
        tops = at.value(answers["data"], at.TABLE_TOP)
        known = dict(zip(switches[good].tolist(), tops[good].tolist(), strict=True))
        grown = any(self._tops.get(agent, top) != top for agent, top in known.items())
        self._tops = known
        agents, answers = due, of_due
        if is_changed.any() or grown:
            others = answering[~np.isin(answering, due)]
            agents = np.concatenate([due, others])
            answers = np.concatenate([of_due, self._ask_agents((at.NODE_INFO, others))])
        good = is_good(answers)
        differs = good & (at.value(answers["data"], at.NODE_GUID) != ports.agent_guids[agents])
        changed = tuple(ports.agent_guids[switches[is_changed]].tolist())
        return Checked(len(agents), int(good.sum()), agents[differs], changed, grown, int(self._silent.sum()))

    def _ask_agents(self, *wanted: tuple[at.Attribute, NDArray[np.integer]]) -> NDArray[np.void]:
        """Answers to requests for attributes of agents, in their order."""
        return self._device.ask(np.concatenate([self._to_agents(*one) for one in wanted]), self._pace)

    def _without_moved(self, readings: Readings) -> Readings:
        """Readings without ports whose LID another node has."""
        moved = self.checked.moved
        if not len(moved):
            return readings
        ports = self._ports
        is_moved = np.isin(ports.agents, moved)
        wrong = list(zip(ports.guids[is_moved].tolist(), ports.numbers[is_moved].tolist(), strict=True))
        gone = set(wrong)
        pairs = zip(readings.guids.tolist(), readings.ports.tolist(), strict=True)
        keep = np.array([pair not in gone for pair in pairs], np.bool_)
        missing = tuple(one for one in readings.unread if (one.guid, one.port) not in gone)
        missing += tuple(Unread(guid, port, "moved") for guid, port in wrong)
        return replace(readings.taken(keep), unread=missing)
