"""Reading the counters of a fabric's ports, sweep after sweep."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..readings import Unread, empty
from . import attributes as at
from .device import REQUEST, Pace, State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..readings import Readings
    from .device import Device
    from .targets import Targets

_ROUNDS = 3
"""How often what is lost is asked for: a lossy link loses every retry of some request in a few thousand."""
_CHECKED_EACH = 16
"""Of so many agents one is asked for its GUID in a sweep after which nothing hints at a change."""
_TRIED = 8
"""Agents that are asked before all are."""
_NO_SUCH = (0x8, 0xC)
"""Statuses of an answer: the node does not know the method, or the attribute."""
_STATUS = 0x1C
"""Bits of a status that say that a request is not understood."""


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
    """

    asked: int = 0
    answered: int = 0
    moved: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    changed: tuple[int, ...] = ()
    grown: bool = False
    silent: int = 0


class PortReader:
    """Reads counters of ports through a device. Nothing is set, but by `clear`.

    Args:
        device: an open one.
        ports: those to read.
        pace: how requests are sent.
        source: what readings are said to be from.
    """

    def __init__(self, device: Device, ports: Targets, pace: Pace | None = None, source: str = "") -> None:
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

    def read(self) -> Readings:
        """Reads every port once.

        Ports without an answer are named in `unread`: of some only one of the two attributes may be missing.

        Raises:
            LacisError: when the device goes away.
        """
        ports, started = self._ports, time.time_ns()
        capabilities = self._known_capabilities()
        has_wide = (capabilities & (at.EXTENDED | at.EXTENDED_WITHOUT_CAST) != 0)[ports.agents]
        rows = np.arange(len(ports))
        wanted = [(at.PORT_COUNTERS, rows), (at.PORT_COUNTERS_EXTENDED, rows[has_wide])]
        requests = np.concatenate([self._requests(attribute, of) for attribute, of in wanted])
        of_rows = np.concatenate([of for _, of in wanted])
        answers = self._asked(requests)
        self._silent = _silent(requests["node"], answers, len(ports.agent_lids))
        self.checked = self._check()
        self._sweeps += 1
        readings = replace(
            self._decoded(requests, answers, of_rows, capabilities),
            started=started,
            ended=time.time_ns(),
            source=self._source,
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
        return self._unread(requests, answers, np.concatenate([rows, rows[has_wide]]))

    def moved(self) -> list[int]:
        """GUIDs of the nodes whose LID another node had when it was last checked."""
        guids: list[int] = np.unique(self._ports.agent_guids[self.checked.moved]).tolist()
        return guids

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
                lost &= ~_silent(requests["node"], answers, len(self._ports.agent_lids))[requests["node"]]
            if not lost.any():
                break
            answers[lost] = self._device.ask(requests[lost], self._pace)
        return answers

    def _known_capabilities(self) -> NDArray[np.uint32]:
        """What each agent's counters are: CapabilityMask, and above it CapabilityMask2; asked for once."""
        if self._capabilities is None:
            agents = np.arange(len(self._ports.agent_lids))
            answers = self._asked(self._to_agents(at.CLASS_PORT_INFO, agents))
            good, data = _good(answers), answers["data"]
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
            self._is_checkable = bool(_good(self._ask_agents(at.NODE_INFO, few)).any())
        if not self._is_checkable:
            return Checked(len(answering), 0, silent=int(self._silent.sum()))
        switches = answering[ports.agent_switch[answering]]
        answers = self._ask_agents(at.SWITCH_INFO, switches)
        good = _good(answers)
        is_changed = good & (at.value(answers["data"], at.CHANGED) != 0)
        tops = at.value(answers["data"], at.TABLE_TOP)
        known = dict(zip(switches[good].tolist(), tops[good].tolist(), strict=True))
        grown = any(self._tops.get(agent, top) != top for agent, top in known.items())
        self._tops = known
        hints = self._sweeps == 0, is_changed.any(), grown, self._silent.any()
        agents = (
            answering if any(hints) else answering[answering % _CHECKED_EACH == self._sweeps % _CHECKED_EACH]
        )
        answers = self._ask_agents(at.NODE_INFO, agents)
        good = _good(answers)
        differs = good & (at.value(answers["data"], at.NODE_GUID) != ports.agent_guids[agents])
        changed = tuple(ports.agent_guids[switches[is_changed]].tolist())
        return Checked(len(agents), int(good.sum()), agents[differs], changed, grown, int(self._silent.sum()))

    def _ask_agents(self, attribute: at.Attribute, agents: NDArray[np.integer]) -> NDArray[np.void]:
        return self._device.ask(self._to_agents(attribute, agents), self._pace)

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
        unread = tuple(one for one in readings.unread if (one.guid, one.port) not in gone)
        unread += tuple(Unread(guid, port, "moved") for guid, port in wrong)
        return replace(readings.taken(keep), unread=unread)

    def _decoded(
        self,
        requests: NDArray[np.void],
        answers: NDArray[np.void],
        rows: NDArray[np.intp],
        capabilities: NDArray[np.uint32],
    ) -> Readings:
        """Readings of the ports of which something is known."""
        ports = self._ports
        own = capabilities[ports.agents]
        names = [*at.WIDE, *at.CAST, *(name for name in at.NARROW if name not in at.WIDE)]
        whole = replace(
            empty(len(ports), names),
            guids=ports.guids,
            ports=ports.numbers,
            lids=ports.agent_lids[ports.agents].astype(np.uint32),
        )
        good = _good(answers) & (answers["data"][:, at.PORT_SELECT] == requests["body"][:, at.PORT_SELECT])
        is_wide = requests["attribute"] == at.PORT_COUNTERS_EXTENDED.number
        for wide, slots, needed in (
            (False, at.NARROW, 0),
            (True, at.WIDE, 0),
            (True, at.CAST, at.EXTENDED),
            (True, at.MORE, at.MORE_EXTENDED << 16),
        ):
            taken = np.flatnonzero(good & (is_wide == wide))
            if needed:
                taken = taken[own[rows[taken]] & needed != 0]
            self._fill(whole, answers, rows, taken, slots, wide=wide)
            whole.times[rows[taken]] = answers["time"][taken]
        no_wait = (own & at.XMIT_WAIT == 0) & ~whole.wide["XmitWait"]
        whole.known["XmitWait"][no_wait] = False
        whole.values["XmitWait"][no_wait] = 0
        unread = self._unread(requests, answers, rows)
        unread += tuple(Unread(guid, port, "unreadable", "no LID") for guid, port in ports.without_lid)
        return replace(whole.taken(whole.times != 0), unread=unread)

    @staticmethod
    def _fill(
        whole: Readings,
        answers: NDArray[np.void],
        rows: NDArray[np.intp],
        taken: NDArray[np.intp],
        slots: Mapping[str, at.Slot],
        *,
        wide: bool,
    ) -> None:
        """Takes the values of an attribute over; those of 64 bits come last and stay."""
        data = answers["data"][taken]
        for name, slot in slots.items():
            whole.values[name][rows[taken]] = at.value(data, slot)
            whole.known[name][rows[taken]] = True
            whole.wide[name][rows[taken]] = wide

    def _unread(
        self, requests: NDArray[np.void], answers: NDArray[np.void], rows: NDArray[np.intp]
    ) -> tuple[Unread, ...]:
        """The ports of which an attribute has no answer, each once."""
        right_port = answers["data"][:, at.PORT_SELECT] == requests["body"][:, at.PORT_SELECT]
        bad = np.flatnonzero(~(_good(answers) & right_port))
        found: dict[tuple[int, int], Unread] = {}
        for index in bad.tolist():
            guid, port = int(self._ports.guids[rows[index]]), int(self._ports.numbers[rows[index]])
            found.setdefault((guid, port), Unread(guid, port, *_why(answers[index])))
        return tuple(found[key] for key in sorted(found))


def _good(answers: NDArray[np.void]) -> NDArray[np.bool_]:
    good: NDArray[np.bool_] = (answers["state"] == State.ANSWERED) & (answers["status"] == 0)
    return good


def _silent(nodes: NDArray[np.uint32], answers: NDArray[np.void], count: int) -> NDArray[np.bool_]:
    """Agents that were asked and have answered nothing."""
    asked, answered = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    asked[nodes] = True
    answered[nodes[answers["state"] == State.ANSWERED]] = True
    return asked & ~answered


def _why(answer: np.void) -> tuple[str, str]:
    """Why there is no value, as `Unread` has it, and what there is to say."""
    state, status = State(answer["state"]), int(answer["status"])
    if state in (State.LOST, State.SILENT):
        return "timeout", ""
    if state == State.REFUSED:
        return "unreadable", f"errno {int(answer['error'])}"
    if status & _STATUS in _NO_SUCH:
        return "unsupported", f"0x{status:04x}"
    return ("status", f"0x{status:04x}") if status else ("unreadable", "answer about another port")
