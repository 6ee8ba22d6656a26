//! Patterns as one automaton over bytes, built once for a configuration.
//!
//! The automaton is simulated state by state (see `run`), never turned back, so that work is linear in the
//! text whatever the patterns are.

use super::{
    literal::{CREDENTIAL, literally, parts},
    memo::{MOST, Memo},
    settings::RedactSettings,
    table::SECRETS,
    tell::KnownBy,
};
use regex_automata::{
    nfa::thompson::{NFA, State, WhichCaptures},
    util::{look::Look, primitives::StateID, syntax},
};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The name of the operator's own patterns.
const OWN: &str = "extra";

/// A state of the automaton, by its place.
pub(super) type Place = u32;

#[derive(Debug)]
pub(super) enum Node {
    /// Takes one byte in a range.
    Bytes(Box<[(u8, u8, Place)]>),
    /// Goes on in several places.
    Split(Box<[Place]>),
    /// Goes on where the bytes before and after allow it.
    Look(Look, Place),
    /// What is masked begins here.
    Open(Place),
    /// What is masked ends here.
    Close(Place),
    /// The pattern is complete.
    Match,
    Fail,
}

/// What stands before a byte, as far as it matters for the beginning of a pattern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) enum Before {
    #[default]
    Nothing,
    Word,
    LineFeed,
    Other,
}

impl Before {
    const ALL: [Self; 4] = [Self::Nothing, Self::Word, Self::LineFeed, Self::Other];

    pub(super) const fn of(byte: u8) -> Self {
        match byte {
            b'\n' => Self::LineFeed,
            byte if is_word(byte) => Self::Word,
            _ => Self::Other,
        }
    }

    /// A byte of this kind.
    const fn byte(self) -> Option<u8> {
        match self {
            Self::Nothing => None,
            Self::Word => Some(b'a'),
            Self::LineFeed => Some(b'\n'),
            Self::Other => Some(b' '),
        }
    }
}

/// Where a pattern goes with its first byte, and what it masks of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seed {
    pub(super) to: Place,
    pub(super) masks: Masks,
}

/// What a pattern masks at its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Masks {
    /// No group has begun.
    Nothing,
    /// A group has begun.
    FromHere,
    /// A group was empty.
    Closed,
}

/// What is looked for: the known secrets, the operator's own, and what is never masked.
#[derive(Debug)]
pub struct Patterns {
    pub(super) nodes: Vec<Node>,
    /// The pattern each node belongs to.
    pub(super) owner: Vec<u16>,
    names: Vec<&'static str>,
    /// Patterns from here on are the allow list.
    allowed_from: u16,
    /// By what stands before, then by byte.
    seeds: Vec<Box<[Seed]>>,
    /// Steps that were taken before, and for how many situations there is room.
    memo: Mutex<Option<Arc<Memo>>>,
    room: u16,
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError(pub(super) String);

impl std::fmt::Display for PatternError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}

static DEFAULT: LazyLock<Arc<Patterns>> = LazyLock::new(|| {
    let settings = RedactSettings::default();
    Arc::new(Patterns::build(&settings))
});

impl Patterns {
    /// What these settings look for. The default's is built once in a process.
    pub fn new(settings: &RedactSettings) -> Arc<Self> {
        if *settings == RedactSettings::default() {
            return Arc::clone(&DEFAULT);
        }
        Arc::new(Self::build(settings))
    }

    /// Only what the journal wrote for a secret: for reading a raw text of it once more.
    pub fn masked() -> Arc<Self> {
        static MASKED: LazyLock<Arc<Patterns>> = LazyLock::new(|| {
            let settings = RedactSettings::default();
            Arc::new(Patterns::build_of(&settings, |id| id == "masked", &[]))
        });
        Arc::clone(&MASKED)
    }

    /// Looks for what these settings say, and for these texts wherever they stand: credentials that are known by
    /// value. Those of less than eight bytes are left out.
    pub fn knowing(settings: &RedactSettings, credentials: &[String]) -> Arc<Self> {
        if credentials.is_empty() {
            return Self::new(settings);
        }
        Arc::new(Self::build_of(settings, |_| true, credentials))
    }

    /// Looks for these texts alone, as [`Patterns::knowing`] does, less what the settings never mask.
    pub fn only(settings: &RedactSettings, credentials: &[String]) -> Arc<Self> {
        let settings = RedactSettings {
            allow: settings.allow.clone(),
            ..RedactSettings::default()
        };
        Arc::new(Self::build_of(&settings, |_| false, credentials))
    }

