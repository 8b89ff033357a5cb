"""Variants, tried side by side."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from .. import _core
from ..sm.engines import OURS, OUTGROWING
from .outcome import Outcome, predictions, proofs

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric
    from .outcome import Predictions, Proofs
    from .variants import Variant

Key = TypeVar("Key")
Value = TypeVar("Value")


class _Once(Generic[Key, Value]):
    """Values that are computed once each, even if several threads ask at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[Key, Future[Value]] = {}

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed by the first that asks; the others wait for it."""
        with self._lock:
            is_mine = key not in self._values
            value = self._values.setdefault(key, Future())
        if is_mine:
            try:
                value.set_result(compute())
            except BaseException as error:
                value.set_exception(error)
                raise
        return value.result()


class Trials:
    """Variants that are tried side by side, as most engines use one core: the slow ones first.

    Where an engine falls back, or a fabric leaves no choice, several variants have the same tables, which are
    proved and predicted once.
    """

    def __init__(self, fabric: Fabric, groups: str) -> None:
        self._fabric = fabric
        self._groups = groups
        self._pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        self._begun: dict[str, Future[Outcome]] = {}
        self._proofs: _Once[tuple[bytes, str], Proofs] = _Once()
        self._predictions: _Once[bytes, Predictions] = _Once()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def begin(self, variants: list[Variant]) -> None:
        """Starts those that have not been started, by label."""
        for variant in sorted(variants, key=lambda variant: variant.engine not in (*OUTGROWING, *OURS)):
            if variant.label not in self._begun:
                self._begun[variant.label] = self._pool.submit(self._try, variant)

    def _try(self, variant: Variant) -> Outcome:
        routes = _core.route(self._fabric, variant.engine, **variant.options)
        tables = hashlib.blake2b(routes.table().data).digest()
        # The engine assigns lanes; only credit loops depend on them.
        engine = "" if routes.lane_census() is None else routes.engine_used
        proved = self._proofs.get((tables, engine), lambda: proofs(self._fabric, routes))
        predicted = self._predictions.get(tables, lambda: predictions(self._fabric, routes, self._groups))
        return Outcome(variant, routes, proved, *predicted)

    def outcomes(self, variants: list[Variant], progress: Callable[[str], None]) -> list[Outcome]:
        """The outcomes of variants that were begun, in the order given."""
        found = []
        for variant in variants:
            progress(f"engine {variant.label}")
            found.append(self._begun[variant.label].result())
        return found
