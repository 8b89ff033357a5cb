"""Environments as sites write them: what is set, by shells, launchers, module files and containers."""

from __future__ import annotations

import random

import pytest
from lacis.rails import environment


def test_environments_are_read_as_shells_and_launchers_mean_them() -> None:
    text = r"""#!/bin/bash
#SBATCH --export=ALL,A=1,MAP=0:1,1:1
#SBATCH --job-name=x
# export NOT=1
export B="two words"   # a comment
C=3 D='4' srun ./a.out
setenv E 5
declare -x F=6; export G=$B H=${MISSING} I=${MISSING:-9}
mpirun -n 4 -x J=10 -x K -genv L 12 -genv M=13 \
   --mca btl self -env N 14 ./a.out P=16
mpirun_rsh -np 4 O=15 ./a.out
unset D
env Q=17 R=18 ./a.out
export A=2
"""
    found = environment.read(text)
    values = {name: found.get(name) for name in found.variables}
    assert values == {
        "A": "2",
        "MAP": "0:1,1:1",
        "B": "two words",
        "C": "3",
        "E": "5",
        "F": "6",
        "G": "two words",
        "H": None,
        "I": "9",
        "J": "10",
        "L": "12",
        "M": "13",
        "N": "14",
        "P": "16",
        "O": "15",
        "Q": "17",
        "R": "18",
    }
    lines = {name: found.variables[name].line for name in ("A", "B", "M", "O")}
    assert lines == {"A": 14, "B": 5, "M": 9, "O": 11}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        # A module file in Lua, and in Tcl.
        (
            "-- -*- lua -*-\nsetenv(\"NCCL_IB_HCA\", \"mlx5_0,mlx5_1\")\npushenv('UCX_TLS', 'rc,sm') -- with a remark\n"
            'setenv("A", pathJoin(base, "x"))\nsetenv("B", "1")\nunsetenv("B")\nprepend_path("PATH", "/x")\n',
            {"NCCL_IB_HCA": "mlx5_0,mlx5_1", "UCX_TLS": "rc,sm", "A": None},
        ),
        ("#%Module1.0\nsetenv\tUCX_TLS\trc\npushenv A 1\nunsetenv A\n", {"UCX_TLS": "rc"}),
        (
            'import os\nos.environ["NCCL_IB_HCA"] = "=mlx5_0"  # one\nos.environ.setdefault(\'A\', "2")\nos.environ["B"] = str(3)\n',
            {"NCCL_IB_HCA": "=mlx5_0", "A": "2", "B": None},
        ),
        # Kubernetes: pairs; compose: a list, a mapping; names that no library has are not taken for variables.
        (
            '  env:\n  - name: NCCL_IB_HCA\n    value: "mlx5_0,mlx5_1"\n  - {name: A, value: 7}\n'
            "  - name: B\n    valueFrom: x\n  environment:\n    - UCX_TLS=rc\n    NCCL_DEBUG: INFO # loud\n    image: y\n",
            {"NCCL_IB_HCA": "mlx5_0,mlx5_1", "A": "7", "UCX_TLS": "rc", "NCCL_DEBUG": "INFO"},
        ),
        (
            '{"env_vars": {"UCX_TLS": "rc", "NCCL_IB_HCA": "mlx5_0"}}',
            {"UCX_TLS": "rc", "NCCL_IB_HCA": "mlx5_0"},
        ),
        ("FROM x\nENV A=1 B=2\nENV C two words\n", {"A": "1", "B": "2", "C": "two words"}),
        ("set -gx A 1\nset -x\nset -e\n", {"A": "1"}),
        # Launchers of containers and of machines, behind another command, and named by a variable.
        (
            'docker run --rm -e A=1,2 --env B=3 "-e" C=4 image\nsudo -E apptainer exec --env=D=5 i.sif a.out\n'
            "flux run -N2 --env=E=6 a.out\njsrun -n 6 -E F=7 a.out\n$MPIRUN -x G=8 a.out\n${MPI_RUN} -x H=9 a.out\n",
            {"A": "1,2", "B": "3", "C": "4", "D": "5", "E": "6", "F": "7", "G": "8", "H": "9"},
        ),
        (
            'OPTIONS="-x A=1 -x B=2,3"\nmpirun $OPTIONS -n 2 a.out\n',
            {"OPTIONS": "-x A=1 -x B=2,3", "A": "1", "B": "2,3"},
        ),
        ("export APPTAINERENV_A=1\nexport SINGULARITYENV_B=2\n", {"A": "1", "B": "2"}),
    ],
)
def test_module_files_programs_and_containers_set_variables_too(
    text: str, values: dict[str, str | None]
) -> None:
    found = environment.read(text)
    assert {name: found.get(name) for name in found.variables} == values


