"""Files that a manager's options name, as `RouteOptions` takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..io.files import reading
from ..results import Conf, Setting

if TYPE_CHECKING:
    import os

    from .._core import Fabric, HopFile, TableFile


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
    """An `opensm.conf`, line by line; `lacis.sm.engines.KEYS` says which option of `RouteOptions` a key is.

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
