//! The bot put together as a start would, with every channel off and a journal that is thrown away.

use super::check::{Answer, Check};
use foldback_api::{Backend, Setup};
use foldback_store::MemoryJournal;
use std::sync::Arc;

pub(super) fn check(mut setup: Setup) -> Check {
    for channel in setup.config.channels.values_mut() {
        channel.enabled = false;
    }
    setup.demo = false;
    setup.journal = Some(Arc::new(MemoryJournal::new()));
    Check::new("the bot", "to be put together, every channel off", async {
        let started = match Backend::open(setup).await {
            Ok(backend) => backend.shutdown().await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match started {
            Ok(()) => Answer::fine("can start"),
            Err(error) => Answer::wrong(error, "mend the configuration"),
        }
    })
}
