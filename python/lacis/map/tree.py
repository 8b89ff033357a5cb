"""Fabrics with levels: a row of boxes for each level, pods and directors side by side."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..facts.words import natural
from .shapes import LINE, MARGIN, WIDTH, Band, Box, Drawing, Label, Rows, Topology, connect, short, width

if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_SWITCHES_A_LEVEL = 80
MAX_LINES = 720
"""With more switches side by side, or more lines between levels, a drawing is folded."""
LEVEL_GAP = 172.0
"""Between the boxes of two levels [px]."""
BOX_HEIGHT = 18.0
GUTTER = 84.0
"""For the names of the levels."""


_Labels: TypeAlias = Literal["above", "inside", "below"]
"""Where a level has its labels, seen from its boxes: where no lines are."""


@dataclass(frozen=True)
class _Block:
    label: str
    detail: str
    members: tuple[int, ...]
    group: int


def draw(topology: Topology, absent: Sequence[str], systems: Sequence[int]) -> Drawing:
    """The drawing of a fabric with levels; the arguments are those of `layout.draw`."""
    per_level = Counter(topology.levels)
    folded = max(per_level.values()) > MAX_SWITCHES_A_LEVEL or len(topology.cables) > MAX_LINES
    groups = groups_of(topology, systems)
    rows = _rows(topology, groups, folded)
    for name in absent:
        level = _level_of_kin(name, topology)
        rows[level].append(_Block(name, "absent", (), _beside(name, rows[level])))
    for level, row in rows.items():
        first: dict[int, list[tuple[int, int, str]]] = {}
        for block in sorted(row, key=lambda block: natural(block.label)):
            first.setdefault(block.group, natural(block.label))
        rows[level] = sorted(row, key=lambda block: (first[block.group], block.group, natural(block.label)))
    drawing = Drawing(_title(topology), is_folded=folded, is_stretched=True)
    top = max(rows)
    y = MARGIN
    above = 0.0  # half the height of the boxes of the level above
    for level in sorted(rows, reverse=True):
        row = rows[level]
        where: _Labels = "above" if level == top else "below" if level == 0 else "inside"
        half = _height(row, _slot(row), where) / 2
        room = _extent(row, _slot(row)) if where != "inside" else half
        y += room if level == top else above + LEVEL_GAP + half
        _place(drawing, row, y, where)
        drawing.height = y + (room if where == "below" else 20.0) + 2 * MARGIN
        above = half
        names = _count(sum(len(block.members) for block in rows[level]))
        drawing.labels += [
            Label(f"level {level}", 4, y - 1, "start", kind="level"),
            Label(names, 4, y + 13, "start", kind="level"),
        ]
    connect(drawing, topology, _between_levels)
    return drawing


def _title(topology: Topology) -> str:
    """What is drawn: levels, or the groups of a Dragonfly+, whose leaves share their pod with their spines."""
    leaves: set[int] = set()
    others: set[int] = set()
    for pod, level in zip(topology.pods, topology.levels, strict=True):
        (others if level else leaves).add(pod)
    if leaves & others and max(topology.levels) == 1:
        return "The fabric by group: leaves below, global cables between spines"
    return "The fabric by level, leaves below"


def groups_of(topology: Topology, systems: Sequence[int]) -> list[int]:
    """For each switch the number of its group within its level: a chassis, a pod, or the pod above a leaf."""
    groups = list(topology.pods)
    if max(topology.levels) > 1:
        above: dict[int, Counter[int]] = defaultdict(Counter)
        for a, b, count in topology.cables:
            low, high = (a, b) if topology.levels[a] < topology.levels[b] else (b, a)
            if topology.levels[low] == 0 and topology.levels[high] == 1:
                above[low][topology.pods[high]] += count
        for leaf, pods in above.items():
            groups[leaf] = pods.most_common(1)[0][0]
    count = len(groups)
    chips = Counter(systems[:count])
    number = {system: count + index for index, system in enumerate(sorted(chips))}
    for switch, system in enumerate(systems[:count]):
        if system and chips[system] > 1:
            groups[switch] = number[system]
    return groups


def _rows(topology: Topology, groups: list[int], folded: bool) -> dict[int, list[_Block]]:
    rows: dict[int, list[_Block]] = defaultdict(list)
    if not folded:
        for switch, level in enumerate(topology.levels):
            rows[level].append(
                _Block(topology.names[switch], _hosts(topology.hosts[switch]), (switch,), groups[switch])
            )
        return rows
    members: dict[tuple[int, int], list[int]] = defaultdict(list)
    for switch, level in enumerate(topology.levels):
        members[level, groups[switch]].append(switch)
    for (level, group), switches in members.items():
        names = sorted((topology.names[s] for s in switches), key=natural)
        hosts = _hosts(sum(topology.hosts[s] for s in switches))
        detail = ", ".join(words for words in (_count(len(switches)), hosts) if words)
        rows[level].append(
            _Block(_span(names), detail if len(switches) > 1 else hosts, tuple(switches), group)
        )
    return rows


def _span(names: list[str]) -> str:
    """Names of a group, from the first to the last: `leaf-01-01…18`."""
    first, last = names[0], names[-1]
    if first == last:
        return first
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    return f"{first}…{last[len(first[:common].rstrip('0123456789')) :]}"


def _level_of_kin(name: str, topology: Topology) -> int:
    """The level of the switches that are named most alike, digits aside."""
    shape = "".join("0" if char.isdigit() else char for char in name)
    alike: Counter[int] = Counter()
    for other, level in zip(topology.names, topology.levels, strict=True):
        if "".join("0" if char.isdigit() else char for char in other) == shape:
            alike[level] += 1
    return alike.most_common(1)[0][0] if alike else max(topology.levels)


def _beside(name: str, row: list[_Block]) -> int:
    """The group of the switch before it where that has several switches; otherwise a new one."""
    groups = Counter(block.group for block in row)
    before = [block for block in row if natural(block.label) <= natural(name)]
    group = max(before or row, key=lambda block: natural(block.label)).group
    return group if groups[group] > 1 else -len(row)


def _place(drawing: Drawing, row: list[_Block], y: float, where: _Labels) -> None:
    """Adds the boxes of a level, and the bands of its groups where some hold several boxes."""
    slot = _slot(row)
    turned = _is_turned(row, slot)
    height = _height(row, slot, where)
    box_width = min(slot * 0.8, 110.0)
    if where == "inside" and slot >= LINE:
        widest = max(width(text) for block in row for text in (short(block.label), block.detail))
        box_width = min(slot - 1, BOX_HEIGHT) if turned else min(slot - 2, widest + 12)
    extent = _extent(row, slot)
    runs: dict[int, list[float]] = defaultdict(list)
    x = GUTTER - slot / 2
    last = None
    for block in row:
        x += slot * (1 if last in (None, block.group) or not _has_gaps(row) else 1.5)
        last = block.group
        runs[block.group].append(x)
        labels = _labels(block, x, y, slot, turned, where)
        # Below the labels; of several switches right below their box, so that each is near what hangs on it.
        is_last = where == "below" and len(block.members) < 2
        hosts = Rows(x, y + (extent + 8 if is_last else height / 2 + 6), slot * 0.85)
        drawing.add(Box(x, y, box_width, height, block.label, block.detail, labels, block.members, hosts))
    if not _has_gaps(row):
        return
    for group, xs in runs.items():
        names = [block.label for block in row if block.group == group]
        if len(names) == 1:
            continue
        widest = box_width if turned else max(box_width, *(width(short(name)) for name in names))
        half = min(slot * 0.6, widest / 2 + 12)
        start, up = min(xs) - half, y - extent if where == "above" else y - height / 2 - 5
        size = max(xs) + half - start, height + 10 if where == "inside" else extent + 14
        drawing.bands.append(Band(start, up, *size, f"{len(names)} together: {_span(names)}"))


def _has_gaps(row: list[_Block]) -> bool:
    """Whether gaps separate groups: there are several, and not each is a single box."""
    groups = Counter(block.group for block in row)
    return len(groups) > 1 and max(groups.values()) > 1


def _slot(row: list[_Block]) -> float:
    """Width for a box and the room around it."""
    changes = sum(a.group != b.group for a, b in pairwise(row)) if _has_gaps(row) else 0
    return (WIDTH - GUTTER - 10) / (len(row) + 0.5 * changes)


def _is_turned(row: list[_Block], slot: float) -> bool:
    return max(width(short(block.label)) for block in row) > slot - 4


def _height(row: list[_Block], slot: float, where: _Labels) -> float:
    """Height of a row's boxes, which hold its labels where lines leave above and below."""
    if where != "inside" or slot < LINE:
        return BOX_HEIGHT
    if _is_turned(row, slot):
        return max(width(short(block.label)) for block in row) + 12
    return BOX_HEIGHT + 14 if any(_has_detail(block, slot) for block in row) else BOX_HEIGHT