    fn build(settings: &RedactSettings) -> Self {
        Self::build_of(settings, |_| true, &[])
    }

    fn build_of(settings: &RedactSettings, wanted: impl Fn(&str) -> bool, credentials: &[String]) -> Self {
        let mut patterns = Self::empty();
        let mut starts = Vec::new();
        let on = |id: &str| match id {
            "email" => settings.email,
            "phone" => settings.phone,
            _ => true,
        };
        let known = SECRETS.iter().filter(|row| on(row.id) && wanted(row.id));
        let known = known.map(|row| (row.id, row.pattern()));
        let own = settings
            .extra
            .iter()
            .map(|own| (OWN, own.pattern.as_str().to_owned()));
        // The table's patterns compile (a test says so); the operator's were compiled when they were read.
        for (name, pattern) in known.chain(own) {
            starts.extend(patterns.add(name, &pattern).ok());
        }
        for part in credentials.iter().flat_map(|text| parts(text)) {
            starts.extend(patterns.add(CREDENTIAL, &part).ok());
        }
        patterns.allowed_from = patterns.count();
        for text in &settings.allow {
            starts.extend(patterns.add("allow", &literally(text)).ok());
        }
        patterns.sow(&starts);
        patterns
    }

    /// The same with room for so many remembered situations; with one it remembers nothing.
    #[cfg(test)]
    pub(super) fn with_room(settings: &RedactSettings, room: u16) -> Arc<Self> {
        Arc::new(Self {
            room,
            ..Self::build(settings)
        })
    }

    /// The same without one of the known secrets.
    #[cfg(test)]
    pub(super) fn without(settings: &RedactSettings, id: &str) -> Arc<Self> {
        Arc::new(Self::build_of(settings, |row| row != id, &[]))
    }

    pub(super) const fn empty() -> Self {
        Self {
            nodes: Vec::new(),
            owner: Vec::new(),
            names: Vec::new(),
            allowed_from: u16::MAX,
            seeds: Vec::new(),
            memo: Mutex::new(None),
            room: MOST,
        }
    }

    /// Steps that were taken before.
    pub(super) fn memo(&self) -> Arc<Memo> {
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(memo.get_or_insert_with(|| Arc::new(Memo::new(&self.nodes, self.room))))
    }

    /// An empty memo in place of this one; or what took its place already.
    pub(super) fn memo_after(&self, worn: &Arc<Memo>) -> Arc<Memo> {
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        memo.take_if(|memo| Arc::ptr_eq(memo, worn));
        drop(memo);
        self.memo()
    }

    fn count(&self) -> u16 {
        u16::try_from(self.names.len()).unwrap_or(u16::MAX)
    }

    /// Adds a pattern; answers where it begins.
    pub(super) fn add(&mut self, name: &'static str, pattern: &str) -> Result<Place, PatternError> {
        let nfa = NFA::compiler()
            .syntax(syntax::Config::new().unicode(false).utf8(false))
            .configure(
                NFA::config()
                    .utf8(false)
                    .which_captures(WhichCaptures::All)
                    .nfa_size_limit(Some(1 << 20)),
            )
            .build(pattern)
            .map_err(|error| PatternError(explain(&error)))?;
        let first = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let place = |id: StateID| first + id.as_u32();
        let pattern = regex_automata::PatternID::ZERO;
        // What is masked are the groups, or all.
        let groups = nfa.group_info().group_len(pattern) > 1;
        let owner = self.count();
        self.names.push(name);
        for state in nfa.states() {
            self.owner.push(owner);
            self.nodes.push(match state {
                State::ByteRange { trans } => {
                    Node::Bytes(Box::new([(trans.start, trans.end, place(trans.next))]))
                }
                State::Sparse(sparse) => {
                    let ranges = sparse.transitions.iter();
                    Node::Bytes(ranges.map(|t| (t.start, t.end, place(t.next))).collect())
                }
                State::Dense(dense) => {
                    let to = |byte| dense.matches_byte(byte).map(|to| (byte, byte, place(to)));
                    Node::Bytes((0..=255).filter_map(to).collect())
                }
                State::Look { look, next } => Node::Look(*look, place(*next)),
                State::Union { alternates } => Node::Split(alternates.iter().map(|id| place(*id)).collect()),
                State::BinaryUnion { alt1, alt2 } => Node::Split(Box::new([place(*alt1), place(*alt2)])),
                State::Capture {
                    next,
                    group_index,
                    slot,
                    ..
                } => {
                    let counts = (group_index.as_usize() > 0) == groups;
                    let opens = slot.as_usize() % 2 == 0;
                    match (counts, opens) {
                        (true, true) => Node::Open(place(*next)),
                        (true, false) => Node::Close(place(*next)),
                        (false, _) => Node::Split(Box::new([place(*next)])),
                    }
                }
                State::Fail => Node::Fail,
                State::Match { .. } => Node::Match,
            });
        }
        Ok(place(nfa.start_anchored()))
    }

