"""What libraries do with rails: maps as PSM2 parses them, which adapters connect."""

from __future__ import annotations

import ctypes
import random

import pytest
from lacis.errors import LacisError
from lacis.rails import check, environment, hosts, nccl, opx, psm2, ucx, variables
from lacis.rails.contexts import Limits
from lacis.rails.failures import FAILURES
from lacis.rails.failures_general import DOUBTFUL, GENERAL


def env(**settings: str) -> environment.Environment:
    return environment.read("", settings)


def test_assumed_hosts_have_the_adapters_that_are_named() -> None:
    def assumed(**settings: str) -> tuple[int, list[str]]:
        one = env(**settings)
        return check.named_units(one), check.named_devices(one)

    assert assumed(NCCL_IB_HCA="mlx5_bond_0,mlx5_bond_1:1") == (0, ["mlx5_bond_0", "mlx5_bond_1"])
    assert assumed(NCCL_IB_HCA="=mlx5_3,rocep1s0f0") == (4, ["rocep1s0f0"])
    assert assumed(NCCL_IB_HCA="^mlx5_bond_0") == (0, [])
    assert assumed(NCCL_IB_HCA="mlx5") == (0, [])
    # eth0 is an interface, as it has no port.
    assert assumed(UCX_NET_DEVICES="bnxt_re0:1,eth0,mlx5_1:1") == (2, ["bnxt_re0"])
    assert assumed(MV2_IBA_HCA="mlx4_0:mlx4_1") == (0, ["mlx4_0", "mlx4_1"])
    # A list of those to leave out is of hosts that have others.
    assert assumed(NCCL_IB_HCA="^mlx5_0,mlx5_1") == (3, [])
    assert assumed(NCCL_IB_HCA="^=mlx5_1,^=mlx5_3") == (4, [])
    assert assumed(UCX_NET_DEVICES="^mlx5_0:1") == (2, [])
    [host] = hosts.assumed(3, 1, "infiniband", devices=["mlx5_bond_0"])
    assert [str(adapter) for adapter in host.adapters] == ["mlx5_bond_0:1", "mlx5_0:1", "mlx5_1:1"]


def test_adapters_are_of_omni_path_where_settings_name_them_so() -> None:
    assert check.technology_of([], env(MV2_IBA_HCA="hfi1_0", MV2_NUM_HCAS="2")) == "omni-path"
    assert check.technology_of([], env(UCX_NET_DEVICES="hfi1_0:1,hfi1_1:1")) == "omni-path"
    assert check.technology_of([], env(MV2_IBA_HCA="mlx5_0")) == "infiniband"
    assert check.technology_of([], env(NCCL_IB_HCA="mlx5_hfi1x")) == "infiniband"
    assert check.technology_of(hosts.assumed(1, 1, "infiniband"), env(MV2_IBA_HCA="hfi1_0")) == "infiniband"


def sscanf_map(text: str) -> list[tuple[int, int]]:
    """The loop of psmi_ep_multirail, with the C library's own sscanf."""
    libc = ctypes.CDLL(None)
    found: list[tuple[int, int]] = []

    def scan(rest: bytes, form: bytes) -> bool:
        unit, port = ctypes.c_int(), ctypes.c_int()
        if libc.sscanf(rest, form, ctypes.byref(unit), ctypes.byref(port)) != 2:
            return False
        found.append((unit.value, port.value))
        return True

    rest = text.encode()
    if scan(rest, b"%d:%d"):
        comma = rest.find(b",")
        while comma >= 0:
            if not scan(rest[comma:], b",%d:%d") or len(found) == 4:
                break
            comma = rest.find(b",", comma + 1)
    return found


def test_a_map_is_parsed_as_the_c_library_does_it() -> None:
    rng = random.Random(7)
    texts = [
        "0:1,1:1",
        "0:1,0:1",
        "0:1,1:1,2:1,3:1,4:1",
        "0:1,",
        ",0:1",
        "",
        "0",
        "0:1;1:1",
        "0:1,x,1:1",
        " 0:1, 1:1",
        "0:1x,1:1",
    ]
    texts += ["".join(rng.choices("01:, x-", k=rng.randrange(12))) for _ in range(3000)]
    for text in texts:
        assert psm2.map_of(text)[0] == sscanf_map(text), repr(text)


