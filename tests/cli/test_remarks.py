"""What readers notice and what is doubtful is in a document with fields, as it is on standard error in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click
import pytest
from lacis.cli import cli
from lacis.documents.schemas import documents

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

NET = """\
vendid=0x2c9
devid=0xc738
sysimgguid=0x10
switchguid=0x10(10)
Switch	2 "S-0000000000000010"		# "leaf" enhanced port 0 lid 1 lmc 0
[1]	"H-0000000000000020"[1](21)		# "n1 HCA-1" lid 2 4xEDR
[2]	"H-0000000000000030"[1](31)		# "n2 HCA-1" lid 3 4xEDR

Ca	1 "H-0000000000000020"		# "n1 HCA-1"
[1](21)	"S-0000000000000010"[1]		# lid 2 lmc 0 "leaf" lid 1 4xEDR

a line that no rule covers
Ca	1 "H-0000000000000030"		# "n2 HCA-1"
[1](31)	"S-0000000000000010"[2]		# lid 3 lmc 0 "leaf" lid 1 4xEDR
"""
"""The twelfth line is none of the format."""


def document(lacis: Lacis, *args: str | Path) -> tuple[dict[str, Any], str]:
    done = lacis(*args, "--json")
    found: dict[str, Any] = json.loads(done.out)
    return found, done.err


@pytest.mark.parametrize("command", [["fabric"], ["route", "-R", "minhop"], ["verify"], ["predict"]])
def test_a_document_has_what_the_reader_of_the_fabric_noticed(
    lacis: Lacis, tmp_path: Path, command: list[str]
) -> None:
    file = tmp_path / "odd.net"
    file.write_text(NET)
    found, err = document(lacis, command[0], file, *command[1:])
    [note] = found["reader_notes"]
    assert (note["file"], note["kind"], note["line"], note["count"]) == (str(file), "unknown_line", 12, 1)
    assert note["text"] == "a line that no rule covers"
    assert f"lacis: {file}: {note['words']}\n" in err
    assert "doubts" not in found


def test_a_clean_fabric_has_neither(lacis: Lacis) -> None:
    found, err = document(lacis, "fabric", "fat-tree:4,2")
    assert err == ""
    assert not {"reader_notes", "doubts"} & found.keys()


def test_a_refusal_is_a_doubt_with_its_reason_in_fields(lacis: Lacis) -> None:
    # All switches of a ring have hosts, so that all are of rank 0: OpenSM's ftree finds six roots.
    found, err = document(lacis, "route", "ring:6", "-R", "ftree")
    reason = {"kind": "tree_misfit", "misfit": {"kind": "roots_alone"}}
    words = "Found more than one root on fabric with maximum rank 0"
    assert found["refusals"] == [{"engine": "ftree", "reason": words, "subnet": None, "fact": reason}]
    [doubt] = found["doubts"]
    assert doubt["fact"] == {
        "kind": "engine_refused",
        "engine": "ftree",
        "reason": words,
        "successor": "minhop",
        "author": "OpenSM",
        "is_asked": False,
        "fact": reason,
    }
    assert err == f"lacis: {doubt['text']}\n"


def test_guids_of_another_fabric_are_a_doubt(lacis: Lacis, tmp_path: Path) -> None:
    roots = tmp_path / "roots"
    roots.write_text("0xdead\n")
    found, _ = document(lacis, "route", "fat-tree:4,2", "-R", "minhop", "--lenient", "-a", roots)
    [doubt] = found["doubts"]
    assert doubt["fact"] == {
        "kind": "guids_unknown",
        "file": str(roots),
        "unknown": 1,
        "of": 1,
        "first": "0x000000000000dead",
    }


WITHOUT_REMARKS = {
    "lacis.watch": "a line for each event",
    "lacis.capture": "what is in an archive, which keeps the file as it is",
}
"""Documents that hold no remarks on the fabric, and what they hold."""


def with_fabric(command: click.Command, name: str = "lacis") -> list[str]:
    """Commands that take a FABRIC and print JSON, by the tag of their document without the version."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        inner = [(word, command.get_command(context, word)) for word in command.list_commands(context)]
        return [tag for word, one in inner if one is not None for tag in with_fabric(one, f"{name}-{word}")]
    params = {param.name for param in command.params}
    return [name.replace("lacis-", "lacis.", 1)] if {"fabric", "as_json"} <= params else []


def test_every_command_that_reads_a_fabric_has_both_in_its_document() -> None:
    tags = with_fabric(cli)
    assert len(tags) > 12
    by_name = documents()
    lacking = [
        tag
        for tag in tags
        if tag not in WITHOUT_REMARKS
        for kind in by_name.get(f"{tag}/1", [])
        if not {"reader_notes", "doubts"} <= {*kind.__struct_fields__}
    ]
    assert lacking == []
