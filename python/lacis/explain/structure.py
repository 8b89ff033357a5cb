"""What measured pairs show without tables: groups of hosts, kinds of pairs, hosts that stand out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..documents.series import Series
from ..documents.structure import Jitter, MisplacedHost, OutlyingPair, Outstanding, Parts, Peak
from ..errors import LacisError
from ..facts.words import natural
from ..measured.hosts import leaves_of_hosts
from ..measured.results import polars
from .series import QUANTITIES, choose, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from .._core import Fabric
    from ..results.columns import Analysis, RowOfLeaves

    Array = NDArray[np.float64]


_MOST_OUTLYING = 1000
"""Outlying pairs that are kept, worst first."""
_LEAST_OUTLYING = 0.01
"""A pair that is less off is no trouble, however exactly measured."""


@dataclass(frozen=True)
class Grouping:
    """Groups of hosts nearer to each other than to the rest.

    Attributes:
        group: number of each host's group, shape `(hosts,)`.
        inside: median of pairs inside a group and inside no finer one [unit of the values].
        between: median of pairs between groups, inside one coarser group [unit].
        gap: between the two, relative to the level.
        noise: robust deviation of both kinds, relative to the level.
        wrong: share of pairs on the wrong side of the best threshold.
        chance: bound on the probability of this in noise.
    """

    group: NDArray[np.uint32]
    inside: float
    between: float
    gap: float
    noise: float
    wrong: float
    chance: float

    def members(self) -> list[NDArray[np.int64]]:
        """Numbers of the hosts of each group."""
        order = np.argsort(self.group, kind="stable")
        return list(np.split(order, np.cumsum(np.bincount(self.group))[:-1]))


@dataclass(frozen=True)
class Leaves:
    """How a measurement and the cables agree about leaves.

    Attributes:
        is_distinct: whether pairs inside leaves differ from those between leaves by more than noise.
        pairs: known pairs inside leaves, without direction.
        gap: by how much pairs between leaves are worse, relative to the level; not a number without such pairs.
        noise: robust deviation of both kinds, relative to the level.
        misplaced: hosts among those of another leaf; none without `is_distinct`.
    """

    is_distinct: bool
    pairs: int
    gap: float
    noise: float
    misplaced: Sequence[MisplacedHost]


@dataclass(frozen=True)
class Structure:
    """What was found.

    Attributes:
        series: of the values that were analysed.
        others: further series.
        hosts: names, in the order of all arrays: by name, numbers as numbers; leaf by leaf where a fabric is given.
        level: median of the pairs [unit of the series].
        values: mean of each pair's repeats, row by sender, not a number where nothing is known; `(hosts, hosts)` [unit].
        rest: what hosts and kinds of pairs do not explain, relative to the level, more is worse; `(hosts, hosts)`.
        noise: robust deviation of `rest`.
        pairs: ordered pairs known.
        groupings: finest first; empty where none stands out from noise.
        least_gap: the gap from which groups of four hosts would stand out, relative to the level; infinite with too few hosts.
        sending: what a host's sending adds, relative to the level; `(hosts,)`.
        receiving: the same of its receiving.
        errors: standard error of both.
        outstanding: hosts that stand out, worst first.
        parts: the symmetric and the antisymmetric component.
        jitter: none where no pair has several values.
        peaks: kinds of pairs by their values alone.
        outlying: pairs that noise does not explain, worst first: to be measured again.
        leaf: name of each host's leaf, where a fabric is given; empty for hosts that it lacks.
        leaves: how the measurement agrees with these, where a fabric is given.
        left_out: number of values that are not used, by reason.
    """

    series: Series
    others: Sequence[Series]
    hosts: Sequence[str]
    level: float
    values: Array
    rest: Array
    noise: float
    pairs: int
    groupings: Sequence[Grouping]
    least_gap: float
    sending: Array
    receiving: Array
    errors: Array
    outstanding: Sequence[Outstanding]
    parts: Parts
    jitter: Jitter | None
    peaks: Sequence[Peak]
    outlying: Sequence[OutlyingPair]
    leaf: Sequence[str]
    leaves: Leaves | None
    left_out: Mapping[str, int]

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self.series.unit != "s"

    @property
    def is_good(self) -> bool:
        """Whether no host stands out for the worse, and none is among those of another leaf."""
        return not (self.leaves and self.leaves.misplaced) and not any(o.by > 0 for o in self.outstanding)

    def excess(self) -> Array:
        """Values relative to the level, more is worse: `value / level - 1`, of rates `1 - value / level`."""
        ratio = self.values / self.level
        return 1 - ratio if self.is_rate else ratio - 1

    def order(self) -> NDArray[np.int64]:
        """Hosts group by group, coarsest first; unchanged without groups."""
        keys: list[NDArray[Any]] = [np.arange(len(self.hosts)), *(g.group for g in self.groupings)]
        return np.lexsort(keys)


def structure(
    frame: pl.DataFrame,
    fabric: Fabric | None = None,
    *,
    test: str | None = None,
    what: str | None = None,
    bytes: int | None = None,  # noqa: A002
) -> Structure:
    """Separates measured values of pairs into groups, hosts, kinds of pairs and noise.

    Args:
        frame: values of one run or of several; hosts by name, else by rank.
        fabric: whose leaves are compared, by the names of its hosts.
        test: this test only; by default as `lacis.explain.choose` has it.
        what: bandwidth, latency.
        bytes: this size of messages only.

    Raises:
        LacisError: when fewer than 3 hosts have a value, or there are more than 4,096.
    """
    chosen, others = choose(frame, test=test, what=what, bytes=bytes)
    rows = _named(values_of(frame, chosen))
    samples = _samples(rows, fabric)
    hosts, leaf = samples.hosts, samples.leaf
    found = _core.take_apart(
        len(hosts), *samples.columns, is_rate=QUANTITIES[chosen.unit] == "rate", leaf=samples.by_host
    )
    left_out = {
        "hosts that are not named": rows.height - len(samples.columns[0]),
        "from a host to itself": found["to_itself"],
        "no number above 0": found["unusable"],
    }
    return _structure(
        found,
        series=chosen,
        others=others,
        hosts=hosts,
        leaf=leaf,
        left_out={reason: count for reason, count in left_out.items() if count},
        switches=samples.leaves,
    )


@dataclass(frozen=True)
class _Samples:
    """Values between hosts by number: senders, receivers, values; the leaf of each host by name and by number."""

    hosts: list[str]
    columns: tuple[NDArray[np.uint32], NDArray[np.uint32], Array]
    leaf: list[str]
    leaves: list[str]
    by_host: NDArray[np.uint32] | None


def _samples(rows: pl.DataFrame, fabric: Fabric | None) -> _Samples:
    """Rows with a name at both ends, leaf by leaf where a fabric is given."""
    pl = polars()
    ends = ("source", "destination")
    named = rows.drop_nulls(ends)
    hosts = sorted(set(pl.concat([named[end].unique() for end in ends])), key=natural)
    of = leaves_of_hosts(fabric) if fabric is not None else {}
    switches = [name for name, _ in fabric.switches()] if fabric is not None else []
    leaf = [switches[of[host]] if 0 <= of.get(host, -1) < len(switches) else "" for host in hosts]
    if of:
        by_name = {name: natural(name) for name in set(leaf)}
        order = sorted(range(len(hosts)), key=lambda i: (not leaf[i], by_name[leaf[i]], i))
        hosts, leaf = [hosts[i] for i in order], [leaf[i] for i in order]
    # Each host without a known leaf counts as a leaf.
    numbers = {name: number for number, name in enumerate(dict.fromkeys(filter(None, leaf)))}
    by_host = np.array([numbers.get(name, len(numbers) + i) for i, name in enumerate(leaf)], dtype=np.uint32)
    kind = pl.Enum(hosts)
    source, destination = (named[end].cast(kind).to_physical().cast(pl.UInt32).to_numpy() for end in ends)
    columns = (source, destination, named["value"].to_numpy())
    return _Samples(hosts, columns, leaf, list(numbers), by_host if of else None)


def leaves_of_most(frame: pl.DataFrame, fabric: Fabric, one: Series) -> Leaves | None:
    """How a series and the cables agree about leaves; none where fewer than half of the pairs were measured, or that is not enough."""
    samples = _samples(_named(values_of(frame, one)), fabric)
    hosts = len(samples.hosts)
    if samples.by_host is None or 2 * len(samples.columns[0]) < hosts * (hosts - 1):
        return None
    try:
        found = _core.leaves_of_samples(
            hosts, *samples.columns, is_rate=QUANTITIES[one.unit] == "rate", leaf=samples.by_host
        )
    except LacisError:
        return None
    return _leaves(found, samples.hosts, samples.leaves, is_rate=QUANTITIES[one.unit] == "rate")


def structure_of_most(
    frame: pl.DataFrame,
    fabric: Fabric | None = None,
    *,
    always: bool = False,
    test: str | None = None,
    what: str | None = None,
    bytes: int | None = None,  # noqa: A002
) -> Structure | None:
    """`structure`, or None if fewer than half of the pairs, or too few, were measured; `always` tries with any and may raise."""
    pl = polars()
    chosen, _ = choose(frame, test=test, what=what, bytes=bytes)
    ends = ("source", "destination")
    rows = values_of(frame, chosen).select(ends)
    hosts = len(set(pl.concat([rows[end].unique() for end in ends])))
    if not always and 2 * rows.height < hosts * (hosts - 1):
        return None
    try:
        return structure(frame, fabric, test=test, what=what, bytes=bytes)
    except LacisError:
        if always:
            raise
        return None


def _named(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with ranks for hosts without a name."""
    pl = polars()
    return rows.with_columns(
        pl.coalesce(end, pl.format("rank {}", pl.col(f"{end}_rank"))).alias(end)
        for end in ("source", "destination")
        if rows[end].null_count()
    )


