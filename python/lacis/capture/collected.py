"""Collecting files and output of programs, and writing them as one archive, whole or not at all."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import tarfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..documents.capture import CapturedFile, CaptureDocument, NotCaptured
from ..errors import LacisError
from ..facts.words import utc
from ..host.recorded import recorded
from ..io import packed
from ..io.files import read_bytes, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .names import Pseudonyms

FOLDER = "lacis-capture"
"""The folder at the top of an archive."""
MANIFEST = "about/capture.json"
"""In a folder of its own: what lies at the top is the fabric's."""
HOSTNAME = "host/proc/sys/kernel/hostname"
LOG_BYTES = 16 << 20
"""The end of a log that is kept: what led to the present state stands there."""
_SECONDS = 300
_KEYS = re.compile(r"(?im)(^[ \t]*(?:m|sm|sa|vs|cc)_key[ \t]+)\S+|(<(?:M|SM|SA|VS|CC)_?Key>)[^<]*")
"""Keys of a manager, in its configuration and in snapshots: with them a fabric can be changed."""
_NO_KEY = "0x0000000000000000"
_PROGRAMS = (
    ("fabric.ibnetdiscover", ("ibnetdiscover",)),
    ("tables.lfts", ("dump_fts",)),
    ("counters.ibqueryerrors", ("ibqueryerrors", "--counters", "--data")),
    ("manager.sminfo", ("sminfo",)),
    ("versions.opensm", ("opensm", "--version")),
)
"""File in the archive → the program of infiniband-diags that makes it."""
_FILES = (
    ("opensm.conf", "/etc/opensm/opensm.conf"),
    ("opafm.xml", "/etc/opa-fm/opafm.xml"),
    ("opensm.log", "/var/log/opensm.log"),
    ("opensm-subnet.lst", "/var/log/opensm-subnet.lst"),
    ("guid2lid", "/var/cache/opensm/guid2lid"),
)
"""File in the archive → where a manager on this host keeps it."""


class Piece(NamedTuple):
    """A file to be kept."""

    name: str
    source: str
    data: bytes


class Captured(NamedTuple):
    """What was collected."""

    pieces: list[Piece]
    missing: list[NotCaptured]


def discovered() -> Captured:
    """What programs of infiniband-diags and files of a manager on this host say of the fabric."""
    pieces: list[Piece] = []
    missing: list[NotCaptured] = []
    for name, command in _PROGRAMS:
        output, reason = _output(command)
        if output:
            pieces.append(Piece(name, " ".join(command), output))
        else:
            missing.append(NotCaptured(" ".join(command), reason))
    for name, path in _FILES:
        if Path(path).exists():
            try:
                pieces.append(Piece(name, path, _end_of(path)))
            except LacisError as error:
                missing.append(NotCaptured(path, str(error)))
    return Captured(pieces, missing)


def read(name: str, path: str) -> Piece:
    """A file that the user names; of a log the end.

    Raises:
        LacisError: when it cannot be read.
    """
    return Piece(name, path, _end_of(path) if name.endswith(".log") else read_bytes(path))


def capture(
    output: str | os.PathLike[str],
    pieces: Sequence[Piece],
    missing: Sequence[NotCaptured] = (),
    *,
    host: str | os.PathLike[str] | None = "/",
    names: Pseudonyms | None = None,
) -> CaptureDocument:
    """Writes an archive (tar, gzip) with files, a description of a host, and a list of all that is in it.

    Args:
        output: the archive.
        pieces: files of the fabric; of several with one name each keeps a name of its own.
        missing: what was asked for and is not there, for the list.
        host: `/`, or a copy of another host's files; none without.
        names: replaces names in all files.

    Raises:
        LacisError: when the archive cannot be written.
    """
    from importlib.metadata import version

    kept = list(pieces)
    if host is not None:
        kept += (Piece(f"host/{name}", f"/{name}", data) for name, data in recorded(host).items())
    kept = [_without_keys(piece) for piece in kept]
    if names is not None:
        kept = [_anonymous(piece, names) for piece in kept]
    kept = sorted(_named_apart(kept), key=lambda piece: piece.name)
    now = int(time.time())
    manifest = CaptureDocument(
        lacis=version("lacis"),
        time=utc(now),
        anonymous=names is not None,
        files=[
            CapturedFile(one.name, one.source, len(one.data), hashlib.sha256(one.data).hexdigest())
            for one in kept
        ],
        missing=list(missing),
    )
    listed = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    write(output, _packed([Piece(MANIFEST, "", listed), *kept], now))
    return manifest


def _packed(pieces: Iterable[Piece], seconds: int) -> bytes:
    out = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=out, mode="wb", mtime=seconds, compresslevel=6) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for piece in pieces:
            member = tarfile.TarInfo(f"{FOLDER}/{piece.name}")
            member.size, member.mtime, member.mode = len(piece.data), seconds, 0o644
            archive.addfile(member, io.BytesIO(piece.data))
    return out.getvalue()


def _named_apart(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces of one name, each with a number before its ending from the second on."""
    seen: dict[str, int] = {}
    apart = []
    for piece in pieces:
        seen[piece.name] = number = seen.get(piece.name, 0) + 1
        stem, dot, ending = piece.name.rpartition(".")
        name = piece.name if number == 1 else f"{stem or ending}-{number}{dot}{ending if stem else ''}"
        apart.append(piece._replace(name=name))
    return apart


def _without_keys(piece: Piece) -> Piece:
    """A configuration, a snapshot or a log with 0 for the keys of its manager; any other file as it is."""
    if not piece.name.endswith((".conf", ".xml", ".log")):
        return piece
    text = packed.unpacked(piece.data).decode("utf-8", "surrogateescape")
    hidden = _KEYS.sub(lambda found: f"{found[1] or found[2]}{_NO_KEY}", text)
    return piece if hidden == text else piece._replace(data=hidden.encode("utf-8", "surrogateescape"))


def _anonymous(piece: Piece, names: Pseudonyms) -> Piece:
    text = packed.unpacked(piece.data).decode("utf-8", "surrogateescape")
    new = names.host(text.strip()) if piece.name == HOSTNAME else names.text(text)
    data = new.encode("utf-8", "surrogateescape")
    return Piece(names.text(piece.name), names.text(piece.source), data)


def _end_of(path: str) -> bytes:
    """The last part of a file, from the start of a line."""
    try:
        with Path(path).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LOG_BYTES))
            data = file.read()
    except OSError as error:
        raise LacisError((error.strerror or str(error)).lower(), source=path) from None
    return data if size <= LOG_BYTES else data.partition(b"\n")[2]


def _output(command: tuple[str, ...]) -> tuple[bytes, str]:
    """What a program prints, or why it prints nothing."""
    if shutil.which(command[0]) is None:
        return b"", "not installed"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed list of programs
            command, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return b"", f"gave no answer: {error}"
    if done.returncode or not done.stdout:
        words = done.stderr.decode("utf-8", "replace").split("\n")
        return b"", next((line.strip() for line in words if line.strip()), f"exit status {done.returncode}")[
            :200
        ]
    return done.stdout, ""
