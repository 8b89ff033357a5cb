"""Fabrics, read, generated and changed."""

from __future__ import annotations

from .folder import FolderFabric, read_folder
from .reading import Cabling, declare, read, read_cabling, with_counters

__all__ = ["Cabling", "FolderFabric", "declare", "read", "read_cabling", "read_folder", "with_counters"]
