"""`lacis order`: hosts in an order, as a file for OpenSM or for the launcher of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..facts.words import count, noun
from ._fabric import fabric_argument, need_opensm, warn, warn_of
from ._launch import Asked, check, job_options, ranks_of, slots_of_list, text_of
from ._output import json_option, print_json
from ._traffic import groups_option

if TYPE_CHECKING:
    from .._core import Fabric
    from ..requests.routing import RouteOptions

_BY_EVENTREE = ("eventree", "eventree-exchanges")


@click.command("order")
@fabric_argument
@click.option(
    "--by",
    type=click.Choice(
        ["name", "lid", "topology", "eventree", "eventree-exchanges", "ftree", "host", "slurm"]
    ),
    default="topology",
    show_default=True,
    help="Names with their numbers counted as numbers; LIDs; leaf by leaf; as eventree numbers them, or so that "
    "exchanges suit its tables, too; as ftree balances them; as a list has them; as Slurm has them.",
)
@click.option(
    "--names",
    is_flag=True,
    help="The same as --as names: hosts, each once.",
)
@job_options
@groups_option
@click.option(
    "--list",
    "listed",
    metavar="FILE",
    help="Hosts or sets of them, one a line, a file of a launcher, or ftree's ca-order dump (--by host); a topology.conf, topology.yaml or `scontrol show topology` (--by slurm).",
)
@click.option("--nodes", metavar="LIST", help="A list such as node[001-018] (--by slurm).")
@click.option(
    "--rail",
    metavar="RAIL",
    default="all",
    show_default=True,
    help="all, each (every port a host), a number from 1, or a label such as HCA-1.",
)
@click.option(
    "-a",
    "--root-guid-file",
    "roots",
    metavar="FILE",
    help="As `route` takes it (--by ftree, --by eventree and eventree-exchanges).",
)
@click.option("-u", "--cn-guid-file", "cn", metavar="FILE", help="As `route` takes it (--by ftree).")
@click.option("-G", "--io-guid-file", "io", metavar="FILE", help="The same.")
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Where to write; standard output unless given."
)
@json_option
def command(
    fabric: Fabric,
    by: str,
    names: bool,
    groups: str,
    listed: str | None,
    nodes: str | None,
    rail: str,
    roots: str | None,
    cn: str | None,
    io: str | None,
    output: str,
    as_json: bool,
    **asked: Any,
) -> None:
    """Write the port GUIDs of hosts in an order, one a line: a guid_routing_order_file.

    OpenSM routes them in this order (`-X FILE`, engines minhop, updn, dnup and dor), and all other ports after them.

    With --as it writes a file for a job's launcher instead, and the line that launches with it on standard error.
    Shifts of ranks in the order --by eventree suit the tables of eventree. In the order --by eventree-exchanges exchanges of ranks whose
    numbers differ in some bits do, too, as in recursive doubling; it is for whole trees in which no more than one of the numbers of
    hosts on a leaf, leaves in a pod and so on has an odd divisor.
    """
    from .. import routing
    from ..facts.launch import PORT_FORMS
    from ..io import files
    from ..launch import guid_lines
    from ..ranks.participants import GROUPS

    want = check(Asked(**asked), names=names, rail=rail)
    if want.form in PORT_FORMS:
        need_opensm(fabric, "cn_guid_file" if want.form == "cn-guids" else "guid_routing_order_file")
    options: RouteOptions = {}
    given = {"-a": roots, "-u": cn, "-G": io}
    for option, path in given.items():
        engines = ("ftree", *_BY_EVENTREE) if option == "-a" else ("ftree",)
        if path is not None and by not in engines:
            raise click.UsageError(f"{option} is for --by {' and --by '.join(engines)}")
    if by == "ftree" and rail != "all":
        raise click.UsageError("--by ftree takes all compute nodes; --rail has no meaning with it")
    if groups != GROUPS and by not in ("name", "lid", "topology", *_BY_EVENTREE):
        raise click.UsageError(f"--hosts has no meaning with --by {by}")
    if want.form == "names" and (by == "ftree" or rail != "all"):
        raise click.UsageError("--names writes each host once; --by ftree and --rail are about ports")
    if roots is not None:
        options["roots"] = routing.read_guids(roots)
    if cn is not None:
        options["cn"] = routing.read_guids(cn)
    if io is not None:
        options["io"] = routing.read_guids(io)
    wanted = {"host": ("--list",), "slurm": ("--list", "--nodes")}.get(by, ())
    lists = {"--list": listed, "--nodes": nodes}
    for option, value in lists.items():
        if value is not None and option not in wanted:
            raise click.UsageError(f"{option} has no meaning with --by {by}")
    if wanted and [lists[option] is not None for option in wanted].count(True) != 1:
        raise click.UsageError(f"--by {by} needs {' or '.join(wanted)}")
    hosts, guids = routing.routing_order(
        fabric, by, listed=listed, nodes=nodes, rail=rail, groups=groups, each_once=want.has_ranks, **options
    )
    if wanted and want.form in PORT_FORMS:
        every_host = routing.routing_order(fabric, "name", rail=rail)[0]
        left = len(every_host) - len(hosts)
        if left:
            warn(
                f"{left:,} of {count(len(every_host), 'host')} {noun(left, 'is', 'are')} not listed; OpenSM routes {noun(left, 'it', 'them')} after those that are"
            )
    ranks: list[str] = []
    line = None
    if want.has_ranks:
        names_of_hosts = routing.ftree_hosts(fabric, **options)[0] if by == "ftree" else hosts
        slots_listed = slots_of_list(fabric, by, listed, groups)
        order = ranks_of(want, names_of_hosts, slots_listed, keep=by == "host")
        text, line = text_of(want, order, output)
        ranks = list(order.hosts)
    elif want.form == "ca-order":
        text = routing.ftree_hosts(fabric, **options)[1] if by == "ftree" else routing.ca_order(fabric, guids)
    elif want.form == "names":
        text = _lines_of_names(hosts)
    else:
        text = guid_lines(guids)
    if as_json:
        from ..documents.routes import OrderDocument

        if output != "-":
            files.write(output, text)
        written = None if output == "-" else output
        print_json(
            OrderDocument(
                by, hosts, [f"0x{guid:016x}" for guid in guids], want.form, ranks, line, file=written
            )
        )
    else:
        files.write(output, text)


def _lines_of_names(hosts: list[str]) -> str:
    """Names, one a line; those with blanks are in double quotes, as Lacis' own readers take them."""
    from ..facts.launch import NamesQuoted

    quoted = [host for host in hosts if len(host.split()) != 1]
    if quoted:
        warn_of(NamesQuoted(len(quoted), quoted[0]))
    return "".join(f'"{host}"\n' if len(host.split()) != 1 else f"{host}\n" for host in hosts)
