"""The article retold: its commands print what the page shows, and its screens and pictures have the article's figures."""

from __future__ import annotations

import html
import io
import json
import re
from typing import TYPE_CHECKING

import pytest
from lacis import read
from lacis.cli._to_simulate import SimulatedTraffic, simulated
from lacis.routing import route

from tests import retold
from tests.conftest import ROOT, shared_data

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser import Browser
    from tests.conftest import Lacis

CLUSTER = "dgx-2025.ibnetdiscover"
PAGE = (ROOT / "docs" / "article.md").read_text("utf-8")
STEPS = list(retold.steps(PAGE))
PICTURES = {step.name: step for step in STEPS if step.kind in ("top", "serve")}
PNG_MOST = 40_000
"""Bytes of a picture of the browser."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the page, and the tables that it makes."""
    made = tmp_path_factory.mktemp("article")
    for step in STEPS:
        if step.kind == "file":
            (made / step.name).write_text(step.text)
        elif step.text.startswith("lacis route"):
            retold.run(step.text, made)
    assert (made / "collision.lfts").is_file()
    real = shared_data()
    if real is not None and (real / CLUSTER).is_file():
        (made / CLUSTER).symlink_to(real / CLUSTER)
    return made


@pytest.mark.parametrize(
    "step", [step for step in STEPS if step.kind == "run"], ids=lambda step: step.text.split("|")[0][-40:]
)
def test_each_command_prints_what_the_page_shows(step: retold.Step, folder: Path) -> None:
    needs_cluster(step, folder)
    assert retold.run(step.text, folder) == step.printed


def needs_cluster(step: retold.Step, folder: Path) -> None:
    if CLUSTER in step.text and not (folder / CLUSTER).exists():
        pytest.skip(f"no shared/data/{CLUSTER} at or above the checkout (LACIS_SHARED names its parent)")


def test_the_page_has_the_figures_of_the_article() -> None:
    alone, shared, _, adaptive, *_ = (
        float(mean)
        for step in STEPS
        if step.kind == "run"
        for mean in re.findall(r"^bandwidth of a flow .* mean ([\d.]+),", step.printed, re.MULTILINE)
    )
    # 12.38 GB/s alone, 12.38 to 12.5 of both pairs over one core, 24.7 of both over two.
    assert alone == pytest.approx(12.38, rel=0.01)
    assert 12.38 <= 2 * shared <= 12.5
    assert 2 * adaptive == pytest.approx(24.7, rel=0.01)


# The way of both pairs over core 2, and the ways of a pair each.
CORE2 = {"edge1[26]", "core2[2]"}
CORE1 = {"edge1[25]", "core1[2]"}
NODES = {"NodeA hfi1_0[1]", "NodeB hfi1_0[1]", "edge2[1]", "edge2[2]"}


def by_share(rows: list[list[str]], used: int, port: int) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        if row[used]:
            found.setdefault(row[used], set()).add(row[port])
    return found


def text_of(name: str) -> str:
    """The text in a picture of the page."""
    picture = (ROOT / "docs" / "images" / name).read_text("utf-8")
    assert "font-face" not in picture
    return html.unescape(" ".join(re.findall(r"<text[^>]*>(.*?)</text>", picture))).replace("\xa0", " ")


def test_top_shows_one_core_full_and_the_nodes_at_half(folder: Path) -> None:
    step = PICTURES["article-shared.svg"]
    drawn = retold.top(step.text, step.given, folder)
    shares = by_share(drawn.rows, 1, 3)
    assert {share: len(ports) for share, ports in shares.items()} == {
        "100.0 %": 2,
        "50.0 %": 4,
        "0.0 %": 10,
    }
    assert (shares["100.0 %"], shares["50.0 %"]) == (CORE2, NODES)
    shown = text_of(step.name)
    assert shown.count("100.0 %") == 2
    assert shown.count("  50.0 %") == 4
    assert all(port in shown for port in CORE2 | NODES)


def test_top_shows_both_cores_full_after_the_move(folder: Path) -> None:
    step = PICTURES["article-adaptive.svg"]
    drawn = retold.top(step.text, step.given, folder)
    assert by_share(drawn.rows, 1, 3)["100.0 %"] == CORE1 | CORE2 | NODES
    shown = text_of(step.name)
    assert shown.count("100.0 %") == 8
    # Before it all is as without adaptive routing: back to 60 ms of 97, in steps of a sixtieth.
    before = retold.top(step.text, " ".join(["r"] * 25 + ["enter", "enter"]), folder)
    assert by_share(before.rows, 1, 3)["100.0 %"] == CORE2


