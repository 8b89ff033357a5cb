"""Options of a subnet manager, as the engine takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import HopFile, TableFile


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
