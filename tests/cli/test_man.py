"""Manual pages: one for each command, with every option, and nothing that groff warns of."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import click
import pytest
from lacis.cli import _man

from tests.cli.test_main import EVERY

if TYPE_CHECKING:
    from pathlib import Path

PAGES = _man.pages()


def rendered(text: str) -> str:
    done = subprocess.run(
        ["groff", "-ww", "-man", "-Tutf8", "-P-c", "-Kutf8", "-rLL=100n"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return subprocess.run(
        ["col", "-bx"], input=done.stdout, capture_output=True, text=True, check=True
    ).stdout


def test_every_command_has_a_page() -> None:
    assert set(PAGES) == {"lacis"} | {f"lacis-{name.replace(' ', '-')}" for name, _ in EVERY}


@pytest.mark.skipif(not shutil.which("groff") or not shutil.which("col"), reason="no groff")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_rendered_without_a_warning(name: str) -> None:
    text = rendered(PAGES[name])
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"):
        assert f"\n{title}\n" in text
    commands = {f"lacis-{one.replace(' ', '-')}": command for one, command in EVERY}
    for parameter in commands[name].params if name in commands else ():
        if isinstance(parameter, click.Option):
            assert f" {max(parameter.opts, key=len)}" in text
    for number, line in enumerate(PAGES[name].splitlines(), start=1):
        known = (".TH", ".SH", ".SS", ".PP", ".TP", ".B ", ".BR", ".nf", ".fi", ".nh", ".ad")
        assert not line.startswith((".", "'")) or line.startswith(known), f"{name}:{number}: {line}"


@pytest.mark.skipif(not shutil.which("groff") or not shutil.which("col"), reason="no groff")
def test_text_that_looks_like_roff_is_text() -> None:
    option = click.Option(["--x"], help=".so /etc/passwd")
    command = click.Command(
        "odd", params=[option], help="'quoted' at first.\n\n.hidden is a C:\\new \"file\" ~ ^"
    )
    text = rendered(_man.page("lacis odd", command, "0"))
    for words in ("'quoted' at first.", '.hidden is a C:\\new "file" ~ ^', ".so /etc/passwd"):
        assert words in text


def test_pages_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["man", str(tmp_path / "man1")])
    _man.main()
    assert {page.name for page in (tmp_path / "man1").iterdir()} == {f"{name}.1" for name in PAGES}
