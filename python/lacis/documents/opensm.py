"""Documents about OpenSM: the lines that `lacis opensm conf` makes, and what the plugin reports."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from .base import Amount, Count, Document, FabricReading, Row, one_of
from .common import OpensmConf, Refusal
from .verify import Verification


class ConfSetting(Row, frozen=True):
    """A line for `opensm.conf`."""

    key: str
    """Its key."""
    value: str
    """Its value."""


class OpensmConfDocument(FabricReading, frozen=True, tag="lacis.opensm-conf/1", kw_only=True):
    """`lacis opensm conf FABRIC --engine ENGINES --json`: lines that let OpenSM route with an engine of Lacis, and their proof."""

    engines: Annotated[list[str], Meta(min_length=1)]
    """The list `routing_engine`, in order: `lacis-eventree`, `minhop`; `no_fallback` may be its last."""
    lines: list[ConfSetting]
    """Lines for `opensm.conf`."""
    good: bool
    """Whether the first engine of the list would route; the exit status is 1 where not."""
    serves: str | None
    """The engine of the list that would route; null where all fail and tables stay as they are."""
    refusals: list[Refusal]
    """Engines before it, and why they fail."""
    prove: Annotated[str, one_of("all", "hosts", "delivery", "nothing")]
    """What is proved."""
    proof: Verification | None
    """The proof of the tables of `serves`. Null where nothing is proved, as for OpenSM's own engines."""
    before: dict[str, str | None] | None
    """With `--opensm-conf`: the keys of `lines` whose values differ in the file, with the file's value or null where it has none; null without the option."""
    library: str
    """The plugin's file."""
    library_dir: str | None
    """Its folder, as typed."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""


class PluginSeconds(Row, frozen=True):
    """What the steps took, measured [s]."""

    build: Amount
    """The fabric and the files of options."""
    route: Amount
    """The tables."""
    prove: Amount
    """The proof."""
    write: Amount
    """The answer with its hop matrices."""
    all: Amount
    """All of it, which includes starting and ending the process."""


class PluginReport(Document, frozen=True, tag="lacis.opensm/1"):
    """The line that the plugin inside OpenSM adds to the file of `report=` whenever an engine runs. [How to configure it](../howto/run-inside-opensm.md).

    Where an engine failed, the values of later steps are 0; with `prove=nothing` all from `pairs` to `mean_link` are 0.
    """

    time: Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]
    """When, UTC: `2026-11-24T07:59:28Z`."""
    engine: str
    """`lacis-eventree`."""
    outcome: Annotated[str, one_of("tables", "failed")]
    """`tables`: OpenSM has received them; `failed`: OpenSM tries the next engine of the list."""
    reason: str | None
    """Why it failed."""
    switches: Count
    """Switches of the subnet."""
    nodes: Count
    """Nodes of the subnet, switches too."""
    max_lid: Count
    """The highest LID."""
    seconds: PluginSeconds
    """What the steps took."""
    entries: Count
    """(switch, LID) entries of the tables."""
    entries_changed: Count
    """Entries that differ from those that OpenSM last saw in its switches; in its first sweep it has seen none."""
    destinations_kept: Count
    """LIDs none of whose entries changes."""
    pairs: Count
    """Ordered pairs of end nodes (with `prove=hosts` of host adapters) that were checked, per destination LID."""
    pairs_lost: Count
    """Pairs among them that are not delivered."""
    credit_loops: Count
    """Credit loops."""
    lanes: Count
    """Virtual lanes that packets use between switches."""
    fullest_link: Amount
    """Flows of all-to-all traffic among these pairs on the fullest link between switches, per direction."""
    mean_link: Amount
    """The same on the mean one."""
