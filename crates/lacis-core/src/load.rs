//! (room of the load stage)
