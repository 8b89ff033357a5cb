"""Stories of counters beside a measurement: what every port has counted at any time is known, and sweeps read it now and then.

The stories share no code with the judge: flows follow the tables' bytes, rates are max-min fair by numpy, and counters are sums of these
over time. `python -m benchmarks.explain.traffic` draws them on several fabrics and counts what is said.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import lacis
import numpy as np
import polars as pl
from lacis import _core
from lacis.counters import LinkState, Readings
from lacis.counters.readings import empty
from lacis.explain import traffic as judged

from .fair import another_job, damaged, max_min
from .net import NONE, net

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .net import Floats, Ints, Net

ANSWERS = 0.005
"""What acknowledgements are of what flows the other way."""
BEGAN = 1_795_883_305 * 10**9
"""When the first round begins, nanoseconds since 1970."""


@dataclass(frozen=True)
class Plan:
    """What happens in a story.

    Attributes:
        period: seconds between sweeps.
        rounds: how many are measured.
        seconds: how long a round takes, at least and at most.
        others: the share of the hosts that another job has; 0: there is none.
        pairs: in place of these, hosts that send to others for another job, by their numbers.
        duty: the share of the time in which it sends.
        header: what headers add.
        clock: seconds by which the clock of who reads is ahead.
        holes: the share of readings that fail.
        cleared: how many links' ports are cleared, once each.
        late: seconds after the beginning at which the first sweep is; before it as a rule.
    """

    period: float = 1.0
    rounds: int = 12
    seconds: tuple[float, float] = (0.4, 3.0)
    others: float = 0.0
    pairs: tuple[tuple[int, int], ...] = ()
    duty: float = 1.0
    header: float = 0.012
    clock: float = 0.02
    holes: float = 0.0
    cleared: int = 0
    late: float | None = None


@dataclass
class Story:
    """A measurement and what ports count beside it.

    Attributes:
        net: the fabric.
        plan: what happens.
        rng: what is drawn is drawn from it.
    """

    net: Net
    plan: Plan
    rng: np.random.Generator
    flows: Ints = field(init=False)
    number: Ints = field(init=False)
    times: Floats = field(init=False)
    """When rates change [s since the first round]."""
    own: Floats = field(init=False)
    """What the measurement puts on each link from each of these times on [bytes/s], headers without; shape `(times, links)`."""
    theirs: Floats = field(init=False)
    """The same of the other job."""
    windows: Floats = field(init=False)
    """When each round begins and ends [s]."""
    value: Floats = field(init=False)
    """By flow: its rate while it sends [bytes/s]."""
    sent: Floats = field(init=False)
    """By round: what each of its flows sends."""
    cleared: Floats = field(init=False)
    """By link: when the ports of its cable are cleared [s]; infinite where they are not."""

    def __post_init__(self) -> None:
        hosts, plan, rng = len(self.net.hosts), self.plan, self.rng
        orders = [rng.permutation(hosts) for _ in range(plan.rounds)]
        self.flows = np.concatenate([np.stack([order, np.roll(order, 1)], axis=1) for order in orders])
        self.number = np.repeat(np.arange(plan.rounds), hosts)
        there = self.net.path(self.flows)[:, 0] != NONE
        self.flows, self.number = self.flows[there], self.number[there]
        lengths, gaps = rng.uniform(*plan.seconds, plan.rounds), rng.uniform(0.02, 0.2, plan.rounds)
        ends = np.cumsum(lengths + gaps)
        self.windows = np.stack([ends - lengths - gaps[0], ends - gaps[0]], axis=1)
        job = np.zeros((0, 1), np.int64)
        if plan.pairs:
            job = self.net.path(np.array(plan.pairs)).astype(np.int64)
        elif plan.others:
            job = another_job(self.net, plan.others, 1, rng, changes=False)[0]
        self._rates(job)
        self._back = np.arange(self.net.num_links) ^ 1
        self.cleared, self._at_clearing = np.full(self.net.num_links, np.inf), np.zeros(self.net.num_links)
        for link in rng.permutation(self.crossed)[: plan.cleared]:
            cable, time = [link, link ^ 1], float(rng.uniform(0.2, 0.8) * self.length)
            self.cleared[cable], self._at_clearing[cable] = time, self.carried(time)[cable]

    @property
    def length(self) -> float:
        """Seconds from the first round to the end of the last."""
        return float(self.windows[-1, 1])

    @property
    def crossed(self) -> Ints:
        """Links that flows cross."""
        return np.unique(self._path[self._path != NONE])

    def _rates(self, job: Ints) -> None:
        """Rates of both jobs, whenever they change: at the ends of rounds, and when the other job begins or pauses."""
        plan, rng, links = self.plan, self.rng, self.net.num_links
        self._path = self.net.path(self.flows).astype(np.int64)
        turns = np.cumsum(rng.exponential(0.15 * self.length, 200)) - 20.0
        turns = turns[turns < self.length + 20]
        on = rng.random(len(turns) + 1) < plan.duty if plan.duty < 1 else np.ones(len(turns) + 1, np.bool_)
        middles = self.windows.mean(axis=1)
        times = np.unique(
            np.concatenate([[-30.0], self.windows.ravel(), middles, turns if plan.duty < 1 else []])
        )
        level = rng.uniform(0.6, 0.92)
        # In one half of a round flows are faster than in the other, but no faster than links carry.
        swing = rng.uniform(-1, 1, plan.rounds) * (0.97 / level - 1)
        self.times, self.own, self.theirs = (
            times,
            np.zeros((len(times), links)),
            np.zeros((len(times), links)),
        )
        self.sent, self.value = np.zeros(plan.rounds), np.zeros(len(self.flows))
        for number, (begin, end) in enumerate(self.windows):
            # Repeats wait for each other, so that all flows send as much: what the slowest can, beside the other job.
            alone, beside = (self._fair(number, jobs)[0] for jobs in (job[:0], job))
            busy = plan.duty if len(job) else 0.0
            rates = (busy * beside + (1 - busy) * alone) * level
            self.value[self.number == number] = rates
            self.sent[number] = rates.min() * (end - begin)
        for at, time in enumerate(times):
            is_on = bool(on[np.searchsorted(turns, time, side="right")]) if len(job) else False
            number = int(np.flatnonzero((self.windows[:, 0] <= time) & (time < self.windows[:, 1]))[:1].sum())
            runs = bool(((self.windows[:, 0] <= time) & (time < self.windows[:, 1])).any())
            if runs:
                path = self._path[self.number == number]
                begin, end = self.windows[number]
                factor = 1 + swing[number] * (1 if time < middles[number] else -1)
                self.own[at] = factor * self._on_links(
                    path, np.full(len(path), self.sent[number] / (end - begin))
                )
            if is_on:
                left = np.maximum(self.net.rates - self.own[at] * (1 + plan.header), 0)
                self.theirs[at] = self._on_links(job, 0.97 * max_min(left, job))

    def _fair(self, number: int, job: Ints) -> tuple[Floats, Floats]:
        own = self._path[self.number == number]
        width = max(own.shape[1], job.shape[1])
        both = np.full((len(own) + len(job), width), NONE)
        both[: len(own), : own.shape[1]], both[len(own) :, : job.shape[1]] = own, job
        rates = max_min(self.net.rates, both)
        return rates[: len(own)], rates[len(own) :]

    def _on_links(self, path: Ints, rates: Floats) -> Floats:
        flow, step = np.nonzero(path != NONE)
        return np.bincount(path[flow, step], weights=rates[flow], minlength=self.net.num_links).astype(float)

    def counted(self, at: float, rates: Floats) -> Floats:
        """What each link has carried by a time, at rates such as `own`."""
        edges = np.append(self.times, np.inf)
        lengths = np.clip(np.minimum(edges[1:], at) - self.times, 0, None)
        total: Floats = (lengths[:, None] * rates).sum(axis=0)
        return total

    def shares(self) -> Floats:
        """The share of each link's rate that the other job took while it was measured."""
        return (self.counted(self.length, self.theirs) - self.counted(0.0, self.theirs)) / (
            self.net.rates * self.length
        )

    def frame(self) -> pl.DataFrame:
        """The table of the measurement."""
        times = [
            pl.from_epoch(
                pl.Series((BEGAN // 1000 + 1e6 * self.windows[self.number, at]).astype(np.int64)), "us"
            )
            for at in (0, 1)
        ]
        names = self.net.hosts
        frame = pl.DataFrame(
            {
                "test": ["rounds"] * len(self.flows),
                "what": ["bandwidth"] * len(self.flows),
                "unit": ["bytes/s"] * len(self.flows),
                "provenance": ["measured"] * len(self.flows),
                "bytes": [4 << 20] * len(self.flows),
                "source": [names[at] for at in self.flows[:, 0]],
                "destination": [names[at] for at in self.flows[:, 1]],
                "round": self.number.astype(np.uint32),
                "value": self.value * np.exp(0.01 * self.rng.standard_normal(len(self.flows))),
                "began": times[0].dt.replace_time_zone("UTC"),
                "ended": times[1].dt.replace_time_zone("UTC"),
                "sent": self.sent[self.number].astype(np.uint64),
            }
        )
        table: pl.DataFrame = lacis.measured.modelled(
            frame.to_dict(as_series=False), provenance="measured"
        ).frame
        return table

    def sweeps(self) -> Iterator[Readings]:
        """What is read. A port says at once what it has sent and received; a sweep takes a while."""
        plan, rng, links = self.plan, self.rng, self.net.num_links
        begin = -3.3 * plan.period if plan.late is None else plan.late
        count = int((self.length + 3.3 * plan.period - begin) / plan.period) + 1
        base = rng.integers(1 << 40, 1 << 44, links)
        guids, mine = self.net.fabric.guids(), np.arange(links)
        for sweep in range(count):
            start = begin + (sweep + rng.uniform(-0.1, 0.1)) * plan.period
            batch, when = rng.integers(0, 8, links), start + 0.05 * np.arange(8) / 8
            carried = np.stack([self.carried(time) for time in when])
            one = replace(
                empty(links, ("XmitData", "RcvData")),
                guids=guids[self.net.ends[:, 0]],
                ports=self.net.ends[:, 1].astype(np.uint16),
                times=(BEGAN + 1e9 * (when[batch] + plan.clock)).astype(np.int64),
                states=np.full(links, LinkState.ACTIVE, np.uint8),
                started=int(BEGAN + 1e9 * (start + plan.clock)),
                ended=int(BEGAN + 1e9 * (start + 0.05 + plan.clock)),
            )
            is_cleared = when[batch] > self.cleared
            for name, of in (("XmitData", mine), ("RcvData", mine ^ 1)):
                now = carried[batch, of]
                one.values[name][:] = np.where(
                    is_cleared, (now - self._at_clearing[of]) / 4, base[of] + now / 4
                )
                one.known[name][:] = one.wide[name][:] = True
            yield one.taken(rng.random(links) >= plan.holes).sorted()

    def carried(self, time: float) -> Floats:
        """What each link has carried by a time, headers and acknowledgements too."""
        there = self.counted(time, self.own)
        both: Floats = (there + self.counted(time, self.theirs)) * (1 + self.plan.header) + ANSWERS * there[
            self._back
        ]
        return both


def said(story: Story) -> judged.Others:
    """What the judge says of a story."""
    hosts = _core.participants(story.net.routes, groups="all", rail="1", order="topology")
    sent = judged.sent_of(story.net.routes, hosts, hosts.hosts, story.frame())
    if sent is None:
        raise ValueError("the story says when nothing was measured")
    return judged.judged(sent, judged.carried(sent, story.sweeps()))


def seen_links(story: Story, found: judged.Others) -> tuple[Ints, Ints]:
    """Links of the net that flows cross, and those of them that are seen to carry something else."""
    crossed = story.crossed
    if not found.parts:
        return crossed, crossed[:0]
    [part] = found.parts
    rows = part.sent.ports.rows_of_nodes(story.net.ends[crossed, 0], story.net.ends[crossed, 1])
    at = np.searchsorted(part.sent.rows, rows)
    if len(rows) != len(part.sent.rows) or (part.sent.rows[at] != rows).any():
        raise ValueError("the judge lets flows cross other links")
    return crossed, crossed[part.links.seen[at]]


FABRICS = (
    ("fat-tree:8,3", "ftree", 0),
    ("fat-tree:8,3", "updn", 12),
    ("itasca:9", "minhop", 0),
    ("dgx-2025", "updn", 0),
)
"""Fabrics, the engine of their tables, and how many cables are missing."""
ABOVE = 0.1
"""The share of a link's rate from which other traffic has to be seen."""


def nets() -> Iterator[Net]:
    """The fabrics that are there."""
    for name, engine, cables in FABRICS:
        found = net(name, engine)
        if found is not None:
            yield damaged(found, cables, 1, engine) if cables else found


def main(seeds: int) -> None:
    """Prints what is said of stories of each kind."""
    for where in nets():
        for period in (1.0, 10.0):
            rounds = 12 if period == 1 else 60
            calm = [
                said(Story(where, Plan(period, rounds), np.random.default_rng(seed))).word
                for seed in range(seeds)
            ]
            above = caught = wrong = clean = 0
            words = []
            for seed in range(seeds):
                rng = np.random.default_rng(1000 + seed)
                plan = Plan(
                    period,
                    rounds,
                    header=float(rng.uniform(0.004, 0.03)),
                    others=float(rng.uniform(0.05, 0.4)),
                    duty=float(rng.uniform(0.4, 1.0)),
                )
                story = Story(where, plan, rng)
                found = said(story)
                words.append(found.word)
                crossed, seen = seen_links(story, found)
                shares = story.shares()
                above += int((shares[crossed] >= ABOVE).sum())
                caught += int((shares[seen] >= ABOVE).sum())
                clean += int((shares[crossed] == 0).sum())
                wrong += int((shares[seen] == 0).sum())
            counts = {word: words.count(word) for word in dict.fromkeys(words)}
            none = {word: calm.count(word) for word in dict.fromkeys(calm)}
            print(
                f"{where.name} sweeps each {period:g} s: nothing else {none}; another job {counts}, links with {ABOVE:.0%} or more "
                f"{caught} of {above} seen, of {clean} without any {wrong} seen",
                flush=True,
            )

    clocks(seeds)


CLOCKS = (0.3, 0.5, 1.0, 3.0, 8.0, 20.0)
"""By how many seconds clocks differ where nothing else is sent."""


def clocks(seeds: int) -> None:
    """Prints what is said where nothing else is sent and clocks differ, of a quarter as many stories of each kind."""
    for period in (1.0, 10.0):
        words: dict[float, Counter[str]] = {}
        for where in nets():
            for clock in CLOCKS:
                for seed in range(-(-seeds // 4)):
                    plan = Plan(period, 12 if period == 1 else 60, clock=clock)
                    found = said(Story(where, plan, np.random.default_rng(2000 + seed)))
                    words.setdefault(clock, Counter())[found.word] += 1
        each = "; ".join(f"{clock:g} s {dict(count)}" for clock, count in words.items())
        print(f"clocks apart, sweeps each {period:g} s, nothing else: {each}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
