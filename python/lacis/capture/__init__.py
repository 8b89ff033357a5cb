"""One archive with all that an engineer needs later: the fabric, its tables, counters, configuration, and this host."""

from .collected import Captured, capture, discovered
from .names import Names

__all__ = ["Captured", "Names", "capture", "discovered"]
