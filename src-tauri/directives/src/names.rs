//! The tag names this scanner knows, as one list for all dialects.

use crate::lex::{Source, is_name, same_word};
use crate::{ChildRow, Dialect, GUARD, GuardKind, GuardRow, Settings};

/// A known name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Actions,
    NoReply,
    /// An index into the table of children.
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
    /// Those that begin with the same letter stand together.
    list: Vec<(String, Name)>,
    guard: Vec<GuardRow>,
    children: &'static [ChildRow],
    /// For each letter, in either case, where in the list its names begin and end.
    letters: [(u32, u32); 256],
}

impl Names {
    pub(crate) fn new(settings: &Settings, children: &'static [ChildRow]) -> Self {
        let mut list = Vec::new();
        if settings.has(Dialect::Actions) {
            list.push(("actions".to_owned(), Name::Actions));
            list.extend(
                children
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
        let letter = |name: &str| name.as_bytes().first().copied();
        let order: Vec<_> = list.iter().map(|(name, _)| letter(name)).collect();
        list.sort_by_key(|(name, _)| order.iter().position(|first| *first == letter(name)));
        let mut letters = [(0, 0); 256];
        for (index, (name, _)) in list.iter().enumerate() {
            let Some(b) = letter(name) else { continue };
            let (start, end) = &mut letters[usize::from(b)];
            if start == end {
                *start = index as u32;
            }
            *end = index as u32 + 1;
            letters[usize::from(b.to_ascii_uppercase())] = (*start, *end);
        }
        Self {
            list,
            guard,
            children,
            letters,
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
            Name::Child(i) => self.children[i].name,
            Name::Guard(i) => GUARD
                .iter()
                .find(|(known, _)| *known == self.guard[i].name)
                .map_or("guard", |(known, _)| known),
        }
    }

    /// How many bytes of the name nobody needs to read again; of operators' own names that is not known.
    pub(crate) fn known_len(&self, name: Name) -> usize {
        match name {
            Name::Guard(_) => 0,
            _ => self.fixed(name).len(),
        }
    }

    pub(crate) fn children(&self) -> &'static [ChildRow] {
        self.children
    }

    pub(crate) fn guard_kind(&self, index: usize) -> GuardKind {
        self.guard[index].kind
    }

    pub(crate) fn guard_count(&self) -> usize {
        self.guard.len()
    }

    /// Reads the name after a `<` at `at`, among the bytes up to `end`; `whole` says that no more will come.
    pub(crate) fn at(&self, source: &Source, at: usize, end: usize, whole: bool) -> Named {
        let rest = source.bytes((at + 1).min(end), end);
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        source.spend(1);
        let candidates = match rest.first() {
            Some(first) => {
                let (start, end) = self.letters[usize::from(*first)];
                &self.list[start as usize..end as usize]
            }
            None => &self.list,
        };
        let mut partial = None;
        for (known, name) in candidates {
            source.spend(1);
            // Most are not as long as what stands there, which is quicker to see.
            let there = match rest.get(known.len()) {
                Some(b) if is_name(*b) => continue,
                Some(_) => &rest[..known.len()],
                None => rest,
            };
            if !same_word(there, &known.as_bytes()[..there.len()]) {
                continue;
            }
            source.spend(there.len());
            if there.len() < rest.len() || (whole && there.len() == known.len()) {
                return Named::Known(*name);
            }
            if !whole {
                partial = partial.or(Some(*name));
            }
        }
        partial.map_or(Named::Unknown, Named::Partial)
    }

    /// The known name most like `name`, which is in lower case, if it is like one at all.
    pub(crate) fn nearest(&self, source: &Source, name: &str) -> Option<&str> {
        let own = |(_, known): &&(String, Name)| !matches!(known, Name::Guard(_));
        let known = self.list.iter().filter(own).map(|(known, _)| known.as_str());
        nearest(source, name, known)
    }
}

/// The one of `known` that is most like `name`, if one is like it at all.
pub(crate) fn nearest<'a>(
    source: &Source,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let likely = known.filter_map(|known| {
        let most = 1 + known.len() / 4;
        // So much do words of other lengths differ at least; few are ever compared.
        if known.len().abs_diff(name.len()) > most {
            return None;
        }
        source.spend(known.len());
        let distance = strsim::osa_distance(name, known);
        (distance <= most).then_some((distance, known))
    });
    likely.min().map(|(_, known)| known)
}