def _has_detail(block: _Block, slot: float) -> bool:
    return bool(block.detail) and width(block.detail) <= slot - 4


def _extent(row: list[_Block], slot: float) -> float:
    """Height of a row's labels."""
    if not _is_turned(row, slot):
        return 44
    return max(width(short(block.label)) for block in row) + 18 if slot >= LINE else 24


def _labels(
    block: _Block, x: float, y: float, slot: float, turned: bool, where: _Labels
) -> tuple[Label, ...]:
    text = short(block.label)
    if turned:
        if slot < LINE:
            return ()
        if where == "inside":
            return (Label(text, x + 3.5, y, "middle", -90, "name inside"),)
        at, turn = (y + 14, 90) if where == "below" else (y - 13, -90)
        return (Label(text, x + (-3.5 if where == "below" else 3.5), at, "start", turn),)
    has_detail = _has_detail(block, slot)
    kind = "name inside" if where == "inside" else "name"
    dy = {"below": 25.0, "above": -30.0 if has_detail else -16.0, "inside": -3.0 if has_detail else 4.0}[
        where
    ]
    name = Label(text, x, y + dy, kind=kind)
    return (name, Label(block.detail, x, y + dy + 14, kind="detail")) if has_detail else (name,)


def _hosts(count: int) -> str:
    return f"{count:,} adapters" if count > 1 else f"{count} adapter" if count else ""


def _count(switches: int) -> str:
    return f"{switches:,} {'switch' if switches == 1 else 'switches'}"


def _between_levels(one: Box, other: Box) -> str:
    low, high = (one, other) if one.y > other.y else (other, one)
    lower, upper = low.y - low.height / 2, high.y + high.height / 2
    if low.y == high.y:  # two switches of one level: an arc on the side where there are no labels
        side = 1 if any(label.y < low.y for label in low.labels) else -1
        edge = low.y + side * low.height / 2
        return f"M{low.x:.1f},{edge:.1f} Q{(low.x + high.x) / 2:.1f},{edge + 51 * side:.1f} {high.x:.1f},{edge:.1f}"
    return f"M{low.x:.1f},{lower:.1f} L{high.x:.1f},{upper:.1f}"
