"""`lacis opafm`: the manager's configuration checked, explained, compared and tried."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from lacis.omnipath import opafm

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Lacis

    Write = Callable[..., Path]

FABRIC = "fat-tree:4,2:rate=4xOPA100"


def content(adaptive: str, sm: str = "") -> str:
    return (
        "<?xml version='1.0'?>\n<Config>\n<Common>\n<Shared><Priority>0</Priority></Shared>\n<Sm>\n"
        f"<RoutingAlgorithm>fattree</RoutingAlgorithm><FatTreeTopology/>{sm}\n"
        f"<AdaptiveRouting>{adaptive}</AdaptiveRouting>\n</Sm><Fe/><Pm/></Common>\n<Fm><Sm></Sm></Fm></Config>\n"
    )


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def one(adaptive: str, sm: str = "", name: str = "opafm.xml") -> Path:
        path = tmp_path / name
        path.write_text(content(adaptive, sm))
        return path

    return one


def findings(lacis: Lacis, path: Path) -> list[dict[str, Any]]:
    done = lacis("opafm", path, "--json")
    found: list[dict[str, Any]] = json.loads(done.out)["files"][0]["findings"]
    assert done.status == int(any(one["severity"] != "notice" for one in found))
    assert lacis("opafm", path).status == done.status
    return found


def test_what_it_says_is_explained_in_words(lacis: Lacis, write: Write) -> None:
    path = write(
        "<Enable>1</Enable><Algorithm>1</Algorithm><ARFrequency>2</ARFrequency><Threshold>7</Threshold>"
    )
    done = lacis("opafm", path)
    assert done.status == 0
    for said in ("Threshold 7 = above 55 %", "at most every 256 ms", "(Greedy)", "RoutingAlgorithm fattree"):
        assert said in done.out
    off = lacis("opafm", write("<Enable>0</Enable><Algorithm>2</Algorithm>"))
    assert "Adaptive routing is off" in off.out


def test_what_config_check_passes_silently_is_a_warning(lacis: Lacis, write: Write) -> None:
    on = "<Enable>1</Enable><Algorithm>2</Algorithm>"
    for adaptive, sm, said in (
        (f"{on}<ARFrequency>12</ARFrequency>", "", "ARFrequency 12"),
        (on, "<SpineFirstRouting>7</SpineFirstRouting>", "SpineFirstRouting 7"),
        (on, "<RoutingAlgorythm>fattree</RoutingAlgorythm>", "is RoutingAlgorithm"),
    ):
        [one] = findings(lacis, write(adaptive, sm))
        assert one["severity"] == "warning"
        assert said in one["text"]
    [one] = findings(lacis, write("<Enable>1</Enable>"))
    assert (one["severity"], one["line"]) == ("error", 7)


def test_two_files_are_compared(lacis: Lacis, write: Write) -> None:
    old = write("<Enable>0</Enable><Algorithm>2</Algorithm><Threshold>3</Threshold>")
    new = write("<Enable>1</Enable><Algorithm>2</Algorithm><Threshold>7</Threshold>", name="new.xml")
    for words in (("opafm", old, new), ("opafm", "diff", old, new)):
        done = lacis(*words, "--json")
        assert done.status == 1
        assert json.loads(done.out)["changes"] == [
            {"path": "Common/Sm/AdaptiveRouting/Enable", "old": "0", "new": "1"},
            {"path": "Common/Sm/AdaptiveRouting/Threshold", "old": "3", "new": "7"},
        ]
    assert lacis("opafm", old, old).status == 0


def test_a_change_is_tried_on_a_fabric_with_several_seeds(lacis: Lacis, write: Write) -> None:
    old = write("<Enable>0</Enable><Algorithm>2</Algorithm>")
    new = write("<Enable>1</Enable><Algorithm>2</Algorithm><Threshold>7</Threshold>", name="new.xml")
    words = ("opafm", "diff", old, new, "--fabric", FABRIC, "--pattern", "permutation", "--seeds", "3")
    tried = json.loads(lacis(*words, "--ar-period", "20us", "--json").out)["whatif"]
    assert (tried["engine_used"], tried["seeds"], tried["provenance"]) == ("fattree", 3, "modelled")
    assert tried["before"]["moved"] == {"mean": 0.0, "margin": 0.0}
    assert tried["after"]["moved"]["mean"] > 0
    for name, change in tried["change"].items():
        difference = tried["after"][name]["mean"] - tried["before"][name]["mean"]
        assert change["mean"] == pytest.approx(difference, rel=1e-9, abs=1e-9)
    text = lacis(*words).out
    assert "modelled" in text
    assert "95 % interval" in text
    assert "assumed" in text


def test_the_margin_is_students() -> None:
    # Of 1, 2, 3: mean 2, standard deviation 1, t of 2 degrees of freedom 4.303: 4.303 / √3.
    assert opafm.Estimate.of([1.0, 2.0, 3.0]).margin == pytest.approx(4.303 / 3**0.5, rel=2e-3)
    assert opafm.Estimate.of([1.0]) == opafm.Estimate(1.0, None)


def test_a_block_that_is_emitted_reads_as_it_was(lacis: Lacis, tmp_path: Path) -> None:
    done = lacis("opafm", "--emit", "--enable", "1", "--threshold", "7", "--algorithm", "0")
    path = tmp_path / "opafm.xml"
    path.write_text(f"<Config><Common><Sm>{done.out}</Sm></Common></Config>")
    assert opafm.settings(opafm.read(path)) == opafm.Settings(enable=True, algorithm=0, threshold=7)
    again = lacis("opafm", "--emit", path, "--frequency", "3")
    assert "<ARFrequency>3</ARFrequency>" in again.out
    assert "<Threshold>7</Threshold>" in again.out


def test_a_simulation_takes_its_adaptive_routing_from_the_file(lacis: Lacis, write: Write) -> None:
    path = write(
        "<Enable>1</Enable><Algorithm>1</Algorithm><ARFrequency>1</ARFrequency><Threshold>6</Threshold>"
    )
    given = json.loads(lacis("simulate", FABRIC, "--opafm", path, "--ar-period", "10us", "--json").out)
    words = ("--adaptive", "omni-path", "--ar-algorithm", "1", "--ar-threshold", "6", "--ar-period", "20us")
    typed = json.loads(lacis("simulate", FABRIC, *words, "--json").out)
    assert given["opafm"] == str(path)
    assert (given["times"], given["moved"]) == (typed["times"], typed["moved"])
    off = lacis("simulate", FABRIC, "--opafm", write("<Enable>0</Enable><Algorithm>1</Algorithm>"), "--json")
    assert json.loads(off.out)["adaptive"] == "off"
    assert lacis("simulate", FABRIC, "--opafm", path, "--adaptive", "least").status == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the input is empty"),
        ("<Report/>", ":1: <Report> is no opafm.xml"),
        ("<Config>\n<Common>", ":2: the file ends inside <Common>"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>\n<Config>&b;</Config>', ":1: a DOCTYPE"),
    ],
)
def test_bad_files_are_one_line_and_exit_2(lacis: Lacis, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "opafm.xml"
    path.write_text(text)
    done = lacis("opafm", path)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert said in done.err


def test_options_that_do_not_go_together_are_refused(lacis: Lacis, write: Write) -> None:
    path = write("<Enable>0</Enable><Algorithm>2</Algorithm>")
    for words in ((), (path, path, path), (path, "--threshold", "3"), (path, "--fabric", FABRIC)):
        assert lacis("opafm", *words).status == 2
    assert lacis("opafm", path, "--instance", "5").status == 2
