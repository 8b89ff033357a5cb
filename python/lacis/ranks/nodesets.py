"""Sets of hosts as ClusterShell writes them: `node[001-018]`, `a,b`, `n[1-9]!n5`, `@group`.

Groups are those of ClusterShell's own configuration (`/etc/clustershell/groups.conf`, `~/.config/clustershell`).
Where a fabric is known, `*` stands for any part of the names of its hosts: `*`, `node0*`, `*!node[001-004]`. ClusterShell
alone would take it for the nodes of its configuration.
"""

from __future__ import annotations

import contextlib
import re
from contextvars import ContextVar
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..facts.words import noun
from ..io.files import reading, text_of
from .names import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from .._core import Fabric

MOST = 1 << 20
"""Most names that a set may stand for: more than any cluster has."""

GROUPS = ("all", "compute", "management", "storage", "gateway")
"""Groups of hosts by purpose, as `--hosts` takes them."""

_GUID = re.compile(r"0x[0-9a-fA-F]{1,16}")
_SLOTS = re.compile(r"([^:\s]+):\d{1,6}(?::[A-Za-z][\w.-]*)?")
"""`node1:48`, `node1:48:mlx5_0`: a host with the number of its ranks and its adapter."""
_SETS = re.compile(r"[\[\],@&!^*]")
_OPERATORS = re.compile(r"[&!^]")


_report_absent: ContextVar[Callable[[Sequence[str], int], object] | None] = ContextVar(
    "_report_absent", default=None
)


_way_to_skip: ContextVar[str] = ContextVar("_way_to_skip", default="`skipping_absent`")


@contextlib.contextmanager
def advising(way_to_skip: str) -> Iterator[None]:
    """Within this context an error about hosts that the fabric lacks says how they are left out.

    Args:
        way_to_skip: what leaves them out, as users write it; empty where nothing does. Elsewhere it is `skipping_absent`.
    """
    token = _way_to_skip.set(way_to_skip)
    try:
        yield
    finally:
        _way_to_skip.reset(token)


@contextlib.contextmanager
def skipping_absent(report: Callable[[Sequence[str], int], object]) -> Iterator[None]:
    """Within this context hosts of a set or a list that the fabric lacks are left out.

    Args:
        report: called with those that are left out, and how many were named.
    """
    token = _report_absent.set(report)
    try:
        yield
    finally:
        _report_absent.reset(token)


def skips_absent() -> bool:
    """Whether hosts that the fabric lacks are left out."""
    return _report_absent.get() is not None


def present(named: Sequence[tuple[int, str]], known: Collection[str]) -> list[tuple[int, str]]:
    """Named hosts, each with its line and by the name that is known: all, or within `skipping_absent` those that are known.

    A name means a host by the rule of `names`; one that means none stays as it is.

    Raises:
        LacisError: when a name means several hosts; with the line.
    """
    names = Names(known)
    found = []
    for line, name in named:
        try:
            found.append((line, names.meant(name) or name))
        except LacisError as error:
            raise LacisError(error.reason, line, name) from None
    report = _report_absent.get()
    if report is None:
        return found
    there = set(known)
    absent = [name for _, name in found if not _is_there(name, there)]
    if absent:
        report(list(dict.fromkeys(absent)), len({name for _, name in found}))
    return [(line, name) for line, name in found if _is_there(name, there)]


def _is_there(name: str, known: Collection[str]) -> bool:
    """Whether a host is known, or is named by the GUID of a port, which is looked up elsewhere."""
    return name in known or bool(_GUID.fullmatch(name))


def is_set(text: str) -> bool:
    """Whether a word is more than the name of a host."""
    return bool(_SETS.search(text)) and not re.search(r"\s", text)


def expand(text: str, known: Collection[str] = ()) -> list[str]:
    """The names that a set stands for: of a list in its order, each element in natural order.

    Args:
        text: the set.
        known: the hosts that `*` may stand for; without any it has ClusterShell's meaning.

    Raises:
        LacisError: when it is none, when a group is unknown, when it has too many names, or when no host is like it.
    """
    if known and "*" in text:
        return _expand_likeness(text, known)
    if _OPERATORS.search(text):
        return _expand(text)
    return [name for element in _elements(text) for name in _expand(element)]


