"""Virtual fabrics, and how many blocks an opafm.xml may have, against the manager's own `config_check`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from lacis.omnipath import opafm

from tests.conftest import one_quick

from .config_check import check, need

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.oracle

APPLICATIONS = {
    "AllOthers": "<Select>UnmatchedServiceID</Select><Select>UnmatchedMGID</Select>",
    "SA": "<Select>SA</Select>",
    "PM": "<Select>pm</Select>",
    "PA": "<ServiceID>0x1100d03c34845555</ServiceID>",
    "X1": "<ServiceID>0x1</ServiceID>",
    "X2": "<ServiceIDRange>0x2-0x9</ServiceIDRange>",
    "Range": "<ServiceIDRange>0x1100d03c34845000-0x1100d03c34846000</ServiceIDRange>",
    "Mask": "<ServiceIDMasked>0x1100d03c34840000*0xffffffffffff0000</ServiceIDMasked>",
    "Both": "<IncludeApplication>SA</IncludeApplication><IncludeApplication>PM</IncludeApplication>",
}
DEVICES = {
    "All": "<Select>All</Select>",
    "Mgmt": "<Select>AllMgmtAllowed</Select>",
    "FIs": "<NodeType>FI</NodeType>",
    "Inside": "<IncludeGroup>All</IncludeGroup>",
}
MANAGEMENT = "<PKey>0x7fff</PKey>"
SERVICES = "".join(f"<Application>{name}</Application>" for name in ("SA", "PA", "PM"))
MEMBERS = "<Member>Mgmt</Member><LimitedMember>All</LimitedMember>"


@pytest.fixture(autouse=True, scope="session")
def oracle_installed() -> None:
    need()


def named(section: str, block: str, blocks: dict[str, str]) -> str:
    inner = "".join(f"<{block}><Name>{name}</Name>{text}</{block}>" for name, text in blocks.items())
    return f"<{section}>{inner}</{section}>"


def fabric(name: str, inner: str, on: int = 1) -> str:
    return f"<VirtualFabric><Name>{name}</Name><Enable>{on}</Enable>{inner}</VirtualFabric>"


def admin(more: str = "") -> str:
    return fabric("Admin", MANAGEMENT + MEMBERS + SERVICES + more)


def other(name: str, more: str = "", on: int = 1) -> str:
    return fabric(name, f"<Member>All</Member><Application>X1</Application>{more}", on)


def document(fabrics: str, *, before: str = "", sm: str = "", fe: str = "", own: str = "") -> str:
    """A document with virtual fabrics, sections before them, tags of the managers, and sections of the instance."""
    common = (
        named("Applications", "Application", APPLICATIONS)
        + named("DeviceGroups", "DeviceGroup", DEVICES)
        + before
    )
    return (
        f'<?xml version="1.0"?>\n<Config><Common>{common}<VirtualFabrics>{fabrics}</VirtualFabrics>\n'
        f"<Shared/><Sm><Start>1</Start>{sm}</Sm><Fe>{fe}</Fe><Pm><Start>1</Start></Pm></Common>\n"
        f"<Fm><Shared><Start>1</Start></Shared><Sm/><Fe/><Pm/>{own}</Fm></Config>\n"
    )


def agree(path: Path, text: str) -> bool:
    """Whether both pass a document, once they agree about it."""
    path.write_text(text)
    errors = [one.text for one in opafm.findings(opafm.read(path)) if one.severity == "error"]
    passes = check(path)[0]
    assert passes == (not errors), (errors, text)
    return passes


def quality(drawn: random.Random, chance: float = 0.7) -> str:
    """Quality of service of a virtual fabric: a share, a priority, levels, some of them or none."""
    inner = "<QOS>1</QOS>" if drawn.random() < chance else drawn.choice(["", "<QOS>0</QOS>"])
    if drawn.random() < 0.7:
        inner += f"<Bandwidth>{drawn.choice([5, 10, 20, 30, 35, 40, 60, 90, 94, 95, 100])}%</Bandwidth>"
    if drawn.random() < 0.2:
        inner += "<HighPriority>1</HighPriority>"
    if drawn.random() < 0.15:
        inner += f"<BaseSL>{drawn.randint(0, 3)}</BaseSL>"
        if drawn.random() < 0.5:
            inner += f"<MulticastSL>{drawn.randint(0, 3)}</MulticastSL>"
    return inner


@pytest.mark.parametrize("seed", one_quick(range(3)))
def test_shares_of_bandwidth_are_refused_as_config_check_refuses_them(tmp_path: Path, seed: int) -> None:
    drawn = random.Random(seed)
    passed = []
    for _ in range(20):
        fabrics = [admin(quality(drawn, 0.3))]
        for number in range(drawn.randint(0, 3)):
            standby = "<Standby>1</Standby>" if drawn.random() < 0.1 else ""
            fabrics.append(other(f"V{number}", quality(drawn) + standby, int(drawn.random() < 0.85)))
        last = fabrics.pop() if len(fabrics) > 1 and drawn.random() < 0.3 else ""
        own = f"<VirtualFabrics>{last}</VirtualFabrics>" if last else ""
        passed.append(agree(tmp_path / "opafm.xml", document("".join(fabrics), own=own)))
    assert len(set(passed)) == 2


@pytest.mark.parametrize("seed", one_quick(range(3)))
def test_shares_and_levels_of_groups_are_refused_as_config_check_refuses_them(
    tmp_path: Path, seed: int
) -> None:
    drawn = random.Random(seed)
    passed = []
    for _ in range(20):
        groups = ""
        for name in "ghi":
            inner = quality(drawn).replace("<QOS>1</QOS>", "").replace("<QOS>0</QOS>", "")
            on = int(name == "g" or drawn.random() < 0.9)
            groups += f"<QOSGroup><Name>{name}</Name><Enable>{on}</Enable>{inner}</QOSGroup>"
        fabrics = admin("<QOSGroup>g</QOSGroup>")
        for number in range(drawn.randint(0, 2)):
            group = f"<QOSGroup>{drawn.choice('ghi')}</QOSGroup><PKey>0x{number + 2}</PKey>"
            fabrics += other(f"V{number}", group, int(drawn.random() < 0.9))
        text = document(fabrics, before=f"<QOSGroups>{groups}</QOSGroups>")
        passed.append(agree(tmp_path / "opafm.xml", text))
    assert len(set(passed)) == 2


@pytest.mark.parametrize("seed", one_quick(range(3)))
def test_who_has_the_key_of_management_is_what_config_check_asks_for(tmp_path: Path, seed: int) -> None:
    drawn = random.Random(seed)
    passed = []
    for _ in range(20):
        fabrics = []
        services = drawn.choice(
            [["SA PM PA"], ["SA PM", "PA"], ["SA", "PM PA"], ["Both Mask"], ["SA PM Range"]]
        )
        if drawn.random() < 0.3:
            services = [*services, drawn.choice(["SA", "PM", "PA", "Range", "X1", "X1 SA", "AllOthers"])]
        for number, names in enumerate(services):
            key = MANAGEMENT if drawn.random() < 0.9 else drawn.choice(["", "<PKey>0x2</PKey>"])
            members = MEMBERS if drawn.random() < 0.8 else ""
            if not members:
                chosen = drawn.choices(sorted(DEVICES), k=2)
                members = f"<Member>{chosen[0]}</Member><LimitedMember>{chosen[1]}</LimitedMember>"
            applications = "".join(f"<Application>{name}</Application>" for name in names.split())
            standby = "<Standby>1</Standby>" if drawn.random() < 0.05 else ""
            on = int(drawn.random() < 0.95)
            fabrics.append(fabric(f"V{number}", key + members + applications + standby, on))
        if drawn.random() < 0.5:
            key = drawn.choice(["", "<PKey>0x3</PKey>", "<PKey>0x3</PKey>", "<PKey>7FFF</PKey>"])
            fabrics.append(other("X", key, int(drawn.random() < 0.9)))
        drawn.shuffle(fabrics)
        passed.append(agree(tmp_path / "opafm.xml", document("".join(fabrics))))
    assert len(set(passed)) == 2


def ports(numbers: range, on: int = 1) -> str:
    return "".join(
        f"<PmPortGroup><Name>G{number}</Name><Monitor>All</Monitor><Enable>{on}</Enable></PmPortGroup>"
        for number in numbers
    )


def dimensions(count: int, inner: str = "") -> str:
    return "".join(
        f"<Dimension><PortPair>{2 * at + 1},{2 * at + 2}</PortPair><Length>3</Length>{inner}</Dimension>"
        for at in range(count)
    )


def torus(inner: str, algorithm: str = "") -> str:
    return (
        f"{f'<RoutingAlgorithm>{algorithm}</RoutingAlgorithm>' if algorithm else ''}"
        f"<MeshTorusTopology>{inner}</MeshTorusTopology>"
    )


def sm(inner: str) -> str:
    return document(admin(), sm=inner)


def before(section: str, inner: str, own: str = "") -> str:
    more = f"<{section}>{own}</{section}>" if own else ""
    return document(admin(), before=f"<{section}>{inner}</{section}>", own=more)


def traps(*numbers: object) -> str:
    inner = "".join(f"<TrapNumber>{number}</TrapNumber>" for number in numbers)
    return document(admin(), fe=f"<TrapSubscriptions>{inner}</TrapSubscriptions>")


LIMITS = {
    "the highest LID of a host": (sm("<LID>0xbffe</LID>"), True),
    "a LID of multicast": (sm("<LID>0xbfff</LID>"), False),
    "a LID of more than 16 bits": (sm("<LID>0x10000</LID>"), False),
    "no LID": (sm("<LID>0</LID>"), True),
    "eight groups of ports": (before("PmPortGroups", ports(range(8))), True),
    "nine groups of ports": (before("PmPortGroups", ports(range(9))), False),
    "nine groups of ports, one of them off": (
        before("PmPortGroups", ports(range(8)) + ports(range(8, 9), 0)),
        True,
    ),
    "eight groups of ports, three of an instance": (
        before("PmPortGroups", ports(range(5)), ports(range(5, 8))),
        True,
    ),
    "nine groups of ports, four of an instance": (
        before("PmPortGroups", ports(range(5)), ports(range(5, 9))),
        False,
    ),
    "five monitors of a group": (
        before("PmPortGroups", ports(range(1)).replace("<Mon", "<Monitor>FIs</Monitor>" * 4 + "<Mon")),
        True,
    ),
    "six monitors of a group": (
        before("PmPortGroups", ports(range(1)).replace("<Mon", "<Monitor>FIs</Monitor>" * 5 + "<Mon")),
        False,
    ),
    "twenty dimensions": (sm(torus(dimensions(20))), True),
    "twenty-one dimensions": (sm(torus(dimensions(21))), False),
    "six rings": (sm(torus(dimensions(6, "<Toroidal>1</Toroidal>"))), True),
    "seven rings": (sm(torus(dimensions(7, "<Toroidal>1</Toroidal>"))), False),
    "a port in two dimensions": (sm(torus(dimensions(2).replace("3,4", "2,3"))), False),
    "a port in two pairs of one dimension": (
        sm(torus(dimensions(1).replace("</PortPair>", "</PortPair><PortPair>2,3</PortPair>"))),
        False,
    ),
    "an order of no dimensions": (sm(torus("", "dor")), False),
    "an order of dimensions": (sm(torus(dimensions(1), "dor")), True),
    "an order of dimensions that no section names": (sm("<RoutingAlgorithm>dor</RoutingAlgorithm>"), True),
    "many traps": (traps(64, 69, 128, 131, 144, 145, 256, 259), True),
    "a trap that there is not": (traps(64, 70), False),
    "a trap before all": (traps(63), False),
    "a trap after all": (traps(260), False),
    "more traps than are heeded": (traps(*[64] * 25), True),
    "32 groups of qualities": (
        document(
            admin("<QOSGroup>q0</QOSGroup>"),
            before=named("QOSGroups", "QOSGroup", {f"q{at}": "<Enable>1</Enable>" for at in range(32)}),
        ),
        True,
    ),
    "33 groups of qualities": (
        document(
            admin("<QOSGroup>q0</QOSGroup>"),
            before=named("QOSGroups", "QOSGroup", {f"q{at}": "<Enable>1</Enable>" for at in range(33)}),
        ),
        False,
    ),
    "31 virtual fabrics of quality": (
        document(admin() + "".join(other(f"V{at}", "<QOS>1</QOS>") for at in range(31))),
        True,
    ),
    "32 virtual fabrics of quality": (
        document(admin() + "".join(other(f"V{at}", "<QOS>1</QOS>") for at in range(32))),
        False,
    ),
    "64 applications of a virtual fabric": (
        document(admin() + other("V", "<Application>X2</Application>" * 63)),
        True,
    ),
    "65 applications of a virtual fabric": (
        document(admin() + other("V", "<Application>X2</Application>" * 64)),
        False,
    ),
    "no virtual fabric": (document(""), False),
    "no section of them": (document("").replace("<VirtualFabrics></VirtualFabrics>", ""), False),
}


@pytest.mark.parametrize("name", LIMITS)
def test_what_there_is_too_much_of_is_what_config_check_refuses(tmp_path: Path, name: str) -> None:
    text, passes = LIMITS[name]
    assert agree(tmp_path / "opafm.xml", text) == passes
