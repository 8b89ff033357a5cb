"""`lacis predict` as users run it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import lacis as api
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def test_json_has_the_keys_that_others_build_on(lacis: Lacis) -> None:
    result = lacis(
        "predict", "fat-tree:8,2", "-R", "ftree", "--traffic", "bisection", "--patterns", "20", "--json"
    )
    content = json.loads(result.out)
    assert (result.status, next(iter(content))) == (0, "schema")
    assert content["schema"] == "lacis.predict/1"
    asked = [content[key] for key in ("model", "traffic", "patterns", "seed")]
    assert asked == ["load", "bisection", 20, 1]
    assert set(content["relative_bandwidth"]) == {"mean", "min", "max", "p01", "p50", "p99"}
    assert content["mean_max_contention"] <= content["max_contention"]
    assert content["flows"] == 20 * 16
    for hot in content["hottest"]:
        assert len(hot["flows"]) == hot["contention"]
        assert " → " in hot["link"]


def _collision(tmp_path: Path) -> Path:
    """Tables of the `article` fabric that send everything between the edges over core 2 (edge port 26)."""
    path = tmp_path / "forced.lfts"
    api.write_tables(api.route(api.read("article"), "minhop"), path)
    path.write_text(path.read_text().replace(" 025 # ", " 026 # "))  # of a core it is an unused one
    return path


def test_a_forced_collision_halves_two_pairs(lacis: Lacis, tmp_path: Path) -> None:
    # Two pairs over one inter-switch link: that link full, the host links half used, core 1 idle, 12.5 GB/s
    # in all; a host alone is assumed to reach 12.38 GB/s, 99.04 % of its link.
    pairs = tmp_path / "pairs"
    pairs.write_text("NodeA NodeC\nNodeB NodeD  # at once\n")
    tables = _collision(tmp_path)
    base = (
        "predict",
        "article",
        "--lfts",
        tables,
        "--traffic",
        f"file:{pairs}",
        "--model",
        "fluid",
        "--json",
    )
    result = lacis(*base, "--host-efficiency", "0.9904")
    assert (result.status, result.err) == (0, "")
    content = json.loads(result.out)
    assert 12.38e9 <= content["bandwidth"]["total"] <= 12.5e9 + 1
    used = {hot["link"].split(" → ")[0]: hot["utilisation"] for hot in content["hottest"]}
    assert used["edge1[26]"] == pytest.approx(1, abs=0.01)
    assert used["core2[2]"] == pytest.approx(1, abs=0.01)
    assert used["NodeA hfi1_0[1]"] == pytest.approx(0.5, abs=0.01)
    assert not any("core1" in link for link in used)


def test_text_says_what_is_modelled_and_assumed(lacis: Lacis) -> None:
    args = ("predict", "fat-tree:8,2", "--traffic", "permutation", "--patterns", "5", "--model", "fluid")
    out = lacis(*args, "--host-efficiency", "0.9").out
    assert "modelled: max-min fair shares" in out
    assert "assumed: hosts use 90.00%" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--traffic", "bisektion"), 'lacis: unknown traffic pattern "bisektion" (did you mean bisection?)'),
        (("--traffic", "shift:99"), 'lacis: traffic pattern "shift:99": distance 99 is not between 1 and 31'),
        (("--traffic", "leaf-offset:leaves=9"), "leaf 9 is not between 0 and 7"),
        (("--traffic", "file:/nowhere/pairs"), "lacis: /nowhere/pairs: no such file or directory"),
        (
            ("--host-order", "rank"),
            'lacis: unknown order "rank"; there are name, lid, topology, eventree, eventree-exchanges and file:PATH',
        ),
        (("--rail", "7"), "lacis: no adapter on rail 7"),
        (("-R", "minhopp"), "minhop"),
    ],
)
def test_nonsense_is_one_line_and_exit_2(lacis: Lacis, args: tuple[str, ...], message: str) -> None:
    result = lacis("predict", "fat-tree:8,2", *args)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_bad_line_of_pairs_is_named(lacis: Lacis, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs"
    pairs.write_text("# who\nnodeX nodeY\n")
    result = lacis("predict", "fat-tree:8,2", "--traffic", f"file:{pairs}")
    assert result.status == 2
    assert result.err.startswith(f"lacis: {pairs}:2: no such host")


def test_flows_without_a_route_are_counted_and_the_answer_is_no(lacis: Lacis) -> None:
    # updn with automatic roots leaves pairs of this fabric without a route.
    result = lacis("predict", "itasca:67", "-R", "updn", "--traffic", "alltoall", "--json")
    content = json.loads(result.out)
    assert (result.status, content["unrouted"] + content["flows"]) == (1, 1072 * 1071)
    assert content["unrouted"] == 132_096


def test_topological_order_suits_the_tables_of_ftree_whatever_the_guids(lacis: Lacis) -> None:
    for order, contention in (("topology", 1), ("lid", 2)):
        args = (
            "predict",
            "fat-tree:8,2",
            "--shuffle-guids",
            "3",
            "-R",
            "ftree",
            "--traffic",
            "shift",
            "--json",
        )
        content = json.loads(lacis(*args, "--host-order", order).out)
        assert (content["max_contention"] == 1) == (contention == 1), order


@pytest.mark.parametrize("model", ["load", "fluid"])
def test_all_shifts_come_with_their_bound_where_flows_are_counted(lacis: Lacis, model: str) -> None:
    # Each of 8 leaves has 3 uplinks for 4 hosts; in the fluid model rates of links are a bound, too.
    fabric = ("fat-tree:8,2", "--without", "spine-01")
    asked = ("predict", *fabric, "-R", "eventree", "--traffic", "shift", "--model", model)
    document = json.loads(lacis(*asked, "--json").out)
    assert ("shifts_at_most" in document) == (model == "load")
    assert ("shifts have 0.799 of the link rate at most" in lacis(*asked).out) == (model == "load")
    if model == "load":
        assert (
            document["relative_bandwidth"]["mean"]
            <= document["shifts_at_most"]["mean"]
            == pytest.approx(1 - 25 / 124)
        )


@pytest.mark.parametrize("lmc", [0, 1, 2])
def test_all_to_all_is_sent_to_one_lid_of_each_port(lacis: Lacis, lmc: int) -> None:
    # Each leaf sends 4 * 28 flows over 4 uplinks; a host's link has 31. Both models count so.
    args = ["predict", "fat-tree:8,2", "-l", str(lmc), "--traffic", "alltoall", "--json"]
    found = [json.loads(lacis(*args, *more).out) for more in ([], ["--model", "fluid"])]
    assert [row["max_contention"] for row in found] == [31, 31]
