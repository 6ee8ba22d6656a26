//! Which connections are open, and which one gives way to another.
//!
//! Anybody can open connections and say nothing. A webhook must not wait for them: it comes whole, and is known by its
//! signature as soon as it was read. So where all places are taken, the oldest connection that has not shown one gives
//! way to the new one; first those that have not even said what they want. Each has a moment for that, so that a crowd of
//! webhooks is read and not driven out by itself; and since a machine under load can be late to read, what has come over
//! it is read before it gives way. A request that proves to be signed then is answered beside all others.
//!
//! One address holds at most half of the places without a signature: beyond that its own oldest gives way. Nobody is
//! refused for an address, since everything that comes through a proxy has the same one.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// Time in which a connection gives way to nobody. What a platform sends follows its connection at once.
pub(crate) const MOMENT: Duration = Duration::from_millis(100);

/// Longest time from a connection to the last byte of its answer, unless its request may take longer ([`Peer::stay_for`]).
const PATIENCE: Duration = Duration::from_secs(20);

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The other end of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer(Arc<Progress>);

#[derive(Debug)]
struct Progress {
    address: IpAddr,
    came: Instant,
    has_asked: AtomicBool,
    /// Milliseconds that it may take from `came` on.
    patience: AtomicU64,
    is_trusted: AtomicBool,
    gives_way: CancellationToken,
}

impl Peer {
    fn of(address: IpAddr, came: Instant) -> Self {
        Self(Arc::new(Progress {
            address,
            came,
            has_asked: AtomicBool::new(false),
            patience: AtomicU64::new(millis(PATIENCE)),
            is_trusted: AtomicBool::new(false),
            gives_way: CancellationToken::new(),
        }))
    }

    /// The request is signed: its connection does not give way any more.
    pub(crate) fn trust(&self) {
        self.0.is_trusted.store(true, Ordering::Relaxed);
    }

    /// Ends the connection, whatever its request has shown.
    pub(crate) fn cut(&self) {
        self.0.is_trusted.store(false, Ordering::Relaxed);
        self.0.gives_way.cancel();
    }

    /// Its address; of IPv6 the network.
    pub(crate) fn address(&self) -> IpAddr {
        self.0.address
    }

    /// The answer may take so long, where that is longer than others may.
    pub(crate) fn stay_for(&self, patience: Duration) {
        self.0.patience.store(millis(patience), Ordering::Relaxed);
    }

    /// Returns once the answer has taken longer than it may.
    pub(super) async fn is_late(&self) {
        loop {
            let patience = Duration::from_millis(self.0.patience.load(Ordering::Relaxed));
            match self.0.came.checked_add(patience) {
                Some(end) if end <= Instant::now() => return,
                Some(end) => sleep_until(end).await,
                None => std::future::pending().await,
            }
        }
    }

    /// The head of the request came.
    pub(super) fn asked(&self) {
        self.0.has_asked.store(true, Ordering::Relaxed);
    }

    /// True once the head of the request came.
    pub(super) fn has_asked(&self) -> bool {
        self.0.has_asked.load(Ordering::Relaxed)
    }

    /// Returns once the connection has to make place for another one, unless its request proves to be signed when it is
    /// read for the last time.
    pub(crate) async fn gives_way(&self) {
        self.0.gives_way.cancelled().await;
        if self.is_trusted() {
            std::future::pending::<()>().await;
        }
    }

    fn is_trusted(&self) -> bool {
        self.0.is_trusted.load(Ordering::Relaxed)
    }
}

/// The address of one who may take part; of IPv6 the network, since a customer has all addresses of one
/// (<https://www.rfc-editor.org/rfc/rfc6177>).
pub(crate) fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        // This machine is no customer's.
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
        address => address,
    }
}

/// The open connections, by the order in which they came.
#[derive(Debug)]
pub(crate) struct Connections {
    open: BTreeMap<u64, Peer>,
    came: u64,
    at_once: usize,
}

impl Connections {
    /// None, of at most so many.
    pub(crate) const fn new(at_once: usize) -> Self {
        Self {
            open: BTreeMap::new(),
            came: 0,
            at_once,
        }
    }

    /// Connections of one address without a signature, once they had their moment.
    const fn of_one_address(&self) -> usize {
        self.at_once / 2
    }

    /// When another connection can be taken: now where there is a place, later where the oldest has its moment still;
    /// `None` while all places are those of signed requests.
    pub(super) fn room_at(&self, now: Instant) -> Option<Instant> {
        if self.open.len() < self.at_once {
            return Some(now);
        }
        let untrusted = self.open.values().filter(|peer| !peer.is_trusted());
        untrusted.map(|peer| peer.0.came + MOMENT).min()
    }

