"""The report's gist: what comes first, and how numbers are worded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from lacis.documents.report import EngineFailures
from lacis.facts.found.cabling import Action, Apart, CableEnd, CableWork
from lacis.facts.words import count
from lacis.report import terminal
from rich.console import Console


@pytest.mark.parametrize(
    ("number", "said"), [(0, "no levels"), (1, "1 level"), (2, "2 levels"), (1234, "1,234 levels")]
)
def test_numbers_are_said_as_people_say_them(number: int, said: str) -> None:
    assert count(number, "level") == said
    assert count(2, "switch", "switches") == "2 switches"


def work(action: Action, port: int | None, there: CableEnd | None = None) -> CableWork:
    return CableWork(action, CableEnd("leaf", "0x1", port), there, "A01", "CODE", "warning", Apart(1), "why")


def test_what_costs_bandwidth_comes_before_what_is_to_be_looked_at() -> None:
    lines_of_work = [work("check", n) for n in range(1, 9)] + [
        work("move", 20),
        work("plug in", 30, CableEnd("spine", "0x2", None)),
    ]
    report: Any = SimpleNamespace(cabling=lines_of_work)
    out = Console(width=100)
    with out.capture() as printed:
        out.print(terminal._work(report))
    head, *lines, rest = [line.rstrip() for line in printed.get().splitlines()]
    assert head == "Work at the cables: 1 to plug in, 1 to move, 8 to check"
    assert [line.split("  ")[1] for line in lines] == ["plug in", "move"] + ["check"] * 6
    assert "leaf[30] – spine" in lines[0]
    assert rest == "and 2 more: on the page, and with --json"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            EngineFailures("minhop", "OpenSM", 572, 572, 0, "", 0, 43.0),
            "minhop, repaired by OpenSM: 572 failures, none loses a pair of hosts; 43 entries change in the median",
        ),
        (
            EngineFailures("nue", "OpenSM", 9, 572, 1, "switch a", 1, 2.0),
            "nue, repaired by OpenSM: a sample of 9 of 572 failures, 1 loses 1 pair of hosts: switch a; "
            "2 entries change in the median",
        ),
        (
            EngineFailures("minhop", "OpenSM", 1, 1, 0, "", 0, 0.0),
            "minhop, repaired by OpenSM: 1 failure, none loses a pair of hosts; 0 entries change in the median",
        ),
        (
            EngineFailures("eventree", "no manager", 572, 572, 541, "switch a", 33792, 0.0),
            "eventree, from a file, not repaired: 572 failures, 541 lose pairs of hosts, most of all switch a: 33,792 pairs",
        ),
    ],
)
def test_failures_are_said_in_a_sentence(row: EngineFailures, said: str) -> None:
    assert terminal.failure_words(row) == said
