"""What `lacis explain` says of the structure of a measurement: without a fabric, and beside the explanation with one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..facts.words import count, quantity
from ._output import console, echo, finite, new_table, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..documents.structure import Jitter, MeasuredStructure, Outstanding
    from ..explain.structure import Grouping, Leaves, Structure

_SHOWN = 8
_MOST_NAMES = 120
"""Characters of the names of a group's hosts."""


def show(found: Structure) -> None:
    """Prints the whole structure."""
    _head(found)
    _peaks(found)
    _groupings(found)
    show_leaves(found.leaves)
    parts, jitter = found.parts, found.jitter
    if parts.pairs:
        low, high = _percent(parts.least), _percent(parts.greatest)
        echo(
            f"There and back differ by {_percent(parts.difference)} (robust deviation), from {low} to {high}; hosts that send "
            f"worse than they receive explain {parts.by_hosts:.0%} of the square"
        )
    _hosts(found)
    _pairs(found)
    echo(
        f"What is left of a pair: {_percent(found.noise)} (robust deviation)" + _repeats(jitter) if jitter
        else f"What is left of a pair: {_percent(found.noise)} (robust deviation); no pair was measured twice"
    )  # fmt: skip


def _head(found: Structure) -> None:
    one = found.series
    size = "" if one.bytes is None else f", {count(one.bytes, 'byte')}"
    known = f"{found.pairs:,} of {len(found.hosts) * (len(found.hosts) - 1):,} ordered pairs"
    echo(
        f"{one.test} {one.what}{size}: {count(len(found.hosts), 'host')}, {known}; median {quantity(found.level, one.unit)}, measured"
    )
    for reason, number in found.left_out.items():
        echo(f"  left out: {number:,} {reason}")
    if found.others:
        rest = ", ".join(dict.fromkeys(f"{o.test} {o.what}" for o in found.others))
        echo(f"  not looked at: {rest}; --test, --what and --bytes choose")


def _peaks(found: Structure) -> None:
    unit = found.series.unit
    inside = "inside leaves" if any(found.leaf) else "inside groups"
    has_inside = any(peak.inside is not None for peak in found.peaks)
    columns = ("kind of pairs", "median", "± width", "pairs", *([inside] if has_inside else []), "from", "to")
    table = new_table(*columns, words=("kind of pairs",))
    for number, peak in enumerate(found.peaks, 1):
        table.add_row(
            f"peak {number}", quantity(peak.center, unit), quantity(peak.width, unit), f"{peak.count:,}",
            *([f"{peak.inside:,}"] if has_inside else []),
            quantity(peak.least, unit), quantity(peak.greatest, unit),
        )  # fmt: skip
    print_table(console(), table)


def _groupings(found: Structure) -> None:
    if not found.groupings:
        least = found.least_gap
        noise = f" from noise; a gap below about {_percent(least)} would not be"
        echo(f"No groups of hosts stand out{noise if math.isfinite(least) else ': too few pairs'}")
        return
    for grouping in found.groupings:
        unit = found.series.unit
        echo(
            f"{_sizes(grouping)}: {quantity(grouping.inside, unit)} inside, {quantity(grouping.between, unit)} between; gap "
            f"{_percent(grouping.gap)}, noise {_percent(grouping.noise)}, {grouping.wrong:.1%} of pairs on the wrong side"
        )
        for members in grouping.members()[:_SHOWN]:
            echo(f"  {_names([found.hosts[i] for i in members])}")
        if len(grouping.members()) > _SHOWN:
            echo(f"  and {count(len(grouping.members()) - _SHOWN, 'group')} more (--json has them)")


def show_leaves(leaves: Leaves | None) -> None:
    """Prints how the measured pairs agree with the leaves of the fabric, where one was given."""
    if leaves is None:
        return
    if not leaves.is_distinct:
        echo("Leaves of the fabric: pairs inside and between do not differ by more than noise")
        return
    echo(
        f"Leaves of the fabric: pairs between are {_percent(leaves.gap)} worse than inside, noise {_percent(leaves.noise)}"
    )
    for host in leaves.misplaced[:_SHOWN]:
        echo(
            f"  {host.host} is on {host.leaf} by the cables, but near to the hosts of {host.among}: {host.other_near} of "
            f"{host.other} pairs, {host.own_near} of {host.own} with its own: a cable or a name swapped?"
        )
    if len(leaves.misplaced) > _SHOWN:
        echo(f"  and {count(len(leaves.misplaced) - _SHOWN, 'host')} more (--json has them)")
    if not leaves.misplaced:
        echo("  every host is near to the hosts of its own leaf")


