"""What `lacis simulate` prints for a person, and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.words import count, noun
from ._output import console, print_line
from ._routing import tables_file
from ._traffic import RANDOM
from ._units import shown, size_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Participants, Routes, Simulation
    from ..requests.workload import Workload
    from ..results import WorkloadResult

_LINES = 50_000  # written at a time
_COLUMNS = "run,workload,phase,source,destination,source_rank,destination_rank,bytes,posted_ps,arrived_ps"
_ADAPTIVE = {
    "off": "",
    "least": "; adaptive: least waiting",
    "two": "; adaptive: better of two",
    "omni-path": "; adaptive: switches move LIDs",
}
_BARS = " ▁▂▃▄▅▆▇█"
_WIDTH = 50  # bars in a row


def write_messages(path: str, result: Simulation) -> None:
    """Write a line for every message that arrived, whole or not at all."""
    from ..io import files

    with files.writing(path) as out:
        out.write(f"{_COLUMNS}\n".encode())
        for first in range(0, result.num_messages, _LINES):
            out.write(result.messages_csv(first, _LINES))


def print_result(
    routes: Routes,
    hosts: Participants,
    result: Simulation,
    works: Sequence[Workload],
    *,
    seed: int,
    device: str,
    adaptive: str,
    multipath: str,
    busiest: int,
) -> None:
    """Print what all got, and what each workload did.

    Args:
        routes: the tables.
        hosts: of the first workload.
        result: what the workloads got.
        works: the workloads, as they were asked for.
        seed: of random patterns and random choices.
        device: name of switches and adapters.
        adaptive: `Adaptive.how`.
        multipath: how messages choose among a receiver's LIDs.
        busiest: links to list.
    """
    from ..ranks.participants import in_words

    out = console()

    def say(line: str = "") -> None:
        print_line(out, line)

    def row(label: str, value: str) -> None:
        say(f"{label:<30} {value}")

    if result.partial:
        say("INTERRUPTED: what follows is partial")
    phases = len(result.times())
    seeded = f", seed {seed}" if any(_is_random(work) for work in works) else ""
    what = f"{count(phases, 'phase')}{seeded}"
    lids = "" if multipath == "none" else f"; LIDs {multipath}"
    choices = _ADAPTIVE[adaptive] + lids
    says = [_describe(work, result.workload(number)) for number, work in enumerate(works)]
    if len(works) > 1:
        say(
            f"{len(works)} workloads: {what}; {in_words(hosts)}; tables of {tables_file() or routes.engine_used}"
        )
        say(f"modelled: packet by packet{choices}")
    else:
        say(f"{works[0].spec}: {what}; {in_words(hosts)}; tables of {tables_file() or routes.engine_used}")
        say(f"modelled: packet by packet; {says[0]}{choices}")
    say(f"assumed: the constants of device {device} (lacis simulate --devices)")
    if result.unrouted:
        say(
            f"NO ROUTE for {count(result.unrouted, 'flow')}: {noun(result.unrouted, 'it is', 'they are')} left out below"
        )
    if result.deadlock:
        phase, cycle = result.deadlock
        say()
        say(f"DEADLOCK in phase {phase}: {len(cycle)} links, each waiting for room behind the next")
        for egress, ingress, lane in cycle:
            say(f"  {egress} → {ingress}, lane {lane}")
    for after, one, other in result.cuts:
        say(f"cut after {shown(after)}: {one}--{other}")
    for number, work in enumerate(works):
        say()
        if len(works) > 1:
            say(f"{number}  {work.spec}: {says[number]}")
        _print_workload(row, result, number, work, hosts)
    if len(works) > 1:
        say()
    _print_packets(row, result)
    if adaptive == "omni-path":
        moved, last = result.moved
        row("LIDs moved by switches", f"{moved:,}" + (f", the last after {shown(last)}" if moved else ""))
    links = result.busiest(busiest)
    if links:
        say()
        say("busiest links (share of the time sending; with a packet, but no credits)")
    for egress, ingress, busy, starved, _ in links:
        say(f"  {busy:6.1%} {starved:6.1%}  {egress} → {ingress}")
    _print_utilisation(say, result, [(egress, ingress) for egress, ingress, *_ in links])


def _is_random(work: Workload) -> bool:
    return work.spec.partition(":")[0] in RANDOM or work.test == "load"


def _print_workload(
    row: Callable[[str, str], None], result: Simulation, number: int, work: Workload, hosts: Participants
) -> None:
    from ._simulated import finite_bandwidths

    got = result.workload(number)
    times = got.times
    if work.test == "load" and result.num_workloads == 1:
        most = result.simulated * result.link_rate * hosts.num_ports
        share = got.payload / most if most else 0.0
        row("load that arrived", f"{share:.4f} of the links' rate ({work.load:g} offered)")
    elif work.test == "load":
        row("payload that arrived", size_shown(got.payload))
    elif got.through < len(times):
        row("simulated", f"{shown(result.simulated)}; not all of it arrived")
    else:
        spread = "" if len(times) == 1 else f" (shortest phase {shown(min(times))})"
        row("until the last message", shown(max(times)) + spread)
    if got.ranks is not None:
        inside = f", {got.inside_hosts:,} inside hosts" if got.inside_hosts else ""
        row("messages of a program", f"{got.flows:,} among {count(got.ranks, 'rank')}{inside}")
        if got.bandwidth:
            algorithm, bus = (value / 1e9 for value in got.bandwidth)
            row("bandwidth [GB/s]", f"algorithm {algorithm:.4g}, bus {bus:.4g}")
    bandwidths = finite_bandwidths(got.bandwidths) / 1e9
    if len(bandwidths):
        spread = f"mean {bandwidths.mean():.3f}, min {bandwidths.min():.3f}, max {bandwidths.max():.3f}"
        row("bandwidth of a flow [GB/s]", spread)
    is_over = not result.partial and not result.deadlock and got.through < len(times)
    if is_over and result.packets[2] and work.test != "load" and got.ranks is None:
        row("flows that lost packets", f"{got.flows - len(bandwidths):,} of {got.flows:,}")
    latency = got.latency
    if latency["count"]:
        keys = {"mean": "mean", "min": "min", "p50": "p50", "p99": "p99", "p999": "p99.9", "max": "max"}
        spread = ", ".join(f"{label} {shown(latency[key])}" for key, label in keys.items())
        row("time of a message", spread)


def _print_packets(row: Callable[[str, str], None], result: Simulation) -> None:
    sent, arrived, discarded = result.packets
    waited = result.waited
    total = sum(waited.values())
    if total and arrived:
        labels = {"behind_others": "behind others in a queue", "for_credits": "for credits"}
        labels["for_turn"] = "for a busy port"
        causes = ", ".join(f"{waited[key] / total:.0%} {label}" for key, label in labels.items())
        row("waiting in switches", f"{shown(total / arrived)} a packet: {causes}")
    events, hops = result.events
    lost = f", {discarded:,} discarded" if discarded else ""
    inside = f", {sent - arrived - discarded:,} still on their way" if sent > arrived + discarded else ""
    row("packets", f"{sent:,}{lost}{inside}; {count(hops, 'link')} crossed in {count(events, 'event')}")


def _print_utilisation(say: Callable[[str], None], result: Simulation, links: list[tuple[str, str]]) -> None:
    """Print a row of bars for each of the busiest links, several intervals to a bar where there are many."""
    utilisation = result.utilisation()
    if utilisation is None or not links:
        return
    import numpy as np

    interval, ends, is_cut, names, busy = utilisation
    together = max(1, -(-len(busy) // _WIDTH))
    say("")
    runs = f"; {len(ends)} phases one after another" if len(ends) > 1 else ""
    say(f"busiest links over time (a bar is {shown(together * interval)}{runs})")
    column_of = {name: column for column, name in enumerate(names)}
    for egress, ingress in links:
        shares = busy[:, column_of[egress, ingress]]
        firsts = np.arange(0, len(shares), together)
        means = np.add.reduceat(shares, firsts) / np.minimum(together, len(shares) - firsts)
        bars = "".join(_BARS[min(8, round(8 * share))] for share in means.tolist())
        say(f"  {bars}  {egress} → {ingress}")
    if is_cut:
        say("  the rest had no room: take longer intervals")


def _describe(work: Workload, got: WorkloadResult) -> str:
    size = count(work.size, "byte")
    if got.ranks is not None:
        ranks = f"{work.ranks_per_host} rank{'s' * (work.ranks_per_host != 1)} a host"
        return ranks if work.spec.startswith("trace:") else f"{size}, {ranks}"
    messages = f"{work.count:,} message{'s' * (work.count != 1)} of {size}"
    tests = {
        "burst": f"{messages} at once for each flow",
        "windows": f"{work.count:,} × {work.window} messages of {size} for each flow, answered",
        "ping-pong": f"{messages} there and back for each flow",
        "load": f"messages of {size} at random times for {shown(work.duration)}",
    }
    return tests[work.test]
