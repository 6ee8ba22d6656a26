//! The values that were noted last, by their keys: as many as there is room for.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most keys that are remembered.
const ROOM: usize = 1_024;

/// Values by their keys. Where there is no room, the key goes that was noted first, however often since.
#[derive(Debug)]
pub(crate) struct Recent<K, V>(Mutex<Noted<K, V>>);

#[derive(Debug)]
struct Noted<K, V> {
    values: HashMap<K, V>,
    /// The keys, the oldest first.
    order: VecDeque<K>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Noted {
            values: HashMap::new(),
            order: VecDeque::new(),
        }))
    }
}

impl<K: Eq + Hash + Clone, V: Clone> Recent<K, V> {
    /// The value that was noted last for a key.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.lock().values.get(key).cloned()
    }

    /// Notes the value of a key.
    pub(crate) fn note(&self, key: &K, value: V) {
        let mut noted = self.lock();
        if noted.values.insert(key.clone(), value).is_none() {
            noted.order.push_back(key.clone());
        }
        if noted.order.len() > ROOM
            && let Some(oldest) = noted.order.pop_front()
        {
            noted.values.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Noted<K, V>> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{ROOM, Recent};

    #[test]
    fn the_oldest_key_goes_whatever_its_place_in_the_alphabet() {
        let recent = Recent::default();
        recent.note(&"z".to_owned(), 0);
        recent.note(&"z".to_owned(), 1);
        assert_eq!(recent.get(&"z".to_owned()), Some(1));
        for number in 0..ROOM {
            recent.note(&format!("a{number}"), number);
        }
        assert_eq!(recent.get(&"z".to_owned()), None);
        assert_eq!(recent.get(&"a0".to_owned()), Some(0));
        assert_eq!(recent.lock().values.len(), ROOM);
    }
}
