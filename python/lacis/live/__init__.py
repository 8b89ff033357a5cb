"""What ports do now: rates, shares, waiting and errors of a fabric's ports, in groups and lists, over time."""

from .focus import Criterion, Row, focus
from .groups import Direction, Group, GroupFigures, buckets, figures, groups
from .jobs import JobsOnPorts, JobThere, jobs_on_ports
from .pairs import Pair, PairsOnPorts, PairsThere, pairs_on_ports
from .timeline import Kept, Recorded, Simulated, Swept, Timeline
from .usage import CATEGORIES, Usage, usage

__all__ = [
    "CATEGORIES",
    "Criterion",
    "Direction",
    "Group",
    "GroupFigures",
    "JobThere",
    "JobsOnPorts",
    "Kept",
    "Pair",
    "PairsOnPorts",
    "PairsThere",
    "Recorded",
    "Row",
    "Simulated",
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
