"""Stories of jobs whose truth is known: what `benchmarks.why_stories` asks `lacis why` about.

A story is a fabric, tables, jobs with their traffic, counters of sweeps, and what is the case: a cable or an adapter is broken,
other jobs fill a link, nothing is wrong, or what would show it was not read. It is drawn here without any code of the judge: paths
are walked through the forwarding tables, entry by entry, and counters are made of the flows on them. Counters alone go through the
types of `lacis.counters`, in which readers hand them over.

What is assumed: each job sends all to all, each flow times a factor of its own (log-normal, 30 %); in
three of ten one job is not known to the judge; sweeps come every 30 s, each port
answers within a second of its own; counters begin at any value; XmitWait has 64 bits except where that is the story.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import lacis
import numpy as np
from lacis.counters import LinkState, Readings, Unread, growth
from lacis.counters.readings import empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lacis import Routes
    from lacis.counters import Growth
    from numpy.typing import NDArray

Kind = Literal["guilty", "busy", "innocent", "blind"]
KINDS: tuple[Kind, ...] = ("guilty", "busy", "innocent", "blind")
FABRICS = (
    "fat-tree:8,2:rate=4xHDR",
    "fat-tree:8,2:taper=2,rate=4xHDR",
    "fat-tree:12,2:taper=2,rate=4xHDR",
    "fat-tree:8,3:rate=4xHDR",
    "fat-tree:8,2:rails=2,rate=4xHDR",
    "itasca:12:rate=4xHDR",
)
ENGINES = ("minhop", "updn", "ftree")
RATE = 25e9
"""Of every link, 4xHDR [bytes/s]."""
START = 1_760_000_000
EVERY = 30
PLAIN = (
    *("SymbolErrors", "LinkErrorRecovery", "LinkDowned", "RcvErrors", "XmitDiscards"),
    *("LocalLinkIntegrityErrors", "ExcessiveBufferOverruns", "RcvRemotePhysicalErrors", "VL15Dropped"),
)
MOST = {
    "LinkErrorRecovery": 255,
    "LinkDowned": 255,
    "LocalLinkIntegrityErrors": 15,
    "ExcessiveBufferOverruns": 15,
}
WIDE = ("XmitData", "RcvData")


class World:
    """A fabric as arrays of its own: ports, where each leads, and who has which LID."""

    def __init__(self, spec: str, engine: str) -> None:
        self.spec = spec
        self.fabric = lacis.read(spec)
        self.routes: Routes = lacis.route(self.fabric, f"{engine},minhop")
        cables = self.fabric.cables().reshape(-1, 4).astype(np.int64)
        self.ends = np.concatenate([cables, cables[:, [2, 3, 0, 1]]])
        self.peer = {(a, p): (b, q) for a, p, b, q in self.ends.tolist()}
        self.port = {(a, p): at for at, (a, p, _, _) in enumerate(self.ends.tolist())}
        self.switches = self.fabric.num_switches
        lids, guids = self.routes.lids()
        node_of = {int(guid): node for node, guid in enumerate(self.fabric.guids())}
        # A port of an adapter is numbered after its node.
        self.lid = {
            node_of[int(guid) - near]: int(lid)
            for lid, guid in zip(lids, guids, strict=True)
            for near in (0, 1)
            if int(guid) - near in node_of
        }
        self.table = self.routes.table()
        self.hosts: dict[str, list[int]] = {}
        for node, name in enumerate(self.fabric.descriptions()):
            if node >= self.switches:
                self.hosts.setdefault(name.split()[0], []).append(node)

    def walk(self, source: int, target: int) -> list[int]:
        """The ports that packets leave on their way."""
        port = next(p for (n, p) in self.port if n == source) if (source, 1) not in self.port else 1
        crossed = [self.port[source, port]]
        node = self.peer[source, port][0]
        while node != target:
            out = int(self.table[node, self.lid[target]])
            crossed.append(self.port[node, out])
            node = self.peer[node, out][0]
        return crossed

    def name(self, at: int) -> str:
        """A port as it is printed."""
        node, port = self.ends[at, :2]
        return f"{self.fabric.descriptions()[node]}[{port}]"


@dataclass
class Story:
    """A drawn case, and its truth."""

    kind: Kind
    what: str
    world: World
    hosts: dict[str, list[str]]
    sweeps: list[Readings]
    culprit: set[str] = field(default_factory=set)
    """Ends of the cable that is broken."""
    hot: str = ""
    """The port that a full link leaves."""
    shares: dict[str, float] = field(default_factory=dict)
    twins: bool = False
    """Whether two jobs have the same hosts, so that nothing can separate them."""

    def growth(self, _begin: int, _end: int) -> Growth:
        """As a store has it."""
        return growth(self.sweeps[0], self.sweeps[-1])

    def readings(self, _begin: int, _end: int) -> Iterator[Readings]:
        """As a store has it."""
        return iter(self.sweeps)


class Flows:
    """What jobs put on each port [bytes/s]."""

    def __init__(self, world: World, jobs: dict[str, list[str]], rng: np.random.Generator) -> None:
        self.jobs, size = jobs, len(world.ends)
        self.load = {name: np.zeros(size) for name in jobs}
        for name, hosts in jobs.items():
            for rail in range(len(world.hosts[hosts[0]])):
                nodes = [world.hosts[host][rail] for host in hosts]
                for a in nodes:
                    for b in nodes:
                        if a != b:
                            self.load[name][world.walk(a, b)] += rng.lognormal(0, 0.3)

    def scaled(self, factors: dict[str, float]) -> NDArray[np.float64]:
        """All of it, each job times a factor."""
        total = np.zeros(len(next(iter(self.load.values()))))
        for name, load in self.load.items():
            total += load * factors[name]
        return total


def draw(kind: Kind, seed: int) -> Story:
    """A story of a kind."""
    for attempt in range(200):
        story = _drawn(kind, np.random.default_rng([KINDS.index(kind), seed, attempt]))
        if story is not None:
            return story
    raise RuntimeError(f"no story {kind} {seed}")


_WORLDS: dict[tuple[str, str], World] = {}


def _drawn(kind: Kind, rng: np.random.Generator) -> Story | None:
    spec, engine = str(rng.choice(FABRICS)), str(rng.choice(ENGINES))
    world = (
        _WORLDS.setdefault((spec, engine), World(spec, engine))
        if (spec, engine) not in _WORLDS
        else _WORLDS[spec, engine]
    )
    names = sorted(world.hosts)
    jobs: dict[str, list[str]] = {}
    free = list(rng.permutation(names)) if rng.random() < 0.6 else names
    for job in ("own", "x", "y", "z")[: int(rng.integers(2, 5))]:
        size = int(rng.integers(4, 15))
        jobs[job], free = sorted(str(host) for host in free[:size]), free[size:]
    if min(map(len, jobs.values())) < 3:
        return None
    twins = kind == "busy" and rng.random() < 0.15
    if twins:
        jobs["twin"] = list(jobs["x"])
    flows = Flows(world, jobs, rng)
    under = kind if kind != "blind" else str(rng.choice(["guilty", "busy", "innocent"]))
    own = flows.load["own"] > 0
    trunk = (world.ends[:, 0] < world.switches) & (world.ends[:, 2] < world.switches)
    hot = -1
    if under == "busy":
        factors = {job: float(rng.uniform(0.2, 1) / load.max()) for job, load in flows.load.items()}
        # The fullest link of the job between switches is the one in question; others may be nearly as full.
        sums = flows.scaled(factors)
        hot = int(np.where(own & trunk, sums, 0).argmax())
        scale = rng.uniform(0.86, 0.99) * RATE / max(sums[hot], 1e-9)
        factors = {job: factor * scale for job, factor in factors.items()}
        if flows.load["own"][hot] * factors["own"] > 0.95 * RATE * 0.86:
            return None
    else:
        level = rng.uniform(0.1, 0.6)
        factors = {job: float(rng.uniform(0.2, 1)) for job in jobs}
        most = flows.scaled(factors).max()
        factors = {job: factor * level * RATE / most for job, factor in factors.items()}
    rates = flows.scaled(factors)
    if rates.max() > (RATE if under == "busy" else 0.6 * RATE):
        return None
    if kind == "blind" and under == "busy" and np.delete(rates, hot).max() > 0.7 * RATE:
        return None
    unlisted = "y" if "y" in jobs and rng.random() < 0.3 else ""
    story = Story(kind, under, world, {job: hosts for job, hosts in jobs.items() if job != unlisted}, [])
    waits = np.where(rates > 0, rng.uniform(0, 0.03, len(rates)) * rates / RATE, 0)
    errors = {name: np.zeros(len(rates)) for name in PLAIN}
    states = np.full(len(rates), LinkState.ACTIVE)
    back = np.roll(np.arange(len(rates)), len(rates) // 2)
    of_job = own | own[back]
    _noise(errors, of_job, rng, strict=kind in ("innocent", "blind"))
    if under == "busy":
        story.hot, story.twins = world.name(hot), twins
        story.shares = {job: float(flows.load[job][hot] * factors[job] / rates[hot]) for job in jobs}
        into = (world.ends[:, 2] == world.ends[hot, 0]) & (rates > 0)
        waits = np.where(into, rng.uniform(0.05, 0.5, len(rates)), waits)
        waits[hot] = rng.uniform(0, 0.05)
    slow = -1
    if under == "guilty":
        slow = _break(story, rng, own, trunk, rates, waits, errors, states, back)
    accused = np.array([world.name(at) in story.culprit for at in range(len(rates))])
    clear = kind != "blind" and rng.random() < 0.3
    sweeps = _sweeps(world, rates, waits, errors, states, back, of_job, accused, rng, clear=clear, kind=kind)
    if kind == "blind":
        sweeps = _blinded(story, sweeps, world, own, of_job, hot, slow, rng)
    story.sweeps = sweeps
    return story


def _noise(
    errors: dict[str, NDArray[np.float64]],
    of_job: NDArray[np.bool_],
    rng: np.random.Generator,
    *,
    strict: bool,
) -> None:
    """Errors of other links, and some, too few to mean anything, of the job's."""
    others = np.flatnonzero(~of_job)
    for at in rng.choice(others, min(len(others), 6), replace=False).tolist():
        errors[str(rng.choice(PLAIN))][at] += int(rng.integers(1, 400))
    if not strict and rng.random() < 0.5:
        at = rng.choice(np.flatnonzero(of_job))
        errors["SymbolErrors"][at] += int(rng.integers(1, 8))
    errors["VL15Dropped"] += rng.integers(0, 3, len(of_job))


