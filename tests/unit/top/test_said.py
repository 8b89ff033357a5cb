"""What `lacis top` says above and below its tables, and what keys and sources change in that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from lacis import _core
from lacis.errors import LacisError
from lacis.live import Recorded, Swept
from lacis.top import app as apps
from lacis.top.app import Top
from lacis.top.behind import Behind
from lacis.top.state import State, View
from textual.widgets import DataTable, Static

from ...ports_read import SECOND, cable, read
from ...served import START
from .states import state_of

if TYPE_CHECKING:
    from lacis._core import Fabric
    from lacis.fabric.ports import Ports


@pytest.mark.usefixtures("in_utc")
@pytest.mark.parametrize(
    ("nanoseconds", "said"),
    [
        (0, "0 s"),
        (5_000, "5e-06 s"),
        # A simulation of twelve days would be taken for 1970; none lasts so long.
        (999_999 * SECOND, "1e+06 s"),
        (1_000_000 * SECOND, "1970-01-12 13:46:40"),
        (1_700_000_000 * SECOND, "2023-11-14 22:13:20"),
    ],
)
def test_times_are_seconds_of_a_simulation_or_local(nanoseconds: int, said: str) -> None:
    assert apps._time(nanoseconds) == said


def test_the_head_says_what_is_shown(fabric: Fabric, ports: Ports) -> None:
    here, _, _ = cable(ports)
    state = state_of(ports, 1.0, 0.5)
    top = Top(state)

    def first() -> str:
        return top._head().plain.splitlines()[0]

    assert first() == "Summary"
    state.text, state.pairs, state.port = "sp\x1bine", "a b", here
    assert first() == "Summary"
    state.view = View.FOCUS
    assert first() == "Ports of all, by utilisation, high  with 'sp�ine'"
    state.text = ""
    assert first() == "Ports of all, by utilisation, high"
    # What is typed of pairs is only about pairs where tables say which there are.
    state.view = View.PORT
    assert first() == f"Port {ports.name(here)}"
    top.behind = Behind(_core.route(fabric, "minhop"), ports)
    assert first() == f"Port {ports.name(here)}, pairs with 'a b'"


@pytest.mark.usefixtures("in_utc")
def test_the_head_says_when_and_over_how_long_and_whether_more_comes(ports: Ports) -> None:
    state = state_of(ports, 1.0, 0.5)
    top = Top(state)

    def second() -> list[str]:
        return top._head().plain.splitlines()[1].split("   ")

    name, mode, when = second()
    assert (name, mode) == ("by hand", "LAST")
    assert when == f"{apps._time((START + 2) * SECOND)}, over 1 s"
    state.back()
    assert second()[1:] == ["HISTORY", f"{apps._time((START + 1) * SECOND)}, over 1 s"]
    top.is_paused = True
    assert second()[1] == "PAUSED"
    live = Top(State(ports, Swept(lambda: read(ports, START, {}), "live")))
    assert live._head().plain.splitlines()[1] == "live   LIVE   nothing read yet"


def test_ports_that_were_not_read_are_counted_once_something_was(ports: Ports) -> None:
    assert Top(state_of(ports, 0.5))._say() == "32 ports with a cable"
    sweeps = [read(ports, START, {}), read(ports, START + 1, {})]
    some = np.arange(len(ports)) >= np.flatnonzero(ports.is_cabled)[3]
    state = State(ports, Recorded([one.taken(some) for one in sweeps], "by hand"))
    assert Top(state)._say() == "32 ports with a cable; 3 of them not read"
    nothing = State(ports, Swept(lambda: read(ports, START, {}), "live"))
    assert Top(nothing)._say() == "32 ports with a cable"


def test_a_source_is_not_asked_while_it_is_asked_nor_in_a_pause(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(Top, "_advance", lambda _: asked.append(1))
    top = Top(state_of(ports, 0.5))
    top.is_paused = True
    top.look()
    assert asked == []
    top.is_paused = False
    top.look()
    top.look()
    assert asked == [1]
    monkeypatch.setattr(Top, "draw", lambda _: None)
    top._advanced(False, "")
    top.look()
    assert asked == [1, 1]


def test_it_is_drawn_again_where_something_is_new_and_trouble_is_said_until_it_is_over(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(Top, "draw", lambda top: drawn.append(top._say()))
    top = Top(state_of(ports, 0.5))
    shown = top.state.now()
    usual = "32 ports with a cable"
    for is_new, trouble, said in (
        (False, "", []),
        (True, "", [usual]),
        (False, "no \x1banswer", ["no �answer"]),
        (False, "no \x1banswer", []),
        (False, "", [usual]),
    ):
        drawn.clear()
        top._advanced(is_new, trouble)
        assert drawn == said
    assert top.state.now() is not shown  # the same instant may show more


def test_a_live_view_follows_after_a_pause(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Top, "draw", lambda _: None)
    top = Top(state_of(ports, 1.0, 0.5))
    top.action_earlier()
    top.action_pause()
    assert (top._mode(), top.state.number) == ("PAUSED", 0)
    top.action_live()
    assert (top._mode(), top.state.number) == ("LAST", 1)
    top.action_pause()
    top.action_pause()
    assert top._mode() == "LAST"


def test_the_cursor_stays_and_each_key_closes_one_thing(ports: Ports) -> None:
    async def main() -> None:
        # Eight lines have room for the keys.
        top = Top(state_of(ports, 0.5))
        async with top.run_test(size=(80, apps.LEAST[1])) as pilot:
            await pilot.pause()
            table = top.query_one(DataTable)
            assert not top.screen.has_class("low")
            await pilot.press("down", "down", "down")
            top.draw()
            assert table.cursor_row == 3
            await pilot.press("enter")
            assert (top.state.view, table.cursor_row) == (View.BUCKETS, 0)
            await pilot.press("question_mark", "escape")
            assert (top.state.view, table.display) == (View.BUCKETS, True)
            await pilot.press("slash", "escape")
            assert (top.state.view, top.query_one("#filter").has_class("shown")) == (View.BUCKETS, False)
            await pilot.press("escape")
            assert top.state.view is View.SUMMARY
            assert str(top.query_one("#head", Static).content).startswith("Summary\n")

            def gone() -> Any:
                raise LacisError("is \x1bgone", source="store")

            top.state.now = gone  # type: ignore[method-assign]
            top.draw()
            assert str(top.query_one("#say", Static).content) == "store: is �gone"
            assert top.query_one("#say").has_class("trouble")
            await pilot.resize_terminal(80, apps.LEAST[1] - 1)
            await pilot.pause()
            assert top.screen.has_class("low")

    asyncio.run(main())
