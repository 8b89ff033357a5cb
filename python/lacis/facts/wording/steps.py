"""The words of steps of advice: what to do, why, and what it brings."""

from __future__ import annotations

from functools import singledispatch

from .. import steps as of
from ..advice import TablesFromFile
from .advice import purpose
from .dispatch import text
from .gains import sentence
from .suspects import evidence, negotiated, severity

_NAMED = 3
"""Suspects, and findings by where they are, that are named before the rest are counted."""


@text.register
def _(step: of.RunInstead) -> str:
    verb = "Load" if isinstance(step.alternative, TablesFromFile) else "Run"
    return f"{verb} {text(step.alternative)} instead of {step.base}"


@text.register
def _(step: of.MendErrors) -> str:
    more = len(step.where) - _NAMED
    named = ", ".join(step.where[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return f"Mend {named} ({step.code.lower().replace('_', ' ')})"


@text.register
def _(_: of.SearchInputs) -> str:
    return "Search what OpenSM can do with its own inputs, in about a minute"


@text.register
def _(step: of.PlugCables) -> str:
    number = len(step.cables)
    return f"Plug in the {number} missing {'cable' if number == 1 else 'cables'}"


@text.register
def _(step: of.LookAtSuspect) -> str:
    return f"Look at {step.suspect}"


@singledispatch
def why(step: of.Step) -> str:
    """Why a step is to be made, in sentences.

    Raises:
        NotImplementedError: when its kind has none, which a test rules out.
    """
    raise NotImplementedError(type(step).__name__)


@why.register
def _(step: of.RunInstead) -> str:
    sentences = [sentence(step.reasons), purpose(step.alternative)]
    if step.failures is not None:
        sentences.append(f"{text(step.failures)} (modelled)")
    if step.lanes is not None:
        sentences.append(f"It needs QoS and path records. {text(step.lanes)}")
    if step.ranks is not None:
        sentences.append(f"{text(step.ranks)} (modelled)")
    return " ".join(sentences)


@why.register
def _(step: of.MendErrors) -> str:
    subject = f"{step.where[0]}: " if len(step.where) > 1 else ""
    line = f"{subject}{step.first}. {step.advice}"
    return line[:1].upper() + line[1:] if not subject else line


@why.register
def _(_: of.SearchInputs) -> str:
    return (
        "Engines, roots, compute nodes and orders are tried. Those that keep every pair without a credit loop go through "
        "single failures, and the best becomes a bundle like the others."
    )


@why.register
def _(step: of.PlugCables) -> str:
    return f"The pattern of their peers says where they belong. Compared under {step.tables}."


@why.register
def _(step: of.LookAtSuspect) -> str:
    clauses = [
        f"It gets {severity(step, is_time=step.is_time)} (estimated)",
        evidence(step, is_time=step.is_time),
        negotiated(step.like, step.rate),
        f"cannot be distinguished from {_others(step.others)}" if step.others else "",
    ]
    return f"{'; '.join(filter(None, clauses))} (measured)."


def _others(names: tuple[str, ...]) -> str:
    more = len(names) - _NAMED
    return "; ".join(names[:_NAMED]) + (f"; and {more:,} more" if more > 0 else "")


def cable_list(step: of.PlugCables) -> str:
    """The cables to plug in, a line each."""
    return "\n".join(
        f"{one.node} port {one.port}  –  {one.far_node} port {one.far_port}" for one in step.cables
    )
