"""Names replaced by others, the same in every file of an archive."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import _core
from ..facts.words import natural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._core import Fabric

_LEAST = 3
"""Characters of a name from which on it is replaced in any text; shorter ones are parts of other words."""
_WORDS = frozenset(
    [
        "switch",
        "switches",
        "host",
        "hosts",
        "node",
        "nodes",
        "port",
        "ports",
        "lid",
        "guid",
        "name",
        "hca",
        "rate",
        "width",
        "speed",
        "state",
        "active",
        "down",
        "init",
        "armed",
        "leaf",
        "spine",
        "core",
        "true",
        "false",
        "none",
        "file",
        "line",
        "root",
        "ca",
        "router",
        "description",
        "link",
        "data",
    ]
)
"""Words of the formats, which no text can do without."""


class Pseudonyms:
    """What hosts and switches are called, and what they are called in an archive."""

    def __init__(self, fabric: Fabric | None, others: Iterable[str] = ()) -> None:
        """Hosts and switches of a fabric, and other names of hosts, such as this one's."""
        self._of_node: dict[int, str] = {}
        self.new: dict[str, str] = {}
        """What each name becomes; hosts by their names, switches by their whole descriptions."""
        hosts = sorted({*others} - {""}, key=natural)
        if fabric is not None:
            hosts = sorted({*_core.hosts(fabric).names, *hosts}, key=natural)
        self.new.update((name, f"host-{number:04}") for number, name in enumerate(hosts, 1))
        if fabric is not None:
            self._of_nodes(fabric)
        # A host that has its name with a domain is called without one, too; of two such hosts either may be meant.
        short = {name.partition(".")[0]: self.new[name] for name in reversed(hosts)}
        self._called = self.new | {name: new for name, new in short.items() if name not in self.new}
        shown = [name for name in self._called if len(name) >= _LEAST and name.lower() not in _WORDS]
        # The longest first, so that a name within another does not win; a domain after a name goes with it, and what sites
        # put before and after one stays: `node01-ib0`.
        words = "|".join(re.escape(name) for name in sorted(shown, key=lambda name: (-len(name), name)))
        self._pattern = (
            re.compile(rf"(?<![0-9A-Za-z])({words})(?:(?:\.[A-Za-z][\w-]*)+)?(?![0-9A-Za-z])", re.I)
            if words
            else None
        )
        self._lower = {name.lower(): new for name, new in self._called.items()}

    @property
    def kept(self) -> list[str]:
        """Names that texts keep, since they are too short or are words of the formats."""
        return [name for name in self._called if len(name) < _LEAST or name.lower() in _WORDS]

    def fabric(self, fabric: Fabric) -> Fabric:
        """The fabric with the new names."""
        guids = fabric.guids().tolist()
        lines = (f'0x{guids[node]:016x} "{name}"\n' for node, name in self._of_node.items())
        return _core.rename_nodes(fabric, "".join(lines).encode())[0]

    def host(self, name: str) -> str:
        """What a host is called, however short its name is."""
        short = name.partition(".")[0]
        return self.new.get(name) or self._called.get(short) or self._lower.get(short.lower(), "host")

    def text(self, text: str) -> str:
        """A text in which every name is the new one, in any case, with a domain after it or without."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._lower[found[1].lower()], text)

    def _of_nodes(self, fabric: Fabric) -> None:
        descriptions, kinds = fabric.descriptions(), fabric.kinds()
        hosts = _core.hosts(fabric)
        for host, name in enumerate(hosts.names):
            for adapter in hosts.adapters(host).tolist():
                label = hosts.label(adapter)
                new = self.new[name]
                self._of_node[adapter] = f"{new} {label}" if label and label != name else new
        switches = [node for node, kind in enumerate(kinds) if kind == "switch"]
        for number, node in enumerate(sorted(switches, key=lambda node: natural(descriptions[node])), 1):
            name = descriptions[node]
            # Switches of one name stay of one name.
            self._of_node[node] = self.new.setdefault(name, f"switch-{number:04}") if name else ""
        others = [node for node in range(len(kinds)) if node not in self._of_node]
        for number, node in enumerate(others, 1):
            if descriptions[node]:
                self._of_node[node] = self.new.setdefault(descriptions[node], f"{kinds[node]}-{number:04}")
