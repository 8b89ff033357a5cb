"""What UCX prints when adapters, links and peers fail.

From issues of UCX; the texts of completions with a syndrome are those of its transports for mlx5.
"""

from __future__ import annotations

from .known import LINK, MEMORY, PEER, Known

FAILURES = (
    Known("UCX_RETRY", "UCX", ("transport retry count exceeded",),
          "The other side did not answer on this path for UCX_RC_TIMEOUT × UCX_RC_RETRY_COUNT: a link down or flapping, no route, or two devices on planes that no cable joins.",
          f"{LINK} Name devices on one plane (UCX_NET_DEVICES); lacis rails check ENV FABRIC…."),
    Known("UCX_RNR", "UCX", ("rnr retry count exceeded",),
          "The receiver had no buffer posted for too long: its process hangs, or is out of memory.", "Look at that process, not at the fabric.",
          also=(("receive-no-ready retry count exc",),)),
    Known("UCX_NO_DEVICE", "UCX", ("network device", "is not available, please use one or more of"),
          "UCX_NET_DEVICES names a device that this host lacks, or whose port is down; UCX uses the others.",
          "Name devices that every host has: lacis rails env --stack ucx --use all FABRIC…."),
    Known("UCX_UNUSED", "UCX", ("unused env", "variable"),
          "UCX reads no variable of that name: a typing mistake, or another release.", "lacis rails check ENV says the nearest name."),
    Known("UCX_INVALID", "UCX", ("invalid value for", "ucx_"),
          "UCX could not read the value of a variable.", "ucx_info -cf shows what each takes."),
    Known("UCX_NO_TRANSPORT", "UCX", ("no active messages transport",),
          "UCX_TLS and UCX_NET_DEVICES leave no transport between the two hosts.", "UCX_TLS=all; UCX_NET_DEVICES=all."),
    Known("UCX_NO_USABLE", "UCX", ("no usable transports/devices",),
          "UCX_TLS and UCX_NET_DEVICES leave no device on this host.", "UCX_TLS=all; UCX_NET_DEVICES=all; ucx_info -d."),
    Known("UCX_TIMED_OUT", "UCX", ("ucx", "endpoint timeout"),
          "The peer did not answer: link down, or its process has ended.", LINK),
    Known("UCX_UD_TIMEOUT", "UCX", ("ud endpoint", "unhandled timeout"),
          "No answer on the unreliable transport: link down, no route, or planes that no cable joins.", LINK),
    Known("UCX_CONNECTION_RESET", "UCX", ("connection reset by remote peer",),
          "The other process closed the connection: it ended or was killed.", "Look for the first failure on the other host.", is_consequence=True),
    Known("UCX_MEMLOCK", "UCX", ("please set max locked memory",),
          "The limit of locked memory is too low to register buffers.", "ulimit -l unlimited, in the resource manager's unit too."),
    Known("UCX_CREATE_CQ", "UCX", ("ibv_create_cq", "cannot allocate memory"),
          "No memory for completion queues: the limit of locked memory, or too many processes on one device.", "ulimit -l unlimited; fewer processes a device."),
    Known("UCX_REMOTE_ACCESS", "UCX", ("remote access on", "(synd"),
          "The peer's memory was not registered as expected, or no longer: its process has freed it or ended.", PEER, also=(("remote access (synd",),)),
    Known("UCX_REMOTE_OPERATION", "UCX", ("remote qp on", "(synd"),
          "The peer's adapter could not finish the operation.", PEER, also=(("remote op on", "(synd"), ("remote qp (synd",))),
    Known("UCX_REMOTE_REQUEST", "UCX", ("invalid request on", "(synd"),
          "The peer's adapter refused the request: the two processes do not agree about a buffer, or run different releases.", PEER, also=(("invalid request (synd",),)),
    Known("UCX_LOCAL_OPERATION", "UCX", ("local qp operation on", "(synd"),
          "The adapter could not carry out a request of its own process: a device or a driver that does not do what UCX takes it to do, or a process that runs twice.",
          "Another transport (UCX_TLS=ud, or rc in place of dc) to tell; the releases of UCX, of the driver and of the firmware.", also=(("local qp operation (synd",),)),
    Known("UCX_LOCAL_PROTECTION", "UCX", ("local protection on", "(synd"),
          "Memory was not registered as the adapter needs it.", MEMORY, also=(("local protection (synd",),)),
    Known("UCX_REMOTE_ABORTED", "UCX", ("remote side aborted", "(synd"),
          "The other process gave the operation up, or ended.", "Look for the first failure on the other host.", is_consequence=True),
    Known("UCX_FLUSHED", "UCX", ("wr flushed because qp in error state",),
          "A consequence, as the queue pair failed before.", "Look for the first completion with another text.", is_consequence=True),
    Known("UCX_NO_SUCH_TRANSPORT", "UCX", ("ucx", "transport", "not available, please use one or more of"),
          "UCX_TLS names a transport that this build of UCX or this host lacks; UCX uses the others.", "UCX_TLS with names that the line lists, on every host; ucx_info -d."),
    Known("UCX_DEVX", "UCX", ("mlx5dv_devx_", "failed"),
          "The adapter's firmware refused to make or change a queue: it has no more of them, or is older than UCX expects.",
          "Fewer processes a device; the releases of UCX and of the firmware; UCX_IB_MLX5_DEVX=n to try without."),
)  # fmt: skip
"""Each line counts for all whose texts it has."""