@pytest.mark.parametrize(
    ("text", "left", "words"),
    [
        ("0:1,1:1", "", None),
        ("0:1,1:1,", ",", "ends in a comma"),
        ("0:1,x,1:1", "x,1:1", '"x" is no unit:port'),
        ("0:1,1:1,2:1,3:1,4:1", "4:1", "more than 4 rails"),
        ("0:1;1:1", ";1:1", '";1:1" is no unit:port'),
        ("one", "one", "begins with no unit:port"),
        ("0:1,0:1", "", "names 0:1 twice"),
    ],
)
def test_what_psm2_leaves_out_without_a_word_is_reported(text: str, left: str, words: str | None) -> None:
    assert psm2.map_of(text)[1] == left
    answer = psm2.remarks(env(PSM2_MULTIRAIL="1", PSM2_MULTIRAIL_MAP=text), [])
    assert [words in remark.text for remark in answer if words] == ([True] if words else [])


def two(planes: tuple[int, int], prefixes: tuple[int | None, int | None] = (None, None)) -> hosts.Kind:
    adapters = [
        hosts.Adapter(u, 1, f"hfi1_{u}", p, x, u, u + 1)
        for u, (p, x) in enumerate(zip(planes, prefixes, strict=True))
    ]
    return hosts.Kind(tuple(adapters))


def verdict(
    settings: environment.Environment, *kinds: hosts.Kind, stack: str = "psm2"
) -> tuple[str, int, int]:
    [one] = [
        b
        for b in check.check(settings, list(kinds), stack).between
        if len(kinds) == 1 or (b.a, b.b) == (kinds[0].names, kinds[1].names)
    ]
    return one.verdict, one.used, one.common


def test_the_two_networks_of_a_field_report_connect_as_reported() -> None:
    # EPCC, 2019: with no setting ranks on different units time out; either unit alone, or both, connect.
    apart = two((1, 2))
    assert verdict(env(), apart) == ("depends", 1, 2)
    for unit in ("0", "1"):
        assert verdict(env(HFI_UNIT=unit), apart) == ("connects", 1, 2)
    both = env(PSM2_MULTIRAIL="1", PSM2_MULTIRAIL_MAP="0:1,1:1")
    assert verdict(both, apart) == ("connects", 2, 2)
    # Each process on the units of its NUMA node: those on different sockets do not reach each other.
    assert verdict(env(PSM2_MULTIRAIL="2"), apart) == ("depends", 1, 2)
    # One plane: any unit reaches any other.
    assert verdict(env(), two((1, 1))) == ("connects", 1, 2)
    [failed] = [o.failure for o in check.check(env(), [apart], "psm2").between[0].outcomes if o.failure][:1]
    assert "PSM2 EP connect error" in failed.text
    assert "timed out" in failed.cause.lower()


def test_masters_on_different_subnets_are_fatal_and_a_slave_without_a_partner_is_silent() -> None:
    a = hosts.Kind(two((1, 2), (0x11, 0x12)).adapters, ("a1", "a2"))
    b = hosts.Kind(two((2, 1), (0x12, 0x11)).adapters, ("b1", "b2"))
    # Without a map rails are sorted by prefix: both begin on plane 1.
    assert verdict(env(PSM2_MULTIRAIL="1"), a, b) == ("connects", 2, 2)
    [failed] = (
        check.check(env(PSM2_MULTIRAIL="1", PSM2_MULTIRAIL_MAP="0:1,1:1"), [a, b], "psm2").between[1].outcomes
    )
    assert failed.failure is not None
    assert failed.failure.text == "Trying to connect to a HFI (subnet id - 11)on a different subnet - 12"
    # The second host has lost its adapter on plane 2.
    one = hosts.Kind(b.adapters[1:], ("c1", "c2"))
    assert verdict(env(PSM2_MULTIRAIL="1"), a, one) == ("fewer rails", 1, 1)


