"""The plugin, built for the OpenSM of this machine from sources that are installed with Lacis."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LacisError
from ..io.files import writing
from .plugin import LIBRARY

if TYPE_CHECKING:
    from collections.abc import Callable

_MEMBERS = re.compile(r"^members = \[.*\]$", re.MULTILINE)


def sources() -> Path:
    """The folder of the sources: `opensm/` in C, and the crates and the manifest of the Rust half."""
    return Path(str(files("lacis"))) / "plugin"


def build(
    output: str | os.PathLike[str] = LIBRARY, progress: Callable[[str], object] = lambda _: None
) -> Path:
    """Builds the plugin, in a folder of its own that is removed again.

    `opensm/build` beside the sources does it, and says which variables it reads (`OPENSM_INCLUDE`, `CFLAGS`,
    `CARGO_TARGET_DIR`).

    Args:
        output: the file, which appears when all is well.
        progress: called with what is compiled.

    Returns:
        The path of the file.

    Raises:
        LacisError: without bash, cargo, a C compiler or the headers of the OpenSM that the plugin knows, where one of them
            refuses the sources, and where the file cannot be written.
    """
    bash = shutil.which("bash")
    if bash is None:
        raise LacisError("no bash, which builds the plugin")
    with writing(output) as out, tempfile.TemporaryDirectory(prefix="lacis-plugin-") as folder:
        work = Path(folder) / "plugin"
        shutil.copytree(sources(), work)
        manifest = work / "Cargo.toml"
        crates = ", ".join(f'"crates/{path.name}"' for path in sorted((work / "crates").iterdir()))
        manifest.write_text(_MEMBERS.sub(f"members = [{crates}]", manifest.read_text("utf-8")), "utf-8")
        built = work / LIBRARY
        _run([bash, str(work / "opensm" / "build")], {"OUT": str(built)}, progress)
        out.write(built.read_bytes())
    return Path(output)


def _run(words: list[str], variables: dict[str, str], progress: Callable[[str], object]) -> None:
    """Runs the script; what it says last is the reason of a failure, and the first error of a compiler the text."""
    said: list[str] = []
    with subprocess.Popen(  # noqa: S603
        words,
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as running:
        try:
            for line in running.stderr or ():
                said.append(line.strip())
                progress(said[-1])
            status = running.wait()
        except BaseException:
            running.terminate()
            raise
    if status != 0:
        first = next((line for line in said if re.search(r"\berror\b", line)), "")
        raise LacisError(said[-1].removeprefix("opensm plugin: ") if said else "bash failed", text=first)
