"""Output of a measurement of every pair, made up, and what is read of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from lacis import measured


def nxn(n: int, latency: float = 1.5, spread: float = 0.0, seed: int = 1) -> str:
    draw = np.random.default_rng(seed)
    rows = [(a, b) for a in range(n) for b in range(n) if a != b]
    factor = 1 + spread * draw.standard_normal(len(rows))
    return "".join(f"{a},{b},{latency * f:.4f},12000.5 \n" for (a, b), f in zip(rows, factor, strict=True))


def results(tmp_path: Path, text: str, name: str = "r.out") -> measured.Results:
    path = tmp_path / name
    path.write_text(text)
    return measured.read([path])
