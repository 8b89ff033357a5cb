"""What runs now, with which every advice is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from ..facts.advice import ConfigurationModelled, DefaultAssumed, TablesRead
from ..requests.routing import RouteOptions
from ..sm.engines import usual

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._core import Fabric, Routes
    from ..facts.advice import Running

KEPT = ("sm", "fresh_lids", "guid2lid", "lmc", "lmc_esp0", "vls", "ucast_cache")
"""Options of `RouteOptions` that say what LIDs and lanes there are, and when engines run: every alternative is tried with them."""

PROVENANCE = {DefaultAssumed: "assumed", ConfigurationModelled: "modelled", TablesRead: "measured"}
"""How what runs is known, by the kind of the fact."""

MINHOP_ASSUMED = DefaultAssumed("minhop", "OpenSM")


@dataclass(frozen=True)
class Baseline:
    """The tables that are loaded now, and how that is known."""

    label: str = "minhop"
    running: Running = MINHOP_ASSUMED
    """What runs, and whether that was read, modelled from a configuration, or assumed."""
    routes: Routes | None = None
    """The tables; none where they are those that minhop makes."""
    engine: str = "minhop"
    adaptive: str = ""
    """NVIDIA's engine that routes adaptively over these tables, where the configuration names one."""
    options: RouteOptions = field(default_factory=RouteOptions)
    """The options that the configuration sets."""
    now: Mapping[str, str] | None = None
    """Key → value of the configuration; none where it is unknown."""
    typed: tuple[str, ...] = ()
    """The words of the command line that say what runs now."""

    @classmethod
    def assumed(cls, fabric: Fabric) -> Baseline:
        """The default of the fabric's manager."""
        if fabric.technology != "Omni-Path":
            return cls()
        name = usual(fabric.technology)
        return cls(name, DefaultAssumed(name, "Omni-Path's manager"), engine=name)

    @property
    def provenance(self) -> str:
        """`measured` of tables that were read, `modelled` of those that a configuration makes, `assumed`."""
        return PROVENANCE[type(self.running)]

    @property
    def kept(self) -> RouteOptions:
        """The options that every alternative takes from here."""
        kept = {name: value for name, value in self.options.items() if name in KEPT and value}
        return cast("RouteOptions", {name: kept[name] for name in KEPT if name in kept})
