//! The scanner, and the reader of users' messages, each against a second, naive reading of its page: on vectors,
//! generated texts and the corpora of the fuzzer.

mod archive;
#[path = "../grammar/checks.rs"]
mod checks;
#[path = "../grammar/common.rs"]
mod common;
mod compare;
mod differential;
#[path = "../grammar/inbound.rs"]
mod inbound;
mod masking;
mod messages;
mod page;
mod replay;
mod secrets;
mod targets;
#[path = "../grammar/texts.rs"]
mod texts;
mod user;
