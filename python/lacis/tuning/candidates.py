"""Inputs to try, and small changes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from .._core import Fabric
    from ..requests.routing import RouteOptions
    from .layout import Layout


MANY = 1000
"""With at least so many hosts, leaves are changed rather than single hosts."""


@dataclass(frozen=True)
class Candidate:
    """Inputs for OpenSM."""

    label: str
    engine: str
    options: RouteOptions
    root: int | None = None
    """Index of the leaf that is the only root."""
    roots: tuple[int, ...] = ()
    """All roots, by their indices."""

    @property
    def kind(self) -> str:
        """Candidates of one kind differ in details that the search may change."""
        return f"{self.engine}{' from a leaf' if self.root is not None else ''}"

    @property
    def changeable(self) -> bool:
        """Whether there is something that the search may change."""
        return "cn" in self.options or "order" in self.options


def plain(fabric: Fabric, layout: Layout) -> Iterator[Candidate]:
    """What a site would try first."""
    for engine in ("updn", "dnup", "ftree"):
        yield Candidate(engine, engine, {})
    orders = _orders(layout)
    for name, options in orders[:3]:
        yield Candidate(f"minhop, {name}", "minhop", options)
    found = fabric.levels()
    if found is None:
        return
    levels = found[0]
    top = tuple(s for s, level in enumerate(levels) if level == max(levels))
    roots = [layout.guids[s] for s in top]
    cn = layout.level_hosts(fabric, list(top))
    for connect in (False, True):
        name = "connected roots" if connect else "roots"
        joined: RouteOptions = {"roots": roots, "connect_roots": connect}
        yield Candidate(f"ftree, top as {name}", "ftree", {**joined, "cn": cn}, roots=top)
        yield Candidate(f"updn, top as {name}", "updn", joined, roots=top)
        for order, options in orders[:3]:
            yield Candidate(f"updn, top as {name}, {order}", "updn", {**joined, **options}, roots=top)


def _orders(layout: Layout) -> list[tuple[str, RouteOptions]]:
    """Orders of targets and of ports for the engines that count hops, the likely ones first."""
    orders: list[tuple[str, RouteOptions]] = []
    for padded in (True, False):
        options: RouteOptions = {"order": layout.by_leaf(padded=padded)}
        if padded:
            options["count_switches"] = True
        name = "ordered and padded" if padded else "ordered"
        orders.append((f"{name}, bundled", {**options, "search_order": layout.bundled()}))
        orders.append((name, options))
        orders.append((f"{name}, turned", {**options, "search_order": layout.bundled(turned=True)}))
        orders.append((f"{name}, shifted", {**options, "port_shifting": True}))
    return [*orders, ("bundled", {"search_order": layout.bundled()}), ("plain", {})]


def from_leaves(fabric: Fabric, layout: Layout) -> Iterator[Candidate]:
    """One leaf as the only root, leaves that suit ftree best first; updn and ftree in turn."""
    total = sum(map(len, layout.hosts.values()))
    orders = _orders(layout)
    suited = []
    for index, leaf in enumerate(layout.leaves):
        compute = layout.level_hosts(fabric, [leaf])
        suited.append((-layout.neighbours.get(leaf, 0), total - len(compute), index, leaf, compute))
    for number, (_, _, _, leaf, compute) in enumerate(sorted(suited)):
        roots = [layout.guids[leaf]]
        for quasi in (False, True):
            yield from_leaf_ftree(layout, leaf, compute, quasi=quasi)
        # The best order for one root is best for most; the first few roots are tried with all.
        for name, options in orders if number < 4 else orders[:2]:
            yield Candidate(
                f"updn, a leaf as root, {name}", "updn", {**options, "roots": roots}, leaf, (leaf,)
            )


def from_leaf_ftree(layout: Layout, leaf: int, compute: list[int], *, quasi: bool) -> Candidate:
    """Ftree with one leaf as the only root."""
    options: RouteOptions = {"roots": [layout.guids[leaf]], "cn": compute}
    if quasi:
        options["quasi_ftree"] = True
    return Candidate("ftree, a leaf as root", "ftree", options, leaf, (leaf,))


class Changes:
    """Small changes of a candidate, drawn at random."""

    def __init__(self, layout: Layout, rng: random.Random, level: list[int]) -> None:
        self._layout = layout
        self._rng = rng
        self._level = level

    def of(self, candidate: Candidate) -> Candidate:
        """A neighbour."""
        if candidate.engine == "ftree":
            return replace(candidate, options={**candidate.options, "cn": self._compute(candidate)})
        lines = candidate.options.get("search_order")
        # With many hosts, changes of single ones are too small for few steps.
        coarse = 0.3 if len(self._level) < MANY else 0.5
        if lines and self._rng.random() < coarse:
            return replace(
                candidate, options={**candidate.options, "search_order": self._turned(list(lines))}
            )
        order = list(candidate.options.get("order", [])) or self._layout.by_leaf(padded=False)
        order = self._moved(order) if self._rng.random() < coarse else self._order(order)
        return replace(candidate, options={**candidate.options, "order": order})

    def _turned(self, lines: list[tuple[int, list[int]]]) -> list[tuple[int, list[int]]]:
        """The search orders, one of them rotated or with two ports swapped."""
        index = self._rng.randrange(len(lines))
        guid, ports = lines[index]
        if self._rng.random() < 0.6:
            by = self._rng.randrange(1, len(ports))
            ports = ports[by:] + ports[:by]
        else:
            ports = list(ports)
            a, b = self._rng.sample(range(len(ports)), 2)
            ports[a], ports[b] = ports[b], ports[a]
        lines[index] = (guid, ports)
        return lines

    def _moved(self, order: list[int]) -> list[int]:
        """The order of targets, with those of a leaf moved together."""
        leaf, other = self._rng.choice(self._layout.leaves), self._rng.choice(self._layout.leaves)
        block = {*self._layout.hosts[leaf], *self._layout.others.get(leaf, [])}
        before = self._layout.hosts[other][0]
        if before in block:
            return order
        rest = [port for port in order if port not in block]
        at = rest.index(before) if before in rest else 0
        return rest[:at] + [port for port in order if port in block] + rest[at:]

    def _compute(self, candidate: Candidate) -> list[int]:
        """Compute nodes, with some hosts or those of a leaf removed or added."""
        now = set(candidate.options.get("cn") or [])
        level = self._level
        if self._rng.random() < 0.7:
            some = self._rng.sample(level, self._rng.randint(1, min(3, len(level))))
        else:
            leaf = self._rng.choice(self._layout.leaves)
            some = [port for port in self._layout.hosts[leaf] if port in set(level)]
        left = now.symmetric_difference(some)
        return [port for port in level if port in left] or level

    def _order(self, order: list[int]) -> list[int]:
        """The order of targets, with two swapped, one moved, or some reversed."""
        size = len(order)
        here = self._rng.randrange(size)
        there = min(size - 1, max(0, here + self._rng.randint(-24, 24)))
        draw = self._rng.random()
        if draw < 0.15:
            there = self._rng.randrange(size)
        if draw < 0.6:
            order[here], order[there] = order[there], order[here]
        elif draw < 0.85:
            order.insert(there, order.pop(here))
        else:
            here, there = sorted((here, there))
            order[here : there + 1] = reversed(order[here : there + 1])
        return order
