"""Every LID, against the real OpenSM: LMC, the LID cache, LIDs that ports report, the manager's node."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.errors import LacisError

from . import opensm
from .compare import Run
from .fabrics import FABRICS, preset
from .nets import tree2

if TYPE_CHECKING:
    from lacis.requests.routing import RouteOptions

pytestmark = pytest.mark.oracle

STARS = 60
"""Random subnets of one switch."""


def star(rng: random.Random, highest: int, lmc: int) -> tuple[str, list[int], list[str]]:
    """A net file of up to 13 hosts on one switch that report LIDs up to ``highest``, some of them twice;
    its end ports' GUIDs and its nodes."""

    def reported() -> tuple[int, int]:
        # A port that reports a larger LMC than it is to have makes OpenSM's first sweep fail.
        lid = rng.choice([0, rng.randrange(1, highest)])
        return lid, rng.choice([0, lmc]) if lid else 0

    hosts = [
        (n << 8 | rng.choice([0, rng.randrange(255)]), *reported()) for n in rng.sample(range(1, 1024), 14)
    ]
    guid, lid, _ = hosts.pop()
    hosts = hosts[: rng.randint(1, len(hosts))]
    kind = rng.choice(["base", "enhanced"])
    lines = [f'switchguid=0x{guid:x}({guid:x})\nSwitch 36 "S-{guid:x}" # "sw" {kind} port 0 lid {lid} lmc 0']
    lines += [f'[{i}] "H-{h:x}"[1]({h + 1:x}) # "" lid {own} 4xQDR' for i, (h, own, _) in enumerate(hosts, 1)]
    for i, (host, own, bits) in enumerate(hosts, 1):
        lines.append(f'\ncaguid=0x{host:x}\nCa 1 "H-{host:x}" # "h{i}"')
        lines.append(f'[1]({host + 1:x}) "S-{guid:x}"[{i}] # lid {own} lmc {bits} "sw" lid {lid} 4xQDR')
    ports = [host + 1 for host, _, _ in hosts] + [guid]
    return "\n".join(lines) + "\n", ports, [f"H-{h:x}" for h, _, _ in hosts] + [f"S-{guid:x}"]


def cache(rng: random.Random, ports: list[int], lmc: int, highest: int) -> list[tuple[int, int, int]]:
    """Entries for some of the ports and for absent ones; some misaligned, too narrow or contradictory."""
    known = ports + [rng.getrandbits(48) for _ in range(rng.randint(0, 5))]
    entries = []
    for guid in rng.sample(known, rng.randint(1, len(known))):
        first = rng.randrange(1, highest)
        if rng.random() < 0.6:
            first = (first >> lmc << lmc) or first
        entries.append(
            (guid, first, first + rng.choice([0, (1 << lmc) - 1, (1 << lmc) - 1, rng.randrange(9)]))
        )
    return entries


def ask(seed: int) -> tuple[str, Run]:
    """A random subnet and its manager's options."""
    rng = random.Random(seed)
    highest = rng.choice([8, 20, 60, 200])
    lmc = rng.choice([0, 0, 1, 1, 2, 3, 4, 7])
    net, ports, nodes = star(rng, highest, lmc)
    settings: RouteOptions = {"lmc": lmc, "lmc_esp0": rng.random() < 0.4, "fresh_lids": rng.random() < 0.12}
    if rng.random() < 0.7:
        settings["guid2lid"] = cache(rng, ports, lmc, highest)
    return net, Run("minhop", rng.choice(nodes), settings)


def differences(net: str, run: Run) -> list[str]:
    """Lines of OpenSM's cache after its sweep that differ from ours."""
    fabric = _core.read_fabric(net.encode())
    settings: RouteOptions = {**run.options, "sm": run.sm}
    ours = opensm.parse_guid2lid(_core.assign_lids(fabric, **settings))
    present = [lid for guid, lids in ours.items() if f"{guid:x}" in net for lid in lids]
    if len(present) > len(set(present)):
        # OpenSM notices at the end of its sweep that it gave a LID twice.
        with pytest.raises(opensm.OracleError, match="state_mgr_check_tbl_consistency: ERR"):
            run.opensm(net)
        return []
    theirs = run.opensm(net).lids
    wrong = [guid for guid in sorted(theirs.keys() | ours.keys()) if theirs.get(guid) != ours.get(guid)]
    return [f"{run}: {guid:#x}: OpenSM {theirs.get(guid)}, Lacis {ours.get(guid)}" for guid in wrong]


