"""What is printed in place of a document where a command fails."""

from __future__ import annotations

from typing import Literal

from .base import Document, Positive
from .common import Refusal

ErrorKind = Literal["usage", "input", "refused", "system", "interrupted", "bug"]


class ErrorDocument(Document, frozen=True, tag="lacis.error/1"):
    """`lacis COMMAND --json`: printed by every command instead of its own document where it fails; standard error has the line as without `--json`."""

    status: Positive
    """The exit status: 1, 2, 70 or 130."""
    kind: ErrorKind
    """`usage`: the command line; `input`: what was read, or cannot be computed; `refused`: no engine accepts the fabric; `system`: the disk, the memory or a file of this machine; `interrupted`; `bug`: one of Lacis."""
    words: str
    """In words, as on standard error."""
    file: str | None
    """The file that it is about; null where it is about none, or that is not known apart from `words`."""
    line: Positive | None
    """The line of the file, from 1; null where it is about none."""
    text: str | None
    """The text that it is about, shortened; null where there is none."""
    refusals: list[Refusal]
    """The engines that refused, in order."""
