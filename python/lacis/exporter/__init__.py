"""Counters of ports for Prometheus: a page, the server that offers it, and rules and a dashboard that use it."""

from .page import Page
from .serving import serve, write_once
from .sweeping import Sweeper, Swept

__all__ = ["Page", "Sweeper", "Swept", "serve", "write_once"]
