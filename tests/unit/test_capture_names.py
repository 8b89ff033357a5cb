"""What hosts and switches are called in an archive, and what of texts is replaced."""

from __future__ import annotations

import lacis
import pytest
from lacis.capture.names import Pseudonyms

NAMES = Pseudonyms(None, ["cn1", "cn10", "cn2", "Login", "n1", "spine", "cn1-gpu", ""])


def test_hosts_are_numbered_in_the_order_of_their_names() -> None:
    assert NAMES.new == {
        "Login": "host-0001",
        "cn1": "host-0002",
        "cn1-gpu": "host-0003",
        "cn2": "host-0004",
        "cn10": "host-0005",
        "n1": "host-0006",
        "spine": "host-0007",
    }
    assert NAMES.kept == ["n1", "spine"]


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
def test_names_in_texts(text: str, expected: str) -> None:
    assert NAMES.text(text) == expected


def test_a_host_has_its_name_however_it_is_written() -> None:
    said = [NAMES.host(name) for name in ("cn1", "CN1.site.org", "n1", "login", "other")]
    assert said == ["host-0002", "host-0002", "host-0006", "host-0001", "host"]


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