def _break(
    story: Story,
    rng: np.random.Generator,
    own: NDArray[np.bool_],
    trunk: NDArray[np.bool_],
    rates: NDArray[np.float64],
    waits: NDArray[np.float64],
    errors: dict[str, NDArray[np.float64]],
    states: NDArray[np.int64],
    back: NDArray[np.intp],
) -> int:
    """Breaks a cable or an adapter of the job; the port of the switch before a slow adapter, or -1."""
    world = story.world
    fault = str(rng.choice(["symbols", "received", "flap", "recovery", "down", "slow"]))
    story.what = f"guilty ({fault})"
    at = int(rng.choice(np.flatnonzero(own)))
    if fault == "slow":
        to_host = own & (world.ends[:, 0] < world.switches) & (world.ends[:, 2] >= world.switches)
        at = int(rng.choice(np.flatnonzero(to_host)))
        waits[at] = rng.uniform(0.15, 0.8)
        into = (world.ends[:, 2] == world.ends[at, 0]) & (rates > 0) & trunk
        waits[into] = rng.uniform(0.0, 0.4, int(into.sum()))
    both = (at, int(back[at]))
    story.culprit = {world.name(end) for end in both}
    if fault == "symbols":
        errors["SymbolErrors"][at] += int(np.exp(rng.uniform(np.log(30), np.log(30_000))))
        errors["RcvErrors"][at] += int(rng.integers(0, 10))
    if fault == "received":
        errors["RcvErrors"][at] += int(rng.integers(20, 2000))
    if fault == "recovery":
        errors["LinkErrorRecovery"][at] += int(rng.integers(1, 20))
    if fault in ("flap", "down"):
        for end in both:
            errors["LinkDowned"][end] += 1 if fault == "down" else int(rng.integers(1, 4))
    if fault == "down":
        states[list(both)] = LinkState.DOWN
        rates[list(both)] *= 0.4
    return at if fault == "slow" else -1