    /// Works out where every pattern goes with its first byte, so that a text without secrets costs a look
    /// into a table a byte.
    fn sow(&mut self, starts: &[Place]) {
        let mut seeds = Vec::with_capacity(4 * 256);
        let mut seen = vec![0; self.nodes.len()];
        for before in Before::ALL {
            for byte in 0..=255_u8 {
                let round = seeds.len() + 1;
                let fresh = |at: Place| std::mem::replace(&mut seen[at as usize], round) != round;
                seeds.push(self.first(starts, before, byte, fresh));
            }
        }
        self.seeds = seeds;
    }

    /// Where patterns go with their first byte; `fresh` says whether a state is entered for the first time.
    fn first(
        &self,
        starts: &[Place],
        before: Before,
        byte: u8,
        mut fresh: impl FnMut(Place) -> bool,
    ) -> Box<[Seed]> {
        let mut into = Vec::new();
        let mut open: Vec<(Place, Masks)> = starts.iter().rev().map(|at| (*at, Masks::Nothing)).collect();
        while let Some((at, masks)) = open.pop() {
            if !fresh(at) {
                continue;
            }
            match self.node(at) {
                Node::Bytes(ranges) => {
                    if let Some(to) = taken(ranges, byte) {
                        into.push(Seed { to, masks });
                    }
                }
                Node::Split(all) => open.extend(all.iter().rev().map(|next| (*next, masks))),
                Node::Look(look, next) if holds(*look, before, Some(byte)) => open.push((*next, masks)),
                Node::Open(next) => open.push((*next, Masks::FromHere)),
                // A group without a byte.
                Node::Close(next) => open.push((*next, Masks::Closed)),
                Node::Look(..) | Node::Match | Node::Fail => {}
            }
        }
        into.into_boxed_slice()
    }

    /// What a pattern of the table, or of the operator, is known as.
    pub(super) fn known_by(&self, owner: u16) -> KnownBy {
        let (before, rest) = self.names.split_at(usize::from(owner));
        match rest[0] {
            OWN => KnownBy::Own(before.iter().filter(|name| **name == OWN).count()),
            id => KnownBy::Known(id),
        }
    }

    pub(super) fn node(&self, at: Place) -> &Node {
        &self.nodes[at as usize]
    }

    pub(super) fn seeds(&self, before: Before, byte: u8) -> &[Seed] {
        &self.seeds[before as usize * 256 + usize::from(byte)]
    }

    /// Whether a node belongs to the allow list.
    pub(super) fn allows(&self, at: Place) -> bool {
        self.owner[at as usize] >= self.allowed_from
    }

    /// The kind of secret that a node belongs to.
    pub(super) fn name(&self, at: Place) -> &'static str {
        self.names[usize::from(self.owner[at as usize])]
    }
}

fn explain(error: &impl std::error::Error) -> String {
    let cause = error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string);
    let last = cause.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.unwrap_or("it cannot be read").trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

pub(super) fn taken(ranges: &[(u8, u8, Place)], byte: u8) -> Option<Place> {
    ranges
        .iter()
        .find(|(low, high, _)| (*low..=*high).contains(&byte))
        .map(|(.., to)| *to)
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether an assertion holds between two bytes; no byte `after` is the end.
pub(super) fn holds(look: Look, before: Before, after: Option<u8>) -> bool {
    let before = before.byte();
    let word = |byte: Option<u8>| byte.is_some_and(is_word);
    match look {
        Look::Start => before.is_none(),
        Look::End => after.is_none(),
        Look::StartLF | Look::StartCRLF => before.is_none_or(|byte| byte == b'\n'),
        Look::EndLF | Look::EndCRLF => after.is_none_or(|byte| byte == b'\n'),
        Look::WordAscii | Look::WordUnicode => word(before) != word(after),
        Look::WordAsciiNegate | Look::WordUnicodeNegate => word(before) == word(after),
        Look::WordStartAscii | Look::WordStartUnicode => !word(before) && word(after),
        Look::WordEndAscii | Look::WordEndUnicode => word(before) && !word(after),
        Look::WordStartHalfAscii | Look::WordStartHalfUnicode => !word(before),
        Look::WordEndHalfAscii | Look::WordEndHalfUnicode => !word(after),
    }
}
