//! The real tools on ibsim take what is written here: `ibnetdiscover` finds the same fabric, and
//! OpenSM loads the tables. Skipped where the tools are missing; an error there with `CI=true`.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lacis_core::fabric::{Fabric, PortId};
use lacis_core::io;

/// An ibsim on a net file, ended when dropped.
struct Simulator {
    child: Child,
    name: String,
    dir: PathBuf,
    host: String,
}

impl Simulator {
    fn start(test: &str, fabric: &Fabric) -> Option<Self> {
        let missing = ["ibsim", "ibsim-run", "ibnetdiscover", "opensm"].into_iter().find(|tool| {
            let found = ["/usr/bin", "/usr/sbin"].iter().any(|dir| Path::new(dir).join(tool).exists());
            !found
        });
        if let Some(tool) = missing {
            assert!(std::env::var_os("CI").is_none_or(|v| v != "true"), "{tool} is not installed");
            eprintln!("skipped: {tool} is not installed");
            return None;
        }
        let name = format!("lacis-{test}-{}", std::process::id());
        let dir = std::env::temp_dir().join(&name);
        fs::create_dir_all(&dir).unwrap();
        let net = dir.join("fabric.net");
        fs::write(&net, io::net::write_with(fabric, io::net::WriteOptions { for_ibsim: true })).unwrap();
        let mut command = Command::new("ibsim");
        command.args(["-s", "-n"]).arg(&net).env("IBSIM_SOCKNAME", &name);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let host = fabric.end_nodes().next().unwrap();
        let simulator = Self { child, name, dir, host: fabric.node(host).id.to_string() };
        let start = Instant::now();
        while simulator.run("ibnetdiscover", &[]).is_empty() {
            assert!(start.elapsed() < Duration::from_secs(60), "ibsim does not load the file");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(simulator)
    }

    /// A command of infiniband-diags, or opensm, at the first host; its output.
    fn run(&self, command: &str, args: &[&str]) -> Vec<u8> {
        let mut run = Command::new("ibsim-run");
        run.arg(command).args(args).env("IBSIM_SOCKNAME", &self.name).env("SIM_HOST", &self.host);
        run.env("OSM_TMP_DIR", &self.dir).env("OSM_CACHE_DIR", &self.dir);
        run.output().unwrap().stdout
    }

    /// One sweep of OpenSM with fresh caches; the tables that it dumps.
    fn route(&self, args: &[&str]) -> Vec<u8> {
        let dump = self.dir.join("opensm-lfts.dump");
        for old in [dump.clone(), self.dir.join("guid2lid")] {
            let _ = fs::remove_file(old);
        }
        let (log, dir) = (self.dir.join("osm.log"), self.dir.to_str().unwrap());
        let fixed = ["-o", "-e", "-f", log.to_str().unwrap(), "--dump_files_dir", dir, "-D", "0x43"];
        self.run("opensm", &[&fixed[..], args].concat());
        fs::read(dump).unwrap()
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn corpus(name: &str) -> Fabric {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fabrics").join(name);
    io::read(&fs::read(path).unwrap()).unwrap().fabric
}

/// All that a simulation keeps: ids are new, vendors of adapters are lost, and both ends of a link
/// come up alike.
fn essence(f: &Fabric) -> BTreeSet<String> {
    let end = |p: PortId| {
        let port = f.port_info(p);
        format!("{}[{}] {} {} {}", f.node(f.node_of(p)).guid, f.number_of(p), port.guid, port.lid, port.lmc)
    };
    let nodes = f.nodes().map(|(id, n)| {
        let port0 = f.port_info(f.port0(id));
        format!("{:?} {} \"{}\" {} {}", n.kind, n.guid, n.description, port0.lid, n.enhanced_port0)
    });
    let cables = f.cables().map(|(a, b)| {
        let (a, b, rate) = (end(a), end(b), f.port_info(a).rate.map(|r| r.to_string()));
        if a < b { format!("{a} {b} {rate:?}") } else { format!("{b} {a} {rate:?}") }
    });
    nodes.chain(cables).collect()
}

#[test]
fn ibnetdiscover_finds_what_was_written() {
    let long = "a description = of 60 characters with # and @ and (brackets)";
    for name in ["director-mellanox/ibnetdiscover-g.txt", "director-voltaire/fabric.net"] {
        let f = corpus(name);
        let renamed = io::json::write(&f).replace("node002 HCA-1", long);
        let f = io::read(renamed.as_bytes()).unwrap().fabric;
        let Some(simulator) = Simulator::start("net", &f) else { return };
        let found = io::read(&simulator.run("ibnetdiscover", &[])).unwrap().fabric;
        assert_eq!(essence(&found), essence(&f), "{name}");
    }
}

#[test]
fn a_real_cluster_with_speeds_beyond_the_simulator_loads() {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|d| d.join("shared/data"));
    let env = std::env::var_os("LACIS_SHARED").map(|d| PathBuf::from(d).join("data"));
    let mut paths = env.into_iter().chain(above).map(|d| d.join("dgx-2025.ibnetdiscover"));
    let Some(bytes) = paths.find_map(|p| fs::read(p).ok()) else { return };
    let text = String::from_utf8(bytes).unwrap();
    let f = io::read(text.as_bytes()).unwrap().fabric;
    let Some(simulator) = Simulator::start("dgx", &f) else { return };
    let found = io::read(&simulator.run("ibnetdiscover", &[])).unwrap().fabric;
    // Node GUIDs of adapters give way to their ports'; speeds are capped.
    let written = io::net::write_with(&f, io::net::WriteOptions { for_ibsim: true });
    assert_eq!(essence(&found), essence(&io::read(written.as_bytes()).unwrap().fabric));
    let port_guids = |f: &Fabric| -> BTreeSet<u64> {
        let ends = f.end_nodes().flat_map(|n| f.ports_of(n));
        ends.map(|p| f.port_info(p).guid.0).collect()
    };
    assert_eq!(port_guids(&found), port_guids(&f));
}

#[test]
fn opensm_loads_the_tables_that_were_written() {
    let f = corpus("director-mellanox/fabric.net");
    let Some(simulator) = Simulator::start("lft", &f) else { return };
    let mut routes = io::lft::read(&simulator.route(&["-R", "updn"]), &f).unwrap().routes;
    // Tables that no engine makes: every entry for a parallel cable takes the other one.
    let mut moved = 0;
    for switch in f.switches() {
        let ports: Vec<PortId> = f.ports_of(switch).collect();
        for entry in routes.lft.row_mut(switch).iter_mut().filter(|e| (1..=36).contains(*e)) {
            let edge_switch = |p: PortId| f.peer(p).map(|q| f.node_of(q));
            let here = ports[usize::from(*entry) - 1];
            let twin = ports
                .iter()
                .find(|&&p| p != here && edge_switch(p).is_some() && edge_switch(p) == edge_switch(here));
            if let Some(&twin) = twin {
                *entry = f.number_of(twin);
                moved += 1;
            }
        }
    }
    assert!(moved > 20);
    let file = simulator.dir.join("tables");
    fs::write(&file, io::lft::write(&f, &routes).unwrap()).unwrap();
    let dump = simulator.route(&["-R", "file", "-U", file.to_str().unwrap()]);
    assert_eq!(io::lft::read(&dump, &f).unwrap().routes, routes);
    // And what the switches then hold is what infiniband-diags reads back.
    let held = io::lft::read(&simulator.run("dump_lfts", &[]), &f).unwrap();
    assert_eq!(held.routes, routes);
}
