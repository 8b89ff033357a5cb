"""The document of `lacis capture`: what an archive holds."""

from __future__ import annotations

from collections.abc import Sequence

from .base import Count, Document, Row


class CapturedFile(Row, frozen=True):
    """A file of an archive."""

    name: str
    """Its path below the archive's folder."""
    source: str
    """The file or program it is from."""
    bytes: Count
    """Its size."""
    sha256: str
    """The hash of its content."""


class NotCaptured(Row, frozen=True):
    """What was asked for and is not in the archive."""

    source: str
    """The file or program."""
    reason: str
    """Why not."""


class CaptureDocument(Document, frozen=True, tag="lacis.capture/1"):
    """`lacis capture --json`, and `about/capture.json` in the archive: what it holds."""

    lacis: str
    """The version of Lacis that made it."""
    time: str
    """When, ISO 8601, UTC."""
    anonymous: bool
    """Whether names were replaced."""
    files: Sequence[CapturedFile]
    """What it holds, by name."""
    missing: Sequence[NotCaptured]
    """What it does not hold, and why."""
