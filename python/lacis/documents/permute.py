"""The document of `lacis permute`: ranks in another order, and what that gains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.mapping import MappingRemark
from .base import Amount, Count, FabricReading, Modelled, Positive, Row
from .common import OpensmConf


class StepTiers(Row, frozen=True):
    """Bytes of a step by how far they go."""

    host: Amount
    """Inside hosts."""
    leaf: Amount
    """Between hosts of a leaf."""
    pod: Amount
    """Between leaves of a pod; everything above leaves where the fabric has no pods."""
    above: Amount
    """Between pods."""


class OrderRow(Row, frozen=True):
    """What one order of ranks costs in a step."""

    bytes: StepTiers
    """By tier [bytes]."""
    busiest: Amount
    """How long the most loaded link needs for what it carries, links of hosts included [s]."""
    link: str | None
    """The port that it leaves; null where no link carries anything."""
    busiest_between: Amount
    """The same of links between switches [s]."""
    link_between: str | None
    """The port that it leaves."""
    time: Amount | None
    """Until all messages have arrived that are sent at once [s]; null where that is not computed."""


class PermuteDocument(FabricReading, frozen=True, tag="lacis.permute/1", kw_only=True):
    """`lacis permute --fabric FABRIC --json`: ranks in another order on the same hosts. Times are modelled: max-min fair shares."""

    provenance: Modelled
    """How times are known."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    file: str | None
    """Where the tables were read from."""
    pattern: str
    """What ranks send each other, as typed."""
    ranks: Positive
    """How many there are."""
    hosts: Annotated[Sequence[str], Meta(min_length=1)]
    """The host of each rank in the order chosen, as the fabric names it."""
    lines: Annotated[Sequence[str], Meta(min_length=1)]
    """The new list: as it was written, one slot a line, slots without ranks last."""
    leaves: Count
    """How many leaves the hosts hang off."""
    given: OrderRow
    """The order given."""
    by_bytes: OrderRow
    """The order that looks at bytes by tier alone."""
    chosen: OrderRow
    """The order chosen."""
    output: str | None
    """The file of the new list, if it was written to one."""
    notes: list[str]
    """What was assumed or left out, in words."""
    remarks: Sequence[MappingRemark]
    """The notes, as facts."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
