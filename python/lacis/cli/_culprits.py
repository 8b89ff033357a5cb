"""What `lacis explain` says of suspects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..words import count

if TYPE_CHECKING:
    from ..explain import Explanation
    from ..explain.culprits import Culprits, Found, Partly, Suspect

_SHOWN = 20
_ALIKE = 4
_APART = 0.15


def show(told: Explanation, rounds_file: str | None) -> None:
    """Suspects with their evidence, then what could have been found."""
    is_time = told.series.unit == "s"
    culprits = told.culprits
    for number, one in enumerate(culprits.found[:_SHOWN], 1):
        _show_found(number, one, culprits, is_time=is_time)
    for number, part in enumerate(culprits.partly[:_SHOWN], 1 + len(culprits.found[:_SHOWN])):
        _show_partly(number, part, is_time=is_time)
    more = max(len(culprits.found) - _SHOWN, 0) + max(len(culprits.partly) - _SHOWN, 0)
    if more:
        click.echo(f"and {more:,} more (--json)")
    _show_apart(culprits, rounds_file)
    if not culprits.found and not culprits.partly:
        verdict = "no link, adapter or switch is slow" if culprits.can_tell else "could not tell"
        click.echo(f"{verdict}, as far as these flows show")
    _show_sight(told)


def _show_found(number: int, one: Found, culprits: Culprits, *, is_time: bool) -> None:
    suspect, probability = one.suspects[0]
    click.echo(f"{number}. {suspect}")
    click.echo(
        f"     {_severity(one.ratio, one.low, one.high, is_time=is_time)}, confidence {_percent(probability)}"
    )
    evidence = f"     {one.slow:,} of {count(one.flows, 'flow')} over it are slow, median {_of_others(one.reached, is_time=is_time)}"
    if one.beside:
        evidence += f"; {one.beside:,} that share other links with them, but not this: {_of_others(one.beside_reached, is_time=is_time)}"
    click.echo(evidence)
    if one.like:
        click.echo(f"     as a link at {' or '.join(one.like[:3])} would be; its ends report {suspect.rate}")
    back = [at for at, other in enumerate(culprits.found, 1) if _is_back(suspect, other.suspect)]
    if back:
        click.echo(f"     {back[0]} is the same cable in the other direction")
    if len(one.suspects) > 1:
        click.echo("     cannot be told from:")
        _list([f"{other}, {_percent(p)}" for other, p in one.suspects[1:]])


def _show_partly(number: int, one: Partly, *, is_time: bool) -> None:
    suspect = one.suspects[0]
    how = "from repeat to repeat" if one.swings else "from flow to flow"
    what = (
        "takes another path than the tables say, or meets others there"
        if suspect.kind == "entry"
        else f"comes and goes {how}"
    )
    click.echo(f"{number}. {suspect}")
    click.echo(
        f"     {what}: {one.slow:,} of {count(one.flows, 'flow')} are slow, median {_of_others(one.ratio, is_time=is_time)}"
    )
    if len(one.suspects) > 1:
        click.echo("     the same can be said of:")
        _list([str(other) for other in one.suspects[1:]])


def _list(lines: list[str]) -> None:
    for line in lines[:_ALIKE]:
        click.echo(f"       {line}")
    if len(lines) > _ALIKE:
        click.echo(f"       and {len(lines) - _ALIKE:,} more (--json)")


def _show_apart(culprits: Culprits, path: str | None) -> None:
    apart = culprits.apart
    if apart is None:
        if path is not None:
            click.echo("lacis: --rounds: there is nothing to tell apart", err=True)
        return
    if not apart.rounds:
        click.echo("no further round between these hosts tells them apart: swap cables and measure again")
        return
    from ..files import write

    how = f"--rounds FILE writes {'it' if apart.rounds == 1 else 'them'}"
    if path is not None:
        write(path, apart.text)
        how = f"lacis measure rounds --hosts … -- --schedule file:{path} --one-per-node"
    click.echo(f"{count(apart.rounds, 'more round')} would tell them apart: {how}")


def _show_sight(told: Explanation) -> None:
    culprits = told.culprits
    if len(culprits.unexplained):
        part = len(culprits.unexplained) / len(told.core)
        click.echo(
            f"{len(culprits.unexplained):,} of {count(len(told.core), 'flow')} ({part:.1%}) are slow beside: they meet on nothing (outliers)"
        )
    flows = sum(level.flows for level in told.levels)
    apart = sum(level.flows for level in told.levels if level.spread > _APART)
    if 2 * apart > flows:
        click.echo(
            f"flows that should be alike differ by more than {_APART:.0%}: do other tables run? --which-tables says which"
        )
    word = "delay" if told.series.unit == "s" else "loss"
    sight = ", ".join(
        f"a {word} of {loss:.0%} on {_all(number, culprits.links)}"
        for loss, number in culprits.visible.items()
    )
    click.echo(f"{culprits.links:,} directed links crossed; would have shown: {sight} (modelled)")
    differ = ", ".join(
        f"{name} {part:.1%}"
        for name, part in zip(
            ("senders", "receivers", "links between switches"), culprits.differ.values(), strict=True
        )
    )
    click.echo(f"healthy ones differ by (estimated): {differ}")


def _all(number: int, links: int) -> str:
    return "all" if number == links else f"{number:,}"


def _is_back(one: Suspect, other: Suspect) -> bool:
    return one.egress is not None and one.egress == other.ingress and one.ingress == other.egress


def _severity(ratio: float, low: float, high: float, *, is_time: bool) -> str:
    if is_time:
        return f"about {ratio:.2f} times as long ({low:.2f}–{high:.2f})"
    return f"about {ratio:.0%} of its rate ({100 * low:.0f}–{100 * high:.0f} %)"


def _of_others(ratio: float, *, is_time: bool) -> str:
    return f"{ratio:.2f} times as long as others" if is_time else f"{ratio:.0%} of what others get"


def _percent(p: float) -> str:
    return "> 99 %" if p > 0.99 else f"{p:.0%}"


def to_json(told: Explanation) -> dict[str, Any]:
    """What was found, as `--json` has it."""
    import dataclasses

    culprits = told.culprits
    flows = told.flows()
    names = told.hosts.hosts
    pairs = [
        {
            "source": names[flows["source"][f]],
            "destination": names[flows["destination"][f]],
            "loss": float(flows["loss"][f]),
        }
        for f in culprits.unexplained[:1000]
    ]
    return {
        "found": [
            {
                **{k: v for k, v in dataclasses.asdict(one).items() if k != "suspects"},
                "suspects": [
                    {**dataclasses.asdict(suspect), "probability": p} for suspect, p in one.suspects
                ],
            }
            for one in culprits.found
        ],
        "partly": [dataclasses.asdict(one) for one in culprits.partly],
        "links": culprits.links,
        "visible": [{"loss": loss, "links": number} for loss, number in culprits.visible.items()],
        "differ": culprits.differ,
        "unexplained": {"flows": len(culprits.unexplained), "pairs": pairs},
        "rounds": None if culprits.apart is None else culprits.apart.rounds,
    }
