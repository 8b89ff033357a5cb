"""Sphinx: Markdown by MyST, the command line by sphinx-click, the Python interface by autodoc."""

import shutil
import sys
import types
from importlib.metadata import version as installed
from pathlib import Path

import click
from lacis.cli import COMMANDS, cli

project = "Lacis"
author = "The Lacis developers"
copyright = "2026, The Lacis developers"
release = version = installed("lacis")
extensions = ["myst_parser", "sphinx_click", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
smartquotes = False  # options begin with two hyphens
html_theme = "alabaster"
html_theme_options = {"description": "A fabric engineer's workbench", "page_width": "1080px"}

autodoc_default_options = {"members": True, "undoc-members": True}
napoleon_use_ivar = True  # else an attribute of a dataclass is described twice
autodoc_typehints = "none"
autodoc_member_order = "bysource"


# The commands as `lacis` has them, by name: pages of reference/cli name them here.
sys.modules["lacis_commands"] = types.ModuleType("lacis_commands")
for name in COMMANDS:
    setattr(sys.modules["lacis_commands"], name, cli.get_command(click.Context(cli), name))


def examples(_app, context, lines):
    """Adds a command's examples to its page, after its options."""
    if shown := getattr(context.command, "examples", ()):
        lines[:0] = [
            ".. rubric:: Examples",
            "",
            ".. code-block:: sh",
            "",
            *(f"    {line}" for line in shown),
            "",
        ]


def setup(app):
    """Adds examples, and publishes the JSON Schemas beside the pages, in one folder, as they refer to each other."""
    app.connect("sphinx-click-process-epilog", examples)
    schemas = Path(__file__).parents[1] / "python" / "lacis" / "schemas"
    app.connect(
        "build-finished",
        lambda app, _error: shutil.copytree(schemas, Path(app.outdir) / "schemas", dirs_exist_ok=True),
    )
