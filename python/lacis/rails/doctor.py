"""Job logs: known failures in them, and lines that look like errors and are not known."""

from __future__ import annotations

import codecs
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from .. import _core
from ..errors import LacisError
from ..io import packed
from ..io.files import need_name, reason_of
from .failures import FAILURES
from .failures_general import DOUBTFUL, GENERAL, HARMLESS, QUIET, TROUBLE
from .known import Known

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

_PIECE = 4 << 20
_ESCAPE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
_LONGEST_ESCAPE = 32
"""Longest sequence that colours a terminal [bytes]."""
_NAMED: tuple[tuple[tuple[str, ...], Known | None], ...] = tuple(
    (text, one) for one in FAILURES for text in one.texts
)
_GENERAL: tuple[tuple[tuple[str, ...], Known | None], ...] = (
    *((text, None) for text in HARMLESS),
    *((text, one) for one in GENERAL for text in one.texts),
    *((text, None) for text in QUIET),
    *((text, one) for one in DOUBTFUL for text in one.texts),
)
"""Of these a line counts for the first; where that is of no failure, it has none."""


@dataclass(frozen=True)
class Diagnosis:
    """A known failure in a log.

    Attributes:
        known: what it is.
        count: lines that have its text.
        lines: the first of them: number from 1, and text.
        causes: codes of failures in the log that it follows from.
    """

    known: Known
    count: int
    lines: tuple[tuple[int, str], ...]
    causes: tuple[str, ...] = ()

    @property
    def is_consequence(self) -> bool:
        """Whether another failure is the cause."""
        return self.known.is_consequence or bool(self.causes)

    @property
    def cause(self) -> str:
        """What is the case."""
        return f"It follows from {' and '.join(self.causes)}." if self.causes else self.known.cause

    @property
    def fix(self) -> str:
        """What to do."""
        return "As there." if self.causes else self.known.fix


@dataclass(frozen=True)
class Unknown:
    """Lines that look like an error, alike except for numbers, and have no known text."""

    count: int
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Diagnoses:
    """What a log has.

    Attributes:
        lines: how many.
        bytes: how many.
        known: failures with a known text, worst first.
        unknown: what looks like an error and is not known, in the order of the log.
        more_unknown: such lines of further kinds, not kept.
        long_lines: lines that were too long to be read whole.
    """

    lines: int
    bytes: int
    known: tuple[Diagnosis, ...]
    unknown: tuple[Unknown, ...]
    more_unknown: int
    long_lines: int


def diagnose(path: str | os.PathLike[str], quoted: int = 3) -> Diagnoses:
    """Reads a log once, in pieces; `-` is standard input.

    Args:
        path: of the log.
        quoted: how many lines of each kind to keep.

    Raises:
        LacisError: when it cannot be read.
    """
    need_name(path)
    name = str(path)
    scanner = _core.LogScanner(_texts(_NAMED), _texts(_GENERAL), TROUBLE, quoted)
    try:
        if name == "-":
            _feed(scanner, packed.stream(sys.stdin.buffer))
        else:
            with Path(name).open("rb") as log:
                _feed(scanner, packed.stream(log))
    except packed.failures() as error:
        raise LacisError(reason_of(error), source=name) from None
    lines, size, known, unknown, more, long_lines = scanner.finish()
    named = _joined([*_NAMED, *_GENERAL], known, quoted)
    hit = [one for one, count, _ in named if count]
    found = [
        Diagnosis(
            one,
            count,
            tuple(first),
            tuple(other.code for other in hit if other.stack in one.follows and not other.is_consequence),
        )
        for one, count, first in named
        if count
    ]
    found.sort(key=lambda one: (one.is_consequence, one.lines[0][0]))
    others = tuple(Unknown(count, tuple(first)) for count, first in unknown)
    return Diagnoses(lines, size, tuple(found), others, more, long_lines)


def shortened(found: Diagnoses, quoted: int) -> Diagnoses:
    """The same with so many lines of each kind at most."""
    return replace(
        found,
        known=tuple(replace(one, lines=one.lines[:quoted]) for one in found.known),
        unknown=tuple(replace(one, lines=one.lines[:quoted]) for one in found.unknown),
    )


def _texts(known: Iterable[tuple[tuple[str, ...], Known | None]]) -> list[tuple[str, ...]]:
    return [text for text, _ in known]


def _joined(
    texts: Sequence[tuple[tuple[str, ...], Known | None]],
    lines: Sequence[tuple[int, list[tuple[int, str]]]],
    quoted: int,
) -> list[tuple[Known, int, list[tuple[int, str]]]]:
    """Each failure with its lines: those of all its texts, in the order of the log."""
    joined: dict[Known, tuple[int, list[tuple[int, str]]]] = {}
    for (_, one), (count, first) in zip(texts, lines, strict=True):
        if one is not None:
            before, kept = joined.get(one, (0, []))
            joined[one] = (before + count, sorted({*kept, *first})[:quoted])
    return [(one, count, first) for one, (count, first) in joined.items()]


def _feed(scanner: _core.LogScanner, log: BinaryIO) -> None:
    """Feeds a log in pieces, in UTF-8 and without the sequences that colour a terminal."""
    carried = b""
    piece = log.read(_PIECE)
    encoding = _core.utf16_form(piece)
    wide = codecs.getincrementaldecoder(encoding)(errors="replace") if encoding else None
    while piece:
        piece = carried + (wide.decode(piece).encode(errors="replace") if wide else piece)
        # A sequence may go on in the next piece.
        end = piece.rfind(b"\x1b", max(0, len(piece) - _LONGEST_ESCAPE))
        is_open = end >= 0 and not _ESCAPE.match(piece, end)
        piece, carried = (piece[:end], piece[end:]) if is_open else (piece, b"")
        scanner.feed(_ESCAPE.sub(b"", piece) if b"\x1b" in piece else piece)
        piece = log.read(_PIECE)
    scanner.feed(carried)
