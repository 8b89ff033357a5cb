"""`lacis opensm`: Lacis' engines inside OpenSM."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from ..errors import RefusedError
from ..facts.words import count, noun
from ..opensm.plugin import LIBRARY, MOST_THREADS, PREFIX, PROOFS, VERSION, PluginOptions
from ._fabric import fabric_argument, need_opensm, source, warn
from ._opensm_conf import SAID
from ._output import json_option, print_json
from ._routing import engine_choice, read_choice
from ._routing_options import RoutingArguments

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from .._core import Fabric
    from ..opensm.plugin import Answer

_NUMBER = click.IntRange(1, 2**31 - 1)
_SHIPPED = PluginOptions()


class _Chosen(TypedDict):
    """The fields of `PluginOptions`, as typed."""

    prove: str
    time: int
    memory: int
    threads: int
    report: str | None


@click.group("opensm")
def command() -> None:
    """Lacis' engines inside OpenSM, which loads them as its event plugin `osmlacis`."""


@command.command("conf", short_help="The lines of opensm.conf, checked.")
@fabric_argument
@engine_choice
@click.option(
    "--prove",
    type=click.Choice(PROOFS),
    default=_SHIPPED.prove,
    show_default=True,
    help="What must hold before tables are programmed: every pair of end nodes delivered and no credit loop; the "
    "same of host adapters; delivery alone; nothing.",
)
@click.option(
    "--time",
    type=_NUMBER,
    default=_SHIPPED.time,
    show_default=True,
    metavar="SECONDS",
    help="Time that an engine may take in a sweep.",
)
@click.option(
    "--memory",
    type=_NUMBER,
    default=_SHIPPED.memory,
    show_default=True,
    metavar="MIB",
    help="Address space that it may take beyond the manager's.",
)
@click.option(
    "--threads",
    type=click.IntRange(0, MOST_THREADS),
    default=_SHIPPED.threads,
    metavar="N",
    help="Threads that it may use; one for each core unless given.",
)
@click.option("--report", metavar="PATH", help="File to which the manager adds a line of JSON a sweep.")
@click.option("--library-dir", metavar="DIR", help=f"Folder of {LIBRARY} on the manager's node.")
@json_option
def conf(
    fabric: Fabric,
    routing: RoutingArguments,
    library_dir: str | None,
    as_json: bool,
    **chosen: Unpack[_Chosen],
) -> int:
    """Print the lines of opensm.conf that let OpenSM route with an engine of Lacis, and check them.

    The first engine of the list is Lacis', as `eventree` or `lacis-eventree`; those after it take over where it
    fails, and are OpenSM's own unless they begin with `lacis-`. It routes FABRIC here, and its tables are proved as
    the plugin would.

    Exit status 1: the plugin would not take the tables of the first engine.
    """
    from .. import opensm
    from ._doubts import warn_of_doubts

    plugin = PluginOptions(**chosen)
    need_opensm(fabric, "opensm.conf and no plugin")
    wanted = read_choice(fabric, routing)
    if wanted.asked is None:
        raise click.UsageError("-R names no engine, nor does an opensm.conf")
    engines = opensm.engine_list(wanted.asked, fallback=wanted.options.get("fallback", True))
    now: dict[str, str] | None = click.get_current_context().meta.get(SAID)
    lines = opensm.settings(engines, wanted.given, plugin, now or {})
    answer = opensm.ask(fabric, engines, plugin.prove, **wanted.options)
    if answer.routes is not None:
        warn_of_doubts(fabric, answer.routes, wanted)
    if "qos" in lines:
        _warn_of_lanes(now or {})
    before = None if now is None else {key: now.get(key) for key in lines if now.get(key) != lines[key]}
    if as_json:
        _print_json(engines, lines, answer, plugin.prove, before, library_dir)
        return 0 if answer.good else 1
    if not answer.good:
        raise RefusedError(_why_not(answer))
    text = [
        *_comment(
            _head(fabric, engines, answer, plugin.prove, added=engines[len(wanted.asked.split(",")) :])
        ),
        "",
        *(f"{key} {value}" for key, value in lines.items()),
        "",
        *_comment(_remarks(engines, lines, wanted.given, before, library_dir)),
    ]
    click.echo("\n".join(text))
    return 0


@command.command("build", short_help="Build the plugin for the OpenSM of this machine.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default=LIBRARY,
    show_default=True,
    help="The library; OpenSM looks for its name.",
)
def build(output: str) -> int:
    """Build the plugin with which OpenSM runs Lacis' engines, from sources that come with Lacis.

    It needs Rust (cargo), a C compiler and the headers of OpenSM 3.3.23 and libibumad (Debian packages `gcc
    libopensm-dev libibumad-dev`), and takes minutes. OPENSM_INCLUDE names another folder of headers of OpenSM.
    """
    from .. import opensm
    from ._progress import progress

    with progress("building") as advance:
        path = opensm.build(output, lambda line: advance(line))
    click.echo(path)
    return 0


def _print_json(
    engines: list[str],
    lines: dict[str, str],
    answer: Answer,
    prove: str,
    before: dict[str, str | None] | None,
    library_dir: str | None,
) -> None:
    from .. import _core
    from ..documents.opensm import ConfSetting, OpensmConfDocument
    from .verify import hosts_cut_off, proof_row

    proof = None
    if answer.proof is not None and answer.routes is not None:
        found, routes = answer.proof, answer.routes
        proof = proof_row(found, _core.forced(routes, found.population), hosts_cut_off(routes.fabric, found))
    document = OpensmConfDocument(
        engines=engines,
        lines=[ConfSetting(key, value) for key, value in lines.items()],
        good=answer.good,
        serves=answer.serves,
        refusals=answer.refusals,
        prove=prove,
        proof=proof,
        before=before,
        library=LIBRARY,
        library_dir=library_dir,
    )
    print_json(document)


