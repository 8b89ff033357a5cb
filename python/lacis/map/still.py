"""The drawing as SVG: what a page shows without its script, and what its script reads the shapes from (`assets/shapes.js`)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template

    from .shapes import Drawing


def svg(drawing: Drawing) -> str:
    """A drawing as one element; a page's style gives it colours."""
    return _template().render(it=drawing)


def prepare() -> None:
    """Loads what drawings are made of."""
    _template()


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("lacis", "map")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("drawing.svg")
