"""The wheel: installed in an environment of its own it does what the README says, with all files that it needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str, cwd: Path = ROOT) -> str:
    # Not the environment or the sources that the tests run in.
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in {"VIRTUAL_ENV", "PYTHONPATH", "MAKEFLAGS"}
    }
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_wheel_in_a_fresh_environment_reports_on_a_generated_fabric(tmp_path: Path) -> None:
    wheel = Path(run("make", "--no-print-directory", "wheel").split()[-1])
    assert re.fullmatch(r"lacis-[\d.]+-cp311-abi3-(many)?linux_\w+\.whl", wheel.name)
    uv = shutil.which("uv") or str(ROOT / "build/tools/bin/uv")
    run(uv, "venv", "--quiet", "--python", sys.executable, str(tmp_path / "venv"))
    python = tmp_path / "venv" / "bin" / "python"
    run(
        uv, "pip", "install", "--quiet", "--python", str(python), f"lacis[report] @ {(ROOT / wheel).as_uri()}"
    )
    lacis = tmp_path / "venv" / "bin" / "lacis"
    said = run(str(lacis), "report", "fat-tree:8,2", "-o", "page.html", cwd=tmp_path)
    assert "page.html" in said
    page = (tmp_path / "page.html").read_text()
    assert page.rstrip().endswith("</html>")
    assert "leaf-01" in page
    assert "lacis.verify/1" in run(str(lacis), "verify", "fat-tree:4,2", "--json", cwd=tmp_path)
    # What comes with the package and is no module: templates were used above; schemas, the type stub, the sources of lacis-mpi.
    inside = run(
        str(python),
        "-c",
        "import lacis, pathlib; p = pathlib.Path(lacis.__file__).parent; "
        "print(*(len(list(p.glob(g))) for g in ('schemas/*.json', '_core.pyi', 'py.typed', 'mpi/*.[ch]')))",
        cwd=tmp_path,
    )
    schemas, *others = map(int, inside.split())
    assert schemas == len(list((ROOT / "python/lacis/schemas").glob("*.json")))
    assert others == [1, 1, len(list((ROOT / "mpi").glob("*.[ch]")))]
