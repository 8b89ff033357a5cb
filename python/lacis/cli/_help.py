"""Help texts of commands with many options: these stand in groups."""

from __future__ import annotations

import click

GROUPS = {
    "Engine": (
        "engine",
        "lfts",
        "lfts_file",
        "lid_matrix_file",
        "fallback",
        "opensm_conf",
        "verbose",
        "lenient",
    ),
    "Roots, nodes and order": (
        "roots",
        "cn",
        "io",
        "reverse_hops",
        "order",
        "ids",
        "connect_roots",
        "quasi_ftree",
        "torus_config",
    ),
    "Choice of ports": (
        "hop_weights",
        "ignore",
        "search_order",
        "port_shifting",
        "scatter",
        "order_no_scatter",
        "count_switches",
        "avoid_throttled",
        "mesh_analysis",
    ),
    "Lanes": (
        "lash_start_vl",
        "vls",
        "nue_vls",
        "nue_include_switches",
        "by_lane",
        "lanes",
        "sl2vl",
        "vlarb_high",
        "vlarb_low",
        "high_limit",
    ),
    "LIDs": ("lmc", "lmc_esp0", "guid2lid_cache", "fresh_lids", "sm"),
    "The fabric": ("without", "added", "shuffle_guids"),
}
"""Title → names of parameters; all others come first."""


class GroupedCommand(click.Command):
    """A command whose options about tables and lanes stand in groups in its help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        titles = {name: title for title, names in GROUPS.items() for name in names}
        found: dict[str, list[tuple[str, str]]] = {"Options": [], **{title: [] for title in GROUPS}}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                found[titles.get(parameter.name or "", "Options")].append(record)
        for title, records in found.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