def test_psm2_on_infiniband_fails_with_its_text() -> None:
    [outcome] = (
        check.check(env(PSM2_MULTIRAIL="1"), hosts.assumed(2, 1, "infiniband"), "psm2").between[0].outcomes
    )
    assert outcome.failure is not None
    assert outcome.failure.text == "PSM2 no hfi units are available"


def test_a_map_with_a_port_that_is_down_fails_with_its_text() -> None:
    [outcome] = (
        check.check(env(PSM2_MULTIRAIL="1", PSM2_MULTIRAIL_MAP="0:1,2:1"), [two((1, 1))], "psm2")
        .between[0]
        .outcomes
    )
    assert outcome.failure is not None
    assert outcome.failure.text == "Unit/port: 2:1 is not active."


def test_ucx_devices_are_chosen_by_list_range_and_exclusion() -> None:
    host = hosts.assumed(4, 1, "infiniband")[0]

    def names(listed: str) -> list[str]:
        return [adapter.device for adapter in ucx.devices(listed, host)[0]]

    assert names("mlx5_2:1,mlx5_0:1") == ["mlx5_2", "mlx5_0"]
    assert names("mlx5_[1-3]:1") == ["mlx5_1", "mlx5_2", "mlx5_3"]
    assert names("^mlx5_0:1,mlx5_3:1") == ["mlx5_1", "mlx5_2"]
    assert names("all") == ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"]
    assert ucx.devices("mlx5_9:1,mlx5_0:1", host)[1] == ["mlx5_9:1"]
    assert verdict(env(), host, stack="ucx") == ("fewer rails", 2, 4)
    assert verdict(env(UCX_MAX_RNDV_RAILS="4"), host, stack="ucx") == ("connects", 4, 4)
    assert verdict(env(UCX_NET_DEVICES="mlx5_9:1"), host, stack="ucx") == ("fails", 0, 4)
    assert verdict(env(UCX_TLS="sm,self"), host, stack="ucx") == ("fails", 0, 4)


def test_ucx_pairs_devices_on_planes_that_look_like_one_network() -> None:
    # The second host's cables are exchanged; UCX pairs adapters of one number where prefixes do not distinguish them.
    a, b = (
        hosts.Kind(two(planes).adapters, names)
        for planes, names in (((1, 2), ("a", "c")), ((2, 1), ("b", "d")))
    )
    assert verdict(env(), a, b, stack="ucx") == ("fails", 0, 2)
    a, b = (
        hosts.Kind(two(planes, prefixes).adapters, names)
        for planes, prefixes, names in (
            ((1, 2), (0x11, 0x12), ("a", "c")),
            ((2, 1), (0x12, 0x11), ("b", "d")),
        )
    )
    assert verdict(env(), a, b, stack="ucx") == ("connects", 2, 2)


def test_nccl_takes_names_for_prefixes_unless_a_sign_says_otherwise() -> None:
    host = hosts.assumed(12, 1, "infiniband")[0]

    def names(listed: str) -> list[int]:
        return [adapter.unit for adapter in nccl.adapters(listed, host)]

    assert names("mlx5_1") == [1, 10, 11]
    assert names("=mlx5_1") == [1]
    assert names("^mlx5_1") == [0, *range(2, 10)]
    assert names("^=mlx5_1") == [0, *range(2, 12)]
    assert names("mlx5_2:1,mlx5_3:2") == [2]
    [answer] = nccl.remarks(env(NCCL_IB_HCA="mlx5_1"), [host])
    assert "mlx5_10, mlx5_11" in answer.text
    # The name of a driver is meant as a prefix.
    assert nccl.remarks(env(NCCL_IB_HCA="mlx5"), [host]) == []
    apart = hosts.assumed(2, 2, "infiniband")[0]
    assert verdict(env(NCCL_CROSS_NIC="0"), apart, stack="nccl") == ("connects", 2, 2)
    assert verdict(env(NCCL_CROSS_NIC="1"), apart, stack="nccl") == ("fails", 0, 2)


