"""Routing a fabric, and reading and writing its tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypedDict

from . import _core
from .engines import usual
from .errors import LacisError
from .files import reading, writing
from .results import Conf, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from ._core import Fabric, HopFile, Routes, TableFile


class RouteOptions(TypedDict, total=False):
    """Options of a subnet manager; those left out have OpenSM's default."""

    sm: str | None
    """The node that it runs on: identifier, GUID, description, or a host's name for its first cabled adapter; unless given,
    the node with LID 1, else the first adapter. Its port gets the first LID."""
    fresh_lids: bool
    """Assign all LIDs from scratch instead of keeping those that the fabric reports and `guid2lid` remembers."""
    lmc: int
    """LID mask control of end nodes' ports, 0 to 7: each has 2**lmc LIDs."""
    lmc_esp0: bool
    """Give enhanced switch ports 0 as many; all others have one."""
    guid2lid: Sequence[tuple[int, int, int]]
    """Port GUIDs with the first and last LIDs that the manager remembers of them, in the file's order."""
    order: Sequence[int]
    """Port GUIDs that are routed first, for `minhop`, `updn`, `dnup` and `dor`."""
    order_no_scatter: bool
    """Let `scatter` leave those alone."""
    roots: Sequence[int] | None
    """Node GUIDs of the root switches, for `updn` and `ftree`; found automatically unless given."""
    cn: Sequence[int] | None
    """Port GUIDs of the compute nodes, for `ftree`, `sssp` and `dfsssp`."""
    io: Sequence[int] | None
    """Port GUIDs of the I/O nodes, for the same."""
    reverse_hops: int
    """How often a path to an I/O node may turn up after it went down."""
    connect_roots: bool
    """Route between root switches too."""
    ids: Sequence[tuple[int, int]]
    """Switch node GUIDs with the ids that decide between switches of one rank, for `updn`."""
    hop_weights: Sequence[tuple[int, int, int]]
    """Switch node GUIDs, ports, and the hops that leaving by them counts as."""
    ignore: Sequence[tuple[int, int]]
    """Switch node GUIDs and ports whose load is not counted."""
    search_order: Sequence[tuple[int, list[int]]]
    """Switch node GUIDs and the order in which their ports are looked through."""
    port_shifting: bool
    """Start each search for a port where the load that was placed so far ends."""
    scatter: int
    """Seed of a random choice among equal ports; 0 takes the first."""
    count_switches: bool
    """Count paths to switches as load."""
    quasi_ftree: bool
    """Number the tree from its roots, for `ftree`."""
    avoid_throttled: bool
    """Leave out cables between switches that run below what their ends could, for `sssp`, `dfsssp` and `nue`:
    below the widest and fastest that both switches run elsewhere (assumed: no source says what is enabled)."""
    mesh_analysis: bool
    """Look for a mesh, and let LIDs take turns on parallel cables, for `lash`."""
    lash_start_vl: int
    """First lane of `lash`."""
    vls: int
    """Data lanes of every switch port; net files do not have them."""
    nue_vls: int
    """Lanes that `nue` and `numbered` may use; 0 for all."""
    nue_include_switches: bool
    """Treat switches as destinations like others, for `nue`."""
    lfts_file: TableFile | None
    """Tables that `file` loads; see `read_table_file`."""
    lid_matrix_file: HopFile | None
    """Hop matrices that `file` loads; see `read_hop_file`."""
    torus_config: bytes | None
    """What OpenSM's file torus-2QoS.conf says, for `torus-2QoS`; see `read_torus_config`."""
    spine_first: bool
    """Prefer ports inside a chassis, or up the tree, for Omni-Path's engines (`SpineFirstRouting`); on by default."""
    tier_count: int
    """Tiers that a tree may have, for `fattree`."""
    fallback: bool
    """Use `minhop` when all engines refuse, `shortestpath` after one of Omni-Path's."""


def route(fabric: Fabric, engines: str | None = None, **options: Unpack[RouteOptions]) -> Routes:
    """Tables as a fresh OpenSM 3.3.23 would make them, or, with its engines, Omni-Path's opa-fm 10.10.3.

    Args:
        fabric: what to route.
        engines: an engine, or a list `a,b` of which the first that accepts the fabric is used; `minhop` unless
            given, `shortestpath` on Omni-Path.
        options: see `RouteOptions`.

    Raises:
        RefusedError: when all engines refuse and `fallback` is off.
        LacisError: when there is no such engine or node.
    """
    return _core.route(fabric, engines or usual(fabric.technology), **options)


def read_tables(fabric: Fabric, path: str | os.PathLike[str]) -> tuple[Routes, list[str]]:
    """Tables that were dumped from this fabric, and what their reader noticed.

    Understood are `opensm-lfts.dump`, what `dump_lfts` and `ibroute` print, and snapshots of `opareport`.

    Raises:
        LacisError: when the file cannot be read, or is of another fabric.
    """
    with reading(path) as data:
        return _core.read_lfts(fabric, data)


def read_table_file(path: str | os.PathLike[str]) -> TableFile:
    """Tables for the engine `file`, as `RouteOptions.lfts_file` takes them; of any fabric.

    Raises:
        LacisError: when the file cannot be read, or OpenSM would misread it or give up.
    """
    with reading(path) as data:
        return _core.read_table_file(data)


def read_hop_file(path: str | os.PathLike[str]) -> HopFile:
    """Hop matrices (`opensm-lid-matrix.dump`) for the engine `file`, as `RouteOptions.lid_matrix_file` takes them.

    Raises:
        LacisError: when the file cannot be read, or OpenSM would misread it or give up.
    """
    with reading(path) as data:
        return _core.read_hop_file(data)


