//! One phase after another: messages, their links or channels, and when they end.

use super::outcome::PhaseTime;
use super::setting::{TimesSetting, TimesTally, counted};
use crate::model::fluid::{MessageGroup, Messages, OverTime};
use crate::model::load::{Ask, Ideal, LinkId, Multipath, Spray, Steps};
use crate::ranks::Delivery;
use crate::ranks::Flow;
use crate::traffic::{Message, Phase, Stripe, Traffic};

/// One thread's tools, kept from phase to phase.
pub(super) struct TimesWorker<'a> {
    setting: &'a TimesSetting<'a>,
    over_time: OverTime,
    messages: Messages,
    steps: Steps,
    channels: Steps,
    phase: Phase,
    sent: Vec<Message>,
    flows: Vec<Flow>,
    stripes: Vec<Stripe>,
    choices: Vec<u32>,
    spray: Option<Spray<'a>>,
    pub tally: TimesTally,
}

impl<'a> TimesWorker<'a> {
    pub(super) fn new(setting: &'a TimesSetting<'a>) -> Self {
        Self {
            setting,
            over_time: match &setting.by_lane {
                None => OverTime::new(setting.rates.to_vec()),
                Some(by_lane) => OverTime::by_lane(setting.rates, by_lane.shares.clone()),
            },
            messages: Messages::default(),
            steps: Steps::default(),
            channels: Steps::default(),
            phase: Phase::default(),
            sent: Vec::new(),
            flows: Vec::new(),
            stripes: Vec::new(),
            choices: Vec::new(),
            spray: setting.request.multipath.splits().then(|| Spray::new(setting.paths)),
            tally: TimesTally { on_link: vec![0; setting.rates.len()], ..TimesTally::default() },
        }
    }

    /// Runs a phase alone.
    pub(super) fn run(&mut self, phase: usize) {
        self.messages.clear();
        self.add(phase);
        if self.over_time.run(&self.messages, self.setting.stop) {
            self.note(phase, 0.0, 0..self.messages.len());
            self.tally.events += self.over_time.events() as u64;
        }
    }

    /// Runs all phases of a program, each when those that it waits for have ended.
    pub(super) fn run_together(&mut self, phases: usize) {
        let Traffic::Program(program) = self.setting.traffic else { return };
        let mut groups = Vec::with_capacity(phases);
        for phase in 0..phases {
            self.add(phase);
            groups.push(MessageGroup { end: self.messages.len(), after: program.after(phase) });
        }
        if self.over_time.run_groups(&self.messages, &groups, self.setting.stop) {
            let mut first = 0;
            for (phase, group) in groups.iter().enumerate() {
                self.note(phase, self.over_time.begun()[phase], first..group.end);
                first = group.end;
            }
            self.tally.events += self.over_time.events() as u64;
        }
    }

    /// Adds the messages of a phase to those to be run.
    fn add(&mut self, phase: usize) {
        let paths = self.setting.paths;
        match self.setting.traffic {
            Traffic::Pattern(phases) if phases.striping().is_some() => {
                let at = (phase, self.setting.request.seed);
                phases.fill_striped(at, 1, &mut self.phase, &mut self.stripes);
                self.tally.skipped += self.phase.skipped as u64;
                self.flows.clone_from(&self.phase.flows);
                let stripes = std::mem::take(&mut self.stripes);
                self.push(phase, |f| (stripes[f].bytes as f64, 1.0), |_| 0);
                self.stripes = stripes;
            }
            Traffic::Pattern(phases) => {
                phases.fill(phase, self.setting.request.seed, &mut self.phase);
                self.tally.skipped += self.phase.skipped as u64;
                self.flows.clone_from(&self.phase.flows);
                let bytes = phases.bytes() as f64;
                self.push(phase, |_| (bytes, 1.0), |_| 0);
            }
            Traffic::Program(program) => {
                program.fill(phase, &mut self.sent);
                self.flows.clear();
                // Messages inside hosts come after the others.
                let mut inside: Vec<(u32, Message)> = Vec::new();
                self.sent.retain(|message| match message.delivery(program.ranks()) {
                    Delivery::Fabric(flow) => {
                        self.flows.push(flow);
                        true
                    }
                    Delivery::Inside(host) => {
                        inside.push((host, *message));
                        false
                    }
                });
                let sent = std::mem::take(&mut self.sent);
                let of = |f: usize| (sent[f].bytes as f64, sent[f].weight);
                self.push(phase, of, |f| sent[f].sl.unwrap_or(0));
                self.sent = sent;
                self.tally.inside += inside.len() as u64;
                for (host, message) in inside {
                    let link = paths.links().len() as LinkId + host;
                    let link = self.setting.by_level(link, message.sl.unwrap_or(0));
                    self.messages.push_weighted(message.bytes as f64, message.weight, [link]);
                }
            }
        }
    }

