"""The time to compare a plan: an NDT of a made-up machine with directors against its dump with some wrong cables.

400 switches: 336 leaves, and 2 directors of 32 chips each, of which the plan lists no inner cables.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

LEAVES, HOSTS, DIRECTORS, BOARDS, SPINES = 336, 20, 2, 16, 16
"""Hosts on each leaf; boards of two chips, and spine chips, in each director."""


def machine() -> tuple[list[tuple[str, int, str, int]], dict[str, int]]:
    """Cables by description and port, and the ports of every node."""
    cables: list[tuple[str, int, str, int]] = []
    free: dict[str, int] = {}

    def plug(name: str) -> int:
        free[name] = free.get(name, 0) + 1
        return free[name]

    chips = [
        f"MF0;CORE-{d}:MCS8500/L{b:02}/U{c}"
        for d in range(DIRECTORS)
        for b in range(1, BOARDS // 2 + 1)
        for c in (1, 2)
    ]
    for leaf in range(LEAVES):
        name = f"MF0;LEAF-{leaf:03}:MQM8700/U1"
        for host in range(HOSTS):
            host_name = f"node{leaf * HOSTS + host:05} ibp11s0f0"
            cables.append((host_name, plug(host_name), name, plug(name)))
        for up in range(6):
            chip = chips[(leaf * 6 + up) % len(chips)]
            cables.append((name, plug(name), chip, plug(chip)))
    for chip in chips:
        director = chip.split("/")[0]
        for spine in range(1, SPINES + 1):
            name = f"{director}/S{spine:02}/U1"
            cables.append((chip, plug(chip), name, plug(name)))
    return cables, free


def dump(cables: list[tuple[str, int, str, int]], ports: dict[str, int]) -> str:
    """As `ibnetdiscover` prints it."""
    peers: dict[str, list[tuple[int, str, int]]] = {name: [] for name in ports}
    for a, p, b, q in cables:
        peers[a].append((p, b, q))
        peers[b].append((q, a, p))
    guid = {name: 0x1000 + 16 * number for number, name in enumerate(ports)}
    ident = {name: f"{'S' if name.startswith('MF0') else 'H'}-{guid[name]:016x}" for name in ports}
    out = []
    for name, cabled in peers.items():
        kind = "Switch" if name.startswith("MF0") else "Ca"
        out.append(
            f"vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x{guid[name]:x}\n{kind.lower()}guid=0x{guid[name]:x}"
        )
        out.append(f'{kind}\t{max(ports[name], 1)} "{ident[name]}"\t\t# "{name}"')
        out += [f'[{p}]\t"{ident[far]}"[{q}]\t\t# "{far}" 4xHDR' for p, far, q in sorted(cabled)]
        out.append("")
    return "\n".join(out)


def plan(cables: list[tuple[str, int, str, int]]) -> str:
    """As an NDT; cables inside of directors are not in it."""

    def end(name: str, port: int) -> str:
        if not name.startswith("MF0;"):
            return f"{name.split()[0]},{name}"
        device, _, position = name.removeprefix("MF0;").partition(":")
        chip = position.split("/")
        if len(chip) == 3:
            return f"{device},Blade {int(chip[1][1:])}_Port {chip[2][1:]}/{port}"
        return f"{device},Port {port}"

    inner = [c for c in cables if c[0].split("/")[0] != c[2].split("/")[0] or "MCS" not in c[0]]
    rows = [f"{end(a, p)},{end(b, q)},Data" for a, p, b, q in inner]
    return "\r\n".join(["#StartDevice,StartPort,EndDevice,EndPort,LinkType", *rows, ""])


def main() -> None:
    """Time five runs of the command."""
    cables, ports = machine()
    draw = random.Random(1)  # noqa: S311 - a drawing, no secret
    wrong = list(cables)
    for _ in range(20):
        i, j = draw.sample(range(len(wrong)), 2)
        wrong[i], wrong[j] = (*wrong[i][:2], *wrong[j][2:]), (*wrong[j][:2], *wrong[i][2:])
    text = plan(cables)
    with TemporaryDirectory() as folder:
        found, planned = Path(folder) / "found.net", Path(folder) / "plan.csv"
        found.write_text(dump(wrong, ports))
        planned.write_text(text, newline="")
        words = [sys.executable, "-c", "from lacis.cli import main; main()"]
        words += ["verify", str(found), "--topology", str(planned)]
        seconds = []
        for _ in range(5):
            begun = time.perf_counter()
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            seconds.append(time.perf_counter() - begun)
    switches = sum(name.startswith("MF0") for name in ports)
    print(f"{switches} switches, {len(cables):,} cables, {text.count(chr(10)) - 1:,} lines of plan")
    print(f"lacis verify --topology, start included: {min(seconds):.2f} to {max(seconds):.2f} s, 5 runs")
    print(done.stdout[:1500], done.stderr[:500])


if __name__ == "__main__":
    main()
