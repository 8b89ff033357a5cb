"""Texts that say little: what a line counts for that has none of the known failures' texts, and which lines to pass over."""

from __future__ import annotations

from .known import CONTEXTS, LINK, MEMORY, PEER, Known
from .psm_errors import BY_NUMBER

GENERAL = (
    *(Known(f"PSM2_ERROR_{number}", "PSM2", (f"(err={number})",), cause, fix) for number, cause, fix in BY_NUMBER),
    Known("OMPI_OPENIB_COMPLETION", "Open MPI", ("from", "to:", "error polling", "with status"),
          "openib: a work request failed with the status that the line names.", LINK),
    Known("NCCL_COMPLETION", "NCCL", ("net/ib", "got completion"),
          "A work request failed with the status that the line names.", f"Statuses up to 8 are of this host, 9 to 11 of the peer, from 12 on of the way between. {LINK}"),
    Known("NCCL_EVENT", "NCCL", ("net/ib", "async", "event"),
          "The adapter reported the event that the line names. A LID or a manager that changed comes from the fabric's manager; a port that is active again had lost its link.",
          f"Was the manager restarted, or did another one take over? {LINK}"),
    Known("NCCL_GID_CHANGED", "NCCL", ("net/ib", "gid table changed"),
          "The addresses of a port have changed: of RoCE its interface was configured while the job ran.", "Let the interface be; one address a port, NCCL_IB_GID_INDEX unset."),
    Known("NCCL_VERBS", "NCCL", ("nccl warn", "call to ibv_", "failed"),
          "A call of libibverbs failed, for the reason that the line names.", "ibv_devinfo on that host, in the container too; ulimit -l unlimited."),
    Known("UCX_COMPLETION", "UCX", ("(synd 0x", "vend 0x"),
          "A work request failed, for the reason before the parenthesis.", f"Local ones are of this host, remote ones of the peer. {LINK}"),
    Known("VERBS_MODIFY_QP", "verbs", ("modify_qp", "failed"),
          "A queue pair could not be connected: another link layer or GID index at the peer, no path, or a port that is down.",
          f"On RoCE one GID index for all; devices of one kind and plane on every host. {LINK}", also=(("failed to modify qp",),)),
    Known("VERBS_REG_MR", "verbs", ("ibv_reg_mr", "failed"),
          "Memory could not be registered: the limit of locked memory, or GPUDirect without nvidia-peermem.", "ulimit -l unlimited; modprobe nvidia-peermem."),
    Known("VERBS_RETRY", "verbs", ("ibv_wc_retry_exc_err",),
          "The peer did not answer: link down or flapping, no route, or planes that no cable joins.", LINK,
          also=(("transport retry counter exceeded",),)),
    Known("VERBS_RNR", "verbs", ("rnr retry counter exceeded",),
          "The receiver had no buffer posted for too long: its process hangs, or is out of memory.", "Look at that process, not at the fabric."),
    Known("VERBS_REMOTE_ACCESS", "verbs", ("remote access error",),
          "The peer's memory was not registered as expected, or no longer.", PEER),
    Known("VERBS_REMOTE_REQUEST", "verbs", ("remote invalid request error",),
          "The peer's adapter refused the request: the two processes do not agree about a buffer.", PEER),
    Known("VERBS_REMOTE_OPERATION", "verbs", ("remote operation error",),
          "The peer's adapter could not finish the operation.", PEER),
    Known("VERBS_LOCAL_OPERATION", "verbs", ("local qp operation err",),
          "The adapter could not carry out a request of its own process.", "The releases of the library, of the driver and of the firmware; dmesg on that host."),
    Known("VERBS_LOCAL_PROTECTION", "verbs", ("local protection error",),
          "Memory was not registered as the adapter needs it.", MEMORY),
    Known("VERBS_LOCAL_LENGTH", "verbs", ("local length error",),
          "A message was longer than the buffer for it.", "A fault of the program, or different releases in the two processes."),
    Known("VERBS_FLUSHED", "verbs", ("work request flushed error",),
          "A consequence, as the queue pair failed before.", "Look for the first completion with another status.", is_consequence=True, also=(("wr_flush_err",),)),
    Known("VERBS_COMPLETION", "verbs", ("mlx5:", "got completion with error"),
          "libmlx5 prints a completion that failed, as numbers; the library above says which.", "Look for the library's own line.", is_consequence=True),
    Known("VERBS_VENDOR_129", "verbs", ("vendor err 129",),
          "Retries exceeded on a Mellanox adapter: the peer did not answer.", LINK, is_consequence=True,
          also=(("vendor_err=129",),)),
    Known("PSM2_USERINIT", "PSM2", ("hfi_userinit",),
          "The driver could not give or map a context: all are in use, or the limit of locked memory is too low.", f"{CONTEXTS} ulimit -l unlimited."),
    Known("IMPI_OFI", "MPICH", ("ofi ", "failed (ofi_"),
          "A call of the provider below failed, for the reason in parentheses.", "Look for the provider's own line; fi_info on that host.", is_consequence=True),
    Known("PSM2_ERROR", "PSM2", ("(err=",), "PSM2 ended the process, for what the line says.", "The line itself; dmesg | grep hfi1; opainfo on that host."),
    Known("MPI_ENDED", "MPI", ("mpi_errors_are_fatal",),
          "The program was ended, for a failure that the log has elsewhere.", "Look for the first failure above. Signal 9 is most often memory, 11 and 7 a fault of the program.", is_consequence=True,
          also=(("mpi_abort was invoked",), ("bad termination of one of your application processes",), ("aborting job",),
                ("mpirun", "exited on signal"), ("terminated normally, but",), ("it looks like mpi_init failed",), ("mtl is aborting the mpi job",))),
)  # fmt: skip
"""Failures of a line that has none of the texts above: the first of these."""

