"""Numbers and what they count, in words."""

from __future__ import annotations


def count(number: int, one: str, many: str | None = None) -> str:
    """A number and what there are so many of: `1 plane`, `2 planes`, `no planes`.

    Args:
        number: how many.
        one: what it is called where there is one.
        many: where there are others; `one` with an s unless given.
    """
    return f"{number:,} {noun(number, one, many)}" if number else f"no {many or one + 's'}"


def noun(number: int, one: str, many: str | None = None) -> str:
    """What there are so many of, without the number."""
    return one if number == 1 else many or f"{one}s"
