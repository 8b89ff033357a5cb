"""The engine `file`: tables and hop matrices dumped of this fabric, of another state of it, or of another fabric,
whole and damaged, load as in OpenSM."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from lacis import _core

from . import opensm
from .compare import Run, conf_of, differences
from .fabrics import FABRICS
from .nets import damaged, grid, irregular, tree2, tree3
from .scores import Count, Scores

if TYPE_CHECKING:
    from lacis.requests.routing import RouteOptions

pytestmark = pytest.mark.oracle


@dataclass(frozen=True)
class Load(Run):
    """A run with tables or hop matrices to load."""

    tables: str | None = None
    matrices: str | None = None

    def opensm(self, net: str, limit_s: float = 60.0, conf: str = "") -> opensm.Outcome:
        """OpenSM's answer."""
        settings, files = conf_of(self.options, self.seed)
        conf += settings
        words = ["-F", "@opensm.conf"] if conf else []
        for flag, name, text in (("-U", "tables", self.tables), ("-M", "matrices", self.matrices)):
            if text is not None:
                words += [flag, f"@{name}"]
                files |= {name: text}
        conf_file = {"opensm.conf": conf}
        return opensm.run(net, self.engines, words, sm=self.sm, files=files | conf_file, limit_s=limit_s)

    def lacis(self, fabric: _core.Fabric) -> _core.Routes:
        """Lacis' answer."""
        tables = None if self.tables is None else _core.read_table_file(self.tables.encode())
        matrices = None if self.matrices is None else _core.read_hop_file(self.matrices.encode())
        settings: RouteOptions = {
            **self.options,
            "sm": self.sm,
            "lfts_file": tables,
            "lid_matrix_file": matrices,
        }
        return _core.route(fabric, self.engines, **settings)


PAIRS: dict[str, Callable[[], tuple[str, str]]] = {
    "two tiers, worn": lambda: (
        tree2(6, 3, 4, 2, seed=301).text(),
        damaged(tree2(6, 3, 4, 2, seed=301), 5, 3).text(),
    ),
    "three tiers, worn": lambda: (
        tree3(3, 3, 2, seed=302).text(),
        damaged(tree3(3, 3, 2, seed=302), 4, 2).text(),
    ),
    "torus, worn": lambda: (
        grid((4, 4), 2, wrap=True, seed=303).text(),
        damaged(grid((4, 4), 2, wrap=True, seed=303), 3, 4).text(),
    ),
    "random, worn": lambda: (
        irregular(12, 9, 4, seed=304).text(),
        damaged(irregular(12, 9, 4, seed=304), 3, 3).text(),
    ),
    "another fabric": lambda: (tree2(5, 3, 4, seed=305).text(), tree2(6, 2, 4, seed=306).text()),
}
"""Net files of two states of a fabric."""


def ends(net: str) -> list[str]:
    """Nodes that a manager may run on."""
    return re.findall(r'^Ca\s+\d+\s+"([^"]+)"(?=[^\n]*\n\[1\])', net, re.M)


