"""The document of `lacis report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..documents.common import LinkBalance, Verdicts
from ..documents.fabric import FabricState
from ..documents.report import (
    LeafMatrix,
    RecommendedChange,
    ReportDocument,
    ReportedEngine,
    ReportedOrder,
    ReportedPrediction,
    ReportedProof,
    ReportedProofs,
    ReportedShifts,
    ReportedVerdict,
)
from ..facts.verdicts import rank
from ..facts.wording import text, why
from ..ranks.participants import HOST_ORDER
from ._culprits import culprits_row
from ._rows import relative_bandwidth
from ._structure import structure_row

if TYPE_CHECKING:
    from ..advice.outcome import Outcome, Proof
    from ..advice.summary import Summary
    from ..report.content import Report


def report_document(report: Report, file: str) -> ReportDocument:
    """What the page in a file shows."""
    summary = msgspec.structs.asdict(report.health.summary)
    return ReportDocument(
        file=file,
        source=report.source,
        version=report.version,
        digest=report.digest,
        origin=report.origin,
        taken=report.taken or None,
        fabric=FabricState(**summary, findings=report.health.findings),
        verdicts=[ReportedVerdict(rank(one), text(one), one) for one in report.verdicts],
        counted=report.counted,
        host_order=HOST_ORDER,
        shifts_at_most=msgspec.UNSET if report.shifts is None else report.shifts,
        engines=[_engine(outcome) for outcome in report.engines],
        best=report.best.label,
        also_tried=report.also_tried,
        left_out=report.left_out,
        leaf_to_leaf=LeafMatrix(**report.heat.data) if report.heat else None,
        hottest=report.hottest,
        changes=[
            RecommendedChange(
                title=text(change.step),
                why=why(change.step),
                gain=change.gain,
                command=change.command,
                files={name: [f"0x{guid:016x}" for guid in guids] for name, guids in change.files.items()},
                step=change.step,
                changes=change.changes,
            )
            for change in report.changes
        ],
        cabling=report.cabling,
        adaptive=report.adaptive,
        failures=report.failures,
        cut_off=report.cut_off,
        hot=report.hot,
        measured=structure_row(report.measured) if report.measured else None,
        suspects=culprits_row(report.explained[1]) if report.explained else None,
    )


def _engine(outcome: Outcome) -> ReportedEngine:
    bisection, shift = outcome.bisection, outcome.shift
    other = outcome.other
    return ReportedEngine(
        label=outcome.label,
        engine_requested=outcome.variant.engine,
        engine_used=outcome.used,
        refusals=outcome.routes.refusals,
        verify=ReportedProofs(hosts=_proof(outcome.verify.hosts), all=_proof(outcome.verify.all)),
        bisection=None if bisection is None else _prediction(bisection),
        shift=None if shift is None else _shifts(shift),
        own_order=None if other is None else ReportedOrder(other.order, _shifts(other.shift)),
    )


def _shifts(found: Summary) -> ReportedShifts:
    return ReportedShifts(**msgspec.structs.asdict(_prediction(found)), words=found.words)


def _proof(proof: Proof) -> ReportedProof:
    return ReportedProof(
        pairs=proof.pairs,
        lost=proof.lost,
        avoidable=proof.avoidable,
        verdicts=Verdicts(**proof.verdicts),
        credit_loops=proof.credit_loops,
        balance=LinkBalance(**proof.balance._asdict(), forced=proof.forced),
    )


def _prediction(found: Summary) -> ReportedPrediction:
    return ReportedPrediction(
        patterns=found.patterns,
        flows=found.flows,
        unrouted=found.unrouted,
        skipped=found.skipped,
        relative_bandwidth=relative_bandwidth(found.relative_bandwidth),
        max_contention=found.max_contention,
        worst=found.worst,
        mean_max_contention=found.mean_max_contention,
        distribution=found.distribution,
    )
