"""The exporter's sweeps on their own clock, and what a page says of sweeps and rows that differ from those before."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import lacis as api
import numpy as np
import pytest
from lacis.errors import LacisError
from lacis.exporter import Page, Sweeper, Swept, offered, sweeping
from lacis.exporter.page import wants_openmetrics
from lacis.fabric.ports import ports_of

from tests import counted
from tests.offering import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lacis.counters import Readings

AT = 1_700_000_000
TREE = "fat-tree:4,2"
LEAF, SPINE = "0x0002c90200400000", "0x0002c90200400020"
"""GUIDs of leaf-01 and spine-01."""


def text(swept: Swept, page: Page) -> list[str]:
    """The lines of a page, written when the sweep ended."""
    return b"".join(page.parts(swept, AT * counted.SECOND)).decode().splitlines()


# --- what a page says of sweeps ----------------------------------------------------------------------


def test_a_sweep_that_ends_well_after_two_that_failed_is_a_success() -> None:
    lost = counted.unread(
        counted.read(api.read(TREE), AT, silent=["leaf-01[1]"]), (int(LEAF, 16), 1, "timeout")
    )
    swept = Swept().after_failure().after_failure().after(lost)
    lines = text(swept, page_of(api.read(TREE)))
    for line in (
        "lacis_sweep_success 1",
        "lacis_sweeps_total 1",
        "lacis_sweeps_failed_total 2",
        "lacis_sweep_lost_readings_total 1",
        "lacis_sweep_ports 31",
    ):
        assert line in lines


def test_before_any_sweep_all_counts_are_zero() -> None:
    lines = text(Swept(), page_of(api.read(TREE)))
    for name in ("sweep_success", "sweeps_total", "sweeps_failed_total", "sweep_lost_readings_total"):
        assert f"lacis_{name} 0" in lines


def test_a_page_that_nothing_else_is_asked_of_is_no_openmetrics() -> None:
    assert page_of(api.read(TREE)).parts(Swept(), 0)[-1] != b"# EOF\n"


def test_labels_follow_the_rows_of_each_sweep() -> None:
    fabric = api.read(TREE)
    page = page_of(fabric)
    first = counted.read(fabric, AT, {"leaf-01[1]": {"LinkDowned": 4}, "spine-01[1]": {"LinkDowned": 9}})
    assert f'lacis_port_link_downed_total{{guid="{LEAF}",port="1"}} 4' in text(Swept().after(first), page)
    # The next sweep lacks the leaves: the first row is spine-01's, and 8 ports of spines and 8 of hosts are left.
    second = first.taken(first.guids >= int(SPINE, 16))
    found = [line for line in text(Swept().after(second), page) if line.startswith("lacis_port_link_downed_")]
    assert len(found) == 16
    assert found[0] == f'lacis_port_link_downed_total{{guid="{SPINE}",port="1"}} 9'


def test_a_row_without_a_time_has_no_age_and_sleep_is_a_state() -> None:
    read = counted.read(api.read(TREE), AT)
    read.times[0], read.physical[0] = 0, 1
    lines = text(Swept().after(read), page_of(api.read(TREE)))
    assert len([line for line in lines if line.startswith("lacis_port_reading_age_seconds{")]) == 31
    assert f'lacis_port_physical_state{{guid="{LEAF}",port="1"}} 1' in lines


def test_data_that_no_port_has_make_no_series() -> None:
    read = counted.read(api.read(TREE), AT)
    read.known["XmitData"][:] = False
    lines = text(Swept().after(read), page_of(api.read(TREE)))
    assert not [line for line in lines if "transmitted_bytes" in line]
    assert len([line for line in lines if line.startswith("lacis_port_received_bytes_total{")]) == 32


def test_the_first_port_has_its_node_where_it_has_no_cable() -> None:
    fabric = api.read(TREE)
    page = Page("0")
    ports = ports_of(fabric.without(["node0001"]))
    page.wired(ports)
    assert (ports.name(0), ports.far[0]) == ("leaf-01[1]", -1)
    lines = text(Swept().after(counted.read(fabric, AT)), page)
    assert f'lacis_port_info{{guid="{LEAF}",port="1",node="leaf-01",kind="switch"}} 1' in lines


def test_a_cable_of_unknown_rate_has_no_rate() -> None:
    fabric = api.read(TREE)
    ports = ports_of(fabric)
    ports.rates[0] = np.nan
    page = Page("0")
    page.wired(ports)
    rates = [line for line in text(Swept(), page) if line.startswith("lacis_port_rate_")]
    assert len(rates) == 31


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("application/openmetrics-text;version=2.0.0", False),
        ("application/openmetrics-text;version=2.0.0,application/openmetrics-text;version=1.0.0", True),
        ("text/plain;q=much,application/openmetrics-text", True),
        ("text/plain;version=0.0.4;q=0.5,application/openmetrics-text;q=0.4", False),
        ("text/*,application/openmetrics-text;q=0.5", False),
        ("application/*,text/plain;q=0.5", True),
    ],
)
def test_each_choice_of_a_request_is_weighed(accept: str, wanted: bool) -> None:
    assert wants_openmetrics({"accept": accept}) is wanted


def test_a_scrape_comes_once_a_second_at_most_and_has_time_to_answer() -> None:
    written = offered.configuration("here:1", 0.01)
    assert "scrape_interval: 1s\n    scrape_timeout: 1s\n" in written


# --- the clock ---------------------------------------------------------------------------------------


class Clock:
    """A clock that goes on while a sweep runs and while the sweeper waits, and stops it after some waits."""

    def __init__(self, last: int) -> None:
        self.now, self.last, self.waits = 100.0, last, list[float]()

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def set(self) -> None:
        """It ends by itself, so that all waits have been."""

    def is_set(self) -> bool:
        return len(self.waits) == self.last


class Taking(counted.Given):
    """A source whose sweeps take so many seconds, one after the other."""

    def __init__(self, read: Readings, clock: Clock, seconds: Sequence[float]) -> None:
        super().__init__(read)
        self.clock, self.seconds = clock, iter(seconds)

    def sweep(self) -> Readings:
        self.clock.now += next(self.seconds)
        return super().sweep()


def test_a_long_sweep_delays_the_next_one_and_none_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(last=4)
    monkeypatch.setattr(sweeping, "time", clock)
    monkeypatch.setattr(sweeping, "threading", SimpleNamespace(Event=lambda: clock, Thread=threading.Thread))
    source = Taking(counted.read(api.read(TREE), AT), clock, [2, 13, 1, 4])
    sweeper = Sweeper(source, 10, lambda _: None)
    sweeper.start()
    sweeper.stop()
    # Begun at 100, 110, 123 and 133: the second one lasts until 123, three seconds beyond its turn.
    assert clock.waits == [8, 0, 9, 6]


def test_cables_are_asked_for_before_the_first_sweep_and_after_each_that_ends_well() -> None:
    asked: list[int] = []
    read = counted.read(api.read(TREE), AT)
    sweeper = Sweeper(
        counted.Given(read, LacisError("no adapter"), read), 1, lambda _: None, lambda: asked.append(1)
    )
    counts = [len(asked)]
    for _ in range(3):
        sweeper.sweep()
        counts.append(len(asked))
    assert counts == [1, 2, 2, 3]
