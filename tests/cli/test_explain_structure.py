"""`lacis explain --measured RUN` without a fabric: structure of the measured pairs, and what it says of bad input."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def nxn(n: int = 24, *, slow: int | None = None) -> str:
    """Rows of mpi_nxnlatbw: 3 groups of 8, nearer by 10 %, 1 % noise; one host slower by 30 %."""
    rng = np.random.default_rng(1)
    rows = [
        (
            a,
            b,
            (1 + 0.1 * (a // 8 != b // 8) + 0.3 * (slow in (a, b)) + 0.01 * rng.standard_normal()),
        )
        for a in range(n)
        for b in range(n)
        if a != b
    ]
    return "".join(f"{a},{b},{latency:.3f},{12000 + a:.1f} \n" for a, b, latency in rows)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "nxn.out"
    path.write_text(nxn())
    return path


def test_groups_and_peaks_are_printed(lacis: Lacis, file: Path) -> None:
    result = lacis("explain", "--measured", file, "--what", "latency")
    assert result.status == 0, result.err
    assert "3 groups of 8 hosts" in result.out
    assert "rank[0-7]" in result.out
    assert "552 of 552 ordered pairs" in result.out
    # 3 · 8 · 7 ordered pairs inside groups.
    assert "168" in result.out
    assert "No host stands out" in result.out


def test_json_has_the_groups(lacis: Lacis, file: Path) -> None:
    content = json.loads(lacis("explain", "--measured", file, "--what", "latency", "--json").out)["structure"]
    [grouping] = content["groupings"]
    assert [len(group) for group in grouping["groups"]] == [8, 8, 8]
    assert content["leaves"] is None
    assert content["jitter"] is None


def test_a_slow_host_is_a_no(lacis: Lacis, file: Path) -> None:
    file.write_text(nxn(slow=5))
    result = lacis("explain", "--measured", file, "--what", "latency")
    assert result.status == 1
    assert "rank 5 stands out: sending and receiving" in result.out
    assert "3 groups of 8 hosts" in result.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1,1.0,12000.5 \n1,0,1.1,12000.5 \n", "fewer than 3 hosts"),
        ("nothing here\n", "nxn.out"),
        ("", "nxn.out"),
    ],
)
def test_a_file_without_usable_pairs_is_one_line(lacis: Lacis, file: Path, text: str, message: str) -> None:
    file.write_text(text)
    result = lacis("explain", "--measured", file)
    assert result.status == 2
    assert message in result.err
    assert result.err.count("\n") == 1


@pytest.mark.slow
def test_figures_are_whole_and_small(lacis: Lacis, file: Path, tmp_path: Path) -> None:
    result = lacis("explain", "--measured", file, "--what", "latency", "--figures", tmp_path / "figures")
    assert result.status == 0, result.err
    made = sorted(path.name for path in (tmp_path / "figures").iterdir())
    names = ("hosts", "rest", "spectrum", "values")
    assert made == sorted(f"{name}.{kind}" for name in names for kind in ("svg", "png"))
    for name in names:
        text = (tmp_path / "figures" / f"{name}.svg").read_text()
        assert text.rstrip().endswith("</svg>")
        assert "measured" in text
        assert (tmp_path / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_folder_that_cannot_be_made_is_one_line(lacis: Lacis, file: Path) -> None:
    result = lacis("explain", "--measured", file, "--figures", file / "below")
    assert result.status == 2
    assert result.err.count("\n") == 1
    assert "cannot be made" in result.err


def fat_tree(tmp_path: Path, swapped: bool) -> Path:
    """A latency matrix of the 32 hosts of fat-tree:8,2, 4 on a leaf; two names swapped or not."""
    rng = np.random.default_rng(2)
    names = [f"node{i:04}" for i in range(1, 33)]
    leaf = np.arange(32) // 4
    if swapped:
        names[1], names[9] = names[9], names[1]
    rows = [
        ",".join(
            [
                name,
                *(f"{1 + 0.1 * (leaf[a] != leaf[b]) + 0.01 * rng.standard_normal():.4f}" for b in range(32)),
            ]
        )
        for a, name in enumerate(names)
    ]
    path = tmp_path / "matrix.csv"
    path.write_text("\n".join([",".join(["host", *names]), *rows]) + "\n")
    return path


@pytest.mark.parametrize("swapped", [False, True])
def test_with_a_fabric_swapped_names_are_found(lacis: Lacis, tmp_path: Path, swapped: bool) -> None:
    matrix = fat_tree(tmp_path, swapped)
    command = (
        "explain",
        "fat-tree:8,2",
        "--measured",
        matrix,
        "--what",
        "latency",
        "--unit",
        "us",
        "--test",
        "nxn",
    )
    result = lacis(*command)
    assert result.status == int(swapped), result.out
    assert ("node0002 is on leaf-01 by the cables, but near to the hosts of leaf-03" in result.out) == swapped
    assert ("node0010 is on leaf-03 by the cables, but near to the hosts of leaf-01" in result.out) == swapped
    assert ("every host is near to the hosts of its own leaf" in result.out) == (not swapped)
    leaves = json.loads(lacis(*command, "--json").out)["structure"]["leaves"]
    assert [host["host"] for host in leaves["misplaced"]] == (["node0002", "node0010"] if swapped else [])


@pytest.mark.slow
def test_the_report_has_a_section_of_what_was_measured(lacis: Lacis, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    matrix = (
        "--measured",
        fat_tree(tmp_path, swapped=True),
        "--test",
        "nxn",
        "--what",
        "latency",
        "--unit",
        "us",
    )
    result = lacis("report", "fat-tree:8,2", *matrix, "-o", page, "--json")
    assert result.status == 0, result.err
    content = json.loads(result.out)
    assert len(content["measured"]["leaves"]["misplaced"]) == 2
    html = page.read_text()
    assert "What was measured" in html
    assert "2 hosts measured among the hosts of another leaf: node0002, node0010" in html
    assert "node0002</td>" in html
    assert "median of what the flows over each link lack" in html
    assert "longer than expected by" in html
    assert html.count('height="10" fill="#') == 60  # the scale of the map, colour by colour
    data = json.loads(html.split('id="measured-data">')[1].split("</script>")[0])
    assert len(data["mean"]) == 32 * 32
    assert data["mean"][0] is None  # the diagonal
    # By hand: 1 µs inside leaves, 1.1 µs between, 1 % noise.
    assert data["low"] == pytest.approx(0.97, abs=0.01)
    assert data["high"] == pytest.approx(1.13, abs=0.01)


def test_names_for_no_measurement_are_an_error(lacis: Lacis) -> None:
    result = lacis("report", "fat-tree:4,2", "--names", "auto")
    assert result.status == 2
    assert "--measured, which is not given" in result.err


@pytest.mark.slow
def test_the_map_of_losses_names_the_link_that_lacks_most(lacis: Lacis, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    names = [f"node{i:04}" for i in range(1, 33)]
    rows = [
        ",".join(
            [
                name,
                *(
                    f"{10000 * (0.7 if a == 5 else 1) * (1 + 0.01 * rng.standard_normal()):.1f}"
                    for _ in names
                ),
            ]
        )
        for a, name in enumerate(names)
    ]
    path = tmp_path / "matrix.csv"
    path.write_text("\n".join([",".join(["host", *names]), *rows]) + "\n")
    figures = tmp_path / "figures"
    lacis("explain", "fat-tree:8,2", "--measured", path, "--test", "nxn", "--what", "bandwidth", "--unit", "MB/s",
          "-R", "ftree", "--figures", figures)  # fmt: skip
    text = (figures / "links.svg").read_text()
    # The host that sends at 70 % is the one suspect: no other link is named or coloured.
    named = re.findall(r"(\w+) HCA-1 port \d+ → (\S+): ([0-9.]+) %", text)
    assert [one[:2] for one in named] == [("node0006", "leaf-02")]
    assert float(named[0][2]) == pytest.approx(30, abs=1.5)
    lines = re.findall(r'stroke="(#[0-9a-f]{6})"', text)
    assert "#c0c0c0" in lines
