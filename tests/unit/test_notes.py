"""What readers notice has fields: kind, line, number of lines, text; and words."""

from __future__ import annotations

from lacis import _core

NET = """Switch 2 "S-1" # "a" port 0 lid 1
[1] "S-2"[1]
what is this
and this

Switch 2 "S-2" # "b" port 0 lid 2
[1] "S-1"[1]
"""


def test_a_note_names_what_it_is_about_and_where() -> None:
    fabric = _core.read_fabric(NET.encode())
    [note] = [note for note in fabric.notes if note.kind == "unknown_line"]
    # The third line is the first of two that no reader knows.
    assert (note.line, note.count, note.text) == (3, 2, "what is this")
    assert str(note) == "line 3: unknown line, skipped: what is this (and 1 more)"
    assert repr(note) == f"<lacis.Note: {note}>"


def test_a_fabric_in_order_has_no_notes() -> None:
    clean = NET.replace("what is this\nand this\n", "")
    assert [note for note in _core.read_fabric(clean.encode()).notes if note.kind == "unknown_line"] == []