def _sweeps(
    world: World,
    rates: NDArray[np.float64],
    waits: NDArray[np.float64],
    errors: dict[str, NDArray[np.float64]],
    states: NDArray[np.int64],
    back: NDArray[np.intp],
    of_job: NDArray[np.bool_],
    accused: NDArray[np.bool_],
    rng: np.random.Generator,
    *,
    clear: bool,
    kind: Kind,
) -> list[Readings]:
    """What sweeps read: counters that begin anywhere and grow, here and there cleared in the middle."""
    size, number = len(rates), int(rng.integers(2, 9))
    before = {name: rng.integers(0, 1 << 50, size) for name in WIDE}
    before["XmitWait"] = rng.integers(0, 1 << 40, size)
    for name in PLAIN:
        most = MOST.get(name, 65535) // 8
        before[name] = np.where(rng.random(size) < 0.1, rng.integers(0, max(most, 1), size), 0)
    per_second = {"XmitData": rates / 4, "RcvData": rates[back] / 4, "XmitWait": waits * RATE / 8}
    jitter = rng.uniform(0, 1, size)
    when = rng.integers(1, number, size) if number > 2 else np.ones(size, np.int64)
    cleared = ((rng.random(size) < 0.1) | (accused & (rng.random() < 0.5))) & clear & (number > 2)
    if kind == "innocent":
        cleared &= ~of_job
    shift = rng.normal(0, 0.05, (number - 1, size))
    swing = np.concatenate(
        [np.zeros((1, size)), np.cumsum(np.maximum(0.5, 1 + shift - shift.mean(axis=0)), axis=0)]
    )

    def grown(name: str, at: int) -> NDArray[np.float64]:
        """Errors since the first sweep: symbol errors come all the time, others at once."""
        return (
            errors[name] * at / (number - 1)
            if name == "SymbolErrors"
            else np.where(at >= when, errors[name], 0)
        )

    sweeps = []
    for at in range(number):
        # Jobs send more in one interval than in another; over the window it is their rate.
        passed = EVERY * (swing[at] if kind != "busy" else at)
        columns = {name: before[name] + (rate * passed).astype(np.int64) for name, rate in per_second.items()}
        is_last = at == number - 1
        for name in PLAIN:
            # Where PortCounters was cleared after the last sweep but one, what is there has grown since.
            since = grown(name, at) - grown(name, max(at - 1, 0))
            counted = np.where(cleared & is_last, since, before[name] + grown(name, at))
            columns[name] = np.minimum(counted, MOST.get(name, 65535)).astype(np.int64)
        times = ((START + EVERY * at + jitter) * 1e9).astype(np.int64)
        sweeps.append(
            _readings(world, columns, times, states if is_last else np.full(size, LinkState.ACTIVE))
        )
    return sweeps


