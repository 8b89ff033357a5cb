"""Rows of results: tuples whose parts have names."""

from __future__ import annotations

from typing import NamedTuple


class Refusal(NamedTuple):
    """An engine that refused a fabric."""

    engine: str
    reason: str


class EngineRow(NamedTuple):
    """A routing engine, as the table of engines has it."""

    name: str
    """As its manager spells it."""
    author: str
    """Whose rules it follows: `OpenSM`, `Lacis` or `Omni-Path`."""
    needs: str | None
    """The option without which it cannot route."""
    cost: int
    """About how many times as long as minhop it takes on a fabric of 666 switches and 3,675 adapters (measured)."""
    promise: str
    """What it does, in a line."""


class OptionRow(NamedTuple):
    """Something that a manager can be told, as the table of options has it."""

    name: str
    """The keyword of `RouteOptions`."""
    key: str | None
    """The key in `opensm.conf`; none for what that cannot say."""
    flags: list[str]
    """On the command line."""
    kind: str
    """`flag`, `on unless not`, `number`, `file` or `node`."""
    unit: str | None
    """What help calls the value."""
    range: tuple[int, int] | None
    """The least and the greatest number."""
    default: int | None
    """OpenSM's default of a number."""
    engines: list[str]
    """The engines that read it; all where it is empty."""
    help: str
    """What it does, in a line."""


class Balance(NamedTuple):
    """All-to-all flows on links between switches, per direction."""

    max: int
    mean: float
    links: int
    """Directions, used or not."""
    used: int


class CreditLoop(NamedTuple):
    """A shortest circle of ports (with their lane, `VL 1`, where there are several), and in how great a tangle."""

    ports: list[str]
    channels: int
    """Links that could wait for each other there."""


class Unreached(NamedTuple):
    """A destination that some senders do not reach."""

    port: str
    lid: int
    sources: int


class Setting(NamedTuple):
    """A line of an `opensm.conf`."""

    line: int
    key: str
    value: str


class Conf(NamedTuple):
    """What an `opensm.conf` says: about routing, about all else, about NVIDIA's adaptive routing, and what is unknown."""

    settings: list[Setting]
    ignored: list[Setting]
    adaptive: list[Setting]
    unknown: list[Setting]


class Failure(NamedTuple):
    """A pair that is not delivered."""

    verdict: str
    source: str
    target: str
    lid: int


class LinkLoad(NamedTuple):
    """A directed link and the flows over it."""

    egress: str
    ingress: str
    flows: int


class Hop(NamedTuple):
    """A node on a route; ports are None at its ends, the rate is that of the link out."""

    node: str
    kind: str
    guid: int
    port_in: int | None
    port_out: int | None
    rate: str


class Bandwidth(NamedTuple):
    """Of flows in the fluid model [bytes/s]; `total` of all flows of a phase."""

    mean: float
    min: float
    max: float
    total: float


class Collective(NamedTuple):
    """Bandwidths of a collective, as nccl-tests define them [bytes/s]."""

    algorithm: float
    bus: float


class AssumedRates(NamedTuple):
    """Directed links that report no rate, and the rate taken for them."""

    links: int
    rate: str


class BusyLink(NamedTuple):
    """A directed link, its bytes, and the part of the time that it needs for them at its full rate."""

    egress: str
    ingress: str
    bytes: int
    utilisation: float


class SimulatedLink(NamedTuple):
    """A directed link: parts of the time that it sent, and that it had a packet but no credits; bytes."""

    egress: str
    ingress: str
    busy: float
    without_credits: float
    bytes: int


class Packets(NamedTuple):
    """Packets of a simulation."""

    sent: int
    arrived: int
    discarded: int


class Events(NamedTuple):
    """Events of a simulation, and links crossed by packets."""

    events: int
    hops: int


class Moved(NamedTuple):
    """How often switches moved a LID, and when in its phase the last was moved [s]."""

    lids: int
    last: float


class Waiting(NamedTuple):
    """A link of a deadlock, and its lane."""

    egress: str
    ingress: str
    lane: int


class Deadlock(NamedTuple):
    """The phase, from 0, and the links of which each waits for the next."""

    phase: int
    cycle: list[Waiting]


class Cut(NamedTuple):
    """A cable that failed: when [s], and its ports."""

    after: float
    port: str
    far: str
