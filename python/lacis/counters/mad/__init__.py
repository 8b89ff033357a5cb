"""Counters read from the running fabric, by management datagrams through libibumad."""

from __future__ import annotations

from .device import Pace
from .discovery import discovered, rediscovered
from .live import Reader

__all__ = ["Pace", "Reader", "discovered", "rediscovered"]
