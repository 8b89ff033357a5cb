"""The order of hosts in which exchanges and shifts are both free of contention under eventree, by following its tables."""

from __future__ import annotations

import lacis
import pytest


class Paths:
    """The links between switches from each host to each, in an order of hosts."""

    def __init__(self, fabric: lacis.Fabric, order: str) -> None:
        routes = lacis.route(fabric, "eventree", fallback=False)
        guids = lacis.participants(routes, host_order=order).guids()
        lids, owners = routes.lids()
        lid_of = dict(zip(owners.tolist(), lids.tolist(), strict=True))
        far = {}
        for a, p, b, q in fabric.cables().reshape(-1, 4).tolist():
            far[a, p], far[b, q] = b, a
        table, edge_of = routes.table(), routes.edge_switches()
        hosts = [(int(edge_of[lid_of[guid]]), lid_of[guid]) for guid in guids.tolist()]
        self.count = len(hosts)
        self.links: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for i, (first, _) in enumerate(hosts):
            for j, (last, lid) in enumerate(hosts):
                at, path = first, []
                while at != last:
                    link = (at, int(table[at, lid]))
                    path.append(link)
                    at = far[link]
                self.links[i, j] = path

    def in_shift(self, distance: int) -> int:
        """The most flows on a link in a shift."""
        return self._fullest([(host + distance) % self.count for host in range(self.count)])

    def in_exchange(self, bits: int) -> int:
        """The same where numbers of partners differ in these bits; a host whose partner there is none of does not send."""
        return self._fullest([host ^ bits for host in range(self.count)])

    def _fullest(self, targets: list[int]) -> int:
        load: dict[tuple[int, int], int] = {}
        for host, target in enumerate(targets):
            if target < self.count:
                for link in self.links[host, target]:
                    load[link] = load.get(link, 0) + 1
        return max(load.values(), default=0)


@pytest.mark.parametrize(
    "spec",
    [
        "pgft:2;3,4;1,3;1,1",
        "pgft:2;6,8;1,6;1,1",
        "pgft:2;4,3;1,4;1,1",
        "pgft:2;6,4;1,3;1,2",
        "pgft:3;3,4,2;1,3,4;1,1,1",
        "pgft:3;2,6,4;1,2,6;1,1,1",
        "pgft:3;2,2,5;1,2,2;1,1,1",
        "pgft:4;2,2,3,2;1,2,2,3;1,1,1,1",
    ],
)
def test_exchanges_and_shifts_are_free_of_contention_in_the_order_for_exchanges(spec: str) -> None:
    fabric = lacis.read(spec).shuffle_ports(3).shuffle_guids(4)
    paths = Paths(fabric, "eventree-exchanges")
    assert max(map(paths.in_shift, range(1, paths.count))) == 1
    bits = range(1, 1 << (paths.count - 1).bit_length())
    assert max(map(paths.in_exchange, bits)) == 1


def test_leaf_by_leaf_exchanges_meet_there() -> None:
    # Six hosts on a leaf are no power of two.
    paths = Paths(lacis.read("pgft:2;6,8;1,6;1,1"), "eventree")
    assert max(map(paths.in_exchange, range(1, 64))) == 2


def test_where_all_are_powers_of_two_it_is_the_order_of_eventree() -> None:
    routes = lacis.route(lacis.read("fat-tree:8,3"), "eventree", fallback=False)
    orders = [lacis.participants(routes, host_order=o).hosts for o in ("eventree", "eventree-exchanges")]
    assert orders[0] == orders[1]


def test_the_order_goes_over_powers_of_two_first() -> None:
    # Six hosts on each of four leaves: two of a leaf, then the same of the other leaves, then two of the first leaf again.
    routes = lacis.route(lacis.read("pgft:2;6,4;1,6;1,1"), "eventree", fallback=False)
    names = lacis.participants(routes, host_order="eventree").hosts
    expected = [
        names[6 * leaf + 2 * pair + host] for pair in range(3) for leaf in range(4) for host in range(2)
    ]
    assert lacis.participants(routes, host_order="eventree-exchanges").hosts == expected
