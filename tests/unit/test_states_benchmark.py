"""The comparison of two installations: what counts as gained, lost and changed. Cases made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.states import commands, inputs
from benchmarks.states.__main__ import Chosen, compare_recordings
from benchmarks.states.differences import Outcome, compared, in_answers, in_lines, in_pages, in_values, masked
from benchmarks.states.fabrics import subjects


def outcomes(before: Any, after: Any) -> list[tuple[str, str]]:
    return [(difference.outcome.name, difference.where) for difference in in_values(before, after, "")]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 1, "b": 2}, [("GAINED", "b")]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, [("LOST", "a.c")]),
        ({"a": [{"b": 1.5}]}, {"a": [{"b": 1.25}]}, [("NUMBER", "a[0].b")]),
        ({"a": 1}, {"a": 1.0}, [("NUMBER", "a")]),
        ({"a": True}, {"a": 1}, [("NUMBER", "a")]),
        ({"a": None}, {"a": 0}, [("NUMBER", "a")]),
        ({"a": "one"}, {"a": "two"}, [("TEXT", "a")]),
        ({"a": [1, 2]}, {"a": [1]}, [("NUMBER", "length of a")]),
        ({"a": [1, 2]}, {"a": [2, 2, 3]}, [("NUMBER", "length of a"), ("NUMBER", "a[0]")]),
        # A key that was renamed is lost and gained: a reader of the old one finds nothing.
        ({"old": 1}, {"new": 1}, [("LOST", "old"), ("GAINED", "new")]),
        # Times and builds may differ, but they must be there.
        ({"seconds": 1.0, "version": "1"}, {"seconds": 2.0, "version": "2"}, []),
        ({"seconds": 1.0}, {}, [("LOST", "seconds")]),
        # A masked name that holds more is no time.
        ({"seconds": {"a": 1}}, {"seconds": {"a": 2}}, [("NUMBER", "seconds.a")]),
    ],
)
def test_values_are_compared_key_by_key(before: Any, after: Any, expected: list[tuple[str, str]]) -> None:
    assert outcomes(before, after) == expected


def test_text_is_compared_without_what_the_clock_says() -> None:
    assert masked("read in 0.31 s") == masked("read in 12 s")
    assert masked("measured 2026-01-02T03:04:05Z") == masked("measured 2027-11-12T13:14:15Z")
    kept = "kept as 20260102T030405-made-841e88 in /tmp/{}/tree-8/work/bundles/x.conf"
    assert masked(kept.format("a")) == masked(kept.replace("841e88", "c17a0a").format("b/c"))
    assert not in_lines("took 1.5 s\n5 pairs\n", "took 2.25 s\n5 pairs\n", "stdout")
    [one] = in_lines("same\n5 pairs\n", "same\n6 pairs\n", "stdout")
    assert (one.outcome, one.where, one.before, one.after) == (Outcome.TEXT, "stdout:2", "5 pairs", "6 pairs")
    [one] = in_lines("same\n", "same\nmore\n", "stdout")
    assert (one.where, one.before, one.after) == ("stdout:2", "", "more")
    # A line that was added first makes no difference of those that follow.
    [one] = in_lines("one\ntwo\n", "new\none\ntwo\n", "stdout")
    assert (one.where, one.before, one.after) == ("stdout:1", "", "new")
    # Sizes and bandwidths are no times.
    assert in_lines("12.5 GB/s\n", "12.4 GB/s\n", "stdout")


def test_what_is_json_on_one_side_only_is_text() -> None:
    assert [one.outcome for one in in_answers('{"a": 1}', "none", "stdout")] == [Outcome.TEXT]
    assert [one.where for one in in_answers('{"a": 1}', '{"a": 2}', "page#data")] == ["page#data.a"]


PAGE = '<p class="{0}">{1}</p><script>{2}</script><script type="application/json" id="data">{3}</script>'


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (("x", "5  links", "run()", '{"n": 1}'), []),
        (("x", "6 links", "run()", '{"n": 1}'), [Outcome.TEXT]),
        (("y", "5 links", "run()", '{"n": 1}'), [Outcome.TEXT]),
        (("x", "5 links", "walk()", '{"n": 1}'), [Outcome.SCRIPT]),
        (("x", "5 links", "run()", '{"n": 2}'), [Outcome.NUMBER]),
        (("x", "5 links", "run()", '{"n": 1, "m": 2}'), [Outcome.GAINED]),
    ],
)
def test_pages_are_compared_as_text_data_and_scripts(after: tuple[str, ...], expected: list[Outcome]) -> None:
    before = PAGE.format("x", "5 links", "run()", '{"n": 1}')
    assert [one.outcome for one in in_pages(before, PAGE.format(*after), "page.html")] == expected


def answer(folder: Path, out: str = "{}", status: int = 0, **files: bytes) -> Path:
    (folder / "files").mkdir(parents=True)
    for name, text in (("out", out), ("err", ""), ("status", str(status))):
        (folder / name).write_text(text)
    for name, content in files.items():
        (folder / "files" / name).write_bytes(content)
    return folder


def test_answers_are_compared_by_status_output_and_files(tmp_path: Path) -> None:
    before = answer(tmp_path / "a", lfts=b"0x1 : 002\n")
    assert not compared(before, answer(tmp_path / "b", lfts=b"0x1 : 002\n"))
    found = compared(before, answer(tmp_path / "c", status=1, lfts=b"0x1 : 003\n"))
    assert [(one.outcome, one.where) for one in found] == [
        (Outcome.STATUS, "status"),
        (Outcome.BYTES, "lfts:1"),
    ]
    [lost] = compared(before, answer(tmp_path / "d"))
    assert (lost.outcome, lost.where) == (Outcome.ABSENT, "lfts")
    [absent] = compared(before, tmp_path / "none")
    assert absent.outcome == Outcome.ABSENT


@pytest.mark.parametrize(
    ("after", "status"), [({"a": 1}, 0), ({"a": 1, "b": 2}, 0), ({"a": 2}, 1), ({"b": 1}, 1)]
)
def test_only_gained_keys_are_no_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], after: dict[str, int], status: int
) -> None:
    for name, value in (("before", {"a": 1}), ("after", after)):
        answer(tmp_path / name / "tree" / "answers" / "fabric", json.dumps(value))
    asked = (tmp_path / "before", tmp_path / "after")
    assert compare_recordings(*asked, Chosen("", ""), 6) == status
    assert "1 fabrics, 1 commands" in capsys.readouterr().out
    assert compare_recordings(*asked, Chosen("torus", ""), 6) == 2  # nothing was compared


FABRIC = {
    "nodes": [
        {"kind": "switch", "id": f"S{n}", "description": f"s{n}", "ports": [{"number": 1, "rate": "4xHDR"}]}
        for n in range(3)
    ],
    "cables": [["S0", 1, "S1", 1], ["S0", 2, "S2", 1], ["S0", 3, "S1", 2]],
}


def test_inputs_are_made_by_hand(tmp_path: Path) -> None:
    (tmp_path / "whole.json").write_text(json.dumps(FABRIC))
    inputs.write(tmp_path, inputs.Known(["a", "b"], ["S0", "S1", "S2"], "S0[1]"))
    # Each of the first switch's cables leads where the next one led.
    rotated = json.loads((tmp_path / "rotated.json").read_text())["cables"]
    assert rotated == [["S0", 1, "S2", 1], ["S0", 2, "S1", 2], ["S0", 3, "S1", 1]]
    # The second of three cables, S0[2]–S2[1], is the slow one: only S2's port 1 has a rate here.
    slow = json.loads((tmp_path / "slow.json").read_text())["nodes"]
    assert [node["ports"][0]["rate"] for node in slow] == ["4xHDR", "4xHDR", "1xHDR"]
    assert (tmp_path / "measured.csv").read_text().splitlines()[0] == ",a,b"


def test_names_of_fabrics_and_commands_are_unique() -> None:
    names = [subject.name for subject in subjects()]
    assert len(names) == len(set(names))
    assert len(names) >= 37  # of which the real ones may be absent
    tree = next(subject for subject in subjects() if subject.name == "tree-8")
    known = inputs.Known([f"n{i}" for i in range(32)], ["S0"], "S0[1]")
    asked = [command.name for command in commands.about(tree, "fat-tree:8,2", known)]
    assert len(asked) == len(set(asked)) > 90
    alone = [command.name for command in commands.without_fabric()]
    assert len(alone) == len(set(alone))