    /// Takes a connection; another one gives way where there is no place.
    pub(crate) fn add(&mut self, address: IpAddr, now: Instant) -> (u64, Peer) {
        let network = network_of(address);
        let own = |peer: &Peer| peer.0.address == network && !peer.is_trusted();
        if self.open.values().filter(|peer| own(peer)).count() >= self.of_one_address() {
            self.drop_oldest(now, own);
        }
        if self.open.len() >= self.at_once {
            self.drop_oldest(now, |_| true);
        }
        let peer = Peer::of(network, now);
        self.came += 1;
        self.open.insert(self.came, peer.clone());
        (self.came, peer)
    }

    /// A connection ended.
    pub(super) fn remove(&mut self, connection: u64) {
        self.open.remove(&connection);
    }

    /// Has the oldest of these give way that had its moment and showed no signature, if there is one.
    pub(crate) fn drop_oldest(&mut self, now: Instant, these: impl Fn(&Peer) -> bool) {
        let may_go = |peer: &Peer| these(peer) && !peer.is_trusted() && peer.0.came + MOMENT <= now;
        let idle = self.open.iter().filter(|(_, peer)| may_go(peer));
        let oldest = idle.min_by_key(|(came, peer)| (peer.has_asked(), **came));
        if let Some((&came, peer)) = oldest {
            peer.0.gives_way.cancel();
            self.open.remove(&came);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: usize = 64;
    const OF_ONE_ADDRESS: usize = AT_ONCE / 2;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn gave_way(peers: &[Peer]) -> Vec<usize> {
        let gone = peers
            .iter()
            .enumerate()
            .filter(|(_, peer)| peer.0.gives_way.is_cancelled());
        gone.map(|(number, _)| number).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_without_a_head_gives_way_then_the_oldest_without_a_signature() {
        let (start, mut open) = (Instant::now(), Connections::new(AT_ONCE));
        let peers: Vec<_> = (0..AT_ONCE)
            .map(|n| open.add(address(u8::try_from(n).unwrap()), start).1)
            .collect();
        peers[0].trust();
        for peer in &peers[1..AT_ONCE - 1] {
            peer.asked();
        }
        assert_eq!(open.room_at(start), Some(start + MOMENT));
        let later = start + MOMENT;
        open.add(address(200), later).1.trust();
        assert_eq!(gave_way(&peers), [AT_ONCE - 1]);
        open.add(address(201), later).1.trust();
        assert_eq!(gave_way(&peers), [1, AT_ONCE - 1]);
        assert_eq!(open.open.len(), AT_ONCE);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_taken_while_all_places_are_those_of_signed_requests() {
        let (start, mut open) = (Instant::now(), Connections::new(AT_ONCE));
        let mut last = 0;
        for _ in 0..AT_ONCE {
            let (number, peer) = open.add(address(1), start);
            peer.trust();
            last = number;
        }
        assert_eq!(open.room_at(start), None);
        open.remove(last);
        assert_eq!(open.room_at(start), Some(start));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_gives_way_to_itself_beyond_half_of_the_places() {
        let (start, mut open) = (Instant::now(), Connections::new(AT_ONCE));
        let (_, other) = open.add(address(1), start);
        let signed: Vec<_> = (0..8).map(|_| open.add(address(2), start).1).collect();
        signed.iter().for_each(Peer::trust);
        let many: Vec<_> = (0..=OF_ONE_ADDRESS)
            .map(|_| open.add(address(2), start).1)
            .collect();
        assert_eq!(gave_way(&many), [0_usize; 0], "a crowd has its moment");
        open.add(address(2), start + MOMENT);
        assert_eq!(gave_way(&many), [0]);
        assert_eq!(gave_way(&signed), [0_usize; 0]);
        assert!(!other.0.gives_way.is_cancelled());
    }

    #[test]
    fn the_addresses_of_one_network_are_one() {
        let network = |text: &str| network_of(text.parse().unwrap());
        assert_eq!(network("2001:db8::1"), network("2001:db8::2:3"));
        assert_ne!(network("2001:db8:0:1::1"), network("2001:db8:0:2::1"));
        assert_eq!(network("::ffff:192.0.2.1"), address(1));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert!(network("::1").is_loopback() && network("127.0.0.1").is_loopback());
    }
}
