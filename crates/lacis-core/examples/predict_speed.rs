//! Times random bisections and fluid permutations on trees routed by ftree.
//!
//! `RAYON_NUM_THREADS=1 cargo run --release -p lacis-core --example predict_speed [SPEC MODEL PATTERN COUNT]…`

use std::time::Instant;

use lacis_core::fabric::Population;
use lacis_core::generate::generate;
use lacis_core::lids::{LidOptions, Lids};
use lacis_core::predict::{Model, Request, predict};
use lacis_core::routing::{Engine, Options, route};
use lacis_core::traffic::{Participants, Plan};

const DEFAULT: [&str; 16] = [
    "fat-tree:36,2",
    "load",
    "bisection",
    "100000",
    "fat-tree:36,3",
    "load",
    "bisection",
    "1500",
    "fat-tree:48,2",
    "fluid",
    "permutation",
    "3000",
    "fat-tree:36,3",
    "fluid",
    "permutation",
    "50",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let given = if given.is_empty() { DEFAULT.map(String::from).to_vec() } else { given };
    for case in given.chunks_exact(4) {
        let fabric = generate(&case[0])?;
        let sm = Lids::default_sm(&fabric).ok_or("no port for the subnet manager")?;
        let lids = Lids::assign(&fabric, sm, &LidOptions::fresh())?;
        let routes = route(&fabric, lids, &[Engine::FTree], &Options::default())?;
        let who = Participants::each_port(&fabric, &fabric.end_ports(Population::All));
        let plan = Plan::new(&case[2].parse()?, &who, case[3].parse()?, Vec::new())?;
        let model = if case[1] == "fluid" { Model::Fluid } else { Model::Load };
        let request = Request { model, hottest: 0, ..Request::default() };
        for _ in 0..3 {
            let start = Instant::now();
            let result = predict(&fabric, &routes, &plan, &request)?;
            let s = start.elapsed().as_secs_f64();
            println!(
                "{:16} {:6} {:12} {} threads: {:8} patterns in {s:7.3} s, {:9.0} patterns/s, {:10.0} flows/s, mean {:.6}, max contention {}",
                case[0],
                case[1],
                case[2],
                rayon::current_num_threads(),
                plan.len(),
                plan.len() as f64 / s,
                result.flows as f64 / s,
                result.mean_relative,
                result.max_contention,
            );
        }
    }
    Ok(())
}
