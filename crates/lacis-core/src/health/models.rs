//! Models of switches and adapters, and what their ports are seen to run at.

use std::collections::BTreeMap;

use super::context::Context;
use crate::fabric::{NodeId, PortId, Rate, Speed, Width};

/// Devices that can run equally fast: switches of a model with as many ports (split ports are narrower), adapters of a
/// model; where the model is unknown, the device alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Model {
    Known { vendor: u32, device: u32, radix: u8 },
    Of(NodeId),
}

impl Model {
    pub fn of(ctx: &Context, node: NodeId) -> Self {
        let data = ctx.fabric.node(node);
        if data.device == 0 {
            return Self::Of(node);
        }
        let radix = if ctx.fabric.is_switch(node) { ctx.fabric.radix(node) } else { 0 };
        Self::Known { vendor: data.vendor, device: data.device, radix }
    }

    pub fn is_known(self) -> bool {
        matches!(self, Self::Known { .. })
    }
}

/// What the ports of a model are seen to run at.
#[derive(Clone, Copy)]
struct Most {
    links: usize,
    speed: Speed,
    width: Width,
    /// The rate of all, while all are alike.
    alike: Option<Rate>,
}

/// What the ports of models are seen to run at. A single link is no evidence of what a model can do.
#[derive(Default)]
pub(super) struct Seen(BTreeMap<Model, Most>);

impl Seen {
    pub fn add(&mut self, ctx: &Context, (a, b): (PortId, PortId), rate: Rate) {
        for node in [a, b].map(|p| ctx.fabric.node_of(p)) {
            let first = Most { links: 0, speed: rate.speed, width: rate.width, alike: Some(rate) };
            let seen = self.0.entry(Model::of(ctx, node)).or_insert(first);
            *seen = Most {
                links: seen.links + 1,
                speed: seen.speed.max(rate.speed),
                width: seen.width.max(rate.width),
                alike: seen.alike.filter(|&alike| alike == rate),
            };
        }
    }

    /// Of a model, where at least two links show it.
    fn of(&self, ctx: &Context, node: NodeId) -> Option<Most> {
        self.0.get(&Model::of(ctx, node)).copied().filter(|seen| seen.links > 1)
    }

    /// What to expect of a cable whose kind runs at `usual`: no more than the models of both of its ends are seen to run
    /// at. An adapter of unknown model shows nothing but itself.
    pub fn expected(&self, ctx: &Context, (a, b): (PortId, PortId), usual: Rate) -> Rate {
        let mut least = usual;
        for node in [a, b].map(|port| ctx.fabric.node_of(port)) {
            let shows = ctx.fabric.is_switch(node) || Model::of(ctx, node).is_known();
            if let Some(seen) = self.of(ctx, node).filter(|_| shows) {
                least = Rate { speed: least.speed.min(seen.speed), width: least.width.min(seen.width) };
            }
        }
        least
    }

    /// The highest speed that the model of a node is seen to run at.
    pub fn fastest(&self, ctx: &Context, node: NodeId) -> Option<Speed> {
        self.of(ctx, node).map(|seen| seen.speed)
    }

    /// Whether all links of a node's model run at one rate, at least two.
    pub fn runs_alike(&self, ctx: &Context, node: NodeId, rate: Rate) -> bool {
        self.of(ctx, node).is_some_and(|seen| seen.alike == Some(rate))
    }
}
