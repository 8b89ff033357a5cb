//! Links that are divided among their lanes before the flows of each lane share it.

use super::request::PredictError;
use crate::model::fluid::LaneShares;
use crate::model::load::{Ask, LinkId, Multipath, Paths, Steps};
use crate::qos::Lanes;
use crate::ranks::Flow;
use crate::sm::Routes;

/// The lane of a flow on a link, and the lane's share of it.
#[derive(Clone, Debug)]
pub(super) struct ByLane {
    lanes: Lanes,
    pub shares: LaneShares,
}

impl ByLane {
    /// Lanes as asked for, if any; `levels` are the service levels of the traffic.
    pub(super) fn new(
        asked: Option<&Lanes>,
        routes: &Routes,
        multipath: Multipath,
        levels: &[u8],
    ) -> Result<Option<Self>, PredictError> {
        let tables = routes.lanes.as_ref();
        let lanes = asked.copied().unwrap_or_default();
        lanes.check(tables, levels).map_err(PredictError::Lanes)?;
        if asked.is_none() {
            return Ok(None);
        }
        if multipath == Multipath::Ideal {
            return Err(PredictError::IdealLanes);
        }
        if multipath.splits() && tables.is_some() {
            return Err(PredictError::SprayedLanes);
        }
        Ok(Some(Self { lanes, shares: LaneShares::of(&lanes, tables) }))
    }

    /// A link's channel for messages of a service level, where the tables have no lanes.
    pub(super) fn channel(&self, link: LinkId, sl: u8) -> LinkId {
        self.shares.channel(link, self.lanes.lane(sl))
    }

    /// Overwrites `out` with the channels that flows cross.
    pub(super) fn channels(
        &self,
        paths: &Paths<'_>,
        flows: &[Flow],
        steps: &Steps,
        ask: impl Fn(usize) -> Ask,
        out: &mut Steps,
    ) {
        let channel = |link, lane| self.shares.channel(link, lane);
        paths.channels(flows, steps, &self.lanes, ask, channel, out);
    }
}
