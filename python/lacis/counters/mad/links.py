"""What the links of ports do: state, width and speed, as PortInfo says them.

Ports are asked by LID. Where no node answers to that, as planes of an adapter do not, requests go by the path to each node, which is that of
the fabric's cables; what is at its end is then asked for its GUID, too. Nothing is ever set.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..readings import OF_LINKS, SPEEDS, LinkState, PhysicalState
from . import attributes as at
from .device import REQUEST, State
from .paths import paths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..._core import Fabric
    from .device import Device, Pace
    from .targets import Targets

EVERY = 10.0
"""Seconds after which all links are asked again, unless another time is given."""
_TRIED = 8
"""Agents that are asked before all are."""
_PATIENCE = 16
"""Looks after which an agent that gave no answer is asked again: it has a key, or is none that answers such requests."""


@dataclass
class Links:
    """What is known of ports' links, a row for each port that is read; 0 is not known. Columns are those of `Readings`."""

    states: NDArray[np.uint8]
    physical: NDArray[np.uint8]
    lanes: NDArray[np.uint8]
    speeds: NDArray[np.uint8]

    @classmethod
    def unknown(cls, count: int) -> Links:
        """Nothing is known."""
        return cls(*(np.zeros(count, np.uint8) for _ in OF_LINKS))