def _structure(
    found: Analysis,
    *,
    series: Series,
    others: Sequence[Series],
    hosts: Sequence[str],
    leaf: Sequence[str],
    left_out: Mapping[str, int],
    switches: Sequence[str],
) -> Structure:
    """The engine's numbers with names."""
    level: float = found["level"]
    is_rate = series.unit != "s"

    def value(excess: float) -> float:
        return level / math.exp(excess) if is_rate else level * (1 + excess)

    def share(excess: float) -> float:
        return share_of(excess, is_rate=is_rate)

    groupings = [
        Grouping(
            group,
            value(inside),
            value(between),
            share(between - inside),
            share(noise),
            wrong,
            math.exp(ln_chance),
        )
        for group, inside, between, noise, wrong, ln_chance in found["groupings"]
    ]
    leaves = None if found["leaves"] is None else _leaves(found["leaves"], hosts, switches, is_rate=is_rate)
    rest, noise = shares_of(found["rest"], is_rate=is_rate), share(found["noise"])
    pairs, symmetric, antisymmetric, by_hosts, difference, least, greatest = found["parts"]
    parts = Parts(
        pairs,
        share(symmetric),
        share(antisymmetric),
        by_hosts,
        share(difference),
        share(least),
        share(greatest),
    )
    jitter = found["jitter"]
    return Structure(
        series=series,
        others=others,
        hosts=hosts,
        level=level,
        noise=noise,
        pairs=found["pairs"],
        groupings=groupings,
        least_gap=share(found["least_gap"]) if math.isfinite(found["least_gap"]) else math.inf,
        outstanding=[
            Outstanding(hosts[host], side, share(by), n) for host, side, by, n in found["outstanding"]
        ],
        parts=parts,
        jitter=None if jitter is None else Jitter(*jitter),
        peaks=_peaks(found, leaf),
        outlying=_outlying(rest, found["values"], found["noise"], hosts, is_rate=is_rate),
        leaf=leaf,
        leaves=leaves,
        left_out=left_out,
        values=found["values"],
        rest=rest,
        sending=shares_of(found["sending"], is_rate=is_rate),
        receiving=shares_of(found["receiving"], is_rate=is_rate),
        errors=found["errors"],
    )


