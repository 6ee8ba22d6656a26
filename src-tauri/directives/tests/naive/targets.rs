//! What the fuzzer's bytes mean, and what must hold for them. The fuzz targets and the replay of their
//! corpora call the same four functions; each panics where something is broken.
//!
//! The first two bytes choose the settings, the rest is text, with three bytes that are in no UTF-8: 0xFE stands
//! between the message that triggered the turn and the output; 0xFF cuts the output into chunks; 0xFD and the two
//! bytes after it stand for as much filler as brings the text near one of the grammar's bounds.

use foldback_directives::{
    Bare, Collect, Dialect, GuardKind, GuardRow, Placement, Scanner, Settings, TrailingSilence, inbound,
    parse,
};

use crate::{
    checks::{listen, nothing_is_lost, nothing_is_retracted, nothing_leaks, partition},
    compare::agree,
    user,
};

/// Most examinations of one byte, or for one chunk.
const MOST_WORK: u64 = 120;

struct Case {
    settings: Settings,
    inbound: Option<String>,
    chunks: Vec<String>,
}

impl Case {
    fn read(bytes: &[u8]) -> Self {
        let (choice, text) = bytes.split_at(bytes.len().min(2));
        let choice = |at: usize| choice.get(at).copied().unwrap_or_default();
        let text: &[u8] = &filled(text);
        let (inbound, output) = match text.iter().position(|b| *b == 0xFE) {
            Some(at) => (
                Some(String::from_utf8_lossy(&text[..at]).into_owned()),
                &text[at + 1..],
            ),
            None => (None, text),
        };
        let chunk = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            settings: settings(choice(0), choice(1)),
            inbound,
            chunks: output.split(|b| *b == 0xFF).map(chunk).collect(),
        }
    }

    fn inbound(&self) -> Option<&str> {
        self.inbound.as_deref()
    }
}

/// The bounds of the grammar, and of what redaction looks back.
const BOUNDS: [usize; 8] = [16, 64, 256, 512, 4_096, 8_192, 16_384, 65_536];
const FILLERS: [&[u8]; 8] = [
    b"a",
    b" ",
    b"\n",
    b"a ",
    b"x\n",
    "\u{e9}".as_bytes(),
    b"`",
    b"&#65;",
];

/// The text with its fillers, of which the two first are as long as they are meant to be.
fn filled(text: &[u8]) -> Vec<u8> {
    let (mut filled, mut rest, mut long) = (Vec::with_capacity(text.len()), text, 0);
    while let Some(at) = rest.iter().position(|b| *b == 0xFD) {
        filled.extend_from_slice(&rest[..at]);
        let (what, near) = match rest[at + 1..] {
            [what, near, ..] => (usize::from(what), usize::from(near)),
            _ => break,
        };
        long += 1;
        let bound = BOUNDS[what / 8 % 8].min(if long > 2 { 64 } else { usize::MAX });
        // From a tag's length below the bound to a little beyond.
        let len = (bound + 16).saturating_sub(near);
        let filler = FILLERS[what % 8];
        filled.extend(filler.iter().cycle().take(len / filler.len() * filler.len()));
        rest = &rest[at + 3..];
    }
    filled.extend_from_slice(rest);
    filled
}

/// Zero bytes are the default.
fn settings(first: u8, second: u8) -> Settings {
    let default = Settings::default();
    let all = || Dialect::ALL.to_vec();
    let without = |dialect: Dialect| all().into_iter().filter(|d| *d != dialect).collect();
    let bit = |bit: u8| second & (1 << bit) != 0;
    Settings {
        dialects: match first % 8 {
            0 => default.dialects.clone(),
            1 => all(),
            2 => vec![Dialect::Json],
            n => without(Dialect::ALL[usize::from(n) - 3]),
        },
        placement: Placement::ALL[usize::from(first >> 3) % 2],
        bare: Bare::ALL[usize::from(first >> 4) % 3],
        trailing_silence: TrailingSilence::ALL[usize::from(second) % 2],
        heartbeat: bit(1),
        all_clear: bit(2).then(|| "a|(?s)All.*".to_owned()),
        allow_echo: bit(3),
        guard: match second >> 4 {
            1 => vec![GuardRow {
                name: "b".to_owned(),
                kind: GuardKind::Reasoning,
            }],
            _ => Vec::new(),
        },
        ..default
    }
}

