//! What commands with a running bot share: the runtime, and failures in words.

use crate::end::Stop;
use foldback_wire::rpc::Failure;
use std::{fmt::Display, io};
use tokio::runtime::{Builder, Runtime};

/// The threads of a bot.
pub(crate) fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread().enable_all().build()
}

/// Something that cannot be done, in its own words.
pub(crate) fn wrong(error: impl Display) -> Stop {
    Stop::Wrong(error.to_string())
}

/// A command's failure with what to do about it.
pub(crate) fn failed(failure: Failure) -> Stop {
    let Failure { message, hint, .. } = failure;
    Stop::Wrong(match hint {
        Some(hint) => format!("{message} {hint}"),
        None => message,
    })
}
