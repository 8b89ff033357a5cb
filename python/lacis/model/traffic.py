"""What is sent: the texts of patterns and programs, and the files that they name."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from .. import _core
from ..io.files import reading

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def listed(traffic: str) -> Iterator[tuple[str, str]]:
    """Whether traffic is a `pattern` or a `program`, and the text of the file that it names, if any.

    Raises:
        LacisError: when it is neither, or the file cannot be read; errors inside name the file.
    """
    kind, path = _core.traffic_kind(traffic)
    if path is None:
        yield kind, ""
        return
    with reading(path) as data:
        yield kind, data.decode(errors="replace")
