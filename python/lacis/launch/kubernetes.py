"""An MPIJob of the MPI Operator (`kubeflow.org/v2beta1`), whose ranks stand in an order of nodes.

The operator starts workers on whichever of the nodes the scheduler takes, and lists them by number in `/etc/mpi/hostfile`. Here
workers are bound to the nodes of the order, one on each; the launcher asks each on which node it is, and writes a list for
`--map-by seq` by that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import LacisError
from .order import check_names

if TYPE_CHECKING:
    from .order import RankOrder

ORDER_WORKERS = """\
cut -d' ' -f1 /etc/mpi/hostfile | cut -d: -f1 | while read -r worker; do
  echo "$(ssh -n "$worker" 'tr "\\0" "\\n" < /proc/1/environ | sed -n s/^NODE_NAME=//p') $worker"
done > /tmp/workers
while read -r node; do
  awk -v node="$node" '$1 == node { print $2 }' /tmp/workers
done < /etc/lacis/nodes > /tmp/hosts
"""
"""What the launcher runs first. A session of ssh has not the environment of its container, whose first process has it."""

_MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}-nodes
data:
  # The node of each rank.
  nodes: |
{ranks}
---
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: {name}
spec:
  slotsPerWorker: {each}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers:
          - name: launcher
            image: IMAGE
            command: [sh, -ec]
            args:
            - |
{script}
            volumeMounts:
            - {{name: nodes, mountPath: /etc/lacis}}
          volumes:
          - name: nodes
            configMap: {{name: {name}-nodes}}
    Worker:
      replicas: {workers}
      template:
        metadata:
          labels: {{ordered-by: {name}}}
        spec:
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchExpressions:
                  - key: kubernetes.io/hostname
                    operator: In
                    values:
{nodes}
            podAntiAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
              - topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels: {{ordered-by: {name}}}
          containers:
          - name: worker
            image: IMAGE
            env:
            - name: NODE_NAME
              valueFrom:
                fieldRef: {{fieldPath: spec.nodeName}}
"""


def mpijob(order: RankOrder, program: str = "PROGRAM", name: str = "ordered") -> str:
    """The manifest; `IMAGE` stands for the image of the job.

    Raises:
        LacisError: when it cannot hold a name, or when hosts have different numbers of ranks.
    """
    check_names(order.hosts, "an MPIJob")
    if order.per_host is None:
        raise LacisError("an MPIJob has as many slots on each worker, and these hosts have different numbers")
    script = f"{ORDER_WORKERS}mpirun --hostfile /tmp/hosts --map-by seq -n {len(order.hosts)} {program}"
    return _MANIFEST.format(
        name=name,
        ranks="\n".join(f"    {host}" for host in order.hosts),
        each=order.per_host,
        script="\n".join(f"              {line}" for line in script.splitlines()),
        workers=len(order.slots),
        nodes="\n".join(f'                    - "{host}"' for host in order.slots),
    )


def line(_: RankOrder, file: str) -> list[str]:
    """How to launch with it."""
    return ["kubectl", "apply", "-f", file]
