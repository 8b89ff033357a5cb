"""What hosts send in a simulation."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from .arguments import MOST, MOST_BYTES, whole

if TYPE_CHECKING:
    from .._core import Participants
    from .traffic import Traffic


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What hosts send.

    Attributes:
        traffic: a pattern as for `predict`, with each phase simulated alone; or a program as for `times`, whose phases
            are one run. Either may be pairs as arrays, or a function, as for these.
        test: what the flows of a pattern do: `burst` (each sends `count` messages at once), `windows` (`count`
            windows of `window` messages, each answered, as osu_mbw_mr does), `ping-pong` (`count` rounds), or
            `load` (messages at random times that fill the share `load` of a link, for `duration` seconds; beside
            other traffic it ends with that, or earlier).
        size: payload of a message, or what the program makes of it [bytes].
        count: messages, windows or rounds.
        window: messages of a window.
        load: share of a link, 0 to 1 and beyond.
        duration: of a load [s].
        sl: service level that the messages ask for; tables that assign lanes decide it themselves.
        ranks_per_host: how many ranks of a program are on each host, side by side.
        local_rate: assumed rate of all messages of a program inside a host together [bytes/s].
        hosts: those that send and receive, from `participants`; all hosts in the order of their names unless given.
        striping: `psm2` or `ucx`: how messages are spread over the rails that two hosts have in common, in bursts,
            windows and programs; see `prediction.times`.
    """

    traffic: Traffic
    test: str = "burst"
    size: int = 1 << 20
    count: int = 1
    window: int = 64
    load: float = 0.5
    duration: float = 1e-3
    sl: int = 0
    ranks_per_host: int = 1
    local_rate: float = 1e10
    hosts: Participants | None = None
    striping: str | None = None

    def __post_init__(self) -> None:
        if self.size is not None:  # what has bytes of its own needs none
            whole("size", self.size, 0, MOST_BYTES)
        whole("count", self.count, 1, MOST)
        whole("window", self.window, 1, MOST)
        whole("sl", self.sl, 0, 15)
        whole("ranks_per_host", self.ranks_per_host, 1, MOST)

    @property
    def spec(self) -> str:
        """The text of its traffic; `pairs` where that is an array or a function."""
        return self.traffic if isinstance(self.traffic, str) else "pairs"
