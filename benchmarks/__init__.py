"""How fast and how large: each script runs alone, `python -m benchmarks` runs them all."""
