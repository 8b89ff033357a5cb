"""Shares of a link's rate, waiting, and errors by what they accuse."""

from __future__ import annotations

import math
from dataclasses import replace

import lacis
import numpy as np
import pytest
from lacis.counters import Growth, Lost, Sort, growth
from lacis.counters.readings import Readings, empty
from lacis.counters.shares import accused, agreed, payload_rates, plausible, used, waited
from lacis.fabric.ports import ports_of

SECOND = 10**9


def reading(fabric: lacis.Fabric, at: int, **values: int) -> Readings:
    """A reading of port 1 of the first switch and of a port that the fabric does not have."""
    found = empty(2, list(values))
    found.guids[:], found.ports[:], found.times[:] = (fabric.guids()[0], 2**63), 1, at * SECOND
    for name, value in values.items():
        found.values[name][:], found.known[name][:] = value, True
        found.wide[name][:] = name.endswith("Data")
    return replace(found, started=at * SECOND)


def grown(fabric: lacis.Fabric, **values: int) -> Growth:
    return growth(reading(fabric, 1, **dict.fromkeys(values, 0)), reading(fabric, 3, **values))


def test_a_share_is_that_of_the_payload_which_width_speed_and_coding_leave() -> None:
    # 4 lanes of HDR carry 200 Gbit/s of payload: 25 GB/s. 5 · 10⁹ words of 4 bytes in 2 s are 10 GB/s.
    fabric = lacis.read("chain:2:rate=4xHDR")
    found = grown(fabric, XmitData=5 * 10**9, RcvData=0)
    rates = payload_rates(fabric, found)
    row = int(np.flatnonzero(found.guids != 2**63)[0])
    assert rates[row] == 25e9
    assert math.isnan(rates[1 - row])
    assert used(found, "XmitData", rates)[row] == 0.4
    assert used(found, "RcvData", rates)[row] == 0.0
    assert math.isnan(used(found, "RcvData", rates)[1 - row])
    assert np.isnan(waited(found, rates)).all()  # XmitWait was not read.


def test_waiting_is_a_share_of_time_by_a_tick_that_is_assumed() -> None:
    # A tick of 8 bytes at 25 GB/s lasts 0.32 ns: 3.125 · 10⁹ of them are 1 s of 2. With 32 bytes 0.78 · 10⁹ are.
    fabric = lacis.read("chain:2:rate=4xHDR")
    found = grown(fabric, XmitWait=3_125_000_000)
    row = int(np.flatnonzero(found.guids != 2**63)[0])
    assert waited(found, payload_rates(fabric, found))[row] == 0.5
    assert waited(found, payload_rates(fabric, found), tick=32)[row] == 2.0


def test_errors_are_summed_by_what_they_accuse_and_say_whether_these_are_all() -> None:
    fabric = lacis.read("chain:2:rate=4xHDR")
    found = grown(fabric, SymbolErrors=5, LinkDowned=255, XmitDiscards=3)
    cable = accused(found, Sort.LINK)
    # LinkDowned is full at 255: it has grown by at least that.
    assert (cable.count.tolist(), cable.is_all.tolist()) == ([260, 260], [False, False])
    sender = accused(found, Sort.SENDER)
    assert (sender.count.tolist(), sender.is_all.tolist()) == ([3, 3], [True, True])
    # No counter of the receiving side was read: nothing is known, which is not zero.
    receiver = accused(found, Sort.RECEIVER)
    assert (receiver.is_known.tolist(), receiver.is_all.tolist()) == ([False] * 2, [False] * 2)


def test_growth_beyond_what_the_link_carries_is_not_believed() -> None:
    fabric = lacis.read("chain:2:rate=4xHDR")
    # 25 GB/s carry 12.5 · 10⁹ words in 2 s, and the readings may be 5 % off.
    for words, reason in ((13 * 10**9, Lost.NOTHING), (14 * 10**9, Lost.BEYOND)):
        found = grown(fabric, XmitData=words, SymbolErrors=1)
        held = plausible(found, payload_rates(fabric, found))
        row = int(np.flatnonzero(found.guids != 2**63)[0])
        assert held.lost["XmitData"][row] == reason
        assert held.values["XmitData"][row] == (0 if reason else words)
        # The rate of the other port is not known, and errors have nothing to do with it.
        assert held.lost["XmitData"][1 - row] == Lost.NOTHING
        assert not held.lost["SymbolErrors"].any()


