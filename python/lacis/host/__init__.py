"""One host as its own kernel and libraries show it: adapters, PCIe, limits, MPI and the transport that it would use."""

from .described import DescribedHost, described

__all__ = ["DescribedHost", "described"]
