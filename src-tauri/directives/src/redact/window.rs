//! How long a pattern may keep text waiting: a bound that every pattern has, or it is refused.

use super::compile::{Node, PatternError, Patterns, Place};

/// Longest stretch of a secret that may be waited for, in bytes.
pub(crate) const WINDOW: usize = 512;

/// Checks a pattern of the operator.
pub(super) fn check(pattern: &str) -> Result<(), PatternError> {
    let mut alone = Patterns::empty();
    let start = alone.add("extra", pattern)?;
    if alone.is_certain(start) {
        return Err(PatternError(
            "it matches nothing at all, which stands everywhere".to_owned(),
        ));
    }
    match alone.window() {
        Some(_) => Ok(()),
        None => Err(PatternError(format!(
            "more than {WINDOW} bytes may pass before it is certain; write {{1,64}} instead of + or *, except at its end"
        ))),
    }
}

impl Patterns {
    /// How many bytes of each known secret may have to be waited for.
    #[cfg(test)]
    pub(super) fn windows() -> Vec<(&'static str, Option<usize>)> {
        use super::table::{SECRETS, SecretRow};
        let window = |row: &SecretRow| {
            let mut alone = Self::empty();
            alone.add(row.id, &row.pattern()).expect(row.id);
            (row.id, alone.window())
        };
        SECRETS.iter().map(window).collect()
    }

    /// How many bytes of a secret may have to be waited for until it is certain: at most [`WINDOW`].
    /// `None` when there is no such bound, or a larger one.
    fn window(&self) -> Option<usize> {
        let certain = self.certain();
        let mut front = self.stretches(&certain);
        let mut seen = vec![0; self.nodes.len()];
        let mut length = 0;
        // All stretches at once: the longest is the last to end.
        while !front.is_empty() {
            if length > WINDOW {
                return None;
            }
            length += 1;
            let mut next = Vec::new();
            while let Some(at) = front.pop() {
                if std::mem::replace(&mut seen[at as usize], length) == length {
                    continue;
                }
                match self.node(at) {
                    Node::Bytes(ranges) => {
                        next.extend(
                            ranges
                                .iter()
                                .map(|range| range.2)
                                .filter(|to| !certain[*to as usize]),
                        );
                    }
                    Node::Split(all) => front.extend(all.iter().copied()),
                    Node::Look(_, to) | Node::Open(to) | Node::Close(to) => front.push(*to),
                    Node::Match | Node::Fail => {}
                }
            }
            front = next;
        }
        Some(length)
    }

    /// Where something begins that may have to be waited for: behind the opening of a group, and behind what is
    /// certain.
    fn stretches(&self, certain: &[bool]) -> Vec<Place> {
        let opens = self.nodes.iter().filter_map(|node| match node {
            Node::Open(next) => Some(*next),
            _ => None,
        });
        let mut starts: Vec<Place> = opens.collect();
        let mut open = starts.clone();
        let mut seen = vec![false; self.nodes.len()];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            match self.node(at) {
                Node::Bytes(ranges) => {
                    let to = ranges.iter().map(|range| range.2);
                    starts.extend(to.clone().filter(|to| certain[*to as usize]));
                    open.extend(to);
                }
                Node::Split(all) => open.extend(all.iter().copied()),
                Node::Look(_, to) | Node::Open(to) | Node::Close(to) => open.push(*to),
                Node::Match | Node::Fail => {}
            }
        }
        starts
    }

    /// Whether the pattern is complete here, whatever follows.
    fn is_certain(&self, at: Place) -> bool {
        self.certain()[at as usize]
    }

    /// The same of every state.
    fn certain(&self) -> Vec<bool> {
        let mut from: Vec<Vec<Place>> = vec![Vec::new(); self.nodes.len()];
        let mut open = Vec::new();
        for (at, node) in (0..).zip(&self.nodes) {
            match node {
                Node::Match => open.push(at),
                Node::Split(all) => all.iter().for_each(|to| from[*to as usize].push(at)),
                Node::Open(to) | Node::Close(to) => from[*to as usize].push(at),
                Node::Bytes(_) | Node::Look(..) | Node::Fail => {}
            }
        }
        let mut certain = vec![false; self.nodes.len()];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut certain[at as usize], true) {
                open.append(&mut from[at as usize]);
            }
        }
        certain
    }
}
