//! Adaptive routing: switches that choose among shortest paths themselves.
//!
//! | file        | what                                                                |
//! |-------------|---------------------------------------------------------------------|
//! | `packets`   | a switch chooses for each packet (InfiniBand, Ultra Ethernet)       |
//! | `moves`     | a switch moves LIDs, every so many milliseconds (Omni-Path)         |
//! | `omni_path` | its settings                                                        |
//! | `moved`     | the LIDs that switches have moved                                   |
//! | `groups`    | the ports that begin shortest paths                                 |
//! | `choice`    | which of these a simulation uses                                    |
//! | `forward`   | the port of one packet                                              |

pub(super) mod choice;
mod forward;
mod groups;
mod moved;
mod moves;
pub(super) mod omni_path;
mod packets;
