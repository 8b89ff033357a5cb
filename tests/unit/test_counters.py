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
    found = counted([str(path)])["rounds"]
    assert (found.counted, found.busy) == (8, 1)
    [busy] = found.hosts
    assert (busy.host, busy.round, busy.side) == ("n2", 2, "sent")
    assert busy.times == pytest.approx(2.1)


def test_without_counters_of_enough_hosts_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_text('{"record": "samples"}\n{"record": "counters", "when": "after"}\n{"counters" damaged\n')
    assert counted([str(path), str(tmp_path / "absent"), "-"]) == {}
    path.write_text("\n".join(record(when, 1, "n1", 1, 1) for when in ("before", "after")))
    assert counted([str(path)]) == {}
    (tmp_path / "matrix.csv").write_text("a,b\n")
    assert counted([str(tmp_path / "matrix.csv")]) == {}


def one_round(path: Path, after: dict[str, tuple[int, int]], *, test: str = "rounds", before: int = 0) -> str:
    """A file of one round: what each host has sent and received after it."""
    lines = []
    for host, (sent, received) in after.items():
        lines += [record("before", 1, host, before, before), record("after", 1, host, sent, received)]
    path.write_text("\n".join(line.replace('"test": "rounds"', f'"test": "{test}"') for line in lines))
    return str(path)


def test_where_most_hosts_are_idle_those_that_are_measured_are_not_another_job(tmp_path: Path) -> None:
    # Two of five hosts exchange 10⁹ words; the median is 0.
    after = {f"n{n}": (10**9, 10**9) if n < 3 else (0, 0) for n in range(1, 6)}
    assert counted([one_round(tmp_path / "a.jsonl", after)]) == {}


def test_a_counter_that_was_cleared_says_nothing(tmp_path: Path) -> None:
    # Three of seven are read lower than before. The others have 1, 1.3, 1.3 and 1.3 · 10⁹ words, none far from the median.
    sent = dict.fromkeys(("n2", "n3", "n4"), 23 * 10**8) | {"n1": 2 * 10**9}
    after = {host: (words, words) for host, words in sent.items()}
    after |= dict.fromkeys(("n5", "n6", "n7"), (5, 5))
    found = counted([one_round(tmp_path / "a.jsonl", after, before=10**9)])["rounds"]
    assert (found.counted, found.busy) == (4, 0)


def test_what_another_test_sends_on_purpose_is_counted_apart(tmp_path: Path) -> None:
    even = one_round(tmp_path / "a.jsonl", dict.fromkeys(("n1", "n2", "n3", "n4"), (10**9, 10**9)))
    congestors = {"n1": (9 * 10**9, 10**9)} | dict.fromkeys(("n2", "n3", "n4"), (10**9, 10**9))
    found = counted([even, one_round(tmp_path / "b.jsonl", congestors, test="congestion")])
    assert {test: one.busy for test, one in found.items()} == {"rounds": 0, "congestion": 1}
