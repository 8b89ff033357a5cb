"""Traffic as arrays and functions: equal to what the engine's patterns and programs of the same pairs get, or refused in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lacis
import numpy as np
import pytest
from lacis.model.pairs import Checked, pattern_text, trace_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lacis import Participants, Prediction, Routes, Times


@pytest.fixture(scope="module", params=["fat-tree:8,2", "fat-tree:4,2:rails=2", "random:12,3,2:seed=4"])
def routes(request: pytest.FixtureRequest) -> Routes:
    return lacis.route(lacis.read(request.param), "minhop")


@pytest.fixture(scope="module")
def tree() -> Routes:
    return lacis.route(lacis.read("fat-tree:8,2"), "minhop")


def shift(distance: int) -> Callable[[int], Any]:
    return lambda n: np.column_stack([np.arange(n), (np.arange(n) + distance) % n])


def everyone(n: int) -> Any:
    here, there = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    return np.column_stack([here[here != there], there[here != there]])


def _listed(matrix: Any) -> Any:
    return None if matrix is None else matrix.tolist()


def figures(found: Prediction) -> dict[str, Any]:
    """All that a prediction of one phase says, apart from what the phase is called."""
    hottest = [
        (hot.egress, hot.ingress, hot.contention, hot.total, hot.utilisation, hot.flows)
        for hot in found.hottest
    ]
    phases = {name: np.asarray(column).tolist() for name, column in found.phases().items() if name != "label"}
    return {
        "counts": (found.model, found.flows, found.unrouted, found.skipped, found.num_phases),
        "shares": found.relative_bandwidth,
        "distribution": [column.tolist() for column in found.distribution()],
        "contention": (found.max_contention, found.mean_max_contention),
        "bandwidth": found.bandwidth,
        "phases": phases,
        "flows": {name: np.asarray(column).tolist() for name, column in found.flow_rates().items()},
        "hottest": hottest,
        "loads": [column.tolist() for column in found.loads()],
        "matrix": [_listed(found.matrix(kind)) for kind in ("mean", "min", "max")],
        "labels": found.matrix_labels,
        "assumed": found.assumed_rates,
    }


@pytest.mark.parametrize("model", ["load", "fluid"])
@pytest.mark.parametrize("matrix", ["leaf", "host"])
@pytest.mark.parametrize(
    ("own", "built_in"),
    [(shift(1), "shift:1"), (shift(5), "shift:5"), (everyone, "alltoall")],
    ids=["ring", "shift", "alltoall"],
)
def test_a_pattern_of_one_s_own_has_every_figure_of_the_one_built_in(
    routes: Routes, own: Callable[[int], Any], built_in: str, model: str, matrix: str
) -> None:
    kept = {"keep_flows": True} if model == "fluid" else {}
    options: dict[str, Any] = {"model": model, "matrix": matrix, **kept}
    found = [figures(lacis.predict(routes, traffic, **options)) for traffic in (own, built_in)]
    # In the load model all-to-all is summed up without its flows: none is named of a link, and there is no matrix.
    is_summed = built_in == "alltoall" and model == "load"
    for name, value in found[0].items():
        if is_summed and name in ("hottest", "matrix", "labels"):
            continue
        np.testing.assert_equal(value, found[1][name], err_msg=name)


@pytest.mark.parametrize("model", ["load", "fluid"])
def test_each_phase_has_what_the_built_in_pattern_has_there(routes: Routes, model: str) -> None:
    n = len(lacis.participants(routes).hosts)

    def every_shift(hosts: int) -> Iterator[Any]:
        assert hosts == n
        for distance in range(1, hosts):
            yield shift(distance)(hosts)

    whole = lacis.predict(routes, "mpigraph", model=model)
    own = lacis.predict(routes, every_shift, model=model)
    assert own.num_phases == whole.num_phases == n - 1
    assert own.flows == whole.flows
    for name in ("mean", "min", "max_contention", "throughput"):
        np.testing.assert_array_equal(own.phases()[name], whole.phases()[name])


def timed(found: Times) -> dict[str, Any]:
    return {
        "total": found.total,
        "counts": found.counts,
        "completion": found.completion,
        "busiest": found.busiest,
        "time": found.phases()["time"].tolist(),
        "messages": found.phases()["messages"].tolist(),
        "bytes": found.phases()["bytes"].tolist(),
    }


def test_times_are_those_of_the_pattern(routes: Routes) -> None:
    assert timed(lacis.times(routes, shift(3), 10**6)) == timed(lacis.times(routes, "shift:3", 10**6))


def ring(n: int, size: int) -> Iterator[Any]:
    """An allreduce of a vector that n divides: n - 1 steps that reduce, as many that gather, each of a block to the next."""
    here = np.arange(n)
    for _ in range(2 * (n - 1)):
        yield np.column_stack([here, (here + 1) % n, np.full(n, size // n)])


def test_phases_with_bytes_are_a_program(routes: Routes) -> None:
    n = len(lacis.participants(routes).hosts)
    size = n * 4096
    own = lacis.times(routes, lambda ranks: ring(ranks, size))
    assert own.ranks == n
    assert timed(own) == timed(lacis.times(routes, "allreduce:ring", size))
    # The same by phases without bytes, with the size of a block.
    plain = lacis.times(routes, lambda ranks: (pairs[:, :2] for pairs in ring(ranks, size)), 4096)
    assert timed(plain) == timed(own)


def test_ranks_are_numbered_host_by_host(tree: Routes) -> None:
    own = lacis.times(tree, lambda ranks: ring(ranks, ranks * 64), ranks_per_host=2)
    assert (own.ranks, timed(own)) == (
        64,
        timed(lacis.times(tree, "allreduce:ring", 64 * 64, ranks_per_host=2)),
    )
    # Ranks 0 and 63 are on hosts 0 and 31; 0 and 1 on one, where messages use no link.
    assert lacis.times(tree, [[0, 63], [0, 1]], 8, ranks_per_host=2).counts["inside_hosts"] == 1
    with pytest.raises(lacis.LacisError, match="numbers of ranks, not names"):
        lacis.times(tree, [("node0001", "node0002")], 8, ranks_per_host=2)


def test_messages_have_their_own_sizes(tree: Routes) -> None:
    # Hosts 0 and 4 are on two leaves: a message alone runs at 25 GB/s, and two of one sender share its link:
    # both until 2 × 1 MB have passed, then 3 MB alone: 5 MB at 25 GB/s.
    found = lacis.times(tree, lacis.Pairs([0, 0], [4, 8], bytes=[10**6, 4 * 10**6]))
    assert found.total == pytest.approx(5e6 / 25e9)
    assert found.counts["bytes"] == 5 * 10**6
    assert lacis.times(tree, [[0, 4, 10**6], [0, 8, 4 * 10**6]]).total == found.total


def test_simulation_takes_the_same(tree: Routes) -> None:
    hosts = lacis.participants(tree, host_order="name")

    def run(traffic: Any, **options: Any) -> tuple[Any, ...]:
        work = lacis.Workload(traffic=traffic, size=4096, hosts=hosts, **options)
        found = lacis.simulate(tree, work, record=True)
        messages = {name: np.asarray(column).tolist() for name, column in found.messages().items()}
        return found.simulated, found.flows, found.latency, messages

    assert run(shift(3)) == run("shift:3")
    assert run(shift(3), test="windows", window=4) == run("shift:3", test="windows", window=4)
    n = len(hosts.hosts)
    own, theirs = run(lambda ranks: ring(ranks, n * 64)), run("allreduce:ring")
    assert own[1:3] != theirs[1:3]  # blocks of 64 bytes here, of 4096 / 32 = 128 there
    assert run(lambda ranks: ring(ranks, 4096))[:3] == theirs[:3]
    beside = lacis.Workload(traffic=[[0, 4]], size=64)
    assert lacis.simulate(tree, shift(1), also=[beside]).num_workloads == 2


def test_names_numbers_and_columns_are_the_same_pairs(tree: Routes) -> None:
    hosts = lacis.participants(tree, host_order="lid")
    numbers = np.array([[0, 9], [3, 30], [31, 1]])
    names = [[hosts.hosts[a], hosts.hosts[b]] for a, b in numbers.tolist()]
    alike: list[Any] = [
        numbers,
        numbers.tolist(),
        [tuple(pair) for pair in numbers.tolist()],
        numbers.astype(np.uint8),
        numbers.astype(np.int64).T.copy().T,  # not contiguous
        names,
        np.array(names),
        np.array(names, dtype=object),
        lacis.Pairs(numbers[:, 0], numbers[:, 1]),
        lacis.Pairs(numbers[:, 0], [b for _, b in names]),
        lambda _: numbers,
        lambda _: iter([numbers]),
    ]
    loads = [[c.tolist() for c in lacis.predict(tree, one, hosts=hosts).loads()] for one in alike]
    assert loads == [loads[0]] * len(alike)
    assert sum(loads[0][2]) == 3 * 4  # three flows of four links each


WRONG: list[tuple[Any, str]] = [
    ([[0, 32]], "pair 0: hosts have numbers from 0 to 31: 32"),
    ([[0, 1], [2, -1]], "pair 1: hosts have numbers from 0 to 31: -1"),
    (np.array([[0, 2**63]], np.uint64), "pair 0: hosts have numbers from 0 to 31: 9223372036854775808"),
    ([[0.0, 1.0]], "hosts by number are of an integer type, not float64"),
    ([[0, 1], [2, float("nan")]], "pair 1: not a number: nan"),
    ([[True, False]], "of an integer type, not bool"),
    ([[0, 1j]], "of an integer type, not complex128"),
    ([[None, 1]], "of an integer type, not object"),
    (None, r"an array of shape \(\), where one of \(pairs, 2\)"),
    ([0, 1], r"shape \(2,\)"),
    ([[0, 1, 2, 3]], r"shape \(1, 4\)"),
    (np.zeros((2, 3, 2), int), r"shape \(2, 3, 2\).* a function that yields them has several phases"),
    ([[0, 1], [1]], "rows of different lengths"),
    (np.zeros((0, 2), int), "no pair"),
    ([[0, 1], [5, 5]], "pair 1: a host cannot send to itself over the fabric: 5"),
    ([["node0001", "node0001"]], "pair 0: a host cannot send to itself over the fabric: node0001"),
    ([["node0001", "node0099"]], r"pair 0: no such host \(did you mean node0009.*: node0099"),
    ([["a", "b", "3"]], "names with bytes in one array: use lacis.Pairs"),
    (lacis.Pairs([0], [1, 2]), r"columns of shapes \[\(1,\), \(2,\)\]"),
    (lacis.Pairs([[0]], [[1]]), "those of Pairs are flat"),
    ([[0, 1, 64]], "flows without sizes are predicted here: bytes are for `times` and `simulate`"),
    (lambda _: iter([]), "a pattern without a phase"),
    (lambda n: iter([shift(1)(n), [[0, 40]]]), "phase 1, pair 0: hosts have numbers from 0 to 31: 40"),
]


@pytest.mark.parametrize(("traffic", "said"), WRONG, ids=range(len(WRONG)))
def test_what_are_no_pairs_is_refused_in_one_line(tree: Routes, traffic: Any, said: str) -> None:
    with pytest.raises(lacis.LacisError, match=said) as caught:
        lacis.predict(tree, traffic)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("traffic", "size", "said"),
    [
        ([[0, 1, 0]], 8, "pair 0: bytes are whole numbers above 0: 0"),
        ([[0, 1, 5], [0, 1, -3]], 8, "pair 1: bytes are whole numbers above 0: -3"),
        (lacis.Pairs([0], [1], bytes=[1.5]), 8, "bytes are of an integer type, not float64"),
        (lacis.Pairs([0], [1], bytes=[float("nan")]), 8, "pair 0: not a number: nan"),
        ([[0, 1]], None, "pairs without bytes need one"),
        ("shift:1", None, "the size of messages is missing: shift:1"),
    ],
)
def test_sizes_that_are_none_are_refused(tree: Routes, traffic: Any, size: int | None, said: str) -> None:
    with pytest.raises(lacis.LacisError, match=said):
        lacis.times(tree, traffic, size)


def test_a_trace_file_needs_no_size(tree: Routes, tmp_path: Any) -> None:
    (tmp_path / "t").write_text('{"phase": 1, "source": 0, "destination": 4, "bytes": 1000}\n')
    assert lacis.times(tree, f"trace:{tmp_path / 't'}").counts["bytes"] == 1000


def test_names_of_any_kind_are_found_as_they_are(tmp_path: Any) -> None:
    # Blanks, a comment sign, a quote, markup: as a node description may have them.
    strange = ["a b", "#c", "d'e", "<f>", "ü-1"]
    hosts = "".join(
        f'Hca 1 "H-{n}" # "{name} HCA-1"\n[1] "S-1"[{n}]\n\n' for n, name in enumerate(strange, 1)
    )
    ports = "".join(f'[{n}] "H-{n}"[1]\n' for n in range(1, 6))
    (tmp_path / "net").write_text(f'Switch 8 "S-1" # "leaf"\n{ports}\n{hosts}')
    made = lacis.route(lacis.read(tmp_path / "net"))
    named: Participants = lacis.participants(made, rail="each")
    found = lacis.predict(made, everyone, hosts=named)
    assert found.flows == len(named.hosts) * (len(named.hosts) - 1) > 0


def _phase(*pairs: tuple[int, int]) -> Checked:
    source, destination = np.array(pairs).T
    return Checked(source, destination, None)


def test_names_that_a_list_of_pairs_cannot_hold_are_refused() -> None:
    names = ["plain", "two words", '"a" b', "line\nbreak", "twice", "twice", "#mark", 'in"side', "", '"lead']
    text = pattern_text(_phase((0, 1), (6, 7), (8, 0)), names)
    assert text.splitlines() == ['plain "two words"', '"#mark" in"side', '"" plain']
    for host, said in ((2, "cannot|can hold"), (3, "can hold"), (4, "several hosts"), (9, "can hold")):
        with pytest.raises(lacis.LacisError, match=said):
            pattern_text(_phase((0, host)), names)
    assert trace_text([_phase((0, 4))], 7) == '{"phase":0,"source":0,"destination":4,"bytes":7}\n'
