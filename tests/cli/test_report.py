"""`lacis report`: one self-contained page, its gist, and the same as JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.advice import variants
from lacis.cli._reported import report_document
from lacis.report import collect, terminal
from lacis.report.page import render
from rich.console import Console

from tests.pages import SECTIONS, Page
from tests.recabled import recabled

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = ("fat-tree:8,3", "--without", "random-cables=2%,seed=1", "--shuffle-guids", "3")
"""A tree with lost cables whose GUIDs are in no order, so that a list of GUIDs is worth loading."""

pytestmark = pytest.mark.usefixtures("once_a_fabric")


def test_tables_that_fill_a_link_twice_as_much_as_must_be_are_warned_of(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Up/Down from one of two spines alone sends all that leaves a leaf over one of its two cables: 2.0 × what each must carry.
    monkeypatch.setenv("COLUMNS", "200")
    fabric = tmp_path / "tree.net"
    assert lacis("fabric", "fat-tree:4,2", "-o", fabric).status == 0
    spine = re.search(r'"S-(\w{16})"[^\n]*# "spine-01"', fabric.read_text())
    assert spine is not None
    roots, conf = tmp_path / "roots", tmp_path / "opensm.conf"
    roots.write_text(f"0x{spine[1]}\n")
    conf.write_text(f"routing_engine updn\nroot_guid_file {roots}\n")
    done = lacis("report", fabric, "--opensm-conf", conf, "-o", tmp_path / "page.html")
    assert (
        "warning: as configured puts 2.0 × what some link must carry on the fullest link (all-to-all)"
        in done.out
    )
    # Both spines as roots share it evenly.
    even = lacis("report", fabric, "-o", tmp_path / "page.html")
    assert "on the fullest link (all-to-all)" not in even.out


def test_the_ten_pairs_of_leaves_that_get_least_are_listed() -> None:
    # Leaf 1 keeps two of its four cables: its four flows to any other leaf get half of the rate.
    fabric = _core.generate_fabric("fat-tree:8,2").without(["leaf-01--spine-01", "leaf-01--spine-02"])
    heat = collect.collect(fabric, "tree", lambda _: None).heat
    assert heat is not None
    assert heat.worst[:7] == [("leaf-01", f"leaf-{n:02}", (0.5, 0.5, 0.5)) for n in range(2, 9)]
    means = sorted(mean for mean in heat.data["mean"] if mean is not None)
    assert [mean for _, _, (_, mean, _) in heat.worst] == means[:10]
    assert means[-1] > 0.5


def test_each_engine_is_judged_in_a_common_order_and_in_its_own(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A whole tree with its cables at any ports: in the order in which eventree numbers hosts each of its shifts is alone
    # on its links, leaf by leaf some are not; ftree is at its best leaf by leaf.
    tree, page = tmp_path / "tree.json", tmp_path / "page.html"
    tree.write_text(recabled("fat-tree:4,3", 1).to_json())
    answer = json.loads(lacis("report", tree, "-o", page, "--json").out)
    assert answer["host_order"] == "topology"
    engines = {engine["label"]: engine for engine in answer["engines"]}
    own, common = engines["eventree"]["own_order"], engines["eventree"]["shift"]
    assert (own["order"], own["shift"]["relative_bandwidth"]["mean"], own["shift"]["max_contention"]) == (
        "eventree",
        1.0,
        1,
    )
    assert (common["relative_bandwidth"]["mean"] < 1, common["max_contention"]) == (True, 2)
    assert (common["words"], own["shift"]["words"]) == ("all 15 shifts", "all 15 shifts")
    assert engines["ftree"]["own_order"] is None
    # By its own order it is the best, and the advice says how to place ranks.
    assert answer["best"] == "eventree"
    first = answer["changes"][0]
    assert first["step"]["ranks"]["order"] == "eventree"
    assert (
        first["command"].splitlines()[-1] == f"lacis order {tree} --by eventree --names -o hosts-eventree.txt"
    )
    html = page.read_text("utf-8")
    assert "shifts in its best order of hosts" in html
    assert "These shifts are of hosts leaf by leaf (order topology) under all engines." in html
    # Where a terminal has no room for the column, the legend has it.
    monkeypatch.setenv("COLUMNS", "160")
    rows = {
        line.split()[0]: line.split()
        for line in lacis("report", tree, "--full", "-o", page).out.splitlines()
        if line
    }
    assert rows["eventree"][-2:] == ["1.000", "eventree"]
    assert rows["ftree"][-2:] == ["the", "same"]
    monkeypatch.setenv("COLUMNS", "80")
    narrow = lacis("report", tree, "--full", "-o", page).out
    assert "own order" not in narrow
    assert "eventree 1.000 (eventree)" in " ".join(narrow.split())


@pytest.mark.slow
def test_an_order_is_shown_once_where_none_is_better(lacis: Lacis, tmp_path: Path) -> None:
    # Cables port by port alike: all three orders are the same.
    page = tmp_path / "page.html"
    answer = json.loads(lacis("report", "fat-tree:4,3", "-o", page, "--json").out)
    assert [engine["own_order"] for engine in answer["engines"]] == [None] * len(answer["engines"])
    assert "best order of hosts" not in page.read_text("utf-8")
    assert "own order" not in lacis("report", "fat-tree:4,3", "--full", "-o", page).out


def test_nothing_is_shown_where_all_is_even(lacis: Lacis, tmp_path: Path) -> None:
    # Four hosts on one switch.
    page = tmp_path / "page.html"
    assert lacis("report", "fat-tree:4,1", "-o", page).status == 0
    shown = [name for name in Page(page.read_text("utf-8")).ids if name in SECTIONS]
    assert shown == ["fabric", "engines", "method"]
    assert "Nothing that these models would change." in page.read_text("utf-8")


@pytest.mark.slow
def test_groups_of_a_dragonfly_plus_are_part_of_what_a_fabric_is(lacis: Lacis, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = lacis("report", "dragonfly+:5,4,3,4:radix=16", "-o", page)
    assert "5 groups of a Dragonfly+" in done.out
    assert "<b>5</b> <span>groups of a Dragonfly+</span>" in page.read_text()


def test_where_no_traffic_crosses_a_link_between_switches_no_ratio_is_given(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Four hosts on one switch: nothing is forced, in the terminal as on the page.
    monkeypatch.setenv("COLUMNS", "160")
    done = lacis("report", "fat-tree:4,1", "--full", "-o", tmp_path / "page.html")
    row = next(line for line in done.out.splitlines() if line.startswith("minhop"))
    assert row.split()[:5] == ["minhop", "0", "0", "–", "–"]


@pytest.mark.slow
def test_the_command_that_is_recommended_names_the_same_fabric(lacis: Lacis, tmp_path: Path) -> None:
    done = lacis("report", *TREE, "--full", "-o", tmp_path / "page.html")
    assert f"\n   lacis advise {' '.join(TREE)} -o advice-1\n" in done.out
    # Each step has a folder of its own, as `lacis advise` writes into none that has files.
    folders = re.findall(r"^   lacis advise .* -o (\S+)$", done.out, re.MULTILINE)
    assert len(folders) > 1
    assert len(set(folders)) == len(folders)


def test_a_configuration_is_compared_with_the_engines(lacis: Lacis, tmp_path: Path) -> None:
    conf, page = tmp_path / "opensm.conf", tmp_path / "page.html"
    conf.write_text("routing_engine dnup\nsm_priority 3\n")
    done = lacis("report", "fat-tree:4,2", "--opensm-conf", conf, "-o", page, "--json")
    assert done.status == 0
    assert done.err == f"lacis: {conf}: 1 key does not concern routing: sm_priority\n"
    answer = json.loads(done.out)
    [configured] = [engine for engine in answer["engines"] if engine["label"] == "as configured"]
    assert (configured["engine_requested"], configured["engine_used"]) == ("dnup", "dnup")
    assert answer["opensm_conf"]["ignored"] == [{"line": 2, "key": "sm_priority", "value": "3"}]
    assert "as configured" in page.read_text("utf-8")
    plain = json.loads(lacis("report", "fat-tree:4,2", "-o", page, "--json").out)
    assert [e for e in answer["engines"] if e != configured] == plain["engines"]


@pytest.mark.slow
def test_the_page_is_whole_and_fetches_nothing(lacis: Lacis, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = lacis("report", *TREE, "-o", page)
    assert result.status == 0, result.err
    html = page.read_text("utf-8")
    parsed = Page(html)
    assert parsed.open == []
    assert parsed.fetched == []
    assert not re.search(r"@import|url\((?!#)", html)
    assert len(set(parsed.ids)) == len(parsed.ids)
    assert [name for name in SECTIONS if name not in parsed.ids] == []
    assert "nan" not in re.sub(r"<[^>]*>", " ", html).lower().split()
    assert "UPLINK_MISSING" in html
    assert str(page) in result.out


@pytest.mark.usefixtures("afresh")
def test_the_same_fabric_gives_the_same_bytes(lacis: Lacis, tmp_path: Path) -> None:
    pages = []
    for name in ("a.html", "b.html"):
        assert lacis("report", "fat-tree:4,2", "-o", tmp_path / name).status == 0
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_refusals_are_reported_as_opensm_would_act(lacis: Lacis, tmp_path: Path) -> None:
    # itasca: ftree refuses it without a root file, updn's automatic roots leave pairs without a route.
    result = lacis("report", "itasca:67", "--json", "-o", tmp_path / "page.html")
    assert result.status == 0, result.err
    report = json.loads(result.out)
    assert next(iter(report)) == "schema"
    assert report["schema"] == "lacis.report/1"
    engines = {engine["label"]: engine for engine in report["engines"]}
    refused = engines["ftree → minhop"]
    assert refused["engine_used"] == "minhop"
    assert refused["refusals"][0]["engine"] == "ftree"
    # The count is OpenSM's own (see the oracle suite).
    assert engines["updn"]["verify"]["all"]["lost"] == 132_096
    assert "OpenSM would run minhop instead" in (tmp_path / "page.html").read_text("utf-8")


def test_an_unwritable_page_leaves_nothing(lacis: Lacis, tmp_path: Path) -> None:
    result = lacis("report", "article", "-o", tmp_path / "none" / "page.html")
    assert result.status == 2
    assert result.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_real_cluster(lacis: Lacis, dgx: Path, tmp_path: Path) -> None:
    result = lacis("report", dgx, "--json", "-o", tmp_path / "page.html")
    assert result.status == 0, result.err
    report = json.loads(result.out)
    assert "Read from the file, taken Wed Aug 6 16:11:23 2025. Lacis" in (tmp_path / "page.html").read_text(
        "utf-8"
    )
    # Counted by hand in the file: 40 switches; 582 adapters less 40 aggregation nodes.
    assert report["fabric"]["switches"] == 40
    assert report["fabric"]["kinds"]["adapters"] == 542
    # 15 pairs of leaf and spine deviate: see the table in the health tests.
    cables = next(change for change in report["changes"] if change["title"].startswith("Plug in"))
    # By hand: single cables at 01-01/04, 02-03/01, 01-05/04, 01-05/08, 01-08/06, 03-07/06 (6 × 1), and no
    # cable at 01-02/01, 01-02/04, 01-03/04, 02-03/06, 02-04/04, 04-02/01, 04-04/01, 01-07/04, 02-06/07,
    # 03-07/05 (10 × 2): 26 cables.
    assert len(cables["command"].splitlines()) == 26
    # It has no credit loop and the evenest loads, so it is what to run.
    broken, plug, ours, *_ = report["changes"]
    # What is broken comes first: the only error, by name, then cables, then other routing.
    assert broken["title"] == "Mend A09-P1-IBLEAF-03-01 (switch absent)"
    assert "18 hosts lack this leaf: a05-p1-dgx-01-c01" in broken["why"]
    assert plug["title"] == "Plug in the 26 missing cables"
    engines = {engine["label"]: engine for engine in report["engines"]}
    for name in ("minhop", "updn", "ftree → minhop", "sssp", "dfsssp", "nue", "numbered"):
        balance, own = (engines[label]["verify"]["hosts"]["balance"] for label in (name, "eventree"))
        assert own["max"] / own["mean"] < balance["max"] / balance["mean"]
    assert report["best"] == "eventree"
    assert ours["title"].startswith(
        "Run lacis-eventree inside OpenSM (lacis-numbered then minhop behind it) "
    )
    assert ours["command"].splitlines() == [
        f"lacis advise {dgx} -o advice-1",
        "opensm -F advice-1/1-lacis-eventree/opensm.conf  # a test: LMC, priority, partitions, QoS and whatever else it "
        "does not set are at OpenSM's defaults",
    ]
    assert any(
        change["title"].startswith("Run OpenSM's dfsssp instead of minhop") for change in report["changes"]
    )
    # dor has no credit loop, and halves the bandwidth of hosts: that is no advice.
    assert not any("OpenSM's dor" in change["title"] for change in report["changes"])
    # Tables from a file come last, with what no manager mends.
    tables = report["changes"][-1]
    assert tables["title"].startswith("Load the tables of eventree from a file")
    assert "Of all 572 single failures (cables between switches, switches) 541 lose pairs" in tables["why"]
    # Each step has a folder of its own, so that the commands run one after another.
    folders = [re.findall(r" -o (\S+)", change["command"]) for change in report["changes"]]
    assert [f for found in folders for f in found] == [
        f"advice-{n}" for n in range(1, sum(map(bool, folders)) + 1)
    ]
    assert report["changes"][-2]["command"].startswith(f"lacis advise {dgx} --tune 60 -o advice-")
    dfsssp = next(change for change in report["changes"] if "OpenSM's dfsssp" in change["title"])
    assert "It needs QoS and path records." in dfsssp["why"]
    # lash has no credit loop, and a third of the bandwidth; numbered is no better than eventree in any figure.
    # In brackets is what takes over behind an engine.
    titles = [change["title"].partition(" (")[0] for change in report["changes"]]
    assert not any(name in title for name in ("lash", "numbered") for title in titles)
    # Levels are known, so OpenSM's engines are tried with roots, order and hosts too, and none goes untold.
    given = (
        "minhop, ordered",
        "updn, roots given",
        "updn, roots given, ordered",
        "ftree, roots and hosts given",
    )
    assert not {*given} & {*engines}
    for label in given:
        assert f"{label}: 0." in report["also_tried"]
        assert f"{label}: 0." in (tmp_path / "page.html").read_text()


def test_the_terminal_tells_in_order_what_is_asked_first(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    fabric = ["fat-tree:8,2", "--without", "leaf-03--spine-02"]
    done = lacis("report", *fabric, "--full", "-o", tmp_path / "page.html")
    lines = done.out.splitlines()
    assert lines[:3] == [
        "fat-tree:8,2 --without leaf-03--spine-02",
        "12 switches, 32 host adapters, 32 hosts, 1 rail, 1 plane, 2 levels",
        "generated",
    ]
    headings = [
        "Health     1 warning: UPLINK_MISSING",
        "What runs",
        "Work at the cables: 1 to plug in",
        "What to do",
        "engine ",
    ]
    headings += ["Adaptive routing", "Single failures", "The page: "]
    found = [next(n for n, line in enumerate(lines) if line.startswith(words)) for words in headings]
    assert found == sorted(found)
    assert "leaf-03[6] – spine-02[3]" in done.out
    assert all(line == line.rstrip() for line in lines)


BROKEN = (
    "fat-tree:8,2",
    "--without",
    "random-cables=20%,seed=3",
    "--without",
    "spine-02",
    "--without",
    "leaf-03--*",
)


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
@pytest.mark.parametrize(
    "fabric",
    [
        ("fat-tree:4,2",),
        BROKEN,
        pytest.param(("torus:4x4",), marks=pytest.mark.slow),
        ("chain:3,h=0",),
        pytest.param(("itasca:5",), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_the_gist_is_25_lines_of_the_terminals_width(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fabric: tuple[str, ...], columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = lacis("report", *fabric, "-o", tmp_path / "page.html")
    lines = done.out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= columns
    assert "".join(lines[-6:]).endswith("page.html")


def test_the_first_screen_names_an_absent_spine_before_any_routing(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The spine's cables led to port 6 of each of eight leaves.
    monkeypatch.setenv("COLUMNS", "80")
    done = lacis("report", "fat-tree:8,2", "--without", "spine-02", "-o", tmp_path / "page.html")
    shown = " ".join(done.out.split())
    order = [
        shown.index(words)
        for words in ("SWITCH_ABSENT spine-02", "check spine-02 – leaf-01[6] and 7 more", "What runs")
    ]
    assert order == sorted(order)
    assert "leaf-01, leaf-02, leaf-03 and 5 more" in shown


@pytest.mark.slow
def test_the_first_screen_of_the_real_cluster_names_its_only_error(
    lacis: Lacis, dgx: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In the file: leaf 03-01 is not there, ports 5 and 6 of the nine spines are empty. Ten named hosts of a05 have no HCA-5, and so have the
    # eight whose names ports 1 to 18 of the other rails' leaves imply.
    monkeypatch.setenv("COLUMNS", "80")
    lines = lacis("report", dgx, "-o", tmp_path / "page.html").out.splitlines()
    assert len(lines) <= 25
    shown = " ".join(" ".join(lines).split())
    assert "SWITCH_ABSENT A09-P1-IBLEAF-03-01: 18 hosts lack this leaf: a05-p1-dgx-01-c01" in shown
    assert "ports 5, 6 of the 9 switches above it" in shown
    assert "A09 – A10 check A09-P1-IBLEAF-03-01 – A10-P1-IBSPINE-01[5] and 17 more" in shown
    assert shown.index("A09-P1-IBLEAF-03-01") < shown.index("minhop")


@pytest.mark.slow
def test_column_heads_are_never_cut() -> None:
    # updn's automatic roots lose pairs of itasca, ftree falls back: cells and labels are as wide as any.
    report = collect.collect(_core.generate_fabric("itasca:67"), "itasca:67", lambda _: None)
    for width, flows in ((80, False), (90, False), (110, True), (160, True)):
        out = Console(width=width)
        with out.capture() as printed:
            out.print(terminal._engines(report, terminal._kept(report, width), width))
        head, *rows = [line.rstrip() for line in printed.get().splitlines()]
        words = ["lost", "credit loops", "fullest link", "bisections", "shifts"]
        assert [word for word in words if word not in head] == []
        assert ("flows" in head) == flows
        assert "…" not in head
        assert max(map(len, [head, *rows])) <= width
        assert any(row.startswith("updn") and "132,096" in row for row in rows)
    # Where no heading has room on one line they wrap, and no number is cut.
    for width in (60, 50):
        out = Console(width=width)
        with out.capture() as printed:
            out.print(terminal._engines(report, terminal._kept(report, width), width))
        text = printed.get()
        assert max(map(len, (line.rstrip() for line in text.splitlines()))) <= width
        kept = [terminal.COLUMNS[column] for column in terminal._kept(report, width)]
        found = set(text.split())
        assert {word for heading in kept for word in heading.split()} <= found
        minhop = terminal._cells(next(row for row in report.engines if row.label == "minhop"))
        assert {minhop[column] for column in terminal._kept(report, width)} <= found


def test_a_dump_tells_when_it_was_taken(lacis: Lacis, tmp_path: Path) -> None:
    dump = tmp_path / "fabric.net"
    dump.write_text(
        "#\n# Topology file: generated on Wed Aug  6 16:11:23 2025\n#\n"
        'switchguid=0x10\nSwitch 4 "S-10" # "leaf" base port 0 lid 0 lmc 0\n[1] "H-20"[1]\n\n'
        'caguid=0x20\nCa 1 "H-20" # "node1 HCA-1"\n[1] "S-10"[1] # lid 0 lmc 0 "leaf" lid 0 4xHDR\n'
    )
    done = lacis("report", dump, "-o", tmp_path / "page.html")
    assert done.out.splitlines()[1:3] == [
        "1 switch, 1 host adapter, 1 host, 1 rail, 1 plane, 1 level",
        "read from the file, taken Wed Aug 6 16:11:23 2025",
    ]
    answer = json.loads(lacis("report", dump, "-o", tmp_path / "page.html", "--json").out)
    assert (answer["origin"], answer["taken"]) == ("read from the file", "Wed Aug 6 16:11:23 2025")


def test_json_has_cables_adaptive_routing_failures_and_hot_links(lacis: Lacis, tmp_path: Path) -> None:
    # The one cable of leaf 1 carries all its pairs, 2 × 6 × 8 (see the unit tests of hot links).
    fabric = ["pgft:2;8,3;1,2;1,1", "--without", "leaf-01--spine-01"]
    answer = json.loads(lacis("report", *fabric, "-o", tmp_path / "page.html", "--json").out)
    [job] = answer["cabling"]
    assert (job["action"], job["code"], job["rack"]) == ("plug in", "UPLINK_MISSING", "")
    assert [(job[end]["node"], job[end]["port"]) for end in ("here", "there")] == [
        ("leaf-01", 9),
        ("spine-01", 1),
    ]
    assert [row["engine"] for row in answer["adaptive"]["rows"]][:1] == ["minhop"]
    assert all(row["static"]["worst"] <= row["static"]["mean"] for row in answer["adaptive"]["rows"])
    # 5 cables and 5 switches; no manager repairs tables from a file.
    assert {row["of"] for row in answer["failures"]} == {10}
    assert answer["failures"][-1]["repaired_by"] == "no manager"
    assert {link["flows"] for link in answer["hot"]} == {8 * 16}
    assert all(link["rail"] == "" for link in answer["hot"])


@pytest.mark.slow
def test_guids_in_json_are_text_for_a_readers_floats_would_round_them(lacis: Lacis, tmp_path: Path) -> None:
    changes = json.loads(lacis("report", *TREE, "-o", tmp_path / "page.html", "--json").out)["changes"]
    files = [change["files"] for change in changes if change["files"]]
    assert files
    assert all(guid.startswith("0x") for names in files for guids in names.values() for guid in guids)


@pytest.mark.usefixtures("afresh")
def test_slow_engines_are_left_out_of_large_fabrics_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # 6 switches and 8 hosts.
    monkeypatch.setattr(variants, "SLOW_AT_MOST", 47)
    report = collect.collect(_core.generate_fabric("fat-tree:4,2"), "fat-tree:4,2", lambda _: None)
    tried = {engine.variant.engine for engine in report.engines}
    assert tried == {"minhop", "updn", "dnup", "ftree", "dor", "eventree"}
    for words in (report_document(report, "page.html").left_out, render(report)):
        assert (
            "Not tried, as they take long: lash, sssp, dfsssp, nue, numbered (6 switches × 8 end nodes, more than 47)."
            in words
        )


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "127.0.0.1:8050", "http://", "http://a b/", "http://[::1", "ftp://a/"]
)
def test_only_the_address_of_a_page_is_linked(lacis: Lacis, tmp_path: Path, address: str) -> None:
    done = lacis("report", "fat-tree:4,2", "-o", tmp_path / "page.html", "--serve-at", address)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "expected the address of a page" in done.err
    assert not (tmp_path / "page.html").exists()


def test_several_lids_of_each_host_make_no_link_fuller(lacis: Lacis, tmp_path: Path) -> None:
    # Each LID counts as a destination, for the bound as for the flows.
    conf = tmp_path / "opensm.conf"
    conf.write_text("lmc 1\n")
    done = lacis("report", "fat-tree:8,2", "--opensm-conf", conf, "-o", tmp_path / "page.html", "--json")
    answer = json.loads(done.out)
    [found] = [row for row in answer["engines"] if row["label"] == "as configured"]
    for balance in (found["verify"]["hosts"]["balance"], found["verify"]["all"]["balance"]):
        assert balance["max"] == balance["forced"]["flows"] == 56
    # Tables that are as even as can be: nothing else is advised.
    assert answer["changes"] == []