def test_opx_selectors_are_taken_apart_up_to_the_one_for_all() -> None:
    found, wrong = opx.selectors("numa:0:0-3,core:1:4,fixed:1")
    assert [(s.unit, s.processes) for s in found] == [(0, "numa 0 to 3"), (1, "core 4"), (1, "")]
    assert not wrong
    assert opx.selectors("numa:0")[1] == "numa:0"
    host = two((1, 2))
    assert verdict(env(FI_OPX_HFI_SELECT="1"), host, stack="opx") == ("connects", 1, 2)
    assert verdict(env(FI_OPX_HFI_SELECT="numa:0:0,numa:1:1"), host, stack="opx") == ("depends", 1, 2)
    assert verdict(env(FI_OPX_HFI_SELECT="3"), host, stack="opx") == ("fails", 0, 2)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("FI_OPX_TID_DISABLED", "FI_OPX_TID_DISABLE"),
        ("PSM2_MULTI_RAIL", "PSM2_MULTIRAIL"),
        ("psm2_multirail_map", "PSM2_MULTIRAIL_MAP"),
        ("UCX_NET_DEVICE", "UCX_NET_DEVICES"),
        ("NCCL_IB_HCAS", "NCCL_IB_HCA"),
        ("NCLL_IB_HCA", "NCCL_IB_HCA"),
        ("MV2_NUM_HCA", "MV2_NUM_HCAS"),
        ("I_MPI_FABRIC", "I_MPI_FABRICS"),
    ],
)
def test_a_name_that_no_stack_reads_is_reported_with_the_nearest(name: str, near: str) -> None:
    [answer] = check.unknown_variables(env(**{name: "1"}))
    assert (answer.severity, f"did you mean {near}?" in answer.text) == ("error", True), answer.text


def test_names_that_are_read_and_names_of_other_programs_are_not_reported() -> None:
    assert not check.unknown_variables(
        env(
            PATH="x",
            HOME="y",
            DEBUG="1",
            FILE="z",
            FIRST_RUN="1",
            OMP_NUM_THREADS="4",
            UCX_RC_MLX5_TX_QUEUE_LEN="1",
        )
    )
    names = [name for names in variables.STACKS.values() for name in names]
    assert len(names) == len(set(names))
    assert all(variables.family(name) for name in names)


@pytest.mark.parametrize("stack", check.STACKS)
@pytest.mark.parametrize("technology", check.TECHNOLOGIES)
def test_an_environment_that_is_printed_does_what_it_promises(stack: str, technology: str) -> None:
    for units in (1, 2, 3, 4):
        kinds = hosts.assumed(units, 1, technology)
        said = check.rules(stack, technology)
        if technology != said.TECHNOLOGY:
            with pytest.raises(LacisError, match="is for"):
                check.settings(stack, "all", kinds)
            continue
        for use in ("all", *map(str, range(1, units + 1))):
            made, chosen = check.settings(stack, use, kinds)
            [one] = check.check(made, kinds, stack).between
            wanted = 1 if stack == "opx" or use != "all" else units
            assert (one.verdict, one.used, len(chosen)) == ("connects", wanted, units if use == "all" else 1)
            assert not check.unknown_variables(made)


def test_failures_have_codes_and_texts_of_their_own() -> None:
    failures = [*FAILURES, *GENERAL, *DOUBTFUL]
    codes = [known.code for known in failures]
    assert len(codes) == len(set(codes))
    texts = [text for known in failures for text in known.texts]
    assert len(texts) == len(set(texts))
    assert all(
        known.cause and known.fix and all(part == part.lower() for text in known.texts for part in text)
        for known in failures
    )


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("1", 1),
        ("2", 2),
        ("0x1", 1),
        ("010", 8),
        (" 1", 1),
        ("1x", 0),
        ("1,2", 0),
        ("1 ", 0),
        ("", 0),
        ("yes", 0),
        ("-1", -1),
    ],
)
def test_psm2_takes_a_number_only_if_all_of_the_text_is_one(value: str, number: int) -> None:
    # C: strtol(text, &end, 0), and *end must be the end of the text.
    assert env(PSM2_MULTIRAIL=value).whole_number("PSM2_MULTIRAIL", 0) == number


