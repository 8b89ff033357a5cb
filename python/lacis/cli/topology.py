"""`lacis topology`: a fabric as a scheduler sees it, and the file that a site has, judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..facts.words import count
from ._fabric import fabric_argument, warn
from ._help import GroupedCommand
from ._numbers import RAIL
from ._output import console, json_option, new_table, print_json, print_line, print_table
from ._traffic import skip_absent_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric
    from ..documents.scheduler import UplinkRow
    from ..scheduler.check import Judged
    from ..scheduler.leaves import Unplaced
    from ..scheduler.tiers import Uplink
    from ..scheduler.topology import By, Topology

FORMS = ("slurm-tree", "slurm-yaml", "slurm-block", "k8s-labels", "volcano", "flux", "pbs")
_LISTED = 60
"""Faults that are printed before the rest are counted."""


@click.command("topology", cls=GroupedCommand)
@fabric_argument
@click.option("--as", "form", type=click.Choice(FORMS), help="Write it in this form.")
@click.option("--check", "checked", metavar="FILE", help="Judge the file that the scheduler has now.")
@click.option("--rail", type=RAIL, help="Leaves are those of this rail alone, from 1.")
@click.option(
    "--adapters",
    metavar="PATTERN",
    help="Leaves are those of adapters with such a label or description: 'mlx5_[0-3]', 'HCA-1'.",
)
@click.option(
    "--hosts",
    metavar="HOSTS",
    help="The hosts that the scheduler has: a set, file:PATH, or groups (all, compute, storage, …); unless given all on leaves of compute hosts.",
)
@skip_absent_option
@click.option(
    "--by",
    type=click.Choice(["cables", "bandwidth"]),
    default="cables",
    show_default=True,
    help="What is joined by a cable stands together; or what keeps half of its like's bandwidth.",
)
@click.option(
    "--labels",
    metavar="KEY,…",
    help="Keys of labels (k8s-labels) or names of resources (pbs, with --check) of the site's own, from the leaf up.",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write what --as asks for; standard output unless given."
)
@json_option
def command(
    fabric: Fabric,
    form: str | None,
    checked: str | None,
    rail: int | None,
    adapters: str | None,
    hosts: str | None,
    by: By,
    labels: str | None,
    output: str | None,
    as_json: bool,
) -> int:
    """The fabric as a scheduler sees it: leaves with their hosts, what joins them, one root.

    \b
    lacis topology FABRIC                   leaves, their hosts and bandwidths
    lacis topology FABRIC --as slurm-tree   a topology.conf
    lacis topology FABRIC --check FILE      what is wrong with the file in use

    A leaf is a group of leaf switches with the same hosts, one of each rail. Hosts that stand under none are listed
    with the reason. What a scheduler reads depends on names and on who is cabled to what: a lost cable, an
    exchanged adapter or another order of the dump changes no line of it. Figures are in comments.

    Exit status 1: with --check, something is wrong with the file.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from ..io import files
    from ..scheduler.check import check
    from ..scheduler.host_cables import Choice, chosen_hosts
    from ..scheduler.topology import topology

    if output is not None and form is None:
        raise click.UsageError("-o is for --as: which form?")
    if output is not None and checked is not None:
        raise click.UsageError("--check writes nothing: -o has no meaning with it")
    keys = tuple(key.strip() for key in labels.split(",")) if labels is not None else ()
    if labels is not None and not all(keys):
        raise click.UsageError("--labels: a key is empty")
    if keys and checked is None and form != "k8s-labels":
        raise click.UsageError("--labels is for --as k8s-labels and for --check")
    listed = None if hosts is None else chosen_hosts(fabric, hosts)
    found = topology(fabric, Choice(rail, adapters, listed), by=by)
    if checked is not None:
        return _judged(check(found, checked, form=form, labels=keys), checked, as_json=as_json)
    if form is None:
        if as_json:
            _print_document(found, None, None, None, by)
        else:
            _print(found)
        return 0
    from ..scheduler.forms import FORMS, Details, fitted

    its = FORMS[form]
    fitting = fitted(found, its)
    content = its.write(fitting, Details(keys, link_speeds=by == "bandwidth"))
    _warn(fitting)
    if output is not None and output != "-":
        files.write(output, content)
    if as_json:
        written = output if output != "-" else None
        _print_document(fitting, form, written, None if written is not None else content, by)
    elif output is None or output == "-":
        files.write("-", content)
    return 0


def _warn(found: Topology) -> None:
    """What a user should know who does not look into the file."""
    from ..facts.wording import text

    for remark in found.remarks:
        warn(text(remark))
    if found.unplaced:
        stand = "stands" if len(found.unplaced) == 1 else "stand"
        warn(f"{count(len(found.unplaced), 'host')} {stand} under no leaf; the comments of the file say why")


