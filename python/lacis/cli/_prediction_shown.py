"""What `lacis predict` prints for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.words import count, noun
from ._output import print_line
from ._routing import tables_file
from ._traffic import RANDOM

if TYPE_CHECKING:
    from rich.console import Console

    from .._core import Participants, Prediction, Routes, Times
    from ..facts.bounds import ShiftsBounded

_SHOWN = {
    "load": "modelled: flows counted per link, no rates",
    "fluid": "modelled: max-min fair shares, no queues",
}


def phases_in_words(result: Prediction | Times, seed: int, *, is_random: bool) -> str:
    """How many there are, and of random ones their seed."""
    number = result.num_phases
    return f"{count(number, 'random pattern')}, seed {seed}" if is_random else count(number, "phase")


def print_prediction(
    out: Console,
    routes: Routes,
    hosts: Participants,
    result: Prediction,
    name: str,
    traffic: str,
    seed: int,
    host_order: str,
    notes: list[str],
    shifts: ShiftsBounded | None,
) -> None:
    """Prints what flows of a pattern get."""
    from ..facts.wording import text
    from ..ranks.participants import in_words

    def say(line: str = "") -> None:
        print_line(out, line)

    what = phases_in_words(result, seed, is_random=name in RANDOM)
    rails = f" on {hosts.rails} rails" if hosts.rails > 1 else ""
    sending = f"{in_words(hosts)}{rails} in {host_order} order"
    say(f"{traffic}: {what}; {sending}; tables of {tables_file() or routes.engine_used}")
    say(f"{_SHOWN[result.model]}; {count(result.flows, 'flow')}")
    for line in notes if result.model == "fluid" else []:
        say(f"assumed: {line}")
    if result.unrouted:
        say(
            f"NO ROUTE for {count(result.unrouted, 'flow')}: {noun(result.unrouted, 'it gets nothing, and counts', 'they get nothing, and count')} as 0 below"
        )
    if result.skipped:
        say(f"left out: {count(result.skipped, 'pair')} on a rail that one of the two lacks")
    say()
    shares = result.relative_bandwidth
    if result.flows:
        label = "effective bisection bandwidth" if name == "bisection" else "mean relative bandwidth"
        say(f"{label:<30} {shares['mean']:.4f}")
        spread = ", ".join(f"{key} {shares[key]:.3f}" for key in ("min", "p01", "p50", "p99", "max"))
        say(f"{'over flows':<30} {spread}")
    if shifts is not None:
        say(f"{'bound':<30} {text(shifts)}")
    mean_max = f"mean over phases {result.mean_max_contention:.2f}"
    say(f"{'greatest contention':<30} {result.max_contention:,} ({mean_max})")
    if result.bandwidth is not None:
        mean, least, most, total = (value / 1e9 for value in result.bandwidth)
        say(f"{'bandwidth of a flow [GB/s]':<30} mean {mean:.3f}, min {least:.3f}, max {most:.3f}")
        say(f"{'all flows together [GB/s]':<30} {total:,.3f}")
    _print_matrix(out, result)
    if result.hottest:
        say()
        say("hottest links (the most flows at once; all flows over all phases)")
    for hot in result.hottest:
        used = "" if hot.utilisation is None else f", {hot.utilisation:.0%} used"
        say(f"  {hot.contention:,} ({hot.total:,}{used})  {hot.egress} → {hot.ingress}")
        if hot.contention > 1:
            shown = [f"{a} → {b}" for a, b in hot.flows[:4]]
            more = f" and {hot.contention - len(shown):,} more" if hot.contention > len(shown) else ""
            say(f"      {', '.join(shown)}{more}")


def _print_matrix(out: Console, result: Prediction) -> None:
    mean, least = result.matrix("mean"), result.matrix("min")
    if result.matrix_labels is None or mean is None or least is None:
        return
    import numpy as np

    of, labels = result.matrix_labels
    known = ~np.isnan(mean)
    if not known.any():
        return
    row, column = np.unravel_index(np.argmin(np.where(known, mean, np.inf)), mean.shape)
    spread = f"mean {np.nanmin(mean):.3f} … {np.nanmax(mean):.3f}, least {np.nanmin(least):.3f}"
    worst = f"worst {labels[row]} → {labels[column]} of {count(int(known.sum()), 'pair')}; the matrix is in --json"
    print_line(out, f"{f'{of} to {of}':<30} {spread}; {worst}")
