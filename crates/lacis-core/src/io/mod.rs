//! (room of the io stage)