def _readings(
    world: World, columns: dict[str, NDArray[np.int64]], times: NDArray[np.int64], states: NDArray[np.int64]
) -> Readings:
    found = empty(len(times), list(columns))
    for name, values in columns.items():
        found.values[name][:] = np.maximum(values, 0).astype(np.uint64)
        found.known[name][:] = True
        found.wide[name][:] = name in (*WIDE, "XmitWait")
    return replace(
        found,
        guids=world.fabric.guids()[world.ends[:, 0]],
        ports=world.ends[:, 1].astype(np.uint16),
        times=times,
        states=states.astype(np.uint8),
        started=int(times.min()),
        ended=int(times.max()),
    ).sorted()


def _blinded(
    story: Story,
    sweeps: list[Readings],
    world: World,
    own: NDArray[np.bool_],
    of_job: NDArray[np.bool_],
    hot: int,
    slow: int,
    rng: np.random.Generator,
) -> list[Readings]:
    """The same without what would show the truth; of a fabric in which nothing is wrong, without some port of the job."""
    size = len(own)
    back = np.roll(np.arange(size), size // 2)
    hidden = np.zeros(size, np.bool_)
    if story.culprit:
        hidden |= np.array([world.name(at) in story.culprit for at in range(size)])
    if hot >= 0:
        hidden[hot] = hidden[back[hot]] = True
    if not hidden.any():
        hidden[rng.choice(np.flatnonzero(of_job), int(rng.integers(1, 4)))] = True
    way = str(
        rng.choice(
            ["unread", "gone", "absent", "full"] if not story.culprit and hot < 0 else ["unread", "gone"]
        )
    )
    if story.culprit or hot >= 0:
        # What waits for it would show it too.
        node = world.ends[hot if hot >= 0 else (slow if slow >= 0 else int(np.flatnonzero(hidden)[0])), 0]
        if node < world.switches:
            hidden |= (world.ends[:, 0] == node) | (world.ends[:, 2] == node)
    story.what = f"{story.what}, {way}"
    guids, ports = world.fabric.guids()[world.ends[hidden, 0]], world.ends[hidden, 1]
    keys = set(zip(guids.tolist(), ports.tolist(), strict=True))
    found = []
    for at, one in enumerate(sweeps):
        mask = np.array([key in keys for key in zip(one.guids.tolist(), one.ports.tolist(), strict=True)])
        if way == "unread" or (way == "gone" and at == len(sweeps) - 1):
            unread = tuple(Unread(guid, port, "timeout") for guid, port in keys)
            one = replace(one.taken(~mask), unread=unread)
        if way == "gone" and at < len(sweeps) - 1:
            for name in PLAIN:
                one.values[name][mask] = sweeps[0].values[name][mask]
            if story.culprit or hot >= 0:
                one = one.taken(~mask)
        if way == "absent":
            one.known["XmitWait"][mask] = False
        if way == "full":
            one.wide["XmitWait"][mask] = False
            one.values["XmitWait"][mask] = (1 << 32) - 1
        found.append(one)
    return found
