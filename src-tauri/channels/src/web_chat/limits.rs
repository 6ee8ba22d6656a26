//! Bounds of what visitors can use up. Those that an operator may want otherwise are [`crate::VisitorLimits`]; the others are
//! here.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;

/// Connections at once, with those of streams.
pub(super) const CONNECTIONS: usize = 576;
/// Streams of events at once; the rest of the connections is for pages, messages and files.
pub(super) const STREAMS: usize = 512;
/// Streams of one conversation: tabs in which it is open.
pub(super) const TABS: usize = 8;
/// Streams of one address that is not this machine's.
pub(super) const STREAMS_OF_ADDRESS: usize = 64;
/// Requests of one address in a minute that change something.
pub(super) const REQUESTS_OF_ADDRESS: u32 = 120;
/// New conversations of one address in a minute.
pub(super) const NEW_OF_ADDRESS: u32 = 12;
/// The share of the conversations that one address may have begun: one in so many, rounded up. Of the thousand that a channel
/// has unless it is set, an office behind one address has a hundred within a day, and nine hundred are left for others. What
/// counts is where a conversation began in this process: a restart counts anew, and a visitor who moves on takes none along.
pub(super) const SHARE_OF_ADDRESS: usize = 10;
/// Addresses that are counted at once; the one whose turn is the longest ago is forgotten.
const ADDRESSES: usize = 4_096;

/// Bytes of a message with its files, as it is posted.
pub(super) const BODY: u64 = 25_200_000;
/// Bytes of a request without files.
pub(super) const WORDS: usize = 64 * 1024;
/// Files of one message.
pub(super) const FILES: usize = 10;
/// Longest time that a message takes to come in.
pub(super) const UPLOAD: Duration = Duration::from_mins(2);
/// Longest time that the pipeline takes to have a message in safe hands.
pub(super) const KEEPING: Duration = Duration::from_secs(15);
/// Longest time that a file takes to go out.
pub(super) const DOWNLOAD: Duration = Duration::from_mins(10);
/// Longest time between two pieces of a message.
pub(super) const PIECE: Duration = Duration::from_secs(5);

/// Messages of a conversation that are kept.
pub(super) const MESSAGES: usize = 200;
/// Bytes of their texts.
pub(super) const TEXT: usize = 128 * 1024;
/// Bytes of the files of a conversation.
pub(super) const FILE_BYTES: u64 = 50_000_000;
/// Bytes of the files of all conversations.
pub(super) const ALL_FILE_BYTES: u64 = 1_000_000_000;
/// Time after which an unused conversation is forgotten, and its cookie ends.
pub(super) const IDLE: Duration = Duration::from_hours(30 * 24);
/// Time after which an unused conversation gives way to a new one, where there is no room.
pub(super) const LONG_UNUSED: Duration = Duration::from_hours(24);

/// Changes of a conversation that a page which was cut off can take up, and their bytes. A page that lags behind by more
/// is cut off.
pub(super) const RECENT: usize = 1_024;
pub(super) const RECENT_BYTES: usize = 256 * 1024;
/// Time without an event after which a page is told that it is still connected.
pub(super) const QUIET: Duration = Duration::from_secs(15);

/// A count that fills up again: so many a minute, a quarter of them at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    left: f64,
    at: Instant,
}

impl Allowance {
    /// A full one.
    pub(super) fn full(per_minute: u32, now: Instant) -> Self {
        Self {
            left: Self::most(per_minute),
            at: now,
        }
    }

    fn most(per_minute: u32) -> f64 {
        f64::from(per_minute.div_ceil(4).max(1))
    }

    /// Takes one; the time until there is one, where there is none.
    pub(super) fn take(&mut self, per_minute: u32, now: Instant) -> Result<(), Duration> {
        let rate = f64::from(per_minute.max(1)) / 60.0;
        let gained = now.saturating_duration_since(self.at).as_secs_f64() * rate;
        self.left = (self.left + gained).min(Self::most(per_minute));
        self.at = now;
        if self.left >= 1.0 {
            self.left -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - self.left) / rate))
    }
}

/// The allowances of addresses.
#[derive(Debug)]
pub(super) struct Addresses {
    per_minute: u32,
    known: BTreeMap<IpAddr, Allowance>,
}

impl Addresses {
    pub(super) const fn new(per_minute: u32) -> Self {
        Self {
            per_minute,
            known: BTreeMap::new(),
        }
    }

    /// Takes one of an address. Those of this machine are not counted: whoever is on it can do more than that, and a
    /// proxy on it says for whom it asks.
    pub(super) fn take(&mut self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        if address.is_loopback() {
            return Ok(());
        }
        if self.known.len() >= ADDRESSES && !self.known.contains_key(&address) {
            let oldest = self.known.iter().min_by_key(|(_, allowance)| allowance.at);
            if let Some(address) = oldest.map(|(address, _)| *address) {
                self.known.remove(&address);
            }
        }
        let full = Allowance::full(self.per_minute, now);
        self.known
            .entry(address)
            .or_insert(full)
            .take(self.per_minute, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_comes_at_once_and_the_rest_over_the_minute() {
        let start = Instant::now();
        let mut allowance = Allowance::full(20, start);
        let taken = (0..20).filter(|_| allowance.take(20, start).is_ok()).count();
        assert_eq!(taken, 5);
        let wait = allowance.take(20, start).unwrap_err();
        assert_eq!(wait.as_secs(), 3);
        assert!(allowance.take(20, start + wait).is_ok());
        let mut taken = 0;
        for second in 1..=60 {
            taken += usize::from(
                allowance
                    .take(20, start + wait + Duration::from_secs(second))
                    .is_ok(),
            );
        }
        assert_eq!(taken, 20);
    }

    #[test]
    fn an_address_uses_up_its_own_and_this_machine_none() {
        let now = Instant::now();
        let mut addresses = Addresses::new(4);
        let [one, other, own] = ["192.0.2.1", "192.0.2.2", "127.0.0.1"].map(|ip| ip.parse().unwrap());
        assert!(addresses.take(one, now).is_ok() && addresses.take(one, now).is_err());
        assert!(addresses.take(other, now).is_ok());
        assert!((0..100).all(|_| addresses.take(own, now).is_ok()));
        for n in 0..2 * u32::try_from(ADDRESSES).unwrap() {
            let _ = addresses.take(IpAddr::V4((0x0a00_0000 + n).into()), now + Duration::from_secs(1));
        }
        assert_eq!(addresses.known.len(), ADDRESSES);
    }
}
