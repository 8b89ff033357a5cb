"""What counters say of other traffic, as rows with names and times."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from ...documents.explain import OthersCounted, OthersOnLink
from ...measured.results import polars

if TYPE_CHECKING:
    import polars as pl

    from .answer import Others, Part


def others_counted(others: Others, explained: pl.DataFrame) -> OthersCounted:
    """What counters say, by the names of ports and the numbers of rounds.

    Args:
        others: the verdict.
        explained: the values that are explained, with their rounds and times.
    """
    rounds = _rounds(explained)
    links = [row for part in others.parts for row in _links(part, rounds)]
    links.sort(key=lambda row: (-row.share, row.egress))
    return OthersCounted(others.word, others.fact, links, list(others.unsaid))


def _rounds(explained: pl.DataFrame) -> np.ndarray:
    """Number, begin and end of each round [ns since 1970]; one row of each of its windows."""
    pl = polars()
    dated = explained.filter(
        pl.col("began").is_not_null(), pl.col("ended").is_not_null(), pl.col("round").is_not_null()
    )
    times = dated.select(
        pl.col("round").cast(pl.Int64),
        *(pl.col(name).dt.timestamp("us") * 1000 for name in ("began", "ended")),
    )
    return times.unique().sort("round", "began").to_numpy().reshape(-1, 3)


def times_of_rounds(explained: pl.DataFrame) -> dict[int, tuple[str, str]]:
    """When each round began and ended, UTC; rounds of which no value says so are left out.

    Args:
        explained: the values that are explained, with their rounds and times.
    """
    of = _rounds(explained)
    numbers = np.unique(of[:, 0])
    return {
        int(number): (_stamp(int(own[:, 1].min())), _stamp(int(own[:, 2].max())))
        for number in numbers
        if len(own := of[of[:, 0] == number])
    }


def _links(part: Part, rounds: np.ndarray) -> list[OthersOnLink]:
    found = []
    links = part.links
    for at in np.flatnonzero(links.seen).tolist():
        egress, ingress = part.sent.ends(at)
        began, ended = int(links.began[at]), int(links.ended[at])
        within = (rounds[:, 1] < ended) & (rounds[:, 2] > began)
        found.append(
            OthersOnLink(
                egress=egress,
                ingress=ingress,
                share=float(links.share[at]),
                bytes=int(links.bytes[at]),
                began=_stamp(began),
                ended=_stamp(ended),
                rounds=np.unique(rounds[within, 0]).tolist(),
            )
        )
    return found


def _stamp(time: int) -> str:
    """A time as ISO 8601 has it, to a tenth of a second."""
    moment = datetime.fromtimestamp(time / 1e9, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 100_000}Z"
