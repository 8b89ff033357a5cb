"""Counters of ports: which there are, what one sweep read, and how much they have grown between two."""

from .fields import FIELDS, Field, Sort
from .growth import Growth, growth
from .lost import Lost
from .readings import LinkState, Readings, Unread, joined

__all__ = ["FIELDS", "Field", "Growth", "LinkState", "Lost", "Readings", "Sort", "Unread", "growth", "joined"]
