"""Findings about an opafm.xml, against the manager's own `config_check`.

Both refuse the same files, and the tags that it ignores are those that Lacis lists as unknown.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from lacis.facts.found.settings import Negative, TagMisplaced, TagUnknown, TextInSection
from lacis.omnipath import opafm

from .config_check import SHIPPED, check, document, element, need, sums

pytestmark = pytest.mark.oracle

ON = "<Enable>1</Enable><Algorithm>2</Algorithm>"


@pytest.fixture(autouse=True, scope="session")
def oracle_installed() -> None:
    need()


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
