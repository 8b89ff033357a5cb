"""The page over the bundles of a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.wording import clauses, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .baseline import Baseline
    from .choose import Advice, PassedOver


def index(
    source: str, baseline: Baseline, advice: Sequence[Advice], passed_over: Sequence[PassedOver]
) -> str:
    """What each bundle is and gains, in a few lines of Markdown."""
    from importlib.metadata import version

    lines = [
        f"# What to run on {source}",
        "",
        f"Written by Lacis {version('lacis')}. Every gain is modelled, relative to what runs now: {text(baseline.running)}.",
        "",
        "| | what | gain | single failures that lose pairs |",
        "|---|---|---|---|",
    ]
    for one in advice:
        fails = one.bundle.failures
        lossy = "not computed" if fails is None else f"{fails.lossy:,} of {fails.tried:,}"
        if fails is not None and fails.tried < fails.of:
            lossy += f" tried ({fails.of:,} in all)"
        lines.append(
            f"| [{one.bundle.name}]({one.bundle.name}/README.md) | {text(one.bundle.alternative)} | {clauses(one.changes)} | {lossy} |"
        )
    if passed_over:
        lines += ["", "Not advised:", ""]
        lines += [f"* {one.label}: {text(one.objection)}." for one in passed_over]
    return "\n".join(lines) + "\n"
