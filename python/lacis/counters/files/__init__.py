"""Readers of counters in files: what perfquery, ibqueryerrors, ibdiagnet, UFM, opareport and the kernel write, recognised by content."""

from .fabrics import of_fabric
from .reading import FORMATS, Format, read
from .sensors import FanSpeed, PowerSupply, Sensors, read_sensors

__all__ = ["FORMATS", "FanSpeed", "Format", "PowerSupply", "Sensors", "of_fabric", "read", "read_sensors"]
