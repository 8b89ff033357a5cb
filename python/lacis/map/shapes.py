"""What a drawing consists of: boxes, lines, labels and bands at points, in pixels."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH = 1180.0
MARGIN = 14.0
LINE = 12.5
"""Height of a label [px]: closer than this, labels side by side would overlap."""
LONGEST = 26
"""Characters of a label; longer names are cut in the middle; the pointer shows them whole."""

Point: TypeAlias = "tuple[float, float]"


@dataclass(frozen=True)
class Topology:
    """What is drawn.

    Attributes:
        names: short name of each switch.
        levels: level of each switch, 0 = leaf; empty where the fabric has none.
        pods: for each switch, a number shared by the switches of its level that are one pod.
        hosts: host adapters on each switch.
        cables: (switch, switch, number of parallel cables), the lower switch first.
        deviations: (switch, switch, what is wrong), also for cables that are absent.
    """

    names: list[str]
    levels: list[int]
    pods: list[int]
    hosts: list[int]
    cables: list[tuple[int, int, int]]
    deviations: list[tuple[int, int, str]]


@dataclass(frozen=True)
class Label:
    """A line of text at a point; `turn` in degrees clockwise."""

    text: str
    x: float
    y: float
    anchor: str = "middle"
    turn: int = 0
    kind: str = "name"


@dataclass(frozen=True)
class Rows:
    """Where nodes are drawn that hang on a box: rows of points from a first one on."""

    x: float
    """The middle of the first row."""
    y: float
    width: float
    """Of a row."""
    turn: float = 90.0
    """Where the next row is, in degrees clockwise from the right."""
    step: float = 8.0
    """To the next row at most."""


@dataclass(frozen=True)
class Box:
    """A switch, several of them, or one that is absent (no members)."""

    x: float
    y: float
    width: float
    height: float
    name: str
    """The switch, or what several of them are called together."""
    detail: str
    """What is on it, in words; empty where there is nothing to say."""
    labels: tuple[Label, ...]
    members: tuple[int, ...]
    hosts: Rows

    @property
    def title(self) -> str:
        """The name with the detail, as the pointer shows it."""
        return f"{self.name}: {self.detail}" if self.detail else self.name


@dataclass(frozen=True)
class Line:
    """All cables between two boxes, by number: one path, of several pieces where it goes around a torus."""

    ends: tuple[int, int]
    path: str
    width: float
    title: str


@dataclass(frozen=True)
class Deviation:
    """What is wrong between two boxes; `is_absent` where no cable is left."""

    path: str
    title: str
    is_absent: bool


@dataclass(frozen=True)
class Band:
    """The background of a group."""

    x: float
    y: float
    width: float
    height: float
    title: str


@dataclass
class Drawing:
    """Geometry [px], and which box each switch is in."""

    words: str
    """The kind of drawing, for readers who cannot see it."""
    note: str = ""
    """How to read it, where that is not obvious."""
    width: float = WIDTH
    height: float = 0.0
    boxes: list[Box] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    deviations: list[Deviation] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    box_of: dict[int, int] = field(default_factory=dict)
    is_folded: bool = False
    is_stretched: bool = False
    """Whether it may be drawn higher than wide: levels stand apart, however far."""

    @property
    def has_gaps(self) -> bool:
        """Whether some of its switches are absent."""
        return not all(box.members for box in self.boxes)

    def add(self, box: Box) -> None:
        """Adds a box, and notes which switches are in it."""
        self.box_of.update(dict.fromkeys(box.members, len(self.boxes)))
        self.boxes.append(box)


def connect(drawing: Drawing, topology: Topology, path: Callable[[Box, Box], str]) -> None:
    """Adds the lines between boxes, and the deviations over them."""
    bundles: Counter[tuple[int, int]] = Counter()
    for a, b, count in topology.cables:
        low, high = sorted((drawing.box_of[a], drawing.box_of[b]))
        if low != high:
            bundles[low, high] += count
    thickest = max(bundles.values(), default=1)
    for (low, high), count in bundles.items():
        ends = drawing.boxes[low], drawing.boxes[high]
        thick = 0.5 + 2.5 * count / thickest if thickest > 4 else 0.6 + 0.25 * count
        names = " – ".join(end.name for end in ends)
        title = f"{names}: {count:,} {'cable' if count == 1 else 'cables'}"
        drawing.lines.append(Line((low, high), path(*ends), thick, title))
    present = {(min(a, b), max(a, b)) for a, b, _ in topology.cables}
    for a, b, text in topology.deviations:
        low, high = sorted((drawing.box_of[a], drawing.box_of[b]))
        if low != high:
            is_absent = (min(a, b), max(a, b)) not in present
            drawing.deviations.append(
                Deviation(path(drawing.boxes[low], drawing.boxes[high]), text, is_absent)
            )


def short(name: str, longest: int = LONGEST) -> str:
    """A name cut in the middle where it is long: its end says as much as its beginning."""
    half = longest // 2
    return name if len(name) <= longest else f"{name[:half]}…{name[-half:]}"


def width(text: str) -> float:
    """About how wide a text is [px], at the size of the labels; rather more than less."""
    return sum(
        0.0 if unicodedata.combining(char)
        else 13.0 if ord(char) > 0xFFFF or unicodedata.east_asian_width(char) in "WF"
        else 4.0 if char in "-.,:;il|Ij[]() "
        else 7.6 if char.isupper() or char in "mw@%—…" or ord(char) > 0x24F
        else 6.2
        for char in text
    )  # fmt: skip
