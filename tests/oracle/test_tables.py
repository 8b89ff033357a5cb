"""Every LID and every table entry, against the real OpenSM, fabric by fabric and engine by engine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from lacis import _core

from . import opensm
from .conftest import ENGINES, Count, Scores
from .fabrics import FABRICS, UNDETERMINED, Subject, dgx_subject, guid_list

pytestmark = pytest.mark.oracle

BIG = 500
"""Fabrics of more nodes get fewer runs."""


@dataclass(frozen=True)
class Run:
    """One question put to both: an engine list, GUID lists, and where the subnet manager sits."""

    engines: str
    sm: str
    order: tuple[int, ...] = ()
    roots: tuple[int, ...] | None = None
    cn: tuple[int, ...] | None = None
    io: tuple[int, ...] | None = None
    reverse_hops: int = 0
    connect_roots: bool = False
    seed: int = field(default=0, compare=False)

    def opensm(self, net: str) -> opensm.Outcome:
        """OpenSM's answer."""
        rng = random.Random(self.seed)
        lists = {"-X": self.order or None, "-a": self.roots, "-u": self.cn, "-G": self.io}
        given = {flag: list(guids) for flag, guids in lists.items() if guids is not None}
        files = {f"list{flag}": guid_list(guids, rng) for flag, guids in given.items()}
        options = [word for flag in given for word in (flag, f"@list{flag}")]
        options += ["-H", f"{self.reverse_hops}"] if self.reverse_hops else []
        options += ["-z"] if self.connect_roots else []
        return opensm.run(net, self.engines, options, sm=self.sm, files=files)

    def lacis(self, fabric: _core.Fabric) -> _core.Routes:
        """Lacis' answer."""

        def some(guids: tuple[int, ...] | None) -> list[int] | None:
            return None if guids is None else list(guids)

        return _core.route(
            fabric,
            self.engines,
            sm=self.sm,
            order=list(self.order),
            roots=some(self.roots),
            cn=some(self.cn),
            io=some(self.io),
            reverse_hops=self.reverse_hops,
            connect_roots=self.connect_roots,
        )


def runs(subject: Subject, engine: str, seed: int) -> Iterator[Run]:
    """The questions about one fabric and engine; the subnet manager moves about."""
    rng = random.Random(f"{seed} {engine}")
    idents, adapters = subject.idents, subject.adapter_port_guids
    switches = subject.switch_guids
    big = len(idents) > BIG

    def sm() -> str:
        return rng.choice(idents)

    def some(guids: list[int], share: float) -> tuple[int, ...]:
        return tuple(rng.sample(guids, max(1, round(share * len(guids)))))

    ends = adapters + switches
    order = some(ends, 0.4)
    yield Run(engine, idents[0])
    if engine == "minhop":
        yield Run(engine, sm(), order=order, seed=1)
        if not big:
            yield Run(engine, sm(), order=some(ends, 1.0), seed=2)
        return
    # Where a person would name no roots, some switches serve as such.
    roots = subject.roots or some(switches, 0.2)
    yield Run(engine, sm(), roots=roots, connect_roots=rng.random() < 0.3, seed=3)
    if engine == "updn":
        yield Run(engine, sm(), roots=roots, order=order, connect_roots=True, seed=4)
        if not big:
            yield Run(engine, sm(), order=order, seed=5)
            yield Run(engine, sm(), roots=some(switches, 0.3), seed=6)
        return
    if big:
        return
    yield Run(engine, sm(), roots=roots, connect_roots=True, seed=7)
    io = some(adapters, 0.3)
    cn = tuple(g for g in adapters if g not in io) or tuple(adapters)
    yield Run(engine, sm(), cn=cn, io=io, reverse_hops=rng.randrange(3), seed=8)
    yield Run(engine, sm(), roots=roots, io=io, reverse_hops=1, seed=9)
    # Adapters that hang off the roots or the mids, if any, are what I/O lists are for.
    upper = tuple(subject.adapters_off_leaves())
    if upper:
        low = tuple(g for g in adapters if g not in upper)
        for hops in range(4):
            chosen = roots if hops % 2 else None
            yield Run("ftree,updn", sm(), cn=low, io=upper, roots=chosen, reverse_hops=hops, seed=10 + hops)


