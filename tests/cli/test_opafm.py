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
        f"<RoutingAlgorithm>fattree</RoutingAlgorithm><FatTreeTopology><FIsOnSameTier>1</FIsOnSameTier></FatTreeTopology>{sm}\n"
        f"<AdaptiveRouting>{adaptive}</AdaptiveRouting>\n</Sm><Fe/><Pm/></Common>\n<Fm><Shared/><Sm></Sm><Fe/><Pm/></Fm></Config>\n"
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
    # Lines are broken where the file's name is long.
    out = " ".join(done.out.split())
    for said in ("Threshold 7 = above 55 %", "at most every 256 ms", "(Greedy)", "RoutingAlgorithm fattree"):
        assert said in out
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


def test_a_fat_tree_needs_one_tier_of_hosts_or_its_core_switches(lacis: Lacis, write: Write) -> None:
    # The manager says so in its log and stops, see `_process_xml_config` of its fattree engine; config_check does not.
    on = "<Enable>0</Enable><Algorithm>2</Algorithm>"
    path = write(on)
    path.write_text(path.read_text().replace("<FIsOnSameTier>1<", "<FIsOnSameTier>0<"))
    [one] = findings(lacis, path)
    assert (one["severity"], one["facts"]) == ("error", {"kind": "core_switches_missing"})
    groups = (
        "<DeviceGroups><DeviceGroup><Name>Core</Name><NodeDesc>spine*</NodeDesc></DeviceGroup></DeviceGroups>"
    )
    named = path.read_text().replace("</FatTree", "<CoreSwitches>Core</CoreSwitches></FatTree")
    path.write_text(named.replace("<Shared>", f"{groups}<Shared>", 1))
    assert findings(lacis, path) == []
    # Left out, FIsOnSameTier is 0.
    path.write_text(write(on).read_text().replace("<FIsOnSameTier>1</FIsOnSameTier>", ""))
    [one] = findings(lacis, path)
    assert one["facts"] == {"kind": "core_switches_missing"}


def test_what_is_given_again_counts_and_nothing_else(lacis: Lacis, write: Write) -> None:
    # config_check -d: the checksum of <Enable>0</Enable><Enable>1</Enable> is that of <Enable>1</Enable>.
    path = write("<Enable>0</Enable><Enable>1</Enable><Algorithm>2</Algorithm>")
    said = json.loads(lacis("opafm", path, "--json").out)["files"][0]
    assert said["adaptive_routing"]["enable"] is True
    # Omitted: ARFrequency 4, Threshold 0.
    assert (said["adaptive_routing"]["frequency"], said["adaptive_routing"]["threshold"]) == (4, 0)
    assert "at most every 1024 ms" in lacis("opafm", path).out
    second = "<AdaptiveRouting><Enable>1</Enable><Threshold>5</Threshold></AdaptiveRouting>"
    path = write(
        "<Enable>0</Enable><Algorithm>1</Algorithm>", f"{second}<RoutingAlgorithm>dor</RoutingAlgorithm>"
    )
    text = path.read_text().replace(second, "").replace("</Sm>", f"{second}</Sm>", 1)
    path.write_text(text)
    said = json.loads(lacis("opafm", path, "--json").out)["files"][0]
    settings = said["adaptive_routing"]
    assert (settings["enable"], settings["algorithm"], settings["threshold"]) == (True, 1, 5)
    assert said["routing_algorithm"] == "dor"


def test_per_packet_routing_of_newer_switches_is_known(lacis: Lacis, write: Write) -> None:
    path = write("<Enable>1</Enable><Algorithm>2</Algorithm><FineGrained>1</FineGrained>")
    [one] = findings(lacis, path)
    assert (one["severity"], one["facts"]["kind"]) == ("notice", "tag_newer")
    assert "choose a port for each packet" in lacis("opafm", path).out
    given = json.loads(lacis("simulate", FABRIC, "--opafm", path, "--device", "ideal", "--json").out)
    assert given["adaptive"] == "least"
    old = json.loads(lacis("simulate", FABRIC, "--opafm", path, "--device", "opa100", "--json").out)
    assert old["adaptive"] == "omni-path"


def test_the_articles_change_of_settings_doubles_what_the_two_pairs_get(
    lacis: Lacis, write: Write, cases: Path, tmp_path: Path
) -> None:
    # The article: two pairs share one core switch, 12.4 GB/s together; spread over two, 24.7.
    old = write("<Enable>0</Enable><Algorithm>2</Algorithm>")
    new = write(
        "<Enable>1</Enable><Algorithm>2</Algorithm><ARFrequency>0</ARFrequency><Threshold>7</Threshold>",
        name="new.xml",
    )
    snapshot, pairs = cases / "omnipath" / "collide.xml", cases / "omnipath" / "fig1.pairs"
    words = (
        "opafm",
        "diff",
        old,
        new,
        "--fabric",
        snapshot,
        "--pattern",
        f"file:{pairs}",
        "--bytes",
        "64MB",
    )
    said = json.loads(lacis(*words, "--count", "1", "--seeds", "1", "--json").out)["whatif"]
    assert said["tables"] == str(snapshot)
    assert said["before"]["total"]["mean"] / 1e9 == pytest.approx(12.4, rel=0.02)
    assert said["after"]["total"]["mean"] / 1e9 == pytest.approx(24.7, rel=0.03)
    text = lacis(*words, "--count", "1", "--seeds", "1").out
    assert "all flows together" in text
    # Tables of another file are read, too; the manager's own engine spreads the pairs.
    made = tmp_path / "made.lfts"
    assert lacis("route", snapshot, "-R", "fattree", "-o", made).status == 0
    again = json.loads(lacis(*words, "--count", "1", "--seeds", "1", "--lfts", made, "--json").out)["whatif"]
    assert again["tables"] == str(made)


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
    for words in (
        (),
        (path, path, path),
        (path, "--threshold", "3"),
        (path, "--fabric", FABRIC),
        (path, path, "--lfts", path),
    ):
        assert lacis("opafm", *words).status == 2
    assert lacis("opafm", path, "--instance", "5").status == 2
