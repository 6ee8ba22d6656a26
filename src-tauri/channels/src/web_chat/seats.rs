//! How many streams are open, and whose.

use super::limits::{STREAMS, STREAMS_OF_ADDRESS};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// The open streams by address.
#[derive(Debug, Clone, Default)]
pub(super) struct Seats(Arc<Mutex<BTreeMap<IpAddr, usize>>>);

/// A place for one stream, free again when it is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Seats,
    address: IpAddr,
}

impl Seats {
    /// A place; `None` where all, or all of that address, are taken.
    pub(super) fn take(&self, address: IpAddr) -> Option<Seat> {
        self.with(|taken| {
            let own = taken.get(&address).copied().unwrap_or_default();
            let is_crowd = own >= STREAMS_OF_ADDRESS && !address.is_loopback();
            if is_crowd || taken.values().sum::<usize>() >= STREAMS {
                return false;
            }
            taken.insert(address, own + 1);
            true
        })
        .then(|| Seat {
            seats: self.clone(),
            address,
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut BTreeMap<IpAddr, usize>) -> T) -> T {
        // Every change leaves it whole.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.with(|taken| {
            let left = taken.get(&self.address).copied().unwrap_or_default();
            match left {
                0 | 1 => taken.remove(&self.address),
                _ => taken.insert(self.address, left - 1),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_some_and_all_have_their_number() {
        let seats = Seats::default();
        let [one, local] = ["192.0.2.1", "127.0.0.1"].map(|ip| ip.parse::<IpAddr>().unwrap());
        let of_one: Vec<_> = (0..STREAMS_OF_ADDRESS)
            .map(|_| seats.take(one).unwrap())
            .collect();
        assert!(seats.take(one).is_none());
        let of_local: Vec<_> = (STREAMS_OF_ADDRESS..STREAMS)
            .map(|_| seats.take(local).unwrap())
            .collect();
        assert!(seats.take(local).is_none());
        drop(of_one);
        assert!(seats.take(one).is_some() && seats.take(local).is_some());
        drop(of_local);
        assert!(seats.0.lock().unwrap().is_empty());
    }
}
