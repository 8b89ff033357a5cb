"""Results of the models as the table that measurements have: a row for what each flow got."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..documents.results import FabricFacts
from ..errors import LacisError
from .hosts import classify, names_of
from .results import Results, modelled, polars

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from .._core import Fabric, Participants, Prediction, Simulation, Times
    from ..requests.workload import Workload

_ENDS = ("source", "destination")


def of_prediction(
    prediction: Prediction, hosts: Participants, test: str, facts: Mapping[str, str], fabric: Fabric
) -> Results:
    """The rate of every flow of every phase, by the fluid model; a phase is a round.

    Args:
        prediction: with its flows (`keep_flows`).
        hosts: those that took part.
        test: what to call it.
        facts: how the values were modelled.
        fabric: gives the class of each pair.

    Raises:
        LacisError: when no flow has a route.
    """
    found = prediction.flow_rates()
    if not len(found["rate"]):
        raise LacisError("there is no value to keep: no flow has a route")
    frame = with_names(found, names_of(hosts.hosts, fabric))
    columns = {
        "test": test,
        "what": "bandwidth",
        "unit": "bytes/s",
        "statistic": "sample",
        "round": found["phase"],
        "value": found["rate"],
    }
    return as_results(frame, columns, facts, fabric)


def of_times(times: Times, test: str, size: int | None, facts: Mapping[str, str]) -> Results:
    """How long each phase took; of a program also how long all of it did, and its bandwidths as nccl-tests define them."""
    pl = polars()
    count = times.num_phases
    is_program = times.ranks is not None
    first = {"test": test, "bytes": size, "ranks": times.ranks, "statistic": "sample"}
    rows: list[dict[str, object]] = []
    if is_program:
        rows.append({**first, "what": "time", "unit": "s", "value": times.total})
        if times.bandwidth:
            named = (("algorithm bandwidth", times.bandwidth[0]), ("bus bandwidth", times.bandwidth[1]))
            rows += [{**first, "what": what, "unit": "bytes/s", "value": value} for what, value in named]
    numbers = np.arange(count, dtype=np.uint32)
    columns: dict[str, object] = {
        "test": [test] * count,
        "what": ["time of a phase" if is_program else "time"] * count,
        "unit": ["s"] * count,
        "statistic": ["sample"] * count,
        "bytes": [size] * count,
        "ranks": [times.ranks] * count,
        "round": numbers,
        "repeat": numbers,
        "value": times.phases()["time"],
    }
    frame = pl.concat([pl.DataFrame(rows), pl.DataFrame(columns)], how="diagonal_relaxed")
    frame = frame.filter(pl.col("value") > 0)
    if not frame.height:
        raise LacisError("there is no value to keep: no message has a route")
    return modelled(frame.to_dict(), facts=facts)


def of_simulation(
    simulation: Simulation,
    work: Workload,
    test: str,
    facts: Mapping[str, str],
    fabric: Fabric,
) -> Results:
    """What messages of the first workload took; of bursts and windows also what each flow got.

    Args:
        simulation: with its messages (`record`).
        work: what was simulated.
        test: what to call it.
        facts: how the values were modelled.
        fabric: gives the class of each pair.

    Raises:
        LacisError: when nothing arrived.
    """
    pl = polars()
    found = pl.DataFrame(simulation.messages()).filter(pl.col("workload") == 0)
    found = found.filter(pl.col("arrived") > pl.col("posted"))
    is_program = simulation.workload(0).ranks is not None
    if work.test == "windows" and not is_program:
        found = found.filter(pl.col("bytes") == work.size)  # without answers
    if not found.height:
        raise LacisError("there is no value to keep: no message arrived")
    ends = simulation.ends(0)
    ranks = len(ends) if is_program else None
    # The ends of a program are ranks, several on each host.
    by_host = dict(zip(dict.fromkeys(ends), names_of(list(dict.fromkeys(ends)), fabric), strict=True))
    ends = [by_host[name] for name in ends]
    common = {"test": test, "statistic": "sample", "ranks": ranks}
    by_rank = {f"{end}_rank": found[end].to_numpy() for end in _ENDS} if is_program else {}
    what = "latency" if work.test == "ping-pong" and not is_program else "time"
    taken = {
        **common,
        **by_rank,
        "what": what,
        "unit": "s",
        "bytes": found["bytes"].to_numpy(),
        "round": found["run"].to_numpy(),
        "value": (found["arrived"] - found["posted"]).to_numpy(),
    }
    results = [as_results(with_names(found, ends), taken, facts, fabric)]
    if not is_program and work.test in ("burst", "windows"):
        flows = found.group_by("run", *_ENDS, maintain_order=True).agg(
            pl.col("bytes").sum(), pl.col("posted").min(), pl.col("arrived").max()
        )
        got = {
            **common,
            "what": "bandwidth",
            "unit": "bytes/s",
            "bytes": np.full(flows.height, work.size, dtype=np.uint64),
            "round": flows["run"].to_numpy(),
            "value": (flows["bytes"] / (flows["arrived"] - flows["posted"])).to_numpy(),
        }
        results.append(as_results(with_names(flows, ends), got, facts, fabric))
    return results[0].with_frame(pl.concat([one.frame for one in results]))


def about(source: str, fabric: Fabric, changes: str = "") -> FabricFacts:
    """What a run says of its fabric.

    Args:
        source: a file, or the name of a synthetic fabric.
        fabric: that was read.
        changes: what was changed after it was read, as it was typed; the digest is then of the changed fabric.
    """
    from ..ranks import nodesets

    content = Path(source).read_bytes() if Path(source).is_file() else source.encode()
    if changes or source == "-":
        content = fabric.to_json().encode()
    return FabricFacts(
        source=changes or os.fspath(source),
        sha256=hashlib.sha256(content).hexdigest(),
        hosts=len(nodesets.hosts_of(fabric)),
    )


def texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Facts as texts, without those that are none, empty or off."""
    facts = {}
    for key, value in values.items():
        plain = (
            dataclasses.asdict(value)
            if dataclasses.is_dataclass(value) and not isinstance(value, type)
            else value
        )
        if plain not in (None, "", (), [], False):
            facts[key] = str(plain)
    return facts


def with_names(found: Any, names: list[str]) -> pl.DataFrame:
    """Ends by name, and the number of each among the values of its pair."""
    pl = polars()
    kind = pl.Series(names, dtype=pl.String)
    numbers = pl.DataFrame({end: pl.Series(found[end]) for end in _ENDS})
    repeat = numbers.select(pl.int_range(pl.len(), dtype=pl.UInt32).over(_ENDS))
    named = {end: kind.gather(numbers[end]) for end in _ENDS}
    return pl.DataFrame({**named, "repeat": repeat.to_series()})  # type: ignore[no-any-return]


def as_results(
    frame: pl.DataFrame, columns: Mapping[str, Any], facts: Mapping[str, str], fabric: Fabric
) -> Results:
    """A table with these ends; a column of one word has it in every row."""
    pl = polars()
    added = [
        pl.Series(name, value) if isinstance(value, np.ndarray) else pl.lit(value).alias(name)
        for name, value in columns.items()
        if value is not None
    ]
    frame = frame.with_columns(added)
    if frame.schema["round"].is_signed_integer():
        frame = frame.with_columns(pl.when(pl.col("round") >= 0).then("round").alias("round"))
    return classify(modelled(frame.to_dict(), facts=facts), fabric)
