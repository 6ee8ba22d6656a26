//! What is masked, naively: every pattern is tried from every byte in every way, by its syntax tree. A secret is
//! the union of all that matches, whole characters of it, without what the allow list names.

use std::collections::{BTreeSet, HashMap};

use foldback_directives::redact::{MASK, RedactSettings, SECRETS, SecretRow};
use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind, Look},
};

/// A way to match so far: where it ends, and from where to where its groups reach.
type Way = (usize, Option<(usize, usize)>);

/// What some settings mask.
pub(crate) struct Naive {
    secrets: Vec<Hir>,
    allowed: Vec<String>,
}

impl Naive {
    pub(crate) fn new(settings: &RedactSettings) -> Self {
        let parser = || ParserBuilder::new().unicode(false).utf8(false).build();
        let known = SECRETS.iter().filter(|row| match row.id {
            "email" => settings.email,
            "phone" => settings.phone,
            _ => true,
        });
        let own = settings.extra.iter().map(|own| own.pattern.as_str().to_owned());
        let patterns = known.map(SecretRow::pattern).chain(own);
        Self {
            secrets: patterns
                .map(|pattern| parser().parse(&pattern).expect("a pattern that was taken"))
                .collect(),
            allowed: settings.allow.clone(),
        }
    }

    /// Whether each byte is masked.
    pub(crate) fn masked(&self, text: &str) -> Vec<bool> {
        let mut secret = vec![false; text.len()];
        let mut shown = secret.clone();
        let cover = |bytes: &mut [bool], from: usize, to: usize| {
            if from <= to {
                bytes[text.floor_char_boundary(from)..text.ceil_char_boundary(to)].fill(true);
            }
        };
        let mut reader = Reader::new(text);
        for start in 0..text.len() {
            for pattern in &self.secrets {
                let grouped = pattern.properties().explicit_captures_len() > 0;
                for (end, groups) in reader.ways(pattern, start) {
                    if !grouped {
                        cover(&mut secret, start, end);
                    } else if let Some((from, to)) = groups {
                        cover(&mut secret, from, to);
                    }
                }
            }
            for allowed in &self.allowed {
                if text.as_bytes()[start..].starts_with(allowed.as_bytes())
                    && stands_alone(text, start, allowed)
                {
                    cover(&mut shown, start, start + allowed.len());
                }
            }
        }
        secret
            .iter()
            .zip(shown)
            .map(|(secret, shown)| *secret && !shown)
            .collect()
    }
}

/// What is shown of a text of which these bytes are secret.
pub(crate) fn shown(text: &str, secret: &[bool]) -> String {
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        if !secret[at] {
            out.push(c);
        } else if at == 0 || !secret[at - 1] {
            out.push_str(MASK);
        }
    }
    out
}

/// What the journal keeps of it.
pub(crate) fn length_for_length(text: &str, secret: &[bool]) -> String {
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        if !secret[at] {
            out.push(c);
        }
        for byte in (at..at + c.len_utf8()).filter(|byte| secret[*byte]) {
            out.push(if byte == 0 || !secret[byte - 1] { '#' } else { '*' });
        }
    }
    out
}

