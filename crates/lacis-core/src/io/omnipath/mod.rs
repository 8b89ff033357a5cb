//! What Omni-Path's tools write.
//!
//! | module       | format                                     |
//! |--------------|--------------------------------------------|
//! | [`snapshot`] | `opareport -o snapshot`, read and written  |

pub mod snapshot;
