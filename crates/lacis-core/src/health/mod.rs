//! (room of the health stage)
