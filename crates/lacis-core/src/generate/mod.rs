//! (room of the generate stage)
