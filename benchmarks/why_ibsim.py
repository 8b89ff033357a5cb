"""`python -m benchmarks.why_ibsim [COUNT] [SEED]`: the stories of `stories` on ibsim, read by management packets.

The sweeps of each story are set in the counters of a simulated fabric, with the real OpenSM on it, and read as those of a real one
are, by `lacis counters`; they are dated as in the story. What is not read in a story is not read here
because ibsim loses all packets of its node. PortCounters has 32 bits for XmitWait, which a link at HDR that waits fills in seconds:
adapters that hold up data do not show then, and the right answer is that it cannot be known. Where the truth is that nothing is wrong, the
waiting of the story is divided by a million, so that it fits.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import lacis
import numpy as np
from lacis import why
from lacis.counters import Readings, recording

from tests.oracle import opensm
from tests.oracle.daemon import Daemon, daemon

from .stories import KINDS, Story, draw

FIELDS = {
    "XmitData": "PortCountersExtended.PortXmitData",
    "RcvData": "PortCountersExtended.PortRcvData",
    "XmitWait": "PortCounters.PortXmitWait",
    "SymbolErrors": "PortCounters.SymbolErrorCounter",
    "LinkErrorRecovery": "PortCounters.LinkErrorRecoveryCounter",
    "LinkDowned": "PortCounters.LinkDownedCounter",
    "RcvErrors": "PortCounters.PortRcvErrors",
    "XmitDiscards": "PortCounters.PortXmitDiscards",
    "LocalLinkIntegrityErrors": "PortCounters.LocalLinkIntegrityErrors",
    "ExcessiveBufferOverruns": "PortCounters.ExcessiveBufferOverrunErrors",
    "RcvRemotePhysicalErrors": "PortCounters.PortRcvRemotePhysicalErrors",
    "VL15Dropped": "PortCounters.VL15Dropped",
}
FULL = (1 << 32) - 1


def settings(story: Story, now: Readings, before: Readings | None) -> list[tuple[str, int, str, int]]:
    """What sets counters as a sweep of a story has them; those that are as they were are left."""
    world = story.world
    switches = set(world.fabric.guids()[: world.switches].tolist())
    calm = 1_000_000 if story.kind == "innocent" or story.what.startswith("innocent") else 1
    first = {key: row for row, key in enumerate(_keys(story.sweeps[0]))}
    old = {key: row for row, key in enumerate(_keys(before))} if before is not None else {}
    found = []
    for row, key in enumerate(_keys(now)):
        if key not in first:
            continue
        guid, port = key
        name = f"{'S' if guid in switches else 'H'}-{guid:016x}"
        for counter, attribute in FIELDS.items():
            value = int(now.values[counter][row])
            if counter == "XmitWait":
                value = min((value - int(story.sweeps[0].values[counter][first[key]])) // calm, FULL)
            elif before is not None and key in old and value == int(before.values[counter][old[key]]):
                continue
            found.append((name, port, attribute, value))
    return found


def _keys(readings: Readings) -> list[tuple[int, int]]:
    return list(zip(readings.guids.tolist(), readings.ports.tolist(), strict=True))


def read(running: Daemon, fabric: Path, time: int) -> Readings:
    """What a sweep reads, dated as the story has it."""
    path = running.workdir / f"at-{time}"
    program = "from lacis.cli import main; main()"
    words = [sys.executable, "-c", program, "counters", str(fabric), "-o", str(path)]
    # ibsim's library writes files where its client runs.
    env = {**running.env, "PYTHONPATH": str(Path(lacis.__file__).parents[1])}
    subprocess.run(words, cwd=running.workdir, env=env, timeout=120, check=False, capture_output=True)
    [sweep] = recording.read(path.read_bytes()).sweeps
    return replace(sweep, times=np.full(len(sweep), time), started=time, ended=time)


def is_read_alike(story: Story) -> bool:
    """Whether what a story's sweeps lack can be lost on the way, on one subnet."""
    if "rails" in story.world.spec:
        return False
    return story.kind != "blind" or "unread" in story.what or "gone" in story.what


def judged(story: Story) -> why.Why:
    """What is said of a story whose counters a simulated fabric has."""
    switches = set(story.world.fabric.guids()[: story.world.switches].tolist())
    found: list[Readings] = []
    with daemon(opensm.as_simulated(story.world.fabric.to_net()), story.world.routes.engine_used) as running:
        running.first()
        fabric = running.workdir / "found"
        with fabric.open("wb") as out:
            program = opensm.program("ibnetdiscover") or "ibnetdiscover"
            subprocess.run(
                [program], cwd=running.workdir, env=running.env, stdout=out, timeout=120, check=True
            )
        before = None
        silent: set[int] = set()
        for sweep in story.sweeps:
            running.count(settings(story, sweep, before))
            before = sweep
            unread = {one.guid for one in sweep.unread}
            for guid in unread - silent:
                running.lose(f"{'S' if guid in switches else 'H'}-{guid:016x}", 100)
            silent |= unread
            found.append(read(running, fabric, int(np.median(sweep.times))))
    others = {name: hosts for name, hosts in story.hosts.items() if name != "own"}
    window = why.window(*(int(np.median(story.sweeps[at].times)) for at in (0, -1)))
    return why.examine(
        story.world.routes, story.hosts["own"], why.recordings(*found), window, name="own", others=others
    )


def main() -> int:
    """Draw, set, read, judge, print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    right: Counter[str] = Counter()
    of: Counter[str] = Counter()
    innocent = 0
    for kind in KINDS:
        drawn = (draw(kind, 1000 * seed + number) for number in range(1000))
        usable = (story for story in drawn if is_read_alike(story))
        for number, story in zip(range(count), usable, strict=False):
            found = judged(story)
            label = f"{kind}, slow adapter" if "slow" in story.what and kind == "guilty" else kind
            wanted = "cannot_tell" if kind == "blind" or "slow" in label else kind
            is_right = found.verdict == wanted
            if label == "guilty":
                is_right &= bool(found.guilty) and set(found.guilty[0].ends) == story.culprit
            of[label] += 1
            right[label] += is_right
            innocent += kind != "innocent" and found.verdict == "innocent"
            if not is_right:
                print(f"{kind} {number} ({story.what}): {found.verdict} {found.missing[:3]}", file=sys.stderr)
    print("| stories on ibsim | right | of |\n|---|---:|---:|")
    for label in of:
        print(f"| {label} | {right[label]} | {of[label]} |")
    print(f"| innocent said of others | {innocent} | {sum(of.values()) - of['innocent']} |")
    return int(innocent > 0)


if __name__ == "__main__":
    sys.exit(main())
