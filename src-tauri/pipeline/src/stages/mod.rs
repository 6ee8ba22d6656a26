//! The stages of a message's way, in order.

pub(crate) mod abort;
pub(crate) mod activation;
pub(crate) mod age;
pub(crate) mod answer;
pub(crate) mod authorize;
pub(crate) mod command_access;
pub(crate) mod commands;
pub(crate) mod dedupe;
pub(crate) mod finalize;
pub(crate) mod gather;
pub(crate) mod inline_directives;
pub(crate) mod links;
pub(crate) mod notices;
pub(crate) mod others;
pub(crate) mod permit;
pub(crate) mod prepare;
pub(crate) mod redact;
pub(crate) mod run;
pub(crate) mod run_progress;
pub(crate) mod scan;
pub(crate) mod sender_limit;
pub(crate) mod session;
pub(crate) mod text_bound;
pub(crate) mod thread;
pub(crate) mod tool;
pub(crate) mod understand;
