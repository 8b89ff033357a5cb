"""Sets of hosts, as triples of one line."""

from __future__ import annotations

import pytest
from lacis import LacisError
from lacis.ranks import nodesets


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", "n1"),
        ("n[8-11]", "n8 n9 n10 n11"),
        ("n[098-101]", "n098 n099 n100 n101"),
        ("r[1-2]n[1-2]-ib", "r1n1-ib r1n2-ib r2n1-ib r2n2-ib"),
        ("n3,n1,n2", "n3 n1 n2"),
        (" a , ,b,", "a b"),
        ("n[1-4]!n2", "n1 n3 n4"),
        ("n[1-4]&n[3-9]", "n3 n4"),
        ("n[1-2]^n[2-3]", "n1 n3"),
        ("n[0-8/4]", "n0 n4 n8"),
    ],
)
def test_sets_stand_for_names_in_order(text: str, names: str) -> None:
    assert " ".join(nodesets.expand(text)) == names


KNOWN = ["login1", "node1", "node2", "node3", "node10", "node11"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("*", "login1 node1 node2 node3 node10 node11"),
        ("node*", "node1 node2 node3 node10 node11"),
        ("node1*,login1", "node1 node10 node11 login1"),
        ("*!node[1-3]", "login1 node10 node11"),
        ("login1,node[1-3]!*2", "login1 node1 node3"),
        ("*1&node*", "node1 node11"),
        ("node[1-2]*", "node1 node2 node10 node11"),
        ("node1*^node[10-12]", "node1 node12"),
    ],
)
def test_a_star_stands_for_hosts_of_the_fabric(text: str, names: str) -> None:
    assert nodesets.expand(text, KNOWN) == names.split()


def test_a_star_that_no_host_is_like_is_refused() -> None:
    with pytest.raises(LacisError, match="no host of this fabric is like it: gpu"):
        nodesets.find("gpu*", KNOWN, "--hosts")


@pytest.mark.parametrize(
    "text", ["n[1", "n1]", "n[]", "n[3-1]", "n[a-b]", "n[0-4294967295]", "n[1-2000][1-2000]"]
)
def test_what_is_none_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(LacisError) as error:
        nodesets.expand(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("n001 n002 n003 n007", "n[001-003,007]"),
        ("r1n1 r1n2 r2n1 r2n2", "r[1-2]n[1-2]"),
        ("b a", "a,b"),
        ("", ""),
    ],
)
def test_names_fold(names: str, text: str) -> None:
    assert nodesets.fold(names.split()) == text


def test_names_with_blanks_stand_in_quotes() -> None:
    assert nodesets.fold(["n1", "n2", "MT4129 ConnectX7 0x1"]) == 'n[1-2],"MT4129 ConnectX7 0x1"'


def test_many_names_of_several_numbers_fold_and_unfold_to_the_same() -> None:
    names = [f"a{r:02}-dgx-{c:02}-c{n:02}" for r in range(1, 9) for c in range(1, 9) for n in range(1, 9)]
    assert sorted(nodesets.expand(nodesets.fold(names))) == names


def test_hosts_are_found_or_the_nearest_are_named() -> None:
    known = ["node001", "node002", "spare one"]
    assert nodesets.find("node[001-002]", known, "--hosts") == ["node001", "node002"]
    assert nodesets.find("spare one", known, "--hosts") == ["spare one"]
    with pytest.raises(LacisError) as error:
        nodesets.find("node[001-004]", known, "--hosts")
    assert str(error.value).startswith(
        "--hosts: 2 of 4 are no hosts of this fabric: node[003-004]; did you mean node00"
    )
    # Of Python the function is named, which the command line turns into its flag.
    assert str(error.value).endswith("; `skipping_absent` leaves them out: node[001-004]")


def test_a_file_has_names_sets_and_lines() -> None:
    text = b'# c\nn[1-2] slots=4\n"spare one"\n0x0002c90000000001\n'
    assert nodesets.listed(text) == [(2, "n1"), (2, "n2"), (3, "spare one"), (4, "0x0002c90000000001")]
    with pytest.raises(LacisError) as error:
        nodesets.listed(b"n1\nn[2\n")
    assert error.value.line == 2


@pytest.mark.parametrize("text", ["@slurm:debug", "@@absent", "node1,@absent:all", "@absent:all!node1"])
def test_a_source_of_groups_that_clustershell_lacks_is_named(text: str) -> None:
    with pytest.raises(LacisError, match=r"^not a set of hosts \(ClusterShell has no source of groups \w+\)"):
        nodesets.expand(text)


def test_a_set_of_brackets_alone_is_refused_at_once() -> None:
    # Looking for the end of each bracket from the bracket on would take hours.
    with pytest.raises(LacisError, match=r"^not a set of hosts \(missing bracket"):
        nodesets.expand("[" * 1_000_000)
