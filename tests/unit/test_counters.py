"""What port counters around rounds show of other traffic."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from lacis.explain import counted

if TYPE_CHECKING:
    from pathlib import Path


def record(when: str, number: int, host: str, sent: int, received: int, *, port: str = "1") -> str:
    return json.dumps(
        {
            "record": "counters",
            "test": "rounds",
            "when": when,
            "round": number,
            "host": host,
            "device": "mlx5_0",
            "port": port,
            "values": {"port_xmit_data": sent, "port_rcv_data": received, "link_downed": 0},
        }
    )


def test_a_host_that_sends_twice_as_much_as_the_others_serves_another_job(tmp_path: Path) -> None:
    # Four hosts send and receive 10⁹ words in each of two rounds; n2 sends 2.1 · 10⁹ in the second, over two ports.
    lines = ['{"record": "run", "program": "lacis-mpi"}']
    for number in (1, 2):
        for host in ("n1", "n2", "n3", "n4"):
            more = 1_100_000_000 if (host, number) == ("n2", 2) else 0
            lines += [record("before", number, host, 5, 7), record("before", number, host, 0, 0, port="2")]
            lines += [record("after", number, host, 1_000_000_005, 1_000_000_007)]
            lines += [record("after", number, host, more, 0, port="2")]
    path = tmp_path / "rounds.jsonl"
    path.write_text("\n".join(lines) + "\n")
    found = counted([str(path)])
    assert found is not None
    assert (found.counted, found.busy) == (8, 1)
    [busy] = found.hosts
    assert (busy.host, busy.round, busy.side) == ("n2", 2, "sent")
    assert busy.times == pytest.approx(2.1)


def test_without_counters_of_enough_hosts_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_text('{"record": "samples"}\n{"record": "counters", "when": "after"}\n{"counters" damaged\n')
    assert counted([str(path), str(tmp_path / "absent"), "-"]) is None
    path.write_text("\n".join(record(when, 1, "n1", 1, 1) for when in ("before", "after")))
    assert counted([str(path)]) is None
    (tmp_path / "matrix.csv").write_text("a,b\n")
    assert counted([str(tmp_path / "matrix.csv")]) is None
