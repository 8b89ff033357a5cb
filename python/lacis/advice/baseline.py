"""What runs now, against which every advice is counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..engines import usual

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._core import Fabric, Routes

KEPT = ("sm", "fresh_lids", "guid2lid", "lmc", "lmc_esp0", "vls")
"""Options of `RouteOptions` that say what LIDs and lanes there are: every alternative is tried with them."""


@dataclass(frozen=True)
class Baseline:
    """The tables that there are now, and how that is known."""

    label: str = "minhop"
    words: str = "minhop (assumed: OpenSM's default)"
    """What runs, and whether that was read, modelled from a configuration, or assumed."""
    provenance: str = "assumed"
    """`measured` of tables that were read, `modelled` of those that a configuration makes, `assumed`."""
    routes: Routes | None = None
    """The tables; none where they are those that minhop makes."""
    engine: str = "minhop"
    adaptive: str = ""
    """NVIDIA's engine that routes adaptively over these tables, where the configuration names one."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The options of `RouteOptions` that the configuration says."""
    now: Mapping[str, str] | None = None
    """Key → value of the configuration; none where it is unknown."""
    typed: tuple[str, ...] = ()
    """The options of the command line that tell it."""

    @classmethod
    def assumed(cls, fabric: Fabric, **said: Any) -> Baseline:
        """The default of the fabric's manager."""
        if fabric.technology != "Omni-Path":
            return cls(**said)
        name = usual(fabric.technology)
        return cls(name, f"{name} (assumed: the default of Omni-Path's manager)", engine=name, **said)

    @property
    def kept(self) -> dict[str, Any]:
        """The options that every alternative takes from here."""
        return {name: self.options[name] for name in KEPT if self.options.get(name)}
