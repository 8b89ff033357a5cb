"""Where nodes are, as the scripts of both pages read it (`assets/points.js`): numbers in base64."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from .positions import positions
from .racks import by_racks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Fabric
    from .shapes import Drawing


def points(fabric: Fabric, drawing: Drawing | None) -> dict[str, Any]:
    """`x` and `y` of nodes, switches first; `box`, that of each switch in the drawing; `racks`, their points by rack, and the blocks of the racks, or none where names say no racks."""
    at = positions(fabric, drawing)
    racks = by_racks(fabric)
    return {
        "x": encoded(at.x),
        "y": encoded(at.y),
        "box": [drawing.box_of.get(switch, -1) for switch in range(fabric.num_switches)] if drawing else [],
        "racks": racks
        and {
            "x": encoded(racks.x),
            "y": encoded(racks.y),
            "groups": encoded(racks.groups),
            "group_names": racks.names,
            "contents": racks.contents,
            "corners": encoded(racks.corners),
        },
    }


def encoded(values: NDArray[Any]) -> str:
    """Numbers, little-endian, in base64."""
    return base64.b64encode(values.astype(values.dtype.newbyteorder("<")).tobytes()).decode()
