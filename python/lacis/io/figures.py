"""matplotlib, which the extra `figures` brings."""

from __future__ import annotations

from typing import Any

from ..errors import MissingPackageError


def matplotlib() -> Any:
    """The module matplotlib, with its `figure`.

    Raises:
        MissingPackageError: when it is not installed.
    """
    try:
        import matplotlib as mpl
        import matplotlib.figure
    except ImportError:
        raise MissingPackageError("figures need matplotlib: pip install 'lacis[figures]'") from None
    return mpl
