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
        let opens = self.nodes.iter().filter_map(|node| match node {
            Node::Open(next) => Some(*next),
            _ => None,
        });
        let mut waiting: Vec<Place> = opens.collect();
        // Where everything before is certain, what follows is a stretch of its own.
        let mut started = vec![false; self.nodes.len()];
        let mut longest = 0;
        while let Some(from) = waiting.pop() {
            let mut front = vec![from];
            let mut length = 0;
            while !front.is_empty() {
                if length > WINDOW {
                    return None;
                }
                length += 1;
                let mut here = vec![false; self.nodes.len()];
                let mut next = Vec::new();
                while let Some(at) = front.pop() {
                    if std::mem::replace(&mut here[at as usize], true) {
                        continue;
                    }
                    match self.node(at) {
                        Node::Bytes(ranges) => {
                            for (_, _, to) in ranges {
                                if !self.is_certain(*to) {
                                    next.push(*to);
                                } else if !std::mem::replace(&mut started[*to as usize], true) {
                                    waiting.push(*to);
                                }
                            }
                        }
                        Node::Split(all) => front.extend(all.iter().copied()),
                        Node::Look(_, to) | Node::Open(to) | Node::Close(to) => front.push(*to),
                        Node::Match | Node::Fail => {}
                    }
                }
                next.sort_unstable();
                next.dedup();
                front = next;
            }
            longest = longest.max(length);
        }
        Some(longest)
    }

    /// Whether the pattern is complete here, whatever follows.
    fn is_certain(&self, at: Place) -> bool {
        let mut seen = Vec::new();
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            if seen.contains(&at) {
                continue;
            }
            seen.push(at);
            match self.node(at) {
                Node::Match => return true,
                Node::Split(all) => open.extend(all.iter().copied()),
                Node::Open(next) | Node::Close(next) => open.push(*next),
                Node::Bytes(_) | Node::Look(..) | Node::Fail => {}
            }
        }
        false
    }
}
