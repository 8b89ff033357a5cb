"""Findings about an opafm.xml, against the manager's own `config_check`.

Both refuse the same files, and the tags that it ignores are those that Lacis lists as unknown. `config_check -d` prints the
manager's checksums: documents of one checksum mean the same to it.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from lacis.facts.found.settings import Negative, NumberRounded, TagMisplaced, TagUnknown, TextInSection
from lacis.omnipath import opafm

pytestmark = pytest.mark.oracle

CHECK = Path("/usr/lib/opa-fm/bin/config_check")
SHIPPED = Path("/etc/opa-fm/opafm.xml")
ON = "<Enable>1</Enable><Algorithm>2</Algorithm>"


@pytest.fixture(autouse=True, scope="session")
def oracle_installed() -> None:
    """Skips where the manager is not installed; in CI that is a failure."""
    if CHECK.exists() and SHIPPED.exists():
        return
    reason = "no config_check: install the Debian package opa-fm"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def check(path: Path) -> tuple[bool, list[str]]:
    """Whether `config_check` accepts a file, and the tags that it ignores."""
    done = subprocess.run(
        [CHECK, "-s", "-v", "-c", str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    ignored = re.findall(r"Unexpected tag ignored: (\S+)", done.stdout + done.stderr)
    return done.returncode == 0, sorted(set(ignored))


def adaptive(inner: str) -> tuple[str, str]:
    return "<AdaptiveRouting>.*?</AdaptiveRouting>", f"<AdaptiveRouting>{inner}</AdaptiveRouting>"


CASES = {
    "as shipped": None,
    "no algorithm, on": adaptive("<Enable>1</Enable>"),
    "no algorithm, off": adaptive("<Enable>0</Enable>"),
    "algorithm 5": adaptive("<Enable>1</Enable><Algorithm>5</Algorithm>"),
    "algorithm 5, off": adaptive("<Enable>0</Enable><Algorithm>5</Algorithm>"),
    "threshold 9": adaptive(f"{ON}<Threshold>9</Threshold>"),
    "threshold 9, off": adaptive("<Enable>0</Enable><Algorithm>2</Algorithm><Threshold>9</Threshold>"),
    "threshold 7": adaptive(f"{ON}<Threshold>7</Threshold>"),
    "frequency 12": adaptive(f"{ON}<ARFrequency>12</ARFrequency>"),
    "frequency 300": adaptive(f"{ON}<ARFrequency>300</ARFrequency>"),
    "frequency -1": adaptive(f"{ON}<ARFrequency>-1</ARFrequency>"),
    "frequency empty": adaptive(f"{ON}<ARFrequency></ARFrequency>"),
    "enable yes": adaptive("<Enable>yes</Enable><Algorithm>2</Algorithm>"),
    "hexadecimal": adaptive("<Enable>0x1</Enable><Algorithm>0x1</Algorithm>"),
    "misspelt": adaptive(f"{ON}<Treshold>3</Treshold>"),
    "algorithm bogus": ("<RoutingAlgorithm>shortestpath", "<RoutingAlgorithm>bogus"),
    "nine tiers": ("<TierCount>3", "<TierCount>9"),
    "LMC 9": ("<Lmc>0<", "<Lmc>9<"),
    "LMC text": ("<Lmc>0<", "<Lmc>none<"),
    "LMC beyond 32 bits": ("<Lmc>0<", "<Lmc>4294967296<"),
    "priority 16": ("<Priority>0<", "<Priority>16<"),
    "unknown tags": ("<Sm>", "<Sm><Bogus>1</Bogus><Other><Lmc>9</Lmc></Other>"),
    "a tag of another section": ("<Shared>", "<Shared><MaxAttempts>3</MaxAttempts>"),
    "text for an interval": (r"<SweepInterval>10<", "<SweepInterval>often<"),
    "a negative interval": (r"<SweepInterval>10<", "<SweepInterval>-10<"),
    "an interval of 2": (r"<SweepInterval>300<", "<SweepInterval>2<"),
    "a time without a unit": (r"<HoqLife>8ms<", "<HoqLife>8<"),
    "nothing for a number": (r"<MaxAttempts>3<", "<MaxAttempts><"),
    "speed policy": ("<HFILinkPolicy>", "<HFILinkPolicy><SpeedPolicy><Enable>1</Enable></SpeedPolicy>"),
    "flow label": ("<Create>1</Create>", "<Create>1</Create><FlowLabel>7</FlowLabel>"),
    "an undefined member": ("<Member>HFIDirectConnect<", "<Member>HFIDirectly<"),
    "an undefined limited member": ("<LimitedMember>All<", "<LimitedMember>Everyone<"),
    "an undefined group in a group": ("<IncludeGroup>AllFIs<", "<IncludeGroup>AllHFIs<"),
    "a group before its definition": (
        "<DeviceGroups>",
        "<DeviceGroups><DeviceGroup><Name>G</Name><IncludeGroup>AllFIs</IncludeGroup></DeviceGroup>",
    ),
    "an undefined application": ("<Application>PM</Application>", "<Application>PX</Application>"),
    "an undefined application of what is off": (
        "<Application>Networking</Application>",
        "<Application>Nothing</Application>",
    ),
    "an undefined application in one": ("<IncludeApplication>IPv4<", "<IncludeApplication>IPv5<"),
    "an undefined monitor": ("<Monitor>Rack1DG<", "<Monitor>Rack2DG<"),
    "a second section of groups, which counts alone": (
        "<VirtualFabrics>",
        "<DeviceGroups><DeviceGroup><Name>X</Name><Select>All</Select></DeviceGroup></DeviceGroups><VirtualFabrics>",
    ),
    "undefined core switches": ("<FatTreeTopology>", "<FatTreeTopology><CoreSwitches>Core</CoreSwitches>"),
    "nothing as core switches": ("<FatTreeTopology>", "<FatTreeTopology><CoreSwitches></CoreSwitches>"),
    "core switches": ("<FatTreeTopology>", "<FatTreeTopology><CoreSwitches>AllSWs</CoreSwitches>"),
    "blocks that complete each other": (
        "</AdaptiveRouting>",
        "</AdaptiveRouting><AdaptiveRouting><Enable>1</Enable></AdaptiveRouting>",
    ),
    "a threshold that a later block enables": (
        r"<Threshold>3</Threshold>\s*</AdaptiveRouting>",
        "<Threshold>9</Threshold></AdaptiveRouting><AdaptiveRouting><Enable>1</Enable></AdaptiveRouting>",
    ),
    "no Pm": (r"<Pm>.*?</Pm>", ""),
    "no Fe in an instance": (r"(<Fm>.*?)<Fe>.*?</Fe>", r"\1"),
    "no instance": (r"<Fm>.*</Fm>", ""),
    "off in common, on in an instance": (
        r"(<Fm>.*?<Sm>)",
        r"\1<AdaptiveRouting><Enable>1</Enable><Threshold>9</Threshold></AdaptiveRouting>",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lint_refuses_what_config_check_refuses(tmp_path: Path, name: str) -> None:
    text = re.sub(r"<!--.*?-->", "", SHIPPED.read_text(), flags=re.DOTALL)
    change = CASES[name]
    if change is not None:
        changed = re.sub(change[0], change[1], text, count=1, flags=re.DOTALL)
        assert changed != text
        text = changed
    path = tmp_path / "opafm.xml"
    path.write_text(text)
    passes, ignored = check(path)
    found = opafm.findings(opafm.read(path))
    assert passes == all(one.severity != "error" for one in found), found
    unknown = sorted({one.facts.tag for one in found if isinstance(one.facts, TagUnknown | TagMisplaced)})
    if passes:
        assert unknown == ignored


def test_the_file_as_it_is_shipped_is_without_findings() -> None:
    assert opafm.findings(opafm.read(SHIPPED)) == []
    assert opafm.settings(opafm.read(SHIPPED)) == opafm.Settings()


# Documents that are drawn, and the checksums by which the manager tells two configurations apart.

TAGS = Path(__file__).parents[2] / "crates" / "lacis-core" / "src" / "io" / "opafm" / "tags.txt"
GRAMMAR = re.sub(r"(?m)^#.*\n|\n  ", lambda found: " " if found[0] == "\n  " else "", TAGS.read_text())
SECTIONS = {line.split(": ")[0]: line.split(": ")[1].split() for line in GRAMMAR.splitlines()}
HEAD = """<?xml version="1.0"?>
<Config><Common>
<Applications><Application><Name>SA</Name><Select>SA</Select><Select>PM</Select></Application><Application>
<Name>All</Name><ServiceIDRange>0-0xffffffffffffffff</ServiceIDRange><Select>UnmatchedServiceID</Select>
<Select>UnmatchedMGID</Select></Application></Applications>
<DeviceGroups><DeviceGroup><Name>All</Name><Select>All</Select></DeviceGroup></DeviceGroups>
<VirtualFabrics><VirtualFabric><Name>Default</Name><Enable>1</Enable><PKey>0x7fff</PKey><Security>1</Security>
<Member>All</Member><Application>All</Application><Application>SA</Application></VirtualFabric></VirtualFabrics>
<Shared/><Sm><Start>1</Start></Sm><Fe/><Pm><Start>1</Start></Pm>
"""
PARTS = ("Sm", "Pm", "Fe", "Shared")
REPEATED = {"Dimension", "EnhancedRoutingCtrl", "PortData", "MulticastGroup", "MLIDShare"}
BESIDE = {
    # What a section must have for its other tags to be accepted.
    "Sm/AdaptiveRouting": "<Algorithm>2</Algorithm>",
}
NUMBERS = [
    (section, tag.split(":")[0])
    for section, tags in SECTIONS.items()
    if section.split("/")[0] in PARTS and not REPEATED & set(section.split("/"))
    for tag in tags
    if re.fullmatch(r"\w+:(8|16|32|64|i32)", tag)
]
TIMES = [
    (section, tag.split(":")[0])
    for section, tags in SECTIONS.items()
    if section.split("/")[0] == "Sm"
    for tag in tags
    if tag.endswith(":t")
]
# A switch that starts managers, levels that exclude each other, and tags that call for others.
OF_INSTANCE = {"Hfi", "Name", "Port", "PortGUID", "SubnetPrefix"}
APART = {"Start", "Enabled", "TrapNumber", "MinRespTimeout", "RespTimeout", "HoqLife_Int"}
SMALL = ["3", "4", "5", " 6 ", "07", "0x3", "+4"]


def element(section: str, text: str) -> str:
    for name in reversed(section.split("/")):
        text = f"<{name}>{text}</{name}>"
    return text


def document(common: str, own: str) -> str:
    started = "<Shared><Start>1</Start></Shared><Sm/><Fe/><Pm/>"
    return f"{HEAD}{common}</Common>\n<Fm>{started}{own}</Fm></Config>"


def sums(path: Path, text: str) -> list[str]:
    """The checksums of the first instance; none where `config_check` refuses the document."""
    path.write_text(text)
    words = [str(CHECK), "-s", "-v", "-d", "-c", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    first = done.stdout.split("FM instance 0\n")[-1].split("FM instance 1")[0]
    found = re.findall(r"[SP]M overall checksum +(\d+) +consistency checksum +(\d+)", first)
    return [number for pair in found for number in pair] if done.returncode == 0 else []


def blocks(drawn: random.Random) -> str:
    """Sections, some of them twice, whose values stand there up to three times."""
    made = []
    numbers = [number for number in NUMBERS if number[1] not in APART]
    for section, tag in drawn.choices(numbers, k=drawn.randint(0, 6)):
        values = drawn.choices(SMALL, k=drawn.randint(1, 3))
        inner = "".join(f"<{tag}>{value}</{tag}>" for value in values)
        made.append(element(section, BESIDE.get(section, "") + inner))
    for section, tag in drawn.choices(TIMES, k=drawn.randint(0, 2)):
        made.append(element(section, f"<{tag}>{drawn.choice(['8ms', '16ms', '2 s'])}</{tag}>"))
    small = {
        "Enable": "01",
        "LostRouteOnly": "01",
        "Algorithm": "012",
        "ARFrequency": "07",
        "Threshold": "037",
    }
    for _ in range(drawn.randint(0, 2)):
        chosen = drawn.choices(sorted(small), k=drawn.randint(0, 4))
        inner = "".join(f"<{tag}>{drawn.choice(small[tag])}</{tag}>" for tag in chosen)
        made.append(element("Sm/AdaptiveRouting", "<Algorithm>1</Algorithm>" + inner))
    words = ["shortestpath", "fattree", "hypercube", "dor", ""]
    chosen = drawn.choices(words, k=drawn.randint(0, 2))
    made += [element("Sm", f"<RoutingAlgorithm>{word}</RoutingAlgorithm>") for word in chosen]
    drawn.shuffle(made)
    return "".join(made)


@pytest.mark.parametrize("seed", range(40))
def test_the_values_that_hold_are_those_of_the_manager(tmp_path: Path, seed: int) -> None:
    """Written once each, they have the checksums of the document with all that it repeats."""
    drawn = random.Random(seed)
    path = tmp_path / "opafm.xml"
    asked: list[str] = []
    while not asked or "0" in asked:  # a few values exclude each other, or start no manager
        asked = sums(path, document(blocks(drawn), blocks(drawn)))
    file = opafm.read(path)
    once = {"Common": "", "Fm": ""}
    for setting, value, _ in file.values():
        top, _, where = setting.partition("/")
        section, _, tag = where.rpartition("/")
        if section.split("/")[0] in PARTS and section != "Sm/AdaptiveRouting":
            once[top] += element(section, f"<{tag}>{value}</{tag}>")
    # What adaptive routing does is written out whole, what the document leaves out too.
    block = opafm.settings(file).block()
    assert sums(path, document(once["Common"], f"{once['Fm']}<Sm>{block}</Sm>")) == asked


def test_what_is_left_out_is_what_the_manager_takes(tmp_path: Path) -> None:
    on = "<Enable>1</Enable><Algorithm>2</Algorithm>"

    def of(inner: str) -> list[str]:
        return sums(tmp_path / "opafm.xml", document(element("Sm/AdaptiveRouting", on + inner), ""))

    omitted = of("")
    assert omitted
    assert of("<ARFrequency>4</ARFrequency>") == omitted
    assert of("<Threshold>0</Threshold>") == omitted
    assert of("<LostRouteOnly>0</LostRouteOnly>") == omitted
    assert of("<ARFrequency>0</ARFrequency>") != omitted
    assert of("<Threshold>3</Threshold>") != omitted
    fat = element("Sm", "<RoutingAlgorithm>fattree</RoutingAlgorithm>")

    def tree(inner: str) -> list[str]:
        return sums(tmp_path / "opafm.xml", document(fat + element("Sm/FatTreeTopology", inner), ""))

    assert tree("<FIsOnSameTier>0</FIsOnSameTier>") == tree("") != tree("<FIsOnSameTier>1</FIsOnSameTier>")


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


@pytest.mark.parametrize("text", ["a remark", "7"])
def test_text_between_tags_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "opafm.xml"
    for inner in (f"{text}<Lmc>0</Lmc>", f"<Lmc>0</Lmc>{text}<LmcE0>0</LmcE0>", f"<Lmc>0</Lmc>{text}", text):
        path.write_text(document(element("Sm", inner), ""))
        errors = [one.facts for one in opafm.findings(opafm.read(path)) if one.severity == "error"]
        assert check(path)[0] == (not errors), (inner, errors)
        assert errors == [] or errors == [TextInSection("Sm", text)]


MALFORMED = ["abc", "", "-3", "3x", "1,2", "0x", "0b1", "1e3", "18446744073709551616", "3 4", "-3ms", "3"]


@pytest.mark.parametrize("seed", range(60))
def test_text_where_a_number_is_due_is_an_error(tmp_path: Path, seed: int) -> None:
    drawn = random.Random(seed)
    (section, tag), value = drawn.choice(NUMBERS + TIMES), drawn.choice(MALFORMED)
    path = tmp_path / "opafm.xml"
    inner = BESIDE.get(section, "") + f"<{tag}>{value}</{tag}>"
    path.write_text(document(element(section, inner), ""))
    passes, _ = check(path)
    found = [one for one in opafm.findings(opafm.read(path)) if one.severity == "error"]
    # The manager takes a negative number of 64 bits, and a negative time, for a very great one.
    if all(isinstance(one.facts, Negative) for one in found) and found:
        return
    assert passes == (not found), found


@pytest.mark.parametrize("section", [one for one in SECTIONS if one.split("/")[0] in PARTS])
def test_the_tags_of_a_section_are_those_that_the_manager_knows_there(tmp_path: Path, section: str) -> None:
    own = {re.split(r"[:/*]", tag)[0] for tag in SECTIONS[section]}
    names = {re.split(r"[:/*]", tag)[0] for tags in SECTIONS.values() for tag in tags}
    own_of_instance = OF_INSTANCE if section == "Shared" else set()
    path = tmp_path / "opafm.xml"
    others = "".join(f"<{name}>1</{name}>" for name in sorted(names - own | own_of_instance))
    path.write_text(document(element(section, BESIDE.get(section, "") + others), ""))
    _, ignored = check(path)
    assert set(ignored) == names - own | own_of_instance
    said = opafm.findings(opafm.read(path))
    assert {one.facts.tag for one in said if isinstance(one.facts, TagUnknown | TagMisplaced)} == set(ignored)
    known = "".join(f"<{name}>1</{name}>" for name in sorted(own - own_of_instance))
    path.write_text(document(element(section, known), ""))
    assert check(path)[1] == []
