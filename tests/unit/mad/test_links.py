"""What links do, as it is asked of a fabric that answers by LID, by a path, or not at all; planes of an adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis.counters import LinkState, growth, recording
from lacis.counters.links import Change, active_rates, changes, rates
from lacis.counters.mad import Pace, Reader
from lacis.counters.mad import device as of_device
from lacis.counters.mad.paths import paths
from lacis.counters.mad.targets import targets_of
from lacis.counters.names import PortNames
from lacis.counters.readings import SPEEDS, PhysicalState, empty
from lacis.errors import LacisError
from lacis.facts.counters import LidsUnchecked, LinkStatesUnread

from .mads import FIRST, HDR, SWITCH, Fake, star

if TYPE_CHECKING:
    from pathlib import Path

    from lacis import Fabric
    from lacis.counters import Readings

SOON = Pace(timeout=0.001, retries=1)
NEVER = 1e9
"""Seconds after which all links are asked again: only a sign of change counts."""


def reader(fake: Fake, fabric: Fabric, every: float = 0) -> Reader:
    return Reader(fabric, library=str(fake.path), pace=SOON, links_every=every)


def of(readings: Readings) -> dict[tuple[int, int], tuple[str, str, str | None]]:
    """State, physical state and rate of each port."""
    ends = zip(readings.guids.tolist(), readings.ports.tolist(), strict=True)
    said = zip(readings.states.tolist(), readings.physical.tolist(), rates(readings), strict=True)
    return {
        end: (LinkState(state).name.lower(), PhysicalState(physical).name.lower(), rate)
        for end, (state, physical, rate) in zip(ends, said, strict=True)
    }


# Volume 1 of the specification, 14.2.5.6: states, widths and speeds by their numbers. XDR: rdma-core's libibmad.
SAID = [
    (HDR, ("active", "up", "4xHDR")),
    ((1, 2, 2, 4, 4, 0), ("down", "polling", None)),
    ((1, 3, 0, 0, 0, 0), ("down", "disabled", None)),
    ((2, 5, 1, 1, 0, 0), ("init", "up", "1xSDR")),
    ((3, 5, 4, 2, 0, 0), ("armed", "up", "8xDDR")),
    ((4, 5, 8, 4, 0, 0), ("active", "up", "12xQDR")),
    ((4, 5, 16, 4, 1, 0), ("active", "up", "2xFDR")),
    ((4, 5, 2, 4, 2, 0), ("active", "up", "4xEDR")),
    ((4, 5, 2, 4, 8, 0), ("active", "up", "4xNDR")),
    ((4, 5, 2, 4, 8, 1), ("active", "up", "4xXDR")),
    ((1, 1, 0, 0, 0, 0), ("down", "sleep", None)),
    ((1, 4, 0, 0, 0, 0), ("down", "training", None)),
    ((4, 6, 2, 4, 8, 0), ("active", "recovery", None)),  # the rate is what it comes back with
    ((1, 7, 0, 0, 0, 0), ("down", "test", None)),
]


@pytest.mark.parametrize("by_path", [False, True])
def test_every_link_is_what_its_port_says(fake: Fake, tmp_path: Path, by_path: bool) -> None:
    fabric = star(fake, tmp_path, len(SAID))
    for port, (link, _) in enumerate(SAID, 1):
        fake.agent(SWITCH).links[port][:] = link
    fake.set("fake_by_path", by_path)
    with reader(fake, fabric) as source:
        found = of(source.sweep())
        # LIDs cannot be checked by nodes that take no such requests by LID.
        assert source.remarks == ((LidsUnchecked(),) if by_path else ())
    assert found == {(0xA000, port): said for port, (_, said) in enumerate(SAID, 1)} | {
        (0xB000 + 16 * host, 1): ("active", "up", "4xHDR") for host in range(len(SAID))
    }
    assert fake.agent(SWITCH).set_ports == 0


def test_where_no_node_answers_nothing_is_known_and_counters_are_read(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    fake.set("fake_no_subnet", 1)
    with reader(fake, fabric) as source:
        found = source.sweep()
        assert LinkStatesUnread() in source.remarks
    assert len(found) == 8
    assert found.unread == ()
    assert set(of(found).values()) == {("unknown", "unknown", None)}


def test_a_node_that_keeps_its_links_to_itself_is_asked_now_and_then_alone(
    fake: Fake, tmp_path: Path
) -> None:
    fabric = star(fake, tmp_path)
    fake.agent(FIRST).no_port_info = 1
    with reader(fake, fabric) as source:
        found = of(source.sweep())
        before = fake.agent(FIRST).asked
        for _ in range(3):
            source.sweep()
        # Two counters each, and the GUID by which its LID is checked in the sweeps that are due.
        assert fake.agent(FIRST).asked - before <= 3 * 3
    assert found[0xB000, 1] == ("unknown", "unknown", None)
    assert found[0xB010, 1] == ("active", "up", "4xHDR")


def test_what_is_at_the_end_of_a_path_must_be_the_node_that_the_fabric_has_there(
    fake: Fake, tmp_path: Path
) -> None:
    fabric = star(fake, tmp_path)
    fake.set("fake_by_path", 1)
    fake.agent(FIRST + 1).guid = 0xC000
    with reader(fake, fabric) as source:
        found = of(source.sweep())
    assert found[0xB010, 1] == ("unknown", "unknown", None)
    assert found[0xB020, 1] == ("active", "up", "4xHDR")


# --- how often ---------------------------------------------------------------------------------------


def test_links_without_a_sign_of_change_are_not_asked_again(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    with reader(fake, fabric, NEVER) as source:
        source.sweep()
        asked = fake.agent(SWITCH).ports_asked
        assert asked == 4
        assert of(source.sweep())[0xA000, 2] == ("active", "up", "4xHDR")
        assert fake.agent(SWITCH).ports_asked == asked


@pytest.mark.parametrize("sign", ["changed", "silent"])
def test_a_sign_of_change_has_links_asked_at_once(fake: Fake, tmp_path: Path, sign: str) -> None:
    fabric = star(fake, tmp_path)
    with reader(fake, fabric, NEVER) as source:
        source.sweep()
        fake.agent(SWITCH).links[2][:] = (1, 2, 2, 4, 4, 0)
        if sign == "changed":
            fake.agent(SWITCH).is_changed = 1
        else:  # The host behind that port gives no answer.
            fake.agent(FIRST + 1).is_silent = 1
        assert of(source.sweep())[0xA000, 2] == ("down", "polling", None)
        # A link that is down is asked again until it is up.
        fake.agent(SWITCH).is_changed = fake.agent(FIRST + 1).is_silent = 0
        fake.agent(SWITCH).links[2][:] = HDR
        assert of(source.sweep())[0xA000, 2] == ("active", "up", "4xHDR")


# --- two devices, and planes --------------------------------------------------------------------------


def test_the_device_of_the_same_adapter_that_takes_requests_of_the_subnet_is_found(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.star(4)
    for name, guid in (("mlx5_0", "b0:01"), ("mlx5_1", "b0:02"), ("smi1", "b0:01")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "node_guid").write_text(f"{guid}\n")
    monkeypatch.setattr(of_device, "_DEVICES", tmp_path)
    fake.set("fake_no_subnet", 2)
    with of_device.Device("mlx5_0", library=str(fake.path)) as gsi:
        assert not gsi.is_managing
        # None takes them.
        assert of_device.managing(gsi, str(fake.path)) is gsi
        fake.set("fake_no_subnet", 0)
        with of_device.managing(gsi, str(fake.path)) as smi:
            assert smi.name == "smi1"
            assert smi.is_managing


def planarised(fake: Fake, tmp_path: Path, port_guids: list[int]) -> Fabric:
    """A switch, and an adapter with ports 3, 6, 9 and 12 on it."""
    ports = (3, 6, 9, 12)
    text = (
        fake.star(1).split("\n\n")[0].split("Switch")[0]
        + f'Switch\t4 "S-{0xA000:016x}"\t\t# "leaf" enhanced port 0 lid {SWITCH} lmc 0\n'
    )
    text += "".join(
        f'[{at}]\t"H-{0xB000:016x}"[{port}]({guid:x})\t\t# "xdr" lid {FIRST} 4xXDR\n'
        for at, (port, guid) in enumerate(zip(ports, port_guids, strict=True), 1)
    )
    text += (
        f'\nvendid=0x2c9\ndevid=0x1023\nsysimgguid=0x0\ncaguid=0xb000\nCa\t12 "H-{0xB000:016x}"\t\t# "xdr"\n'
    )
    text += "".join(
        f'[{port}]({guid:x})\t"S-{0xA000:016x}"[{at}]\t\t# lid {FIRST} lmc 0 "leaf" lid {SWITCH} 4xXDR\n'
        for at, (port, guid) in enumerate(zip(ports, port_guids, strict=True), 1)
    )
    file = tmp_path / "xdr.ibnetdiscover"
    file.write_text(text)
    return lacis.read(file)


def test_ports_of_an_adapter_that_name_one_guid_are_its_planes(fake: Fake, tmp_path: Path) -> None:
    fabric = planarised(fake, tmp_path, [0xB001] * 4)
    with reader(fake, fabric) as source:
        found = source.sweep()
    ends = zip(found.guids.tolist(), found.ports.tolist(), found.planes.tolist(), strict=True)
    assert [*ends] == [(0xA000, port, 0) for port in (1, 2, 3, 4)] + [
        (0xB000, 3, 1),
        (0xB000, 6, 2),
        (0xB000, 9, 3),
        (0xB000, 12, 4),
    ]
    # Each plane's counters are its own.
    assert len(set(found.values["SymbolErrors"][4:].tolist())) == 4


@pytest.mark.parametrize("guids", [[0xB001, 0xB002, 0xB003, 0xB004], [0, 0, 0, 0]])
def test_ports_with_guids_of_their_own_or_none_are_no_planes(
    fake: Fake, tmp_path: Path, guids: list[int]
) -> None:
    targets = targets_of(planarised(fake, tmp_path, guids))
    assert len(targets) == 8
    assert not targets.planes.any()


# --- paths --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["fat-tree:8,3", "torus:3x3x3", "chain:30"])
def test_each_path_leads_to_its_node_by_as_few_links_as_there_are(spec: str) -> None:
    import networkx as nx

    fabric = lacis.read(spec)
    cables = fabric.cables().reshape(-1, 4).tolist()
    leads = {(a, p): b for a, p, b, _ in cables} | {(b, q): a for a, _, b, q in cables}
    graph = nx.Graph((a, b) for a, _, b, _ in cables)
    start = len(fabric.guids()) - 1
    port = next(port for node, port in leads if node == start)
    found, hops = paths(fabric, start, port)
    # Nothing goes through a host: the distances are those of the whole graph, as hosts have one cable.
    far = nx.single_source_shortest_path_length(graph, start)
    for node in range(len(fabric.guids())):
        expected = far.get(node, -1)
        assert hops[node] == (expected if expected <= 23 else -1)
        here = start
        for out in found[node, 1 : max(int(hops[node]), 0) + 1].tolist():
            here = leads[here, out]
        assert hops[node] < 0 or here == node
    assert not found[:, 0].any()


# --- what happened ------------------------------------------------------------------------------------


def test_what_happened_to_links_between_two_sweeps_is_said(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path, 5)
    links = fake.agent(SWITCH).links
    links[2][:] = (1, 2, 2, 4, 4, 0)
    with reader(fake, fabric) as source:
        before = source.sweep()
        links[1][:], links[2][:] = (1, 2, 2, 4, 4, 0), HDR
        links[3][:], links[4][:] = (4, 5, 1, 4, 4, 0), (4, 5, 2, 4, 8, 0)
        after = source.sweep()
    # Port 5 counts that it went down, and is up in both.
    after.values["LinkDowned"][4] = 255
    before.values["LinkDowned"][4] = 254
    after.values["LinkDowned"][[0, 1, 2, 3]] = before.values["LinkDowned"][[0, 1, 2, 3]] = 3
    for readings in (before, after):
        readings.wide["LinkDowned"][:] = True
    after.times[:] = before.times + 10**9
    happened = changes(before, after, growth(before, after))
    assert [Change(value) for value in happened[:5].tolist()] == [
        Change.WENT_DOWN,
        Change.CAME_UP,
        Change.SLOWER,
        Change.FASTER,
        Change.WAS_DOWN,
    ]
    assert not happened[5:].any()


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        (LinkState.INIT, LinkState.DOWN, Change.WENT_DOWN),
        (LinkState.DOWN, LinkState.INIT, Change.CAME_UP),
        (LinkState.INIT, LinkState.ACTIVE, 0),
        (LinkState.ACTIVE, LinkState.UNKNOWN, 0),
        (LinkState.UNKNOWN, LinkState.ACTIVE, 0),
    ],
)
def test_a_link_is_up_from_init_on_and_what_is_not_known_is_no_change(
    then: LinkState, now: LinkState, expected: int
) -> None:
    before, after = empty(1), empty(1)
    before.guids[:], after.guids[:] = 7, 7
    before.states[:], after.states[:] = then, now
    assert changes(before, after, growth(before, after)).tolist() == [expected]


def test_active_rates_are_those_of_a_fabric_with_such_cables() -> None:
    # 4xHDR carries 200 Gbit/s, 1xSDR 2.5 Gbit/s of which 8 in 10 bits are payload.
    readings = empty(3)
    readings.lanes[:] = [4, 1, 0]
    readings.speeds[:] = [SPEEDS.index("HDR"), SPEEDS.index("SDR"), 0]
    found = active_rates(readings)
    assert found[1] == pytest.approx(2.5e9 * 0.8 / 8)
    assert found[0] == pytest.approx(25e9, rel=0.05)
    assert np.isnan(found[2])


def test_what_links_do_is_in_a_recording_and_comes_back(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path, len(SAID))
    for port, (link, _) in enumerate(SAID, 1):
        fake.agent(SWITCH).links[port][:] = link
    with reader(fake, fabric) as source:
        swept = source.sweep()
    swept.known["SymbolErrors"][0], swept.values["SymbolErrors"][0] = False, 0
    line = recording.line(recording.document(swept, PortNames(fabric)))
    (again,) = recording.read(line).sweeps
    for column in ("states", "physical", "lanes", "speeds"):
        assert np.array_equal(getattr(again, column), getattr(swept, column)), column
    # Of a counter that one port does not know the value is 0.
    assert (again.known["SymbolErrors"][0], again.values["SymbolErrors"][0]) == (False, 0)
    assert np.array_equal(again.known["SymbolErrors"], swept.known["SymbolErrors"])
    for wrong in (b"4xHDR\\u001b", b"99xHDR", b"4xFOO", b"HDR"):
        with pytest.raises(LacisError, match="no rate of a link, such as 4xHDR"):
            recording.read(line.replace(b"4xHDR", wrong, 1))
    with pytest.raises(LacisError, match="'dancing' is no physical state of a port"):
        recording.read(line.replace(b'"polling"', b'"dancing"', 1))


def test_a_port_of_a_switch_that_lost_its_link_is_read_on_when_the_fabric_is_discovered_without_it(
    fake: Fake, tmp_path: Path
) -> None:
    fabric = star(fake, tmp_path)
    without = tmp_path / "without.ibnetdiscover"
    blocks = (tmp_path / "star.ibnetdiscover").read_text().split("\n\n")
    # The second host is gone, and so is its line of the switch.
    lines = [line for line in blocks[0].splitlines() if not line.startswith("[2]")]
    without.write_text("\n\n".join(["\n".join(lines), blocks[1], *blocks[3:]]))
    opened = Reader(
        fabric,
        library=str(fake.path),
        pace=SOON,
        links_every=NEVER,
        discover=lambda _: lacis.read(without),
    )
    with opened as source:
        source.sweep()
        fake.agent(FIRST + 1).is_silent = 1
        fake.agent(SWITCH).links[2][:] = (1, 2, 2, 4, 4, 0)
        found = source.sweep()
    assert len(source.fabric.guids()) == 4
    assert found.unread == ()
    states = of(found)
    assert states[0xA000, 2] == ("down", "polling", None)
    assert (0xB010, 1) not in states
    assert len(states) == 7


def test_lanes_and_speeds_that_there_are_not_have_no_rate() -> None:
    readings = empty(3)
    readings.lanes[:], readings.speeds[:] = [99, 4, 4], [7, 200, 0]
    assert np.isnan(active_rates(readings)).all()
    assert rates(readings) == [None] * 3
