"""Reading counters by management datagrams, from a fabric that answers, loses, delays and lies as it is asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis.counters.mad import Pace, Reader
from lacis.errors import LacisError
from lacis.facts.counters import LidsMoved, LidsUnchecked, LinkStatesUnread, SwitchesChanged

from . import mads
from .mads import FIRST, SOON, SWITCH, Fake, number, star

if TYPE_CHECKING:
    from pathlib import Path

    from lacis import Fabric


def reader(fake: Fake, fabric: Fabric, **more: object) -> Reader:
    return Reader(fabric, library=str(fake.path), **{"pace": SOON, **more})  # type: ignore[arg-type]


# --- values -----------------------------------------------------------------------------------------


def test_every_counter_of_every_port_is_what_the_agent_has_at_its_place_in_the_specification(
    fake: Fake, tmp_path: Path
) -> None:
    # Volume 1 of the specification, 16.1.3.5 and 16.1.4.11: first byte and bytes, of PortCounters and of the extended ones.
    narrow = {
        "SymbolErrors": (4, 2),
        "LinkErrorRecovery": (6, 1),
        "LinkDowned": (7, 1),
        "RcvErrors": (8, 2),
        "RcvRemotePhysicalErrors": (10, 2),
        "RcvSwitchRelayErrors": (12, 2),
        "XmitDiscards": (14, 2),
        "XmitConstraintErrors": (16, 1),
        "RcvConstraintErrors": (17, 1),
        "VL15Dropped": (22, 2),
        "XmitWait": (40, 4),
    }
    wide = {
        "XmitData": 8,
        "RcvData": 16,
        "XmitPkts": 24,
        "RcvPkts": 32,
        "UnicastXmitPkts": 40,
        "UnicastRcvPkts": 48,
        "MulticastXmitPkts": 56,
        "MulticastRcvPkts": 64,
    }
    # The switch says that it counts unicast and multicast packets (bit 9), as the hosts do.
    with reader(fake, star(fake, tmp_path)) as source:
        found = source.sweep()
    ends = [(0xA000, port, SWITCH) for port in (1, 2, 3, 4)] + [
        (0xB000 + 16 * host, 1, FIRST + host) for host in range(4)
    ]
    assert found.unread == ()
    assert [*zip(found.guids.tolist(), found.ports.tolist(), found.lids.tolist(), strict=True)] == ends
    for row, (_, port, lid) in enumerate(ends):
        expected = {name: number(lid, port, byte, size) for name, (byte, size) in narrow.items()}
        expected |= {name: number(lid, port, byte, 8) for name, byte in wide.items()}
        expected["LocalLinkIntegrityErrors"] = number(lid, port, 19) >> 4
        expected["ExcessiveBufferOverruns"] = number(lid, port, 19) & 15
        assert {name: int(values[row]) for name, values in found.values.items()} == expected
    assert all(known.all() for known in found.known.values())
    assert {name for name, flags in found.wide.items() if flags.all()} == set(wide)


def test_what_an_agent_does_not_count_is_absent_and_not_zero(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    fake.agent(FIRST).capabilities = 0  # neither 64 bits nor PortXmitWait
    fake.agent(FIRST + 1).capabilities = 1 << 10  # 64 bits, without unicast and multicast
    fake.agent(FIRST + 2).capabilities_2 = 1 << 1  # errors in 64 bits, too
    with reader(fake, fabric) as source:
        found = source.sweep()
    rows = {int(guid): row for row, guid in enumerate(found.guids)}
    old, without, more = (rows[0xB000 + 16 * host] for host in range(3))
    known = {name: flags.tolist() for name, flags in found.known.items()}
    assert not known["XmitWait"][old]
    assert not known["UnicastXmitPkts"][old]
    assert int(found.values["XmitData"][old]) == number(FIRST, 1, 24, 4)
    assert not found.wide["XmitData"][old]
    assert not known["MulticastRcvPkts"][without]
    assert int(found.values["RcvPkts"][without]) == number(FIRST + 1, 1, 32, 8)
    # SymbolErrorCounter and PortXmitWait of 64 bits are the first and the last of those that Lacis knows.
    assert int(found.values["SymbolErrors"][more]) == number(FIRST + 2, 1, 72, 8)
    assert int(found.values["XmitWait"][more]) == number(FIRST + 2, 1, 168, 8)
    assert found.wide["SymbolErrors"][more]
    assert not found.wide["SymbolErrors"][without]


# --- how requests are sent --------------------------------------------------------------------------


def test_few_requests_are_in_flight_to_a_node_and_no_more_than_allowed_at_all(
    fake: Fake, tmp_path: Path
) -> None:
    fabric = star(fake, tmp_path, 30)
    with reader(fake, fabric, pace=Pace(in_flight=7, a_node=2)) as source:
        assert len(source.sweep()) == 60
    assert fake.get("fake_most_in_flight") == 7
    assert fake.agent(SWITCH).most_in_flight == 2


def test_nothing_is_set_unless_it_is_asked_for(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    with reader(fake, fabric) as source:
        source.sweep()
        assert fake.agent(SWITCH).sets == 0
        assert source.clear() == ()
    # Both attributes of four ports, and of each host's own.
    assert fake.agent(SWITCH).sets == 8
    assert [fake.agent(FIRST + host).sets for host in range(4)] == [2, 2, 2, 2]
    # Every bit of CounterSelect and CounterSelect2 (16.1.3.5: byte 18, 16.1.4.11: bytes 4 to 7), and all counters zero.
    narrow, wide = (
        bytes(data)[64:] for data in (fake.agent(SWITCH).last_narrow, fake.agent(SWITCH).last_extended)
    )
    assert (narrow[2:4], narrow[18:19], wide[2:8]) == (b"\xff" * 2, b"\xff", b"\xff" * 6)
    assert not any(narrow[4:18] + narrow[19:] + wide[8:])


def test_ports_that_are_not_cleared_are_named(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    with reader(fake, fabric) as source:
        source.sweep()
        fake.agent(FIRST).status = 0x1C
        assert [(one.guid, one.port, one.reason, one.detail) for one in source.clear()] == [
            (0xB000, 1, "status", "0x001c")
        ]


# --- what is lost -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [1, 3, 7, 8])
def test_what_is_lost_is_asked_for_again_until_it_comes(fake: Fake, tmp_path: Path, lost: int) -> None:
    # Eight losses exhaust the three retries of both requests, and those of the next round bring them.
    fabric = star(fake, tmp_path)
    with reader(fake, fabric) as source:
        source.sweep()
        fake.agent(FIRST).drop = lost
        fake.set("fake_waits", 0)
        found = source.sweep()
    # The device says at once that they are lost: nothing is waited for.
    assert fake.get("fake_waits") == 0
    assert found.unread == ()
    assert len(found) == 8


def test_a_silent_node_is_named_and_not_asked_for_each_of_its_ports(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path, 30)
    with reader(fake, fabric) as source:
        source.sweep()
        fake.agent(SWITCH).is_silent = 1
        fake.agent(SWITCH).asked = 0
        found = source.sweep()
    assert [(one.guid, one.port, one.reason) for one in found.unread] == [
        (0xA000, port, "timeout") for port in range(1, 31)
    ]
    assert len(found) == 30
    # Two requests at a time, four times each, in two rounds.
    assert fake.agent(SWITCH).asked <= 16


def test_a_busy_node_is_asked_again(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    with reader(fake, fabric) as source:
        source.sweep()
        fake.agent(FIRST).busy = 3
        assert source.sweep().unread == ()


def test_answers_that_are_none_are_named_with_their_reason(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    fake.agent(FIRST).no_extended = 1
    fake.agent(FIRST + 1).other_port = 1
    with reader(fake, fabric) as source:
        source.sweep()
        fake.agent(FIRST + 2).status = 0x1C
        found = source.sweep()
    assert [(one.guid, one.reason, one.detail) for one in found.unread] == [
        (0xB000, "unsupported", "0x000c"),
        (0xB010, "unreadable", "answer about another port"),
        (0xB020, "status", "0x001c"),
    ]
    assert 0xB010 not in found.guids.tolist()
    # Of the first one attribute was read: its errors are known, its data have 32 bits.
    first = found.guids.tolist().index(0xB000)
    assert found.known["SymbolErrors"][first]
    assert not found.wide["XmitData"][first]


def test_an_answer_that_comes_twice_counts_once(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    with reader(fake, fabric) as source:
        fake.agent(FIRST).twice = fake.agent(SWITCH).twice = 1
        found = source.sweep()
    assert found.unread == ()
    assert len(found) == 8


def test_a_device_that_goes_away_ends_the_sweep_in_one_line(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    fake.set("fake_gone_after", 9)
    with reader(fake, fabric) as source, pytest.raises(LacisError, match="no longer sends: no such device"):
        source.sweep()


# --- a fabric that changes --------------------------------------------------------------------------


def test_what_a_lid_gives_that_another_node_has_now_is_left_out(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    with reader(fake, fabric) as source:
        assert source.sweep().unread == ()
        assert not source.remarks
        # A manager that restarted has exchanged the LIDs of two hosts.
        fake.agent(FIRST).guid, fake.agent(FIRST + 1).guid = 0xB010, 0xB000
        fake.agent(SWITCH).is_changed = 1
        found = source.sweep()
        assert [(one.guid, one.port, one.reason) for one in found.unread] == [
            (0xB000, 1, "moved"),
            (0xB010, 1, "moved"),
        ]
        assert found.guids.tolist() == [0xA000] * 4 + [0xB020, 0xB030]
        assert source.remarks == (
            LidsMoved(("0x000000000000b000", "0x000000000000b010")),
            SwitchesChanged(("0x000000000000a000",)),
        )


def test_moved_lids_are_found_without_a_sign_of_change_too(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    with reader(fake, fabric) as source:
        source.sweep()
        fake.agent(FIRST).guid = 0xC000
        # Each node is asked in one of 16 sweeps.
        reasons = {one.reason for _ in range(16) for one in source.sweep().unread}
    assert reasons == {"moved"}


def test_a_fabric_that_changed_is_discovered_and_read_again(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    text = (tmp_path / "star.ibnetdiscover").read_text()
    after = tmp_path / "after.ibnetdiscover"
    after.write_text(text.replace(f"lid {FIRST} ", "lid 301 "))
    asked: list[bool] = []

    def discover(has_moved: bool) -> Fabric:
        asked.append(has_moved)
        return lacis.read(after)

    with reader(fake, fabric, discover=discover) as source:
        source.sweep()
        moved = fake.agent(301)
        moved.guid, moved.capabilities, moved.top = 0xB000, mads.ALL, 200
        fake.agent(FIRST).is_silent = 1
        found = source.sweep()
        assert found.unread == ()
        assert found.lids[found.guids.tolist().index(0xB000)] == 301
        # The old LID is silent, and belongs to no other node.
        assert asked == [False]
        source.sweep()
    assert asked == [False]


def test_a_table_that_grew_has_every_node_asked_again(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    with reader(fake, fabric) as source:
        source.sweep()
        # In this sweep another node would be asked.
        fake.agent(FIRST + 2).guid = 0xC000
        fake.agent(SWITCH).top = 201
        assert [one.reason for one in source.sweep().unread] == ["moved"]


@pytest.mark.slow
def test_where_no_node_says_its_guid_lids_are_taken_as_they_are(fake: Fake, tmp_path: Path) -> None:
    fabric = star(fake, tmp_path)
    fake.set("fake_no_subnet", 1)
    with reader(fake, fabric) as source:
        found = source.sweep()
        assert source.remarks == (LidsUnchecked(), LinkStatesUnread())
    assert found.unread == ()
    assert len(found) == 8


# --- which ports ------------------------------------------------------------------------------------


def test_a_fabric_without_lids_is_refused(fake: Fake) -> None:
    with pytest.raises(LacisError, match="says no LIDs, by which counters are read"):
        reader(fake, lacis.read("fat-tree:4,2"))


def test_ports_without_a_lid_are_named(fake: Fake, tmp_path: Path) -> None:
    file = tmp_path / "star.ibnetdiscover"
    file.write_text(
        fake.star(4).replace(f"# lid {FIRST} lmc 0", "# lid 0 lmc 0").replace(f"lid {FIRST} 4x", "lid 0 4x")
    )
    with reader(fake, lacis.read(file)) as source:
        found = source.sweep()
    assert [(one.guid, one.port, one.reason, one.detail) for one in found.unread] == [
        (0xB000, 1, "unreadable", "no LID")
    ]
    assert len(found) == 7


def test_readings_are_sorted_and_dated(fake: Fake, tmp_path: Path) -> None:
    with reader(fake, star(fake, tmp_path, 9)) as source:
        found = source.sweep()
    assert np.array_equal(found.keys, np.sort(found.keys))
    assert found.started <= found.times.min()
    assert found.times.max() <= found.ended
    assert found.unit == 4