def share_of(excess: float, *, is_rate: bool) -> float:
    """What is worse by an excess of the engine, as a share: 0.5 of a rate that is half; of ln 2, as rates have it.

    A better one is below 0: of a rate that is twice as high -1.
    """
    return -math.expm1(-excess) if is_rate else excess


def shares_of(excess: Array, *, is_rate: bool) -> Array:
    """`share_of` of each."""
    return -np.expm1(-excess) if is_rate else excess


def _outlying(
    rest: Array, values: Array, noise: float, hosts: Sequence[str], *, is_rate: bool
) -> list[OutlyingPair]:
    """Pairs further off than noise makes one of so many, the worst first."""
    off = np.nan_to_num(rest)
    # The engine's excess of rates is a logarithm, of which noise is the deviation.
    deviations = (-np.log1p(-np.minimum(off, 1 - 1e-9)) if is_rate else off) / max(noise, 1e-9)
    wanted = max(6.0, math.sqrt(2 * math.log(max(off.size, 2))) + 2)
    far = (np.abs(deviations) > wanted) & (np.abs(off) > _LEAST_OUTLYING)
    source, destination = np.nonzero(far)
    order = np.argsort(-off[source, destination], kind="stable")[:_MOST_OUTLYING]
    return [
        OutlyingPair(hosts[a], hosts[b], float(values[a, b]), float(off[a, b]), abs(float(deviations[a, b])))
        for a, b in zip(source[order].tolist(), destination[order].tolist(), strict=True)
    ]


def _leaves(row: RowOfLeaves, hosts: Sequence[str], switches: Sequence[str], *, is_rate: bool) -> Leaves:
    """How leaves agree, with names."""
    stand_out, pairs, inside, between, noise, misplaced = row
    rows = [
        MisplacedHost(hosts[host], _or_none(switches, own), _or_none(switches, among), *near, *other)
        for host, own, among, near, other in misplaced
    ]
    gap = share_of(between - inside, is_rate=is_rate) if pairs else math.nan
    return Leaves(stand_out, pairs, gap, share_of(noise, is_rate=is_rate), rows)


def _peaks(found: Analysis, leaf: Sequence[str]) -> list[Peak]:
    """Kinds of pairs, with how many of each are inside leaves or groups."""
    inside = None
    if any(leaf):
        number = np.unique(np.array(leaf), return_inverse=True)[1]
        inside = (number[:, None] == number) & (np.array(leaf) != "")
    elif found["groupings"]:
        group = found["groupings"][0][0]
        inside = group[:, None] == group
    if inside is None:
        return [Peak(*row) for row in found["peaks"]]
    values = np.sort(found["values"][inside & np.isfinite(found["values"])])
    out = []
    for row in found["peaks"]:
        low, high = np.searchsorted(values, row[3], "left"), np.searchsorted(values, row[4], "right")
        out.append(Peak(*row, inside=int(high - low)))
    return out


def _or_none(switches: Sequence[str], number: int) -> str:
    """A leaf's name; hosts that the fabric lacks have none."""
    return switches[number] if number < len(switches) else "no leaf known"
