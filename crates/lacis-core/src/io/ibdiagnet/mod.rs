//! What ibdiagnet leaves on disk: `ibdiagnet2.db_csv`, `ibdiagnet2.net_dump` and `ibdiagnet2.net_dump_ext`.
//!
//! (`ibdiagnet.lst` is read by [`subnet_list`](super::subnet_list), `.fdbs` by [`lft`](super::lft).)

pub mod db_csv;
pub mod net_dump;
pub mod net_dump_ext;
mod sections;
mod speeds;
