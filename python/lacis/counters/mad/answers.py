"""What answers say: the counters of ports, and which ports gave none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..readings import Unread, empty
from . import attributes as at
from .device import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..readings import Readings
    from .targets import Targets

_NO_SUCH = (0x8, 0xC)
"""Statuses of an answer: the node does not know the method, or the attribute."""
_STATUS = 0x1C
"""Bits of a status that say that a request is not understood."""


def is_good(answers: NDArray[np.void]) -> NDArray[np.bool_]:
    """Answers that say what was asked for."""
    found: NDArray[np.bool_] = (answers["state"] == State.ANSWERED) & (answers["status"] == 0)
    return found


def silent(nodes: NDArray[np.uint32], answers: NDArray[np.void], count: int) -> NDArray[np.bool_]:
    """Agents that were asked and have answered nothing."""
    asked, answered = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    asked[nodes] = True
    answered[nodes[answers["state"] == State.ANSWERED]] = True
    return asked & ~answered


def decoded(
    ports: Targets,
    requests: NDArray[np.void],
    answers: NDArray[np.void],
    rows: NDArray[np.intp],
    capabilities: NDArray[np.uint32],
) -> Readings:
    """Readings of all ports; those of which nothing is known have the time 0.

    Args:
        ports: that were asked.
        requests: for counters.
        answers: to them.
        rows: the port of each.
        capabilities: what the counters of each agent are.
    """
    own = capabilities[ports.agents]
    names = [*at.WIDE, *at.CAST, *(name for name in at.NARROW if name not in at.WIDE)]
    whole = replace(
        empty(len(ports), names),
        guids=ports.guids,
        ports=ports.numbers,
        planes=ports.planes,
        lids=ports.agent_lids[ports.agents].astype(np.uint32),
    )
    usable = is_good(answers) & _is_of_port(requests, answers)
    is_wide = requests["attribute"] == at.PORT_COUNTERS_EXTENDED.number
    for wide, slots, needed in (
        (False, at.NARROW, 0),
        (True, at.WIDE, 0),
        (True, at.CAST, at.EXTENDED),
        (True, at.MORE, at.MORE_EXTENDED << 16),
    ):
        taken = np.flatnonzero(usable & (is_wide == wide))
        if needed:
            taken = taken[own[rows[taken]] & needed != 0]
        _fill(whole, answers, rows, taken, slots, wide=wide)
        whole.times[rows[taken]] = answers["time"][taken]
    no_wait = (own & at.XMIT_WAIT == 0) & ~whole.wide["XmitWait"]
    whole.known["XmitWait"][no_wait] = False
    whole.values["XmitWait"][no_wait] = 0
    missing = unread(ports, requests, answers, rows)
    missing += tuple(Unread(guid, port, "unreadable", "no LID") for guid, port in ports.without_lid)
    return replace(whole, unread=missing)


def _is_of_port(requests: NDArray[np.void], answers: NDArray[np.void]) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = answers["data"][:, at.PORT_SELECT] == requests["body"][:, at.PORT_SELECT]
    return same


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


def unread(
    ports: Targets, requests: NDArray[np.void], answers: NDArray[np.void], rows: NDArray[np.intp]
) -> tuple[Unread, ...]:
    """The ports of which an attribute has no answer, each once."""
    bad = np.flatnonzero(~(is_good(answers) & _is_of_port(requests, answers)))
    found: dict[tuple[int, int], Unread] = {}
    for index in bad.tolist():
        guid, port = int(ports.guids[rows[index]]), int(ports.numbers[rows[index]])
        found.setdefault((guid, port), Unread(guid, port, *_why(answers[index])))
    return tuple(found[key] for key in sorted(found))


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
