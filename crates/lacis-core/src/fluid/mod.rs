//! (room of the fluid stage)
