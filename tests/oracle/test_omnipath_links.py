"""What Omni-Path's snapshots say of links, beside the real opareport: lanes lost, error counters, port groups."""

from __future__ import annotations

import os
import random
import re
from typing import TYPE_CHECKING

import pytest
from lacis import _core, health
from lacis.fabric import read
from lacis.facts.found import cables, ports
from lacis.routing.tables import read_tables, write_snapshot

from tests.conftest import shared_data

from . import opareport

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lacis.facts.found.ends import FindingEnd

CASES = ("collide", "lost", "slow", "s1", "pg_hostport")
WIDTHS = (1, 2, 4, 8)
"""The codes of 1 to 4 lanes."""


@pytest.fixture(autouse=True, scope="module")
def opareport_installed() -> None:
    """Skips where opareport is not installed; in CI that is a failure."""
    if opareport.missing():
        reason = f"no opareport: install the Debian package {opareport.PACKAGE}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def case(name: str) -> Path:
    """A snapshot of the cases."""
    data = shared_data()
    if data is None or not (data / "cases" / "omnipath" / f"{name}.xml").exists():
        pytest.skip(f"no shared/data/cases/omnipath/{name}.xml at or above the checkout")
    return data / "cases" / "omnipath" / f"{name}.xml"


def at(end: FindingEnd) -> tuple[int, int]:
    assert end.guid is not None
    return int(str(end.guid), 16), end.port or 0


def slow(snapshot: Path) -> set[frozenset[tuple[int, int]]]:
    """Links below what is enabled, as Lacis finds them."""
    found = health.examine(read(snapshot)).findings
    facts = [it.facts for it in found if isinstance(it.facts, (cables.LinksSlow, cables.LinksNarrow))]
    return {frozenset(at(end) for end in link.cable) for fact in facts for link in fact.links}


def errors(snapshot: Path) -> set[tuple[int, int, str]]:
    """Counters beyond their thresholds, as Lacis finds them."""
    found = health.examine(read(snapshot)).findings
    facts = [it.facts for it in found if isinstance(it.facts, (ports.PortErrors, ports.LinkQualityLow))]
    counts = [count for fact in facts for link in fact.links for count in link.counts]
    return {(*at(count.port), count.counter) for count in counts}


def wrong_groups(snapshot: Path) -> set[tuple[int, int]]:
    """Switches and LIDs whose port groups lead elsewhere, as Lacis finds them."""
    proof = read_tables(read(snapshot), snapshot)[0].verify_port_groups()
    return set() if proof is None else {(guid, lid) for _, guid, lid, *_ in proof[2]}


@pytest.mark.parametrize("name", CASES)
def test_the_cases_are_judged_as_opareport_judges_them(name: str) -> None:
    snapshot = case(name)
    assert slow(snapshot) == opareport.slow_links(snapshot)
    if name == "s1":
        assert errors(snapshot) == opareport.port_errors(snapshot)
    _, wrong = opareport.validate_port_groups(snapshot)
    assert len(wrong_groups(snapshot)) == len(wrong)


def test_what_is_in_the_cases() -> None:
    """By hand: NodeA's link lost lanes; its group at edge1 holds port 1, where NodeA is, for LIDs 6 to 8."""
    link = frozenset({(0x0011750101700000, 1), (0x0011750102600000, 1)})
    assert slow(case("lost")) == slow(case("slow")) == {link}
    assert wrong_groups(case("pg_hostport")) == {(0x0011750102600000, lid) for lid in (6, 7, 8)}


def _edited(text: str, port: str, tags: dict[str, int]) -> str:
    start = text.index(f'<PortInfo id="{port}">')
    end = text.index("</PortInfo>", start)
    block = text[start:end]
    for tag, value in tags.items():
        block = re.sub(rf"<{tag}>\d+", f"<{tag}>{value}", block)
    return text[:start] + block + text[end:]


