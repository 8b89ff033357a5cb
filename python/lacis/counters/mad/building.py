"""The shim over libibumad, compiled with this machine's C compiler at first use."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from ...errors import LacisError
from ...io.files import writing

LIBRARY = "libibumad.so.3"
"""What the shim loads: Debian's libibumad3, Red Hat's libibumad."""
_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-O2", "-shared", "-fPIC", "-std=c11")


def source() -> Path:
    """The shim's source."""
    return Path(__file__).with_name("shim.c")


def cache() -> Path:
    """The folder of what Lacis keeps: `$XDG_CACHE_HOME/lacis`, `~/.cache` without that variable."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lacis"


def location() -> Path:
    """The path of the compiled shim: another for each source and each kind of machine, as hosts may share the folder."""
    digest = hashlib.sha256(source().read_bytes())
    digest.update(f"{platform.machine()} {sysconfig.get_platform()} {_FLAGS}".encode())
    return cache() / "counters" / f"shim-{digest.hexdigest()[:16]}.so"


def build() -> Path:
    """Compiles the shim, unless that is done; returns its `location`.

    Raises:
        LacisError: without a compiler, when it does not compile, or when it cannot be written.
    """
    built = location()
    if built.is_file():
        return built
    compiler = next((path for name in _COMPILERS if (path := shutil.which(name))), None)
    if compiler is None:
        raise LacisError(
            "reading counters needs a C compiler once: install gcc and libc6-dev (gcc and glibc-devel on Red Hat)"
        )
    try:
        built.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LacisError(
            f"the compiled reader of counters cannot be kept: {(error.strerror or str(error)).lower()}; "
            "XDG_CACHE_HOME names another folder",
            source=str(built.parent),
        ) from None
    with writing(built) as out, tempfile.TemporaryDirectory(prefix="lacis-shim-") as folder:
        made = Path(folder) / "shim.so"
        # Before glibc 2.34 functions that load libraries are in one of their own.
        words = [compiler, *_FLAGS, "-o", str(made), str(source()), "-ldl"]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
            reason = f"the reader of counters does not compile with {compiler}"
            raise LacisError(reason, text=said[0].strip() if said else "")
        out.write(made.read_bytes())
    return built


def load() -> ctypes.CDLL:
    """The shim, built where it is not.

    Raises:
        LacisError: when it cannot be built or loaded.
    """
    built = build()
    try:
        shim = ctypes.CDLL(str(built))
    except OSError as error:
        raise LacisError(
            f"cannot be loaded: {error}; remove it, so that it is built again", source=str(built)
        ) from None
    pointer, number = ctypes.c_void_p, ctypes.c_int
    shim.lacis_mad_open.argtypes = [
        ctypes.POINTER(pointer),
        ctypes.c_char_p,
        ctypes.c_char_p,
        number,
        ctypes.POINTER(number),
    ]
    shim.lacis_mad_begin.argtypes = [pointer, pointer, pointer, *[ctypes.c_uint32] * 5, number]
    shim.lacis_mad_manages.argtypes = [pointer]
    shim.lacis_mad_step.argtypes = [pointer, number]
    shim.lacis_mad_step.restype = ctypes.c_int64
    for name in ("lacis_mad_end", "lacis_mad_close"):
        function = getattr(shim, name)
        function.argtypes, function.restype = [pointer], None
    return shim