def _print_document(
    found: Topology, form: str | None, file: str | None, content: str | None, by: str
) -> None:
    from ..documents.scheduler import (
        RemarkRow,
        SchedulerTopology,
        TopologyLeaf,
        TopologySwitch,
        UnplacedRow,
    )
    from ..facts.wording import text

    print_json(
        SchedulerTopology(
            form=form,
            file=file,
            content=content,
            by=by,
            leaves=[
                TopologyLeaf(leaf.name, list(leaf.switches), list(leaf.hosts), leaf.cables, _uplink(leaf.up))
                for leaf in found.leaves
            ],
            above=[
                TopologySwitch(one.name, one.tier, list(one.children), list(one.switches), _uplink(one.up))
                for one in found.above
            ],
            roots=list(found.roots),
            unplaced=[UnplacedRow(one.host or None, text(one.why), one.why) for one in found.unplaced],
            remarks=[RemarkRow(text(remark), remark) for remark in found.remarks],
        )
    )


def _uplink(up: Uplink) -> UplinkRow:
    from ..documents.scheduler import UplinkRow

    return UplinkRow(up.cables, up.bandwidth)


def _print(found: Topology) -> None:
    from ..facts.wording import text
    from ..facts.words import harmless
    from ..ranks import nodesets

    out = console()
    above = count(len(found.above), "switch", "switches")
    print_line(
        out,
        f"{count(found.hosts, 'host')} on {count(len(found.leaves), 'leaf', 'leaves')} "
        f"(groups of leaf switches with the same hosts), {above} above them, {count(len(found.roots), 'root')}",
    )
    print_line(out)
    table = new_table(
        "leaf", "hosts", "switches", "cables", "up", "GB/s up", "which", words=("leaf",), prose=("which",)
    )
    for leaf in found.leaves:
        table.add_row(
            leaf.name,
            f"{len(leaf.hosts):,}",
            f"{len(leaf.switches):,}",
            f"{leaf.cables:,}",
            f"{leaf.up.cables:,}",
            _gigabytes(leaf.up),
            harmless(nodesets.fold(leaf.hosts)),
        )
    print_table(out, table)
    if found.above:
        print_line(out)
        table = new_table(
            *("above", "tier", "switches", "up", "GB/s up", "joins"), words=("above",), prose=("joins",)
        )
        for one in found.above:
            table.add_row(
                one.name,
                str(one.tier),
                f"{len(one.switches):,}",
                f"{one.up.cables:,}",
                _gigabytes(one.up),
                nodesets.fold(one.children),
            )
        print_table(out, table)
    lines = [text(remark) for remark in found.remarks] + _unplaced_lines(found.unplaced)
    if lines:
        print_line(out)
    for line in lines:
        print_line(out, harmless(line))


def _unplaced_lines(unplaced: Sequence[Unplaced]) -> list[str]:
    from ..facts.wording import text
    from ..ranks import nodesets

    reasons: dict[str, list[str]] = {}
    for one in unplaced:
        reasons.setdefault(text(one.why), []).append(one.host)
    named = {reason: nodesets.fold(filter(None, hosts)) for reason, hosts in reasons.items()}
    return [f"under no leaf: {hosts}{': ' if hosts else ''}{reason}" for reason, hosts in named.items()]


def _gigabytes(up: Uplink) -> str:
    return "unknown" if up.bandwidth is None else f"{up.bandwidth / 1e9:,.0f}"


def _judged(found: Judged, file: str, *, as_json: bool) -> int:
    from ..facts.scheduler import severity
    from ..facts.wording import text

    if as_json:
        from ..documents.scheduler import FaultRow, TopologyCheck

        rows = [
            FaultRow(severity(one.fact), one.line or None, text(one.fact), one.fact) for one in found.faults
        ]
        print_json(
            TopologyCheck(
                file=file,
                form=found.form,
                switches=found.switches,
                hosts=found.hosts,
                right=found.is_right,
                faults=rows,
            )
        )
        return 0 if found.is_right else 1
    from ..facts.words import harmless

    out = console()
    print_line(
        out,
        f"{file}: {found.form}, {count(found.hosts, 'host')} under {count(found.switches, 'switch', 'switches')}",
    )
    for one in found.faults[:_LISTED]:
        where = f"line {one.line}" if one.line else ""
        print_line(out, f"  {severity(one.fact):<7}  {where:<9}  {harmless(text(one.fact))}")
    if len(found.faults) > _LISTED:
        print_line(out, f"  and {len(found.faults) - _LISTED:,} more (--json)")
    if found.is_right:
        print_line(out, "Nothing is wrong with it.")
    return 0 if found.is_right else 1
