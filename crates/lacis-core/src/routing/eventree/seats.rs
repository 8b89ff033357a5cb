//! Where the hosts of leaves sit, so that a host that is missing changes no other's place.

use crate::fabric::{Fabric, NodeId, NodeKind};

/// The usual seats on the leaves of one part of a fabric.
pub(super) struct Seats {
    /// By port number: its seat, where hosts use it on a quarter of the leaves or more.
    by_port: Option<Vec<Option<u32>>>,
    /// How many seats a leaf has; where hosts sit anywhere, how many hosts most leaves have.
    pub usual: u32,
}

impl Seats {
    /// Finds the seats of leaves that have `width` uplinks, most of them.
    pub fn of(fabric: &Fabric, leaves: &[NodeId], width: u32) -> Self {
        let mut users = [0_usize; 256];
        let mut counts: Vec<u32> = Vec::new();
        for &leaf in leaves {
            let far = fabric.ports_of(leaf).filter_map(|p| Some((p, fabric.peer(p)?)));
            let hosts = far.filter(|&(_, q)| fabric.node(fabric.node_of(q)).kind == NodeKind::Adapter);
            let mut count = 0;
            for (port, _) in hosts {
                users[usize::from(fabric.number_of(port))] += 1;
                count += 1;
            }
            if count > 0 {
                counts.push(count);
            }
        }
        counts.sort_unstable();
        let runs = counts.chunk_by(|a, b| a == b);
        let usual = runs.max_by_key(|run| (run.len(), run[0])).map_or(0, |run| run[0]);
        let mut next = 0..;
        let seat = |&n: &usize| if n > 0 && 4 * n >= counts.len() { next.next() } else { None };
        let seats: Vec<Option<u32>> = users.iter().map(seat).collect();
        let number = seats.iter().flatten().count() as u32;
        // Many more seats than hosts are no seats, unless each has an uplink of its own all the same.
        if number >= usual && (4 * number <= 5 * usual || number <= width) {
            Self { by_port: Some(seats), usual: number }
        } else {
            Self { by_port: None, usual }
        }
    }

    /// The seat of a leaf's `n`-th host, at a port; none for hosts beyond the usual.
    pub fn seat(&self, port: u8, n: u32) -> Option<u32> {
        match &self.by_port {
            Some(seats) => seats[usize::from(port)],
            None => Some(n).filter(|&n| n < self.usual),
        }
    }
}