def test_what_env_prints_is_taken_as_it_stands() -> None:
    text = "PATH=/a:/b\nPS1=\\u $HOME # no comment\nBASH_FUNC_x%%=() {  y\n}\nHFI_SELECTION_ALG=Round Robin\n"
    found = environment.read(text)
    assert found.get("PS1") == "\\u $HOME # no comment"
    assert found.get("HFI_SELECTION_ALG") == "Round Robin"


@pytest.mark.parametrize("seed", range(3))
def test_what_is_set_is_found_again_and_no_text_is_too_odd(seed: int) -> None:
    rng = random.Random(seed)
    import shlex

    for _ in range(200):
        names = [f"V{n}" for n in range(rng.randrange(1, 6))]
        settings = {name: "".join(rng.choices("a1:, ='\"#;-\\", k=rng.randrange(8))) for name in names}
        script = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in settings.items())
        found = environment.read("cd /tmp\n" + script)
        assert {name: found.get(name) for name in names} == settings
        printed = "".join(f"{name}={value}\n" for name, value in settings.items())
        assert {name: environment.read(printed).get(name) for name in names} == settings
        noise = "".join(rng.choices("aA=$\"'`(){}\n\\#;&|- \x00é", k=300))
        environment.read(noise)


@pytest.mark.parametrize(
    ("script", "name", "value"),
    [
        ("mpirun -x NCCL_IB_HCA=mlx5_0,mlx5_1,mlx5_2 ./a", "NCCL_IB_HCA", "mlx5_0,mlx5_1,mlx5_2"),
        ("mpirun -x NCCL_IB_HCA==mlx5_0:1,mlx5_1:1 -x B=1 ./a", "NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1"),
        ("mpiexec -genv UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1 ./a", "UCX_NET_DEVICES", "mlx5_0:1,mlx5_1:1"),
        ("mpirun --mca mca_base_env_list 'A=1;NCCL_IB_HCA=x,y' ./a", "NCCL_IB_HCA", "x,y"),
        ("NCCL_DEBUG=INFO NCCL_IB_HCA='^=a,^=b' srun ./a", "NCCL_IB_HCA", "^=a,^=b"),
        ("UCX_TLS=ud NCCL_IB_HCA=a,b ./a", "NCCL_IB_HCA", "a,b"),
    ],
)
def test_a_list_is_one_value(script: str, name: str, value: str) -> None:
    assert environment.read(script).get(name) == value


def test_slurms_export_ends_a_value_at_a_comma_and_it_is_said() -> None:
    read = environment.read("srun --export=ALL,NCCL_IB_HCA=mlx5_0,mlx5_1 ./a")
    assert read.get("NCCL_IB_HCA") == "mlx5_0"
    assert any("mlx5_1 is then a variable's name" in note for note in read.notes)


@pytest.mark.parametrize(
    ("script", "processes"),
    [
        ("mpirun -ppn 48 ./a", 48),
        ("#SBATCH --ntasks-per-node=24\nsrun ./a", 24),
        ("mpirun --map-by ppr:12:node ./a", 12),
        ("SLURM_TASKS_PER_NODE=36(x20)\n", 36),
        ("SLURM_TASKS_PER_NODE=36(x20),4\n", None),
        ("mpirun -n 4 ./a", None),
    ],
)
def test_processes_a_host_are_read_from_launchers_and_schedulers(script: str, processes: int | None) -> None:
    assert environment.read(script).processes == processes
