"""`lacis opensm conf`: the lines of opensm.conf for Lacis' engines, checked before anyone loads them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Lacis

TREE = "fat-tree:8,2"


def lines(text: str) -> list[str]:
    """What OpenSM reads of a configuration."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize(
    ("typed", "listed"),
    [
        ("eventree", "lacis-eventree,lacis-numbered,minhop"),
        ("lacis-eventree", "lacis-eventree,lacis-numbered,minhop"),
        ("lacis-eventree,minhop", "lacis-eventree,minhop"),
        ("minhop", "lacis-minhop,lacis-numbered,minhop"),
        ("numbered", "lacis-numbered,minhop"),
        ("minhop,minhop", "lacis-minhop,minhop"),
        ("ftree, updn", "lacis-ftree,updn"),
        ("ftree,eventree", "lacis-ftree,lacis-eventree,lacis-numbered,minhop"),
        ("ftree,lacis-updn,dnup", "lacis-ftree,lacis-updn,dnup"),
        ("FTree", "lacis-ftree,lacis-numbered,minhop"),
    ],
)
def test_the_first_engine_is_lacis_and_opensms_own_take_over(lacis: Lacis, typed: str, listed: str) -> None:
    done = lacis("opensm", "conf", TREE, "--engine", typed)
    assert (done.status, done.err) == (0, "")
    assert lines(done.out) == ["event_plugin_name osmlacis", f"routing_engine {listed}"]
    added = listed.split(",")[len(typed.split(",")) :]
    one = len(typed.split(",")) == 1
    after, come, fail = (
        "it" if one else "them",
        "comes" if len(added) == 1 else "come",
        "it fails" if one else "they fail",
    )
    said = f"After {after} {come} {' and '.join(added)}, for where {fail}."
    assert (said in " ".join(done.out.replace("#", "").split())) == bool(added)


def test_without_a_fall_back_opensm_is_configured_so(lacis: Lacis) -> None:
    done = lacis("opensm", "conf", TREE, "-R", "eventree,updn", "--no-fallback")
    assert lines(done.out)[1] == "routing_engine lacis-eventree,updn,no_fallback"
    assert "a subnet without any does not" in done.out


def test_options_are_opensms_keys_and_files_have_whole_paths(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roots").write_text(_spines())
    done = lacis(
        *("opensm", "conf", TREE, "-R", "updn", "-a", "roots", "-z", "-H", "0", "-l", "1", "--vls", "8"),
        *(
            "--prove",
            "hosts",
            "--time",
            "60",
            "--memory",
            "100",
            "--threads",
            "2",
            "--report",
            "sweeps.jsonl",
        ),
    )
    assert done.status == 0, done.err
    assert lines(done.out) == [
        "event_plugin_name osmlacis",
        f"event_plugin_options prove=hosts memory=100 threads=2 report={tmp_path}/sweeps.jsonl",
        "routing_engine lacis-updn,lacis-numbered,minhop",
        f"root_guid_file {tmp_path}/roots",
        "max_reverse_hops 0",
        "connect_roots TRUE",
        "lmc 1",
        "max_op_vls 4",
    ]


@pytest.mark.parametrize(
    ("options", "needs"),
    [
        (["-R", "dfsssp"], True),
        (["-R", "lash"], True),
        (["-R", "nue"], False),
        (["-R", "nue", "--nue-max-num-vls", "0"], True),
        (["-R", "numbered", "--nue-max-num-vls", "2"], True),
        (["-R", "numbered", "--nue-max-num-vls", "1"], False),
        (["-R", "numbered,dfsssp"], True),
        (["-R", "updn"], False),
    ],
)
def test_engines_that_use_lanes_need_qos(lacis: Lacis, options: list[str], needs: bool) -> None:
    done = lacis("opensm", "conf", TREE, *options)
    assert done.status == 0
    assert ("qos TRUE" in lines(done.out)) == needs
    assert ("Checked with 8 data lanes" in " ".join(done.out.replace("\n#", "").split())) == needs


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        # One leaf has a cable less than the others.
        (
            ["fat-tree:8,2", "--without", "random-cables=1,seed=1", "-R", "ftree,updn"],
            "lacis: lacis-ftree refuses: Different number of upward port groups",
        ),
        # Shortest paths on a torus wait for each other in a circle; nothing is proved of OpenSM's own.
        (["torus:4x4", "-R", "minhop"], "lacis: lacis-minhop leaves a credit loop, for example over switch-"),
        # The roots that updn finds leave pairs of hosts apart: docs/howto/choose-an-engine.md.
        (["itasca:67", "-R", "updn"], "lacis: lacis-updn loses 132096 of 1148112 pairs, for example from "),
    ],
)
def test_what_the_plugin_would_refuse_is_the_answer_no(lacis: Lacis, arguments: list[str], said: str) -> None:
    done = lacis("opensm", "conf", *arguments)
    assert (done.status, done.out) == (1, "")
    serves = arguments[-1].split(",")[-1] if "," in arguments[-1] else "lacis-numbered"
    assert done.err.startswith(said)
    assert done.err.endswith(f"; {serves} would serve\n")


