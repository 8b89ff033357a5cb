"""Options of a subnet manager, as the engine takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import HopFile, TableFile


class RouteOptions(TypedDict, total=False):
    """Options of a subnet manager; those left out have OpenSM's default.

    Each is described as in the table of options, with the engines that read it; how its value is given follows.
    """

    sm: str | None
    """Node that OpenSM runs on: identifier, GUID, description or a host's name; else the one with LID 1, or the first
    adapter. A host's name means its first cabled adapter."""

    fresh_lids: bool
    """Assign all LIDs from scratch, as OpenSM -r does."""

    lmc: int
    """Give each port of an end node 2^LMC LIDs."""

    lmc_esp0: bool
    """Give enhanced switch ports 0 as many."""

    guid2lid: Sequence[tuple[int, int, int]]
    """LIDs that OpenSM remembers: its guid2lid file. Port GUIDs with the first and last LIDs, in the file's order."""

    order: Sequence[int]
    """Port GUIDs that are routed first (minhop, updn, dnup, dor, file, dgshortestpath)."""

    order_no_scatter: bool
    """Not for the ports of -X (minhop, updn, dnup, dor, file)."""

    roots: Sequence[int] | None
    """Node GUIDs of the root switches, found automatically unless given (updn, ftree, eventree)."""

    cn: Sequence[int] | None
    """Port GUIDs of the compute nodes (ftree, sssp, dfsssp)."""

    io: Sequence[int] | None
    """Port GUIDs of the I/O nodes (ftree, sssp, dfsssp)."""

    reverse_hops: int
    """How often a path to an I/O node may turn up after it went down (ftree)."""

    connect_roots: bool
    """Route between root switches too (updn, dnup, ftree)."""

    ids: Sequence[tuple[int, int]]
    """Ids of switches, for ties between equals (updn). Node GUIDs with their ids."""

    hop_weights: Sequence[tuple[int, int, int]]
    """What a hop by a port counts as (minhop, updn, dor, file). Switch node GUIDs, ports, and hops."""

    ignore: Sequence[tuple[int, int]]
    """Ports of switches whose load is not counted (minhop, updn, dnup, dor, file). Switch node GUIDs and ports."""

    search_order: Sequence[tuple[int, list[int]]]
    """Order in which a switch's ports are searched (minhop, updn, dnup, dor, file). Switch node GUIDs, each with its
    ports."""

    port_shifting: bool
    """Start each search where the load so far ends (minhop, updn, dnup, dor, file)."""

    scatter: int
    """Choose among equal ports at random; 0 takes the first (minhop, updn, dnup, dor, file, lash)."""

    count_switches: bool
    """Count paths to switches as load (minhop, updn, dnup, dor, file, dfsssp)."""

    quasi_ftree: bool
    """Number the tree from its roots (ftree)."""

    avoid_throttled: bool
    """Leave out cables that run below what both switches run elsewhere (sssp, dfsssp, nue). No source says what is enabled:
    assumed are the widest and the fastest that both switches run elsewhere."""

    mesh_analysis: bool
    """Look for a mesh; parallel cables take turns (lash)."""

    lash_start_vl: int
    """First VL (lash)."""

    vls: int
    """Data VLs of every link, 8 unless given (lash, dfsssp, nue, torus-2QoS, numbered)."""

    nue_vls: int
    """VLs to use; 0: all (nue, numbered)."""

    nue_include_switches: bool
    """Treat switches as destinations like others (nue)."""

    lfts_file: TableFile | None
    """Tables to load: opensm-lfts.dump or the output of dump_lfts, of this fabric or another state of it (file). See
    `read_table_file`."""

    lid_matrix_file: HopFile | None
    """Hop matrices to load: opensm-lid-matrix.dump (file). See `read_hop_file`."""

    torus_config: bytes | None
    """Sizes of the torus and where it begins, as OpenSM's torus-2QoS.conf (torus-2QoS). See `read_torus_config`."""

    spine_first: bool
    """Prefer ports inside a chassis, or up the tree, as SpineFirstRouting 1 of opafm.xml does (the default) (shortestpath,
    fattree, dgshortestpath)."""

    tier_count: int
    """Tiers that a tree may have, as TierCount of opafm.xml (fattree)."""

    ucast_cache: bool
    """Where only end nodes or whole leaves go or return, sweeps leave tables as they are: no engine runs."""

    fallback: bool
    """Where all engines refuse, use minhop as OpenSM does (the default), or exit with 1."""
