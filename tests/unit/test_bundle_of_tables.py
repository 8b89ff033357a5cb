"""The bundle whose tables OpenSM loads from a file: its text is made when it is written, not before."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import lacis
from lacis.advice import bundle
from lacis.advice.baseline import Baseline
from lacis.advice.make import TABLES, Maker
from lacis.advice.outcome import outcome
from lacis.advice.variants import Variant

if TYPE_CHECKING:
    from pathlib import Path


def test_no_text_of_tables_is_held_and_the_whole_text_is_written(tmp_path: Path) -> None:
    # 80 switches with 209 LIDs each, at 60 bytes or more a line: a megabyte.
    fabric = lacis.read("fat-tree:8,3")
    base, after = (
        outcome(fabric, Variant(name, name), lacis.route(fabric, name), "all")
        for name in ("minhop", "eventree")
    )
    dumped: list[bytes] = []
    after.routes.dump(dumped.append)
    text = b"".join(dumped)
    assert len(text) > 80 * 208 * 60
    maker = Maker(fabric, base, Baseline())
    tracemalloc.start()
    try:
        made = maker.tables(after)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert held < len(text) / 2
    [folder] = bundle.write([made], tmp_path / "advice", "index")
    assert (folder / TABLES).read_bytes() == text
