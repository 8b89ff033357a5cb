"""Results as tables: columns of one length, for polars, pandas, DuckDB and all that take Arrow.

>>> import lacis
>>> routes = lacis.route(lacis.read("fat-tree:4,2"))
>>> lacis.tables.entries(routes)
<lacis.Table: 84 rows of node, lid, port>
>>> lacis.tables.link_loads(lacis.verify(routes)).to_polars()["flows"].max()
6

Columns are numpy arrays or lists. A `Table` is a stream of Arrow's C interface, which polars or pyarrow makes, whichever is
installed; `to_polars` needs polars (`pip install 'lacis[results]'`), `to_arrow` pyarrow (`pip install pyarrow`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import notebook
from ..errors import LacisError, MissingPackageError, needing
from ..fabric.rates import speeds_of
from ..facts.found.findings import Finding
from ..facts.words import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl
    from numpy.typing import NDArray

    from .._core import Fabric, Prediction, Routes, Simulation, Times, Verification
    from ..health.examination import Health
    from ..results import SingleFailure
    from ..results.columns import PredictedFlows, PredictedPhases, SimulatedMessages, TimedPhases

    Column = NDArray[Any] | list[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Columns of one length, by name."""

    columns: Mapping[str, Column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __repr__(self) -> str:
        return f"<lacis.Table: {count(len(self), 'row')} of {', '.join(self.columns)}>"

    def __getitem__(self, name: str) -> Column:
        """A column."""
        return self.columns[name]

    def to_polars(self) -> pl.DataFrame:
        """The table as polars has it.

        Raises:
            MissingPackageError: when polars is not installed; it is an `ImportError` too.
        """
        with needing("to_polars needs polars", "'lacis[results]'"):
            import polars as pl
        # The types of columns with None are inferred from all rows.
        return pl.DataFrame(dict(self.columns), infer_schema_length=None)

    def to_arrow(self) -> Any:
        """The table as a `pyarrow.Table`; libraries that read Arrow's C stream, such as DuckDB, take the table itself.

        Raises:
            MissingPackageError: when pyarrow is not installed; it is an `ImportError` too.
        """
        with needing("to_arrow needs pyarrow", "pyarrow"):
            import pyarrow as pa
        return pa.table(dict(self.columns))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as a stream of Arrow's C interface.

        Raises:
            MissingPackageError: when neither polars nor pyarrow is installed; it is an `ImportError` too.
        """
        for made in (self.to_polars, self.to_arrow):
            try:
                stream: object = made().__arrow_c_stream__(requested_schema)
            except MissingPackageError:
                continue
            return stream
        raise MissingPackageError("Arrow needs polars or pyarrow: pip install polars") from None

    def _repr_html_(self) -> str:
        """The first rows, as notebooks show them."""
        first = (column[: notebook.SHOWN] for column in self.columns.values())
        rows = zip(*(part if isinstance(part, list) else part.tolist() for part in first), strict=True)
        caption = count(len(self), "row") + (f", the first {notebook.SHOWN}" * (len(self) > notebook.SHOWN))
        return notebook.table(caption, rows, list(self.columns))


def _table(columns: TimedPhases | PredictedPhases | PredictedFlows | SimulatedMessages) -> Table:
    """The columns of a result."""
    return Table(dict[str, Any](columns))


def rows(records: Iterable[Mapping[str, object]], names: Iterable[str]) -> Table:
    """A table of records, such as those of a command's `--json`; a key that a record lacks is None."""
    records = list(records)
    return Table({name: [record.get(name) for record in records] for name in names})


def entries(routes: Routes) -> Table:
    """Each switch's port for each LID that is assigned: `node` (the switch), `lid`, `port` (255: none).

    `nodes` has the names of the switches.
    """
    lids, _ = routes.lids()
    ports = routes.table()[:, lids]
    switches = np.arange(len(ports), dtype=np.uint32)
    return Table(
        {"node": np.repeat(switches, len(lids)), "lid": np.tile(lids, len(ports)), "port": ports.ravel()}
    )


def link_loads(result: Verification | Prediction) -> Table:
    """Flows on each directed link, by the port that it leaves: `node` (number), `port`, `flows`."""
    node, port, flows = result.loads()
    return Table({"node": node, "port": port, "flows": flows})


def nodes(fabric: Fabric) -> Table:
    """The nodes in the order of their numbers, switches first: `node`, `guid`, `kind`, `description`, `system_guid`, `level`.

    The GUID of a system is equal on all chips of a chassis, and 0 where unknown. The level of a switch is 0 for leaves; None for
    other nodes, and where no levels are known.
    """
    guids = fabric.guids()
    levels = (fabric.levels() or ([-1] * fabric.num_switches, []))[0]
    return Table(
        {
            "node": np.arange(len(guids), dtype=np.uint32),
            "guid": guids,
            "kind": fabric.kinds(),
            "description": fabric.descriptions(),
            "system_guid": fabric.systems(),
            "level": [None if level < 0 else level for level in levels] + [None] * fabric.num_end_nodes,
        }
    )


def cables(fabric: Fabric) -> Table:
    """Every cable once, by its ends: `node_a`, `port_a`, `node_b`, `port_b` (numbers), `rate`, `speed`.

    The rate is width and speed of a lane, as the first end reports them (`4xHDR`), and `speed` the payload of one direction
    [GB/s], 10⁹ bytes per second; None where unknown.
    """
    ends = fabric.cables().reshape(-1, 4)
    columns: dict[str, Column] = dict(
        zip(("node_a", "port_a", "node_b", "port_b"), ends.T.copy(), strict=True)
    )
    names, of_cables = fabric.cable_rates()
    rates = [None if name == "unknown" else name for name in names]
    speeds = speeds_of(rates)
    columns["rate"] = [rates[number] for number in of_cables.tolist()]
    columns["speed"] = [speeds[number] for number in of_cables.tolist()]
    return Table(columns)


def flows(prediction: Prediction) -> Table:
    """Every flow that has a route: `source`, `destination` (numbers of hosts), `phase` (from 0), `rate` [bytes/s].

    Raises:
        LacisError: when the prediction has not kept its flows.
    """
    columns = prediction.flow_rates()
    if prediction.flows and not len(columns["rate"]):
        raise LacisError("the prediction kept no flows: predict(…, model='fluid', keep_flows=True)")
    return _table(columns)


def matrix(prediction: Prediction) -> Table:
    """Relative bandwidth from each to each: `source`, `target`, `mean`, `min`, `max`; NaN where nothing was sent.

    Raises:
        LacisError: when the prediction has no matrix.
    """
    if prediction.matrix_labels is None:
        raise LacisError("the prediction has no matrix: predict(…, matrix='leaf') or 'host'")
    _, labels = prediction.matrix_labels
    names = np.array(labels, dtype=object)
    values = {kind: np.asarray(prediction.matrix(kind)).ravel() for kind in ("mean", "min", "max")}
    ends = {
        "source": np.repeat(names, len(labels)).tolist(),
        "target": np.tile(names, len(labels)).tolist(),
    }
    return Table({**ends, **values})


def phases(result: Prediction | Times) -> Table:
    """What each phase got; the columns are those of `result.phases()`."""
    return _table(result.phases())


def messages(simulation: Simulation) -> Table:
    """Every message that arrived; the columns are those of `simulation.messages()`."""
    return _table(simulation.messages())


def findings(health: Health) -> Table:
    """What is wrong with a fabric, worst first; a finding's `ends` as a list of texts `NODE` or `NODE[PORT]`."""
    names = [name for name in Finding.__struct_fields__ if name not in ("ends", "facts")]
    columns: dict[str, Column] = {
        name: [getattr(finding, name) for finding in health.findings] for name in names
    }
    columns["ends"] = [[str(end) for end in finding.ends] for finding in health.findings]
    return Table(columns)


def failures(found: Iterable[SingleFailure]) -> Table:
    """What `survive` found, a row for each failure: `kind`, `name`, pairs lost, engine, worst shift, entries changed."""
    found = list(found)
    damages = [failure.damage for failure in found]
    kept = ("pairs_lost", "apart", "unrouted", "engine_used", "fell_back")
    columns: dict[str, Column] = {
        **{name: [getattr(failure, name) for failure in found] for name in ("id", "kind", "name")},
        **{name: [getattr(damage, name) for damage in damages] for name in kept},
        "cut_off": [len(damage.cut_off) for damage in damages],
        "worst_shift": [damage.shifts and damage.shifts.worst for damage in damages],
        "mean_shift": [damage.shifts and damage.shifts.mean for damage in damages],
        "entries_changed": [damage.entries.changed for damage in damages],
    }
    return Table(columns)
