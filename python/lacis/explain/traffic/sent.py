"""What a measurement sent, link by link: bytes of its flows in the windows of time in which they were measured, along the tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...fabric.ports import ports_of
from ...measured.results import polars

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from ..._core import Participants, Routes
    from ...fabric.ports import Ports

_MOST_HOPS = 64
_PAUSE = 5 * 10**9
"""Nanoseconds without a measurement after which the next is another one: what others send in between is no matter of either."""


@dataclass(frozen=True)
class Sent:
    """What flows sent over links, and when.

    Attributes:
        ports: those of the fabric, whose rows number the links that leave them.
        rows: links that flows cross, a row of `ports` each, ascending.
        of_hosts: which of these leave a host or lead to one.
        began: when each window began, nanoseconds since 1970, ascending.
        ended: when it ended.
        link: by entry: the link, an index of `rows`.
        window: by entry: the window.
        bytes: by entry: payload that flows sent over the link in the window.
        unknown: windows in which the measurement also sent what it does not say: when each began and ended.
    """

    ports: Ports
    rows: NDArray[np.intp]
    of_hosts: NDArray[np.bool_]
    began: NDArray[np.int64]
    ended: NDArray[np.int64]
    link: NDArray[np.intp]
    window: NDArray[np.intp]
    bytes: NDArray[np.float64]
    unknown: NDArray[np.int64]

    @property
    def rates(self) -> NDArray[np.float64]:
        """What each link carries [bytes/s]; NaN where that is not known."""
        return self.ports.rates[self.rows]

    def parts(self) -> list[Sent]:
        """The same run by run: what was measured after a long pause is a measurement of its own."""
        until = np.maximum.accumulate(self.ended)
        part = np.concatenate([np.zeros(1, np.intp), np.cumsum(self.began[1:] > until[:-1] + _PAUSE)])
        return [self._part(part == number) for number in range(int(part[-1]) + 1)]

    def _part(self, windows: NDArray[np.bool_]) -> Sent:
        """What was sent in some windows."""
        entries = windows[self.window]
        links, link = np.unique(self.link[entries], return_inverse=True)
        began, ended = self.began[windows], self.ended[windows]
        within = (self.unknown[:, 0] >= began.min()) & (self.unknown[:, 1] <= ended.max())
        return replace(
            self,
            rows=self.rows[links],
            of_hosts=self.of_hosts[links],
            began=began,
            ended=ended,
            link=link.reshape(-1),
            window=(np.cumsum(windows) - 1)[self.window[entries]],
            bytes=self.bytes[entries],
            unknown=self.unknown[within],
        )

    def ends(self, link: int) -> tuple[str, str]:
        """The ports that a link leaves and enters."""
        return self.ports.ends(int(self.rows[link]))


def sent_of(routes: Routes, hosts: Participants, names: Sequence[str], frame: pl.DataFrame) -> Sent | None:
    """What the values of a table sent; none where no value says when it was measured.

    Args:
        routes: the tables.
        hosts: those of the rail that was measured.
        names: of these hosts, as the table has them.
        frame: the values, all of the run.
    """
    pl = polars()
    dated = frame.filter(pl.col("began").is_not_null(), pl.col("ended").is_not_null())
    if not dated.height:
        return None
    ends = ("source", "destination", "source_rank", "destination_rank")
    # Both ends of a flow report it, so that what is measured is no part of what identifies it; repeats are one.
    of = dated.select("test", "began", "ended", *ends, "bytes", "unit", "sent").unique(maintain_order=True)
    number = {name: at for at, name in enumerate(names)}
    at = {
        end: of[end].replace_strict(number, default=-1, return_dtype=pl.Int64).fill_null(-1).to_numpy()
        for end in ends[:2]
    }
    began, ended = (1000 * of[name].dt.timestamp("us").to_numpy() for name in ("began", "ended"))
    known = (at["source"] >= 0) & (at["destination"] >= 0) & of["sent"].is_not_null().to_numpy()
    windows, which = np.unique(np.stack([began, ended], axis=1), axis=0, return_inverse=True)
    which = which.reshape(-1)
    # Values of all hosts together are of flows that have values of their own, or of collective operations.
    has_flows = np.zeros(len(windows), np.bool_)
    has_flows[which[known]] = True
    is_named = of["source"].is_not_null().to_numpy() | of["source_rank"].is_not_null().to_numpy()
    is_unknown = np.zeros(len(windows), np.bool_)
    is_unknown[which[~known & (is_named | ~has_flows[which])]] = True
    moved = known & (at["source"] != at["destination"])
    flows = np.stack([at["source"][moved], at["destination"][moved]], axis=1)
    sizes, when = of["sent"].fill_null(0).to_numpy()[moved].astype(np.float64), which[moved]
    # A ping-pong sends as much back.
    back = (of["unit"].cast(pl.String) == "s").to_numpy()[moved]
    flows = np.concatenate([flows, flows[back][:, ::-1]])
    sizes, when = np.concatenate([sizes, sizes[back]]), np.concatenate([when, when[back]])
    return _on_links(routes, hosts, flows, sizes, when, windows, windows[is_unknown])


def _on_links(
    routes: Routes,
    hosts: Participants,
    flows: NDArray[np.int64],
    sizes: NDArray[np.float64],
    when: NDArray[np.intp],
    windows: NDArray[np.int64],
    unknown: NDArray[np.int64],
) -> Sent:
    ports = ports_of(routes.fabric)
    pairs, which = np.unique(flows.reshape(-1, 2), axis=0, return_inverse=True)
    path = paths(routes, ports, hosts, pairs)[which.reshape(-1)]
    flow, step = np.nonzero(path >= 0)
    rows, link = np.unique(path[flow, step], return_inverse=True)
    keys, entry = np.unique(link.reshape(-1) * len(windows) + when[flow], return_inverse=True)
    of_hosts: NDArray[np.bool_] = ~ports.between_switches[rows]
    weights: NDArray[np.float64] = np.bincount(
        entry.reshape(-1), weights=sizes[flow], minlength=len(keys)
    ).astype(np.float64)
    count = max(len(windows), 1)
    return Sent(
        ports, rows, of_hosts, windows[:, 0], windows[:, 1], keys // count, keys % count, weights, unknown
    )


def paths(routes: Routes, ports: Ports, hosts: Participants, pairs: NDArray[np.integer]) -> NDArray[np.intp]:
    """The links of flows as rows of the ports that they leave, shape `(pairs, longest)`, padded with -1; none without a route.

    Args:
        routes: the tables.
        ports: those of their fabric.
        hosts: whose numbers the pairs have.
        pairs: source and destination of each flow.
    """
    table, edges, switches = (
        routes.table(),
        routes.edge_switches().astype(np.intp),
        routes.fabric.num_switches,
    )
    lids, guids = routes.lids()
    order = np.argsort(guids, kind="stable")
    own = lids[order][np.searchsorted(guids[order], hosts.guids())].astype(np.intp)
    radix = np.bincount(ports.nodes, minlength=len(ports.names) + 1)

    def leaving(switch: NDArray[np.intp], lid: NDArray[np.intp]) -> NDArray[np.intp]:
        """The row of the port by which a switch sends on; -1 where it sends nowhere."""
        out = np.full(len(switch), -1, np.intp)
        there = (switch >= 0) & (switch < switches)
        port = table[switch[there], lid[there]].astype(np.intp)
        row = ports.rows_of_nodes(switch[there], port)
        good = (port >= 1) & (port <= radix[switch[there]])
        out[there] = np.where(good, row, -1)
        out[(out >= 0) & (ports.far[out] < 0)] = -1
        return out

    source, target = own[pairs[:, 0]], own[pairs[:, 1]]
    at = edges[source]
    begin = leaving(at, source)
    steps = [np.where(begin >= 0, ports.far[begin], -1)]
    going, lost = np.flatnonzero(steps[0] >= 0), [np.flatnonzero(steps[0] < 0)]
    at = at[going]
    for _ in range(_MOST_HOPS):
        if not len(going):
            break
        row = leaving(at, target[going])
        step = np.full(len(pairs), -1, np.intp)
        step[going] = row
        steps.append(step)
        lost.append(going[row < 0])
        far = np.where(row >= 0, ports.nodes[ports.far[row]], -1)
        on = (far >= 0) & (far < switches)
        going, at = going[on], far[on]
    path = np.stack(steps, axis=1)
    path[np.concatenate([*lost, going])] = -1
    return path
