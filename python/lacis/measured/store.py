"""Runs on disk: a folder each, with `results.parquet` and `run.json`.

    results/20261125T103000-nxn-3f9a1c/results.parquet   the values; polars and DuckDB read it as it is
    results/20261125T103000-nxn-3f9a1c/run.json          what is known about them, written last

No file is rewritten or shared: two writers make two folders. A folder without `run.json` is a run that was not
finished. `results/*/results.parquet` is the table of all runs.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..documents.results import NoteRow, RunManifest, TableFile
from ..errors import LacisError
from ..facts.words import utc
from ..io.files import need_name, reason_of, write
from .results import Results, checked, polars, tests_of, together

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from ..documents.results import FabricFacts

SCHEMA = "lacis.run/1"
TABLE = "results.parquet"
MANIFEST = "run.json"
VARIABLE = "LACIS_RESULTS"
"""Environment variable that names the folder of runs."""


@dataclass(frozen=True)
class Run:
    """A run that is kept.

    Attributes:
        id: name of its folder.
        path: the folder.
        manifest: what `run.json` says.
    """

    id: str
    path: Path
    manifest: RunManifest

    @property
    def name(self) -> str:
        """Given by its user."""
        return self.manifest.name

    @property
    def time(self) -> str:
        """When it was measured, as far as that is known: ISO 8601, UTC."""
        return self.manifest.time

    @property
    def table(self) -> Path:
        """The file of its values."""
        return self.path / TABLE

    def values(self) -> pl.DataFrame:
        """The values.

        Raises:
            LacisError: when the file is damaged: it is not what was kept, as its hash in `run.json` says.
        """
        pl = polars()
        kept = self.manifest.table.sha256
        try:
            if kept is not None and _digest(self.table) != kept:
                raise LacisError(
                    f"is not the file that was kept: its SHA-256 is not that of {MANIFEST}",
                    source=os.fspath(self.table),
                )
            return checked(pl.read_parquet(self.table, glob=False))
        except (OSError, pl.exceptions.PolarsError) as error:
            raise LacisError(
                f"cannot be read: {str(error).splitlines()[0]}", source=os.fspath(self.table)
            ) from None


@dataclass(frozen=True)
class Broken:
    """A folder that holds no whole run."""

    id: str
    path: Path
    reason: str


class Store:
    """A folder of runs, created with the first."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        """`path` is by default what the variable `LACIS_RESULTS` names, else `lacis-results` in the current folder."""
        if path is not None:
            need_name(path, "store")
        self.path = Path(path if path is not None else os.environ.get(VARIABLE) or "lacis-results")

    def __repr__(self) -> str:
        return f"<lacis.measured.Store: {self.path}>"

    def add(
        self,
        results: Results,
        *,
        name: str = "",
        time: str | None = None,
        tags: Mapping[str, str] | None = None,
        fabric: FabricFacts | None = None,
    ) -> Run:
        """Keeps results as a new run; other runs stay as they are.

        Args:
            results: at least one value.
            name: as its user calls it; several runs may have one name.
            time: when it was measured, ISO 8601; by default as the inputs say, else now.
            tags: such as `{"compiler": "gcc"}`.
            fabric: that was measured.

        Raises:
            LacisError: when there is no value, or the folder cannot be written.
        """
        frame = checked(results.frame)
        if not frame.height:
            raise LacisError("there is no value to keep")
        when, source = _time(time, results.facts)
        is_new = not self.path.exists()
        try:
            path = self._folder(when, name or frame["test"][0])
        except OSError as error:
            reason = f"cannot be written: {reason_of(error)}"
            raise LacisError(reason, source=os.fspath(error.filename or self.path)) from None
        try:
            self._write_table(path, frame)
            manifest = self._manifest(path, results, frame, (when, source), name, tags, fabric)
            content = json.dumps(msgspec.to_builtins(manifest), indent=1, ensure_ascii=False) + "\n"
            write(path / MANIFEST, content)
        except BaseException as error:
            # A run is whole or not there: another disk is tried with a clean store.
            shutil.rmtree(path, ignore_errors=True)
            if is_new:
                _remove_empty(self.path)
            if isinstance(error, LacisError):
                raise LacisError(error.reason, source=os.fspath(self.path)) from None
            if isinstance(error, OSError) or type(error).__module__.startswith("polars"):
                reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
                raise LacisError(f"cannot be written: {reason}", source=os.fspath(self.path)) from None
            raise
        return Run(path.name, path, manifest)

    @staticmethod
    def _write_table(path: Path, frame: pl.DataFrame) -> None:
        partial = path / f".{TABLE}.part"
        frame.write_parquet(partial, compression="lz4", statistics=True)
        with partial.open("rb") as done:
            os.fsync(done.fileno())
        partial.replace(path / TABLE)

    @staticmethod
    def _manifest(
        path: Path,
        results: Results,
        frame: pl.DataFrame,
        when: tuple[str, str],
        name: str,
        tags: Mapping[str, str] | None,
        fabric: FabricFacts | None,
    ) -> RunManifest:
        table = path / TABLE
        return RunManifest(
            id=path.name,
            name=name,
            time=when[0],
            time_source=when[1],
            kept=dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            lacis=_version(),
            provenance=sorted(frame["provenance"].unique()),
            values=frame.height,
            hosts=len(results.hosts()),
            tests=[*(results.tests or tests_of(frame))],
            tags=dict(tags or {}),
            fabric=fabric,
            formats=list(results.formats),
            files=[*results.files],
            facts=dict(results.facts),
            notes=[NoteRow(note.source, note.line, note.count, note.text) for note in results.notes],
            table=TableFile(TABLE, table.stat().st_size, _digest(table)),
        )

    def runs(self) -> tuple[list[Run], list[Broken]]:
        """Whole runs, oldest measurement first, and folders that hold none.

        Raises:
            LacisError: when the folder cannot be read.
        """
        try:
            folders = sorted(
                entry for entry in self.path.iterdir() if entry.is_dir() and not entry.name.startswith(".")
            )
        except FileNotFoundError:
            return [], []
        except OSError as error:
            raise LacisError(reason_of(error), source=os.fspath(self.path)) from None
        found = [_open(folder) for folder in folders]
        runs = [run for run in found if isinstance(run, Run)]
        return sorted(runs, key=_age), [run for run in found if isinstance(run, Broken)]

    def find(self, selector: str) -> list[Run]:
        """Runs that a text names, oldest first.

        It is an id or the beginning of one, a name (all runs of it), `tag:KEY=VALUE`, `latest`, or several of these with
        commas between.

        Raises:
            LacisError: when a word names no run, or the beginning of several.
        """
        runs, broken = self.runs()
        chosen: dict[str, Run] = {}
        for word in selector.split(","):
            for run in _select(word.strip(), runs, broken, self.path):
                chosen[run.id] = run
        return sorted(chosen.values(), key=_age)

    def values(self, selector: str) -> pl.DataFrame:
        """All values of the runs that a text names, with rounds numbered consecutively.

        Raises:
            LacisError: as `find`, and when a file is damaged.
        """
        return together([run.values() for run in self.find(selector)])

    def _folder(self, when: str, word: str) -> Path:
        """A new folder, which no other writer has, as its creation succeeded."""
        self.path.mkdir(parents=True, exist_ok=True)
        day = re.sub(r"[-:]", "", when)[:15]
        slug = re.sub(r"[^A-Za-z0-9]+", "-", word).strip("-").lower()[:40] or "run"
        while True:
            path = self.path / f"{day}-{slug}-{secrets.token_hex(3)}"
            try:
                path.mkdir()
            except FileExistsError:
                continue
            return path


def _digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remove_empty(folder: Path) -> None:
    """Removes a folder that holds nothing."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def _open(folder: Path) -> Run | Broken:
    """The run in a folder, or why there is none."""
    try:
        found = json.loads((folder / MANIFEST).read_text("utf-8"))
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            return Broken(folder.name, folder, f"{MANIFEST} is not of schema {SCHEMA}")
        manifest = msgspec.convert(found, RunManifest)
        size = (folder / TABLE).stat().st_size
    except msgspec.ValidationError as error:
        return Broken(folder.name, folder, f"{MANIFEST}: {error}")
    except FileNotFoundError as error:
        missing = Path(error.filename).name
        why = "not finished, or still being written: " if missing == MANIFEST else ""
        return Broken(folder.name, folder, f"{why}no {missing}")
    except (OSError, ValueError) as error:
        return Broken(folder.name, folder, f"{MANIFEST} cannot be read: {str(error).splitlines()[0]}")
    if size != manifest.table.bytes:
        said = f"{TABLE} has {size:,} bytes, {MANIFEST} says {manifest.table.bytes:,}"
        return Broken(folder.name, folder, said)
    return Run(folder.name, folder, manifest)


