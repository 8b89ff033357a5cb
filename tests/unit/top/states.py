"""What `lacis top` shows: readings made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lacis.live import Recorded
from lacis.top.state import State

from ...ports_read import cable, read
from ...served import START

if TYPE_CHECKING:
    from lacis.fabric.ports import Ports


def state_of(ports: Ports, *shares: float, packets: int = 1000) -> State:
    """The first cable up carries these shares of its rate in turn, a second each; packets leave by it, and its far end counts errors."""
    here, far, rate = cable(ports)
    sent, readings = 0.0, [read(ports, START, {})]
    for number, share in enumerate(shares, 1):
        sent += share * rate / 4
        values = {
            "XmitData": {here: round(sent)},
            "RcvData": {far: round(sent)},
            "XmitPkts": {here: packets * number},
            "SymbolErrors": {far: 3 * number},
        }
        readings.append(read(ports, START + number, values))
    return State(ports, Recorded(readings, "by hand"))