def two_ends(
    times: tuple[float, float], number: int = 0, /, **values: tuple[tuple[int, int], tuple[int, int]]
) -> Growth:
    """The growth of both ends of a cable of two switches with a host each: value before and after, at each, read at some seconds and 30 later."""
    fabric = lacis.read("chain:2:rate=4xHDR")
    cable = fabric.cables().reshape(-1, 4)[number]
    sweeps = []
    for after in (0, 1):
        found = empty(2, list(values))
        found.guids[:], found.ports[:] = fabric.guids()[cable[[0, 2]]], cable[[1, 3]]
        found.times[:] = [round((time + 30 * after) * SECOND) for time in times]
        for name, ends in values.items():
            found.values[name][:] = [end[after] for end in ends]
            found.known[name][:] = found.wide[name][:] = True
        sweeps.append(replace(found.sorted(), started=int(found.times[0])))
    return growth(*sweeps)


def test_a_port_that_was_cleared_and_counts_past_its_old_values_is_seen_at_the_other_end() -> None:
    # 50 · 10⁹ words were sent. The sender was cleared after a fifth of them: it had 10⁹, and has 40 · 10⁹.
    sent, received = (10**9, 40 * 10**9), (7, 7 + 50 * 10**9)
    nothing = ((5, 5), (5, 5))
    found = two_ends(
        (1, 1), XmitData=(sent, (5, 5)), RcvData=((5, 5), received), XmitPkts=nothing, SymbolErrors=nothing
    )
    assert not any(lost.any() for lost in found.lost.values())
    kept = agreed(found, ports_of(lacis.read("chain:2:rate=4xHDR")))
    first = int(np.argmax(found.values["XmitData"]))
    for name in ("XmitData", "XmitPkts", "RcvData"):
        assert kept.lost[name].tolist() == [Lost.CLEARED if row == first else 0 for row in (0, 1)], name
    # Errors are of another attribute, of which the other end says nothing.
    assert not kept.lost["SymbolErrors"].any()


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("sender", [0, 1])
def test_either_end_of_every_cable_is_compared_with_the_other(number: int, sender: int) -> None:
    # Of 50 · 10⁹ words that were sent this one has counted 40, and the 10⁹ that it had before are gone.
    ends = ((10**9, 40 * 10**9), (5, 5)), ((5, 5), (7, 7 + 50 * 10**9))
    sent, received = ends if sender == 0 else (ends[0][::-1], ends[1][::-1])
    found = two_ends((1, 1), number, XmitData=sent, RcvData=received)
    kept = agreed(found, ports_of(lacis.read("chain:2:rate=4xHDR")))
    own = int(np.argmax(found.values["XmitData"]))
    assert kept.lost["XmitData"].tolist() == [Lost.CLEARED if row == own else 0 for row in (0, 1)]


@pytest.mark.parametrize("multicast", [False, True])
def test_both_ends_that_were_cleared_at_once_are_seen_by_their_multicast_packets_alone(
    multicast: bool,
) -> None:
    # Of 60 · 10⁹ words the ends count the last 40 · 10⁹, past the 10⁹ that they had; there were 12 multicast packets, and there are 3.
    words, none = (10**9, 40 * 10**9), (5, 5)
    packets = {"MulticastXmitPkts": ((12, 3), none), "MulticastRcvPkts": (none, (12, 3))} if multicast else {}
    found = two_ends((1, 1), XmitData=(words, none), RcvData=(none, words), **packets)
    kept = agreed(found, ports_of(lacis.read("chain:2:rate=4xHDR")))
    for name in ("XmitData", "RcvData"):
        # By hand: what was cleared, 20 · 10⁹ words and the 10⁹ before, is missing wherever it is not seen.
        assert kept.lost[name].tolist() == [Lost.CLEARED if multicast else 0] * 2, name
        assert sorted(kept.values[name].tolist()) == ([0, 0] if multicast else [0, 39 * 10**9])


def test_what_was_read_a_little_later_at_the_other_end_is_no_contradiction() -> None:
    # Half a second later at both times: 2 · 0.5 s of 25 GB/s are 6.25 · 10⁹ words. With 10,000 words of sweeps and 2 % of what the other
    # end has, 50 · 10⁹ and what came later, up to 7.25001 · 10⁹ / 0.98 = 7.398 · 10⁹ words may have come later.
    for more, expected in ((6 * 10**9, 0), (7_390_000_000, 0), (7_410_000_000, Lost.CLEARED)):
        sent, received = (0, 50 * 10**9), (0, 50 * 10**9 + more)
        found = two_ends((1, 1.5), XmitData=(sent, (0, 0)), RcvData=((0, 0), received))
        kept = agreed(found, ports_of(lacis.read("chain:2:rate=4xHDR")))
        assert int(kept.lost["XmitData"].max()) == expected
