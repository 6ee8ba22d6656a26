//! What is masked, naively: every pattern is tried from every byte in every way, by its syntax tree. A secret is
//! the union of all that matches, whole characters of it, without what the allow list names.

use std::collections::BTreeSet;

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
        for start in 0..text.len() {
            for pattern in &self.secrets {
                let grouped = pattern.properties().explicit_captures_len() > 0;
                for (end, groups) in ways(pattern, text.as_bytes(), (start, None)) {
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

/// Every way in which a pattern matches here.
fn ways(pattern: &Hir, text: &[u8], way: Way) -> Vec<Way> {
    let (at, groups) = way;
    match pattern.kind() {
        HirKind::Empty => vec![way],
        HirKind::Literal(literal) if text[at..].starts_with(&literal.0) => {
            vec![(at + literal.0.len(), groups)]
        }
        HirKind::Class(Class::Bytes(class)) => {
            let takes = |byte: &&u8| {
                class
                    .iter()
                    .any(|range| (range.start()..=range.end()).contains(byte))
            };
            text.get(at)
                .filter(takes)
                .map(|_| (at + 1, groups))
                .into_iter()
                .collect()
        }
        HirKind::Class(Class::Unicode(class)) => {
            let takes = |c: &char| {
                class
                    .iter()
                    .any(|range| (range.start()..=range.end()).contains(c))
            };
            let c = text[at..]
                .utf8_chunks()
                .next()
                .and_then(|chunk| chunk.valid().chars().next());
            c.filter(takes)
                .map(|c| (at + c.len_utf8(), groups))
                .into_iter()
                .collect()
        }
        HirKind::Look(look) if holds(*look, text, at) => vec![way],
        HirKind::Literal(_) | HirKind::Look(_) => Vec::new(),
        HirKind::Capture(capture) => ways(&capture.sub, text, way)
            .into_iter()
            .map(|(end, inner)| {
                // From the first group to the last, where a pattern has several.
                let all = groups.into_iter().chain(inner);
                let from = all.clone().map(|(from, _)| from).min().unwrap_or(at).min(at);
                (end, Some((from, end)))
            })
            .collect(),
        HirKind::Concat(parts) => parts.iter().fold(vec![way], |ways_here, part| {
            each(&ways_here, |way| ways(part, text, way))
        }),
        HirKind::Alternation(parts) => parts.iter().flat_map(|part| ways(part, text, way)).collect(),
        HirKind::Repetition(repeat) => {
            let mut all = BTreeSet::new();
            let mut here = vec![way];
            for times in 0.. {
                if times >= repeat.min {
                    all.extend(here.iter().copied());
                }
                if here.is_empty() || repeat.max.is_some_and(|max| times >= max) {
                    break;
                }
                here = each(&here, |way| ways(&repeat.sub, text, way));
                if times >= repeat.min {
                    here.retain(|way| !all.contains(way));
                }
            }
            all.into_iter().collect()
        }
    }
}

fn each(all: &[Way], next: impl Fn(Way) -> Vec<Way>) -> Vec<Way> {
    let mut ways: Vec<Way> = all.iter().flat_map(|way| next(*way)).collect();
    ways.sort_unstable();
    ways.dedup();
    ways
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
