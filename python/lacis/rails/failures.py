"""Texts that libraries print when rails, planes and links fail: cause and fix of each.

PSM2's texts are from the sources of opa-psm2, Intel MPI's from the field reports; UCX's, NCCL's, OPX's, Open MPI's and
verbs' from issues of these projects.
"""

from __future__ import annotations

from dataclasses import dataclass

from .psm_errors import BY_NUMBER, SHARED_MEMORY


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
    """

    code: str
    stack: str
    fragments: tuple[str, ...]
    cause: str
    fix: str
    is_consequence: bool = False
    follows: tuple[str, ...] = ()


_ONE_RAIL = "HFI_UNIT=0 (one rail for all processes), or PSM2_MULTIRAIL=1 PSM2_MULTIRAIL_MAP=0:1,1:1 (both rails, in one order)"
_CONTEXTS = (
    "Fewer processes or endpoints a host: --mca btl ^ofi under Open MPI, whose btl/ofi takes a second context a process; PSM2_MULTI_EP=0, which takes one more, too; "
    "PSM2_SHAREDCONTEXTS=1; more contexts (num_user_contexts of hfi1); or both rails. End left-over processes. lacis rails check ENV --ppn N counts them."
)
_PSM = ("PSM2", "PSM3")
_LINK = "Look at both ports: lacis rails FABRIC for planes and rails, ibqueryerrors or opareport -o errors for the link."

FAILURES = (
    Known("PSM2_OTHER_SUBNET", "PSM2", ("trying to connect to a hfi", "on a different subnet"),
          "The two processes' first rails are on planes with different subnet prefixes, which no cable joins.", f"{_ONE_RAIL}."),
    Known("PSM2_NO_UNIT_ACTIVE", "PSM2", ("no hfi units are active",),
          "No adapter of this host has a link that the fabric manager has brought up.",
          "On that host: opainfo or hfi1stats; the cable, the switch port, the fabric manager. Leave the host out of the job."),
    Known("PSM2_NO_UNIT", "PSM2", ("no hfi units are available",),
          "The host has no adapter, or the driver hfi1 is not loaded.", "modprobe hfi1; dmesg | grep hfi1."),
    Known("PSM2_PORT_INACTIVE", "PSM2", ("unit/port:", "is not active"),
          "PSM2_MULTIRAIL_MAP names a port without a link on this host.",
          "Name ports that are active on every host (lacis rails check ENV FABRIC…), or leave the map out: PSM2_MULTIRAIL=1 takes active ones."),
    Known("PSM2_CANNOT_OPEN", "PSM2", ("can't open hfi unit",),
          "The adapter cannot be opened: HFI_UNIT names one that the host lacks, or all its contexts are in use.",
          f"HFI_UNIT of an active unit. {_CONTEXTS}"),
    Known("PSM2_SHARED_MEMORY", "PSM2", ("shared memory object in shm_open",), *SHARED_MEMORY),
    Known("PSM2_SHARED_MEMORY_NOT_SET_UP", "PSM2", ("psm could not set up shared memory",), *SHARED_MEMORY),
    Known("PSM2_DUPLICATE_LID", "PSM2", ("duplicate lid",),
          "Two ports of the plane have one LID.",
          "Two managers run on one plane, or a cable joins two planes: opafabricinfo on both hosts, lacis rails FABRIC. End one manager, and let the other assign all LIDs afresh."),
    Known("PSM2_NETWORK_DOWN", "PSM2", ("hardware problem", "network down"),
          "The adapter's link went down while the job ran.", "dmesg | grep hfi1 on that host; the cable and both of its ports: opareport -o errors."),
    Known("PSM2_UNIT_UNKNOWN", "PSM2", ("invalid device unit id",),
          "A unit of this number is not on the host: units count from 0.", "HFI_UNIT and PSM2_MULTIRAIL_MAP with units that every host has; opainfo lists them."),
    Known("PSM2_NO_CONTEXT_LEFT", "PSM2", ("available contexts on opa device",),
          "All contexts of the adapter are in use: one a process and endpoint is needed.", _CONTEXTS),
    Known("PSM3_CANNOT_OPEN", "PSM3", ("can't open nic unit",),
          "PSM3 has no NIC unit of that number that it can use: an interface without RDMA (USB, virtual, without a link) was taken for one.",
          "PSM3_NIC of an interface that has RDMA on every host, PSM3_DEVICES=self,shm on one host; or another provider: FI_PROVIDER=tcp or verbs."),
    Known("PSM3_NO_CPU_SET", "PSM3", ("failed to get", "(unit", "cpu set"),
          "An interface has no processors near it: it is no adapter on PCIe, and PSM3 tries it as a unit all the same.",
          "PSM3_NIC of the adapter that is meant; or another provider (FI_PROVIDER).", is_consequence=True),
    Known("PSM3_NO_UNIT", "PSM3", ("psm3", "no nic units are"),
          "PSM3 found no interface with RDMA and a link.", "ibv_devices; rdma link; or another provider: FI_PROVIDER=tcp."),
    Known("PSM2_NO_CONTEXT", "PSM2", ("assign_context command failed",),
          "No free context on the adapter: more processes than contexts, or left-over processes of another job hold them.",
          _CONTEXTS),
    Known("PSM2_CONNECT_TIMEOUT", "PSM2", ("unhandled/unknown connect error", "timed out"),
          "The other process cannot be reached from this rail: most often the two processes have opened units on different planes "
          "whose managers have the same subnet prefix, so that they look like one network.",
          f"{_ONE_RAIL}; give each plane's manager its own prefix."),
    Known("PSM2_CONNECT_ERROR", "PSM2", ("ep connect error", "unknown connect error"),
          "A connection between two processes failed; with \"Operation timed out\" before it, they are on planes that no cable joins, or a link is down.",
          f"{_ONE_RAIL}; lacis rails check ENV FABRIC… says between which hosts."),
    Known("PSM2_PKEY", "PSM2", ("pkey", "please use psm2_pkey"),
          "The partition key is not in the port's table, or the host is a limited member of it.",
          "PSM2_PKEY of the virtual fabric that the job may use; the VirtualFabrics of opafm.xml."),
    Known("PSM2_NO_LID", "PSM2", ("couldn't get lid",),
          "The port has no LID: no fabric manager has swept that plane since the link came up.", "Start the plane's fabric manager; opafabricinfo."),
    Known("OPX_NO_SELECTOR", "OPX", ("fi_opx_hfi_select",),
          "FI_OPX_HFI_SELECT makes no sense, or no selector in it is for this process.", "End it with `,default`; lacis rails check says what each selector does."),
    Known("OPX_NO_HFI", "OPX", ("opx", "no hfi", "found"),
          "OPX found no active adapter.", "opainfo on that host; the fabric manager of its plane."),
    Known("OPX_OPEN_FAILED", "OPX", ("opx", "unable to open", "hfi"),
          "OPX could not open a context on the adapter: it is not active, or has no free context.",
          "FI_OPX_HFI_SELECT of an active adapter; FI_OPX_CONTEXT_SHARING=1 where there are more processes than contexts (90 by default)."),
    Known("OPX_LINK_DOWN", "OPX", ("link", "down", "fi_opx"),
          "The adapter's link went down while the job ran.", _LINK),
    Known("IMPI_INJECT_FAILED", "Intel MPI", ("ofi tagged inject failed", "timed out"),
          "The provider below (PSM2) could not connect: processes have opened units on different planes, or a link is down.",
          f"{_ONE_RAIL}.", follows=_PSM),
    Known("IMPI_ADDRESS_VECTOR", "Intel MPI", ("ofi get address vector map failed",),
          "The provider below could not map the other processes' addresses: hosts with different adapters or providers, or units on different planes.",
          f"{_ONE_RAIL}; the same I_MPI_OFI_PROVIDER on every host.", follows=_PSM),
    Known("IMPI_NO_PROVIDER", "Intel MPI", ("no provider", "i_mpi_ofi_provider"),
          "The OFI provider that was asked for is absent.", "fi_info -l on every host; I_MPI_OFI_PROVIDER of one that is listed."),
    Known("IMPI_ADDRINFO", "Intel MPI", ("ofi addrinfo() failed",),
          "libfabric found no provider that fits: adapter or driver missing on a host, or FI_PROVIDER names another.", "fi_info -p psm2 (mlx, opx) on every host."),
    Known("OFI_GETINFO", "libfabric", ("fi_getinfo", "no data available"),
          "libfabric found no provider that fits what was asked for.", "fi_info on every host; FI_PROVIDER."),
    Known("OFI_TAGGED_SEND", "libfabric", ("ofi tagged send failed",),
          "A message could not be sent: the peer's link or process is gone, or the two are on planes that no cable joins.", f"{_LINK} {_ONE_RAIL}."),
    Known("UCX_RETRY", "UCX", ("transport retry count exceeded",),
          "The other side did not answer on this path for UCX_RC_TIMEOUT × UCX_RC_RETRY_COUNT: a link down or flapping, no route, or two devices on planes that no cable joins.",
          f"{_LINK} Name devices on one plane (UCX_NET_DEVICES); lacis rails check ENV FABRIC…."),
    Known("UCX_RNR", "UCX", ("rnr retry count exceeded",),
          "The receiver had no buffer posted for too long: its process hangs, or is out of memory.", "Look at that process, not at the fabric."),
    Known("UCX_NO_DEVICE", "UCX", ("network device", "is not available, please use one or more of"),
          "UCX_NET_DEVICES names a device that this host lacks, or whose port is down; UCX uses the others.",
          "Name devices that every host has: lacis rails env --stack ucx --use all FABRIC…."),
    Known("UCX_UNUSED", "UCX", ("unused env", "variable"),
          "UCX reads no variable of that name: a typing mistake, or another release.", "lacis rails check ENV says the nearest name."),
    Known("UCX_INVALID", "UCX", ("invalid value for", "ucx_"),
          "UCX could not read the value of a variable.", "ucx_info -cf shows what each takes."),
    Known("UCX_UNREACHABLE", "UCX", ("destination is unreachable",),
          "No device of this process has the peer's subnet prefix, or UCX_TLS leaves no transport between hosts.",
          "UCX_TLS=all and UCX_NET_DEVICES with a device on a plane that both hosts have."),
    Known("UCX_NO_TRANSPORT", "UCX", ("no active messages transport",),
          "UCX_TLS and UCX_NET_DEVICES leave no transport between the two hosts.", "UCX_TLS=all; UCX_NET_DEVICES=all."),
    Known("UCX_NO_USABLE", "UCX", ("no usable transports/devices",),
          "UCX_TLS and UCX_NET_DEVICES leave no device on this host.", "UCX_TLS=all; UCX_NET_DEVICES=all; ucx_info -d."),
    Known("UCX_TIMED_OUT", "UCX", ("ucx", "endpoint timeout"),
          "The peer did not answer: link down, or its process has ended.", _LINK),
    Known("UCX_UD_TIMEOUT", "UCX", ("ud endpoint", "unhandled timeout"),
          "No answer on the unreliable transport: link down, no route, or planes that no cable joins.", _LINK),
    Known("UCX_CONNECTION_RESET", "UCX", ("connection reset by remote peer",),
          "The other process closed the connection: it ended or was killed.", "Look for the first failure on the other host.", is_consequence=True),
    Known("UCX_MEMLOCK", "UCX", ("please set max locked memory",),
          "The limit of locked memory is too low to register buffers.", "ulimit -l unlimited, in the resource manager's unit too."),
    Known("UCX_CREATE_CQ", "UCX", ("ibv_create_cq", "cannot allocate memory"),
          "No memory for completion queues: the limit of locked memory, or too many processes on one device.", "ulimit -l unlimited; fewer processes a device."),
    Known("NCCL_NO_DEVICE", "NCCL", ("net/ib : no device found",),
          "NCCL found no InfiniBand adapter that NCCL_IB_HCA allows, and uses TCP sockets: a fraction of the bandwidth.",
          "NCCL_IB_HCA with = before whole names, or unset; /dev/infiniband in the container."),
    Known("NCCL_SOCKET", "NCCL", ("using network socket",),
          "NCCL uses TCP sockets, not the fabric's adapters.", "NCCL_DEBUG=INFO says why above this line; NCCL_IB_DISABLE unset, NCCL_IB_HCA checked, libibverbs in the container."),
    Known("NCCL_RETRY", "NCCL", ("net/ib", "got completion", "status=12"),
          "IBV_WC_RETRY_EXC_ERR: the peer did not answer: link down or flapping, no route, or the two adapters are on planes that no cable joins.",
          f"NCCL_CROSS_NIC=0 and the same NCCL_IB_HCA on every host; {_LINK}"),
    Known("NCCL_RETRY_NAMED", "NCCL", ("net/ib", "ibv_wc_retry_exc_err"),
          "The peer did not answer: link down or flapping, no route, or the two adapters are on planes that no cable joins.",
          f"NCCL_CROSS_NIC=0 and the same NCCL_IB_HCA on every host; {_LINK}"),
    Known("NCCL_REMOTE_ACCESS", "NCCL", ("net/ib", "got completion", "status=10"),
          "IBV_WC_REM_ACCESS_ERR: the peer's memory was not registered as expected: another NCCL release there, or a fault of GPUDirect.", "One NCCL release in all containers; NCCL_NET_GDR_LEVEL=LOC to try without GPUDirect."),
    Known("NCCL_FLUSHED", "NCCL", ("net/ib", "got completion", "status=5"),
          "IBV_WC_WR_FLUSH_ERR: a consequence, as the queue pair failed before.", "Look for the first completion with another status.", is_consequence=True),
    Known("NCCL_LOCAL_QP", "NCCL", ("net/ib", "got completion", "status=4"),
          "IBV_WC_LOC_PROT_ERR: memory was not registered as the adapter needs it.", "nvidia-peermem loaded; NCCL_NET_GDR_LEVEL=LOC to try without GPUDirect."),
    Known("NCCL_ASYNC", "NCCL", ("net/ib", "got async event"),
          "The adapter reported an event: a port that went down, a queue pair that failed, a LID that changed.", _LINK),
    Known("NCCL_MODIFY_QP", "NCCL", ("ibv_modify_qp failed",),
          "A queue pair could not be connected: another link layer or GID index at the peer, no path, or a port that is down.",
          "NCCL_IB_GID_INDEX on RoCE; the same NCCL_IB_HCA on every host; no mixture of InfiniBand and Ethernet ports in it."),
    Known("NCCL_REG_MR", "NCCL", ("ibv_reg_mr", "failed"),
          "Memory could not be registered: the limit of locked memory, or GPUDirect without nvidia-peermem.", "ulimit -l unlimited; modprobe nvidia-peermem."),
    Known("NCCL_REFUSED", "NCCL", ("nccl", "connect to", "refused"),
          "The bootstrap over TCP is refused: another interface than meant, or the peer has ended.", "NCCL_SOCKET_IFNAME of the interface that all hosts share."),
    Known("NCCL_TIMED_OUT", "NCCL", ("nccl", "connect to", "timed out"),
          "The bootstrap over TCP times out: firewall, or another interface than meant.", "NCCL_SOCKET_IFNAME of the interface that all hosts share."),
    Known("NCCL_NO_SOCKET", "NCCL", ("bootstrap : no socket interface found",),
          "NCCL_SOCKET_IFNAME fits no interface of this host.", "NCCL_SOCKET_IFNAME by prefix (ib, eth), or =name for a whole name."),
    Known("NCCL_WATCHDOG", "PyTorch", ("watchdog caught collective operation timeout",),
          "A collective did not end in time: some rank is behind, has ended, or its link hangs.", "Find the rank that did not join (TORCH_NCCL_TRACE_BUFFER_SIZE, NCCL_DEBUG=INFO); then its host's link.", is_consequence=True),
    Known("NCCL_REMOTE_ERROR", "NCCL", ("ncclremoteerror",),
          "Another process or a network fault ended the call.", "Look for the first failure on the other hosts.", is_consequence=True),
    Known("NCCL_SYSTEM_ERROR", "NCCL", ("ncclsystemerror",),
          "A system call or a library below NCCL failed; the line before says which.", "NCCL_DEBUG=WARN shows it.", is_consequence=True),
    Known("NCCL_MISMATCH", "NCCL", ("nccl", "mismatched", "version"),
          "Processes run different NCCL releases.", "One container for all hosts."),
    Known("NCCL_CROSS_RAIL", "NCCL", ("rail-local", "nccl_ib_warn_rail_local"),
          "A connection goes to an adapter of another rail.", "NCCL_CROSS_NIC=0; lacis rails nccl FABRIC shows which step does."),
    Known("MVAPICH2_RETRY", "MVAPICH2", ("got completion with error", "code=0x"),
          "A work request failed; 12 (IBV_WC_RETRY_EXC_ERR) is a peer that does not answer on that rail.", f"MV2_IBA_HCA with the same order on every host; {_LINK}"),
    Known("MVAPICH2_NO_HCA", "MVAPICH2", ("no active hcas found",),
          "No adapter with a link on this host.", "ibstat on that host; the subnet manager."),
    Known("MVAPICH2_NO_PORT", "MVAPICH2", ("active ports could not be found",),
          "No port with a link on the adapters that MV2_IBA_HCA names.", "ibstat on that host; MV2_IBA_HCA."),
    Known("OMPI_OPENIB_RETRY", "Open MPI", ("from", "to:", "error polling", "with status retry exceeded"),
          "openib: the other host did not answer: a link down or flapping, no route, or adapters on planes that no cable joins.",
          f"{_LINK} lacis rails doctor LOG FABRIC names the cables that the pairs of hosts share."),
    Known("OMPI_OPENIB_RNR", "Open MPI", ("from", "to:", "error polling", "with status receiver not ready"),
          "openib: the receiver had no buffer posted for too long: its process hangs, or is out of memory.", "Look at that process, not at the fabric."),
    Known("OMPI_OPENIB_FLUSHED", "Open MPI", ("from", "to:", "error polling", "with status work request flushed"),
          "openib: a consequence, as the queue pair failed before.", "Look for the first completion with another status.", is_consequence=True),
    Known("OMPI_RETRY_COUNT", "Open MPI", ("retry count between two mpi processes has been exceeded",),
          "openib: the other host did not answer as often as it was asked.", "Look for the lines with \"from … to:\", which name the hosts.", is_consequence=True),
    Known("OMPI_OFI_FAILED", "Open MPI", ("open mpi failed an ofi libfabric library call",),
          "libfabric's provider failed below Open MPI.", "Look for the provider's own line before this one; or another provider (FI_PROVIDER, --mca mtl ^ofi).",
          is_consequence=True),
    Known("OMPI_PSM_ENDPOINT", "Open MPI", ("psm2 was unable to open an endpoint",),
          "PSM2 could not open the adapter.", f"Look for PSM2's own line before this one; opainfo. {_CONTEXTS}", follows=_PSM),
    Known("OMPI_NO_BTL", "Open MPI", ("at least one pair of mpi processes are unable to reach each other",),
          "No transport joins two processes.", "The same adapters and pml on every host; --mca pml ucx (cm for PSM2)."),
    Known("OMPI_SUBNETS", "Open MPI", ("default subnet", "gid prefix"),
          "Several ports are active and their planes all have the default subnet prefix: Open MPI does not know which reach each other.",
          "Give each plane's manager its own subnet prefix (opensm.conf subnet_prefix)."),
    Known("OMPI_NO_DEVICE_PARAMS", "Open MPI", ("no device parameters were found for your device",),
          "Open MPI's openib does not know the adapter.", "--mca pml ucx."),
    Known("OMPI_PML_ADD", "Open MPI", ("pml add procs failed",),
          "The transport could not reach the other processes.", "Look for the library's own line before this one.", is_consequence=True),
    Known("OMPI_UCX_WIREUP", "Open MPI", ("error: ucp_ep_create", "failed"),
          "UCX could not make a connection.", "Look for UCX's own line before this one.", is_consequence=True),
    Known("VERBS_RETRY", "verbs", ("ibv_wc_retry_exc_err",),
          "The peer did not answer: link down or flapping, no route, or planes that no cable joins.", _LINK),
    Known("VERBS_VENDOR_129", "verbs", ("vendor err 129",),
          "Retries exceeded on a Mellanox adapter: the peer did not answer.", _LINK, is_consequence=True),
    Known("VERBS_PORT_ERR", "kernel", ("port", "link", "ib_event_port_err"),
          "A port lost its link.", _LINK),
    Known("MLX5_LINK_DOWN", "kernel", ("mlx5_core", "link down"),
          "An adapter lost its link.", _LINK),
    Known("HFI1_LINK_DOWN", "kernel", ("hfi1_", "link down"),
          "An adapter lost its link.", _LINK),
    Known("MEMLOCK", "system", ("locked memory", "limit"),
          "The limit of locked memory is too low.", "ulimit -l unlimited, in the resource manager's unit too."),
    Known("OOM_KILLED", "system", ("out of memory", "killed process"),
          "The kernel ended a process, as memory ran out.", "Not the fabric: less memory a process, or fewer processes."),
    Known("SLURM_OOM", "Slurm", ("oom-kill event",),
          "The job took more memory than it had asked for.", "Not the fabric: --mem."),
    Known("SLURM_NODE_FAIL", "Slurm", ("due to node failure",),
          "A host failed while the job ran.", "Its console and link: lacis rails FABRIC --host NAME."),
    Known("SLURM_TIME", "Slurm", ("due to time limit",),
          "The job was ended at its time limit: too short, or it hung before.", "Look for the last progress before it.", is_consequence=True),
)  # fmt: skip
"""Known failures; a line with the texts of several counts for all."""

GENERAL = (
    *(Known(f"PSM2_ERROR_{number}", "PSM2", (f"(err={number})",), cause, fix) for number, cause, fix in BY_NUMBER),
    Known("OMPI_OPENIB_COMPLETION", "Open MPI", ("from", "to:", "error polling", "with status"),
          "openib: a work request failed with the status that the line names.", _LINK),
    Known("PSM2_ERROR", "PSM2", ("(err=",), "PSM2 ended the process, for what the line says.", "The line itself; dmesg | grep hfi1; opainfo on that host."),
)  # fmt: skip
"""Failures of a line that has none of the texts above: the first of these."""

HARMLESS = (
    ("algbw", "busbw", "error"), ("out of bounds values", ": 0 ok"), ("no error",), ("no errors",), (" 0 error",), ("errors: 0",),
    ("errors = 0",), ("errors=0",), ("error_count: 0",), (" 0 failed",), ("failures: 0",), ("nccl_async_error_handling",), ("error_handling", "="),
    ("errors on", ": none"), ("timeout", "set to"), ("net/plugin",), ("tuner/plugin",), ("profiler/plugin",), ("libnccl-net",),
)  # fmt: skip
"""Texts of lines with a word of errors that report none."""

TROUBLE = (
    "error", "fail", "fatal", "abort", "timed out", "timeout", "time out", "unable to", "cannot", "can't", "could not",
    "couldn't", "unreachable", "refused", "segmentation fault", "segfault", "bus error", "panic", "killed", "exception",
    "not active", "no such device", "nccl warn", "problem:", "invalid", "exceeded", "ran out of", "no such file", "duplicate lid", "mismatch", "not found",
    "permission denied", "corrupt", "core dumped", "caught signal", "undefined symbol", "traceback", "lost connection", "(err=", "disconnected", "bad termination",
)  # fmt: skip
"""Words of errors, which other lines may have too."""
