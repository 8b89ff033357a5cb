"""Names of hosts as lists and launchers write them, and the hosts of a fabric that they mean.

One rule, wherever hosts are named: the same name; else the same but for the case of its letters; else the same up to the first
dot, where one host alone is so. `NODE001` and `node001.cluster.org` mean `node001`, and `node001` means
`node001.cluster.org`. An address has no short name: `10.0.0.1` means nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Iterable

_ADDRESS = re.compile(r"[0-9.]+|.*:.*")


class Names:
    """The names of hosts, to be found by what a list calls them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._exact = dict.fromkeys(names)
        self._folded: dict[str, list[str]] = {}
        self._short: dict[str, list[str]] = {}
        for name in self._exact:
            self._folded.setdefault(name.casefold(), []).append(name)
            self._short.setdefault(_short(name), []).append(name)

    def meant(self, name: str) -> str | None:
        """The host that a name means; none where the rule finds none.

        Raises:
            LacisError: when several hosts fit equally well.
        """
        if name in self._exact:
            return name
        found = self._folded.get(name.casefold()) or self._short.get(_short(name), [])
        if len(found) > 1:
            several = f"{' or '.join(found[:3])}{', …' if len(found) > 3 else ''}"
            raise LacisError(f"may be {several}, which differ in case or domain alone", text=name)
        return found[0] if found else None


def _short(name: str) -> str:
    """What names of a host share: small letters, up to the first dot."""
    folded = name.casefold()
    return folded if _ADDRESS.fullmatch(folded) else folded.partition(".")[0]