def _hosts(found: Structure) -> None:
    if not found.outstanding:
        echo("No host stands out")
    for host in found.outstanding[:_SHOWN]:
        echo(f"{host.host} stands out: {_reasons(host)}")
    if len(found.outstanding) > _SHOWN:
        echo(f"and {count(len(found.outstanding) - _SHOWN, 'host')} more (--json has them)")


def _pairs(found: Structure) -> None:
    """Pairs to be measured again."""
    if not found.outlying:
        return
    unit = found.series.unit
    echo(f"{count(len(found.outlying), 'pair')} noise does not explain, to be repeated:")
    for pair in found.outlying[:_SHOWN]:
        how = "worse" if pair.by > 0 else "better"
        echo(
            f"  {pair.source} → {pair.destination}: {quantity(pair.value, unit)}, {_percent(abs(pair.by))} {how} than expected, "
            f"{pair.deviations:.0f} robust deviations"
        )
    if len(found.outlying) > _SHOWN:
        echo(f"  and {count(len(found.outlying) - _SHOWN, 'pair')} more (--json has them)")


def _reasons(host: Outstanding) -> str:
    side = "sending and receiving" if host.side == "both" else host.side
    how = "worse" if host.by > 0 else "better"
    return (
        f"{side} {_percent(abs(host.by))} {how} than the median host, {host.deviations:.0f} robust deviations"
    )


def _repeats(jitter: Jitter) -> str:
    out = f", {count(jitter.outliers, 'outlier')} left out of the means" if jitter.outliers else ""
    return (
        f"; repeats are {_percent(jitter.least)} to {_percent(jitter.greatest)} off their pair's mean, standard deviation "
        f"{_percent(jitter.deviation)} ({jitter.samples:,} values{out})"
    )


def _sizes(grouping: Grouping) -> str:
    sizes = sorted((len(members) for members in grouping.members()), reverse=True)
    if sizes[0] == sizes[-1]:
        return f"{count(len(sizes), 'group')} of {sizes[0]} hosts"
    return f"{count(len(sizes), 'group')} of {sizes[-1]} to {sizes[0]} hosts"


def _names(names: Sequence[str]) -> str:
    from ..ranks import nodesets

    text = nodesets.fold(name.replace("rank ", "rank") for name in names)  # `rank[0-7]`
    return text if len(text) <= _MOST_NAMES else f"{text[:_MOST_NAMES]}… ({len(names)} hosts)"


def _percent(share: float) -> str:
    return f"{share:.2%}" if abs(share) < 0.1 else f"{share:.1%}"


def structure_row(found: Structure) -> MeasuredStructure:
    """The whole structure, as documents have it."""
    from ..documents.structure import HostGrouping, HostValues, LeafAgreement, MeasuredStructure

    hosts = zip(found.hosts, found.leaf, found.sending, found.receiving, found.errors, strict=True)
    leaves = found.leaves
    return MeasuredStructure(
        series=found.series,
        others=list(found.others),
        hosts=[
            HostValues(name, leaf or None, *(finite(float(value)) for value in values))
            for name, leaf, *values in hosts
        ],
        pairs=found.pairs,
        left_out=dict(found.left_out),
        level=found.level,
        noise=found.noise,
        peaks=list(found.peaks),
        groupings=[
            HostGrouping(
                inside=one.inside,
                between=one.between,
                gap=one.gap,
                noise=one.noise,
                wrong=one.wrong,
                chance=one.chance,
                groups=[[found.hosts[host] for host in members] for members in one.members()],
            )
            for one in found.groupings
        ],
        least_gap=finite(found.least_gap),
        parts=found.parts,
        jitter=found.jitter,
        outstanding=list(found.outstanding),
        outlying=list(found.outlying),
        leaves=None
        if leaves is None
        else LeafAgreement(
            is_distinct=leaves.is_distinct,
            pairs=leaves.pairs,
            gap=finite(leaves.gap),
            noise=leaves.noise,
            misplaced=list(leaves.misplaced),
        ),
    )
