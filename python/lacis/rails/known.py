"""A failure that is known by its texts, and phrases that many of their fixes share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A failure that is recognised by its text.

    Attributes:
        code: a stable name.
        stack: the program that prints it.
        fragments: texts that occur in one line in this order, ignoring letter case.
        cause: what is the case.
        fix: what to do.
        is_consequence: whether another failure is the cause, which may be in the log too.
        follows: stacks whose failures, where the log has one, are the cause.
        also: other texts of the same failure, each as `fragments` are: what other releases print.
    """

    code: str
    stack: str
    fragments: tuple[str, ...]
    cause: str
    fix: str
    is_consequence: bool = False
    follows: tuple[str, ...] = ()
    also: tuple[tuple[str, ...], ...] = ()

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """All texts."""
        return (self.fragments, *self.also)


ONE_RAIL = "HFI_UNIT=0 (one rail for all processes), or PSM2_MULTIRAIL=1 PSM2_MULTIRAIL_MAP=0:1,1:1 (both rails, in one order)"
CONTEXTS = (
    "Fewer processes or endpoints a host: --mca btl ^ofi under Open MPI, whose btl/ofi takes a second context a process; PSM2_MULTI_EP=0, which takes one more, too; "
    "PSM2_SHAREDCONTEXTS=1; more contexts (num_user_contexts of hfi1); or both rails. End left-over processes. lacis rails check ENV --ppn N counts them."
)
PSM = ("PSM2", "PSM3")
LINK = "Look at both ports: lacis rails FABRIC for planes and rails, ibqueryerrors or opareport -o errors for the link."
PEER = "Look for an earlier failure on the other host; one release of the library in all processes."
MEMORY = "nvidia-peermem loaded, or DMA-BUF; NCCL_NET_GDR_LEVEL=LOC (UCX_IB_GPU_DIRECT_RDMA=n) to try without GPUDirect."
