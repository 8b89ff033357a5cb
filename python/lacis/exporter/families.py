"""The series of the page: name, sort and help of each family, and which counter of a port it shows.

Names follow Prometheus' conventions: base units, `_total` for what only grows, `_info` for what labels say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..counters.fields import FIELDS, Sort

Kind: TypeAlias = Literal["counter", "gauge", "info"]


@dataclass(frozen=True)
class Family:
    """Series of one name.

    Attributes:
        name: without `_total` and `_info`, which `series` adds.
        kind: what sort of series they are.
        help: what they are, in a sentence without quotation marks and backslashes, which would have to be escaped.
        unit: the base unit with which the name ends; empty where there is none.
    """

    name: str
    kind: Kind
    help: str
    unit: str = ""

    @property
    def series(self) -> str:
        """The name of each series of the family."""
        return self.name + {"counter": "_total", "gauge": "", "info": "_info"}[self.kind]

    def heading(self, *, openmetrics: bool) -> bytes:
        """The lines above the series: in OpenMetrics of the family, in Prometheus' own text of the series' name."""
        if openmetrics:
            unit = f"# UNIT {self.name} {self.unit}\n" if self.unit else ""
            return f"# HELP {self.name} {self.help}\n# TYPE {self.name} {self.kind}\n{unit}".encode()
        kind = "gauge" if self.kind == "info" else self.kind
        return f"# HELP {self.series} {self.help}\n# TYPE {self.series} {kind}\n".encode()


PORT = Family(
    "lacis_port",
    "info",
    "A port, and the port at the other end of its cable: where it is down, the last one.",
)
STATE = Family("lacis_port_state", "gauge", "Link of the port: 1 down, 2 init, 3 armed, 4 active.")
PHYSICAL = Family(
    "lacis_port_physical_state",
    "gauge",
    "Transceivers of the port: 1 sleep, 2 polling, 3 disabled, 4 training, 5 up, 6 recovery, 7 test.",
)
LANES = Family("lacis_port_lanes", "gauge", "Lanes that the link uses now.")
ACTIVE_RATE = Family(
    "lacis_port_active_rate_bytes_per_second",
    "gauge",
    "What the link carries in each direction as it is now, which is less than its cable where lanes or speed are lost.",
)
RATE = Family(
    "lacis_port_rate_bytes_per_second",
    "gauge",
    "What the cable carries in each direction.",
)
AGE = Family(
    "lacis_port_reading_age_seconds", "gauge", "Time since the counters of the port were read.", "seconds"
)
UNREAD = Family(
    "lacis_port_unread", "gauge", "A port that gave no answer in the last sweep, and why; the value is 1."
)
PORTS = Family("lacis_sweep_ports", "gauge", "Ports that the last sweep read.")
LOST = Family("lacis_sweep_unread_ports", "gauge", "Ports that gave no answer in the last sweep, by reason.")
LOST_EVER = Family(
    "lacis_sweep_lost_readings", "counter", "Answers that sweeps waited for in vain since the exporter began."
)
DURATION = Family(
    "lacis_sweep_duration_seconds",
    "gauge",
    "How long the last sweep took, by the clock of the wall.",
    "seconds",
)
ENDED = Family(
    "lacis_sweep_ended_timestamp_seconds", "gauge", "When the last sweep ended, since 1970.", "seconds"
)
SWEEPS = Family("lacis_sweeps", "counter", "Sweeps that ended well since the exporter began.")
FAILED = Family("lacis_sweeps_failed", "counter", "Sweeps that read nothing at all since the exporter began.")
GOOD = Family("lacis_sweep_success", "gauge", "Whether the last sweep read anything: 1 or 0.")
FULL = Family(
    "lacis_full_counters",
    "gauge",
    "Ports whose counter stands at its greatest value and counts no further, by the counter of the standard.",
)
BUILD = Family("lacis_build", "info", "The version of Lacis.")

REASONS = ("timeout", "status", "unsupported", "unreadable", "moved")
"""Why a port gave no answer: these have a series even while none is lost."""

_NAMES = {
    "XmitData": ("transmitted_bytes", "Data that the port has sent."),
    "RcvData": ("received_bytes", "Data that the port has received."),
    "XmitPkts": ("transmitted_packets", "Packets that the port has sent."),
    "RcvPkts": ("received_packets", "Packets that the port has received."),
    "UnicastXmitPkts": ("unicast_transmitted_packets", "Unicast packets sent."),
    "UnicastRcvPkts": ("unicast_received_packets", "Unicast packets received."),
    "MulticastXmitPkts": ("multicast_transmitted_packets", "Multicast packets sent."),
    "MulticastRcvPkts": ("multicast_received_packets", "Multicast packets received."),
    "XmitWait": ("transmit_wait_ticks", "Ticks of the device in which data waited to be sent."),
    "SymbolErrors": ("symbol_errors", "Symbols that the receiver could not decode."),
    "LinkErrorRecovery": ("link_error_recoveries", "Times that the link recovered from an error."),
    "LinkDowned": ("link_downed", "Times that the link failed to recover and went down."),
    "LocalLinkIntegrityErrors": (
        "local_link_integrity_errors",
        "Times that local errors passed their threshold.",
    ),
    "FecUncorrectable": ("fec_uncorrectable", "Blocks that forward error correction could not mend."),
    "EffectiveErrors": ("effective_errors", "Errors that are left after forward error correction."),
    "UncorrectableErrors": ("uncorrectable_errors", "Errors that the link could not correct."),
    "RcvErrors": ("receive_errors", "Packets received with an error."),
    "RcvRemotePhysicalErrors": (
        "receive_remote_physical_errors",
        "Packets received that another link had damaged.",
    ),
    "ExcessiveBufferOverruns": ("excessive_buffer_overruns", "Times that buffers overran repeatedly."),
    "XmitDiscards": ("transmit_discards", "Packets that the port dropped instead of sending them."),
    "RcvSwitchRelayErrors": (
        "receive_switch_relay_errors",
        "Packets received that the switch could not forward.",
    ),
    "XmitConstraintErrors": ("transmit_constraint_errors", "Packets that a rule kept from being sent."),
    "RcvConstraintErrors": ("receive_constraint_errors", "Packets that a rule kept from being received."),
    "VL15Dropped": ("vl15_dropped", "Management packets dropped for want of a buffer."),
    "FMConfigErrors": ("fm_config_errors", "Errors of the manager's configuration that the port saw."),
    "CongDiscards": ("congestion_discards", "Packets dropped for congestion."),
    "RcvFECN": ("received_fecn", "Packets received with a forward mark of congestion."),
    "RcvBECN": ("received_becn", "Packets received with a backward mark of congestion."),
    "XmitTimeCong": (
        "transmit_time_congested_flits",
        "Times in which the port could not send for congestion.",
    ),
    "XmitWastedBW": ("transmit_wasted_flits", "Times in which the port sent nothing within a packet."),
    "XmitWaitData": (
        "transmit_wait_data_flits",
        "Times in which the port had no data to send within a packet.",
    ),
    "RcvBubble": ("received_bubbles", "Times in which nothing arrived within a packet."),
    "MarkFECN": ("marked_fecn", "Packets that the port marked for congestion."),
}


def _family(name: str) -> Family:
    short, words = _NAMES[name]
    return Family(f"lacis_port_{short}", "counter", words, "bytes" if FIELDS[name].sort is Sort.DATA else "")


COUNTERS = {name: _family(name) for name in FIELDS}
"""By the counter's name in `FIELDS`, in their order."""
