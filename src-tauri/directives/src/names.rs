//! The tag names this scanner knows, as one list for all dialects.

use crate::lex::{Source, is_name, same_word};
use crate::{CHILDREN, Dialect, GUARD, GuardKind, GuardRow, Settings};

/// A known name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Actions,
    NoReply,
    /// An index into [`CHILDREN`].
    Child(usize),
    /// An index into the guard's rows.
    Guard(usize),
}

/// What follows a `<` or `</`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    Known(Name),
    Unknown,
    /// The bytes end while they could still become a known name.
    Partial(Name),
}

#[derive(Debug)]
pub(crate) struct Names {
    list: Vec<(String, Name)>,
    guard: Vec<GuardRow>,
    /// For each byte, in either case, the first in the list that begins with it.
    first: [Option<u32>; 256],
    longest: usize,
}

impl Names {
    pub(crate) fn new(settings: &Settings) -> Self {
        let mut list = Vec::new();
        if settings.has(Dialect::Actions) {
            list.push(("actions".to_owned(), Name::Actions));
            list.extend(
                CHILDREN
                    .iter()
                    .enumerate()
                    .map(|(i, row)| (row.name.to_owned(), Name::Child(i))),
            );
        }
        if settings.has(Dialect::Silence) {
            list.push(("no-reply".to_owned(), Name::NoReply));
        }
        let mut guard: Vec<GuardRow> = Vec::new();
        if settings.has(Dialect::Guard) {
            let built_in = GUARD.iter().map(|(name, kind)| GuardRow {
                name: (*name).to_owned(),
                kind: *kind,
            });
            for row in settings.guard.iter().cloned().chain(built_in) {
                if guard.iter().all(|known| known.name != row.name) {
                    guard.push(row);
                }
            }
            list.extend(
                guard
                    .iter()
                    .enumerate()
                    .map(|(i, row)| (row.name.to_ascii_lowercase(), Name::Guard(i))),
            );
        }
        let mut first = [None; 256];
        for (index, (name, _)) in list.iter().enumerate().rev() {
            for b in name.bytes().take(1) {
                first[usize::from(b.to_ascii_lowercase())] = Some(index as u32);
                first[usize::from(b.to_ascii_uppercase())] = Some(index as u32);
            }
        }
        let longest = list.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        Self {
            list,
            guard,
            first,
            longest,
        }
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        self.list
            .iter()
            .find(|(_, known)| *known == name)
            .map_or("", |(text, _)| text)
    }

    /// A name that lives as long as the program, for holds: operators' own names have none.
    pub(crate) fn fixed(&self, name: Name) -> &'static str {
        match name {
            Name::Actions => "actions",
            Name::NoReply => "no-reply",
            Name::Child(i) => CHILDREN[i].name,
            Name::Guard(i) => GUARD
                .iter()
                .find(|(known, _)| *known == self.guard[i].name)
                .map_or("guard", |(known, _)| known),
        }
    }

    pub(crate) fn guard_kind(&self, index: usize) -> GuardKind {
        self.guard[index].kind
    }

    pub(crate) fn guard_count(&self) -> usize {
        self.guard.len()
    }

    /// Reads the name after a `<` at `at`, among the bytes up to `end`; `whole` says that no more will come.
    pub(crate) fn at(&self, source: &Source, at: usize, end: usize, whole: bool) -> Named {
        let slash = usize::from(source.byte(at + 1).is_some_and(|b| at + 1 < end && b == b'/'));
        let from = at + 1 + slash;
        let candidates = if from < end {
            let first = source.byte(from).and_then(|b| self.first[usize::from(b)]);
            let Some(first) = first else {
                source.spend(1);
                return Named::Unknown;
            };
            &self.list[first as usize..]
        } else {
            &self.list
        };
        let there = source.bytes(from.min(end), end.min(from + self.longest + 1));
        let len = there.iter().take_while(|b| is_name(**b)).count();
        source.spend(len + 1);
        let name = &there[..len];
        if from + len == end && !whole {
            let starts = |known: &str| known.as_bytes().get(..len).is_some_and(|k| same_word(k, name));
            let possible = candidates.iter().find(|(known, _)| starts(known));
            return possible.map_or(Named::Unknown, |(_, known)| Named::Partial(*known));
        }
        candidates
            .iter()
            .find(|(known, _)| same_word(known.as_bytes(), name))
            .map_or(Named::Unknown, |(_, known)| Named::Known(*known))
    }

    /// The known name most like `name`, if it is like one at all.
    pub(crate) fn nearest(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase();
        let best = self
            .list
            .iter()
            .filter(|(_, known)| !matches!(known, Name::Guard(_)));
        let best = best
            .map(|(known, _)| (distance(&name, known), known.as_str()))
            .min()?;
        (best.0 <= 1 + best.1.len() / 4).then_some(best.1)
    }
}

/// Edit distance of two short words, swaps of neighbours counting one.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(32).collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
