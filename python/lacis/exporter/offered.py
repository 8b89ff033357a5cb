"""What comes with the exporter: rules of alerts and the configuration for Prometheus, and a dashboard for Grafana."""

from __future__ import annotations

import math
from pathlib import Path
from string import Template

_FOLDER = Path(__file__).with_name("shipped")
_LEAST_TIMEOUT = 1


def rules() -> str:
    """Alerts, as a file of rules for Prometheus."""
    return (_FOLDER / "rules.yml").read_text("utf-8")


def dashboard() -> str:
    """A dashboard for Grafana, as JSON to import."""
    return (_FOLDER / "dashboard.json").read_text("utf-8")


def configuration(target: str, every: float) -> str:
    """A `prometheus.yml` that scrapes an exporter.

    Args:
        target: address and port that it listens on.
        every: seconds between its sweeps, which are scraped once each.
    """
    text = Template((_FOLDER / "prometheus.yml").read_text("utf-8"))
    seconds = max(1, math.ceil(every))
    return text.substitute(target=target, every=seconds, timeout=max(_LEAST_TIMEOUT, seconds * 2 // 3))
