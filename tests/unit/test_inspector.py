"""Records of NCCL Inspector, by hand: what each collective sends, and what is passed over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from lacis.mapping.inspector import read_inspector

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.requests.demands import Demands


def read(
    folder: Path, *perfs: dict[str, dict[str, object]], again: dict[str, dict[str, object]] | None = None
) -> Demands:
    """What is read of a communicator of four in which rank r recorded the r-th of these, and the last one more."""
    recorded = [*enumerate(perfs), *([] if again is None else [(len(perfs) - 1, again)])]
    lines = [
        json.dumps(
            {
                "header": {"id": "a", "rank": rank, "n_ranks": 4},
                "metadata": {"hostname": "h", "pid": rank},
                **perf,
            }
        )
        for rank, perf in recorded
    ]
    file = folder / "record"
    file.write_text("\n".join(lines))
    return read_inspector([file])


def coll(kind: str, size: int) -> dict[str, dict[str, object]]:
    return {"coll_perf": {"coll": kind, "coll_msg_size_bytes": size}}


def sends(found: Demands) -> list[tuple[int, int, int]]:
    return list(zip(found.source.tolist(), found.destination.tolist(), found.bytes.tolist(), strict=True))


@pytest.mark.parametrize(
    ("kind", "sent"),
    # To the next of four: twice three quarters, three quarters, or all of 4,000 bytes.
    [
        ("AllReduce", 6000),
        ("AllGather", 3000),
        ("ReduceScatter", 3000),
        ("Broadcast", 4000),
        ("Reduce", 4000),
    ],
)
def test_each_collective_is_a_ring(tmp_path: Path, kind: str, sent: int) -> None:
    found = read(tmp_path, *[coll(kind, 4000)] * 4)
    assert sends(found) == [(0, 1, sent), (1, 2, sent), (2, 3, sent), (3, 0, sent)]
    assert (found.ranks, found.passed_over) == (4, 0)


def test_what_a_rank_sends_to_one_without_a_record_is_passed_over_line_by_line(tmp_path: Path) -> None:
    def to(peer: int) -> dict[str, dict[str, object]]:
        return {"p2p_perf": {"p2p": "Send", "p2p_peer": peer, "p2p_msg_size_bytes": 1}}

    # Rank 3 has written nothing, and two lines say what it was sent. A byte is a message.
    found = read(tmp_path, to(1), to(2), to(3), again=to(3))
    assert sends(found) == [(0, 1, 1), (1, 2, 1)]
    assert found.passed_over == 2
