//! What ibdiagnet leaves on disk: `ibdiagnet2.db_csv` and `ibdiagnet2.net_dump`.
//!
//! (`ibdiagnet.lst` is read by [`subnet_list`](super::subnet_list), `.fdbs` by [`lft`](super::lft).)

pub mod db_csv;
pub mod net_dump;
mod sections;
mod speeds;
