"""Host lists have two expanders, the engine's for what Slurm writes and ClusterShell's for what users type: they agree.

Slurm's lists are in the order of ranks, so the engine keeps the order inside brackets and repeats what is repeated; a set of
ClusterShell's has each name once, those of brackets in ascending order.
"""

from __future__ import annotations

import random

import pytest
from lacis import _core
from lacis.errors import LacisError
from lacis.ranks import nodesets


def engine(text: str) -> list[str] | None:
    try:
        return [name for _, name in _core.read_hosts("nodes", text.encode())]
    except LacisError:
        return None


def clustershell(text: str) -> list[str] | None:
    try:
        return nodesets.expand(text)
    except LacisError:
        return None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("login", ["login"]),
        ("b,a,b", ["b", "a", "b"]),
        ("node[001-003,010]", ["node001", "node002", "node003", "node010"]),
        ("n[8-11]", ["n8", "n9", "n10", "n11"]),
        ("n[098-101]-ib", ["n098-ib", "n099-ib", "n100-ib", "n101-ib"]),
        ("n[1,01]", ["n1", "n01"]),
        ("r[1-2]n[1-2],x", ["r1n1", "r1n2", "r2n1", "r2n2", "x"]),
    ],
)
def test_both_expand_a_list_as_slurm_does(text: str, names: list[str]) -> None:
    assert engine(text) == names
    assert clustershell(text) == names


def test_only_the_engine_keeps_the_order_inside_brackets_and_what_is_repeated() -> None:
    assert (engine("n[3,1]"), clustershell("n[3,1]")) == (["n3", "n1"], ["n1", "n3"])
    assert (engine("n[1-2,2]"), clustershell("n[1-2,2]")) == (["n1", "n2", "n2"], ["n1", "n2"])


def test_what_one_of_them_alone_accepts() -> None:
    # Ranges whose ends are padded differently, and a bracket after a bracket, are Slurm's alone; steps and operators
    # are ClusterShell's.
    assert (engine("n[9-011]"), clustershell("n[9-011]")) == (["n9", "n10", "n11"], None)
    assert (engine("n[1][2]"), clustershell("n[1][2]")) == (["n12"], None)
    assert (engine("n[0-4/2]"), clustershell("n[0-4/2]")) == (None, ["n0", "n2", "n4"])
    for text in ("n[1-3", "n1]", "n[3-1]", "n[a-b]", "n[0-4294967295]"):
        assert (engine(text), clustershell(text)) == (None, None), text


def drawn(rng: random.Random) -> tuple[str, bool]:
    """A list of one to three elements, and whether its brackets ascend without repeating a number."""
    elements, ascends = [], True
    for _ in range(rng.randint(1, 3)):
        element = rng.choice(["n", "node", "rack-", "a.b"])
        for _ in range(rng.randint(0, 2)):
            width, spans, last = rng.choice([1, 2, 3]), [], -1
            for _ in range(rng.randint(1, 3)):
                first = rng.randint(0, 40) if rng.random() < 0.3 else last + rng.randint(1, 9)
                to = first + rng.choice([0, 0, rng.randint(1, 12)])
                ascends = ascends and first > last
                last = to
                spans.append(f"{first:0{width}}" if to == first else f"{first:0{width}}-{to:0{width}}")
            element += f"[{','.join(spans)}]{rng.choice(['n', '-ib'])}"
        elements.append(element)
    return ",".join(elements), ascends


def test_both_agree_on_two_thousand_lists() -> None:
    rng = random.Random(38)
    both = in_order = 0
    for _ in range(2000):
        text, ascends = drawn(rng)
        one, other = engine(text), clustershell(text)
        if one is None or other is None:
            continue
        both += 1
        assert set(one) == set(other), text
        if ascends:
            in_order += 1
            assert one == other, text
    assert (both > 1000, in_order > 500) == (True, True), (both, in_order)
