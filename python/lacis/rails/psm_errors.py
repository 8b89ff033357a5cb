"""The numbers of PSM2's errors, which its fatal texts end in: `(err=23)`.

From `psm_error.c` of opa-psm2; PSM3, of libfabric, has the same numbers.
"""

from __future__ import annotations

SHARED_MEMORY = (
    "Processes of one host could not share memory: /dev/shm is full, absent, not the same for all of them, or a process ended while the others attached.",
    "df /dev/shm on every host of the job; remove left-over files there that no process uses (psm2_shm.*, psm3_shm.*); one namespace for all processes of a host.",
)
"""Cause and fix."""
_CONTEXTS = (
    "fewer processes or endpoints a host: --mca btl ^ofi under Open MPI, whose btl/ofi takes a second context a process; PSM2_MULTI_EP=0; "
    "PSM2_SHAREDCONTEXTS=1; or more contexts (num_user_contexts of hfi1); end left-over processes. lacis rails check ENV --ppn N counts them."
)
_UNIT = "Name a unit that every host has (HFI_UNIT, PSM2_MULTIRAIL_MAP; PSM3_NIC), or none; opainfo or fi_info on that host."
_FABRIC = "opainfo on both hosts; the fabric manager of their plane; lacis rails doctor LOG FABRIC names the cables."

BY_NUMBER: tuple[tuple[int, str, str], ...] = (
    (3, "A function got a parameter that makes no sense: a variable with a value that PSM does not take, or a library of another release.",
     "The variable that the line names; one release of PSM, libfabric and MPI on every host."),
    (4, "No memory was left for PSM's buffers: the host is full, or the limit of locked memory is too low.",
     "ulimit -l unlimited; fewer processes a host."),
    (5, "PSM is used before it was initialised, or its initialisation failed.", "Look for an earlier line of PSM."),
    (6, "The program was built for another version of PSM than the one that it found.", "One release of PSM on every host."),
    (7, "The process could not be bound to a processor.", "The binding options of the launcher; HFI_NO_CPUAFFINITY=1 to leave it to the launcher."),
    (8, "PSM met what it does not expect: a fault of its own, of the adapter, or a peer that ended.",
     "Look for an earlier failure on another host; dmesg | grep hfi1; another release of PSM."),
    (9, *SHARED_MEMORY),
    (10, "The unit that was asked for is not there, or an option cannot be set.", _UNIT),
    (11, "The other processes did not answer in time: hosts that are down or not started, a cable, no route.", _FABRIC),
    (12, "The process opens more endpoints than PSM has.", "PSM2_MULTI_EP=1 where a program needs several; else one library at a time."),
    (13, "PSM is used after it was finalised.", "Look for an earlier failure."),
    (20, "The endpoint was closed.", "Look for an earlier failure."),
    (21, "No adapter was found: there is none, its driver is not loaded, or the process may not open it.",
     "modprobe hfi1; the rights of /dev/hfi1_0; the device in the container. Without such adapters: another provider (FI_PROVIDER)."),
    (22, "The unit that was asked for is not there.", _UNIT),
    (23, "The adapter could not be opened or set up: no free context, no link, or a unit of that number does not exist.", f"{_CONTEXTS} {_UNIT}"),
    (24, "An endpoint could not be closed in time.", "Look for an earlier failure."),
    (25, "No free context on the adapter.", _CONTEXTS),
    (26, "The adapter has no link to a network, or its link went down.", _FABRIC),
    (27, "The job's key is invalid.", "The launcher must give all processes one key: its own mpirun, or srun --mpi=pmix."),
    (28, "The endpoint ran out of what it needs: buffers, queues, contexts.", _CONTEXTS),
    (38, "The adapter reports a fault, or its network went down while the job ran.", "dmesg | grep hfi1; opainfo; the cable and both of its ports."),
    (39, "The adapter sees a network that contradicts itself: two ports with one LID, or a port that has moved.",
     "Two managers on one plane, or two planes that a cable joins by mistake: lacis rails FABRIC; opafabricinfo."),
    (40, "A connection failed, and PSM does not say why.", _FABRIC),
    (41, "The other process cannot be reached: planes that no cable joins, no route, or a link that is down.", _FABRIC),
    (43, "The two hosts have different byte orders or widths.", "One architecture in a job."),
    (44, "The two ends have different MTUs.", "One MTU on all ports: opainfo; MaxMTU of the virtual fabric in opafm.xml."),
    (45, "A message of another job arrived: the keys differ.", "The launcher must give all processes one key."),
    (46, "The two processes have releases of PSM that do not understand each other.", "One release of PSM on every host."),
    (47, "A connection began with data that makes no sense.", f"One release of PSM on every host. {_FABRIC}"),
    (48, "The connection exists already.", "Look for an earlier failure."),
    (49, "The network contradicts itself at a connection: most often two ports have one LID.", "Two managers on one plane: end one, or raise the priority of the other; opafabricinfo."),
    (50, "The two processes have different partition keys.", "PSM2_PKEY of the virtual fabric that both hosts are members of; the VirtualFabrics of opafm.xml."),
    (51, "No path could be asked for: the manager does not answer.", "opafabricinfo: is the fabric manager running? PSM2_PATH_REC=none does not ask it."),
    (60, "A request was not complete.", "Look for an earlier failure."),
    (61, "A message was longer than the buffer for it.", "A fault of the program: sender and receiver disagree about a size."),
    (70, "A reply to an active message is invalid.", "One release of PSM on every host."),
)  # fmt: skip
"""Number, cause and fix. 38 and 39 are not in PSM's own list; adapters report them."""
