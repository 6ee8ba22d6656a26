//! Steps of the automaton that were taken before: prose takes the same few again and again, and then each costs
//! a look into a table.
//!
//! What the automaton knows between two bytes is a [`Situation`]. Its places count back from the byte that was
//! read last, so the same word makes the same situation wherever it stands. Only short waits are remembered, and
//! only so many situations; everything else is worked out anew, so nothing depends on what is remembered. A memo
//! that is full and of little use any more is replaced by an empty one.

use super::{
    compile::{Before, Node},
    run::{NONE, Thread},
};
use crate::Span;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU16, AtomicUsize, Ordering},
    },
};

/// Most situations that are remembered.
pub(super) const MOST: u16 = 4_096;
/// Most threads of one of them.
const MOST_THREADS: usize = 64;
/// Most bytes that lie back what one of them knows.
const MOST_BACK: usize = 64;

/// A step that was not taken yet.
const UNKNOWN: u16 = 0;
/// A step that has to be worked out each time: it finds something, or its end is not remembered.
const EACH_TIME: u16 = 1;
/// Nothing was read.
pub(super) const START: u16 = 2;

/// Stands for the end of the text: no byte of a text has this value.
pub(super) const END: u8 = 0xff;

/// What the automaton knows between two bytes.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Situation {
    /// In the order of what they would mask; places count back from the last byte.
    pub(super) threads: Box<[Thread]>,
    pub(super) before: Before,
    /// How many bytes of an unfinished character were read, and how many are left.
    pub(super) character: (u8, u8),
}

/// The situations that are known, and the steps between them.
#[derive(Debug)]
pub(super) struct Memo {
    /// Bytes between which no pattern makes a difference have one class.
    classes: Box<[u8; 256]>,
    /// Where a situation goes with a class: by situation, then by class, for which there are so many bits.
    bits: u32,
    steps: Box<[AtomicU16]>,
    situations: Box<[OnceLock<Arc<Situation>>]>,
    numbers: Mutex<HashMap<Arc<Situation>, u16>>,
    /// How often there was no room for a situation.
    missed: AtomicUsize,
}

impl Memo {
    /// For patterns of these nodes; with room for so many situations, of which one is taken.
    pub(super) fn new(nodes: &[Node], most: u16) -> Self {
        let size = usize::from(START + most);
        let classes = classes(nodes);
        // The last byte, the end, is a class of its own: the last.
        let bits = u8::BITS - classes[usize::from(END)].leading_zeros();
        let memo = Self {
            classes: Box::new(classes),
            bits,
            steps: (0..size << bits).map(|_| AtomicU16::new(UNKNOWN)).collect(),
            situations: (0..size).map(|_| OnceLock::new()).collect(),
            numbers: Mutex::default(),
            missed: AtomicUsize::new(0),
        };
        memo.number(Situation::default());
        memo
    }

    /// Takes remembered steps as far as they go; answers where they end and how many they were.
    pub(super) fn follow(&self, from: u16, bytes: &[u8]) -> (u16, usize) {
        let mut here = from;
        for (read, byte) in bytes.iter().enumerate() {
            let next = self.step(here, *byte).load(Ordering::Acquire);
            if next <= EACH_TIME {
                return (here, read);
            }
            here = next;
        }
        (here, bytes.len())
    }

    /// Remembers a step that was worked out; `None` where it is to be worked out each time.
    pub(super) fn remember(&self, from: u16, byte: u8, to: Option<u16>) {
        self.step(from, byte)
            .store(to.unwrap_or(EACH_TIME), Ordering::Release);
    }

    pub(super) fn situation(&self, number: u16) -> &Situation {
        // Numbers are given out together with what they stand for.
        self.situations[usize::from(number)].get_or_init(Arc::default)
    }

    /// The number of a situation, while there is room for it.
    pub(super) fn number(&self, situation: Situation) -> Option<u16> {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbers.get(&situation) {
            return Some(*number);
        }
        let number = START + u16::try_from(numbers.len()).ok()?;
        let Some(place) = self.situations.get(usize::from(number)) else {
            self.missed.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        let situation = Arc::new(situation);
        place.get_or_init(|| Arc::clone(&situation));
        numbers.insert(situation, number);
        Some(number)
    }

    /// Whether room was missing so often that an empty one would be of more use, its filling included.
    pub(super) fn is_worn(&self) -> bool {
        self.missed.load(Ordering::Relaxed) > 4 * self.situations.len()
    }

    fn step(&self, from: u16, byte: u8) -> &AtomicU16 {
        &self.steps[usize::from(from) << self.bits | usize::from(self.classes[usize::from(byte)])]
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.numbers.lock().unwrap().len()
    }
}

impl Situation {
    /// What threads know after `read` bytes; `None` where that is too much to remember.
    pub(super) fn of(threads: &[Thread], read: usize, before: Before, character: Span) -> Option<Self> {
        if threads.len() > MOST_THREADS {
            return None;
        }
        let back = |place: usize| match place {
            NONE => Some(NONE),
            place => read.checked_sub(place).filter(|back| *back <= MOST_BACK),
        };
        let threads = threads.iter().map(|thread| {
            let (from, to) = (back(thread.from)?, back(thread.to)?);
            Some(Thread { from, to, ..*thread })
        });
        let byte = |count: usize| u8::try_from(count).ok();
        Some(Self {
            threads: threads.collect::<Option<_>>()?,
            before,
            character: if read < character.end {
                (byte(read - character.start)?, byte(character.end - read)?)
            } else {
                (0, 0)
            },
        })
    }

    /// The threads after `read` bytes.
    pub(super) fn threads(&self, read: usize) -> impl Iterator<Item = Thread> {
        let at = move |back: usize| if back == NONE { NONE } else { read - back };
        self.threads.iter().map(move |thread| Thread {
            from: at(thread.from),
            to: at(thread.to),
            ..*thread
        })
    }
}

/// The class of each byte.
fn classes(nodes: &[Node]) -> [u8; 256] {
    // Where a byte is told from the one before it.
    let mut begins = [false; 256];
    let mut tell = |low: u8, high: u8| {
        begins[usize::from(low)] = true;
        if let Some(behind) = begins.get_mut(usize::from(high) + 1) {
            *behind = true;
        }
    };
    let words = [
        (b'0', b'9'),
        (b'A', b'Z'),
        (b'_', b'_'),
        (b'a', b'z'),
        (b'\n', b'\n'),
    ];
    let characters = [(0x80, 0xbf), (0xc0, 0xdf), (0xe0, 0xef), (0xf0, 0xfe), (END, END)];
    for (low, high) in words.into_iter().chain(characters) {
        tell(low, high);
    }
    for node in nodes {
        if let Node::Bytes(ranges) = node {
            for (low, high, _) in ranges {
                tell(*low, *high);
            }
        }
    }
    let mut class = 0;
    let mut of = [0; 256];
    for byte in 1..256 {
        class += u8::from(begins[byte]);
        of[byte] = class;
    }
    of
}