@pytest.mark.parametrize(
    ("script", "contexts", "severity", "words"),
    [
        # Two adapters on one plane: 24 processes each, an endpoint each.
        ("HFI_UNIT=-1\nmpiexec -ppn 48 ./a", 24, "notice", "need 24 contexts"),
        ("PSM2_MULTI_EP=1\nmpiexec -ppn 48 ./a", 24, "error", "need 48 contexts"),
        ("PSM2_MULTI_EP=1\nmpiexec -ppn 48 ./a", 48, "notice", "and there are 48"),
        ("mpirun --mca btl ^ofi -ppn 48 ./a", 24, "notice", "1 endpoint"),
        ("mpirun --mca pml cm -ppn 48 ./a", 24, "warning", "need 48 contexts"),
        ("PSM2_SHAREDCONTEXTS=0\nmpiexec -ppn 64 ./a", 24, "error", "need 32 contexts"),
        ("PSM2_MULTIRAIL=1\nmpiexec -ppn 40 ./a", 40, "notice", "on each of 2 adapters"),
    ],
)
def test_contexts_are_counted_against_processes_and_endpoints(
    script: str, contexts: int, severity: str, words: str
) -> None:
    read = environment.read("export " + script if script.startswith(("HFI", "PSM2")) else script)
    checked = check.check(read, hosts.assumed(2, 1, "omni-path"), "psm2", Limits(contexts=contexts))
    [said] = [one for one in checked.remarks if "context" in one.text]
    assert (said.severity, words in said.text) == (severity, True), said


@pytest.mark.parametrize(
    ("devices", "transports", "verdict"),
    [
        ("eth0", "tcp", "tcp"),
        (None, "tcp,self,sm", "tcp"),
        ("ib0", "tcp", "tcp"),
        ("eth0", None, "tcp"),
        ("eth0", "rc", "fails"),
        ("mlx5_0:1", "tcp", "fails"),
        ("mlx5_0:1", "tcp,rc", "connects"),
        (None, "sm,self", "fails"),
        (None, "^rc,dc", "connects"),
        (None, "^ib", "tcp"),
    ],
)
def test_ucx_over_tcp_works_beside_the_adapters(
    devices: str | None, transports: str | None, verdict: str
) -> None:
    given = {"UCX_NET_DEVICES": devices, "UCX_TLS": transports}
    read = env(**{name: value for name, value in given.items() if value is not None})
    [one] = check.check(read, hosts.assumed(1, 1, "infiniband"), "ucx").between
    assert one.verdict == verdict
    if verdict == "tcp":
        assert one.used == 0


def test_mvapich2_on_omni_path_sends_by_psm2() -> None:
    read = env(MV2_IBA_HCA="mlx5_0", PSM2_MULTIRAIL="1")
    checked = check.check(read, hosts.assumed(2, 1, "omni-path"), "mvapich2")
    assert [(one.verdict, one.used) for one in checked.between] == [("connects", 2)]
    assert [(one.severity, one.name) for one in checked.remarks] == [("error", "MV2_IBA_HCA")]
    assert {one.name for one in checked.settings} == {"MV2_IBA_HCA", "PSM2_MULTIRAIL"}


@pytest.mark.parametrize(
    ("text", "stacks"),
    [
        ("PSM2_MULTIRAIL=1", ["psm2"]),
        ("FI_OPX_HFI_SELECT=0", ["opx"]),
        ("PSM2_MULTIRAIL=1\nFI_OPX_HFI_SELECT=0", ["psm2", "opx"]),
        ("PSM2_MULTIRAIL=1\nFI_OPX_HFI_SELECT=0\nFI_PROVIDER=opx", ["opx"]),
        ("HOME=/root", ["psm2"]),
    ],
)
def test_an_environment_is_for_every_stack_that_it_speaks_to(text: str, stacks: list[str]) -> None:
    assert check.stacks_of(environment.read(text), "omni-path") == stacks
