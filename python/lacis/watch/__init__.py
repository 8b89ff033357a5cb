"""What goes wrong on a fabric, as it does: conditions that open and close once."""

from .conditions import Conditions, Event, Hysteresis
from .jobs import Crossing
from .kept import Cabling, Kept, Tables
from .manager import ManagerLog
from .watching import HOT, OLDEST, Watch

__all__ = [
    "HOT",
    "OLDEST",
    "Cabling",
    "Conditions",
    "Crossing",
    "Event",
    "Hysteresis",
    "Kept",
    "ManagerLog",
    "Tables",
    "Watch",
]
