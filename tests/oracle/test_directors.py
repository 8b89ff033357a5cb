"""eventree on every director that ibutils describes: chassis of fixed cabling, each of their ports with a host."""

import os
from pathlib import Path

import lacis
import pytest
from lacis import _core

from . import directors

CHASSIS = {
    "Gazelle": (68, 96),
    "Gnu": (6, 16),
    "IS5100": (9, 108),
    "IS5200": (18, 216),
    "IS5300": (27, 324),
    "MIS5600": (54, 648),
    "MTS14400": (18, 144),
    "MTS14400-DDR": (18, 144),
    "MTS14400-IntraDDR": (18, 144),
    "MTS3610": (27, 324),
    "SUNDCS648QDR": (54, 648),
    "SUNDCS72QDR": (6, 72),
}
"""Those that are whole trees: switches and ports, as the vendors give them or counted in the descriptions."""


@pytest.fixture(scope="module")
def descriptions() -> dict[str, Path]:
    found = {file.stem: file for file in directors.described()}
    if not found:
        reason = "no descriptions of directors: install the Debian package ibutils"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return found


def read(description: Path) -> lacis.Fabric:
    return _core.read_fabric(directors.ibnetdiscover(description.read_text()).encode())


def shifts(fabric: lacis.Fabric, engine: str, order: str) -> tuple[float, int]:
    """Mean bandwidth of all shifts as a share of the link rate, and the most flows on a link."""
    routes = lacis.route(fabric, engine, fallback=False)
    assert lacis.verify(routes, "hosts").good
    (found,) = _core.predict_each(
        routes, _core.participants(routes, rail="each", order=order), ["shift"], patterns=1, seed=1
    )
    return found.relative_bandwidth["mean"], found.max_contention


def test_every_director_of_several_switches_is_among_these(descriptions: dict[str, Path]) -> None:
    # The other two: two switches with half a dozen cables between them, and three groups of a Dragonfly+.
    of_several = {
        name for name, file in descriptions.items() if len(directors.cables(file.read_text())[0]) > 1
    }
    assert of_several == {*CHASSIS, "SUNBQNEM48", "MTS14400-48"}


@pytest.mark.parametrize("chassis", CHASSIS)
def test_shifts_through_a_director_are_free_of_contention(
    descriptions: dict[str, Path], chassis: str
) -> None:
    fabric = read(descriptions[chassis])
    assert (fabric.num_switches, fabric.num_end_nodes) == CHASSIS[chassis]
    assert shifts(fabric, "eventree", "eventree") == (1.0, 1)


def test_shifts_between_three_groups_are_as_good_as_those_of_ftree(descriptions: dict[str, Path]) -> None:
    # 16 hosts of a group send to the next over eight cables: two flows share one, as few as can be.
    fabric = read(descriptions["MTS14400-48"])
    mean, flows = shifts(fabric, "eventree", "eventree")
    assert flows == 2
    assert mean >= shifts(fabric, "ftree", "topology")[0] - 0.0005
