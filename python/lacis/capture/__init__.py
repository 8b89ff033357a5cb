"""One archive with all that an engineer needs later: the fabric, its tables, counters, configuration, and this host."""

from .collected import Captured, capture, discovered
from .names import Pseudonyms

__all__ = ["Captured", "Pseudonyms", "capture", "discovered"]
