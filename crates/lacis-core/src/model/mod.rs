//! Models of bandwidth and time, from the simplest to the most exact.
//!
//! | model      | what it knows                                                              |
//! |------------|----------------------------------------------------------------------------|
//! | [`load`]   | how many flows each link carries: exact counts, no rates                   |
//! | [`fluid`]  | max-min fair rates on those links, and when messages arrive                |
//! | [`packet`] | packets, buffers and credits: head-of-line blocking, adaptive routing      |

pub mod fluid;
pub mod load;
pub mod packet;
