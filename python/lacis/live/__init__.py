"""What ports do now: rates, shares, waiting and errors of a fabric's ports, in groups and lists, over time."""

from .focus import Criterion, Row, focus
from .groups import Direction, PortGroup, PortGroupFigures, buckets, figures, groups
from .jobs import JobOnPort, JobsOnPorts, jobs_on_ports
from .pairs import Pair, PairsOnPorts, PairsThere, pairs_on_ports
from .timeline import Recorded, Simulated, Stored, Swept, Timeline
from .usage import CATEGORIES, Usage, usage

__all__ = [
    "CATEGORIES",
    "Criterion",
    "Direction",
    "JobOnPort",
    "JobsOnPorts",
    "Pair",
    "PairsOnPorts",
    "PairsThere",
    "PortGroup",
    "PortGroupFigures",
    "Recorded",
    "Row",
    "Simulated",
    "Stored",
    "Swept",
    "Timeline",
    "Usage",
    "buckets",
    "figures",
    "focus",
    "groups",
    "jobs_on_ports",
    "pairs_on_ports",
    "usage",
]
