"""What suspects have in common: a leaf, another switch, or a chassis."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..fabric.ports import ports_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric
    from ..documents.explain import Suspect
    from ..facts.suspects import SharedKind


def shared_by(fabric: Fabric, suspects: Sequence[Suspect]) -> tuple[SharedKind, str] | None:
    """The one switch that all suspects end at, else a switch of the one chassis; none where there is neither.

    Of two switches that all of them join neither is likelier.
    """
    ports = ports_of(fabric)
    is_switch = {name: kind == "switch" for name, kind in zip(ports.names, ports.kinds, strict=True)}
    ends = [{name for name in _nodes(one) if is_switch.get(name)} for one in suspects]
    common = set.intersection(*ends) if ends else set()
    if len(common) == 1:
        [name] = common
        hosts = {ports.names[at] for at in ports.nodes[ports.of_switch & ports.is_cabled & ~ports.to_switch]}
        return "leaf" if name in hosts else "switch", name
    systems = dict(zip(ports.names, fabric.systems().tolist(), strict=True))
    sizes = Counter(systems[name] for name, switch in is_switch.items() if switch)
    chassis = [{systems[name] for name in own if systems[name] and sizes[systems[name]] > 1} for own in ends]
    whole = set.intersection(*chassis) if chassis else set()
    if len(whole) != 1:
        return None
    [system] = whole
    return "chassis", min(name for own in ends for name in own if systems[name] == system)


def _nodes(one: Suspect) -> set[str]:
    """The nodes at the ends of a suspect."""
    ends = [end.rpartition("[")[0] for end in (one.egress, one.ingress) if end is not None]
    return {one.node, *ends}
