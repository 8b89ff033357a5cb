"""The fabric drawn by level: hosts below, cores above, nothing but what a reader can follow.

Small fabrics are drawn switch by switch. Larger ones are folded: the switches of one pod (what hangs together
below a level) become one block, so that 400 switches are no hairball. What deviates is drawn over the rest.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from html import escape

# Up to so many switches side by side, and lines between levels, a drawing is read one by one.
MAX_SWITCHES_A_LEVEL = 80
MAX_LINES = 720
WIDTH = 1180.0
LEVEL_HEIGHT = 190.0
MARGIN = 14.0
GUTTER = 84.0  # for the names of the levels


@dataclass(frozen=True)
class Topology:
    """What there is to draw.

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


def draw(topology: Topology) -> str:
    """An SVG of the fabric, or an empty text where it has no levels to draw by."""
    if not topology.levels:
        return ""
    per_level = Counter(topology.levels)
    folded = max(per_level.values()) > MAX_SWITCHES_A_LEVEL or len(topology.cables) > MAX_LINES
    blocks = _pods(topology) if folded else _singles(topology)
    return _svg(topology, blocks)


@dataclass(frozen=True)
class _Block:
    level: int
    label: str
    detail: str
    members: tuple[int, ...]


def _singles(topology: Topology) -> list[_Block]:
    order = sorted(range(len(topology.names)), key=lambda s: natural(topology.names[s]))
    return [_Block(topology.levels[s], topology.names[s], _hosts(topology.hosts[s]), (s,)) for s in order]


def _pods(topology: Topology) -> list[_Block]:
    pods = list(topology.pods)
    if max(topology.levels) > 1 and topology.levels.count(0) > MAX_SWITCHES_A_LEVEL:
        for a, b, _ in topology.cables:  # leaves fold by the pod above them
            low, high = (a, b) if topology.levels[a] < topology.levels[b] else (b, a)
            if topology.levels[low] == 0 and topology.levels[high] == 1:
                pods[low] = topology.pods[high]
    members: dict[tuple[int, int], list[int]] = defaultdict(list)
    for switch, (level, pod) in enumerate(zip(topology.levels, pods, strict=True)):
        members[level, pod].append(switch)
    blocks = []
    for (level, _), switches in sorted(members.items()):
        first = min((topology.names[s] for s in switches), key=natural)
        label = first if len(switches) == 1 else f"{len(switches)} × {first}…"
        blocks.append(_Block(level, label, _hosts(sum(topology.hosts[s] for s in switches)), tuple(switches)))
    return blocks


def _hosts(count: int) -> str:
    return f"{count} adapters" if count > 1 else f"{count} adapter" if count else ""