def fold(names: Iterable[str]) -> str:
    """A short text for hosts: `node[001-018]`; names with blanks are in double quotes."""
    from ClusterShell.NodeSet import NodeSet, NodeSetException

    plain: list[str] = []
    others: list[str] = []
    for name in names:
        (others if re.search(r"[\s\[\],@&!^%]", name) else plain).append(name)
    try:
        # Names with one number are folded by it, those with several by the last, which takes no search.
        folded = str(NodeSet.fromlist(plain)) if not _is_wide(plain) else _fold_last(plain)
    except NodeSetException:
        folded = ",".join(plain)
    return ",".join([*([folded] if folded else []), *(f'"{name}"' for name in others)])


def find(text: str, known: Collection[str], source: str, also: Sequence[str] = ()) -> list[str]:
    """The hosts that a set names, each once.

    Args:
        text: a name, a set, or `file:PATH` with a name, a set or a port's GUID on each line.
        known: the hosts there are.
        source: the argument that it is, for errors.
        also: other words that the user may have meant.

    Raises:
        LacisError: when it is no set, or names an unknown host; with the nearest names.
    """
    path = text.removeprefix("file:")
    if path != text:
        with reading(path) as data:
            named = [name for _, name in listed(data, known)]
            if not named:
                raise LacisError("no host in the file")
            _check(named, known, also, None)
        return list(dict.fromkeys(named))
    if text in known:
        return [text]
    try:
        if _is_of_scheduler(text):
            named = [name for _, name in listed(text.encode(), known)]
        else:
            named = list(dict.fromkeys(_without_slots(name, known) for name in expand(text, known)))
            named = [name for _, name in present([(1, name) for name in named], known)]
            named = list(dict.fromkeys(named))
        if not named:
            raise LacisError("no host in the list")
        _check(named, known, also, text)
    except LacisError as error:
        # An argument has no lines.
        raise LacisError(error.reason, text=error.text).within(source) from None
    return named


def _is_of_scheduler(text: str) -> bool:
    """Whether a text is a list of hosts as PBS has it: `(node1:ncpus=48)+(node2:ncpus=48)`, `node1/0*48+node2/0*48`."""
    return (text.startswith("(") and ":" in text) or bool(re.fullmatch(r"[^\s,\[]+/\d[^\s,\[]*", text))


def _without_slots(name: str, known: Collection[str]) -> str:
    """A host without the number of its ranks and its adapter."""
    found = _SLOTS.fullmatch(name)
    return found[1] if found and name not in known else name


def listed(data: bytes, known: Collection[str] = ()) -> list[tuple[int, str]]:
    """The hosts of a file, each with its line: names, sets and GUIDs of ports, in any form of `docs/reference/nodesets.md`.

    Within `skipping_absent` those that are not known are left out, if any are known.

    Raises:
        LacisError: when a set is none; with the line.
    """
    there = set(known)
    found: list[tuple[int, str]] = []
    for line, word in _core.read_hosts("hosts", text_of(data).encode()):
        if word in there or not is_set(word):
            found.append((line, word))
            continue
        try:
            found.extend((line, name) for name in expand(word, known))
        except LacisError as error:
            raise LacisError(error.reason, line=line, text=error.text) from None
    return present(found, known) if known else found


def hosts_of(fabric: Fabric, rail: str = "all") -> list[str]:
    """The names of all hosts of a fabric, in natural order."""
    return _core.host_names(fabric, rail=rail)


def is_group(text: str) -> bool:
    """Whether a text names groups of the fabric, and not hosts."""
    return all(word.strip() in GROUPS for word in text.split(","))


