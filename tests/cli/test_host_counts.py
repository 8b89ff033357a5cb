"""One count of hosts in every command, and planes of one adapter in each."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import one_quick, shared_data

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

FACTORY = "MT4129 ConnectX7   Mellanox Technologies"


def shared(name: str) -> Path:
    folder = shared_data()
    if folder is None or not (folder / name).is_file():
        pytest.skip(f"no shared/data/{name} at or above the checkout")
    return folder / name


def found(lacis: Lacis, *args: str | Path) -> dict[str, Any]:
    done = lacis(*args, "--json")
    assert done.status in (0, 1), done.err
    document: dict[str, Any] = json.loads(done.out)
    return document


def counts(lacis: Lacis, fabric: str | Path) -> dict[str, tuple[int, int]]:
    """Hosts, and adapters of unknown hosts, as each command counts them."""
    summary = found(lacis, "fabric", fabric)
    rails = found(lacis, "rails", "show", fabric)
    number = {"fabric": (summary["hosts"], summary["unknown"])}
    number["rails"] = (len(rails["hosts"]), len(rails["unknown"]))
    assert summary["inferred"] == rails["inferred"]
    assert len(summary["rails"]) == len(rails["rails"])
    commands: list[tuple[str | Path, ...]] = [("predict", fabric, "--traffic", "shift:1")]
    if summary["switches"] < 30:
        commands += [("survive", fabric), ("simulate", fabric, "--traffic", "shift:1")]
    for command in commands:
        document = found(lacis, *command)
        known = document.get("hosts", sum(document["hosts_by_group"].values()))
        assert known == sum(document["hosts_by_group"].values())
        number[str(command[0])] = (known, document["unknown"])
    # Those that take part alone are adapters of unknown hosts.
    number["order"] = (
        len(found(lacis, "order", fabric, "--by", "name")["hosts"]) - summary["unknown"],
        summary["unknown"],
    )
    if summary["hosts"] > 1:
        env = found(lacis, "rails", "env", "--stack", "nccl", "--use", "1", fabric)
        number["rails env"] = (env["hosts_counted"], summary["unknown"])
        nccl = found(lacis, "rails", "nccl", fabric)
        number["rails nccl"] = (nccl["hosts_of_fabric"], summary["unknown"])
    return number


def one_count(lacis: Lacis, fabric: str | Path) -> tuple[int, int]:
    number = counts(lacis, fabric)
    assert len(set(number.values())) == 1, number
    return number["fabric"]


def test_every_command_counts_the_hosts_of_the_dgx_cluster_alike(lacis: Lacis, dgx: Path) -> None:
    # 120 that descriptions name, 19 that numbered leaf ports imply, `localhost` and `ubuntu`.
    assert one_count(lacis, dgx) == (141, 0)


@pytest.mark.slow
def test_the_page_counts_the_same_hosts_and_says_what_it_leaves_out(
    lacis: Lacis, dgx: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    document = found(lacis, "report", dgx, "-o", page)
    assert document["fabric"]["hosts"] == 141
    assert document["counted"].startswith("141 hosts")
    verified = found(lacis, "verify", dgx, "-R", "minhop")
    # The fullest link of the page is the fullest of `lacis verify`.
    balance = verified["hosts_only"]["balance"]
    assert document["hottest"][0]["flows"] == balance["max"]
    assert document["hottest"][0]["of_mean"] == pytest.approx(balance["max"] / balance["mean"])
    # Eighteen hosts of rack a05 have no rail 3, and `ubuntu` has two rails: their pairs have no figure there.
    assert all(engine["bisection"]["skipped"] > 0 for engine in document["engines"])
    assert "are left out, on a rail that one of the two lacks" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "hosts"),
    [
        pytest.param("selene-2021.ibnetdiscover", None, marks=pytest.mark.slow),
        pytest.param("avakas-2016/fabric.ibnetdiscover-p", None, marks=pytest.mark.slow),
        pytest.param("cases/fabrics/full-leaf.net", 704, marks=pytest.mark.slow),
        pytest.param("cases/fabrics/underfilled-leaf.net", 692, marks=pytest.mark.slow),
        ("cases/fabrics/xdr-planes.ibnetdiscover", 8),
        ("cases/machines/glued-roles.fabric", 30),
        ("cases/machines/plain-roles.fabric", 30),
        ("cases/machines/old-storage.fabric", None),
    ],
)
def test_every_command_counts_the_hosts_of_other_machines_alike(
    lacis: Lacis, tmp_path: Path, name: str, hosts: int | None
) -> None:
    path = shared(name)
    if name.endswith("-p"):
        # Without what the tool says of its own progress.
        kept = [line for line in path.read_text().splitlines() if not line.startswith("DR path")]
        path = tmp_path / "fabric.ibnetdiscover-p"
        path.write_text("\n".join([*kept, ""]))
    known, unknown = one_count(lacis, path)
    if hosts is not None:
        assert (known, unknown) == (hosts, 0)


@pytest.mark.parametrize("seed", one_quick([1, 2, 3]))
def test_names_erased_at_random_change_no_count(lacis: Lacis, tmp_path: Path, seed: int) -> None:
    file = tmp_path / "whole.net"
    lacis("fabric", "fat-tree:12,2:rails=2", "-o", file)
    whole = one_count(lacis, file)
    assert whole == (72, 0)  # 12 leaves of 6 hosts
    draw = random.Random(seed)
    names: dict[str, str] = {}

    def erased(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f'"{FACTORY}"' if draw.random() < 0.15 else match[0])

    text = re.sub(r'"node\d+ HCA-\d"', erased, file.read_text())
    assert FACTORY in text
    part = tmp_path / "part.net"
    part.write_text(text)
    hosts, unknown = one_count(lacis, part)
    assert (hosts, unknown) == whole


def test_planes_of_an_adapter_are_one_adapter_on_one_rail(lacis: Lacis, tmp_path: Path) -> None:
    path = shared("cases/fabrics/xdr-planes.ibnetdiscover")
    # The same with one port GUID for the four planes of an adapter, that of the aggregated port.
    aggregated = re.sub(r"\((e09d7303[0-9a-f]{6})[0-3]0\)", r"(\g<1>00)", path.read_text())
    other = tmp_path / "shared.ibnetdiscover"
    other.write_text(aggregated)
    for fabric in (path, other):
        summary = found(lacis, "fabric", fabric)
        assert summary["findings"] == []
        assert (summary["hosts"], summary["kinds"]["adapters"], summary["planes_per_adapter"]) == (8, 8, 4)
        assert (summary["planes"], len(summary["rails"])) == (4, 1)
        rails = found(lacis, "rails", "show", fabric)
        assert rails["findings"] == []
        assert [(row["adapters"], row["leaves"], row["planes"]) for row in rails["rails"]] == [
            (8, 8, [1, 2, 3, 4])
        ]
        for host in rails["hosts"]:
            assert [row["plane_of_adapter"] for row in host["adapters"]] == [1, 2, 3, 4]
            assert {row["rail"] for row in host["adapters"]} == {1}
        env = found(lacis, "rails", "env", "--stack", "nccl", "--use", "all", fabric)
        assert env["rails"] == ["mlx5_0:1"]
        assert found(lacis, "rails", "nccl", fabric)["channels"] == 1


@pytest.mark.parametrize("form", ["ibnetdiscover", "ibnetdiscover -p", "iblinkinfo --line"])
def test_the_two_ports_of_an_adapter_are_two_rails_of_one_adapter(
    lacis: Lacis, tmp_path: Path, form: str
) -> None:
    # Six hosts with an adapter of two ports, port 1 on one leaf, port 2 on another: two planes.
    file = tmp_path / "fabric"
    file.write_text(_dual_port(form))
    summary = found(lacis, "fabric", file)
    assert (summary["hosts"], summary["kinds"]["adapters"], summary["planes"]) == (6, 6, 2)
    assert [(row["adapters"], row["leaves"]) for row in summary["rails"]] == [(6, 1), (6, 1)]
    assert not {finding["code"] for finding in summary["findings"]} & {"NAME_DUPLICATE", "ISLAND"}
    rails = found(lacis, "rails", "show", file)
    assert [row["planes"] for row in rails["rails"]] == [[1], [2]]
    assert {tuple(a["rail"] for a in host["adapters"]) for host in rails["hosts"]} == {(1, 2)}
    assert found(lacis, "rails", "nccl", file)["channels"] == 2
    assert "on 2 rails" in lacis("predict", file, "--traffic", "shift:1").out
    assert one_count(lacis, file) == (6, 0)


def _dual_port(form: str) -> str:
    """Two switches without a cable between them, and six hosts with a port on either."""
    hosts = range(1, 7)
    lines = []
    if form == "ibnetdiscover":
        for leaf in (1, 2):
            lines.append(
                f'switchguid=0x{leaf}\nSwitch 8 "S-{leaf}" # "leaf-{leaf}" base port 0 lid {leaf} lmc 0'
            )
            lines += [f'[{host}] "H-{0x100 * host:x}"[{leaf}] # 4xHDR' for host in hosts]
            lines.append("")
        for host in hosts:
            lines.append(f'caguid=0x{0x100 * host:x}\nCa 2 "H-{0x100 * host:x}" # "node{host} mlx5_0"')
            lines += [
                f'[{leaf}]({0x100 * host + leaf:x}) "S-{leaf}"[{host}] # lid {10 * host + leaf} lmc 0 4xHDR'
                for leaf in (1, 2)
            ]
            lines.append("")
    for leaf in (1, 2):
        for host in hosts:
            guid, lid = f"0x{0x100 * host + leaf:016x}", 10 * host + leaf
            if form == "ibnetdiscover -p":
                ends = (f"CA {lid:4} {leaf} {guid}", f"SW {leaf:4} {host} 0x{leaf:016x}")
                names = (f"'node{host} mlx5_0'", f"'leaf-{leaf}'")
                for k in (0, 1):
                    lines.append(f"{ends[k]} 4x HDR - {ends[1 - k]} ( {names[k]} - {names[1 - k]} )")
            elif form == "iblinkinfo --line":
                near = f'0x{leaf:016x} "leaf-{leaf}" {leaf:6} {host:4}[  ]'
                state = "4X 53.125 Gbps Active/  LinkUp"
                lines.append(f'{near} ==( {state})==> {guid} {lid:6} {leaf:4}[  ] "node{host} mlx5_0" ( )')
    return "\n".join([*lines, ""])
