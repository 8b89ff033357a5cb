"""What is different: two states of a fabric, a plan and a fabric, two tables, or tables and what an engine makes."""

from __future__ import annotations

from ..documents.difference import CableChange, Node, NodeChange
from ..results import Cabling
from .engine_search import Candidate, Ranking, which_engine
from .entries import lids_of, tables
from .states import fabrics

__all__ = [
    "CableChange",
    "Cabling",
    "Candidate",
    "Node",
    "NodeChange",
    "Ranking",
    "fabrics",
    "lids_of",
    "tables",
    "which_engine",
]
