"""A page that is run: its files are written, its commands run, its pictures drawn, one after the other in a folder.

A block after `<!-- file: NAME -->` is a file. What follows `$ ` in a console block is a command, and the lines after it what it
prints. A block after `<!-- picture: NAME.svg keys: KEY … -->` is a call of `lacis top` to be drawn after these keys, after
`<!-- picture: NAME.png at: VIEW -->` one of `lacis serve` to be drawn at this view.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lacis.top.app import Top

    from tests.browser import Browser

_BLOCK = re.compile(
    r"(?:^<!-- (?P<kind>file|picture): (?P<name>\S+)(?: (?P<how>keys|at): (?P<given>.*?))? -->\n)?"
    r"^```(?P<language>\w+)\n(?P<content>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
WIDTH, HEIGHT = 960, 600
"""Of the browser's window [px]."""
COLOURS = 64
"""Of a picture of the browser: enough to tell the steps of the map, and few bytes."""


@dataclass(frozen=True)
class Step:
    """Something that a page does.

    Attributes:
        kind: `file`, `run`, `top` or `serve`.
        name: of the file or picture.
        text: the file's content, the command, or the call.
        printed: what the page says that a command prints.
        given: keys, or the view.
    """

    kind: str
    name: str
    text: str
    printed: str = ""
    given: str = ""


@dataclass(frozen=True)
class Drawn:
    """A picture, and what it shows as text.

    Attributes:
        content: of the file.
        rows: cells of the table of `lacis top`; of `lacis serve`, links with their figures.
        head: what stands above.
    """

    content: bytes
    rows: list[list[str]]
    head: str


def steps(page: str) -> Iterator[Step]:
    """What a page does, in its order."""
    for block in _BLOCK.finditer(page):
        name, content, given = block["name"] or "", block["content"], block["given"] or ""
        if block["kind"] == "file":
            yield Step("file", name, content)
        elif block["kind"] == "picture":
            yield Step("serve" if block["how"] == "at" else "top", name, content.strip(), given=given)
        elif block["language"] == "console":
            for command in content.removeprefix("$ ").split("\n$ "):
                typed, _, printed = command.partition("\n")
                yield Step("run", "", typed, printed.rstrip())


def environment() -> dict[str, str]:
    """Where `lacis` is that of this interpreter, and lines are as long as in the page."""
    found = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    found.pop("COLUMNS", None)
    return found


def run(command: str, folder: Path) -> str:
    """What a command prints in a folder, both streams, without blanks at the ends of lines."""
    done = subprocess.run(
        ["bash", "-c", f"{command} 2>&1"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()).rstrip()


def top(call: str, keys: str, folder: Path) -> Drawn:
    """The screen of `lacis top` after some keys, 80 columns by 24 lines."""
    from lacis.cli import run as lacis
    from lacis.top.app import Top
    from textual.widgets import DataTable, Static

    found: list[Drawn] = []

    async def drive(app: Top) -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await pilot.press(*keys.split())
            await pilot.pause()
            table = app.query_one(DataTable)
            rows = [[str(cell) for cell in table.get_row_at(number)] for number in range(table.row_count)]
            head = str(app.query_one("#head", Static).content)
            found.append(Drawn(_without_fonts(app.export_screenshot()).encode(), rows, head))

    terminal = SimpleNamespace(isatty=lambda: True)
    streams = SimpleNamespace(stdin=terminal, stdout=terminal, stderr=terminal)
    with (
        contextlib.chdir(folder),
        patch.object(Top, "run", lambda app: asyncio.run(drive(app))),
        patch("lacis.cli.top.sys", streams),
    ):
        status = lacis(shlex.split(call)[1:])
    assert status == 0, (call, status)
    return found[0]


def _without_fonts(drawing: str) -> str:
    """An SVG that asks for no font from elsewhere: sites are closed to the outside."""
    return re.sub(r"\s*@font-face \{.*?\}", "", drawing, flags=re.DOTALL)


@contextlib.contextmanager
def serving(call: str, folder: Path) -> Iterator[str]:
    """The address of `lacis serve` while it runs, on a free port."""
    words = [*shlex.split(call), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(words, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            said = ""
            for line in running.stderr:
                said += line
                if address := re.search(r"the page is at (\S+)", line):
                    yield address[1]
                    break
            else:
                raise AssertionError(said)
        finally:
            running.send_signal(signal.SIGINT)


def serve(call: str, view: str, folder: Path, browser: Browser) -> Drawn:
    """The page of `lacis serve` at a view, in few colours."""
    from PIL import Image

    with serving(call, folder) as address:
        browser.open("about:blank")
        browser.open(f"{address}#{view}", width=WIDTH)
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.wait("document.body.dataset.ready")
        if "port=" in view:
            browser.wait("document.querySelector('#panel .uplot canvas')")
        # The map has taken the size of the window, and is whole again.
        browser.wait(
            "lacisMap.canvas.getBoundingClientRect().bottom <= innerHeight + 1 || document.body.scrollHeight <= innerHeight"
        )
        browser.run("lacisMap.whole(); lacisMap.paint()")
        clip: dict[str, Any] = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1}
        data = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})[
            "data"
        ]
        rows = browser.run(
            "return [...document.querySelectorAll('#top tr')].map((row) => [...row.children].map((it) => it.textContent))"
        )
        head = browser.texts("#source")[0]
        assert browser.errors() == []
    out = io.BytesIO()
    picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
    picture.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        out, "PNG", optimize=True
    )
    return Drawn(out.getvalue(), rows, head)
