"""The one function that words a fact; the modules beside this one say how, kind by kind."""

from __future__ import annotations

from functools import singledispatch

from ..fact import Fact


@singledispatch
def text(fact: Fact) -> str:
    """A fact as a sentence without its full stop.

    Raises:
        NotImplementedError: when its kind has no words, which a test rules out.
    """
    raise NotImplementedError(type(fact).__name__)
