"""Two installations of Lacis compared: what their commands answer about fabrics, key by key.

    python -m benchmarks.states record CHECKOUT FOLDER [--fabric WORD] [--command WORD]
    python -m benchmarks.states compare BEFORE AFTER [--fabric WORD] [--command WORD]

`record` runs every command of `commands.py` on every fabric of `fabrics.py` with the Lacis of CHECKOUT (a working
tree with a built `_core`) and keeps what it prints and writes. `compare` says of two such folders, for each
command: equal, keys gained, keys lost, numbers changed, text changed. Times, versions and ids of runs are masked.
The recorded answers are not expected values: they say that a change which is to keep everything has done so.
"""
