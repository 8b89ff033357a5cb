"""What Lacis raises when it cannot tell: bad input, a name that means nothing, an output it cannot write."""

from __future__ import annotations


class LacisError(Exception):
    """A user's mistake or an input's defect, in one line.

    `str(error)` reads `source:line: reason: text`, each part only where it is known.

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
        location = ":".join(str(part) for part in (self.source, self.line) if part not in ("", None))
        return ": ".join(part for part in (location, self.reason, self.text) if part)

    def within(self, source: str) -> LacisError:
        """The same error, saying which file it is about unless it already does."""
        return LacisError(self.reason, self.line, self.text, self.source or source)


class RefusedError(LacisError):
    """Every routing engine refused the fabric and falling back was forbidden: the answer is no."""