def test_the_history_of_a_port_begins_with_the_move(folder: Path) -> None:
    step = PICTURES["article-port.svg"]
    drawn = retold.top(step.text, step.given, folder)
    rows = {row[0]: row[1:] for row in drawn.rows}
    assert rows["port"] == ["edge1[25]", "core1[1]"]
    # Intervals of 97 / 60 ms: the 59th and 23 before it; that of the move is the 40th of all, the fifth here.
    assert re.fullmatch(r" {4}[▁-█]█{19}", rows["before"][0])
    assert "edge1[25]" in text_of(step.name)


@pytest.mark.parametrize(
    ("name", "full"),
    [("article-shared.png", CORE2), ("article-adaptive.png", CORE1 | CORE2 | NODES)],
)
def test_the_browser_shows_the_same(folder: Path, browser: Browser, name: str, full: set[str]) -> None:
    from PIL import Image

    step = PICTURES[name]
    drawn = retold.serve(step.text, step.given, folder, browser)
    # The last interval of all is shorter: what is left of the benchmark fills it nearly.
    shares = {port: float(share.removesuffix(" %")) for port, share in drawn.rows}
    assert {port for port, share in shares.items() if share > 95} == full
    for content in (drawn.content, (ROOT / "docs" / "images" / name).read_bytes()):
        assert Image.open(io.BytesIO(content)).size == (retold.WIDTH, retold.HEIGHT)
        assert len(content) < PNG_MOST


def test_a_real_cluster_is_shown_too(folder: Path) -> None:
    step = PICTURES["article-cluster.svg"]
    needs_cluster(step, folder)
    drawn = retold.top(step.text, step.given, folder)
    shares = by_share(drawn.rows, 1, 3)
    assert shares["100.0 %"] == {"A09-P1-IBLEAF-04-04[44]"}
    # Two hosts that send, two that receive, and from the spine to the leaf of each of these.
    assert sum(len(ports) for share, ports in shares.items() if 49 < float(share[:-2]) < 51) == 6


def test_what_is_shown_is_what_simulate_prints(
    lacis: Lacis, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    routes = route(read("fat-tree:8,2"), "minhop")
    asked = SimulatedTraffic().convert(
        "permutation test=windows bytes=64KiB count=3 window=8 device=opa100 host-efficiency=0.5 ar-period=20us seed=3",
        None,
        None,
    )
    found, _ = simulated(routes, asked, "opafm.xml", adaptive=False)
    done = lacis(
        *[
            "simulate",
            "fat-tree:8,2",
            "-R",
            "minhop",
            "--traffic",
            "permutation",
            "--test",
            "windows",
            "--bytes",
            "64KiB",
            "--count",
            "3",
            "--window",
            "8",
        ],
        *[
            "--device",
            "opa100",
            "--host-efficiency",
            "0.5",
            "--ar-period",
            "20us",
            "--seed",
            "3",
            "--opafm",
            "opafm.xml",
            "--json",
        ],
    )
    printed = json.loads(done.out)
    assert found.simulated == pytest.approx(printed["simulated"], rel=1e-12)
    assert found.payload == printed["payload"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--simulate", "shift:1 tests=load"], "did you mean test=?"),
        (["--simulate", "shift:1 device=opa100 device=ndr"], "device is given twice"),
        (["--simulate", "shift:1 host-efficiency=2"], "host-efficiency in"),
        (["--simulate", "shift:1 device=opa99"], "opa99"),
        (["--simulate", "shift:1 ar-period=1ms"], "omni-path"),
        (["--opafm", "opafm.xml"], "--opafm is for --simulate"),
        (["--opafm", "opafm.xml", "--adaptive", "--simulate", "shift:1"], "--opafm has what --adaptive"),
        (["--opafm", "pairs", "--simulate", "shift:1"], "pairs:1"),
        (["--simulate", "file:absent"], "absent"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_simulated_is_refused(
    lacis: Lacis, folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(
        "lacis.serve.running.serve", lambda *_, **__: None
    )  # what is not refused ends at once
    done = lacis("serve", "article", "--listen", "127.0.0.1:0", *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
