"""Readings kept on disk: the store, and what of it cannot be read."""

from .layout import Damaged
from .store import LIMIT, CounterStore

__all__ = ["LIMIT", "CounterStore", "Damaged"]
