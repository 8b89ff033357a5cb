"""Which alternatives are advised, in which order, as bundles."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from .. import _core
from ..facts.advice import OpensmEngine, PluginEngine, RanksOrdered
from ..facts.wording import as_a_test
from ..opensm.plugin import engine_list
from ..sm.engines import OMNI_PATH, OURS
from . import omni_path
from .bundle import CONF, OPAFM, host_file
from .gains import CLEAR, dominates, number_changes, objection, price, reasons
from .outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..facts.gains import NumberChange, Objection, Reason
    from .bundle import Bundle
    from .compare import Comparison
    from .make import Maker

MOST_OWN = 3
"""The most of OpenSM's own engines that are advised."""


@dataclass(frozen=True)
class Advice:
    """A bundle, and what its tables do."""

    bundle: Bundle
    outcome: Outcome
    reasons: list[Reason]
    """Why it is better than what runs now."""
    changes: list[NumberChange]
    """The numbers that change most."""


@dataclass(frozen=True)
class PassedOver:
    """An alternative that is not advised."""

    label: str
    objection: Objection


def advise(
    maker: Maker, comparison: Comparison, progress: Callable[[str], None] = lambda _: None
) -> list[Advice]:
    """What to run instead of what runs now.

    The best first; last the tables of Lacis' best from a file, which no manager mends.
    Left out is what loses pairs of hosts or leaves a credit loop among them, what is no better than now, and what
    another of its kind equals or beats in every figure.
    """
    base = comparison.base
    better = comparison.better
    ours = _undominated(e for e in better if e.variant.engine in OURS)
    own = _undominated(e for e in better if e.variant.engine not in OURS)
    found: list[tuple[Bundle, Outcome]] = []
    chosen = [*ours, *own[:MOST_OWN]]
    for outcome in [e for e in better if e in chosen]:
        engine = outcome.variant.engine
        engines = ",".join(engine_list(engine)) if outcome in ours else engine
        progress(f"single failures under {outcome.label}")
        if engine in OMNI_PATH:
            found.append((omni_path.bundle(maker, outcome), outcome))
            continue
        found.append((maker.bundle(engines, outcome.variant.options, outcome), outcome))
    if ours:
        progress(f"single failures under the tables of {ours[0].label}")
        found.append((maker.tables(ours[0]), ours[0]))
    found = _distinct(found)
    return [
        Advice(
            replace(bundle, name=f"{number}-{bundle.name}", ranks=ranks(outcome)),
            outcome,
            reasons(base, outcome),
            number_changes(base, outcome),
        )
        for number, (bundle, outcome) in enumerate(found, 1)
    ]


def ranks(outcome: Outcome) -> RanksOrdered | None:
    """The order of hosts that goes with tables; none where shifts in the common order get as much, within a hundredth."""
    common, other = outcome.shift, outcome.other
    if common is None or other is None or other.shift.mean <= (1 + CLEAR) * common.mean:
        return None
    return RanksOrdered(other.order, other.shift.mean, common.mean)


def _distinct(found: list[tuple[Bundle, Outcome]]) -> list[tuple[Bundle, Outcome]]:
    """Bundles, each with a description of its own: those that share one are distinguished by what they were tried as."""
    alike = Counter(bundle.alternative for bundle, _ in found)
    labels = Counter((bundle.alternative, outcome.label) for bundle, outcome in found)
    apart = []
    for number, (bundle, outcome) in enumerate(found, 1):
        its = bundle.alternative
        if alike[its] > 1 and isinstance(its, PluginEngine | OpensmEngine):
            own = labels[its, outcome.label] == 1
            called = outcome.label if own else f"{outcome.label}, bundle {number}"
            apart.append((replace(bundle, alternative=msgspec.structs.replace(its, called=called)), outcome))
        else:
            apart.append((bundle, outcome))
    return apart


def _undominated(ranked: Iterable[Outcome]) -> list[Outcome]:
    """All except those that one ranked better equals or beats in every figure."""
    kept: list[Outcome] = []
    for outcome in ranked:
        if not any(dominates(other, outcome) for other in kept):
            kept.append(outcome)
    return kept


def passed_over(comparison: Comparison) -> list[PassedOver]:
    """Alternatives that have more bandwidth than what runs now, or mend what is wrong with it, but are not advised."""
    base = comparison.base
    tried = [e for e in comparison.engines if e is not base]
    objections = [
        (e.label, price(base, e) or (objection(base, e) if e.mean > base.mean else None)) for e in tried
    ]
    return [PassedOver(label, objection) for label, objection in objections if objection is not None]


def command(source: str, typed: tuple[str, ...], folder: str = "advice") -> str:
    """What to type to write the bundles of a fabric.

    Args:
        source: the user's name of it, with the options that change it.
        typed: further options.
        folder: where the bundles go.
    """
    return " ".join(["lacis advise", argument(source), *map(shlex.quote, typed), "-o", shlex.quote(folder)])


def argument(source: str) -> str:
    """The user's name of the fabric, and the options that change it, quoted for a command line."""
    name, mark, changes = source.partition(" --")
    known = Path(name).exists() or _core.is_spec(name)
    return (shlex.quote(name) if known else "FABRIC") + mark + changes


def loading(bundle: Bundle, folder: str = "advice") -> str:
    """What to type to try a bundle, with what the test leaves out; on Omni-Path, which lines to put into which file."""
    if bundle.kind == "opafm":
        return f"the lines of {folder}/{bundle.name}/{OPAFM} into /etc/opa-fm/opafm.xml"
    return f"opensm -F {shlex.quote(f'{folder}/{bundle.name}/{CONF}')}  # {as_a_test(bundle.lines)}"


def placing(bundle: Bundle, source: str, groups: str) -> str | None:
    """What to type to write the hosts in the order that goes with a bundle's tables; none where the common one does."""
    return host_file(bundle.ranks, argument(source), groups) if bundle.ranks else None
