//! A clock for tests on real sockets.

use foldback_wire::{Clock, Sleep, Timestamp};

/// Time as it is, with waits shortened a thousandfold.
pub(crate) struct Hasty;

impl Clock for Hasty {
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_millisecond())
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let wait = until.since(self.now()) / 1_000;
        Box::pin(tokio::time::sleep(wait))
    }
}
