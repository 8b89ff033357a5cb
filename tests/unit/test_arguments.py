"""Arguments of the library that are of another kind or out of range: one error that names the argument."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import lacis
import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

TREE = "fat-tree:4,2"
SHIFT = lacis.Workload(traffic="shift:1", size=1000)


@pytest.fixture(scope="module")
def routes() -> lacis.Routes:
    return lacis.route(lacis.read(TREE))


NUMBERS: dict[str, Callable[[lacis.Routes, Any], object]] = {
    "patterns": lambda routes, value: lacis.predict(routes, patterns=value),
    "seed": lambda routes, value: lacis.predict(routes, seed=value),
    "hottest": lambda routes, value: lacis.times(routes, "shift:1", 1, hottest=value),
    "size": lambda routes, value: lacis.times(routes, "shift:1", value),
    "ranks_per_host": lambda routes, value: lacis.times(routes, "barrier", 1, ranks_per_host=value),
    "hop_limit": lambda routes, value: lacis.simulate(routes, SHIFT, hop_limit=value),
    "count": lambda _, value: lacis.Workload(traffic="shift:1", count=value),
    "window": lambda _, value: lacis.Workload(traffic="shift:1", window=value),
    "sl": lambda _, value: lacis.Workload(traffic="shift:1", sl=value),
    "mtu": lambda _, value: lacis.Device(mtu=value),
    "buffer": lambda _, value: lacis.Device(buffer=value),
    "lmc": lambda routes, value: lacis.route(routes.fabric, lmc=value),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [-1, 2**70, 1.5, math.nan, "3", [1]], ids=repr)
def test_a_number_out_of_range_or_of_another_kind_names_its_argument(
    routes: lacis.Routes, name: str, value: object
) -> None:
    with pytest.raises(lacis.LacisError, match=f"^`{name}` is a whole number"):
        NUMBERS[name](routes, value)


@pytest.mark.parametrize("kind", [np.int32, np.uint64, int])
def test_any_integer_type_is_a_whole_number(routes: lacis.Routes, kind: type) -> None:
    # One half of the eight hosts sends to the other.
    assert lacis.predict(routes, patterns=kind(3), seed=kind(1)).flows == 3 * 4


# A packet never leaves before it comes.
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, "x"], ids=repr)
@pytest.mark.parametrize("name", ["switch_latency", "cable_length"])
def test_a_length_and_a_latency_are_not_negative(name: str, value: Any) -> None:
    with pytest.raises(lacis.LacisError, match=f"^`{name}` is a number"):
        lacis.Device(**{name: value})


OPTIONS: dict[str, object] = {"roots": ["x"], "sm": 3, "fallback": "yes", "order": [-1], "cn": [1.5]}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_of_another_kind_is_named(routes: lacis.Routes, name: str) -> None:
    options: Any = {"fresh_lids": True, name: OPTIONS[name]}
    with pytest.raises(lacis.LacisError, match=f"^`{name}`: "):
        lacis.route(routes.fabric, "ftree", **options)


@pytest.mark.parametrize("engines", [3, ["minhop"], b"minhop"], ids=repr)
def test_engines_are_a_text_or_a_function(routes: lacis.Routes, engines: Any) -> None:
    with pytest.raises(
        lacis.LacisError, match=r"^`engines` is a name, names with commas between, or a function"
    ):
        lacis.route(routes.fabric, engines)


TRAFFIC: dict[str, tuple[object, str]] = {
    "no pairs": (None, "an array of shape"),
    "a line break": ([("a\nb", "node0001")], r"pair 0: no such host: a\\nb$"),
    "too many bytes": (
        lacis.Pairs([0], [1], bytes=np.array([2**63], np.uint64)),
        "pair 0: bytes are at most",
    ),
    "a mask": (np.ma.masked_array([[0, 1], [1, 2]], mask=[[False, False], [True, False]]), "masked elements"),
}


@pytest.mark.parametrize("what", TRAFFIC)
def test_pairs_that_are_none_name_the_argument(routes: lacis.Routes, what: str) -> None:
    given: Any = TRAFFIC[what][0]
    with pytest.raises(lacis.LacisError, match=f"^`traffic`: {TRAFFIC[what][1]}"):
        lacis.times(routes, given, 1000)


def test_an_engine_changes_nothing_by_which_its_tables_are_judged(routes: lacis.Routes) -> None:
    def engine(fabric: lacis.FabricArrays) -> np.ndarray[Any, Any]:
        for array in (
            fabric.lids,
            fabric.peers,
            fabric.owners,
            fabric.cables,
            fabric.edge_ports,
            fabric.edge_switches,
        ):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
        return routes.table()

    assert lacis.verify(lacis.route(routes.fabric, engine)).good


def test_an_engine_masks_no_ports(routes: lacis.Routes) -> None:
    with pytest.raises(lacis.LacisError, match="masks ports"):
        lacis.route(routes.fabric, lambda _: np.ma.masked_array(routes.table(), mask=True))
