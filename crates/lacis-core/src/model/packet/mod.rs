//! Packets: every packet, buffer and credit, event by event.
//!
//! What the fluid model leaves out decides how much a static table costs: a packet that waits for
//! a busy output keeps those behind it waiting (head-of-line blocking), and full buffers keep
//! switches upstream waiting (credits). Here each packet is followed. An *event* is what is taken
//! from the calendar: a header that has crossed a switch, an output that becomes free while a packet
//! waits for it, credits that a packet waits for, a host's turn, a message. Nothing happens at idle
//! ports, and a packet that never waits costs one event a switch.
//!
//! | item         | what it models                                            |
//! |--------------|-----------------------------------------------------------|
//! | [`Settings`] | the constants of switches, cables and hosts               |
//! | [`Network`]  | the fabric and its tables                                 |
//! | [`Application`] | what the hosts send                                    |
//! | [`Workload`] | what a user asks for: traffic, and how it is sent         |
//! | [`Mix`]      | several applications at once                              |
//! | `switches`   | input buffers, crossbar                                   |
//! | `links`      | packets to the next buffer, credits back                  |
//! | `hosts`      | messages into packets and back                            |
//! | `adaptive`   | choosing among shortest paths                             |
//! | `arbitration`| which lane sends next                                     |
//! | `preemption` | packets that interrupt others                             |
//! | `throttling` | congestion control                                        |
//! | `calendar`   | the order of events                                       |
//! | `link_failures` | cables that fail                                       |
//! | `deadlock`   | the cycle of full buffers when nothing moves any more     |
//!
//! Times are whole picoseconds, so that sums are exact.

mod adaptive;
mod application;
mod arbiter;
mod arbitration;
mod calendar;
mod deadlock;
mod device;
mod experiment;
mod features;
mod flights;
mod hosts;
mod link_failures;
mod links;
mod network;
mod outcome;
mod preemption;
mod program;
mod request;
mod run;
mod settings;
mod simulator;
mod state;
mod switches;
mod throttle;
mod throttling;
mod utilisation;
mod workload;
mod workloads;

pub use adaptive::omni_path::{Algorithm, OmniPath};
pub use application::{Application, Arrived, Destinations, PingPong, Poisson, Post, REMINDER, Streams};
pub use device::{Constant, DEVICES, Device};
pub use experiment::{Experiment, Got, experiment, memory};
pub use network::Network;
pub use outcome::{Ending, Latencies, Outcome, PortUse, Stuck, Waits};
pub use program::{MessageCounts, ProgramRun};

pub use request::SimulationRequest;
pub use run::simulate;
pub use settings::{Adaptive, Queueing, Reads, Settings};
pub use throttle::Throttle;
pub use utilisation::Slots;
pub use workload::{SimulateError, Test, Workload};
pub use workloads::{Member, Mix, Record, Work};