    /// Adds the messages that `flows` carry; `of` gives their sizes and weights, and `level` the service levels that
    /// they ask for.
    fn push(&mut self, phase: usize, of: impl Fn(usize) -> (f64, f64), level: impl Fn(usize) -> u8) {
        let (paths, multipath) = (self.setting.paths, self.setting.request.multipath);
        if self.setting.stopped() {
            return;
        }
        if let (Some(spray), Multipath::Ideal) = (&self.spray, multipath) {
            let ideal = Ideal::new(spray);
            let rates = &self.setting.rates[..paths.links().len()];
            let split = ideal.split(&self.flows, |f| of(f).1, rates, || self.setting.stopped());
            self.tally.gap = self.tally.gap.max(split.gap);
            for (f, shares) in split.shares.into_iter().enumerate() {
                let (bytes, weight) = of(f);
                self.messages.push_split(bytes, weight, shares);
            }
            return;
        }
        if let Some(spray) = &mut self.spray {
            let mut shares = Vec::new();
            for (f, &flow) in self.flows.iter().enumerate() {
                if f % 1024 == 0 && self.setting.stopped() {
                    return;
                }
                let (bytes, weight) = of(f);
                spray.shares(flow, &mut shares);
                let channel = |&(link, share)| (self.setting.by_level(link, level(f)), share);
                self.messages.push_split(bytes, weight, shares.iter().map(channel));
            }
            return;
        }
        self.choices.clear();
        if multipath.needs_lmc() {
            // By sender: its messages in this phase. Each phase begins one LID further than the one before.
            let mut count = vec![phase as u32; paths.ports().len()];
            for &flow in &self.flows {
                self.choices.push(multipath.choice(flow, count[flow.from as usize]));
                count[flow.from as usize] = count[flow.from as usize].wrapping_add(1);
            }
            paths.steps_by(&self.flows, &self.choices, &mut self.steps);
        } else {
            paths.steps(&self.flows, &mut self.steps);
        }
        if self.setting.stopped() {
            return;
        }
        let Some(by_lane) = &self.setting.by_lane else { return self.messages.push_flows(&self.steps, of) };
        let ask = |f: usize| Ask { choice: self.choices.get(f).copied().unwrap_or(0), sl: level(f) };
        by_lane.channels(paths, &self.flows, &self.steps, ask, &mut self.channels);
        self.messages.push_flows(&self.channels, of);
    }

    /// Notes when the messages of a phase ended.
    fn note(&mut self, phase: usize, begun: f64, messages: std::ops::Range<usize>) {
        let ends = self.over_time.ends();
        let mut result = PhaseTime { begun, time: 0.0, messages: 0, bytes: 0 };
        let mut taken: Vec<(f64, u64)> = Vec::new();
        for m in messages {
            let links = self.messages.links(m);
            if links.is_empty() {
                self.tally.unrouted += 1;
                continue;
            }
            let (bytes, time) = (self.messages.bytes(m) as u64, ends[m] - begun);
            result.messages += 1;
            result.bytes = result.bytes.saturating_add(bytes);
            result.time = result.time.max(time);
            match taken.last_mut() {
                Some(last) if last.0.to_bits() == time.to_bits() => last.1 += 1,
                _ => taken.push((time, 1)),
            }
            for (link, share) in self.messages.shares(m) {
                let carried = &mut self.tally.on_link[self.setting.link(link) as usize];
                let here = if share < 1.0 { (bytes as f64 * share).round() as u64 } else { bytes };
                *carried = carried.saturating_add(here);
            }
        }
        self.tally.completion.append(&mut counted(taken));
        self.tally.phases.push((phase, result));
    }
}