def _check(named: Sequence[str], known: Collection[str], also: Sequence[str], text: str | None) -> None:
    there = set(known)
    missing = [name for name in named if not _is_there(name, there)]
    if not missing:
        return
    candidates = [*also, *known]
    near = dict.fromkeys(n for name in missing[:4] for n in _core.nearest(name, candidates, 2))
    hint = f"; did you mean {' or '.join(list(near)[:3])}?" if near else ""
    some = fold(missing) if len(missing) <= MOST else ""
    some = some if len(some) <= 120 else some[:117] + "…"
    group = " and no group" if also else ""
    if len(missing) == len(named):
        said = f"no host{group} of this fabric"
        shown = some if text != some else ""
    else:
        are = noun(len(missing), "is no host", "are no hosts")
        said = f"{len(missing):,} of {len(named):,} {are}{group} of this fabric"
        shown = some
    # A few hosts of a job may be down when a dump is made.
    way = _way_to_skip.get()
    skip = f"; {way} leaves them out" if way and len(missing) < len(named) else ""
    raise LacisError(f"{said}{': ' * bool(shown)}{shown}{hint}{skip}", text=text or "")


_COMBINED = re.compile(r"[,&!^]")
_STAR = "\ue000"
"""Stands for `*` while ClusterShell expands brackets."""


def _expand_likeness(text: str, known: Collection[str]) -> list[str]:
    """As ClusterShell combines sets, from left to right; elements with `*` stand for the hosts that are like them."""
    found: dict[str, None] = {}
    operator, start, depth = ",", 0, 0
    for at, char in enumerate([*text, ","]):
        depth += (char == "[") - (char == "]")
        if depth or not _COMBINED.fullmatch(char):
            continue
        element = text[start:at].strip()
        names = _like(element, known) if "*" in element and not element.startswith("@") else _expand(element)
        there = set(names)
        match operator:
            case ",":
                found |= dict.fromkeys(names)
            case "!":
                found = {name: None for name in found if name not in there}
            case "&":
                found = {name: None for name in found if name in there}
            case _:
                both = there & found.keys()
                found = dict.fromkeys(name for name in (*found, *names) if name not in both)
        operator, start = char, at + 1
    return list(found)


def _like(element: str, known: Collection[str]) -> list[str]:
    """The hosts that an element with `*` stands for, in the order in which they are known."""
    patterns = _expand(element.replace("*", _STAR)) if "[" in element else [element.replace("*", _STAR)]
    exact = [re.compile(".*".join(map(re.escape, pattern.split(_STAR)))) for pattern in patterns]
    names = [name for name in known if any(pattern.fullmatch(name) for pattern in exact)]
    if not names:
        raise LacisError("no host of this fabric is like it", text=element)
    return names


def _expand(element: str) -> list[str]:
    from ClusterShell.NodeSet import NodeSet, NodeSetException
    from ClusterShell.NodeUtils import GroupResolverError, GroupResolverSourceError, GroupSourceError

    if _size(element) > MOST:
        raise LacisError(f"more than {MOST:,} names", text=element[:80])
    try:
        return list(NodeSet(element))
    except GroupResolverSourceError as error:
        reason = f"ClusterShell has no source of groups {str(error)[:80]}"
        raise LacisError(f"not a set of hosts ({reason})", text=element[:80]) from None
    except (GroupResolverError, GroupSourceError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise LacisError(f"not a set of hosts ({reason})", text=element[:80]) from None
    except (NodeSetException, ValueError) as error:  # a number of thousands of digits
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise LacisError(f"not a set of hosts ({reason.strip()})", text=element[:80]) from None


def _elements(text: str) -> list[str]:
    """The texts between commas outside brackets."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    return [element.strip() for element in [*found, text[start:]] if element.strip()]


def _size(element: str) -> int:
    """About how many names it stands for; ClusterShell would fill the memory with too many."""
    total = 1
    for inside in re.findall(r"\[([^\[\]]*)\]", element):
        count = 0
        for span in inside.split(","):
            ends = re.fullmatch(r"\s*(\d+)-(\d+)(?:/\d+)?\s*", span)
            if ends and len(span) > 64:
                return MOST + 1
            count += max(1, int(ends[2]) - int(ends[1]) + 1) if ends else 1
        total *= count
        if total > MOST:
            break
    return total


def _is_wide(names: Sequence[str]) -> bool:
    """Whether names have several numbers, so that folding takes long."""
    return len(names) > 64 and len(re.findall(r"\d+", names[0])) > 1


def _fold_last(names: Sequence[str]) -> str:
    from ClusterShell.NodeSet import NodeSet

    folded = NodeSet.fromlist(names)
    folded.fold_axis = (-1,)
    return str(folded)