def spoilt(text: str, rng: random.Random) -> str:
    """A dump with lines lost, doubled, exchanged and added, and its end missing."""
    lines = text.splitlines()
    for _ in range(rng.randint(1, 12)):
        at = rng.randrange(1, len(lines))
        match rng.randrange(6):
            case 0:
                del lines[at : at + rng.randint(1, 8)]
            case 1:
                lines.insert(at, rng.choice(lines))
            case 2:
                other = rng.randrange(1, len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                lines.insert(at, rng.choice(["# 0x0001 3", "", "hello world", "12 3", "  ", "7 lids dumped"]))
            case 4:
                lines[at] = re.sub(r"(guid 0x[0-9a-f]{8})[0-9a-f]{4}", r"\1beef", lines[at])
            case _:
                lines[at] = re.sub(r" # .*", "", lines[at])
    return "\n".join(lines[: rng.randint(len(lines) // 2, len(lines))]) + "\n"


def harmless(dump: str, net: str, options: RouteOptions) -> str:
    """A dump without entries of LIDs beyond the highest now: OpenSM writes those beyond its tables, and
    crashes at times."""
    lids = opensm.parse_guid2lid(_core.assign_lids(_core.read_fabric(net.encode()), **options))
    highest = max(all_of[-1] for all_of in lids.values())

    def stays(line: str) -> bool:
        named = re.search(r" portguid 0x([0-9a-f]{16}):", line)
        known = named is not None and int(named[1], 16) in lids
        return not line.startswith("0x") or known or int(line[:6], 16) <= highest

    return "".join(f"{line}\n" for line in dump.splitlines() if stays(line))


def compare(name: str, net: str, cases: list[Load], scores: Scores) -> None:
    """Runs both on one fabric."""
    found = []
    for case in cases:
        count = Count()
        found += differences(net, case, count)
        scores.add(name, "file", count)
    assert not [line[-600:] for line in found]


@pytest.mark.parametrize("name", PAIRS)
def test_tables_of_another_state_are_loaded_as_opensm_loads_them(name: str, scores: Scores) -> None:
    rng = random.Random(name)
    before, after = PAIRS[name]()
    cases = []
    for lmc_then, lmc_now in ((0, 0), (2, 0), (0, 1), (2, 1), (1, 2)):
        then = opensm.run(before, "updn,dnup", ["-l", f"{lmc_then}"], sm=rng.choice(ends(before)))
        dumps = [then.dump, spoilt(then.dump, rng)]
        settings: RouteOptions = {"lmc": lmc_now, "sm": rng.choice(ends(after))}
        dumps = [harmless(dump, after, settings) for dump in dumps]
        cases += [Load("file", settings["sm"] or "", {"lmc": lmc_now}, tables=dump) for dump in dumps]
    compare(f"tables of {name}", after, cases, scores)


@pytest.mark.parametrize("name", PAIRS)
def test_hop_matrices_of_another_state_are_loaded_as_opensm_loads_them(name: str, scores: Scores) -> None:
    rng = random.Random(name)
    before, after = PAIRS[name]()
    settings: list[RouteOptions] = [
        {},
        {"lmc": 1},
        {"port_shifting": True},
        {"scatter": 7},
        {"lmc": 2, "port_shifting": True},
    ]
    cases = []
    for number, options in enumerate(settings):
        engine = ("updn,dnup", "dnup", "sssp", "ftree", "minhop")[number]
        then = opensm.run(before, engine, sm=rng.choice(ends(before)))
        matrices = then.dumps["opensm-lid-matrix.dump"]
        texts = (matrices, spoilt(matrices, rng))
        cases += [Load("file", rng.choice(ends(after)), options, matrices=text) for text in texts]
    compare(f"matrices of {name}", after, cases, scores)


def mixed(text: str, rng: random.Random) -> str:
    """Hop matrices with other numbers, also for ports of adapters and for port 0."""

    def other(match: re.Match[str]) -> str:
        return (
            f" {rng.choice([match[1], 'ff', f'{rng.randrange(5):02x}'])}" if rng.random() < 0.2 else match[0]
        )

    return re.sub(r"(?<=[0-9a-f:]) ([0-9a-f]{2})(?= )", other, text)


@pytest.mark.parametrize("name", ["two-tier-24", "torus-4x4", "random-3", "hosts-on-spines"])
def test_hop_matrices_may_say_anything(name: str, scores: Scores) -> None:
    rng = random.Random(name)
    subject = FABRICS[name]()
    then = opensm.run(subject.text, "minhop", sm=subject.idents[0])
    matrices = then.dumps["opensm-lid-matrix.dump"]
    settings: list[RouteOptions] = [
        {},
        {"lmc": 1},
        {"port_shifting": True},
        {"scatter": 3},
        {"order": subject.adapter_port_guids[::2]},
    ]
    cases = [Load("file", subject.idents[0], options, matrices=mixed(matrices, rng)) for options in settings]
    compare(f"matrices of {name}, garbled", subject.text, cases, scores)


def test_tables_and_matrices_together_and_neither(scores: Scores) -> None:
    subject = FABRICS["two-tier-24"]()
    then = opensm.run(subject.text, "updn", sm=subject.idents[3])
    matrices = then.dumps["opensm-lid-matrix.dump"]
    weights: RouteOptions = {"hop_weights": subject.some_hop_weights(random.Random(1))}
    cases = [
        Load("file", subject.idents[0], tables=then.dump, matrices=matrices),
        Load("file", subject.idents[0]),
        Load("file", subject.idents[0], weights),
        Load("file", subject.idents[0], weights, matrices=matrices),
        # Without the option a file is not loaded.
        Load("updn,file", subject.idents[0], tables=then.dump, matrices=matrices),
    ]
    compare("two-tier-24", subject.text, cases, scores)


def test_a_port_that_the_switch_lacks_makes_both_refuse(scores: Scores) -> None:
    subject = FABRICS["two-tier-24"]()
    then = opensm.run(subject.text, "updn")
    for port in (37, 254, 255):
        tables = then.dump.replace(" 001 #", f" {port} #", 1)
        compare("two-tier-24", subject.text, [Load("file,dnup", subject.idents[0], tables=tables)], scores)


def test_our_dumps_load_into_both(scores: Scores) -> None:
    subject = FABRICS["three-tier-18"]()
    routes = _core.route(_core.read_fabric(subject.text.encode()), "updn", roots=list(subject.roots))
    pieces: list[bytes] = []
    routes.dump(pieces.append)
    tables = b"".join(pieces).decode()
    pieces.clear()
    routes.dump_lid_matrix(pieces.append)
    matrices = b"".join(pieces).decode()
    cases = [
        Load("file", subject.idents[5], tables=tables),
        Load("file", subject.idents[0], matrices=matrices),
    ]
    compare("three-tier-18", subject.text, cases, scores)
