"""Names of groups and of what is above them: what the names of their switches have in common.

A name depends on the names of switches alone, not on GUIDs, cables or the order of a dump, so that it stays when those change.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

LONGEST = 63
"""Characters of a name: a label's value in Kubernetes has no more, a switch's in Slurm one more."""

_PARTS = re.compile(r"\d+|\D+")
_GUID = re.compile(r"(?:S-|0x)?[0-9a-fA-F]{16}")


class Common(NamedTuple):
    """What names of switches have in common besides numbers that differ.

    Attributes:
        text: the name that it makes.
        words: the names without their numbers.
        numbers: the numbers that all have, each with its index among all numbers.
    """

    text: str
    words: tuple[str, ...]
    numbers: tuple[tuple[int, str], ...]


def common(names: Sequence[str]) -> Common | None:
    """What names have in common; None where they differ in more than numbers, where nothing is left, or where they are GUIDs."""
    parts = [_PARTS.findall(name) for name in names]
    if len({len(one) for one in parts}) != 1 or any(_GUID.search(name) for name in names):
        return None
    kept = ""
    numbers = []
    for at, column in enumerate(zip(*parts, strict=True)):
        if len(set(column)) == 1:
            kept += column[0]
            if column[0][0].isdigit():
                numbers.append((at, column[0]))
        elif all(part[0].isdigit() for part in column):
            # A mark where a number was, with which the separators on its sides are joined below.
            kept += "\0"
        else:
            return None
    kept = re.sub(r"([-_. ]*)\0([-_. ]*)", lambda marks: marks[1] or marks[2], kept).strip("-_. ")
    return Common(kept, _words(parts[0]), tuple(numbers)) if kept else None


def _words(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple("" if part[0].isdigit() else part for part in parts)


def name_all(
    members: Sequence[Sequence[str]], fallback: Sequence[str], taken: Collection[str] = ()
) -> list[str]:
    """A name for each set of switches.

    Args:
        members: the names of each set's switches, each switch in one set.
        fallback: for each set the name that it has where its switches have none in common which is theirs alone.
        taken: names that others have.
    """
    found = [common(names) if len(names) > 1 else None for names in members]
    shared = _shared(members, found)
    named = []
    for at, (names, one) in enumerate(zip(members, found, strict=True)):
        alone = names[0] if len(names) == 1 else one.text if one is not None and at not in shared else None
        named.append(fallback[at] if alone is None else alone)
    counts = Counter(named)
    used = set(taken)
    for at, name in enumerate(named):
        clean = cleaned(name)
        if counts[name] > 1 or clean in used:
            clean = cleaned(fallback[at])
        named[at] = _unused(clean, used)
        used.add(named[at])
    return named


def _shared(members: Sequence[Sequence[str]], found: Sequence[Common | None]) -> set[int]:
    """Sets of which a switch of another set has all that their own have in common."""
    kinds: dict[tuple[tuple[str, ...], tuple[int, ...]], list[int]] = {}
    for at, one in enumerate(found):
        if one is not None:
            kinds.setdefault((one.words, tuple(index for index, _ in one.numbers)), []).append(at)
    by_words: dict[tuple[str, ...], list[tuple[int, list[str]]]] = {}
    for at, names in enumerate(members):
        for name in names:
            parts = _PARTS.findall(name)
            by_words.setdefault(_words(parts), []).append((at, parts))
    shared = set()
    for (words, indices), sets in kinds.items():
        owners: dict[tuple[str, ...], set[int]] = {}
        for at, parts in by_words[words]:
            owners.setdefault(tuple(parts[index] for index in indices), set()).add(at)
        for at in sets:
            one = found[at]
            if one is not None and len(owners[tuple(number for _, number in one.numbers)]) > 1:
                shared.add(at)
    return shared


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
