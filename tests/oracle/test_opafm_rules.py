"""Words, forms and rules between tags of an opafm.xml, against the manager's own `config_check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis.facts.found.settings import NumberRounded
from lacis.omnipath import opafm

from .config_check import HEAD, check, document, element, need, sums

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.oracle


@pytest.fixture(autouse=True, scope="session")
def oracle_installed() -> None:
    need()


# What `config_check` was asked about words and forms: section, what stands beside the tag, tag, values.
WORDS = [
    ("Applications/Application", "<Name>N</Name>", "Select", ["SA", "pm", "UnmatchedMGID", "SM", ""]),
    ("Applications/Application", "<Name>N</Name>", "MGID", ["0xa:0", "0xabc:0x12", "0xa", "TBD"]),
    ("Applications/Application", "<Name>N</Name>", "MGIDMasked", ["0xa:0*0xff:0", "0xa:0"]),
    ("Applications/Application", "<Name>N</Name>", "MGIDRange", ["0xa:0-0xb:0", "0xa:0*0xff:0"]),
    ("Applications/Application", "<Name>N</Name>", "ServiceID", ["0x1234567812345678", "7", "TBD", ""]),
    ("Applications/Application", "<Name>N</Name>", "ServiceIDMasked", ["0x10*0xff", "0x10-0xff"]),
    ("Applications/Application", "<Name>N</Name>", "ServiceIDRange", ["0x1-0xf", "7"]),
    (
        "DeviceGroups/DeviceGroup",
        "<Name>N</Name>",
        "Select",
        ["SWE0", "tfis", "hfidirectconnect", "HFIs", ""],
    ),
    ("DeviceGroups/DeviceGroup", "<Name>N</Name>", "NodeType", ["FI", "sw", "HFI"]),
    ("DeviceGroups/DeviceGroup", "<Name>N</Name>", "NodeGUID", ["0x1", "7", "leaf1", ""]),
    ("Sm", "", "PathSelection", ["minimal", "OrderAll", "SrcDst"]),
    ("Sm", "", "LidStrategy", ["serial", "Random", ""]),
    ("Sm/HFILinkPolicy/WidthPolicy", "", "Policy", ["4X", "1x", ""]),
    ("Sm/ISLLinkPolicy/WidthPolicy", "<Enable>0</Enable>", "Policy", ["none"]),
    ("Sm/HFILinkPolicy/SpeedPolicy", "", "Policy", ["supported", "25g"]),
    ("Sm/CongestionControl/Fi", "", "Basis", ["SL", "x"]),
    ("Sm/Preemption", "", "SmallPacket", ["max", "0x100", "INF", "1.5"]),
    ("Sm/Preemption", "", "LargePacket", ["--3"]),
    ("Sm/Preemption", "", "PreemptLimit", ["INF", "Infinite"]),
    (
        "Sm/MeshTorusTopology/Dimension",
        "<Length>3</Length>",
        "PortPair",
        ["1, 2", "1", "256,1"],
    ),
    ("Shared", "", "CoreDumpLimit", ["1 M", "10m"]),
    ("Sm", "", "VL15CreditRate", ["21", "22"]),
    ("Sm", "", "LftMultiblock", ["1", "0"]),
    ("Sm", "", "MulticastMask", ["7", "8"]),
    ("Pm", "", "SweepInterval", ["43200", "0"]),
    ("Shared", "", "ConfigConsistencyCheckLevel", ["2", "3"]),
    ("Sm", "", "CableInfoPolicy", ["bylink", "None", "all"]),
    ("Sm", "", "SyslogFacility", ["", "local6", "Local6", "local9"]),
    ("Sm", "", "PKey_8B", ["0x7ffe", "0", "32766", "8192", "x"]),
    ("Sm/PreDefinedTopology/FieldEnforcement", "", "NodeDesc", ["warn", "Enabled", "1", ""]),
    ("Sm/Multicast/MulticastGroup", "<Create>1</Create>", "MTU", ["2048", "unlimited", "256", "2K"]),
    ("Sm/Multicast/MulticastGroup", "<Create>1</Create>", "Rate", ["25G", "37.5g", "10g", ""]),
    ("Sm/Multicast/MulticastGroup", "<Create>1</Create>", "PKey", ["0x7fff", "0x8001", "0", "x"]),
    ("Sm/Multicast/MulticastGroup", "<Create>1</Create>", "MGID", ["0xabc:0x12", "7"]),
]


@pytest.mark.parametrize(("section", "beside", "tag", "values"), WORDS)
def test_words_and_forms_are_those_that_config_check_takes(
    tmp_path: Path, section: str, beside: str, tag: str, values: list[str]
) -> None:
    path = tmp_path / "opafm.xml"
    for value in values:
        path.write_text(document(element(section, f"{beside}<{tag}>{value}</{tag}>"), ""))
        errors = [one for one in opafm.findings(opafm.read(path)) if one.severity == "error"]
        assert check(path)[0] == (not errors), (value, errors)


def fabric(inner: str, on: int = 1) -> str:
    return element("VirtualFabrics/VirtualFabric", f"<Enable>{on}</Enable>{inner}")


def group(inner: str) -> str:
    return element("QOSGroups/QOSGroup", f"<Enable>1</Enable>{inner}")


OF_ALL = "<PKey>0x7fff</PKey><Security>1</Security><Member>All</Member><Application>All</Application>"
BASE = element("Sm/PreDefinedTopology", "<Enable>1</Enable><TopologyFilename>/x</TopologyFilename>")
FLAPPING = (
    "<Enable>1</Enable><Flapping><HighThreshold>{}</HighThreshold><LowThreshold>{}</LowThreshold></Flapping>"
)
SHARE = "<Enable>1</Enable><MGIDMask>0xff:0</MGIDMask><MGIDValue>0xff:0</MGIDValue><MaxMLIDs>10</MaxMLIDs>"
RULES = {
    # Names of blocks.
    "a fabric of its own name": fabric(f"<Name>B</Name>{OF_ALL}"),
    "a fabric without a name": fabric(OF_ALL),
    "a fabric that is off without a name": fabric("", 0),
    "a second fabric of a name": fabric(f"<Name>Default</Name>{OF_ALL}"),
    "an application without a name": element("Applications/Application", "<Select>SA</Select>"),
    "a second application of a name": element(
        "Applications/Application", "<Name>All</Name><Select>SA</Select>"
    ),
    "a group of devices without a name": element("DeviceGroups/DeviceGroup", "<Select>All</Select>"),
    "a group of ports of the manager's": element(
        "PmPortGroups/PmPortGroup", "<Name>SWs</Name><Enable>1</Enable>"
    ),
    "a group of ports without a name": element("PmPortGroups/PmPortGroup", "<Enable>0</Enable>"),
    # What a fabric that is on must have.
    "no member": fabric(f"<Name>B</Name>{OF_ALL}".replace("<Member>All</Member>", "")),
    "no member, off": fabric("<Name>B</Name>", 0),
    "no application": fabric(f"<Name>B</Name>{OF_ALL}".replace("<Application>All</Application>", "")),
    "an application that is not defined, without a word whether it is on": element(
        "VirtualFabrics/VirtualFabric", "<Name>B</Name><Application>Nothing</Application>"
    ),
    "a level of 16": fabric(f"<Name>B</Name><QOS>1</QOS><BaseSL>16</BaseSL>{OF_ALL}"),
    "a level of 16 without QOS": fabric(f"<Name>B</Name><BaseSL>16</BaseSL>{OF_ALL}"),
    "no time of life": fabric("<Name>B</Name><PktLifeTimeMult>0</PktLifeTimeMult>", 0),
    # Groups of qualities beside fabrics.
    "a group without a fabric in it": group("<Name>q</Name>"),
    "a group of no share": group("<Name>q</Name><Bandwidth>0%</Bandwidth>"),
    # What LIDs call for.
    "LIDs of a topology that is not there": element("Sm", "<LidStrategy>Topology</LidStrategy>"),
    "LIDs of a topology": element("Sm", "<LidStrategy>Topology</LidStrategy>") + BASE,
    "LIDs of a topology without a file": element("Sm", "<LidStrategy>Topology</LidStrategy>")
    + element("Sm/PreDefinedTopology", "<Enable>1</Enable>"),
    "DSAP by serial LIDs": element("Sm", "<DsapInUse>1</DsapInUse>"),
    # Numbers that must not be above others.
    "thresholds out of order": element("Sm/LongTermPortQuarantine", FLAPPING.format(1, 5)),
    "more shared LIDs a key than there are": element(
        "Sm/Multicast/MLIDShare", f"{SHARE}<MaxMLIDsPerPKey>11</MaxMLIDsPerPKey>"
    ),
    "a share without a mask": element(
        "Sm/Multicast/MLIDShare", "<Enable>0</Enable><MGIDValue>0xff:0</MGIDValue>"
    ),
    "a group's level of 16": element("Sm/Multicast/MulticastGroup", "<SL>16</SL>"),
    # Dimensions.
    "no pair of ports": element("Sm/MeshTorusTopology/Dimension", "<Length>3</Length>"),
    "no length": element("Sm/MeshTorusTopology/Dimension", "<PortPair>1,2</PortPair>"),
    "one port twice": element("Sm/MeshTorusTopology/Dimension", "<Length>3</Length><PortPair>1,1</PortPair>"),
    "one port twice in a ring": element(
        "Sm/MeshTorusTopology/Dimension", "<Length>2</Length><Toroidal>1</Toroidal><PortPair>1,1</PortPair>"
    ),
}


def with_rule(text: str) -> str:
    """A document with an element in the section that it has already, if it has."""
    section = text[1 : text.index(">")]
    whole = document("", "")
    if section == "QOSGroups":
        return whole.replace("<VirtualFabrics>", f"{text}<VirtualFabrics>")
    if f"</{section}>" not in HEAD or section == "Sm":
        return document(text, "")
    inner = text.removeprefix(f"<{section}>").removesuffix(f"</{section}>")
    return whole.replace(f"</{section}>", f"{inner}</{section}>")


@pytest.mark.parametrize("name", RULES)
def test_rules_between_tags_are_those_of_config_check(tmp_path: Path, name: str) -> None:
    path = tmp_path / "opafm.xml"
    path.write_text(with_rule(RULES[name]))
    errors = [one for one in opafm.findings(opafm.read(path)) if one.severity == "error"]
    assert check(path)[0] == (not errors), errors


@pytest.mark.parametrize(
    ("own", "passes"),
    [
        ("<QOSGroup>q</QOSGroup>", True),
        ("<QOSGroup>q</QOSGroup><QOS>1</QOS>", False),
        ("<QOSGroup>q</QOSGroup><PreemptRank>1</PreemptRank>", False),
        ("<QOSGroup>off</QOSGroup>", False),
        ("<QOS>0</QOS>", False),
        ("", False),
    ],
)
def test_fabrics_beside_groups_of_qualities_have_one_and_nothing_else(
    tmp_path: Path, own: str, passes: bool
) -> None:
    off = "<QOSGroup><Name>off</Name><Enable>0</Enable></QOSGroup>"
    groups = f"<QOSGroups><QOSGroup><Name>q</Name><Enable>1</Enable></QOSGroup>{off}</QOSGroups>"
    text = document("", "").replace("<VirtualFabrics>", f"{groups}<VirtualFabrics>")
    path = tmp_path / "opafm.xml"
    path.write_text(text.replace("</VirtualFabric>", f"{own}</VirtualFabric>"))
    errors = [one for one in opafm.findings(opafm.read(path)) if one.severity == "error"]
    assert check(path)[0] == passes == (not errors), errors


@pytest.mark.parametrize(
    ("tag", "values"),
    [
        ("SmallPacket", ["33", "-1"]),
        ("LargePacket", ["256", "513"]),
        ("PreemptLimit", ["1", "65025"]),
    ],
)
def test_a_size_that_the_manager_rounds_is_named_with_what_it_takes(
    tmp_path: Path, tag: str, values: list[str]
) -> None:
    """Both documents have one checksum."""
    path = tmp_path / "opafm.xml"

    def of(value: object) -> list[str]:
        return sums(path, document(element("Sm/Preemption", f"<{tag}>{value}</{tag}>"), ""))

    for value in values:
        asked = of(value)
        [one] = [f.facts for f in opafm.findings(opafm.read(path)) if isinstance(f.facts, NumberRounded)]
        assert asked
        assert of(one.taken) == asked, one
        assert not [f for f in opafm.findings(opafm.read(path)) if isinstance(f.facts, NumberRounded)]
