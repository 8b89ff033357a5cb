"""What goes wrong on a fabric, as it does: conditions that open and close once."""

from .conditions import Conditions, Event, Hysteresis
from .files import WatchedCabling, WatchedFile, WatchedTables
from .jobs import Crossing
from .manager import ManagerLog
from .watching import HOT, OLDEST, Watch

__all__ = [
    "HOT",
    "OLDEST",
    "Conditions",
    "Crossing",
    "Event",
    "Hysteresis",
    "ManagerLog",
    "Watch",
    "WatchedCabling",
    "WatchedFile",
    "WatchedTables",
]