HARMLESS = (
    ("algbw", "busbw", "error"), ("out of bounds values", ": 0 ok"), ("nccl_async_error_handling",), ("error_handling", "="),
    ("errors on", ": none"), ("timeout", "set to"), ("net/plugin",), ("tuner/plugin",), ("profiler/plugin",), ("libnccl-net",), ("locked memory", "unlimited"),
    ("nccl info", "abort complete"), ("nccl info", "could not enable p2p"), ("failed to find nccl",), ("nccl info", "dlsym"), ("fi_opx_hfi_select=",),
    ("fi_getinfo: provider", "returned -61"), ("but your job may end up failing",), ("this error may indicate connectivity problems",),
)  # fmt: skip
"""Texts of lines with a word of errors that report none, or that belong to one above."""

QUIET = (
    ("ucx  debug",), ("ucx  trace",), ("ucx  diag",), ("ucx  info",), ("ucx  data",), ("ucx  func",), ("<info>",), ("<debug>",), ("<trace>",), ("nccl trace",),
)  # fmt: skip
"""Levels of lines that say what a library tries: where nothing of the above is in them, what fails there is no failure."""

DOUBTFUL = (
    Known("UCX_UNREACHABLE", "UCX", ("destination is unreachable",),
          "No device of this process has the peer's subnet prefix, or UCX_TLS leaves no transport between hosts.",
          "UCX_TLS=all and UCX_NET_DEVICES with a device on a plane that both hosts have."),
    Known("OFI_GETINFO", "libfabric", ("fi_getinfo", "no data available"),
          "libfabric found no provider that fits what was asked for.", "fi_info on every host; FI_PROVIDER."),
    Known("MEMLOCK", "system", ("locked memory", "limit"),
          "The limit of locked memory is too low.", "ulimit -l unlimited, in the resource manager's unit too."),
    Known("OPX_NO_SELECTOR", "OPX", ("fi_opx_hfi_select",),
          "FI_OPX_HFI_SELECT makes no sense, or no selector in it is for this process.", "End it with `,default`; lacis rails check says what each selector does."),
)  # fmt: skip
"""Failures of a line that has none of the texts above and no quiet level."""

TROUBLE = (
    "error", "fail", "fatal", "abort", "timed out", "timeout", "time out", "unable to", "cannot", "can't", "could not",
    "couldn't", "unreachable", "refused", "segmentation fault", "segfault", "bus error", "panic", "killed", "exception",
    "not active", "no such device", "nccl warn", "problem:", "invalid", "exceeded", "ran out of", "no such file", "duplicate lid", "mismatch", "not found",
    "permission denied", "corrupt", "core dumped", "caught signal", "undefined symbol", "traceback", "lost connection", "(err=", "disconnected", "bad termination",
    "ucx  warn", "ucx  fatal", "non-zero status", "exited on signal", "exited with exit code", "no route to host", "lost communication", "has lost", "not responding",
    "link down", "link is down", "port down", "broken pipe", "connection reset", "no space left", "backtrace ", "sigsegv", "sigbus", "out of memory",
    "oom-kill", "access violation", "catastrophic", "lid change", "memory shortage", "psm bug", "send context reset", "unexpected dapl",
    # What the C library and shells say in German and French.
    "fehler", "fehlgeschlagen", "nicht gefunden", "abgelehnt", "keine berechtigung", "speicherabzug", "nicht erreichbar", "zeitüberschreitung",
    "abgebrochen", "getötet", "kein weiterer speicher", "erreur", "échec", "échoué", "refusée", "introuvable", "segmentation (core",
)  # fmt: skip
"""Words of errors, which other lines may have too."""