def natural(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts names as people do: `leaf-2` before `leaf-10`."""
    parts: list[tuple[int, int, str]] = []
    text = ""
    for char in name + "\0":
        if parts and text and text.isdigit() != char.isdigit():
            parts.append((0, int(text), "") if text.isdigit() else (1, 0, text))
            text = ""
        elif not parts:
            parts.append((-1, 0, ""))
        text += char
    parts.append((0, int(text), "") if text.isdigit() else (1, 0, text))
    return parts


def _svg(topology: Topology, blocks: list[_Block]) -> str:
    top = max(block.level for block in blocks)
    rows: dict[int, list[_Block]] = defaultdict(list)
    for block in blocks:
        rows[block.level].append(block)
    below, above = _extent(rows[0]), max(_extent(row) for level, row in rows.items() if level or not top)
    pitch_y = max(LEVEL_HEIGHT, above + 110)
    height = above + pitch_y * top + below + 2 * MARGIN
    center: dict[int, tuple[float, float]] = {}
    boxes = []
    for level, row in rows.items():
        y = MARGIN + above + pitch_y * (top - level)
        pitch = _pitch(row)
        box = min(pitch * 0.8, 110.0)
        for index, block in enumerate(row):
            x = GUTTER + pitch * (index + 0.5)
            for member in block.members:
                center[member] = (x, y)
            boxes.append(_box(block, x, y, box, below=level == 0 and top > 0, rotated=_rotated(row)))
        first, second = f"level {level}", _count(row)
        boxes.append(
            f'<text class="level" x="4" y="{y - 1:.0f}">{first}<tspan x="4" dy="14">{second}</tspan></text>'
        )
    return (
        f'<svg class="drawing" viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="img" '
        'aria-label="The fabric by level">'
        f"{_lines(topology, center)}{''.join(boxes)}</svg>"
    )


def _pitch(row: list[_Block]) -> float:
    return (WIDTH - GUTTER - 10) / len(row)


def _rotated(row: list[_Block]) -> bool:
    return _pitch(row) < 6.4 * max(len(block.label) for block in row)


def _extent(row: list[_Block]) -> float:
    """Height of a row's labels."""
    return 5.9 * max(len(block.label) for block in row) + 16 if _rotated(row) else 44


def _count(row: list[_Block]) -> str:
    switches = sum(len(block.members) for block in row)
    return f"{switches} {'switch' if switches == 1 else 'switches'}"


def _box(block: _Block, x: float, y: float, width: float, *, below: bool, rotated: bool) -> str:
    title = escape(block.label + (f", {block.detail}" if block.detail else ""))
    label = escape(block.label)
    if rotated:
        turn = (
            f"translate({x + 4:.1f},{y + 15:.1f}) rotate(90)"
            if below
            else f"translate({x + 4:.1f},{y - 14:.1f}) rotate(-90)"
        )
        text = f'<text class="name" transform="{turn}">{label}</text>'
    else:
        dy = 25 if below else -30 if block.detail else -16
        text = f'<text class="name" text-anchor="middle" x="{x:.1f}" y="{y + dy:.1f}">{label}</text>'
        if block.detail:
            text += f'<text class="detail" text-anchor="middle" x="{x:.1f}" y="{y + dy + 14:.1f}">{escape(block.detail)}</text>'
    return (
        f'<g><title>{title}</title><rect class="switch" x="{x - width / 2:.1f}" y="{y - 9:.1f}" '
        f'width="{width:.1f}" height="18" rx="4"/>{text}</g>'
    )


def _lines(topology: Topology, center: dict[int, tuple[float, float]]) -> str:
    bundles: Counter[tuple[tuple[float, float], tuple[float, float]]] = Counter()
    for a, b, count in topology.cables:
        if center[a] != center[b]:
            low, high = sorted((center[a], center[b]), key=lambda p: -p[1])
            bundles[low, high] += count
    thickest = max(bundles.values(), default=1)
    out = ['<g class="cables">']
    for (low, high), count in bundles.items():
        width = 0.5 + 2.5 * count / thickest if thickest > 4 else 0.6 + 0.25 * count
        out.append(f'<path d="{_curve(low, high)}" stroke-width="{width:.2f}"/>')
    out.append('</g><g class="deviations">')
    present = {(a, b) for a, b, _ in topology.cables}
    for a, b, text in topology.deviations:
        if center[a] != center[b]:
            low, high = sorted((center[a], center[b]), key=lambda p: -p[1])
            kind = "" if (min(a, b), max(a, b)) in present else ' class="absent"'
            out.append(f'<path{kind} d="{_curve(low, high)}"><title>{escape(text)}</title></path>')
    out.append("</g>")
    return "".join(out)


def _curve(low: tuple[float, float], high: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = low, high
    if y1 == y2:  # two switches of one level: an arc above them
        return f"M{x1:.1f},{y1 - 9:.1f} Q{(x1 + x2) / 2:.1f},{y1 - 60:.1f} {x2:.1f},{y2 - 9:.1f}"
    return f"M{x1:.1f},{y1 - 9:.1f} L{x2:.1f},{y2 + 9:.1f}"
