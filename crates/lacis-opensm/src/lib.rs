//! The routing engines of Lacis for OpenSM, which loads them as the event plugin `osmlacis`.
//!
//! In every sweep OpenSM asks the engine that its list `-R` names (`lacis-ftree`) for tables. The plugin (C, in `opensm/`) forks a
//! process for that, describes OpenSM's subnet object in plain arrays (`opensm/lacis.h`), and calls
//! `lacis_answer_question` there (`ffi`), which makes a `question` of them. The engine's process
//!
//! 1. builds the [`Fabric`](lacis_core::fabric::Fabric) (`subnet`) and reads the files that OpenSM's options name (`options`);
//! 2. routes it, and proves the tables, in `sweep`;
//! 3. writes tables, service levels and hop matrices into memory that it shares with the manager (`answer`), and ends.
//!
//! A panic, a loop without end or a lack of memory ends that process alone: the manager reads that there is no answer, says so
//! in its log, and asks the next engine of its list.

mod answer;
mod ffi;
mod options;
mod question;
mod subnet;
mod sweep;