def test_where_no_engine_is_left_tables_stay(lacis: Lacis) -> None:
    done = lacis("opensm", "conf", "torus:4x4", "-R", "minhop,lacis-ftree", "--no-fallback")
    assert done.status == 1
    assert done.err.count("lacis-") == 2
    assert done.err.endswith("no engine is left, and tables would stay as they are\n")


def test_credit_loops_pass_where_delivery_alone_is_proved(lacis: Lacis) -> None:
    done = lacis("opensm", "conf", "torus:4x4", "-R", "minhop", "--prove", "delivery")
    assert done.status == 0
    # 16 nodes: 16 * 15 pairs. Shortest paths round a ring of four wait for each other.
    assert re.search(r"all 240 pairs of end nodes are delivered; (a|\d+) credit loops?", done.out)
    done = lacis("opensm", "conf", "torus:4x4", "-R", "minhop", "--prove", "nothing", "--json")
    assert (done.status, json.loads(done.out)["proof"]) == (0, None)


def test_pairs_that_no_cables_join_are_no_ones_loss(lacis: Lacis) -> None:
    """Two equal planes of 8 adapters, each with a manager of its own: 2 * 8 * 7 pairs."""
    done = lacis("opensm", "conf", "fat-tree:4,2:rails=2", "-R", "eventree", "--json")
    proof = json.loads(done.out)["proof"]
    assert done.status == 0
    assert (proof["pairs"], proof["verdicts"]["delivered"], proof["apart"]) == (240, 112, 128)


def test_the_configuration_there_is_stays_where_it_can_and_is_shown(lacis: Lacis, tmp_path: Path) -> None:
    roots, now = tmp_path / "roots", tmp_path / "opensm.conf"
    roots.write_text(_spines())
    now.write_text(
        f"routing_engine ftree,updn\nroot_guid_file {roots}\nevent_plugin_name perf\n"
        "event_plugin_options interval=5 prove=hosts\nqos_sl2vl 0,0\nsm_priority 3\n"
    )
    done = lacis("opensm", "conf", TREE, "--opensm-conf", now)
    assert done.status == 0
    assert lines(done.out) == [
        "event_plugin_name perf,osmlacis",
        "event_plugin_options interval=5",
        "routing_engine lacis-ftree,updn",
        f"root_guid_file {roots}",
    ]
    back = done.out.partition("To go back")[2].splitlines()
    assert back[-3:] == [
        "#   event_plugin_name perf",
        "#   event_plugin_options interval=5 prove=hosts",
        "#   routing_engine ftree,updn",
    ]

    other = lacis("opensm", "conf", TREE, "--opensm-conf", now, "-R", "dfsssp")
    assert "qos_sl2vl 0,0: lanes are proved with service level N on lane N" in other.err
    assert other.out.endswith("# and take out: qos\n")

    now.write_text("\n".join(lines(done.out)))
    again = lacis("opensm", "conf", TREE, "--opensm-conf", now, "--json")
    assert json.loads(again.out)["before"] == {}
    assert lacis("verify", TREE, "--opensm-conf", now).out.startswith("Tables of ftree\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "-R names no engine, nor does an opensm.conf"),
        (["-R", "even"], 'unknown routing engine "even"'),
        (["-R", "lacis-even"], 'unknown routing engine "even"'),
        (["-R", "eventree,"], 'unknown routing engine ""'),
        (["-R", "dfsssp", "--vls", "3"], "max_op_vls knows 1, 2, 4, 8 and 15 data lanes, not 3"),
        (["-R", "ftree", "-a", "absent"], "absent: no such file"),
        (["-R", "ftree", "-a", "a#b"], "a # or the end of the line ends the name of a file in opensm.conf: "),
        (["-R", "ftree", "--report", "a b"], "ends the name of a file for the plugin: "),
        (["-R", "ftree", "--time", "0"], "0 is not in the range"),
        (["-R", "ftree", "--prove", "some"], "'some' is not one of"),
        (["-R", "ftree", "--lfts", "x"], "No such option '--lfts'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a#b").write_text(_spines())
    done = lacis("opensm", "conf", TREE, *options)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: [^\n]+\n", done.err)
    assert said in done.err


def test_the_text_is_a_configuration_whatever_the_fabric_is_called(lacis: Lacis, tmp_path: Path) -> None:
    odd = tmp_path / "a\nlmc 3"
    assert lacis("fabric", "fat-tree:4,2", "-o", tmp_path / "f.json").status == 0
    odd.write_bytes((tmp_path / "f.json").read_bytes())
    done = lacis("opensm", "conf", odd, "-R", "eventree", "--library-dir", "lib")
    assert lines(done.out) == [
        "event_plugin_name osmlacis",
        "routing_engine lacis-eventree,lacis-numbered,minhop",
    ]
    assert f"LD_LIBRARY_PATH={Path.cwd()}/lib ibsim-run opensm" in done.out


def _spines() -> str:
    """A file of the tree's roots."""
    from lacis import read

    fabric = read(TREE)
    named = zip(fabric.descriptions(), fabric.guids().tolist(), strict=True)
    return "".join(f"0x{guid:016x}\n" for name, guid in named if name.startswith("spine-"))
