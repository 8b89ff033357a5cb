"""`lacis rails`: planes, rails and leaves of hosts, and what is wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def shown(lacis: Lacis, *args: str | Path) -> dict[str, Any]:
    result = lacis("rails", *args, "--json")
    assert result.status == 0, result.err
    found: dict[str, Any] = json.loads(result.out)
    return found


def codes(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(finding["code"], finding["where"]) for finding in found["findings"]]


def test_the_rails_of_the_dgx_cluster_are_those_of_its_plan(lacis: Lacis, dgx: Path) -> None:
    # Leaves are called ROW-P1-IBLEAF-RAIL-RACK: the third number is the rail that it serves.
    found = shown(lacis, dgx)
    assert found["rail_optimised"]
    assert len(found["leaves"]) == 31
    assert all(leaf["rail"] == int(leaf["leaf"].split("-")[3]) for leaf in found["leaves"])
    rail_of = {
        "HCA-1": 1,
        "HCA-2": 2,
        "HCA-5": 3,
        "HCA-6": 4,
        "mlx5_0": 1,
        "mlx5_1": 2,
        "mlx5_4": 3,
        "mlx5_5": 4,
    }
    wrong = {
        host["host"]
        for host in found["hosts"]
        if "-dgx-" in host["host"]
        for adapter in host["adapters"]
        if adapter["rail"] != rail_of[adapter["label"]]
    }
    assert wrong == {"b08-p1-dgx-08-c01"}
    lacking = [h["host"] for h in found["hosts"] if "-dgx-" in h["host"] and len(h["adapters"]) < 4]
    assert len(lacking) == 18  # 10 named, 7 inferred, and `localhost`, which is c10
    assert {("RAIL_CROSSED", "b08-p1-dgx-08-c01")} < set(codes(found))
    [missing] = [finding for finding in found["findings"] if finding["code"] == "RAIL_MISSING"]
    assert sorted(end["node"] for end in missing["ends"]) == sorted(lacking)


def test_planes_in_two_files_are_those_of_one_machine(lacis: Lacis, tmp_path: Path) -> None:
    whole = shown(lacis, "fat-tree:8,2:rails=2")
    parts = []
    for rail in (1, 2):
        parts.append(tmp_path / f"plane{rail}.json")
        other = 3 - rail
        gone = [f"rail{other}-leaf-*", f"rail{other}-spine-*"]
        written = lacis(
            "fabric", "fat-tree:8,2:rails=2", *(w for g in gone for w in ("--without", g)), "-o", parts[-1]
        )
        assert written.status == 0
    joined = shown(lacis, *parts)
    for key in ("planes", "rails", "leaves"):
        assert len(joined[key]) == len(whole[key])
    assert [host["host"] for host in joined["hosts"]] == [host["host"] for host in whole["hosts"]]
    assert all(
        {a["plane"] for a in host["adapters"]} == {1, 2}
        for host in joined["hosts"]
        if len(host["adapters"]) == 2
    )


def test_hosts_of_generated_planes_meet_by_name(lacis: Lacis, tmp_path: Path) -> None:
    # Two trees of 32 hosts with the same names: 32 hosts with an adapter in each.
    written = tmp_path / "both.json"
    found = shown(lacis, "fat-tree:8,2", "fat-tree:8,2", "-o", written)
    assert len(found["hosts"]) == 32
    assert [plane["hosts"] for plane in found["planes"]] == [32, 32]
    assert [rail["planes"] for rail in found["rails"]] == [[1], [2]]
    assert found["findings"] == []
    assert shown(lacis, written)["planes"] == found["planes"]


def test_one_dump_given_twice_is_refused_with_the_names_of_the_files(lacis: Lacis, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    lacis("fabric", "fat-tree:4,2", "-o", path)
    result = lacis("rails", path, path)
    assert result.status == 2
    assert result.err.count("\n") == 1
    assert "fabric 2 of the list is no plane beside fabric 1: both have all its switches" in result.err
    assert f"2 is {path}" in result.err


@pytest.mark.parametrize(
    ("prefixes", "expected"),
    [
        (("0xfe80000000000000", "0xfe80000000000000"), ["PREFIX_SAME"]),
        (("0xfe80000000000000", "0xfe80000000000001"), []),
        (("sm1.conf", "fm2.xml"), []),
        (("sm1.conf", "sm1.conf"), ["PREFIX_SAME"]),
    ],
)
def test_planes_with_one_subnet_prefix_are_reported(
    lacis: Lacis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    prefixes: tuple[str, ...],
    expected: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sm1.conf").write_text("# comment\nsubnet_prefix 0xfe80000000000011\n")
    (tmp_path / "fm2.xml").write_text(
        "<Fm><!-- <SubnetPrefix>0x1</SubnetPrefix> --><SubnetPrefix>0xfe80000000000012</SubnetPrefix></Fm>"
    )
    options = [word for prefix in prefixes for word in ("--subnet-prefix", prefix)]
    found = shown(lacis, "fat-tree:4,2:rails=2", *options)
    assert [finding["code"] for finding in found["findings"]] == expected
    status = lacis("rails", "fat-tree:4,2:rails=2", *options, "--strict").status
    assert status == len(expected)


def test_prefixes_of_snapshots_count_unless_others_are_given(lacis: Lacis, tmp_path: Path) -> None:
    def snapshot(name: str, seed: str, prefix: str) -> Path:
        path = tmp_path / name
        words = ("route", "fat-tree:4,2:rate=4xOPA100", "--shuffle-guids", seed, "-R", "fattree")
        assert lacis(*words, "-o", tmp_path / "tables", "--snapshot", path).status == 0
        # The default prefix of managers is taken where the fabric has none.
        text = path.read_text()
        assert "<SubnetPrefix>0xfe80000000000000<" in text
        path.write_text(text.replace("<SubnetPrefix>0xfe80000000000000<", f"<SubnetPrefix>{prefix}<"))
        return path

    one = snapshot("one.xml", "1", "0xfe80000000000001")
    same = snapshot("same.xml", "2", "0xfe80000000000001")
    other = snapshot("other.xml", "3", "0xfe80000000000002")
    for planes, options, prefixes, expected in (
        ((one, other), (), [("0xfe80000000000001", "dump"), ("0xfe80000000000002", "dump")], False),
        ((one, same), (), [("0xfe80000000000001", "dump"), ("0xfe80000000000001", "dump")], True),
        (
            (one, same),
            ("--subnet-prefix", "0x7"),
            [("0x0000000000000007", "option"), ("0xfe80000000000001", "dump")],
            False,
        ),
    ):
        found = shown(lacis, *planes, *options)
        assert [(plane["prefix"], plane["prefix_from"]) for plane in found["planes"]] == prefixes
        assert ("PREFIX_SAME" in [code for code, _ in codes(found)]) == expected
    bare = shown(lacis, "fat-tree:4,2:rails=2")
    assert [(plane["prefix"], plane["prefix_from"]) for plane in bare["planes"]] == [(None, None)] * 2
    # What snapshots say reaches the libraries' rules too: PSM2 takes the planes for one network.
    env = tmp_path / "env"
    env.write_text("PSM2_MULTIRAIL=0\n")
    for planes, said in (((one, same), "EP connect error"), ((one, other), "on a different subnet")):
        assert said in " ".join(lacis("rails", "check", env, *planes).out.split())


def test_adapters_on_omni_path_links_are_omni_paths_whatever_they_are_called(
    lacis: Lacis, tmp_path: Path
) -> None:
    env = tmp_path / "env"
    env.write_text("PSM2_MULTIRAIL=1\n")
    # Generated adapters are called HCA-1 and HCA-2; their links show what they are.
    done = lacis("rails", "check", env, "fat-tree:4,2:rails=2:rate=4xOPA100")
    assert (done.status, "InfiniBand" in done.out) == (0, False), done.out
    assert lacis("rails", "check", env, "fat-tree:4,2:rails=2", "--stack", "psm2").status == 1


def test_of_an_opafm_xml_the_instances_that_are_started_count(lacis: Lacis, tmp_path: Path) -> None:
    # As it is shipped: four instances, of which the first is started.
    fm = "<Fm><Shared><Start>{}</Start><SubnetPrefix>0xfe8000000000000{}</SubnetPrefix></Shared></Fm>"
    path = tmp_path / "opafm.xml"
    path.write_text("<Config>" + "".join(fm.format(int(n == 1), n) for n in (0, 1, 2)) + "</Config>")
    found = shown(lacis, "fat-tree:4,2:rails=2", "--subnet-prefix", path)
    assert found["planes"][0]["prefix"] == "0xfe80000000000001"
    path.write_text("<Config>" + fm.format(1, 1) + fm.format(1, 2) + "</Config>")
    wrong = lacis("rails", "fat-tree:4,2:rails=2", "--subnet-prefix", path)
    assert (wrong.status, "names several subnet prefixes" in wrong.err) == (2, True)


def test_what_is_no_prefix_or_one_too_many_is_refused(lacis: Lacis) -> None:
    for options, words in (
        (("--subnet-prefix", "7"), "a subnet prefix is a number such as"),
        (("--subnet-prefix", "0x1") * 3, "given 3 times, and there are 2 planes"),
        (("--subnet-prefix", "missing.conf"), "missing.conf: no such file"),
    ):
        result = lacis("rails", "fat-tree:4,2:rails=2", *options)
        assert (result.status, words in result.err) == (2, True), result.err


def test_text_lists_the_hosts_that_are_asked_for(lacis: Lacis) -> None:
    out = lacis("rails", "fat-tree:8,2:rails=2", "--host", "node[0003-0004]").out
    assert lacis("rails", "fat-tree:8,2:rails=2", "--host", "node0003", "--host", "node0004").out == out
    assert out.count("node0003") == 2
    assert "node0005" not in out
    assert "rail-optimised" in out
    wrong = lacis("rails", "fat-tree:8,2:rails=2", "--host", "nod0003")
    assert (wrong.status, "node0003" in wrong.err) == (2, True)


@pytest.mark.slow
def test_the_report_tells_of_rails(lacis: Lacis, tmp_path: Path) -> None:
    # The adapters of node0003 are called each by the other's name.
    net, page = tmp_path / "two.net", tmp_path / "report.html"
    lacis("fabric", "fat-tree:8,2:rails=2", "-o", net)
    text = net.read_text()
    first, second = "node0003 HCA-1", "node0003 HCA-2"
    assert first in text
    net.write_text(text.replace(first, "@@").replace(second, first).replace("@@", second))
    assert ("RAIL_CROSSED", "node0003") in codes(shown(lacis, net))
    assert lacis("report", net, "-o", page).status == 0
    assert "RAIL_CROSSED" in page.read_text()


def test_nccl_says_which_adapters_a_host_lacks_and_whose_tables_are_assumed(lacis: Lacis) -> None:
    done = lacis("rails", "nccl", "fat-tree:4,2:rails=2", "--without", "node0003 HCA-2")
    assert "  node0003 lacks adapter 2\n" in done.out
    assert "tables: minhop's (assumed: neither -R nor --lfts is given)" in " ".join(done.out.split())
