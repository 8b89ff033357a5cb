//! (room of the traffic stage)
