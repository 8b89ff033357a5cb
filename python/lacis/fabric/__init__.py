"""Fabrics, read, generated and changed."""

from __future__ import annotations

from .reading import declare, read

__all__ = ["declare", "read"]
