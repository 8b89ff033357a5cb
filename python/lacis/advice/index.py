"""The page over the bundles of a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .baseline import Baseline
    from .choose import Advice


def index(
    source: str, baseline: Baseline, advice: Sequence[Advice], passed_over: Sequence[tuple[str, str]]
) -> str:
    """What each bundle is and gains, in a few lines of Markdown."""
    from importlib.metadata import version

    lines = [
        f"# What to run on {source}",
        "",
        f"Written by Lacis {version('lacis')}. Every gain is modelled, relative to what runs now: {baseline.words}.",
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
            f"| [{one.bundle.name}]({one.bundle.name}/README.md) | {one.bundle.title} | {one.gain} | {lossy} |"
        )
    if passed_over:
        lines += ["", "Not advised:", ""]
        lines += [f"* {label}: {reason}." for label, reason in passed_over]
    return "\n".join(lines) + "\n"