def _why_not(answer: Answer) -> str:
    """Why the first engine and those after it would fail, and which engine would serve."""
    then = (
        f"{answer.serves} would serve"
        if answer.serves
        else "no engine is left, and tables would stay as they are"
    )
    return "; ".join([*(f"{one.engine} {one.reason}" for one in answer.refusals), then])


def _warn_of_lanes(now: dict[str, str]) -> None:
    for key, value in now.items():
        if key.startswith("qos_") and key.endswith("sl2vl") and value:
            warn(
                f"{key} {value}: lanes are proved with service level N on lane N, as OpenSM has it by default"
            )


def _comment(paragraphs: list[str]) -> list[str]:
    """Paragraphs as comments of an opensm.conf; indented lines stay as they are."""
    import textwrap

    out = []
    for paragraph in paragraphs:
        for line in paragraph.splitlines() or [""]:
            out += (
                [line] if line.startswith("  ") else textwrap.wrap(line, 100, break_on_hyphens=False) or [""]
            )
    return [f"# {line}".rstrip() for line in out]


def _head(fabric: Fabric, engines: list[str], answer: Answer, prove: str, added: list[str]) -> list[str]:
    """What the lines do, and what was proved."""
    from importlib.metadata import version

    from .. import opensm
    from ..facts.wording import credit_loops

    of = f"{count(fabric.num_switches, 'switch', 'switches')} and {count(fabric.num_end_nodes, 'end node')}"
    proof = answer.proof
    if proof is None:
        said = "nothing was proved of its tables, and the plugin will prove nothing"
    else:
        pairs, _ = opensm.judged(proof)
        lanes = f" on {proof.lanes} lanes" if proof.lanes > 1 else ""
        population = "host adapters" if prove == "hosts" else "end nodes"
        said = f"all {pairs:,} pairs of {population} are delivered; {credit_loops(len(proof.credit_loops))}{lanes}"
    text = [
        f"{engines[0]} of Lacis {version('lacis')} inside OpenSM {VERSION}, for {source()[1]}",
        f"Checked on {of}: {said}.",
    ]
    if added:
        text.append(
            f"After {noun(len(engines) - len(added), 'it', 'them')} {noun(len(added), 'comes', 'come')} {' and '.join(added)}, for where {noun(len(engines) - len(added), 'it fails', 'they fail')}."
            if engines[-1] == "minhop"
            else "No engine takes over where these fail: tables stay as they are, and a subnet without any does not come up."
        )
    text.append(
        "Put these lines into opensm.conf (/etc/opensm/opensm.conf, or what opensm -F names), in place of those with "
        "the same keys."
    )
    return text


def _remarks(
    engines: list[str],
    lines: dict[str, str],
    given: Mapping[str, object],
    before: dict[str, str | None] | None,
    library_dir: str | None,
) -> list[str]:
    """Where to install the plugin, how to try it, what to look for, and how to go back."""
    from .. import opensm
    from ..facts.wording import way_back

    first, own = engines[0], [e for e in engines if not e.startswith(PREFIX) and e != "no_fallback"]
    then = f"goes on to {own[0]}" if own else "has no engine"
    text = []
    if any(key.endswith(("_file", "_config")) for key in lines):
        text += ["Files are those of the manager's node, which the plugin reads in every sweep.", ""]
    if "qos" in lines:
        lanes = (
            ""
            if given.get("vls")
            else " Checked with 8 data lanes on every link (--vls sets another number)."
        )
        text += [
            "qos TRUE: without it OpenSM sets up no lanes, and what was proved does not hold. qos_sl2vl and the like "
            f"stay as they are by default. Clients take the service level of a path from path records.{lanes}",
            "",
        ]
    folder = str(Path(library_dir).absolute()) if library_dir else "FOLDER"
    such = f"Its folder, {folder}," if library_dir else "Its folder, such as /usr/local/lib,"
    text += [
        f"The plugin, {LIBRARY}, is built by `lacis opensm build`. {such} is one that the loader searches "
        "(/etc/ld.so.conf.d, then ldconfig), or LD_LIBRARY_PATH of the service names it. Without the plugin OpenSM logs "
        f"\"ERR 1000: cannot load plugin 'osmlacis'\" and {then}.",
        "",
        "Try it on ibsim first, with these lines in the file try.conf:",
        f"  lacis fabric {source()[1]} -o try.net",
        "  export IBSIM_SOCKNAME=try-$$ PATH=$PATH:/usr/sbin",
        "  ibsim -s -n try.net > ibsim.log 2>&1 & sleep 3",
        "  export OSM_CACHE_DIR=$PWD OSM_TMP_DIR=$PWD",
        f"  LD_LIBRARY_PATH={folder} ibsim-run opensm -o -e -F try.conf -f $PWD/try.log",
        "  grep -e 'ERR LA' -e 'configured on all switches' try.log",
        "  kill $!",
        "",
        f'In the log, "{first} tables configured on all switches" follows each sweep that it served. "ERR LA01: '
        f'{first}: ..." says why it failed in a sweep; the next engine of the list is tried, and {first} again in the '
        "next sweep.",
        "",
        *way_back(opensm.back(before)),
    ]
    return text
