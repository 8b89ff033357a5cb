"""Arguments of the library, looked at before the engine has them: an error names the argument, and what it is."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Final

from ..errors import LacisError
from ..facts.words import excerpt

if TYPE_CHECKING:
    from typing import SupportsFloat, SupportsIndex

MOST_SEED: Final = 2**64 - 1
MOST_BYTES: Final = 2**53
"""Of a message: as many bytes as a floating-point number counts exactly."""
MOST: Final = 2**31 - 1
"""Of what is counted."""


def whole(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """A whole number of any integer type, within a range.

    Raises:
        LacisError: when it is none.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise LacisError(f"`{name}` is a whole number, not {_kind(value)}") from None
    if not least <= number <= most:
        raise LacisError(
            f"`{name}` is a whole number from {least:,} to {most:,}", text=excerpt(str(number), 40)
        )
    return number


def real(name: str, value: SupportsFloat, least: float) -> float:
    """A finite number that is not below another.

    Raises:
        LacisError: when it is none.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise LacisError(f"`{name}` is a number, not {_kind(value)}") from None
    if not (math.isfinite(number) and number >= least):
        raise LacisError(f"`{name}` is a number from {least:g} on", text=str(number))
    return number


def _kind(value: Any) -> str:
    """What a value is, in words."""
    return "None" if value is None else f"{type(value).__name__} {excerpt(repr(value), 40)}"
