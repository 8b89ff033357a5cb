"""What is different between two states of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from .._core import Fabric
    from ..results import Cabling


def fabrics(old: Fabric, new: Fabric, *, by_name: bool = False) -> Cabling:
    """Compare two states of a fabric: nodes by GUID, then by name, then by position.

    Args:
        old: the state before.
        new: the state now.
        by_name: ignore GUIDs, as of two generated fabrics, whose GUIDs are consecutive numbers.

    Raises:
        LacisError: when they have neither a node GUID nor a node name in common.
    """
    return _core.cabling_difference(old, new, by_name=by_name)