def read_guids(path: str | os.PathLike[str]) -> list[int]:
    """The GUIDs in a file as OpenSM's options take it, one a line.

    Raises:
        LacisError: when the file cannot be read, or OpenSM would misread it.
    """
    with reading(path) as data:
        return _core.read_guid_list(data)


def read_conf(path: str | os.PathLike[str]) -> Conf:
    """An `opensm.conf`, line by line; `lacis.engines.KEYS` says which option of `RouteOptions` a key is.

    Raises:
        LacisError: when the file cannot be read, or OpenSM would misread it.
    """
    with reading(path) as data:
        return Conf(*([Setting(*line) for line in lines] for lines in _core.read_opensm_conf(data)))


def read_lid_cache(path: str | os.PathLike[str]) -> list[tuple[int, int, int]]:
    """OpenSM's cache `guid2lid`: port GUIDs with their first and last LIDs, as `RouteOptions.guid2lid` takes them.

    Raises:
        LacisError: when the file cannot be read, or OpenSM would misread it.
    """
    with reading(path) as data:
        return _core.read_guid2lid(data)


def read_port_list(path: str | os.PathLike[str], key: str) -> list[tuple[int, list[int]]]:
    """A file about switches and their ports: node GUID and numbers of each line.

    Args:
        path: the file.
        key: its key in `opensm.conf`: `ids_guid_file`, `port_prof_ignore_file`, `hop_weights_file` or
            `port_search_ordering_file`.

    Raises:
        LacisError: when the file cannot be read, or OpenSM would misread it or ignore a line.
    """
    with reading(path) as data:
        return _core.read_port_list(data, key)


def read_torus_config(fabric: Fabric, path: str | os.PathLike[str]) -> bytes:
    """A configuration of `torus-2QoS` that fits a fabric, as `RouteOptions.torus_config` takes it.

    Raises:
        LacisError: when the file cannot be read, OpenSM would misread it, or it is of another
            fabric.
    """
    with reading(path) as data:
        _core.check_torus_config(fabric, data)
        return data


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


def write_snapshot(routes: Routes, path: str | os.PathLike[str]) -> int:
    """Writes a fabric with its tables and port groups as a snapshot, which `opareport -X FILE` reads.

    Returns:
        The number of cables that are not Omni-Path's and are written as 100g.

    Raises:
        LacisError: when the file cannot be written, or opareport would refuse it.
    """
    import time

    try:
        with writing(path) as out:
            return routes.dump_snapshot(out.write, int(time.time()))
    except LacisError as error:
        raise error.within(os.fspath(path)) from None


def undiscovered(routes: Routes) -> str:
    """What is too far from OpenSM's manager to be found, in words; empty where it finds all."""
    count = routes.undiscovered()
    if not count:
        return ""
    what = "1 switch is" if count == 1 else f"{count:,} switches are"
    return f"{what} more than 63 hops from the manager: OpenSM would not find what is there, and not route it"


def routing_order(
    fabric: Fabric,
    by: str = "topology",
    *,
    listed: str | os.PathLike[str] | None = None,
    nodes: str | None = None,
    rail: str = "all",
    **options: Unpack[RouteOptions],
) -> tuple[list[str], list[int]]:
    """Hosts in an order and the GUIDs of their ports, as `RouteOptions.order` takes them.

    Where hosts have several rails, all ports of one rail come before those of the next. OpenSM gives each destination in
    turn the least used port of a leaf: with the rails of a host side by side, every rail would get the same few ports.

    Args:
        fabric: whose hosts.
        by: `name`, `lid`, `topology` (leaf by leaf), `ftree` (as that engine balances compute nodes), `host` (as
            the file `listed` has them, names, sets and port GUIDs, one a line) or `slurm` (as its `topology.conf` or the list `nodes` has them).
        listed: a file of hosts, or a `topology.conf`.
        nodes: a list of hosts as Slurm writes it: `node[001-018]`.
        rail: `all`, `each`, a number from 0, or an adapter label; not for `ftree`.
        options: of the manager, for `ftree`: its roots, compute nodes and I/O nodes.

    Raises:
        LacisError: when a listed host is not in the fabric, or is listed twice: all of them are named. When there is
            no such order, or no host.
        RefusedError: when `ftree` refuses the fabric.
    """
    from . import nodesets

    if by == "ftree":
        options["fallback"] = False
        routes = _core.route(fabric, "ftree", **options)
        guid_of = dict(zip(*(column.tolist() for column in routes.lids()), strict=True))
        lines = [line.split("\t", 1) for line in routes.to_ca_order().splitlines()]
        nodes_of = [(name, guid_of[int(lid, 16)]) for lid, name in lines if lid != "0xFFFF"]
        return [name for name, _ in nodes_of], [guid for _, guid in nodes_of]
    if by in ("name", "lid", "topology"):
        hosts = _core.traffic_hosts(_core.route(fabric, "minhop"), rail=rail, order=by)
    elif by == "slurm" and nodes is not None:
        try:
            hosts = _core.listed_hosts(fabric, _core.read_hosts("nodes", nodes.encode()), rail=rail)
        except LacisError as error:
            raise LacisError(error.reason, text=error.text, source="--nodes") from None
    elif by in ("host", "slurm") and listed is not None:
        with reading(listed) as data:
            named = nodesets.listed(data) if by == "host" else _core.read_hosts("topology.conf", data)
            hosts = _core.listed_hosts(fabric, named, rail=rail)
    else:
        raise LacisError(f"no order by {by!r} of what is given")
    if not hosts.hosts:
        raise LacisError("no host has a cable, so there is nothing to order")
    return hosts.hosts, hosts.guids_by_rail().tolist()
