"""The terminal interface of `lacis top`: opatop's screens and keys, drawn by Textual."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.text import Text
from textual import on, work
from textual.app import App
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.css.query import NoMatches
from textual.widgets import DataTable, Footer, Input, Static

from ..errors import LacisError
from ..facts.words import harmless
from . import rows
from .state import View

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Resize

    from .behind import Behind
    from .state import State

LEAST = (40, 8)
"""Columns and lines of a terminal that has room for all; with fewer lines the view's rows come first."""
_HELP = """\
enter    down: group, ports, port, the port at the other end
u, esc   up
s        sort by the next criterion
/        only ports whose names have a text; of a port, only pairs that have its words
r, f     back, forward in time
L        live: follow what comes
B, b, U  set a bookmark, go to it, forget it
p        pause
q        quit

Used is the share of what a cable carries. MB is 10⁶ bytes. A rate is the greater
of what a port says that it sent and what the far end says that it received."""


class Top(App[None]):
    """Views of ports, from the whole fabric to one port.

    Args:
        state: what is looked at first.
        every: seconds between looks for more; none where nothing comes.
        behind: the flows and jobs behind a link; none without tables.
    """

    TITLE = "lacis top"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #head { height: 2; }
    #say { height: 1; color: $text-muted; }
    #filter { height: 1; border: none; padding: 0; display: none; }
    #filter.shown { display: block; }
    #help { display: none; height: 1fr; }
    #help.shown { display: block; }
    #head, #say { text-wrap: nowrap; text-overflow: ellipsis; }
    DataTable { height: 1fr; }
    .low #head { height: 1; }
    .low Footer { display: none; }
    .low #say { display: none; }
    .low #say.trouble { display: block; }
    .low DataTable { scrollbar-size: 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u,escape", "up", "up"),
        Binding("s", "sort", "sort"),
        Binding("slash", "filter", "find"),
        Binding("r", "earlier", "back"),
        Binding("f", "later", "forw"),
        Binding("L", "live", "live"),
        Binding("B", "keep", "mark"),
        Binding("b", "bookmark", "to mark"),
        Binding("U", "drop", "unmark", show=False),
        Binding("p", "pause", "pause"),
        Binding("question_mark", "help", "help"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(self, state: State, every: float | None = None, behind: Behind | None = None) -> None:
        super().__init__()
        self.state = state
        self.every = every
        self.behind = behind
        self.is_paused = False
        self._is_looking = False
        self._trouble = ""
        self._columns: tuple[str, ...] = ()
        self._about: tuple[View, int, str, str] | None = None
        self._widths: tuple[int, ...] = ()
        self._keys: list[int | None] = []

    def compose(self) -> ComposeResult:
        """The widgets, from above."""
        yield Static(id="head", markup=False)
        yield DataTable(cursor_type="row", zebra_stripes=False)
        yield VerticalScroll(Static(_HELP, markup=False), id="help")
        yield Input(id="filter", placeholder="part of a name", compact=True)
        yield Static(id="say", markup=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Draws the first view, and begins to look for more."""
        self.query_one(DataTable).focus()
        self.draw()
        if self.every is not None:
            self.set_interval(self.every, self.look)
            self.look()

    def on_resize(self, event: Resize) -> None:
        """Leaves out what a low terminal has no room for."""
        self.screen.set_class(event.size.height < LEAST[1], "low")

    def look(self) -> None:
        """Asks the source for more, beside the interface, unless it is asked already: a fabric may take longer than the time between two looks."""
        if not self.is_paused and not self._is_looking:
            self._is_looking = True
            self._advance()

    @work(thread=True, group="source")
    def _advance(self) -> None:
        trouble = ""
        try:
            is_new = self.state.timeline.advance()
        except LacisError as error:
            trouble, is_new = str(error), False
        self.call_from_thread(self._advanced, is_new, trouble)

    def _advanced(self, is_new: bool, trouble: str) -> None:
        self._is_looking = False
        was = self._trouble
        self._trouble = trouble
        if is_new:
            self.state.refreshed()
        if is_new or trouble != was:
            self.draw()

    def draw(self) -> None:
        """Draws the view that is shown, the cursor where it was."""
        try:
            table = self.query_one(DataTable)
        except NoMatches:
            return  # while the interface ends
        try:
            shown = rows.table(self.state, self.behind)
        except LacisError as error:  # a store that is gone, or was damaged since
            self.query_one("#say", Static).update(harmless(str(error)))
            self.query_one("#say", Static).add_class("trouble")
            return
        is_new = shown.columns != self._columns
        cursor = 0 if is_new else table.cursor_row
        # Columns keep their widths while the same is shown, which reads better than columns that move.
        about = (self.state.view, self.state.port, self.state.text, self.state.pairs)
        is_same = not is_new and about == self._about
        widths = tuple(map(max, self._widths, shown.widths())) if is_same else shown.widths()
        self._about = about
        if is_new or widths != self._widths:
            table.clear(columns=True)
            for heading, width in zip(shown.columns, widths, strict=True):
                justify: Literal["right", "left"] = "right" if heading.startswith(" ") else "left"
                table.add_column(Text(heading.strip(), justify=justify), width=width)
            self._columns, self._widths = shown.columns, widths
        else:
            table.clear()
        for row in shown.rows:
            table.add_row(
                *(
                    Text(cell, justify="right" if heading.startswith(" ") else "left", no_wrap=True)
                    for cell, heading in zip(row, shown.columns, strict=True)
                )
            )
        self._keys = shown.keys
        if shown.rows:
            table.move_cursor(row=min(cursor, len(shown.rows) - 1))
        self.query_one("#head", Static).update(self._head())
        self.query_one("#say", Static).update(self._say())
        self.query_one("#say", Static).set_class(bool(self._trouble), "trouble")

    def _head(self) -> Text:
        state = self.state
        now = state.now()
        view = state.view.value
        if state.view is View.FOCUS:
            view = f"{view} of {state.groups[state.group].name}, by {state.criterion.value}"
        elif state.view is View.PORT:
            view = f"{view} {harmless(state.ports.name(state.port))}"
            if state.pairs and self.behind is not None:
                view += f", pairs with {harmless(state.pairs)!r}"
        first = Text(f"{view}", style="bold")
        if state.text and state.view is View.FOCUS:
            first.append(f"  with {harmless(state.text)!r}", style="not bold")
        seconds = (now.end - now.begin) / 1e9
        interval = f", over {seconds:,.3g} s" if now.end > now.begin else ""
        when = _time(now.end) if now.end else "nothing read yet"
        second = Text(f"\n{harmless(state.timeline.name)}   {self._mode()}   {when}{interval}")
        return first + second

    def _mode(self) -> str:
        if self.is_paused:
            return "PAUSED"
        if self.state.instant is not None:
            return "HISTORY"
        return "LIVE" if self.state.timeline.is_live else "LAST"

    def _say(self) -> str:
        if self._trouble:
            return harmless(self._trouble)
        now = self.state.now()
        cabled = int(now.ports.is_cabled.sum())
        unread = int((now.ports.is_cabled & ~now.read).sum())
        said = f"{cabled:,} ports with a cable"
        return f"{said}; {unread:,} of them not read" if now.end and unread else said

    @on(DataTable.RowSelected)
    def _chosen(self, event: DataTable.RowSelected) -> None:
        key = self._keys[event.cursor_row] if event.cursor_row < len(self._keys) else None
        if key is not None:
            self.state.choose(key)
            self.draw()

    def action_up(self) -> None:
        """One view up; out of the filter or the help first."""
        if self.query_one("#filter").has_class("shown"):
            self._leave_filter()
        elif self.query_one("#help").has_class("shown"):
            self.action_help()
        elif self.state.up():
            self.draw()

    def action_sort(self) -> None:
        """Sorts lists by the next criterion."""
        self.state.next_criterion()
        self.draw()

    def action_filter(self) -> None:
        """Asks for a part of a name."""
        box = self.query_one("#filter", Input)
        box.value = self.state.pairs if self._asks_for_pairs() else self.state.text
        box.placeholder = "nodes or a job of pairs" if self._asks_for_pairs() else "part of a name"
        box.add_class("shown")
        self.screen.set_focus(box)  # at once: what is typed next is the name

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if self._asks_for_pairs():
            self.state.pairs = event.value
        else:
            self.state.text = event.value
            self.state.view = View.FOCUS
        self.draw()

    def _asks_for_pairs(self) -> bool:
        """Whether what is typed is about the pairs of a port, where tables are known."""
        return self.state.view is View.PORT and self.behind is not None

    @on(Input.Submitted)
    def _leave_filter(self) -> None:
        self.query_one("#filter", Input).remove_class("shown")
        self.screen.set_focus(self.query_one(DataTable))

    def action_earlier(self) -> None:
        """One instant back."""
        self.state.back()
        self.draw()

    def action_later(self) -> None:
        """One instant forward."""
        self.state.forward()
        self.draw()

    def action_live(self) -> None:
        """Follows what comes."""
        self.state.follow()
        self.is_paused = False
        self.draw()

    def action_keep(self) -> None:
        """Sets a bookmark."""
        self.state.keep()
        self.notify("bookmark set", timeout=2)

    def action_bookmark(self) -> None:
        """Goes to the bookmark."""
        self.state.to_bookmark()
        self.draw()

    def action_drop(self) -> None:
        """Forgets the bookmark."""
        self.state.drop_bookmark()

    def action_pause(self) -> None:
        """Looks for no more, or again."""
        self.is_paused = not self.is_paused
        self.draw()

    def action_help(self) -> None:
        """Shows the keys, or hides them."""
        shown, table = self.query_one("#help"), self.query_one(DataTable)
        shown.toggle_class("shown")
        table.display = not shown.has_class("shown")
        # What is hidden loses the keys, and gets them back; a help that is longer than the terminal is scrolled by keys.
        self.screen.set_focus(table if table.display else shown)


def _time(nanoseconds: int) -> str:
    """An instant: the local time, or seconds from 0 for a simulation."""
    if nanoseconds < 1_000_000_000_000_000:
        return f"{nanoseconds / 1e9:.4g} s"
    return dt.datetime.fromtimestamp(nanoseconds / 1e9).astimezone().strftime("%Y-%m-%d %H:%M:%S")
