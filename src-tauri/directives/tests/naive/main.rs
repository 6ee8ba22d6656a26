//! The scanner against a second, naive reading of the grammar page, on vectors, generated texts and the
//! corpora of the fuzzer.

mod archive;
#[path = "../grammar/checks.rs"]
mod checks;
#[path = "../grammar/common.rs"]
mod common;
mod compare;
mod differential;
mod masking;
mod page;
mod replay;
mod secrets;
mod targets;
#[path = "../grammar/texts.rs"]
mod texts;
