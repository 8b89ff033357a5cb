"""Routing a fabric, and reading and writing its tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core
from .errors import LacisError
from .files import reading, writing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._core import Fabric, Routes


def route(
    fabric: Fabric,
    engines: str = "minhop",
    *,
    sm: str | None = None,
    fresh_lids: bool = False,
    order: Iterable[int] = (),
    roots: Iterable[int] | None = None,
    cn: Iterable[int] | None = None,
    io: Iterable[int] | None = None,
    reverse_hops: int = 0,
    connect_roots: bool = False,
    fallback: bool = True,
) -> Routes:
    """Tables as a fresh OpenSM 3.3.23 would make them.

    Args:
        fabric: what to route.
        engines: an engine, or a list `a,b` of which the first that accepts the fabric is used.
        sm: the node that OpenSM runs on, by identifier, GUID or description; unless given, the first end
            node. Its port gets the first LID.
        fresh_lids: assign all LIDs anew instead of keeping those that the fabric reports.
        order: port GUIDs that are routed first.
        roots: node GUIDs of the root switches, for `updn` and `ftree`; found automatically unless given.
        cn: port GUIDs of the compute nodes, for `ftree`.
        io: port GUIDs of the I/O nodes, for `ftree`.
        reverse_hops: how often a path to an I/O node may turn up again.
        connect_roots: route between root switches too.
        fallback: use `minhop` when all engines refuse.

    Raises:
        RefusedError: when all engines refuse and `fallback` is off.
        LacisError: when there is no such engine or node.
    """

    def listed(guids: Iterable[int] | None) -> list[int] | None:
        return None if guids is None else list(guids)

    return _core.route(
        fabric,
        engines,
        sm=None if sm is None else _core.find_node(fabric, sm),
        fresh_lids=fresh_lids,
        order=list(order),
        roots=listed(roots),
        cn=listed(cn),
        io=listed(io),
        reverse_hops=reverse_hops,
        connect_roots=connect_roots,
        fallback=fallback,
    )


def read_tables(fabric: Fabric, path: str | os.PathLike[str]) -> tuple[Routes, list[str]]:
    """Tables that were dumped from this fabric, and what their reader noticed.

    Understood are `opensm-lfts.dump` and what `dump_lfts` and `ibroute` print.

    Raises:
        LacisError: when the file cannot be read, or is of another fabric.
    """
    with reading(path) as data:
        return _core.read_lfts(fabric, data)


def read_guids(path: str | os.PathLike[str]) -> list[int]:
    """The GUIDs in a file as OpenSM's options take it, one a line.

    Raises:
        LacisError: when the file cannot be read, or OpenSM would read something else in it.
    """
    with reading(path) as data:
        return _core.read_guid_list(data)


def write_tables(routes: Routes, path: str | os.PathLike[str]) -> None:
    """Writes tables as `opensm-lfts.dump`, which `opensm -R file -U FILE` loads.

    Raises:
        LacisError: when the file cannot be written, or a LID is beyond InfiniBand's.
    """
    try:
        with writing(path) as out:
            routes.dump(out.write)
    except LacisError as error:
        raise error.within(os.fspath(path)) from None
