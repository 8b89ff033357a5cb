"""Sphinx: Markdown by MyST, the command line by sphinx-click."""

from importlib.metadata import version as installed

project = "Lacis"
author = "The Lacis authors"
copyright = "2026, The Lacis authors"
release = version = installed("lacis")
extensions = ["myst_parser", "sphinx_click"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "alabaster"
html_theme_options = {"description": "A fabric engineer's workbench", "page_width": "1080px"}
