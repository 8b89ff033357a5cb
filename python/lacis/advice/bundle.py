"""A bundle: what is needed to run an alternative, to see what it is worth, and to go back."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import LacisError
from ..facts.advice import OmniPathEngine, OpensmEngine, PluginEngine, TablesFromFile
from ..facts.wording import applications, as_a_test, purpose, text, way_back
from ..io.files import reason_of
from ..opensm.plugin import file_value
from ..ranks.participants import GROUPS
from .opafm_lines import opafm

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .._core import Routes
    from ..facts.advice import Alternative, LanesNeeded, Need, RanksOrdered, Running, SingleFailures, WayBack

CONF: Final = "opensm.conf"
OPAFM: Final = "opafm.xml"
READ_ME = "README.md"
KINDS = {PluginEngine: "plugin", OpensmEngine: "opensm", TablesFromFile: "tables", OmniPathEngine: "opafm"}
"""What an alternative is called in the folder's name and in JSON."""


@dataclass(frozen=True)
class Figure:
    """A number now and with the bundle; all of them are modelled from tables."""

    name: str
    unit: str
    now: float | None
    then: float | None

    def shown(self, value: float | None) -> str:
        """The number as a person reads it."""
        if value is None:
            return "–"
        return f"{value:,.0f}" if self.unit in ("pairs", "loops", "flows") else f"{value:.3f}"


@dataclass(frozen=True)
class Bundle:
    """An alternative, with its configuration, its files, its figures and how to take it back."""

    name: str
    """Name of its folder."""
    alternative: Alternative
    """What it is."""
    engines: list[str]
    """The value of `routing_engine`."""
    lines: dict[str, str]
    """Key → value of `opensm.conf`; the value of a key in `paths` is set where the folder is known."""
    back: WayBack
    """How to go back."""
    against: Running
    """What `now` means in the figures."""
    paths: dict[str, str] = field(default_factory=dict)
    """Key of `opensm.conf` → name of the file in `files`."""
    files: Mapping[str, str | bytes | Routes] = field(default_factory=dict)
    """Name → content; tables are written as OpenSM loads them."""
    lanes: LanesNeeded | None = None
    """What applications must do; none where they need do nothing."""
    ranks: RanksOrdered | None = None
    """The order of hosts that goes with the tables; none where the common one is as good."""
    needs: list[Need] = field(default_factory=list)
    """What must be on the manager's node."""
    figures: list[Figure] = field(default_factory=list)
    failures: SingleFailures | None = None
    """What single failures do; none where they were not tried."""

    @property
    def kind(self) -> str:
        """One of the values of `KINDS`."""
        return KINDS[type(self.alternative)]

    @property
    def conf_name(self) -> str:
        """The file of configuration in its folder."""
        return OPAFM if self.kind == "opafm" else CONF

    def conf(self, folder: Path) -> str:
        """The lines of `opensm.conf`, with files in a folder; or those of `opafm.xml`.

        Raises:
            LacisError: when OpenSM would not read the name of a file there.
        """
        if self.kind == "opafm":
            return opafm(self.lines)
        settings = self.lines | {
            key: file_value(str(folder.absolute() / name)) for key, name in self.paths.items()
        }
        return "".join(f"{key} {value}\n" for key, value in settings.items())


def read_me(bundle: Bundle, folder: Path) -> str:
    """The README.md for an operator: what it is for, what it brings, how to load it, what a failure does, how to go back."""
    path = folder.absolute()
    conf = bundle.conf(folder)
    listed = ["", *(f"* `{name}`" for name in sorted(bundle.files))] if bundle.files else []
    needs = [f"{number}. {text(need)}" for number, need in enumerate(bundle.needs, 1)]
    start = len(needs) + 1
    load = (
        _into_opafm(conf)
        if bundle.kind == "opafm"
        else [
            *needs,
            f"{start}. Try it first without touching the site's configuration ({as_a_test(bundle.lines)}):",
            "",
            f"       opensm -F {path / CONF}",
            "",
            f"{start + 1}. To keep it, put these lines into the site's opensm.conf (/etc/opensm/opensm.conf, or what "
            "`opensm -F` names) in place of those with the same keys, and restart OpenSM, which reads them at its start only:",
            "",
            *(f"       {line}" for line in conf.splitlines()),
            "",
            f"{start + 2}. Look into OpenSM's log: `{bundle.engines[0]} tables configured on all switches` follows each "
            "sweep that it served, a line with `ERR` says why it did not.",
        ]
    )
    if bundle.paths:
        load += [
            "",
            f"opensm.conf has the present paths of the files, in {path}. Where the manager runs elsewhere, copy the "
            "folder and change the paths in opensm.conf.",
        ]
    table = [
        "| | now | with this |",
        "|---|---:|---:|",
        *(f"| {f.name} [{f.unit}] | {f.shown(f.now)} | {f.shown(f.then)} |" for f in bundle.figures),
    ]
    failure = [text(bundle.failures)] if bundle.failures else ["Not computed."]
    title = text(bundle.alternative)
    sections: list[tuple[str, Sequence[str]]] = [
        (f"# {title[:1].upper()}{title[1:]}", [purpose(bundle.alternative), *listed]),
        ("## What it brings", [f"Modelled from the tables. Now: {text(bundle.against)}.", "", *table]),
        ("## What applications must do", [*applications(bundle.lanes), *_ranks(bundle)]),
        ("## How to load it", load),
        ("## What happens on a failure", [*failure, f"Modelled with {_rules(bundle)} rules."]),
        ("## How to go back", way_back(bundle.back)),
    ]
    return "\n\n".join(f"{head}\n\n" + "\n".join(lines) for head, lines in sections) + "\n"


