"""Entries that show only by flows that are too fast: another flow, which the tables put on their link, took another one.

Where links share evenly, the tables that were given leave no flow more than its max-min fair rate. One that gets clearly more says
that a flow beside it was elsewhere: one of the entries that lead the other to their link is wrong. Which one, other rounds say,
where the entry leads other flows away from other links too. The engine names entries that several flows show, and to which port
they lead; here are those of which nothing is slow. Where packets wait, links share unevenly, which many flows show.

| here   | meaning                                                                                   |
|--------|-------------------------------------------------------------------------------------------|
| entry  | a switch and a destination                                                                |
| cell   | a link in a round (`cells`)                                                               |
| touch  | an entry and a flow that would get more if the flows that the entry leads were elsewhere  |
| `gain` | of an entry: Σ ln p(loss, with what the flow would gain) − ln p(loss) over its touches; p is normal, or uniform with the odds of one flow of all |
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..documents.explain import Partly, Suspect
from ..fabric.ports import ports_of
from .cells import Cells, ranges
from .traffic.sent import paths

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from .._core import Explained, Participants, Routes

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

_ALONE = np.iinfo(np.uint32).max
"""The round of flows that ran alone."""
_OFF = 6.0
"""A flow that is so many standard deviations faster than sharing allows is too fast: none of a billion is by chance."""
_TWICE = 0.55
"""The least gain of a flow that is too fast, ln: of two flows on a link the other is elsewhere, less some noise. Where packets wait
before other links, the third flow of a link gets half as much again though no entry is wrong: by packets up to 0.51 was seen."""
_SLOW = 3.0
"""A flow that is so many standard deviations slow leaves more to those beside it; one that is as much faster may be so by chance."""
_LEAST = 0.12
"""The least gain of a flow that says anything, ln: that of a ninth flow of a link is ln(9 / 8)."""
_CLASS = 24
"""The fewest flows by which the spread of their class is known."""
_DECIDES = 1.02
"""A link decides what a flow gets if it leaves the flow at most so many times the least."""
_ALIKE = 3.0
"""Gains that differ by less are about the same: odds of e³ = 20."""
_ANY = math.log(3)
"""Where a gain is known within a range only, about three rates are: half as much again, twice, three times as much."""
_HELD_UP = math.log(10)
"""One flow of ten gets no more where another leaves its link, as something else holds it up."""
_FASTER = 0.3
"""A flow that is so much faster than sharing allows, ln, and three standard deviations, is so for a reason, if not for an entry: a third
more."""
_FLOWS = 2
"""Where links share unevenly, as packets of some flows wait, one flow may have had its link first; so many for one entry have not."""
_MOST_ALIKE = 8
"""Where more entries explain the same they are too many to look at: none is named."""
_MOST = 8
"""More suspects than these are no faults of tables: it is the measurement whose flows did not run together."""


def entries_by_fast_flows(
    core: Explained, routes: Routes, hosts: Participants, known: Collection[tuple[str, str]]
) -> list[Partly]:
    """Entries that lead elsewhere, by flows that are faster than the tables allow; the likeliest first.

    Args:
        core: flows and losses, of rates.
        routes: the tables.
        hosts: those that were measured.
        known: entries that were named, by switch and host: what these explain is no further evidence.
    """
    flows = core.flows()
    spread = _spread(core.flow_classes)
    loss = np.where(flows["round"] == _ALONE, 0.0, flows["loss"])
    is_fast = too_fast(loss, spread)
    if not is_fast.any():
        return []
    ports = ports_of(routes.fabric)
    pairs = np.stack([flows["source"], flows["destination"]], axis=1).astype(np.int64)
    rows = paths(routes, ports, hosts, pairs).astype(np.int64)
    rows[flows["round"] == _ALONE] = -1
    cells = Cells(
        rows, flows["round"].astype(np.int64), pairs[:, 1], ports.nodes.astype(np.int64), ports.rates
    )
    is_overfull = cells.overfull(flows["expected"] * np.exp(-loss))
    names, receivers = ports.names, hosts.hosts
    found = []
    switches, numbers = ({name: at for at, name in enumerate(own)} for own in (names, receivers))
    named = [(switches[node], numbers[host]) for node, host in known if node in switches and host in numbers]
    for one in Fast(cells, loss, is_fast, spread, is_overfull).entries(named):
        suspects = [
            Suspect(
                kind="entry",
                node=names[switch],
                egress=None,
                ingress=None,
                rate=None,
                destination=receivers[destination],
                links=[],
            )
            for switch, destination in one.entries
        ]
        found.append(Partly(suspects, one.flows, 0, 0.0, math.exp(one.change), False, one.gain))
    return found


def too_fast(loss: Floats, spread: float) -> Bools:
    """Which flows are faster than noise and waiting packets explain; `loss`, ln, is negative where they are faster than allowed."""
    out: Bools = loss < -max(_OFF * spread, _TWICE)
    return out


@dataclass(frozen=True)
class FastEntry:
    """An entry that flows which are too fast show, and others that explain the same.

    Attributes:
        entries: switch and destination of each, the likeliest first.
        flows: that get more.
        change: how much more, the median, ln.
        gain: ln of the likelihood ratio.
    """

    entries: Sequence[tuple[int, int]]
    flows: int
    change: float
    gain: float


@dataclass(frozen=True)
class Fast:
    """Flows of which some are faster than sharing allows, and the entries that would make them so.

    Attributes:
        cells: the flows.
        loss: of each, ln; negative where it is faster than any sharing allows.
        is_fast: which of them are, beyond doubt.
        spread: the standard deviation of a loss.
        is_overfull: which of them cross a link that cannot have carried what its flows got, in whatever order.
    """

    cells: Cells
    loss: Floats
    is_fast: Bools
    spread: float
    is_overfull: Bools

    def entries(self, known: Sequence[tuple[int, int]] = ()) -> list[FastEntry]:
        """Those that explain the most, one after another, until no flow that is too fast is left that an entry explains.

        Args:
            known: entries that explain what they can first, and are not returned.
        """
        open_ = self.is_fast & ~self._is_beside_slow
        switch, to = self._asked(np.flatnonzero(open_))
        given = np.array(known, np.int64).reshape(-1, 2)
        switch, to = np.concatenate([given[:, 0], switch]), np.concatenate([given[:, 1], to])
        entry, flow, change, gains = self._touches(switch, to)
        shown = gains > _ALIKE
        # What flows beside those of a known entry get hangs on where these went, which changes what others leave.
        _, beside, _ = self._faster(*self._led(given[:, 0], given[:, 1]))
        open_[beside] = False
        open_[flow[(entry < len(known)) & shown]] = False
        found: list[tuple[FastEntry, bool]] = []
        explained = self.is_fast & ~open_
        while open_.any() and len(found) <= _MOST:
            # What another entry explains is evidence neither for an entry nor against it.
            counts = open_[flow] | ~self.is_fast[flow]
            gain = np.bincount(entry, weights=gains * counts, minlength=len(switch))
            shows = np.bincount(entry, weights=shown & open_[flow], minlength=len(switch))
            gain[: len(known)] = 0.0
            gain[shows == 0] = 0.0
            best = int(gain.argmax()) if len(gain) else -1
            if best < 0 or gain[best] < self._enough:
                break
            mine = (entry == best) & counts & shown
            shares = np.unique(entry[np.isin(flow, flow[mine & open_[flow]]) & shown & counts])
            alike = shares[(gain[shares] > gain[best] - _ALIKE) & (shares != best)]
            alike = alike[np.argsort(-gain[alike], kind="stable")]
            all_of = [(int(switch[at]), int(to[at])) for at in (best, *alike.tolist())]
            own = flow[mine & open_[flow]]
            explained[flow[mine]] = True
            if len(all_of) <= _MOST_ALIKE:
                one = FastEntry(all_of, int(mine.sum()), float(np.median(change[mine])), float(gain[best]))
                found.append((one, len(own) >= _FLOWS or bool(self.is_overfull[own].any())))
            open_[flow[mine]] = False
        if len(found) > _MOST:
            return []
        is_even = self._shares_evenly(explained)
        return [one for one, is_sure in found if is_sure or is_even]

    def _shares_evenly(self, explained: Bools) -> bool:
        """Whether links shared as the model has it: of flows that are faster, entries explain as many as they leave."""
        is_faster = (self.loss < -max(_FASTER, _SLOW * self.spread)) & ~self._is_beside_slow
        return int((is_faster & ~explained).sum()) <= int((is_faster & explained).sum())

    @property
    def _enough(self) -> float:
        """The least gain: that of a flow that is too fast, and half of one more for each that is not as it would be."""
        return self._far / 2

    @property
    def _far(self) -> float:
        """What a flow that is far off says at most: that one of all is an outlier."""
        return -math.log(self.spread * math.sqrt(2 * math.pi) / (len(self.loss) + 2))

    def _says(self, loss: Floats, change: Floats) -> Floats:
        """What flows that lose so much say for a gain, ln."""

        def surprise(z: Floats) -> Floats:
            return -np.logaddexp(-(z**2) / 2, -self._far)

        out: Floats = surprise(loss / self.spread) - surprise((loss + change) / self.spread)
        return out

    @cached_property
    def _has_spare(self) -> Bools:
        """By flow: whether one that shares the link that decides what it gets is held up elsewhere, and so leaves it more."""
        cells, cell = self.cells, self.cells.cell
        least = cells.least(np.arange(len(cell)))
        there = cell >= 0
        lowest = np.full(len(cells.load), np.inf)
        np.minimum.at(lowest, cell[there], np.repeat(least, there.sum(axis=1)))
        share = np.where(there, cells.rate[cell] / cells.load[cell], np.inf)
        decides = np.logical_and(there, share <= _DECIDES * least[:, None])
        held_up: Bools = np.logical_and(decides, lowest[cell] * _DECIDES < share).sum(axis=1) > 0
        return held_up

    @cached_property
    def _is_beside_slow(self) -> Bools:
        """By flow: whether another one shares a link with it that is slow, and so leaves it more."""
        is_slow = self.loss > _SLOW * self.spread
        there = self.cells.cell >= 0
        slow = np.bincount(
            self.cells.cell[there],
            weights=np.repeat(is_slow, there.sum(axis=1)),
            minlength=len(self.cells.load),
        )
        beside = np.where(there, slow[self.cells.cell] - is_slow[:, None], 0)
        out: Bools = beside.max(axis=1) > 0
        return out

    def _asked(self, fast: Ints) -> tuple[Ints, Ints]:
        """Switches and destinations whose entries lead another flow to a link that decides what one of these flows gets."""
        cells = self.cells
        own = cells.cell[fast]
        share = np.where(own >= 0, cells.rate[own] / cells.load[own], np.inf)
        decides = own[(share <= _DECIDES * cells.least(fast)[:, None]) & (own >= 0)]
        decides = np.unique(decides)
        which, flow = cells.on(decides)
        step = (cells.cell[flow] == decides[which][:, None]).argmax(axis=1)
        inner: Bools = step < cells.last[flow]
        flow, step = flow[inner], step[inner]
        # A switch sends a flow on at each step from the second one to that of the link.
        upto = np.arange(cells.rows.shape[1])[None, :]
        at, before = np.nonzero((upto >= 1) & (upto <= step[:, None]))
        pairs = np.stack([cells.nodes[cells.rows[flow[at], before]], cells.to[flow[at]]], axis=1)
        pairs = np.unique(pairs, axis=0)
        return pairs[:, 0], pairs[:, 1]

    def _touches(self, switch: Ints, to: Ints) -> tuple[Ints, Ints, Floats, Floats]:
        """Flows that share links with those which an entry leads: entry, flow, by how much it is faster, and what that says, ln.

        Flows that an entry leads elsewhere leave the next link for certain, and some of those after it: other cables of a
        switch lead to the same ones. So what flows beside the later ones get is evidence for an entry only.
        """
        led = self._led(switch, to)
        entry, flow, change = self._faster(*led)
        _, _, least = self._faster(*led, led[2] + 1, (entry, flow))
        loss = self.loss[flow]
        certain, possible = self._says(loss, least), self._says(loss, change)
        # Max-min sharing gives a flow less than its even part of what another leaves, or more where others cannot use theirs.
        part = np.clip(-loss, change / 2, 2 * change)
        possible = np.maximum(possible, self._says(loss, part) - _ANY)
        is_sure = (least > _LEAST) & ~self._has_spare[flow]
        gain = np.maximum(np.maximum(certain, possible), np.where(is_sure, -_HELD_UP, 0.0))
        kept = change > _LEAST
        faster = np.where(certain > possible, least, change)
        # A flow that is led elsewhere may meet fewer others there, as far as the links that it keeps let it.
        own = -self.loss[led[1]]
        moves = self.is_fast[led[1]] & (own < self._room(led[1], led[2]) + _SLOW * self.spread)
        own = own[moves]
        said = self._says(-own, own) - _ANY
        entry, flow = np.append(entry[kept], led[0][moves]), np.append(flow[kept], led[1][moves])
        return entry, flow, np.append(faster[kept], own), np.append(gain[kept], said)

    def _led(self, switch: Ints, to: Ints) -> tuple[Ints, Ints, Ints]:
        """The flows that entries lead: the entry, the flow, and the step at which its switch sends it on."""
        cells = self.cells
        order = np.argsort(cells.to, kind="stable")
        starts = np.searchsorted(cells.to[order], np.arange(int(cells.to.max(initial=-1)) + 2))
        entry, flow = ranges(order, starts, to)
        begins = (cells.nodes[cells.rows[flow]] == switch[entry][:, None]) & (cells.rows[flow] >= 0)
        begins[:, 0] = False
        first = begins.argmax(axis=1)
        through: Bools = begins.any(axis=1) & (first < cells.last[flow])
        return entry[through], flow[through], first[through]

    def _room(self, flow: Ints, first: Ints) -> Floats:
        """How much more flows could get, ln, if from a step on they were elsewhere, except on the last link."""
        cells, upto = self.cells, np.arange(self.cells.rows.shape[1])[None, :]
        kept = (upto < first[:, None]) | (upto == cells.last[flow][:, None])
        cell = cells.cell[flow]
        share = np.where(kept, cells.rate[cell] / cells.load[cell], np.inf).min(axis=1)
        room: Floats = np.log(share / cells.least(flow))
        return room

    def _faster(
        self,
        entry: Ints,
        flow: Ints,
        first: Ints,
        end: Ints | None = None,
        of: tuple[Ints, Ints] | None = None,
    ) -> tuple[Ints, Ints, Floats]:
        """What flows would gain, ln, if some led by an entry were not on their links from a step to another: entry, flow, gain.

        Args:
            entry: by flow that is led: the entry.
            flow: that is led.
            first: the step from which on it is elsewhere.
            end: the first step at which it is back; by default the last, which leads to its destination.
            of: entries and flows that are asked for; by default all that share a link with one that is led.
        """
        cells = self.cells
        size, number = max(len(cells.load), 1), len(cells.to)
        end = cells.last[flow] if end is None else end
        upto = np.arange(cells.rows.shape[1])[None, :]
        at, step = np.nonzero((upto >= first[:, None]) & (upto < end[:, None]))
        gone, count = np.unique(entry[at] * size + cells.cell[flow[at], step], return_counts=True)
        if of is None:
            which, met = cells.on(gone % size)
            keys = np.unique(gone[which] // size * number + met)
            keys = keys[~np.isin(keys, entry * number + flow)]
            of = keys // number, keys % number
            is_open = ~self._is_beside_slow[of[1]]
            of = of[0][is_open], of[1][is_open]
        cell = cells.cell[of[1]]
        wanted = of[0][:, None] * size + cell
        found = np.minimum(np.searchsorted(gone, wanted), max(len(gone) - 1, 0))
        less = np.where((cell >= 0) & (gone[found] == wanted), count[found], 0) if len(gone) else 0 * cell
        return *of, np.log(cells.least(of[1], less) / cells.least(of[1]))


def _spread(classes: Sequence[tuple[int, int, int, float, float]]) -> float:
    """The greatest standard deviation of a class of flows that is known by enough of them."""
    known = [spread for *_, flows, _, spread in classes if flows >= _CLASS]
    return max(known or [one[-1] for one in classes] or [1.0])
