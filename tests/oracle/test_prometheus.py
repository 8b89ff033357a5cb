"""The exporter's page, rules and dashboard, in a real Prometheus 2.42 and its promtool."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import lacis as api
import pytest
from lacis.counters import FIELDS
from lacis.exporter import offered

from tests import counted
from tests.offering import page_of, served, sweeper_of

from . import opensm, prometheus
from .daemon import daemon

if TYPE_CHECKING:
    from lacis import Fabric

    from tests.conftest import Lacis


@pytest.fixture(autouse=True, scope="module")
def prometheus_installed() -> None:
    absent = prometheus.missing()
    if absent:
        reason = f"no {', '.join(absent)}: install the Debian package {prometheus.PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


HOSTILE = 'a "b\\n{} %d \\"\N{LATIN SMALL LETTER E WITH ACUTE}'
LONG = "x" * 64
"""As many bytes as a description can have, so that none is left for its end."""


def hostile_fabric(folder: Path) -> Fabric:
    """Two switches and an adapter, with descriptions that a file may have: quotes, escapes, a control character, no UTF-8."""
    text = (
        f'vendid=0x2c9\ndevid=0xcb20\nsysimgguid=0x1\nswitchguid=0x1(1)\nSwitch\t3 "S-0000000000000001"\t\t# "{HOSTILE}" enhanced port 0 lid 1 lmc 0\n'
        f'[1]\t"H-0000000000000002"[1](3) \t\t# "{LONG}" lid 2 4xHDR\n'
        '[2]\t"S-0000000000000004"[1] \t\t# "odd" lid 4 4xHDR\n\n'
        'vendid=0x2c9\ndevid=0xcb20\nsysimgguid=0x4\nswitchguid=0x4(4)\nSwitch\t3 "S-0000000000000004"\t\t# "o\x1b[31md\x07d\udcff" enhanced port 0 lid 4 lmc 0\n'
        f'[1]\t"S-0000000000000001"[2] \t\t# "{HOSTILE}" lid 1 4xHDR\n\n'
        f'vendid=0x2c9\ndevid=0x101b\nsysimgguid=0x2\ncaguid=0x2\nCa\t1 "H-0000000000000002"\t\t# "{LONG}"\n'
        f'[1](3) \t"S-0000000000000001"[1]\t\t# lid 2 lmc 0 "{HOSTILE}" lid 1 4xHDR\n'
    )
    file = folder / "hostile.ibnetdiscover"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    return api.read(file)


def configuration(folder: Path, target: str) -> str:
    """The configuration that comes with the exporter, with its rules beside it, and a scrape each second."""
    (folder / "lacis-rules.yml").write_text(offered.rules())
    return offered.configuration(target, 1)


def test_promtool_finds_nothing_to_say_about_the_page(tmp_path: Path) -> None:
    fabric = hostile_fabric(tmp_path)
    names = tuple(FIELDS)
    read = counted.unread(counted.read(fabric, 1e9, names=names), (4, 1, "timeout"))
    source = counted.Given(read)
    parts = page_of(fabric).parts(sweeper_of(source).swept, time.time_ns())
    done = prometheus.promtool("check", "metrics", cwd=tmp_path, given=b"".join(parts))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_promtool_takes_rules_and_configuration(tmp_path: Path, lacis: Lacis) -> None:
    (tmp_path / "lacis-rules.yml").write_text(lacis("exporter", "--rules").out)
    written = lacis("exporter", "--scrape-config", "--listen", "[::1]:9700", "--every", "10").out
    (tmp_path / "prometheus.yml").write_text(written)
    for words in (("check", "rules", "lacis-rules.yml"), ("check", "config", "prometheus.yml")):
        done = prometheus.promtool(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert 'targets: ["[::1]:9700"]' in written
    assert "scrape_interval: 10s" in written


@pytest.mark.slow
def test_a_real_prometheus_has_what_was_read_and_fills_every_panel(tmp_path: Path) -> None:
    fabric = hostile_fabric(tmp_path)
    now = time.time()
    values = {
        f"{LONG}[1]": {
            "XmitData": 2**61 + 2**13,
            "RcvData": 12,
            "SymbolErrors": 65535,
            "XmitWait": 2**32 - 1,
        },
    }
    read = counted.read(fabric, now, values, down=["o [31md d\ufffd[1]"])
    with served(page_of(fabric), sweeper_of(counted.Given(read))) as (host, port):
        target = f"{host}:{port}"
        with prometheus.running(tmp_path, configuration(tmp_path, target)) as server:
            server.awaited("count_over_time(lacis_sweeps_total[1m]) > 2")
            dashboard = json.loads(offered.dashboard().replace("$instance", ".*"))
            expressions = [one["expr"] for panel in dashboard["panels"] for one in panel["targets"]]
            assert len(expressions) > 10
            assert [one for one in expressions if not server.query(one)] == []

            def value(name: str) -> float:
                (row,) = server.query(f'{name}{{guid="0x0000000000000002",port="1"}}')
                return float(row["value"][1])

            # Prometheus holds numbers of 64 bits with 53 of them exact: 2^63 + 2^15 is one.
            assert value("lacis_port_transmitted_bytes_total") == 2**63 + 2**15
            assert value("lacis_port_received_bytes_total") == 48
            assert value("lacis_port_symbol_errors_total") == 65535
            assert value("lacis_port_state") == 4
            # 4 lanes of HDR carry 200 Gbit/s.
            assert value("lacis_port_rate_bytes_per_second") == 25e9
            (full,) = server.query('lacis_full_counters{counter="SymbolErrors"}')
            assert full["value"][1] == "1"
            info = {
                (row["metric"]["guid"], row["metric"]["port"]): row["metric"]
                for row in server.query("lacis_port_info")
            }
            one, other = "0x0000000000000001", "0x0000000000000004"
            assert info[one, "1"]["node"] == info[other, "1"]["peer"] == HOSTILE
            assert info[one, "1"]["peer"] == LONG
            assert (info[one, "1"]["peer_guid"], info[one, "1"]["peer_port"]) == ("0x0000000000000002", "1")
            # Neither what terminals obey nor what is no text is left of the third name.
            assert info[one, "2"]["peer"] == info[other, "1"]["node"] == "o [31md d\ufffd"
            assert {labels["instance"] for labels in info.values()} == {target}


@pytest.mark.slow
def test_alerts_fire_and_clear_once(tmp_path: Path) -> None:
    (tmp_path / "lacis-rules.yml").write_text(offered.rules())
    shutil.copy(Path(__file__).with_name("alerts.yml"), tmp_path)
    done = prometheus.promtool("test", "rules", "alerts.yml", cwd=tmp_path)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


@pytest.mark.slow
def test_counters_of_a_simulated_fabric_are_on_the_page_as_they_were_set(tmp_path: Path) -> None:
    fabric = api.read("fat-tree:4,2")
    leaf, guid = "S-0002c90200400000", "0x0002c90200400000"
    words, packets = 10**12, 10**6
    with daemon(opensm.as_simulated(fabric.to_net()), "minhop") as running:
        running.first()
        for field, number in (
            ("PortCounters.SymbolErrorCounter", 77),
            ("PortCounters.LinkDownedCounter", 13),
            ("PortCountersExtended.PortXmitData", words),
            ("PortCountersExtended.PortXmitPkts", packets),
        ):
            running._simulate(f'PerformanceSet "{leaf}"[3] {field}={number}')
        program = [sys.executable, "-c", "from lacis.cli import main; main()"]
        path = f"{running.env['PATH']}:/usr/sbin"
        subprocess.run(
            [*program, "exporter", "--discover", "--textfile", str(tmp_path / "lacis.prom")],
            env={**running.env, "PATH": path, "XDG_CACHE_HOME": str(tmp_path)},
            cwd=tmp_path,
            check=True,
        )
    page = (tmp_path / "lacis.prom").read_bytes()
    done = prometheus.promtool("check", "metrics", cwd=tmp_path, given=page)
    assert (done.returncode, done.stdout) == (0, b"")
    lines = dict(line.rsplit(" ", 1) for line in page.decode().splitlines() if not line.startswith("#"))

    def value(name: str) -> int:
        return int(lines[f'{name}{{guid="{guid}",port="3"}}'])

    assert value("lacis_port_symbol_errors_total") == 77
    assert value("lacis_port_link_downed_total") == 13
    # Each datagram that crosses a port of ibsim adds a packet and 72 words, those of the reader too.
    more = value("lacis_port_transmitted_packets_total") - packets
    assert more > 0
    assert value("lacis_port_transmitted_bytes_total") == 4 * (words + 72 * more)
    assert lines["lacis_sweep_ports"] == "32"
