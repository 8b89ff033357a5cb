"""`lacis report`: one self-contained page, its gist, and the same as JSON."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from lacis import _core
from lacis.advice import variants
from lacis.advice.baseline import Baseline
from lacis.cli._reported import report_document
from lacis.ranks.participants import GROUPS
from lacis.report import collect, terminal
from lacis.report.page import render
from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lacis import Fabric
    from lacis.report.content import Report

    from tests.conftest import Lacis

TREE = ("fat-tree:8,3", "--without", "random-cables=2%,seed=1", "--shuffle-guids", "3")
"""A tree with lost cables whose GUIDs are in no order, so that a list of GUIDs is worth loading."""
SECTIONS = ["changes", "findings", "fabric", "engines", "bandwidth", "hottest", "leaves", "method"]


@pytest.fixture(scope="module", autouse=True)
def once_a_fabric() -> Iterator[None]:
    """Whatever is asked about the report of a fabric, the pipeline runs once on it."""
    collected: dict[tuple[str, str, str], Report] = {}
    afresh = collect.collect

    def kept(
        fabric: Fabric,
        source: str,
        progress: Callable[[str], None],
        baseline: Baseline | None = None,
        groups: str = GROUPS,
        *measured: Any,
    ) -> Report:
        if baseline not in (None, Baseline()) or any(measured[:1]):
            return afresh(fabric, source, progress, baseline, groups, *measured)
        key = (fabric.to_json(), source, groups)
        if key not in collected:
            collected[key] = afresh(fabric, source, progress, groups=groups)
        return collected[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collect, "collect", kept)
        patch.setattr(collect, "afresh", afresh, raising=False)
        yield


@pytest.fixture
def afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the pipeline run each time it is asked for."""
    monkeypatch.setattr(collect, "collect", collect.afresh)  # type: ignore[attr-defined]


