"""Which host of a fabric a name means: the same one, one in another case, one with the same short name."""

from __future__ import annotations

import pytest
from lacis.errors import LacisError
from lacis.ranks.names import Names


@pytest.mark.parametrize(
    ("known", "name", "meant"),
    [
        (["node1", "node2"], "node2", "node2"),
        (["node1", "node2"], "NODE2", "node2"),
        (["node1", "node2"], "node2.cluster", "node2"),
        (["node1", "node2"], "Node2.Cluster", "node2"),
        (["node1.cluster", "node2.cluster"], "node2", "node2.cluster"),
        # The nearest rule counts: the same name before the same letters, these before the short name.
        (["gpu1", "GPU1"], "GPU1", "GPU1"),
        (["a.x", "a"], "A", "a"),
        (["a.x", "a"], "a.X", "a.x"),
        (["node1", "node2"], "node3", None),
        (["node1", "node2"], "node", None),
        ([], "node1", None),
        # Addresses have no short names.
        (["10.0.0.1"], "10.0.0.2", None),
        (["10"], "10.0.0.2", None),
        (["fe80::1"], "fe80::1.a", None),
    ],
)
def test_a_name_means_a_host_by_one_rule(known: list[str], name: str, meant: str | None) -> None:
    assert Names(known).meant(name) == meant


@pytest.mark.parametrize(
    ("known", "name", "said"),
    [
        (["gpu1", "GPU1"], "Gpu1", "may be gpu1 or GPU1, which differ in case or domain alone: Gpu1"),
        (["a.x", "a.y"], "a", "may be a.x or a.y, which differ in case or domain alone: a"),
        (
            ["a.x", "a.y", "a.z", "a.w"],
            "a.v",
            "may be a.x or a.y or a.z, …, which differ in case or domain alone: a.v",
        ),
    ],
)
def test_a_name_that_means_several_hosts_is_an_error(known: list[str], name: str, said: str) -> None:
    with pytest.raises(LacisError) as raised:
        Names(known).meant(name)
    assert str(raised.value) == said
