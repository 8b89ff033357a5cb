"""What `lacis explain` says of suspects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..explain import suspects
from ..explain.errors import on_suspect
from ..facts import wording
from ..facts.words import count
from ._fabric import warn
from ._output import echo

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..documents.explain import CountedErrors, CulpritsRow, FoundSuspect, Partly
    from ..explain import Explanation
    from ..explain.culprits import Culprits, Found

_SHOWN = 20
_ALIKE = 4
_APART = 0.15
_PAIRS = 4


def show(explained: Explanation, rounds_file: str | None) -> None:
    """Suspects with their evidence, then what could have been found."""
    is_time = explained.series.unit == "s"
    culprits = explained.culprits
    for number, one in enumerate(culprits.found[:_SHOWN], 1):
        _show_found(number, one, explained, is_time=is_time)
    for number, flapping in enumerate(culprits.partly[:_SHOWN], 1 + len(culprits.found[:_SHOWN])):
        _show_partly(number, flapping, is_time=is_time)
    more = max(len(culprits.found) - _SHOWN, 0) + max(len(culprits.partly) - _SHOWN, 0)
    if more:
        echo(f"and {more:,} more (--json)")
    for line in (
        *map(wording.text, suspects.grouped(culprits)),
        *wording.numbered(culprits.together, 1 + len(culprits.found[:_SHOWN])),
    ):
        echo(line)
    _show_apart(culprits, rounds_file)
    if not culprits.found and not culprits.partly:
        echo(wording.text(suspects.verdict(culprits)))
        for reason in suspects.reasons(culprits, counters=explained.others_counted is not None):
            echo(f"  {wording.text(reason)}")
    if culprits.better is None:
        _show_sight(explained)


def _show_found(number: int, one: Found, explained: Explanation, *, is_time: bool) -> None:
    suspect, probability = one.suspects[0]
    echo(f"{number}. {suspect}")
    echo(f"     {wording.severity(one, is_time=is_time)}, confidence {wording.certainty(probability)}")
    echo(f"     {wording.evidence(one, is_time=is_time)}")
    if rate := wording.negotiated(one.like, suspect.rate):
        echo(f"     {rate}")
    if back := suspects.backs(suspect, explained.culprits):
        echo(f"     {back[0]} is the same cable in the other direction")
    for errors in on_suspect(explained.errors or {}, suspect):
        echo(
            f"     {errors.port} has counted {errors.value:,} {errors.counter} (tolerated: {errors.threshold:,})"
        )
    if len(one.suspects) > 1:
        echo("     cannot be distinguished from:")
        _list([f"{other}, {wording.certainty(p)}" for other, p in one.suspects[1:]])


def _show_partly(number: int, one: Partly, *, is_time: bool) -> None:
    echo(f"{number}. {one.suspects[0]}")
    echo(f"     {wording.partly(one)}: {wording.partly_evidence(one, is_time=is_time)}")
    if len(one.suspects) > 1:
        echo("     the same can be said of:")
        _list([str(other) for other in one.suspects[1:]])


def _list(lines: list[str]) -> None:
    for line in lines[:_ALIKE]:
        echo(f"       {line}")
    if len(lines) > _ALIKE:
        echo(f"       and {len(lines) - _ALIKE:,} more (--json)")


def _show_apart(culprits: Culprits, path: str | None) -> None:
    apart = culprits.apart
    if apart is None:
        if path is not None:
            warn("--rounds: there are no suspects to separate")
        return
    if not apart.rounds:
        echo("no further round between these hosts separates them: swap cables and measure again")
        return
    from ..io.files import write

    how = f"--rounds FILE writes {'it' if apart.rounds == 1 else 'them'}"
    if path is not None:
        write(path, apart.text)
        how = f"lacis measure rounds --hosts … -- --schedule file:{path} --one-per-node"
    echo(f"{count(apart.rounds, 'more round')} would separate them: {how}")


def _show_sight(explained: Explanation) -> None:
    culprits = explained.culprits
    if len(culprits.unexplained):
        share = len(culprits.unexplained) / len(explained.core)
        also = "also " if culprits.found or culprits.partly else ""
        echo(
            f"{len(culprits.unexplained):,} of {count(len(explained.core), 'flow')} ({share:.1%}) are {also}slow and share no link (outliers)"
        )
        if culprits.unfit is None:
            _show_pairs(explained)
    flows = sum(one.flows for one in explained.flow_classes)
    apart = sum(one.flows for one in explained.flow_classes if one.spread > _APART)
    if 2 * apart > flows and culprits.unfit is None:
        echo(
            f"flows that should be alike differ by more than {_APART:.0%}: do other tables run? --which-tables says which"
        )
    is_time = explained.series.unit == "s"
    echo(wording.text(suspects.sight(culprits, is_time=is_time)))
    if explained.series.rounds:
        echo(wording.text(suspects.decidable(culprits, explained.series.rounds, is_time=is_time)))
    differ = ", ".join(
        f"{name} {share:.1%}"
        for name, share in zip(
            ("senders", "receivers", "links between switches"), culprits.differ.values(), strict=True
        )
    )
    echo(f"healthy ones differ by (estimated): {differ}")


def _show_pairs(explained: Explanation) -> None:
    """The worst of the slow pairs that nothing explains, to be measured again."""
    from ..explain.culprits import of_expected

    flows, names = explained.flows(), explained.hosts.hosts
    is_time = explained.series.unit == "s"
    worst = sorted(explained.culprits.unexplained.tolist(), key=lambda f: -float(flows["loss"][f]))
    rows = [
        f"{names[flows['source'][f]]} → {names[flows['destination'][f]]} "
        f"{wording.of_others(of_expected(float(flows['loss'][f]), is_time=is_time), is_time=is_time)}"
        for f in worst[:_PAIRS]
    ]
    more = f", and {len(worst) - _PAIRS:,} more" if len(worst) > _PAIRS else ""
    echo(f"  to be repeated: {'; '.join(rows)}{more}")


def culprits_row(explained: Explanation) -> CulpritsRow:
    """What was found, as documents have it."""
    from ..documents.explain import CulpritsRow, HealthySpread, UnexplainedFlows, UnexplainedPair, VisibleLoss

    culprits = explained.culprits
    flows = explained.flows()
    names = explained.hosts.hosts
    pairs = [
        UnexplainedPair(
            source=names[flows["source"][f]],
            destination=names[flows["destination"][f]],
            loss=float(flows["loss"][f]),
        )
        for f in culprits.unexplained[:1000]
    ]
    return CulpritsRow(
        found=[_found_row(one, explained.errors) for one in culprits.found],
        partly=list(culprits.partly),
        links=culprits.links,
        visible=[
            VisibleLoss(loss, number, culprits.more_rounds(loss, explained.series.rounds))
            for loss, number in culprits.visible.items()
        ],
        differ=HealthySpread(**culprits.differ),
        unexplained=UnexplainedFlows(flows=len(culprits.unexplained), pairs=pairs),
        verdict=culprits.verdict,
        running=list(culprits.running),
        withheld=culprits.withheld,
        fitness=culprits.fitness,
        counted=culprits.counted,
        others_counted=explained.others_counted,
        groups=list(culprits.groups),
        together=list(culprits.together),
        better=culprits.better,
        rounds=None if culprits.apart is None else culprits.apart.rounds,
    )


def _found_row(found: Found, errors: Mapping[str, Sequence[CountedErrors]] | None) -> FoundSuspect:
    from msgspec import UNSET
    from msgspec.structs import asdict

    from ..documents.explain import FoundSuspect, LikelySuspect

    return FoundSuspect(
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        flows=found.flows,
        slow=found.slow,
        reached=found.reached,
        beside=found.beside,
        beside_reached=found.beside_reached,
        like=list(found.like),
        gain=found.gain,
        errors=UNSET if errors is None else on_suspect(errors, found.suspects[0][0]),
        suspects=[
            LikelySuspect(**asdict(suspect), probability=probability)
            for suspect, probability in found.suspects
        ],
    )
