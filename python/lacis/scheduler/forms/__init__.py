"""The forms in which schedulers have topologies, one file each."""

from __future__ import annotations

from ...errors import LacisError
from . import flux, k8s_labels, pbs, slurm_block, slurm_tree, slurm_yaml, volcano
from .form import Details, Form, fitted

__all__ = ["FORMS", "Details", "Form", "fitted", "form_of"]

FORMS: dict[str, Form] = {
    one.FORM.name: one.FORM for one in (slurm_tree, slurm_yaml, slurm_block, k8s_labels, volcano, flux, pbs)
}
"""By name, as `--as` takes them."""


def form_of(text: str) -> Form:
    """The form of a text.

    Raises:
        LacisError: when it is of none.
    """
    for form in FORMS.values():
        if form.is_one(text):
            return form
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    raise LacisError("no topology in any form that is known: " + ", ".join(FORMS), text=first[:60])
