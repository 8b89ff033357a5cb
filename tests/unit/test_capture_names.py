"""What hosts and switches are called in an archive, and what of texts is replaced."""

from __future__ import annotations

import lacis
import pytest
from lacis import _core
from lacis.capture.names import Pseudonyms


@pytest.fixture
def names() -> Pseudonyms:
    return Pseudonyms(None, ["cn1", "cn10", "cn2", "Login", "n1", "spine", "cn1-gpu", ""])


def test_hosts_are_numbered_in_the_order_of_their_names(names: Pseudonyms) -> None:
    assert names.new == {
        "Login": "host-0001",
        "cn1": "host-0002",
        "cn1-gpu": "host-0003",
        "cn2": "host-0004",
        "cn10": "host-0005",
        "n1": "host-0006",
        "spine": "host-0007",
    }
    assert names.kept == ["n1", "spine"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cn1 cn10,cn2", "host-0002 host-0005,host-0004"),
        ("LOGIN: login.site.org; cn1.site:22", "host-0001: host-0001; host-0002:22"),
        # A name within a longer one, or in a word, is another.
        ("cn100 acn1 cn1a cn12", "cn100 acn1 cn1a cn12"),
        ("cn1-gpu", "host-0003"),
        # What is put before and after names says no less whose they are.
        (
            "cn1-ib0 cn1_hca mgmt-cn1 ib_cn2 /cn2/",
            "host-0002-ib0 host-0002_hca mgmt-host-0002 ib_host-0004 /host-0004/",
        ),
        # Too short, and a word of the formats.
        ("n1 spine", "n1 spine"),
        ("", ""),
    ],
)
def test_names_in_texts(names: Pseudonyms, text: str, expected: str) -> None:
    assert names.text(text) == expected


def test_a_host_has_its_name_however_it_is_written(names: Pseudonyms) -> None:
    said = [names.host(name) for name in ("cn1", "CN1.site.org", "n1", "login", "other")]
    assert said == ["host-0002", "host-0002", "host-0006", "host-0001", "host"]


def test_a_host_with_a_domain_is_called_without_one_too() -> None:
    names = Pseudonyms(None, ["cn1.east.org", "cn1.west.org", "cn2.east.org", "ab.east.org"])
    assert list(names.new.values()) == [f"host-{number:04}" for number in range(1, 5)]
    new = {name: names.new[name] for name in sorted(names.new)}
    assert names.text("cn1.west.org cn2.east.org") == f"{new['cn1.west.org']} {new['cn2.east.org']}"
    # Of two hosts that are called so the first one is meant.
    assert (
        names.text("CN2: cn1, cn2.local")
        == f"{new['cn2.east.org']}: {new['cn1.east.org']}, {new['cn2.east.org']}"
    )
    assert names.host("cn2") == names.host("cn2.east.org") == names.host("cn2.other") == new["cn2.east.org"]
    assert names.host("cn1.west.org") == new["cn1.west.org"]
    # Two letters are parts of other words.
    assert (names.text("ab ab.east.org"), names.kept) == (f"ab {new['ab.east.org']}", ["ab"])


def test_nothing_to_replace_replaces_nothing() -> None:
    assert Pseudonyms(None).text("cn1") == "cn1"


def test_a_fabric_has_the_new_names_and_is_cabled_as_before() -> None:
    fabric = lacis.read("fat-tree:4,2")
    names = Pseudonyms(fabric, ["node0001"])
    new = names.fabric(fabric)
    assert new.descriptions()[:6] == [f"switch-{number:04}" for number in range(1, 7)]
    assert new.descriptions()[6:] == [f"host-{number:04} HCA-1" for number in range(1, 9)]
    assert new.guids().tolist() == fabric.guids().tolist()
    assert new.cables().tolist() == fabric.cables().tolist()
    assert names.text("leaf-01[3] node0008 HCA-1") == "switch-0001[3] host-0008 HCA-1"


def test_switches_are_numbered_in_the_order_of_their_names_and_alike_where_they_have_one() -> None:
    net = lacis.read("fat-tree:4,2").to_net()
    for old, new in (
        ("leaf-01", "sw10"),
        ("leaf-02", "sw2"),
        ("leaf-03", "sw2"),
        ("node0001 HCA-1", "node0001"),
    ):
        net = net.replace(f'"{old}"', f'"{new}"')
    fabric = _core.read_fabric(net.encode())
    called = dict(zip(fabric.descriptions(), Pseudonyms(fabric).fabric(fabric).descriptions(), strict=True))
    # leaf-04, spine-01, spine-02, and then the two called sw2, and sw10.
    assert {old: called[old] for old in ("leaf-04", "spine-02", "sw2", "sw10")} == {
        "leaf-04": "switch-0001",
        "spine-02": "switch-0003",
        "sw2": "switch-0004",
        "sw10": "switch-0006",
    }
    # An adapter that is called as its host has no name of its own.
    assert called["node0001"] == "host-0001"
    assert called["node0002 HCA-1"] == "host-0002 HCA-1"
