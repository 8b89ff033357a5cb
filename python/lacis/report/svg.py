"""Pictures as SVG: shapes and texts on a canvas, and the scale of an axis.

Colours are whatever CSS takes, so that a page's variables (`var(--ink)`) are colours too. Text stays text, in the font of
the page; widths of texts are estimates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

SOLID = ""
DASHES = (SOLID, "6.7 2.9", "11.5 2.9 1.8 2.9", "1.8 3", "9 1.8", "5.4 1.8 1.8 1.8", "1.8 1.8", "14.4 5.4")
"""Dash patterns of a first, second … line, so that lines differ without their colours too."""


def number(value: float) -> str:
    """A coordinate with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _quoted(value: str) -> str:
    """The value of an attribute, in quotes."""
    return f'"{escape(value)}"'


def text_width(text: str, size: float) -> float:
    """About the width of a text [px]: fonts differ, and most letters are narrower than this."""
    return 0.58 * size * len(text)


class Canvas:
    """A picture that is drawn element by element, later ones over earlier ones.

    Args:
        width: of the picture's coordinates [px].
        height: the same.
        title: what the picture shows, for readers who cannot see it.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._elements: list[str] = []

    def begin(self, x: float, y: float) -> None:
        """Lets what follows, up to `end`, have its origin at a point."""
        self._elements.append(f'<g transform="translate({number(x)},{number(y)})">')

    def end(self) -> None:
        """Ends what `begin` began."""
        self._elements.append("</g>")

    def path(
        self,
        shape: str,
        color: str,
        *,
        width: float = 1.0,
        dash: str = SOLID,
        fill: str = "none",
        opacity: float = 1.0,
    ) -> None:
        """A path in SVG's notation."""
        more = f' stroke-dasharray="{dash}"' if dash else ""
        more += f' stroke-opacity="{number(opacity)}"' if opacity < 1 else ""
        self._elements.append(
            f'<path d="{shape}" fill={_quoted(fill)} stroke={_quoted(color)} stroke-width="{number(width)}"{more}/>'
        )

    def line(
        self, start: tuple[float, float], end: tuple[float, float], color: str, *, width: float = 1.0,
        dash: str = SOLID, opacity: float = 1.0,
    ) -> None:  # fmt: skip
        """A straight line from point to point."""
        shape = f"M{number(start[0])} {number(start[1])}L{number(end[0])} {number(end[1])}"
        self.path(shape, color, width=width, dash=dash, opacity=opacity)

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        *,
        edge: str = "none",
        line: float = 1.0,
    ) -> None:
        """A rectangle by its upper left corner."""
        around = f' stroke={_quoted(edge)} stroke-width="{number(line)}"' if edge != "none" else ""
        self._elements.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
            f" fill={_quoted(fill)}{around}/>"
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        color: str,
        *,
        anchor: str = "start",
        turn: float = 0,
    ) -> None:
        """A line of text whose baseline begins, is centred or ends at a point, turned clockwise about it [°]."""
        at = f'x="{number(x)}" y="{number(y)}"'
        if turn:
            at = f'transform="translate({number(x)},{number(y)}) rotate({number(turn)})"'
        at += f' text-anchor="{anchor}"' if anchor != "start" else ""
        self._elements.append(
            f'<text {at} font-size="{number(size)}" fill={_quoted(color)}>{escape(text, quote=False)}</text>'
        )

    def svg(self) -> str:
        """The picture as one element, which is both a file of its own and a part of a page."""
        body = "\n".join(self._elements)
        return (
            f'<svg class="plot" xmlns="http://www.w3.org/2000/svg" font-family="sans-serif"'
            f' viewBox="0 0 {number(self.width)} {number(self.height)}" role="img" aria-label={_quoted(self.title)}>\n'
            f"{body}\n</svg>\n"
        )


@dataclass(frozen=True)
class Scale:
    """An axis: values from `low` to `high` lie at coordinates from `start` to `end` [px].

    Attributes:
        low: the least value; above 0 where the scale is logarithmic.
        high: the greatest.
        start: where the least lies.
        end: where the greatest lies, which may be less than `start`.
        is_log: whether equal steps are equal factors.
    """

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """Where a value lies [px]."""
        low, high = self.low, self.high
        if self.is_log:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Round values to label, at most about `most`: steps of 1, 2, 2.5 or 5 times a power of ten, or powers of ten."""
        if self.is_log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            step = max(1, -(-(last - first) // most))
            return [10.0**power for power in range(first, last + 1, step)]
        rough = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        step_size = next(
            power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9)
        )
        numbers = range(math.ceil(self.low / step_size - 1e-9), math.floor(self.high / step_size + 1e-9) + 1)
        return [round(n * step_size, 12) for n in numbers]


def tick_label(value: float) -> str:
    """A value as an axis has it: up to six digits, with commas between thousands."""
    return f"{value:,.0f}" if abs(value) >= 1000 and float(value).is_integer() else f"{value:.6g}"
