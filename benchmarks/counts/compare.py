"""Counts, and how they differ from those that were kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MOST = 0.03
"""A change of more than this share of the kept count is a difference."""


@dataclass(frozen=True)
class Counts:
    """Instructions by piece of work, and the compiler that made the code."""

    compiler: str
    instructions: dict[str, int]

    @classmethod
    def read(cls, path: Path) -> Counts:
        """Those of a file."""
        kept = json.loads(path.read_text())
        return cls(kept["compiler"], kept["instructions"])

    def write(self, path: Path) -> None:
        """Keep them in a file."""
        path.write_text(
            json.dumps({"compiler": self.compiler, "instructions": self.instructions}, indent=2) + "\n"
        )


@dataclass(frozen=True)
class Difference:
    """A piece of work whose count is another one; None where there is no count."""

    work: str
    before: int | None
    now: int | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.work}: {self.now:,} instructions, not counted before"
        if self.now is None:
            return f"{self.work}: no such work any more"
        change = 100 * (self.now / self.before - 1)
        return f"{self.work}: {self.before:,} → {self.now:,} instructions ({change:+.1f} %)"


def differences(before: Counts, now: Counts, skipped: frozenset[str] = frozenset()) -> list[Difference]:
    """Pieces of work that are new, gone, or take more than `MOST` more or less; `skipped` could not be counted here."""
    found = []
    for work in {**before.instructions, **now.instructions}:
        old, new = before.instructions.get(work), now.instructions.get(work)
        if work in skipped or (old is not None and new is not None and abs(new - old) <= MOST * old):
            continue
        found.append(Difference(work, old, new))
    return found


def is_failure(before: Counts, now: Counts, found: list[Difference]) -> bool:
    """Whether differences are the code's doing: another compiler makes other code."""
    return bool(found) and before.compiler == now.compiler
