"""Other traffic while a measurement ran: what counters of ports grew by, less what the measurement itself sent over each link."""

from __future__ import annotations

from .answer import ByLink, Others, Part, together
from .carried import Carried, carried
from .judge import judged
from .readers import of_source
from .sent import Sent, sent_of

__all__ = [
    "ByLink",
    "Carried",
    "Others",
    "Part",
    "Sent",
    "carried",
    "judged",
    "of_source",
    "sent_of",
    "together",
]