def _age(run: Run) -> tuple[str, str, str]:
    """Orders runs by when they were measured; of one second, by when they were kept."""
    return run.time, run.manifest.kept, run.id


def _select(word: str, runs: Sequence[Run], broken: Sequence[Broken], where: Path) -> list[Run]:
    if not runs:
        raise LacisError("there is no run", source=os.fspath(where))
    if word == "latest":
        return [runs[-1]]
    if word.startswith("tag:"):
        key, _, value = word.removeprefix("tag:").partition("=")
        found = [run for run in runs if run.manifest.tags.get(key) == value]
    else:
        found = [run for run in runs if run.id == word] or [run for run in runs if word and run.name == word]
        if not found and word:
            found = [run for run in runs if run.id.startswith(word)]
            if len(found) > 1:
                ids = ", ".join(run.id for run in found[:3])
                raise LacisError(f"{word!r} begins the ids of {len(found)} runs: {ids} …")
    if found:
        return found
    for folder in broken:
        if word and folder.id.startswith(word):
            raise LacisError(folder.reason, source=os.fspath(folder.path))
    raise LacisError(f"no run {word!r}", source=os.fspath(where))


def _now() -> str:
    return utc(time.time())


def _time(given: str | None, facts: Mapping[str, str]) -> tuple[str, str]:
    """When a run was measured, and where that is known from."""
    for text, source in _sources(given, facts):
        try:
            moment = dt.datetime.fromisoformat(text)
        except ValueError:
            if source == "given":
                raise LacisError(f"{text!r} is no time (2026-11-25T10:30:00Z)") from None
            continue
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=dt.UTC)
        return utc(moment.timestamp()), source
    return _now(), "kept"


def _sources(given: str | None, facts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if given is not None:
        yield given, "given"
    if "started" in facts:
        yield facts["started"], "told"
    seconds = facts.get("started [s since 1970]", "")
    if seconds.isascii() and seconds.isdigit() and len(seconds) < 12:
        yield dt.datetime.fromtimestamp(int(seconds), dt.UTC).isoformat(), "told"


def _version() -> str:
    from importlib.metadata import version

    return version("lacis")
