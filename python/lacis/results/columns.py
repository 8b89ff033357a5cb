"""Results of the engine whose columns and lists have one length: what it read, and what it finds in pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RowOfLeaves: TypeAlias = tuple[
    bool, int, float, float, float, list[tuple[int, int, int, tuple[int, int], tuple[int, int]]]
]
"""Whether leaves stand out, pairs, excess inside and between, noise; and hosts, as `explain.structure.Misplaced`."""


class Analysis(TypedDict):
    """What the engine finds in pairs, with hosts and leaves by number; see `Structure` for shapes and units."""

    level: float
    pairs: int
    to_itself: int
    unusable: int
    least_gap: float
    noise: float
    peaks: list[tuple[float, float, int, float, float]]
    """Fields of `Peak`."""
    outstanding: list[tuple[int, str, float, float]]
    """Fields of `Outstanding`."""
    parts: tuple[int, float, float, float, float, float, float]
    """Fields of `Parts`."""
    jitter: tuple[float, float, float, int, int] | None
    """Fields of `Jitter`."""
    leaves: RowOfLeaves | None
    """Whether leaves stand out, pairs, excess inside and between, noise; and, as `Misplaced`, hosts."""
    groupings: list[tuple[NDArray[np.uint32], float, float, float, float, float]]
    """Group of each host, excess inside and between, noise, share of wrong pairs, ln of the chance."""
    values: Array
    rest: Array
    sending: Array
    receiving: Array
    errors: Array


_ClassColumn = TypedDict("_ClassColumn", {"class": "NDArray[np.uint32]"})
"""Class of each row's pair; beyond the last where there is none."""


class ReadColumns(_ClassColumn):
    """What the engine read: columns by row, with short lists of texts and numbers that they refer to by index."""

    notes: list[tuple[int, int, int, str]]
    """File, line, lines, text."""
    facts: list[tuple[int, str, str]]
    """File, name, value."""
    formats: list[str]
    series: list[tuple[str, str, str, str, int | None, int | None]]
    """Test, what, statistic, unit, ranks, bytes."""
    ends: list[tuple[str | None, int | None]]
    """Host, rank."""
    classes: list[str]
    of: NDArray[np.uint32]
    """Series of each row."""
    source: NDArray[np.uint32]
    """End of each row; beyond the last where there is none, as the next two."""
    destination: NDArray[np.uint32]
    repeat: NDArray[np.uint32]
    input: NDArray[np.uint32]
    """File of each row."""
    round: NDArray[np.uint32]
    value: NDArray[np.float64]


class TimedPhases(TypedDict):
    """By phase of traffic whose time is predicted."""

    name: list[str]
    """Its name."""
    begins: NDArray[np.float64]
    """When it begins [s]."""
    time: NDArray[np.float64]
    """What time it takes [s]."""
    messages: NDArray[np.uint64]
    """Its messages."""
    bytes: NDArray[np.uint64]
    """Their bytes."""


class PredictedPhases(TypedDict):
    """By phase of traffic that is predicted: a bisection, a distance of shifts."""

    label: NDArray[np.uint32]
    """Its number or its distance."""
    mean: NDArray[np.float64]
    """Mean relative bandwidth of its flows."""
    min: NDArray[np.float64]
    """The least of them."""
    max_contention: NDArray[np.float64]
    """The most flows on a link."""
    throughput: NDArray[np.float64]
    """All flows together [bytes/s]; nothing in the model `load`."""


class PredictedFlows(TypedDict):
    """Every flow that has a route, where they were kept."""

    source: NDArray[np.uint32]
    """The number of the host that sends."""
    destination: NDArray[np.uint32]
    """The number of the host that receives."""
    phase: NDArray[np.uint32]
    """Its phase."""
    rate: NDArray[np.float64]
    """What it gets [bytes/s]."""


class ExplainedFlows(TypedDict):
    """Every measured flow, beside what the model expects of it."""

    source: NDArray[np.uint32]
    """The number of the host that sends."""
    destination: NDArray[np.uint32]
    """The number of the host that receives."""
    round: NDArray[np.uint32]
    """Its round."""
    value: NDArray[np.float64]
    """What was measured."""
    expected: NDArray[np.float64]
    """What the model expects, as hosts reach it."""
    loss: NDArray[np.float64]
    """What it lacks, as a share of what is expected."""


class SimulatedMessages(TypedDict):
    """Every message of a simulation."""

    run: NDArray[np.uint32]
    """The run."""
    workload: NDArray[np.uint32]
    """The workload."""
    phase: NDArray[np.uint32]
    """The phase."""
    source: NDArray[np.uint32]
    """The host that sends, or the rank."""
    destination: NDArray[np.uint32]
    """The host that receives, or the rank."""
    bytes: NDArray[np.uint64]
    """Its size."""
    posted: NDArray[np.float64]
    """When it was posted [s]."""
    arrived: NDArray[np.float64]
    """When it had arrived [s]."""
