"""What Lacis raises: bad input, an unknown name, an output that it cannot write."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..documents.common import Refusal


class LacisError(Exception):
    """A user's mistake or an input's defect, in one line.

    `str(error)` reads `source:line: reason: text`, without what is unknown.

    Attributes:
        reason: what is wrong, in words.
        line: 1-based line of the input, where the input has lines.
        text: the offending text, shortened.
        source: the file, or `<stdin>`; empty where the input is no file.
    """

    def __init__(self, reason: str, line: int | None = None, text: str = "", source: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.text = text
        self.source = source

    def __str__(self) -> str:
        location = ":".join(str(known) for known in (self.source, self.line) if known not in ("", None))
        return ": ".join(text for text in (location, self.reason, self.text) if text)

    def within(self, source: str) -> LacisError:
        """Return the error with the file that it is about, unless it names one."""
        return LacisError(self.reason, self.line, self.text, self.source or source)


class RefusedError(LacisError):
    """Every routing engine refused the fabric and falling back was forbidden: the answer is no.

    Attributes:
        refusals: the engines that refused, in order, each with its reason as a fact.
    """

    refusals: tuple[Refusal, ...] = ()


class EndlessError(LacisError):
    """OpenSM would never come to the end of an engine, so that there is no next one to try.

    Attributes:
        refusals: that engine, with the reason as a fact.
    """

    refusals: tuple[Refusal, ...] = ()


class MissingPackageError(LacisError, ImportError):
    """A package that Lacis does not require is not installed; the message names what to install."""


@contextmanager
def needing(what: str, package: str) -> Iterator[None]:
    """Imports, inside, a package that Lacis does not require.

    Args:
        what: that it is needed, as in `results need polars`.
        package: what pip is to install.

    Raises:
        MissingPackageError: when it is not installed.
    """
    try:
        yield
    except ImportError:
        raise MissingPackageError(f"{what}: pip install {package}") from None


class FallbackWarning(UserWarning):
    """All engines that were asked for refused the fabric, and another made its tables: with OpenSM, minhop.

    `lacis.route` and `lacis.manage` warn so. `fallback=False` makes it a `RefusedError`, and
    `warnings.simplefilter("ignore", lacis.FallbackWarning)` silences it. The command line has words of its own.

    Attributes:
        refusals: the engines that refused, in order, each with its reason as a fact.
    """

    refusals: tuple[Refusal, ...] = ()
