//! Several rails: how libraries spread messages over them, and what NCCL does with them.

use lacis_core::fabric::{Group, leaf_order};
use lacis_core::predict::{self, nccl_hosts};
use lacis_core::ranks::{HostPorts, Order, find_hosts};
use pyo3::prelude::*;

use crate::error::{Failure, to_py};
use crate::fabric::Fabric;
use crate::routing::Routes;

/// The names of the hosts that NCCL can run on: those with a name of their own and a cabled adapter.
#[pyfunction]
fn nccl_host_names(py: Python<'_>, fabric: &Fabric) -> Vec<String> {
    py.detach(|| nccl_hosts(&fabric.inner, fabric.hosts()).into_iter().map(|host| host.name).collect())
}

/// NCCL's collectives under given tables, as JSON. `named` are the hosts in the order of ranks, each with its line; leaf
/// by leaf all compute hosts where there are none. `gpus` of a host: as many as it has adapters where none.
#[pyfunction]
#[pyo3(signature = (routes, *, named=Vec::new(), gpus=None, pxn=true, shown=10))]
fn nccl_json(
    py: Python<'_>,
    routes: &Routes,
    named: Vec<(usize, String)>,
    gpus: Option<u32>,
    pxn: bool,
    shown: usize,
) -> PyResult<String> {
    let fabric = &*routes.fabric.inner;
    let made = py.detach(|| {
        let hosts = routes.fabric.hosts();
        let mut all = nccl_hosts(fabric, hosts);
        let chosen: Vec<HostPorts> = if named.is_empty() {
            let group = |host: &HostPorts| {
                host.ports.iter().flatten().next().map(|&port| hosts.group(fabric.node_of(port)))
            };
            if all.iter().any(|host| group(host) == Some(Group::Compute)) {
                all.retain(|host| group(host) == Some(Group::Compute));
            }
            let ports: Vec<_> =
                all.iter().filter_map(|host| host.ports.iter().flatten().next().copied()).collect();
            let leaves = leaf_order(fabric, &ports);
            Order::Topology.sort(fabric, &routes.inner.lids, &mut all, Some(&leaves));
            all
        } else {
            let names: Vec<String> = all.iter().map(|host| host.name.clone()).collect();
            let indices = find_hosts(&named, &names).map_err(|e| Failure::plain(&e))?;
            indices.into_iter().map(|index| all[index as usize].clone()).collect()
        };
        let gpus = gpus.unwrap_or_else(|| hosts.num_rails().max(1) as u32);
        let report = predict::nccl(fabric, &routes.inner, hosts, &chosen, (gpus, pxn, shown))
            .map_err(Failure::from)?;
        serde_json::to_string(&report).map_err(|e| Failure::plain(&e))
    });
    made.map_err(to_py)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(nccl_host_names, m)?)?;
    m.add_function(wrap_pyfunction!(nccl_json, m)?)
}
