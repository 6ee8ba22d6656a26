//! Which texts stand within a message, asked in as many steps as the text asked for has bytes.

use crate::lex::Source;

/// No state, or no edge.
const NONE: usize = usize::MAX;

/// A set of texts that end at the same places of the message, the longest of which has `len` bytes.
#[derive(Debug, Clone, Copy)]
struct State {
    len: usize,
    /// The state of the longest of their ends that stand elsewhere too.
    suffix: usize,
    /// The first of the edges that leave it.
    edges: usize,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    byte: u8,
    to: usize,
    /// The next edge that leaves the same state.
    next: usize,
}

/// Every text within a message, as a suffix automaton: fewer than two states and three edges for each of its
/// bytes, made by reading it once. A search through the message for each text that is asked for would cost the
/// product of what the user and the agent write.
#[derive(Debug)]
pub(super) struct Within {
    states: Vec<State>,
    edges: Vec<Edge>,
}

impl Within {
    /// The texts of a message; `count` counts what was examined.
    pub(super) fn of(message: &str, count: &Source) -> Self {
        let mut within = Self {
            states: vec![State {
                len: 0,
                suffix: NONE,
                edges: NONE,
            }],
            edges: Vec::new(),
        };
        let mut last = 0;
        for byte in message.bytes() {
            last = within.add(last, byte, count);
        }
        within
    }

    /// Whether the message holds this text.
    pub(super) fn contains(&self, text: &str, count: &Source) -> bool {
        let mut state = 0;
        text.bytes().all(|byte| match self.edge(state, byte, count) {
            Some(edge) => {
                state = self.edges[edge].to;
                true
            }
            None => false,
        })
    }

    /// The edge by which a byte leaves a state.
    fn edge(&self, state: usize, byte: u8, count: &Source) -> Option<usize> {
        let mut at = self.states[state].edges;
        while at != NONE {
            count.spend(1);
            let edge = self.edges[at];
            if edge.byte == byte {
                return Some(at);
            }
            at = edge.next;
        }
        None
    }

    fn state(&mut self, state: State) -> usize {
        self.states.push(state);
        self.states.len() - 1
    }

    fn lead(&mut self, from: usize, byte: u8, to: usize) {
        let state = &mut self.states[from];
        let next = std::mem::replace(&mut state.edges, self.edges.len());
        self.edges.push(Edge { byte, to, next });
    }

    /// Reads the next byte behind the message so far, which is the state `last`: what it is then.
    fn add(&mut self, last: usize, byte: u8, count: &Source) -> usize {
        let longer = self.state(State {
            len: self.states[last].len + 1,
            suffix: 0,
            edges: NONE,
        });
        let mut from = last;
        while from != NONE {
            count.spend(1);
            if let Some(edge) = self.edge(from, byte, count) {
                self.states[longer].suffix = self.end_of(from, edge, count);
                break;
            }
            self.lead(from, byte, longer);
            from = self.states[from].suffix;
        }
        longer
    }

    /// The state to which `edge` leads, of texts one byte longer than those of `from` only: those that are
    /// longer still do not stand here, so they are set apart.
    fn end_of(&mut self, from: usize, edge: usize, count: &Source) -> usize {
        let (byte, to) = (self.edges[edge].byte, self.edges[edge].to);
        let len = self.states[from].len + 1;
        if self.states[to].len == len {
            return to;
        }
        let State {
            suffix, mut edges, ..
        } = self.states[to];
        let apart = self.state(State {
            len,
            suffix,
            edges: NONE,
        });
        while edges != NONE {
            count.spend(1);
            let Edge { byte, to, next } = self.edges[edges];
            self.lead(apart, byte, to);
            edges = next;
        }
        self.states[to].suffix = apart;
        let mut shorter = from;
        while shorter != NONE {
            count.spend(1);
            match self.edge(shorter, byte, count) {
                Some(edge) if self.edges[edge].to == to => self.edges[edge].to = apart,
                _ => break,
            }
            shorter = self.states[shorter].suffix;
        }
        apart
    }
}
