"""matplotlib, which the extra `figures` brings."""

from __future__ import annotations

from typing import Any

from ..errors import needing


def matplotlib() -> Any:
    """The module matplotlib, with its `figure`.

    Raises:
        MissingPackageError: when it is not installed.
    """
    with needing("figures need matplotlib", "'lacis[figures]'"):
        import matplotlib as mpl
        import matplotlib.figure
    return mpl
