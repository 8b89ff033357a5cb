"""Errors that ports have counted, beside what flows show: a suspect whose own ports count errors needs no second look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..documents.explain import CountedErrors
from ..facts.found.ports import PortErrors
from ..health.examination import examine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._core import Fabric
    from ..documents.explain import Suspect


def errors_of(fabric: Fabric) -> dict[str, tuple[CountedErrors, ...]]:
    """Counters beyond what is tolerated, by port; nothing where the fabric has no counters."""
    if not fabric.counters[0]:
        return {}
    facts = [one.facts for one in examine(fabric).findings if isinstance(one.facts, PortErrors)]
    found: dict[str, tuple[CountedErrors, ...]] = {}
    for count in (count for fact in facts for link in fact.links for count in link.counts):
        port = str(count.port)
        found[port] = (
            *found.get(port, ()),
            CountedErrors(port, count.counter, count.value, count.threshold),
        )
    return found


def on_suspect(errors: Mapping[str, Sequence[CountedErrors]], suspect: Suspect) -> list[CountedErrors]:
    """What the ports of a suspect have counted: both ends of a link or a cable, all ports of a switch."""
    if suspect.kind == "switch":
        return [
            one for port, counts in errors.items() if port.startswith(f"{suspect.node}[") for one in counts
        ]
    ends = [end for end in (suspect.egress, suspect.ingress) if end is not None]
    return [one for end in ends for one in errors.get(end, ())]
