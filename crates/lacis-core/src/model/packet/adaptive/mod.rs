//! Adaptive routing: switches that do not leave the choice among shortest paths to the tables.
//!
//! | file        | what                                                                |
//! |-------------|---------------------------------------------------------------------|
//! | `packets`   | a switch chooses for each packet (InfiniBand, Ultra Ethernet)       |
//! | `moves`     | a switch moves LIDs, every so many milliseconds (Omni-Path)         |
//! | `omni_path` | the settings of the latter                                          |
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