class LinkReader:
    """Asks ports for the state of their links.

    Args:
        device: that takes management datagrams of the subnet.
        ports: those that are read.
        fabric: that they are of.
        pace: how requests are sent.
        every: seconds after which all links are asked again.
    """

    def __init__(
        self, device: Device, ports: Targets, fabric: Fabric, pace: Pace, every: float = EVERY
    ) -> None:
        self._device, self._ports, self._pace, self._every = device, ports, pace, every
        self._fabric = fabric
        self.known = Links.unknown(len(ports))
        self._is_direct: bool | None = None
        self._is_reached = True
        self._paths: tuple[NDArray[np.uint8], NDArray[np.int64]] | None = None
        self._looked = float("-inf")
        self._signs: NDArray[np.uint64] | None = None
        self._deaf = np.zeros(len(ports.agent_lids), np.int64)

    @property
    def is_reached(self) -> bool:
        """Whether any node has answered; yes as long as none was asked."""
        return self._is_reached

    def follow(self, signs: NDArray[np.uint64], changed: Sequence[int], silent: NDArray[np.bool_]) -> None:
        """Asks all ports where that is due, else those with a sign of change; the others keep what was last known of them.

        Args:
            signs: a number of each port that changes when its link goes down.
            changed: GUIDs of switches that say that a port of theirs has changed.
            silent: agents that gave no answer in this sweep.
        """
        ports, now = self._ports, time.monotonic()
        hinted = np.isin(ports.guids, np.array(changed, np.uint64)) | silent[ports.agents]
        hinted |= self.known.states != LinkState.ACTIVE
        if self._signs is not None:
            hinted |= signs != self._signs
        # What one end says of a link concerns the other.
        has_far = ports.far >= 0
        hinted[has_far] |= hinted[ports.far[has_far]]
        self._signs = signs
        if now - self._looked >= self._every:
            self._looked = now
            hinted[:] = True
        self.look(np.flatnonzero(hinted), silent)

    def look(self, rows: NDArray[np.intp], silent: NDArray[np.bool_]) -> None:
        """Asks ports; what is known of them then is in `known`.

        Args:
            rows: of the ports.
            silent: agents that give no answer, so that nothing is known of their ports.
        """
        ports = self._ports
        for column in OF_LINKS:
            getattr(self.known, column)[rows] = 0
        self._deaf -= self._deaf > 0
        rows = rows[~silent[ports.agents[rows]]]
        if not len(rows) or not self._finds_a_way(np.unique(ports.agents[rows])):
            return
        rows = rows[self._deaf[ports.agents[rows]] == 0]
        rows = self._checked(rows) if self._is_direct else rows
        requests = self._requests(at.PORT_INFO, ports.agents[rows])
        requests["modifier"] = ports.numbers[rows]
        answers = self._ask(requests)
        good = (answers["state"] == State.ANSWERED) & (answers["status"] == 0)
        answered = np.zeros(len(self._deaf), np.bool_)
        answered[ports.agents[rows[good]]] = True
        asked = np.unique(ports.agents[rows])
        self._deaf[asked[~answered[asked]]] = _PATIENCE
        self._decode(rows[good], answers["data"][good])

    def _decode(self, rows: NDArray[np.intp], data: NDArray[np.uint8]) -> None:
        known, ports = self.known, self._ports
        known.states[rows] = np.minimum(at.value(data, at.PORT_STATE), LinkState.ACTIVE)
        known.physical[rows] = np.minimum(at.value(data, at.PHYSICAL_STATE), PhysicalState.TEST)
        is_up = (known.states[rows] > LinkState.DOWN) & (known.physical[rows] == PhysicalState.UP)
        known.lanes[rows] = np.where(is_up, _lookup(at.LANES, at.value(data, at.WIDTH)), 0)
        # Of a switch its port 0 alone says which speeds it knows, and older devices leave zeros where they know none.
        own = at.value(data, at.CAPABILITY_MASK) & np.uint64(at.EXTENDED_SPEEDS) != 0
        trusted = own | ports.agent_switch[ports.agents[rows]]
        speed = _lookup(_numbers(at.SPEEDS), at.value(data, at.SPEED))
        for names, slot in (
            (at.SPEEDS_EXTENDED, at.SPEED_EXTENDED),
            (at.SPEEDS_EXTENDED_2, at.SPEED_EXTENDED_2),
        ):
            bits = at.value(data, slot)
            speed = np.where(trusted & (bits != 0), _lookup(_numbers(names), bits), speed)
        known.speeds[rows] = np.where(is_up, speed, 0)

    def _finds_a_way(self, agents: NDArray[np.integer]) -> bool:
        """Whether nodes answer by LID or by a path, as some of them show when it is not yet known."""
        few = agents[:: max(1, len(agents) // _TRIED)]
        if self._is_direct is None or not self._is_reached:
            for self._is_direct in (False, True):
                if self._is_direct and not self._starts():
                    continue
                answers = self._device.ask(self._requests(at.NODE_INFO, few), self._pace)
                self._is_reached = bool(
                    ((answers["state"] == State.ANSWERED) & (answers["status"] == 0)).any()
                )
                if self._is_reached:
                    break
        return self._is_reached

    def _starts(self) -> bool:
        """Whether this host's own port is one of the fabric's, so that paths from it are known."""
        request = np.zeros(1, REQUEST)
        request["class"], request["attribute"], request["method"] = at.DIRECTED, at.NODE_INFO.number, at.GET
        (answer,) = self._device.ask(request, self._pace)
        if answer["state"] != State.ANSWERED or answer["status"]:
            return False
        data = answer["data"][None]
        guid, port = int(at.value(data, at.NODE_GUID)[0]), int(at.value(data, at.LOCAL_PORT)[0])
        here = np.flatnonzero(self._fabric.guids() == guid)
        if len(here):
            self._paths = paths(self._fabric, int(here[0]), port)
        return len(here) > 0

    def _checked(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows of those nodes that are found at the end of their path."""
        ports = self._ports
        agents = np.unique(ports.agents[rows])
        agents = agents[self._hops(agents) >= 0]
        answers = self._ask(self._requests(at.NODE_INFO, agents))
        good = (answers["state"] == State.ANSWERED) & (answers["status"] == 0)
        good &= at.value(answers["data"], at.NODE_GUID) == ports.agent_guids[agents]
        found = np.zeros(len(self._deaf), np.bool_)
        found[agents[good]] = True
        return rows[found[ports.agents[rows]]]

    def _hops(self, agents: NDArray[np.integer]) -> NDArray[np.int64]:
        if self._paths is None:
            return np.full(len(agents), -1)
        hops: NDArray[np.int64] = self._paths[1][self._ports.agent_nodes[agents]]
        return hops

    def _ask(self, requests: NDArray[np.void]) -> NDArray[np.void]:
        """Answers; what is lost is asked for once more, of nodes that answer at all."""
        answers = self._device.ask(requests, self._pace)
        answering = np.unique(requests["node"][answers["state"] == State.ANSWERED])
        lost = (answers["state"] == State.LOST) & np.isin(requests["node"], answering)
        if lost.any():
            answers[lost] = self._device.ask(requests[lost], self._pace)
        return answers

    def _requests(self, attribute: at.Attribute, agents: NDArray[np.integer]) -> NDArray[np.void]:
        requests = np.zeros(len(agents), REQUEST)
        requests["node"], requests["attribute"], requests["method"] = agents, attribute.number, at.GET
        requests["class"], requests["lid"] = attribute.management_class, self._ports.agent_lids[agents]
        if self._is_direct and self._paths is not None:
            nodes = self._ports.agent_nodes[agents]
            requests["class"] = at.DIRECTED
            requests["body"], requests["hops"] = self._paths[0][nodes], np.maximum(self._paths[1][nodes], 0)
        return requests


def _numbers(names: Mapping[int, str]) -> dict[int, int]:
    return {bit: SPEEDS.index(name) for bit, name in names.items()}


def _lookup(table: Mapping[int, int], bits: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """What each number stands for; 0 where that is nothing."""
    whole = np.zeros(256, np.uint8)
    whole[list(table)] = list(table.values())
    return whole[bits.astype(np.intp)]
