"""What `lacis permute` says on standard error: both orders beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..mapping import Permutation


def as_text(found: Permutation, tables: str) -> str:
    """The order given beside the one chosen, in bytes by tier and in time; then what was assumed."""
    from ..facts.wording import text
    from ..facts.words import count, quantity

    before, after = found.given, found.chosen
    hosts = len(set(found.hosts))
    lines = [
        f"{count(found.ranks, 'rank')} on {count(hosts, 'host')} of {count(found.leaves, 'leaf', 'leaves')}; {tables}"
    ]
    names = ["inside hosts", "between hosts of a leaf", "above"]
    if found.has_pods:
        names[2:] = ["between leaves of a pod", "between pods"]
    total = sum(before.tiers)
    rows = [(before.tiers[at], after.tiers[at]) for at in range(len(names))]

    def share(value: float) -> str:
        return f"{quantity(value, 'bytes')} ({value / total:.1%})" if total else quantity(value, "bytes")

    cells = [("", "given", "chosen")]
    cells += [(name, share(a), share(b)) for name, (a, b) in zip(names, rows, strict=True)]
    times = [
        ("the most loaded link needs", before.seconds, after.seconds),
        ("the same between switches", before.seconds_between, after.seconds_between),
        ("predicted time of a step", before.time, after.time),
    ]
    cells += [(name, quantity(a, "s"), quantity(b, "s")) for name, a, b in times]
    first, second, third = (max(map(len, column)) for column in zip(*cells, strict=True))
    lines += [f"{name:{first}}   {a:>{second}}   {b:>{third}}" for name, a, b in cells]
    if after.link is not None:
        lines.append(f"most loaded: {after.link}; between switches: {after.link_between or 'none'}")
    lines.append("modelled: all messages of a step at once, max-min fair shares")
    lines += [text(remark) for remark in found.remarks]
    return "\n".join(lines)