def host_file(ranks: RanksOrdered, fabric: str, groups: str = GROUPS) -> str:
    """What to type to write the hosts in the order that goes with tables, for the launcher of a job.

    Args:
        ranks: the order.
        fabric: the fabric as a command line has it.
        groups: whose hosts.
    """
    hosts = ["--hosts", shlex.quote(groups)] if groups != GROUPS else []
    name = f"hosts-{ranks.order}.txt"
    return " ".join(["lacis order", fabric, *hosts, "--by", ranks.order, "--names", "-o", name])


def _ranks(bundle: Bundle) -> list[str]:
    """In which order a job's hosts are best."""
    if bundle.ranks is None:
        return []
    command = host_file(bundle.ranks, "FABRIC")
    return ["", f"{text(bundle.ranks)} Modelled. `{command}` writes a host file with this order."]


def _into_opafm(conf: str) -> list[str]:
    """How to load a configuration of Omni-Path's manager."""
    return [
        "1. Put these lines into opafm.xml (/etc/opa-fm/opafm.xml), each in place of the one with its tag:",
        "",
        *(f"       {line}" for line in conf.splitlines()),
        "",
        "2. Check the file: `/usr/lib/opa-fm/bin/config_check -s -v -c /etc/opa-fm/opafm.xml`.",
        "3. Restart the manager. It makes all tables afresh: traffic pauses for that time.",
    ]


def _rules(bundle: Bundle) -> str:
    """The manager that makes new tables after a failure."""
    return "opa-fm 10.10.3's" if bundle.kind == "opafm" else "OpenSM 3.3.23's"


def write(bundles: Sequence[Bundle], folder: str | os.PathLike[str], index: str) -> list[Path]:
    """Writes bundles, a folder each, and an index over them into a folder; all or nothing.

    Args:
        bundles: in order.
        folder: is created; it may exist if it is empty.
        index: the content of its README.md.

    Raises:
        LacisError: when the folder is not empty, or cannot be written.
    """
    target = Path(folder)
    with whole_folder(target) as built:
        (built / READ_ME).write_text(index, encoding="utf-8")
        for bundle in bundles:
            within, final = built / bundle.name, target / bundle.name
            within.mkdir()
            (within / bundle.conf_name).write_text(bundle.conf(final), encoding="utf-8")
            (within / READ_ME).write_text(read_me(bundle, final), encoding="utf-8")
            for name, content in bundle.files.items():
                with (within / name).open("wb") as out:
                    match content:
                        case str():
                            out.write(content.encode())
                        case bytes():
                            out.write(content)
                        case tables:
                            tables.dump(out.write)
    return [target / bundle.name for bundle in bundles]


def check_free(folder: str | os.PathLike[str]) -> None:
    """Refuses a folder that is not empty, before a long computation starts.

    Raises:
        LacisError: as `write`.
    """
    target = Path(folder)
    if not os.fspath(folder):
        raise LacisError("the name of a folder to write is empty")
    try:
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise LacisError("exists already, and is no folder", source=os.fspath(folder))
        if target.is_dir() and any(target.iterdir()):
            raise LacisError(
                "the folder has files in it; name one that is new or empty", source=os.fspath(folder)
            )
        if not target.absolute().parent.is_dir():
            raise LacisError("its parent folder does not exist", source=os.fspath(folder))
    except OSError as error:
        raise LacisError(reason_of(error), source=os.fspath(folder)) from None


@contextlib.contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder that becomes the target when the block succeeds, and is deleted otherwise."""
    check_free(target)
    try:
        built = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.absolute().parent))
        try:
            yield built
            mask = os.umask(0)
            os.umask(mask)
            built.chmod(0o777 & ~mask)
            built.rename(target)  # replaces an empty folder
        except BaseException:
            shutil.rmtree(built, ignore_errors=True)
            raise
    except OSError as error:
        raise LacisError(f"cannot be written: {reason_of(error)}", source=str(target)) from None