/// Whether a word of the allow list is no part of a longer one.
fn stands_alone(text: &str, start: usize, allowed: &str) -> bool {
    let bytes = text.as_bytes();
    let end = start + allowed.len();
    let word = |byte: Option<&u8>| byte.copied().is_some_and(is_word);
    let goes_on = |before, after| word(before) && word(after);
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    !goes_on(before, bytes.get(start)) && !goes_on(bytes.get(end.wrapping_sub(1)), bytes.get(end))
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Reads a text by the patterns' syntax trees. What a node takes from where is remembered: parts that repeat or
/// choose ask for the same again from every way that leads there.
struct Reader<'a> {
    text: &'a [u8],
    known: HashMap<(*const Hir, usize), Vec<Way>>,
    /// How many ways were looked at, for the test that they are few.
    work: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text: text.as_bytes(),
            known: HashMap::new(),
            work: 0,
        }
    }

    /// Every way in which a pattern matches here.
    fn ways(&mut self, pattern: &Hir, at: usize) -> Vec<Way> {
        let rest = &self.text[at..];
        let way = (at, None);
        match pattern.kind() {
            HirKind::Empty => vec![way],
            HirKind::Literal(literal) => {
                let stands = rest.starts_with(&literal.0);
                stands
                    .then_some((at + literal.0.len(), None))
                    .into_iter()
                    .collect()
            }
            HirKind::Class(class) => {
                let len = taken(class, rest);
                len.map(|len| (at + len, None)).into_iter().collect()
            }
            HirKind::Look(look) => {
                let holds = holds(*look, self.text, at);
                holds.then_some(way).into_iter().collect()
            }
            HirKind::Concat(parts) => parts
                .iter()
                .fold(vec![way], |ways_here, part| self.each(&ways_here, part)),
            HirKind::Capture(_) | HirKind::Alternation(_) | HirKind::Repetition(_) => {
                let key = (std::ptr::from_ref(pattern), at);
                if let Some(known) = self.known.get(&key) {
                    return known.clone();
                }
                let ways = self.several(pattern, at);
                self.known.insert(key, ways.clone());
                ways
            }
        }
    }

    /// The same for what may take a text in several ways.
    fn several(&mut self, pattern: &Hir, at: usize) -> Vec<Way> {
        match pattern.kind() {
            HirKind::Capture(capture) => {
                let ways = self.ways(&capture.sub, at);
                ways.into_iter().map(|(end, _)| (end, Some((at, end)))).collect()
            }
            HirKind::Alternation(parts) => parts.iter().flat_map(|part| self.ways(part, at)).collect(),
            HirKind::Repetition(repeat) => {
                let mut all = BTreeSet::new();
                let mut here = vec![(at, None)];
                for times in 0.. {
                    if times >= repeat.min {
                        all.extend(here.iter().copied());
                    }
                    if here.is_empty() || repeat.max.is_some_and(|max| times >= max) {
                        break;
                    }
                    here = self.each(&here, &repeat.sub);
                    if times >= repeat.min {
                        here.retain(|way| !all.contains(way));
                    }
                }
                all.into_iter().collect()
            }
            _ => unreachable!("every other node takes a text in one way, or is its parts in turn"),
        }
    }

    /// Every way that goes on from one of these through `next`.
    fn each(&mut self, all: &[Way], next: &Hir) -> Vec<Way> {
        let mut ways = Vec::new();
        for (at, before) in all {
            let further = self.ways(next, *at);
            self.work += 1 + further.len();
            // From the first group to the last, where a pattern has several.
            ways.extend(further.into_iter().map(|(end, groups)| match (*before, groups) {
                (Some((from, _)), Some((_, to))) => (end, Some((from, to))),
                (before, groups) => (end, groups.or(before)),
            }));
        }
        ways.sort_unstable();
        ways.dedup();
        ways
    }
}

/// How many bytes a class takes at the start of `rest`.
fn taken(class: &Class, rest: &[u8]) -> Option<usize> {
    match class {
        Class::Bytes(class) => {
            let byte = rest.first()?;
            let mut ranges = class.iter();
            ranges
                .any(|range| (range.start()..=range.end()).contains(byte))
                .then_some(1)
        }
        Class::Unicode(class) => {
            let c = rest.utf8_chunks().next()?.valid().chars().next()?;
            let mut ranges = class.iter();
            ranges
                .any(|range| (range.start()..=range.end()).contains(&c))
                .then_some(c.len_utf8())
        }
    }
}

fn holds(look: Look, text: &[u8], at: usize) -> bool {
    let (before, after) = (at.checked_sub(1).map(|at| text[at]), text.get(at).copied());
    let word = |byte: Option<u8>| byte.is_some_and(is_word);
    let line = |byte: Option<u8>| byte.is_none_or(|byte| byte == b'\n');
    match look {
        Look::Start => before.is_none(),
        Look::End => after.is_none(),
        Look::StartLF | Look::StartCRLF => line(before),
        Look::EndLF | Look::EndCRLF => line(after),
        Look::WordAscii | Look::WordUnicode => word(before) != word(after),
        Look::WordAsciiNegate | Look::WordUnicodeNegate => word(before) == word(after),
        Look::WordStartAscii | Look::WordStartUnicode => !word(before) && word(after),
        Look::WordEndAscii | Look::WordEndUnicode => word(before) && !word(after),
        Look::WordStartHalfAscii | Look::WordStartHalfUnicode => !word(before),
        Look::WordEndHalfAscii | Look::WordEndHalfUnicode => !word(after),
    }
}

#[cfg(test)]
mod tests {
    use regex_syntax::parse;

    use super::Reader;

    /// Found by fuzzing: each repetition of a repetition asked the one below it twice, or more.
    #[test]
    fn what_is_nested_in_each_other_is_read_once_from_each_place() {
        let text = "aab".repeat(8);
        let work = |pattern: &str| {
            let (pattern, mut reader) = (parse(pattern).expect("a pattern"), Reader::new(&text));
            assert!(!reader.ways(&pattern, 0).is_empty());
            reader.work
        };
        let nested = |open: &str, close: &str, times: usize| {
            work(&format!("{}a{}", open.repeat(times), close.repeat(times)))
        };
        for (open, close) in [
            ("", "*"),
            ("", "+"),
            ("(?:", "b*)*"),
            ("(", "|b*)+"),
            ("[ab]*(?:b|", ")"),
        ] {
            let (ten, forty) = (nested(open, close, 10), nested(open, close, 40));
            assert!(
                forty <= 5 * ten,
                "{open}a{close}: {ten} ways for 10 levels, {forty} for 40"
            );
        }
    }
}