def _cables(text: str) -> list[tuple[str, str]]:
    """The two ports of each cable, by their ids."""
    ends = re.findall(
        r"<NodeGUID>(0x[0-9a-f]+)</NodeGUID>\s*<PortNum>(\d+)</PortNum>", text[text.index("<Links>") :]
    )
    named = [f"{guid}:{number}" for guid, number in ends]
    return list(zip(named[::2], named[1::2], strict=True))


def _lanes(draw: random.Random, text: str, ends: tuple[str, str]) -> str:
    """Lanes lost in one direction or both, brought up with fewer, or fewer enabled at one end or both."""
    near, far = ends
    full = draw.choice((8, 8, 8, 4))
    ways = [draw.choice([width for width in WIDTHS if width <= full] + [full] * 3) for _ in range(2)]
    enabled = [draw.choice((15, 12, 8, full | 8)) for _ in range(2)]
    for port, sends, receives, may in (
        (near, ways[0], ways[1], enabled[0]),
        (far, ways[1], ways[0], enabled[1]),
    ):
        tags = {
            "LinkWidthActive_Int": full,
            "LinkWidthDowngradeTxActive_Int": sends,
            "LinkWidthDowngradeRxActive_Int": receives,
            "LinkWidthEnabled_Int": may | full,
            "LinkWidthSupported_Int": 15,
            "LinkWidthDowngradeEnabled_Int": may | full,
            "LinkWidthDowngradeSupported_Int": 15,
        }
        text = _edited(text, port, tags)
    return text


def _drawn(spec: str, draw: random.Random, out: Path, change: Callable[[random.Random, str], str]) -> Path:
    fabric = read(spec)
    write_snapshot(_core.route(fabric, "shortestpath"), out)
    out.write_text(change(draw, out.read_text()))
    return out


@pytest.mark.parametrize("seed", range(12))
def test_lanes_are_judged_as_opareport_judges_them(seed: int, tmp_path: Path) -> None:
    def change(draw: random.Random, text: str) -> str:
        for ends in draw.sample(_cables(text), 5):
            text = _lanes(draw, text, ends)
        return text

    spec = ("article", "fat-tree:8,2", "itasca:9")[seed % 3]
    snapshot = _drawn(spec, random.Random(seed), tmp_path / "drawn.xml", change)
    assert slow(snapshot) == opareport.slow_links(snapshot)


@pytest.mark.parametrize("seed", range(8))
def test_counters_are_judged_as_opareport_judges_them(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    text = case("s1").read_text()
    for name in (
        "LinkDowned",
        "RcvErrors",
        "FMConfigErrors",
        "XmitConstraintErrors",
        "UncorrectableErrors",
        "XmitDiscards",
    ):
        first, *others = re.split(rf"<{name}>\d+", text)
        counts = (f"<{name}>{draw.choice((0, 0, 1, 2, 3, 4, 10, 11))}" for _ in others)
        text = first + "".join(count + other for count, other in zip(counts, others, strict=True))
    text = re.sub(r"<LinkQualityIndicator>\d+", lambda _: f"<LinkQualityIndicator>{draw.randint(0, 5)}", text)
    snapshot = tmp_path / "counted.xml"
    snapshot.write_text(text)
    assert errors(snapshot) == opareport.port_errors(snapshot)


@pytest.mark.parametrize("seed", range(12))
def test_port_groups_are_judged_as_opareport_judges_them(seed: int, tmp_path: Path) -> None:
    """A group that gains a port: of a host, of another switch, or one without a cable."""

    def change(draw: random.Random, text: str) -> str:
        masks = list(re.finditer(r'PortGroupNumber="\d+">(0x[0-9a-f]+)<', text))
        if not masks:
            return text
        one = draw.choice(masks)
        mask = int(one[1], 16) | 1 << draw.randint(0, 7)
        return text[: one.start(1)] + f"0x{mask:x}" + text[one.end(1) :]

    spec = ("article", "fat-tree:8,2", "fat-tree:12,2:taper=2")[seed % 3]
    snapshot = _drawn(spec, random.Random(seed), tmp_path / "drawn.xml", change)
    _, wrong = opareport.validate_port_groups(snapshot)
    assert bool(wrong_groups(snapshot)) == bool(wrong), wrong[:3]
