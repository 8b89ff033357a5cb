"""Names of groups and of what is above them: what the names of their switches have in common.

A name depends on the names of switches alone, not on GUIDs, cables or the order of a dump, so that it stays when those change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..facts.words import natural

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

LONGEST = 63
"""Characters of a name: a label's value in Kubernetes has no more, a switch's in Slurm one more."""

_PARTS = re.compile(r"\d+|\D+")
_GUID = re.compile(r"(?:S-|0x)?[0-9a-fA-F]{16}")


def common(names: Sequence[str]) -> tuple[str, re.Pattern[str]] | None:
    """What names have in common besides numbers that differ, and a pattern of all names that differ from them in these alone.

    None where they differ in more than numbers, where nothing is left, or where they are GUIDs.
    """
    parts = [_PARTS.findall(name) for name in names]
    if len({len(one) for one in parts}) != 1 or any(_GUID.search(name) for name in names):
        return None
    kept, pattern = "", ""
    for column in zip(*parts, strict=True):
        if len(set(column)) == 1:
            kept += column[0]
            pattern += re.escape(column[0])
        elif all(part[0].isdigit() for part in column):
            # A mark where a number was, with which the separators on its sides are joined below.
            kept += "\0"
            pattern += r"\d+"
        else:
            return None
    kept = re.sub(r"([-_. ]*)\0([-_. ]*)", lambda marks: marks[1] or marks[2], kept).strip("-_. ")
    return (kept, re.compile(pattern)) if kept else None


def name_all(
    members: Sequence[Sequence[str]], fallback: Sequence[str], taken: Collection[str] = ()
) -> list[str]:
    """A name for each set of switches.

    Args:
        members: the names of each set's switches, each switch in one set.
        fallback: for each set the name that it has where its switches have none in common which is theirs alone.
        taken: names that others have.
    """
    named = []
    for at, names in enumerate(members):
        found = (
            common(names)
            if len(names) > 1
            else (names[0], re.compile(re.escape(names[0])))
            if names
            else None
        )
        others = (name for other, some in enumerate(members) if other != at for name in some)
        if found is None or any(found[1].fullmatch(name) for name in others):
            named.append(fallback[at])
        else:
            named.append(found[0])
    used = set(taken)
    for at, name in enumerate(named):
        clean = cleaned(name)
        if named.count(name) > 1 or clean in used:
            clean = cleaned(fallback[at])
        named[at] = _unused(clean, used)
        used.add(named[at])
    return named


def cleaned(name: str) -> str:
    """A name as schedulers take it: letters, digits, `-`, `_` and `.`, neither first nor last a mark."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-_.")
    if len(plain) > LONGEST:
        # The end of a name tells switches apart (a GUID, a number), its beginning says of what kind they are.
        plain = f"{plain[:30].rstrip('-_.')}-{plain[-32:].lstrip('-_.')}"
    return plain or "switch"


def _unused(name: str, used: Collection[str]) -> str:
    if name not in used:
        return name
    number = 2
    while f"{name[: LONGEST - 8]}-{number}" in used:
        number += 1
    return f"{name[: LONGEST - 8]}-{number}"


def in_order(names: Sequence[str]) -> list[int]:
    """The indices of names in natural order."""
    return sorted(range(len(names)), key=lambda at: (natural(names[at]), names[at]))