class _Page(HTMLParser):
    """What a browser would fetch, which ids there are, and whether the tags close."""

    VOID = frozenset({"meta", "br", "link", "img", "input"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.fetched.append(values["src"] or "")
        if tag == "link":
            self.fetched.append(values.get("href") or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("fabric", "said"),
    [
        (["chain:3,h=0"], "Without hosts there is no traffic"),
        (["chain:1"], "With one host there is no traffic"),
        (["fat-tree:4,2", "--without", "node*"], "Without hosts there is no traffic"),
    ],
)
def test_a_fabric_without_two_hosts_has_a_report_without_traffic(
    lacis: Lacis, tmp_path: Path, fabric: list[str], said: str
) -> None:
    done = lacis("report", *fabric, "-o", tmp_path / "page.html")
    assert done.err == ""
    assert f"notice: {said}: tables are not compared" in " ".join(done.out.split())
    assert "engine" not in done.out
    assert "0.000" not in done.out
    text = (tmp_path / "page.html").read_text("utf-8")
    assert said in text
    page = _Page(text)
    assert page.open == []
    shown = [name for name in page.ids if name in SECTIONS]
    assert [name for name in shown if name not in ("changes", "findings")] == ["fabric", "method"]


def test_a_list_of_nodes_is_no_fabric_to_route(lacis: Lacis, tmp_path: Path) -> None:
    for kind, text in (
        ("Ca", 'Ca : 0x1{} ports 1 devid 0x1017 vendid 0x2c9 "n{} HCA-1"'),
        ("Switch", 'Switch : 0x2{} ports 36 devid 0xcb20 vendid 0x2c9 "sw{}"'),
    ):
        listed = tmp_path / f"{kind}.list"
        listed.write_text("".join(text.format(n, n) + "\n" for n in range(3)))
        commands: list[list[str | Path]] = [
            ["report", listed, "-o", tmp_path / "page.html"],
            ["verify", listed],
            ["advise", listed],
        ]
        for command in commands:
            done = lacis(*command)
            assert done.status == 2
            assert done.err.splitlines()[-1].startswith(
                f"lacis: {listed}: has 3 nodes and no cables, so that nothing can be routed; `ibnetdiscover -H`"
            )


def test_what_cuts_hosts_off_whatever_the_tables_is_reported(lacis: Lacis, tmp_path: Path) -> None:
    # A leaf with two hosts keeps one cable: its spine and that cable cut them off. A whole tree has no such part.
    cut = ["fat-tree:4,2", "--without", "leaf-01--spine-01"]
    done = lacis("report", *cut, "-o", tmp_path / "page.html")
    said = (
        "Whatever the tables, 1 switch cuts host adapters off when it fails: spine-02 (2); 1 cable between switches cuts host "
        "adapters off when it fails: leaf-01[4]--spine-02[1] (2)."
    )
    assert said in " ".join(done.out.split())
    assert said in (tmp_path / "page.html").read_text("utf-8")
    whole = lacis("report", "fat-tree:4,2", "-o", tmp_path / "page.html")
    assert "Whatever the tables, no switch cuts off host adapters" in " ".join(whole.out.split())


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


def test_nothing_is_shown_where_all_is_even(lacis: Lacis, tmp_path: Path) -> None:
    # Four hosts on one switch.
    page = tmp_path / "page.html"
    assert lacis("report", "fat-tree:4,1", "-o", page).status == 0
    shown = [name for name in _Page(page.read_text("utf-8")).ids if name in SECTIONS]
    assert shown == ["fabric", "engines", "method"]
    assert "Nothing that these models would change." in page.read_text("utf-8")


def test_where_no_traffic_crosses_a_link_between_switches_no_ratio_is_given(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Four hosts on one switch: nothing is forced, in the terminal as on the page.
    monkeypatch.setenv("COLUMNS", "160")
    done = lacis("report", "fat-tree:4,1", "-o", tmp_path / "page.html")
    row = next(line for line in done.out.splitlines() if line.startswith("minhop"))
    assert row.split()[:5] == ["minhop", "0", "0", "–", "–"]


def test_pairs_on_different_planes_are_not_lost(lacis: Lacis, tmp_path: Path) -> None:
    # 8 hosts with an adapter on each of 2 planes: 2 · 8 · 8 pairs of ports that no cables join, and all hosts meet.
    done = lacis("report", "fat-tree:4,2:rails=2", "-o", tmp_path / "page.html", "--json")
    [minhop, *_] = json.loads(done.out)["engines"]
    proof = minhop["verify"]["hosts"]
    assert (proof["lost"], proof["avoidable"]) == (128, 0)
    shown = " ".join(lacis("report", "fat-tree:4,2:rails=2", "-o", tmp_path / "page.html").out.split())
    assert "no route" not in shown
    assert "128" not in shown
    assert "no cables join" not in shown
    assert lacis("verify", "fat-tree:4,2:rails=2").status == 0


def test_hosts_on_an_island_are_reported_and_not_laid_to_the_tables(lacis: Lacis, tmp_path: Path) -> None:
    # A leaf with two hosts loses its cables to both spines.
    cut = ["fat-tree:4,2", "--without", "leaf-01--spine-*"]
    shown = " ".join(lacis("report", *cut, "-o", tmp_path / "page.html").out.split())
    assert "error: 2 hosts on islands: no cables join them with the rest" in shown
    assert "no route" not in shown
    verified = lacis("verify", *cut)
    assert verified.status == 1
    # 2 · 2 · 6 ordered pairs between inside and outside.
    assert "apart 24 of these: no cables join the two ports" in " ".join(verified.out.split())


@pytest.mark.slow
def test_switches_that_opensm_does_not_find_are_reported_first(lacis: Lacis, tmp_path: Path) -> None:
    # The manager is at one end of 70 switches in a row: the 63rd lies 63 hops from its host.
    done = lacis("report", "chain:70", "-o", tmp_path / "page.html")
    said = "7 switches are more than 63 hops from the manager: OpenSM would not find what is there, and not route it"
    assert said in " ".join(done.out.split())
    assert said in (tmp_path / "page.html").read_text("utf-8")
    assert "no levels" in done.out


@pytest.mark.slow
def test_the_command_that_is_recommended_names_the_same_fabric(lacis: Lacis, tmp_path: Path) -> None:
    done = lacis("report", *TREE, "-o", tmp_path / "page.html")
    assert f"\n   lacis advise {' '.join(TREE)} -o advice\n" in done.out


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
    parsed = _Page(html)
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


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["torus:4x4", "diamond", "article", "chain:2"])
def test_any_fabric_has_a_report(lacis: Lacis, tmp_path: Path, spec: str) -> None:
    result = lacis("report", spec, "-o", tmp_path / "page.html")
    assert result.status == 0, result.err
    assert "Generated. Lacis" in (tmp_path / "page.html").read_text("utf-8")
    assert _Page((tmp_path / "page.html").read_text("utf-8")).open == []


def test_a_name_in_the_file_cannot_become_markup(lacis: Lacis, tmp_path: Path) -> None:
    # Two hosts on a switch, one described by markup.
    net = tmp_path / "evil.net"
    net.write_text(
        'switchguid=0x10\nSwitch 4 "S-10" # "leaf" base port 0 lid 0 lmc 0\n[1] "H-20"[1]\n[2] "H-30"[1]\n\n'
        'caguid=0x20\nCa 1 "H-20" # "</script><script>alert(1)</script> HCA-1"\n[1] "S-10"[1] # lid 0 lmc 0 "leaf" lid 0 4xHDR\n\n'
        'caguid=0x30\nCa 1 "H-30" # "node2 HCA-1"\n[1] "S-10"[2] # lid 0 lmc 0 "leaf" lid 0 4xHDR\n'
    )
    result = lacis("report", net, "-o", tmp_path / "page.html")
    assert result.status == 0, result.err
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<script>alert" not in html
    assert "Read from the file, which does not say when it was taken. Lacis" in html


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
    ours, *_ = report["changes"]
    engines = {engine["label"]: engine for engine in report["engines"]}
    for name in ("minhop", "updn", "ftree → minhop", "sssp", "dfsssp", "nue", "numbered"):
        balance, own = (engines[label]["verify"]["hosts"]["balance"] for label in (name, "eventree"))
        assert own["max"] / own["mean"] < balance["max"] / balance["mean"]
    assert report["best"] == "eventree"
    assert ours["title"].startswith("Run lacis-eventree inside OpenSM (minhop behind it) instead of minhop")
    assert ours["command"].splitlines() == [
        f"lacis advise {dgx} -o advice",
        "opensm -F advice/1-lacis-eventree/opensm.conf",
    ]
    assert any(
        change["title"].startswith("Run OpenSM's dfsssp instead of minhop") for change in report["changes"]
    )
    # dor has no credit loop, and halves the bandwidth of hosts: that is no advice.
    assert not any("OpenSM's dor" in change["title"] for change in report["changes"])
    # Tables from a file come last before the cables, with what no manager mends.
    tables = report["changes"][-2]
    assert tables["title"].startswith("Load the tables of eventree from a file")
    assert "Of all 572 single failures (cables between switches, switches) 541 lose pairs" in tables["why"]
    assert report["changes"][-3]["command"] == f"lacis advise {dgx} --tune 60 -o advice"
    dfsssp = next(change for change in report["changes"] if "OpenSM's dfsssp" in change["title"])
    assert "It needs QoS and path records." in dfsssp["why"]
    # lash has no credit loop, and a third of the bandwidth; numbered is no better than eventree in any figure.
    assert not any(name in change["title"] for name in ("lash", "numbered") for change in report["changes"])
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
    done = lacis("report", *fabric, "-o", tmp_path / "page.html")
    lines = done.out.splitlines()
    assert lines[:3] == [
        "fat-tree:8,2 --without leaf-03--spine-02",
        "12 switches, 32 host adapters, 32 hosts, 1 rail, 1 plane, 2 levels",
        "generated",
    ]
    headings = [
        "Health     1 warning: UPLINK_MISSING",
        "What runs",
        "What to do",
        "engine ",
        "Work at the cables: 1 to plug in",
    ]
    headings += ["Adaptive routing", "Single failures", "The page: "]
    found = [next(n for n, line in enumerate(lines) if line.startswith(words)) for words in headings]
    assert found == sorted(found)
    assert "leaf-03[6] – spine-02[3]" in done.out
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.slow
def test_column_heads_are_never_cut() -> None:
    # updn's automatic roots lose pairs of itasca, ftree falls back: cells and labels are as wide as any.
    report = collect.collect(_core.generate_fabric("itasca:67"), "itasca:67", lambda _: None)
    for width, flows in ((80, False), (90, False), (110, True), (160, True)):
        out = Console(width=width)
        with out.capture() as printed:
            out.print(terminal._engines(report, width))
        head, *rows = [line.rstrip() for line in printed.get().splitlines()]
        words = ["lost", "credit loops", "fullest link", "bisections", "shifts"]
        assert [word for word in words if word not in head] == []
        assert ("flows" in head) == flows
        assert "…" not in head
        assert max(map(len, [head, *rows])) <= width
        assert any(row.startswith("updn") and "132,096" in row for row in rows)


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


def test_switches_that_share_a_description_are_distinguished(lacis: Lacis, tmp_path: Path) -> None:
    # One cable is missing, and no switch has a name of its own.
    page = tmp_path / "page.html"
    done = lacis(
        "report", "fat-tree:8,2:unmanaged=1", "--without", "S-0002c90200400000[5]", "-o", page, "--json"
    )
    assert done.status == 0, done.err
    plug = [change for change in json.loads(done.out)["changes"] if change["title"].startswith("Plug in")]
    # The first switch is a leaf: its port 5 is the first uplink, to port 1 of the first spine, the ninth switch.
    guids = "0x0002c90200400000", "0x0002c90200400040"
    name = "Quantum Mellanox Technologies"
    assert [change["command"] for change in plug] == [
        f"{name} {guids[0]} port 5  –  {name} {guids[1]} port 1"
    ]


def _damaged(lacis: Lacis, tmp_path: Path, *replaced: tuple[str, str]) -> Path:
    """A tree without one cable, its dump changed: regular expressions and what stands there instead."""
    path = tmp_path / "fabric.net"
    assert lacis("fabric", "fat-tree:8,2", "--without", "leaf-01--spine-01", "-o", path).status == 0
    text = path.read_text()
    for old, new in replaced:
        text, count = re.subn(old, new, text)
        assert count
    path.write_text(text)
    return path


def test_a_name_is_no_markup(lacis: Lacis, tmp_path: Path) -> None:
    path = _damaged(lacis, tmp_path, ('"leaf-01"', '"[/bold] [red]leaf-01"'))
    done = lacis("report", path, "-o", tmp_path / "page.html")
    assert done.status == 0, done.err
    assert "plug in  [/bold] [red]leaf-01[5] – spine-01[1]" in done.out


def test_switches_that_share_a_guid_are_a_finding_and_stop_nothing(lacis: Lacis, tmp_path: Path) -> None:
    # The second leaf has the GUID of the first, to which a cable is missing: which of them it is cannot be said.
    second = r"switchguid=0x2c90200400008\(2c90200400008\)\nSwitch\t8"
    path = _damaged(lacis, tmp_path, (second, "switchguid=0x2c90200400000(2c90200400000)\nSwitch\t8"))
    done = lacis("report", path, "-o", tmp_path / "page.html", "--json")
    assert done.status == 0, done.err
    report = json.loads(done.out)
    assert "GUID_DUPLICATE" in {finding["code"] for finding in report["fabric"]["findings"]}
    assert not [change for change in report["changes"] if change["title"].startswith("Plug in")]


@pytest.mark.slow
def test_a_rail_without_adapters_stops_nothing(lacis: Lacis, tmp_path: Path) -> None:
    # All adapters have one name: one host of 32, and no leaf or label shows which rail is which.
    path = _damaged(lacis, tmp_path, (r'"node\d+ HCA-1"', '"same"'))
    done = lacis("report", path, "-o", tmp_path / "page.html")
    assert (done.status, done.err) == (0, "")
