"""What can be run instead: the alternative, what it needs, what it asks of applications, how to take it back."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .fact import Fact
from .row import Count, Positive, Row

GivenList: TypeAlias = Literal["roots", "cn", "io", "order"]
"""A list of GUIDs that steers an engine, by its option: roots, compute nodes, I/O nodes, the order of hosts."""
Mender: TypeAlias = Literal["opensm", "plugin", "omni-path", "none"]
"""What makes new tables after a failure: OpenSM, Lacis inside OpenSM, Omni-Path's manager, or no manager."""

HostOrder: TypeAlias = Literal["topology", "eventree", "name"]
"""An order of hosts: leaf by leaf, as eventree numbers them, by name."""


# --- what runs now -----------------------------------------------------------------------------


class DefaultAssumed(Fact, frozen=True):
    """It is not known what runs: the default of the fabric's manager is assumed."""

    engine: str
    """The engine that it routes by."""
    manager: Literal["OpenSM", "Omni-Path's manager"]
    """The manager."""


class ConfigurationModelled(Fact, frozen=True):
    """What runs is what a configuration makes of the fabric (modelled)."""

    engine: str
    """The engine that makes its tables."""
    file: str
    """The configuration."""
    adaptive: str | None
    """NVIDIA's engine that routes adaptively over these tables, where the configuration names one."""


class TablesRead(Fact, frozen=True):
    """What runs are the tables in a file."""

    file: str
    """The file."""


Running: TypeAlias = DefaultAssumed | ConfigurationModelled | TablesRead
"""What runs now, and how that is known."""


# --- what can run instead ----------------------------------------------------------------------


class PluginEngine(Fact, frozen=True):
    """An engine of Lacis inside OpenSM, as its plugin."""

    engine: str
    """The engine."""
    name: str
    """Its name inside OpenSM."""
    given: tuple[GivenList, ...]
    """Lists of GUIDs that steer it."""
    options: tuple[str, ...]
    """Its other options, as `lacis route --json` names them."""
    behind: tuple[str, ...]
    """Engines that take over in turn where it fails, by their names inside OpenSM; none where no fall-back is allowed."""
    called: str = ""
    """What it is called besides, where another alternative has all this in common with it."""


class OpensmEngine(Fact, frozen=True):
    """An engine of OpenSM itself."""

    engine: str
    """The engine."""
    given: tuple[GivenList, ...]
    """Lists of GUIDs that steer it."""
    options: tuple[str, ...]
    """Its other options, as `lacis route --json` names them."""
    behind: tuple[str, ...]
    """Engines that take over in turn where it fails; none where no fall-back is allowed."""
    called: str = ""
    """What it is called besides, where another alternative has all this in common with it."""


class TablesFromFile(Fact, frozen=True):
    """Tables of an engine of Lacis that OpenSM loads from a file."""

    tables: str
    """The label of the engine that made them, with its options."""


class OmniPathEngine(Fact, frozen=True):
    """An engine of Omni-Path's manager."""

    engine: str
    """The engine."""


Alternative: TypeAlias = PluginEngine | OpensmEngine | TablesFromFile | OmniPathEngine


# --- what it needs -----------------------------------------------------------------------------


class OpensmVersion(Fact, frozen=True):
    """The manager's node must run the OpenSM whose structures the plugin knows."""

    version: str
    """That version."""


class PluginInstalled(Fact, frozen=True):
    """The plugin must lie where the loader of the manager's node searches."""

    library: str
    """Its file."""
    plugin: str
    """Its name in `event_plugin_name`."""


class AdaptiveLost(Fact, frozen=True):
    """What runs now routes adaptively, and the alternative does not."""

    engine: str
    """NVIDIA's engine that runs now."""


Need: TypeAlias = OpensmVersion | PluginInstalled | AdaptiveLost


class LanesNeeded(Fact, frozen=True):
    """Paths are kept apart on lanes: QoS must be on, and applications must ask for the service level of each path."""

    engine: str
    """The engine that keeps them apart."""
    bare_engine: str
    """The engine whose tables these are where all is sent on one lane: the same, or another without lanes."""
    bare_credit_loops: int
    """Credit loops among the pairs of hosts on one lane (proved)."""


class RanksOrdered(Fact, frozen=True):
    """Shifts of a job get more under the tables where its ranks are on hosts in this order (modelled)."""

    order: HostOrder
    """The order of hosts."""
    shifts: float
    """Mean of shifts in it, as a share of the link rate."""
    by_leaf: float
    """The same in the order `topology`, leaf by leaf, by which all tables are compared."""


# --- how to go back ----------------------------------------------------------------------------


class Setting(Row, frozen=True):
    """A line of a configuration."""

    key: str
    """Its key."""
    value: str
    """Its value."""


class CopyRestored(Fact, frozen=True):
    """The configuration is not known: a copy of it, made before, is put back."""

    file: Literal["opensm.conf", "opafm.xml"]
    """The file to copy."""
    keys: tuple[str, ...]
    """The keys that change in `opensm.conf`, to go back without a copy; none of `opafm.xml`."""


class LinesRestored(Fact, frozen=True):
    """Lines of `opensm.conf` are put back as they were."""

    settings: tuple[Setting, ...]
    """The lines."""
    absent: tuple[str, ...]
    """Keys that it did not have, to be taken out."""


class LinesKept(Fact, frozen=True):
    """`opensm.conf` has the lines already: nothing is to be put back."""


class LinesUnknown(Fact, frozen=True):
    """It is not known which lines of `opensm.conf` to put back."""


WayBack: TypeAlias = CopyRestored | LinesRestored | LinesKept | LinesUnknown


# --- what is compared --------------------------------------------------------------------------


class EnginesUntried(Fact, frozen=True):
    """Engines that were not tried, as they take long on a fabric of this size."""

    engines: tuple[str, ...]
    """Their names."""
    switches: int
    """Switches of the fabric."""
    end_nodes: int
    """Its end nodes."""
    most: int
    """Switches times end nodes up to which they are tried."""


class BisectionsWithoutPairs(Fact, frozen=True):
    """Pairs of random bisections that have no figure, on a rail that one of the two lacks."""

    pairs: int
    """How many."""
    of: int
    """All of them."""


class ManagerFallsBack(Fact, frozen=True):
    """OpenSM would run another engine than the one that was asked for."""

    engine: str
    """The one that it would run."""


Compared: TypeAlias = EnginesUntried | BisectionsWithoutPairs | ManagerFallsBack
"""What is said beside the figures of engines."""


# --- what failures do --------------------------------------------------------------------------


class FailureCounts(Row, frozen=True):
    """What single failures of cables between switches and of switches do."""

    tried: Count
    """Failures that were tried."""
    of: Count
    """All of them."""
    lossy: Count
    """Failures after which a pair of hosts that are left has no route."""
    apart: Count
    """Of them, those after which no cables join the pairs, so that no tables help."""
    worst: str
    """The failure that loses most; empty where none loses any."""
    most_lost: Count
    """Ordered pairs of hosts that it loses."""


class SingleFailures(FailureCounts, Fact, frozen=True):
    """What single failures of cables between switches and of switches do, each alone (modelled)."""

    mender: Mender
    """What makes new tables after each."""
    seed: Positive
    """Of the draw, where not all are tried."""
