"""What runs now and its alternatives, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ..fabric.levels import levels_of
from ..sm.engines import OURS
from .baseline import Baseline
from .gains import is_better, ranked
from .outcome import Outcome, outcome
from .trials import Trials
from .variants import Variant, variants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
        """The best of what is better than what runs now, which is advised first; what runs now where nothing is."""
        return next(iter(self.better), self.base)

    @property
    def better(self) -> list[Outcome]:
        """What is better than what runs now, the best first."""
        return ranked(e for e in self.engines if e is not self.base and is_better(self.base, e))

    @property
    def own(self) -> Outcome:
        """The best that OpenSM can do with its own engines."""
        return self._best_of(e for e in self.engines if e.variant.engine not in OURS) or self.base

    @property
    def ours(self) -> Outcome | None:
        """The best of Lacis' engines; none where all refuse."""
        return self._best_of(e for e in self.engines if e.variant.engine in OURS and not e.routes.refusals)

    def _best_of(self, some: Iterable[Outcome]) -> Outcome | None:
        """The best of some: of those that are better than what runs now, if there are any."""
        found = list(some)
        better = [e for e in self.better if e in found]
        return next(iter(better or ranked(found)), None)


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
        groups: whose bisections and shifts, as for `ranks.participants`.
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
