"""Speed and memory beside peers: each script can be run separately, `python -m benchmarks` runs most of them."""