/// The whole text at once.
pub(crate) fn batch(bytes: &[u8]) {
    let case = Case::read(bytes);
    let raw = case.chunks.concat();
    let parsed = parse(&raw, &case.settings, case.inbound());
    partition(&raw, &parsed);
    nothing_leaks(&parsed, &case.settings);
    nothing_is_lost(&raw, &parsed);
    for found in &parsed.diagnostics {
        let fix = found.fix.as_ref().map(|fix| fix.span);
        for span in [Some(found.span), fix].into_iter().flatten() {
            assert!(
                raw.get(span.start..span.end).is_some(),
                "{found:?} lies outside the text"
            );
        }
    }
    if !case.settings.allow_echo && !raw.is_empty() {
        let echo = parse(&raw, &case.settings, Some(&raw));
        assert_eq!(echo.directives, [], "the user's own words are never executed");
        assert!(echo.header.is_empty(), "the user's own header is never used");
    }
}

/// The text in the fuzzer's chunks, and one character at a time.
pub(crate) fn stream(bytes: &[u8]) {
    let case = Case::read(bytes);
    let raw = case.chunks.concat();
    let whole = parse(&raw, &case.settings, case.inbound());
    let chunks: Vec<&str> = case.chunks.iter().map(String::as_str).collect();
    for chunks in [chunks, one_by_one(&raw)] {
        let (parsed, released) = listen(&chunks, &case.settings, case.inbound());
        assert_eq!(parsed, whole, "{chunks:?}");
        nothing_is_retracted(&parsed, &released);
        let mut scanner = Scanner::new(&case.settings, case.inbound());
        let mut collect = Collect::default();
        for chunk in &chunks {
            scanner.push(chunk, &mut collect);
        }
        let inbound = case.inbound().map_or(0, str::len);
        let (work, read) = (scanner.work(), (raw.len() + inbound + chunks.len() + 10) as u64);
        assert!(
            work <= MOST_WORK * read,
            "{work} examinations for {read} bytes and chunks"
        );
    }
}

/// One character at a time; of a long text only its end, as all that was shown is kept for every chunk.
fn one_by_one(raw: &str) -> Vec<&str> {
    let tail = if raw.len() > 16_384 { 512 } else { 4_096 };
    let (head, tail) = raw.split_at(raw.floor_char_boundary(raw.len().saturating_sub(tail)));
    [head].into_iter().chain(tail.split_inclusive(|_| true)).collect()
}

/// Both readings of the grammar page, whole and in chunks.
pub(crate) fn differential(bytes: &[u8]) {
    let case = Case::read(bytes);
    let raw = case.chunks.concat();
    let chunks: Vec<&str> = case.chunks.iter().map(String::as_str).collect();
    let (parsed, _) = listen(&chunks, &case.settings, case.inbound());
    if let Err(difference) = agree(parsed, &raw, &case.settings, case.inbound()) {
        panic!("{difference}");
    }
}

/// What a user writes.
pub(crate) fn inbound(bytes: &[u8]) {
    let (choice, text) = bytes.split_at(bytes.len().min(1));
    let choice = choice.first().copied().unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let bit = |bit: u8| choice & (1 << bit) != 0;
    let settings = inbound::Settings {
        authorized: !bit(0),
        aliases: if bit(1) {
            vec!["opus".to_owned(), "think".to_owned()]
        } else {
            Vec::new()
        },
        models: bit(2).then(|| vec!["a/b".to_owned(), "gpt".to_owned()]),
        think: bit(3).then(|| vec![inbound::Think::Off, inbound::Think::High]),
    };
    let read = inbound::parse(&text, &settings);
    if let Err(difference) = user::agree(&read, &text, &settings) {
        panic!("{difference}");
    }
    assert!(
        is_left_of(&read.cleaned, &text),
        "{:?} is not {text:?} with parts taken out",
        read.cleaned
    );
    let none = inbound::Directives::default();
    let found = read.directives != none;
    for finding in &read.diagnostics {
        let span = finding.span;
        assert!(
            text.get(span.start..span.end).is_some(),
            "{finding:?} lies outside the text"
        );
    }
    let starts: Vec<usize> = read.diagnostics.iter().map(|found| found.span.start).collect();
    assert!(starts.is_sorted(), "findings come by start");
    if read.directive_only {
        assert!(
            found && read.cleaned.is_empty(),
            "nothing stands beside the directives"
        );
    }
    if !found {
        assert_eq!(read.cleaned, text, "nothing was taken out");
    }
    if !settings.authorized {
        assert!(
            !found && read.diagnostics.len() <= 1,
            "the text stays verbatim, with one reason"
        );
    }
    if let (Some(levels), Some(level)) = (&settings.think, read.directives.think.and_then(|t| t.level)) {
        assert!(
            level == inbound::Think::Default || levels.contains(&level),
            "{level:?} is not taken"
        );
    }
    if !text.contains(['`', '~']) {
        let code = inbound::parse(&format!("```\n{text}"), &settings);
        assert_eq!(code.directives, none, "code holds no directives");
    }
}

/// Whether `text` without some of its characters is `left`.
fn is_left_of(left: &str, text: &str) -> bool {
    let mut all = text.chars();
    left.chars().all(|wanted| all.any(|c| c == wanted))
}
