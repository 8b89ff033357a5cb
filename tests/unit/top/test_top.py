"""The screens of `lacis top`, driven by keys and the mouse as a user would, on readings made by hand."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from lacis import _core
from lacis.errors import LacisError
from lacis.fabric.ports import Ports, ports_of
from lacis.live import Criterion, Direction, Simulated, Stored, Swept, jobs_on_ports
from lacis.model.simulation import simulate
from lacis.top import rows
from lacis.top.app import Top
from lacis.top.behind import Behind
from lacis.top.state import State, View
from textual.widgets import DataTable, Input, Static

from tests.conftest import one_quick

from ...ports_read import SECOND, cable, read, row_of
from ...served import START
from .states import state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from lacis._core import Fabric
    from lacis.counters import Growth, Readings


def driven(
    app: Top, steps: Callable[[Top, Any], Coroutine[Any, Any, None]], size: tuple[int, int] = (80, 24)
) -> None:
    async def main() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await steps(app, pilot)

    asyncio.run(main())


def cells(app: Top) -> list[list[str]]:
    table = app.query_one(DataTable)
    return [[str(cell) for cell in table.get_row_at(number)] for number in range(table.row_count)]


def text(app: Top, widget: str) -> str:
    return str(app.query_one(widget, Static).content)


def test_from_the_whole_to_one_port_and_back(ports: Ports) -> None:
    here, far, rate = cable(ports)

    async def steps(app: Top, pilot: Any) -> None:
        first = cells(app)[0]
        # One cable at half of its rate, in one direction.
        assert first[:2] == ["all", "within"]
        assert first[3] == f"{rate / 2 / 1e6:,.0f}"
        assert "LAST" in text(app, "#head")
        await pilot.press("enter")
        assert app.state.view is View.BUCKETS
        assert cells(app)[0][7] == "1"  # 50 to 60 %
        await pilot.press("enter")
        listed = cells(app)
        assert listed[0] == ["1", "50.0 %", f"{rate / 2 / 1e6:,.0f}", ports.name(here)]
        assert listed[1][3] == f"<-> {ports.name(far)}"
        await pilot.press("enter")
        assert (app.state.view, app.state.port) == (View.PORT, here)
        shown = {row[0]: row[1:] for row in cells(app)}
        assert shown["sends"][0] == f"{rate / 2 / 1e6:,.0f} MB/s, 50.0 %"
        assert shown["SymbolErrors"] == ["+0", "+3"]
        assert shown["before"][0] == "█▄"
        await pilot.press("enter")
        assert app.state.port == far  # the other end of the cable
        for view in (View.FOCUS, View.BUCKETS, View.SUMMARY, View.SUMMARY):
            await pilot.press("u")
            assert app.state.view is view

    driven(Top(state_of(ports, 1.0, 0.5)), steps)


def test_history_is_walked_and_bookmarked(ports: Ports) -> None:
    _, _, rate = cable(ports)

    def total(app: Top) -> float:
        return float(cells(app)[0][3].replace(",", "")) * 1e6 / rate

    async def steps(app: Top, pilot: Any) -> None:
        assert total(app) == pytest.approx(0.25, rel=0.01)
        await pilot.press("r")
        assert total(app) == pytest.approx(0.5, rel=0.01)
        assert "HISTORY" in text(app, "#head")
        await pilot.press("B", "r")
        assert total(app) == pytest.approx(1.0, rel=0.01)
        await pilot.press("r")  # there is nothing before
        assert total(app) == pytest.approx(1.0, rel=0.01)
        await pilot.press("b")
        assert total(app) == pytest.approx(0.5, rel=0.01)
        await pilot.press("f", "f", "f")
        assert total(app) == pytest.approx(0.25, rel=0.01)
        assert "LAST" in text(app, "#head")
        await pilot.press("U", "r", "b")
        assert total(app) == pytest.approx(0.5, rel=0.01)  # the bookmark is gone
        await pilot.press("L")
        assert total(app) == pytest.approx(0.25, rel=0.01)

    driven(Top(state_of(ports, 1.0, 0.5, 0.25)), steps)


def test_lists_are_sorted_and_found_by_typing(ports: Ports) -> None:
    here, far, _ = cable(ports)

    async def steps(app: Top, pilot: Any) -> None:
        await pilot.press("slash", *"e-02")
        assert app.state.view is View.FOCUS
        names = {row[3].removeprefix("<-> ").partition("[")[0] for row in cells(app)}
        assert "spine-02" in names
        assert "spine-01" not in names
        await pilot.press("enter")
        assert app.focused is app.query_one(DataTable)
        await pilot.press("slash", *["backspace"] * 4, "escape")
        assert app.query_one(Input).value == ""
        while app.state.criterion is not Criterion.INTEGRITY:
            await pilot.press("s")
        assert [row[3] for row in cells(app)] == [ports.name(far), f"<-> {ports.name(here)}"]

    driven(Top(state_of(ports, 0.5)), steps)


def test_the_mouse_chooses_too(ports: Ports) -> None:
    async def steps(app: Top, pilot: Any) -> None:
        await pilot.click(DataTable, offset=(5, 4))  # the heading is at 0, rows begin at 1
        await pilot.click(DataTable, offset=(5, 4))
        assert app.state.view is View.BUCKETS
        assert app.state.groups[app.state.group].name == "adapters"
        assert app.state.direction is Direction.WITHIN

    driven(Top(state_of(ports, 0.5)), steps)


def test_jobs_behind_a_link_are_named(fabric: Fabric, ports: Ports) -> None:
    routes = _core.route(fabric, "minhop")
    jobs = {"one": ["node0001", "node0003"], "two": ["node0005", "node0006"]}
    state = state_of(ports, 0.5)
    behind = Behind(routes, ports, jobs_on_ports(routes, ports, jobs))
    # node0001 sends to node0003 alone: whatever leaves it is of the first job.
    state.view, state.port = (
        View.PORT,
        next(at for at in range(len(ports)) if ports.name(at).startswith("node0001")),
    )
    lines = [row for row in rows.table(state, behind).rows if row[0] == "job"]
    assert lines[0][1] == "one: 1 flow"
    assert not any("two" in cell for row in lines for cell in row)


@pytest.mark.slow
def test_pairs_behind_a_link_are_listed_and_found_by_typing(fabric: Fabric, ports: Ports) -> None:
    routes = _core.route(fabric, "minhop")
    state = state_of(ports, 0.5)
    state.view, state.port = View.PORT, cable(ports)[0]

    async def steps(app: Top, pilot: Any) -> None:
        listed = cells(app)
        at = next(number for number, row in enumerate(listed) if row[0] == "pairs")
        # Of 12 flows from two hosts to six others half leave by each cable up.
        assert listed[at] == ["pairs", "6 pairs", "6 pairs"]
        assert len(listed[at + 1 :]) == 6
        sources = {row[1].split()[0] for row in listed[at + 1 :]}
        assert sources == {"node0001", "node0002"}
        assert all(row[2].endswith("16.7 %") for row in listed[at + 1 :])
        target = listed[at + 1][2].split()[1]
        await pilot.press("slash", *f"node0001 {target}")
        listed = cells(app)
        assert app.state.view is View.PORT
        assert listed[at][1] == "1 of 6 pairs"
        assert [row[1].split()[0] for row in listed[at + 1 :]] == ["node0001"]
        assert f"pairs with 'node0001 {target}'" in text(app, "#head")
        # In lists of ports what is typed is another text.
        await pilot.press("enter", "u", "slash", *"spine")
        assert (app.state.view, app.state.text, app.state.pairs) == (
            View.FOCUS,
            "spine",
            f"node0001 {target}",
        )

    driven(Top(state, behind=Behind(routes, ports)), steps)


def test_of_switches_that_choose_parts_of_pairs_are_listed() -> None:
    fabric = _core.generate_fabric("fat-tree:4,2").without(["leaf-01--spine-01"])
    ports = ports_of(fabric)
    state = State(ports, Swept(lambda: read(ports, START, {}), "live"), view=View.PORT)
    state.port = row_of(ports, "leaf-02[4]")
    lines = rows.table(state, Behind(_core.route(fabric, "minhop"), ports, adaptive=True)).rows
    # To leaf-01 leads this cable alone, for two hosts to two; to four others half of what they send leaves by it: 4 + 8 / 2.
    assert ("by minhop, adaptive", "8 flows of all to all") in [line[:2] for line in lines]
    at = next(number for number, line in enumerate(lines) if line[0] == "pairs")
    assert lines[at][1] == "12 pairs"
    assert [line[2].endswith("50 % of it") for line in lines[at + 1 :]] == [False] * 4 + [True] * 8


def test_a_simulation_is_shown_as_it_runs(fabric: Fabric, ports: Ports) -> None:
    routes = _core.route(fabric, "minhop")
    found = simulate(routes, "shift:1", interval=5e-6)
    state = State(ports, Simulated(found, ports, "shift:1"))
    # Every host sends 1 MiB at the rate of its link: in full intervals the first is used whole.
    state.instant = 5000
    assert state.now().share[[ports.names[n].startswith("node") for n in ports.nodes]].min() == pytest.approx(
        1.0, abs=0.02
    )


@pytest.mark.parametrize("size", one_quick([(20, 5), (40, 8), (200, 60)]), ids=str)
def test_a_small_terminal_and_hostile_names_break_nothing(ports: Ports, size: tuple[int, int]) -> None:
    hostile = replace(ports, names=["\x1b[31m[bold]evil\x07" + "x" * 60, *ports.names[1:]])

    async def steps(app: Top, pilot: Any) -> None:
        await pilot.press(
            "enter", "enter", "s", "enter", "u", "question_mark", "question_mark", "slash", "[", "escape"
        )
        assert "\x1b" not in "".join(cell for row in cells(app) for cell in row)

    driven(Top(state_of(hostile, 0.5)), steps, size)


def test_a_low_terminal_shows_rows_and_keys_work_after_the_help(ports: Ports) -> None:
    async def steps(app: Top, pilot: Any) -> None:
        await pilot.pause()
        # One line of what is shown, one of headings, three of rows.
        assert app.query_one("#head").size.height == 1
        assert app.query_one(DataTable).size.height == 4
        await pilot.press("question_mark")
        scrolled = app.query_one("#help").scroll_offset.y
        await pilot.press("down", "down")
        await pilot.pause()
        assert app.query_one("#help").scroll_offset.y > scrolled
        await pilot.press("question_mark", "enter")
        assert app.state.view is View.BUCKETS
        await pilot.press("slash", "x", "escape", "u")
        assert app.focused is app.query_one(DataTable)

    driven(Top(state_of(ports, 0.5)), steps, (20, 5))


@pytest.mark.slow
def test_columns_are_as_wide_as_what_is_shown_now(ports: Ports) -> None:
    wide = replace(ports, names=["x" * 50, *ports.names[1:]])

    def width(app: Top) -> int:
        return int(app.query_one(DataTable).ordered_columns[3].width)

    async def steps(app: Top, pilot: Any) -> None:
        await pilot.press("slash", *"leaf-02")
        assert width(app) < 50
        await pilot.press("end", "ctrl+u", *"xxx")
        assert width(app) > 50
        await pilot.press("end", "ctrl+u", *"leaf-02")
        assert width(app) < 50

    driven(Top(state_of(wide, 0.5)), steps)


def test_a_source_in_trouble_is_said_and_what_was_read_stays(ports: Ports) -> None:
    here, _, _ = cable(ports)
    sweeps: list[Readings | LacisError] = [
        read(ports, START, {}),
        read(ports, START + 1, {"XmitData": {here: 1000}}),
        LacisError("no answer from the device"),
    ]

    def sweep() -> Readings:
        one = sweeps.pop(0) if len(sweeps) > 1 else sweeps[0]
        if isinstance(one, LacisError):
            raise one
        return one

    async def steps(app: Top, pilot: Any) -> None:
        until = time.monotonic() + 30
        while "no answer" not in text(app, "#say") and time.monotonic() < until:
            await pilot.pause(0.02)
        assert text(app, "#say") == "no answer from the device"
        assert cells(app)[0][3] == "0.00" or float(cells(app)[0][3]) > 0
        assert "LIVE" in text(app, "#head")
        await pilot.press("p")
        assert "PAUSED" in text(app, "#head")

    driven(Top(State(ports, Swept(sweep, "live")), every=0.01), steps)


def test_a_source_that_is_slow_is_asked_again_when_it_has_answered(ports: Ports) -> None:
    asked: list[int] = []
    answering = threading.Semaphore(0)

    def sweep() -> Readings:
        asked.append(len(asked))
        answering.acquire()
        return read(ports, START + len(asked), {})

    async def steps(app: Top, pilot: Any) -> None:
        try:
            for _ in range(5):
                app.look()
                await pilot.pause()
            assert asked == [0]
            answering.release()
            async with asyncio.timeout(60):
                while not app.state.timeline.instants():
                    await pilot.pause()
                app.look()
                while len(asked) < 2:
                    await pilot.pause()
        finally:
            answering.release(10)
        await app.workers.wait_for_complete()

    driven(Top(State(ports, Swept(sweep, "live")), every=3600), steps)


def test_a_source_that_fails_while_it_is_drawn_is_said(ports: Ports) -> None:
    def between(_begin: int, _end: int) -> Growth:
        raise LacisError("is gone", source="store")

    async def steps(app: Top, pilot: Any) -> None:
        assert text(app, "#say") == "store: is gone"
        await pilot.press("enter", "u", "q")

    kept = Stored(lambda: (START * SECOND, (START + 60) * SECOND), between, "store")
    driven(Top(State(ports, kept)), steps)


def test_nothing_read_yet_is_said(ports: Ports) -> None:
    async def steps(app: Top, _pilot: Any) -> None:
        assert "nothing read yet" in text(app, "#head")

    driven(Top(State(ports, Swept(lambda: read(ports, START, {}), "live"))), steps)


@pytest.mark.usefixtures("in_utc")
@pytest.mark.parametrize(
    "keys", one_quick([(), ("enter",), ("enter", "enter"), ("enter", "enter", "enter")]), ids=len
)
def test_screens_look_as_they_did(snap_compare: Any, ports: Ports, keys: tuple[str, ...]) -> None:
    assert snap_compare(Top(state_of(ports, 1.0, 0.5)), press=keys, terminal_size=(80, 24))


def test_a_port_is_found_by_its_node_and_number(ports: Ports) -> None:
    state = state_of(ports, 0.5)
    every = [ports.name(row) for row in range(len(ports)) if ports.far[row] >= 0]

    def found(text: str) -> set[str]:
        state.view, state.text = View.FOCUS, text
        return {cells[3].removeprefix("<-> ") for cells in rows.table(state).rows[::2]}

    # leaf-01 has ports 1 to 4; the far end of a cable is found with it.
    far = {
        ports.name(int(ports.far[row])): ports.name(row) for row in range(len(ports)) if ports.far[row] >= 0
    }
    assert found("LEAF-01[3]") == {"leaf-01[3]", far["leaf-01[3]"]}
    assert found("leaf-01[") == found("leaf-01[5") == set()
    assert found("f-01[1") == {"leaf-01[1]", far["leaf-01[1]"]}
    assert found("") == set(every)
