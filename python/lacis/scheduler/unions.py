"""Disjoint sets of numbers, which are joined two at a time."""

from __future__ import annotations


class Unions:
    """Numbers from 0, each in a set of its own at first; the least number of a set stands for it."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def first(self, number: int) -> int:
        """The least number of the set that a number is in."""
        root = number
        while self._above[root] != root:
            root = self._above[root]
        while self._above[number] != root:
            self._above[number], number = root, self._above[number]
        return root

    def join(self, a: int, b: int) -> None:
        """Makes one set of the sets of two numbers."""
        low, high = sorted((self.first(a), self.first(b)))
        self._above[high] = low

    def sets(self) -> list[list[int]]:
        """The sets, each in ascending order, by their least number."""
        found: dict[int, list[int]] = {}
        for number in range(len(self._above)):
            found.setdefault(self.first(number), []).append(number)
        return list(found.values())
