"""`lacis advise`: what to run instead of what runs now, written as bundles that can be loaded and taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ._baseline import baseline_options, read_baseline
from ._fabric import fabric_argument, source
from ._numbers import seconds as seconds_of
from ._output import console, json_option, print_json, print_line
from ._progress import progress
from ._traffic import groups_option

if TYPE_CHECKING:
    from pathlib import Path

    from .._core import Fabric
    from ..advice.baseline import Baseline
    from ..advice.choose import Advice, PassedOver
    from ..documents.advice import BundleRow
    from ..facts.bounds import ShiftsBounded


@click.command("advise")
@fabric_argument
@click.option("-o", "--output", metavar="DIR", help="Write the bundles into this folder, new or empty.")
@baseline_options
@click.option(
    "--tune",
    "seconds",
    type=seconds_of(1),
    metavar="SECONDS",
    help="Search OpenSM's inputs so long, as `lacis tune` does, and advise the best.",
)
@groups_option
@json_option
def command(
    fabric: Fabric,
    output: str | None,
    lfts: str | None,
    opensm_conf: str | None,
    sm: str | None,
    seconds: float | None,
    groups: str,
    as_json: bool,
) -> int:
    """What to run on FABRIC instead of what runs now, each as a bundle that can be loaded and taken back.

    A bundle is a folder: the lines of opensm.conf, the files that they name, and a README with what it brings, what
    applications must do, how to load it, what single failures do, and how to go back. The best comes first: Lacis'
    engines as OpenSM's plugin or what OpenSM can do alone; last come tables from a file, which no manager mends.

    Every gain is modelled, and over what runs now: --lfts, else --opensm-conf, else minhop, which is assumed.
    No advice loses pairs of hosts. Where cables alone hold shifts back, a line says what any tables can have at most.

    Exit status 1: nothing is better than what runs now.
    """
    from .. import _core
    from ..advice import bundle, choose
    from ..advice.compare import compare
    from ..advice.index import index
    from ..advice.make import Maker
    from ..ranks.participants import participants
    from ..tuning.tuned import tuned

    if output is not None:
        bundle.check_free(output)
    baseline = read_baseline(fabric, lfts, opensm_conf, sm, groups)
    with progress("engines") as advance:
        comparison, _ = compare(fabric, baseline, groups, advance, lambda: None)
        if seconds is not None:
            comparison.engines.extend(tuned(fabric, baseline, groups, seconds, advance))
        maker = Maker(fabric, comparison.base, baseline, groups)
        advice = choose.advise(maker, comparison, advance)
        hosts = participants(comparison.base.routes, groups=groups)
        shifts = _core.shift_bound(hosts)
    others = choose.passed_over(comparison)
    folders: list[Path] = []
    if output is not None and advice:
        bundles = [one.bundle for one in advice]
        folders = bundle.write(bundles, output, index(source()[1], baseline, advice, others))
    if as_json:
        _print_json(baseline, advice, others, folders, groups, shifts)
    else:
        _print(baseline, advice, others, output, groups, shifts, has_rails=hosts.rails > 1)
    return 0 if advice else 1


def _print_json(
    baseline: Baseline,
    advice: list[Advice],
    others: list[PassedOver],
    folders: list[Path],
    groups: str,
    shifts: ShiftsBounded | None,
) -> None:
    import msgspec

    from ..documents.advice import AdviceBaseline, AdviseDocument, NotAdvised
    from ..facts.wording import text

    where: list[Path | None] = [*folders] or [None] * len(advice)
    now = AdviceBaseline(
        label=baseline.label,
        words=text(baseline.running),
        provenance=baseline.provenance,
        adaptive=baseline.adaptive or None,
        fact=baseline.running,
    )
    document = AdviseDocument(
        fabric=source()[1],
        groups=groups,
        baseline=now,
        shifts_at_most=msgspec.UNSET if shifts is None else shifts,
        bundles=[_bundle_row(one, folder, groups) for one, folder in zip(advice, where, strict=True)],
        not_advised=[NotAdvised(one.label, text(one.objection), one.objection) for one in others],
    )
    print_json(document)


def _bundle_row(advice: Advice, folder: Path | None, groups: str) -> BundleRow:
    import msgspec

    from ..advice import choose
    from ..documents.advice import BundleFailures, BundleFigure, BundleRow
    from ..documents.opensm import ConfSetting
    from ..facts.wording import applications, clauses, mending, purpose, sentence, text, way_back

    bundle = advice.bundle
    failures = bundle.failures
    return BundleRow(
        name=bundle.name,
        kind=bundle.kind,
        title=text(bundle.alternative),
        purpose=purpose(bundle.alternative),
        engines=bundle.engines,
        lines=[ConfSetting(key, value) for key, value in bundle.lines.items()],
        files=sorted(bundle.files),
        applications=applications(bundle.lanes),
        needs=[text(need) for need in bundle.needs],
        back=way_back(bundle.back),
        figures=[BundleFigure(f.name, f.unit, f.now, f.then, "modelled") for f in bundle.figures],
        failures=None
        if failures is None
        else BundleFailures(**msgspec.structs.asdict(failures), repaired_by=mending(failures.mender)),
        folder=None if folder is None else str(folder),
        why=sentence(advice.reasons),
        gain=clauses(advice.changes),
        alternative=bundle.alternative,
        lanes=bundle.lanes,
        ranks=bundle.ranks,
        host_file=choose.placing(bundle, source()[1], groups),
        requirements=bundle.needs,
        way_back=bundle.back,
        reasons=advice.reasons,
        changes=advice.changes,
    )


def _print(
    baseline: Baseline,
    advice: list[Advice],
    others: list[PassedOver],
    output: str | None,
    groups: str,
    shifts: ShiftsBounded | None,
    *,
    has_rails: bool,
) -> None:
    from rich.text import Text

    from ..advice import choose
    from ..facts.wording import clauses, sentence, text

    out = console()

    def say(line: str = "", style: str = "") -> None:
        print_line(out, line, style)

    def say_command(line: str) -> None:
        # A command is not wrapped, as it is copied to a shell.
        out.print(Text(f"   {line}", "cyan"), soft_wrap=True)

    say(f"Now: {text(baseline.running)}")
    if shifts is not None and min(shifts.mean, shifts.worst) < 1:
        say(f"Bound, leaf by leaf{', rail to rail' if has_rails else ''}: {text(shifts)}")
    if not advice:
        say("Nothing that was tried is better.")
    for number, one in enumerate(advice, 1):
        say()
        say(f"{number}. {text(one.bundle.alternative)}", "bold")
        say(f"   {sentence(one.reasons)}")
        say(f"   {clauses(one.changes)} (modelled)")
        if one.bundle.failures is not None:
            say(f"   {text(one.bundle.failures)} (modelled)")
        if one.bundle.lanes is not None:
            say("   Needs QoS, and applications that take service levels from path records.")
        if one.bundle.ranks is not None:
            say(f"   {text(one.bundle.ranks)} (modelled)")
        commands = [] if output is None else choose.loading(one.bundle, output).splitlines()
        place = choose.placing(one.bundle, source()[1], groups)
        for line in [*commands, *([place] if place else [])]:
            say_command(line)
    if others:
        say()
        for other in others:
            say(f"Not advised: {other.label}: {text(other.objection)}", "dim")
    if advice:
        say()
    if output is None and advice:
        say("Write them out:")
        say_command(choose.command(source()[1], baseline.typed))
    elif advice:
        say(f"Written to {output}; each README.md says how to load its bundle and how to go back.")
