"""MPI libraries in the path, and the transport that each would use between hosts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..documents.host import MpiLibrary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..documents.host import HostAdapter
    from .tree import Tree

VARIABLES = (
    "OMPI_",
    "PMIX_",
    "PRTE_",
    "UCX_",
    "FI_",
    "PSM2_",
    "PSM3_",
    "HFI_",
    "MPICH_",
    "MPIR_",
    "MV2_",
    "I_MPI_",
    "NCCL_",
    "RCCL_",
)
"""What variables begin with that libraries of communication read."""
_UCX_OVER_VERBS = re.compile(r"Transport: (?:rc|dc|ud)(?:_|\b)")
_PROVIDERS = ("cxi", "opx", "psm2", "psm3", "efa", "verbs")
"""Providers of libfabric that use an adapter, the preferred first."""


def libraries(tree: Tree, found: Sequence[HostAdapter], variables: Mapping[str, str]) -> list[MpiLibrary]:
    """Open MPI and MPICH, as far as their own programs describe them."""
    has_verbs = bool(tree.names("dev/infiniband", r"uverbs\d+"))
    has_psm = bool(tree.names("dev", "hfi1.*")) and any(one.name.startswith("hfi1") for one in found)
    libraries = [
        _open_mpi(tree, variables, has_verbs=has_verbs, has_psm=has_psm),
        _mpich(tree, variables),
    ]
    return [one for one in libraries if one is not None]


def _open_mpi(
    tree: Tree, variables: Mapping[str, str], *, has_verbs: bool, has_psm: bool
) -> MpiLibrary | None:
    text = tree.output("ompi_info", "--parsable")
    if text is None:
        return None
    version = re.search(r"^ompi:version:full:(\S+)$", text, re.M)
    parts = dict.fromkeys(
        re.findall(r"^mca:(pml:ucx|mtl:psm2|mtl:ofi|btl:openib|btl:uct):version", text, re.M)
    )
    asks = variables.get("OMPI_MCA_pml", ""), variables.get("OMPI_MCA_btl", "")
    return MpiLibrary(
        name="Open MPI",
        version=version[1] if version else "",
        transports=[part.partition(":")[2] for part in parts],
        uses=_of_open_mpi(tree, set(parts), asks, variables, has_verbs=has_verbs, has_psm=has_psm),
    )


def _of_open_mpi(
    tree: Tree,
    parts: set[str],
    asks: tuple[str, str],
    variables: Mapping[str, str],
    *,
    has_verbs: bool,
    has_psm: bool,
) -> str:
    pml, btl = asks
    if has_psm and _allows(pml, "cm"):
        if "mtl:psm2" in parts:
            return "psm2"
        if "mtl:ofi" in parts and (provider := _provider(tree, variables)) not in ("", "tcp"):
            return provider
    if has_verbs and "pml:ucx" in parts and _allows(pml, "ucx"):
        if _is_tcp_alone(variables.get("UCX_TLS", "")):
            return "tcp"
        transports = tree.output("ucx_info", "-d")
        if transports is None or _UCX_OVER_VERBS.search(transports):
            return "ucx"
    if has_verbs and "btl:openib" in parts and _allows(btl, "openib"):
        return "openib"
    return "tcp"


def _allows(asked: str, name: str) -> bool:
    """Whether a list of components that Open MPI may use, or after `^` must not use, leaves it one."""
    listed = name in asked.removeprefix("^").split(",")
    return not listed if asked.startswith("^") else listed or not asked


def _mpich(tree: Tree, variables: Mapping[str, str]) -> MpiLibrary | None:
    text = tree.output("mpichversion")
    if text is None:
        return None
    version = re.search(r"^MPICH Version:\s*(\S+)", text, re.M)
    device = re.search(r"^MPICH Device:\s*(\S+)", text, re.M)
    netmod = device[1].partition(":")[2] if device else ""
    uses = _provider(tree, variables) if netmod == "ofi" else ""
    if netmod == "ucx":
        transports = tree.output("ucx_info", "-d")
        is_tcp = _is_tcp_alone(variables.get("UCX_TLS", ""))
        if is_tcp or (transports is not None and not _UCX_OVER_VERBS.search(transports)):
            uses = "tcp"
        elif transports is not None:
            uses = "ucx"
    return MpiLibrary("MPICH", version[1] if version else "", [netmod] if netmod else [], uses)


def _is_tcp_alone(transports: str) -> bool:
    """Whether a list of UCX's transports has TCP and no other between hosts."""
    names = {name.strip() for name in transports.split(",")} - {
        "",
        "self",
        "sm",
        "shm",
        "posix",
        "sysv",
        "cma",
        "xpmem",
        "knem",
    }
    return names == {"tcp"}


def _provider(tree: Tree, variables: Mapping[str, str]) -> str:
    """Libfabric's provider: the one that the environment names, else the first that uses an adapter; empty where not known."""
    asked = variables.get("FI_PROVIDER", "")
    if asked and not asked.startswith("^"):
        return (
            "tcp" if asked.split(",")[0].split(";")[0] in ("tcp", "sockets", "net") else asked.split(",")[0]
        )
    text = tree.output("fi_info", "-l")
    if text is None:
        return ""
    listed = set(re.findall(r"^(\w+):", text, re.M)) - set(asked.removeprefix("^").split(","))
    return next((name for name in _PROVIDERS if name in listed), "tcp")