def differences(net: str, run: Run, count: Count) -> list[str]:
    """Puts the question to both, counts, and says in words where the answers differ."""
    fabric = _core.read_fabric(net.encode())
    theirs, ours = run.opensm(net), run.lacis(fabric)
    found: list[str] = []
    if theirs.engine != ours.engine_used:
        found.append(
            f"OpenSM used {theirs.engine} {theirs.reasons[-3:]}, Lacis {ours.engine_used} {ours.refusals}"
        )
    if list(theirs.failed) != [engine for engine, _ in ours.refusals]:
        found.append(f"OpenSM: refused {theirs.failed} {theirs.reasons[-3:]}; Lacis: {ours.refusals}")
    lids = dict(zip(ours.lids()[1].tolist(), ours.lids()[0].tolist(), strict=True))
    wrong = [g for g in theirs.lids.keys() | lids.keys() if theirs.lids.get(g) != lids.get(g)]
    found += [f"LID of {g:#x}: OpenSM {theirs.lids.get(g)}, Lacis {lids.get(g)}" for g in sorted(wrong)[:3]]
    switches = [f"{g:#x}" for g in fabric.guids()[: fabric.num_switches].tolist()]
    expected = np.full((len(switches), theirs.max_lid + 1), 255, np.uint8)
    for row, guid in zip(expected, fabric.guids()[: fabric.num_switches].tolist(), strict=True):
        filled = theirs.tables[guid]
        row[list(filled)] = list(filled.values())
    table = ours.table()
    count.runs, count.fell_back = 1, int(theirs.engine not in run.engines)
    count.lids, count.lids_equal = len(theirs.lids), len(theirs.lids.keys() & lids.keys()) - len(wrong)
    # Counted are the LIDs that OpenSM assigned; all other columns have to be empty in both.
    assigned = sorted(theirs.lids.values())
    count.entries = len(switches) * len(assigned)
    if table.shape != expected.shape:
        return [*found, f"tables have the shape {expected.shape} in OpenSM, {table.shape} in Lacis"]
    count.equal = int((table[:, assigned] == expected[:, assigned]).sum())
    unequal = np.argwhere(table != expected)
    found += [
        f"switch {switches[s]} LID {lid}: OpenSM {expected[s, lid]}, Lacis {table[s, lid]}"
        for s, lid in unequal[:5]
    ]
    return [f"{run}: {what}" for what in found]


def compare(name: str, subject: Subject, engine: str, scores: Scores) -> None:
    """All questions about one fabric and engine, two at a time."""
    questions = list(runs(subject, engine, seed=len(subject.text)))
    counts = [Count() for _ in questions]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda q, c: differences(subject.text, q, c), questions, counts))
    for count in counts:
        scores.add(name, engine, count)
    assert not [line for lines in found for line in lines]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FABRICS)
def test_tables_and_lids_are_opensms(name: str, engine: str, scores: Scores) -> None:
    if engine == "ftree" and name in UNDETERMINED:
        scores.left_out[name] = UNDETERMINED[name]
        pytest.skip(f"{name}: {UNDETERMINED[name]}")
    compare(name, FABRICS[name](), engine, scores)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("lids", ["as found", "unset"])
def test_tables_and_lids_of_a_real_cluster_are_opensms(
    dgx: Path, lids: str, engine: str, scores: Scores
) -> None:
    compare(f"dgx-2025, LIDs {lids}", dgx_subject(dgx, keep_lids=lids == "as found"), engine, scores)


def test_the_suite_is_as_wide_as_it_claims() -> None:
    assert len(FABRICS) >= 40
    texts = {make().text for make in FABRICS.values()}
    assert len(texts) == len(FABRICS)
