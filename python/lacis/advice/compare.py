"""What runs now and its alternatives, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ..engines import OURS
from .baseline import Baseline
from .outcome import Outcome, outcome
from .trials import Trials
from .variants import Variant, levels_of, variants

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric

T = TypeVar("T")


@dataclass(frozen=True)
class Comparison:
    """What each alternative does with a fabric."""

    base: Outcome
    """What runs now."""
    engines: list[Outcome]
    """All that were tried, OpenSM's default first; last what runs now, where that is known."""

    @property
    def best(self) -> Outcome:
        """The best of all."""
        return min(self.engines, key=Outcome.rank)

    @property
    def own(self) -> Outcome:
        """The best that OpenSM can do with its own engines."""
        return min((e for e in self.engines if e.variant.engine not in OURS), key=Outcome.rank)


def compare(
    fabric: Fabric,
    baseline: Baseline,
    groups: str,
    progress: Callable[[str], None],
    meanwhile: Callable[[], T],
) -> tuple[Comparison, T]:
    """Tries every alternative beside what runs now.

    Args:
        fabric: what is routed.
        baseline: what runs now.
        groups: whose bisections and shifts, as for `prediction.participants`.
        progress: called with the current step, in words.
        meanwhile: called while the engines are busy; its result is returned too.
    """
    kept = baseline.kept
    with Trials(fabric, groups) as trials:
        trials.begin(variants(fabric, None, kept))
        found = meanwhile()
        every = variants(fabric, levels_of(fabric), kept)
        trials.begin(every)
        engines = trials.outcomes(every, progress)
    base = engines[0]
    if baseline.routes is not None:
        progress(f"engine {baseline.label}")
        variant = Variant(baseline.label, baseline.engine, baseline.options)
        base = outcome(fabric, variant, baseline.routes, groups)
        engines.append(base)
    return Comparison(base, engines), found
