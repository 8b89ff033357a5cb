"""Lacis: a fabric engineer's workbench for HPC and AI interconnects.

    >>> import lacis
    >>> fabric = lacis.read("fat-tree:8,2")
    >>> fabric.num_switches
    12
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .errors import LacisError

if TYPE_CHECKING:
    from ._core import Fabric
    from .fabric import read

__all__ = ["Fabric", "LacisError", "read"]

# Name → module, loaded at first use: `lacis --help` imports none of them.
_LAZY = {"Fabric": "._core", "read": ".fabric"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