def all_differences(asked: Iterator[tuple[str, Run]]) -> list[str]:
    """The same for many subnets, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        return [line for lines in pool.map(lambda case: differences(*case), asked) for line in lines]


def test_lids_of_random_stars_are_opensms() -> None:
    assert not all_differences(map(ask, range(STARS)))


@pytest.mark.parametrize("lmc", range(8))
def test_lids_of_whole_fabrics_are_opensms(lmc: int) -> None:
    def cases() -> Iterator[tuple[str, Run]]:
        rng = random.Random(lmc)
        for name in [*rng.sample([n for n in FABRICS if n != "itasca"], 6), "preset-lids", "two-tier-144"]:
            subject = FABRICS[name]()
            yield subject.text, Run("minhop", rng.choice(subject.idents), {"lmc": lmc, "fresh_lids": False})

    assert not all_differences(cases())


@pytest.mark.parametrize(("before", "after"), [(0, 2), (2, 0), (3, 1), (1, 3), (2, 2)])
def test_what_one_sweep_writes_the_next_takes_up(before: int, after: int) -> None:
    subject = FABRICS["uneven-leaves"]()
    nodes = subject.idents
    first = Run("minhop", nodes[0], {"lmc": before}).opensm(subject.text)
    known = [(guid, lids[0], lids[-1]) for guid, lids in first.lids.items()]
    # Another manager, with the cache of the first: LIDs and LMCs as found, and as cabled.
    assert not differences(subject.text, Run("minhop", nodes[-1], {"lmc": after, "guid2lid": known}))


LIMIT_S = 10.0
"""Of a sweep that never ends; others of these fabrics take a second."""


@pytest.mark.parametrize(("seed", "lmc", "ends"), [(3, 1, True), (3, 2, False), (9, 1, False)])
def test_dfsssp_is_refused_where_opensm_follows_a_circle_for_ever(seed: int, lmc: int, *, ends: bool) -> None:
    # Ports report LIDs that do not fit the LMC. OpenSM gives some LID to two of them, and one's path leads
    # away from the other.
    subject = preset(tree2(6, 3, 4, seed=seed), "s")
    fabric = _core.read_fabric(subject.text.encode())
    run = Run("dfsssp", subject.idents[0], {"lmc": lmc})
    if ends:
        assert run.opensm(subject.text).engine == run.lacis(fabric).engine_used == "dfsssp"
        return
    with pytest.raises(opensm.OracleError, match="exit -9"):
        run.opensm(subject.text, limit_s=LIMIT_S)
    with pytest.raises(LacisError, match=r"LID \d+ is given to two ports.*for ever"):
        run.lacis(fabric)


def two_switches_with_one_lid(seed: int) -> tuple[str, str, list[tuple[int, int, int]]]:
    """A net in which OpenSM gives LID 2 to two switches, the manager, and OpenSM's cache.

    Two switches report LID 2, and the cache has another for the later; so 2 counts as free. The first keeps it, and of the two
    switches that report none the later gets it, after 1.
    """
    net = tree2(6, 3, 2, seed=seed)
    for lid, node in enumerate(net.nodes.values(), 10):
        node.lid = lid
    by_guid = sorted(net.switches(), key=lambda node: node.guid.to_bytes(8, "big")[::-1])
    first, cached, none, second = random.Random(seed).sample(by_guid, 4)
    first, cached, none, second = sorted((first, cached, none, second), key=by_guid.index)
    first.lid = cached.lid = 2
    none.lid = second.lid = 0
    return net.text(), net.adapters()[0].ident, [(cached.guid, 90, 90)]


@pytest.mark.parametrize("seed", range(3))
def test_two_switches_with_one_lid_are_refused_by_engines_that_keep_hops(seed: int) -> None:
    text, manager, known = two_switches_with_one_lid(seed)
    fabric = _core.read_fabric(text.encode())
    for engine in ("sssp", "lash"):
        run = Run(engine, manager, {"guid2lid": known})
        theirs, ours = run.opensm(text), run.lacis(fabric)
        assert theirs.engine == ours.engine_used == engine
        assert [lid for lid, _ in ours.doubled] == [2]
        table = dict(zip(fabric.guids()[: fabric.num_switches].tolist(), ours.table(), strict=True))
        lids = ours.lids()[0].tolist()
        assert all(
            theirs.tables[guid].get(lid, 255) == row[lid] for guid, row in table.items() for lid in lids
        )
    for engine in ("minhop", "updn", "dnup", "dor", "ftree", "nue"):
        with pytest.raises(LacisError, match=r"LID 2 is given to two switches, .* not known"):
            Run(engine, manager, {"guid2lid": known}).lacis(fabric)
