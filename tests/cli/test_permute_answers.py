"""What `lacis permute` says of both orders: tiers, units, what has no route, what was not computed, and where it writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from lacis import _core, mapping
from lacis.facts.mapping import EveryOrderTried, TimeNotComputed
from lacis.mapping import order

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.mapping import Permutation

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
"""Four leaves of two hosts, node0001 to node0008, leaf by leaf, below two spines."""
PODS = "fat-tree:4,3"
"""Four pods of two leaves of two hosts."""


@pytest.fixture
def hosts(tmp_path: Path) -> Path:
    """The file of hosts that tests write."""
    return tmp_path / "hosts"


def listed(file: Path, *numbers: int) -> Path:
    file.write_text("".join(f"node{number:04}\n" for number in numbers))
    return file


def chain(fabric: str, file: Path, **more: Any) -> Permutation:
    """Ranks in a row, each of which sends its neighbours 1,000 bytes, on hosts of a file."""
    made = _core.generate_fabric(fabric)
    seats = mapping.read_seats(made, str(file))
    return mapping.permute(
        _core.route(made, "minhop"), seats, mapping.stencil([len(seats.host)], 1000), **more
    )


@pytest.mark.parametrize(
    ("numbers", "between"),
    [
        ((1, 3), False),  # leaves of one pod
        ((1, 5), False),  # two pods, in which nothing is sent between leaves
        ((1, 2, 5), False),  # one leaf, and another pod
        ((1, 3, 5), True),
        (
            (1, 5, 3),
            True,
        ),  # both messages go between pods, one of them after the hosts of a pod came together
    ],
)
def test_pods_are_a_tier_of_their_own_where_orders_differ_by_them(
    lacis: Lacis, hosts: Path, numbers: tuple[int, ...], between: bool
) -> None:
    done = lacis("permute", "--fabric", PODS, listed(hosts, *numbers), "--stencil", str(len(numbers)))
    assert done.status == 0
    assert ("between pods" in done.err) is between


def test_leaves_are_counted_and_every_order_of_few_hosts_was_tried(hosts: Path) -> None:
    said: list[str] = []
    found = chain(TREE, listed(hosts, 1, 2, 3, 5), progress=said.append)
    assert found.leaves == 3
    assert EveryOrderTried(4) in found.remarks
    assert said == ["mapping ranks", "other algorithms", "predicting"]
    # 64 hosts have some 10^89 orders.
    many = chain("fat-tree:8,3", listed(hosts, *range(1, 65)), effort=0)
    assert not [one for one in many.remarks if isinstance(one, EveryOrderTried)]


def test_the_time_of_more_messages_than_are_modelled_is_not_said(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Four ranks in a row send six messages.
    monkeypatch.setattr(order, "MOST_TIMED", 6)
    found = chain(TREE, listed(hosts, 1, 2, 3, 4))
    assert found.chosen.time == pytest.approx(2000 / 25e9)
    assert not [one for one in found.remarks if isinstance(one, TimeNotComputed)]
    monkeypatch.setattr(order, "MOST_TIMED", 5)
    found = chain(TREE, listed(hosts, 1, 2, 3, 4))
    assert (found.given.time, found.chosen.time) == (None, None)
    assert TimeNotComputed(6, 5) in found.remarks


@pytest.mark.parametrize(("other", "tier"), [(2, "leaf"), (3, "pod")])
def test_bytes_of_a_matrix_may_be_fractions(
    lacis: Lacis, tmp_path: Path, hosts: Path, other: int, tier: str
) -> None:
    matrix = tmp_path / "matrix"
    matrix.write_text("0 0.25\n0 0\n")
    done = lacis("permute", "--fabric", TREE, listed(hosts, 1, other), "--matrix", matrix, "--json")
    chosen = json.loads(done.out)["chosen"]
    assert chosen["bytes"] == {"host": 0, "leaf": 0, "pod": 0, "above": 0} | {tier: 0.25}
    # A link carries 25 GB/s.
    assert chosen["busiest"] == chosen["time"] == pytest.approx(1e-11)
    assert chosen["busiest_between"] == (pytest.approx(1e-11) if tier == "pod" else 0)


@pytest.mark.parametrize(
    ("numbers", "unrouted", "words"),
    [
        ((1, 3), (0.25, 0.25), "0.25 B have no route: hosts"),
        # Rank 0 sends to rank 1 between leaves; another order has both on one.
        (
            (1, 3, 2),
            (0, 0.25),
            "0.25 B have no route in the order given, and all have one in the order chosen: hosts",
        ),
    ],
)
def test_what_has_no_route_is_said_of_both_orders(
    lacis: Lacis,
    tmp_path: Path,
    hosts: Path,
    numbers: tuple[int, ...],
    unrouted: tuple[float, float],
    words: str,
) -> None:
    size, matrix = len(numbers), tmp_path / "matrix"
    rows = [[0.25 if (row, column) == (0, 1) else 0 for column in range(size)] for row in range(size)]
    matrix.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    cut = ("--without", "spine-01", "--without", "spine-02")
    words_ = ("permute", "--fabric", TREE, listed(hosts, *numbers), "--matrix", matrix, *cut)
    done = lacis(*words_, "--json")
    assert done.status == 1
    remarks = json.loads(done.out)["remarks"]
    assert {"kind": "unrouted", "bytes": unrouted[0], "given": unrouted[1]} in remarks
    assert words in lacis(*words_).err


def test_lines_go_to_a_file_beside_json_and_it_is_named(lacis: Lacis, tmp_path: Path, hosts: Path) -> None:
    line = ("permute", "--fabric", TREE, listed(hosts, 1, 2), "--stencil", "2", "--json")
    assert json.loads(lacis(*line).out)["output"] is None
    file = tmp_path / "new"
    done = lacis(*line, "-o", file)
    assert json.loads(done.out)["output"] == str(file)
    assert sorted(file.read_text().split()) == ["node0001", "node0002"]


def test_tables_that_were_not_asked_for_are_said_to_be_assumed(lacis: Lacis, hosts: Path) -> None:
    line = ("permute", "--fabric", TREE, listed(hosts, 1, 2), "--stencil", "2")
    assert "assumed" in lacis(*line).err.splitlines()[0]
    assert "assumed" not in lacis(*line, "--engine", "minhop").err.splitlines()[0]


@pytest.mark.parametrize(("grid", "status"), [("1x1x1x1x1x2", 0), ("1x1x1x1x1x1x2", 2)])
def test_a_grid_has_six_dimensions_at_most(lacis: Lacis, hosts: Path, grid: str, status: int) -> None:
    done = lacis("permute", "--fabric", TREE, listed(hosts, 1, 2), "--stencil", grid)
    assert done.status == status


@pytest.mark.parametrize(
    "options",
    [
        ("--stencil", "8", "--io-ranks", "0-0,3-3,7"),
        ("--stencil", "8", "--io-ranks", "0-7"),
        ("--stencil", "8", "--pin", "7=node0008"),
        ("--mesh", "tp=1,dp=8"),
    ],
)
def test_the_first_and_the_last_that_may_be_are_taken(
    lacis: Lacis, hosts: Path, options: tuple[str, ...]
) -> None:
    done = lacis("permute", "--fabric", TREE, listed(hosts, *range(1, 9)), *options)
    assert (done.status, len(done.out.split())) == (0, 8)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            ("--stencil", "8", "--io-ranks", "0-8"),
            "--io-ranks: expected ranks from 0 to 7, such as 0,8-15: 0-8",
        ),
        (
            ("--stencil", "8", "--io-ranks", "5-3"),
            "--io-ranks: expected ranks from 0 to 7, such as 0,8-15: 5-3",
        ),
        (("--mesh", "tp"), "--mesh: a group is NAME=RANKS or NAME=RANKS:BYTES, such as tp=8:4GB: tp"),
        (
            ("--mesh", "tp=0,dp=8"),
            "--mesh: a group is NAME=RANKS or NAME=RANKS:BYTES, such as tp=8:4GB: tp=0",
        ),
        (("--stencil", "3x"), "--stencil: a grid is one to six sizes with x between, such as 32x16x16: 3x"),
        (("--matrix", "absent"), "absent: no such file or directory"),
    ],
)
def test_an_error_names_the_option_or_the_file(
    lacis: Lacis, hosts: Path, options: tuple[str, ...], line: str
) -> None:
    done = lacis("permute", "--fabric", TREE, listed(hosts, *range(1, 9)), *options)
    assert (done.status, done.out, done.err) == (2, "", f"lacis: {line}\n")
