"""Whether the fabric slowed a job down: its links by the tables, what each did in a window, and one of four verdicts."""

from ..counters.fields import TICK
from ..job.windows import Window, window
from .examination import Why, examine
from .logs import Log, read_log
from .measured import HOT, WAITING, Thresholds
from .sweeps import Recordings, recordings

__all__ = [
    "HOT",
    "TICK",
    "WAITING",
    "Log",
    "Recordings",
    "Thresholds",
    "Why",
    "Window",
    "examine",
    "read_log",
    "recordings",
    "window",
]
