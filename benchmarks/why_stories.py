"""`python -m benchmarks.why_stories [COUNT] [SEED]`: how often `lacis why` is right, on stories whose truth is known (`stories`)."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from lacis import why
from lacis.why import shares

if TYPE_CHECKING:
    from collections.abc import Iterable


from .stories import KINDS, Story, draw


@dataclass
class Score:
    """How a judge did."""

    right: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    innocent_of_guilty: int = 0
    not_innocent: int = 0
    share_errors: list[float] = field(default_factory=list)
    share_within: list[float] = field(default_factory=list)
    inseparable: int = 0
    twins_separated: int = 0


def judged(story: Story, *, adaptive: bool = False) -> why.Why:
    """What `lacis why` says of a story."""
    begin, end = (int(np.median(one.times)) for one in (story.sweeps[0], story.sweeps[-1]))
    others = {name: hosts for name, hosts in story.hosts.items() if name != "own"}
    return why.examine(
        story.world.routes,
        story.hosts["own"],
        story,
        why.window(begin, end),
        name="own",
        others=others,
        adaptive=adaptive,
    )


def score(stories: Iterable[Story]) -> Score:
    """Judges stories."""
    result = Score()
    for number, story in enumerate(stories):
        found = judged(story)
        result.of[story.kind] += 1
        is_right = found.verdict == {"blind": "cannot_tell"}.get(story.kind, story.kind)
        if story.kind == "guilty" and is_right:
            is_right = set(found.guilty[0].ends) == story.culprit
        if story.kind == "busy" and is_right:
            is_right = any(link.egress == story.hot for link in found.busy)
            _score_shares(story, found, result)
        result.right[story.kind] += is_right
        if not is_right:
            result.wrong.append(f"{number} {story.kind} ({story.what}): {found.verdict} {found.missing[:2]}")
        if story.kind != "innocent":
            result.not_innocent += 1
            result.innocent_of_guilty += found.verdict == "innocent"
    return result


def _score_shares(story: Story, found: why.Why, result: Score) -> None:
    for link in found.busy:
        if link.egress != story.hot:
            continue
        for part in link.shares:
            result.share_within.append(np.inf if part.within is None else part.within)
            if len(part.jobs) == 1:
                result.share_errors.append(abs(part.share - story.shares[part.jobs[0]]))
                result.twins_separated += (
                    story.twins and part.jobs[0] in ("x", "twin") and story.shares["x"] > 0
                )
            else:
                result.inseparable += 1
                result.share_errors.append(abs(part.share - sum(story.shares[job] for job in part.jobs)))


def main() -> int:
    """Draw, judge, print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    result = score(draw(kind, 1000 * seed + number) for kind in KINDS for number in range(count))
    print("| stories | right | of |\n|---|---:|---:|")
    for kind in KINDS:
        print(f"| {kind} | {result.right[kind]} | {result.of[kind]} |")
    print(f"| innocent said of others | {result.innocent_of_guilty} | {result.not_innocent} |")
    errors, within = np.array(result.share_errors or [0.0]), np.array(result.share_within or [0.0])
    said = within <= shares.POINTS
    print(f"| shares within 10 points | {int((errors <= 0.1).sum())} | {len(errors)} |")
    print(
        f"| … of those that are given as a number | {int((errors[said] <= 0.1).sum())} | {int(said.sum())} |"
    )
    print(f"| … within their intervals | {int((errors <= within + 1e-9).sum())} | {len(errors)} |")
    print(
        f"\nshares: median error {np.median(errors):.3f}, greatest {errors.max():.3f}; groups not separated {result.inseparable}, twins separated {result.twins_separated}"
    )
    for line in result.wrong:
        print(line, file=sys.stderr)
    return int(result.innocent_of_guilty > 0)


if __name__ == "__main__":
    sys.exit(main())
