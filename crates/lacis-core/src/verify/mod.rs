//! (room of the verify stage)
