"""Cabling plans, and whether a fabric is cabled as planned, and has the nodes and managers of the plan."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..io.files import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric, Plan
    from ..results import Comparison

VERDICTS = ("as_planned", "missing", "unexpected", "misconnected", "duplicate", "different")
"""Verdicts on a cable, as in `opareport -o verifylinks`."""


def read(source: str | os.PathLike[str]) -> Plan:
    """Read a plan: topology XML, `opaxlattopology`'s CSV, an NDT, a fabric in any format, or a synthetic spec.

    Raises:
        LacisError: when it cannot be read or is none of these.
    """
    name = os.fspath(source)
    if name != "-" and not Path(name).exists() and _core.is_spec(name):
        # GUIDs of generated fabrics are consecutive numbers, which identify no node.
        return _core.plan_of(_core.generate_fabric(name), guids=False)
    with reading(name) as data:
        if name != "-" and Path(name).is_dir():
            raise LacisError("is a directory")
        return _core.read_plan(data)


def compare(plans: Sequence[Plan], fabric: Fabric) -> Comparison:
    """Compare plans, taken together, with a fabric.

    Raises:
        LacisError: when no name of the plans is in the fabric.
    """
    return _core.planned_difference(plans, fabric)
