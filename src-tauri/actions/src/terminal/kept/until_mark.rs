//! The end of what was written before: a text that only we know, looked for in the bytes of a terminal.

/// Looks for a mark in bytes that come in parts.
pub(super) struct UntilMark {
    mark: Vec<u8>,
    /// Bytes that may be the beginning of the mark.
    held: Vec<u8>,
}

impl UntilMark {
    pub(super) fn new(mark: &str) -> Self {
        Self {
            mark: mark.into(),
            held: Vec::new(),
        }
    }

    /// Takes what came next. Gives what is no part of the mark, and the bytes behind the mark once it has come.
    pub(super) fn add(&mut self, bytes: &[u8]) -> (Vec<u8>, Option<Vec<u8>>) {
        self.held.extend(bytes);
        let mark = self.mark.len();
        if let Some(at) = self.held.windows(mark).position(|part| part == self.mark) {
            let behind = self.held.split_off(at + mark);
            self.held.truncate(at);
            return (std::mem::take(&mut self.held), Some(behind));
        }
        let free = self.held.len().saturating_sub(mark - 1);
        (self.held.drain(..free).collect(), None)
    }

    /// The bytes that were held back, where the mark does not come.
    pub(super) fn rest(self) -> Vec<u8> {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_across_parts_and_nothing_of_the_rest_is_lost() {
        let all = b"12 121 before123behind";
        for size in 1..all.len() {
            let mut until = UntilMark::new("123");
            let (mut before, mut behind) = (Vec::new(), Vec::new());
            let mut parts = all.chunks(size);
            for part in parts.by_ref() {
                let (free, rest) = until.add(part);
                before.extend(free);
                if let Some(rest) = rest {
                    behind.extend(rest);
                    break;
                }
            }
            behind.extend(parts.flatten());
            assert_eq!(
                (before.as_slice(), behind.as_slice()),
                (&b"12 121 before"[..], &b"behind"[..]),
                "{size}"
            );
        }
        let mut until = UntilMark::new("123");
        assert_eq!(until.add(b"x12"), (b"x".to_vec(), None));
        assert_eq!(until.rest(), b"12");
    }
}
