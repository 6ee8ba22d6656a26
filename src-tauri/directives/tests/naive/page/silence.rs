//! `NO_REPLY`, `HEARTBEAT_OK` and `<no-reply/>`, over the whole clean text.

use std::sync::LazyLock;

use foldback_directives::{
    Code, Dialect, Fate, Parsed, RangeReason as Why, Span, Suppression, TrailingSilence,
};
use regex::Regex;

use super::{
    Page,
    space::{self, Cell, Cells},
};

/// Neither alphanumeric, `_` nor white space.
const EDGE: &str = r"[^0-9A-Za-z_\s]{0,4}";

fn pattern(text: &str) -> Regex {
    Regex::new(&text.replace("EDGE", EDGE)).expect("a pattern")
}

macro_rules! patterns {
    ($($name:ident = $text:expr;)+) => { $(static $name: LazyLock<Regex> = LazyLock::new(|| pattern($text));)+ };
}

patterns! {
    WHOLE = r"\A[^0-9A-Za-z]{0,16}NO_REPLY(?:\s+NO_REPLY)*[^0-9A-Za-z]{0,16}\z";
    FIRST = r"\AEDGENO_REPLY(?:[^0-9A-Za-z_]|\z)";
    LAST = r"\s+EDGENO_REPLYEDGE\z";
    HEARTBEAT_FIRST = r"\AEDGEHEARTBEAT_OK(?:[^0-9A-Za-z_\s]{1,4}|\s|\z)";
    HEARTBEAT_LAST = r"(?:\s+|\A)EDGEHEARTBEAT_OKEDGE\z";
}

/// An ASCII character of the same kind, so that the patterns need no tables of their own.
fn kind(c: char) -> char {
    match c {
        _ if c.is_ascii() => c,
        _ if c.is_alphanumeric() => 'a',
        _ if c.is_whitespace() => '\u{b}',
        _ => '.',
    }
}

/// What of code is seen when tokens are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InCode {
    All,
    /// No token; but what stands beside one may be code.
    NoToken,
    /// Open: at the end, neither a token nor what stands beside it is code.
    Nothing,
}

/// The shown text, and the cell that each of its bytes belongs to.
fn searched(cells: &Cells, code: InCode) -> (String, Vec<usize>) {
    let (mut text, mut owner) = (String::new(), Vec::new());
    for (number, cell) in cells.0.iter().enumerate() {
        let shown = cell.shown.as_str();
        match code {
            InCode::NoToken if cell.code.is_some() && matches!(shown, "N" | "H") => text.push('x'),
            InCode::Nothing if cell.code.is_some() => text.push('x'),
            _ => text.extend(shown.chars().map(kind)),
        }
        owner.resize(text.len(), number);
    }
    (text, owner)
}

/// Whether all that is shown is one whole inline code span of one or two backticks.
fn is_one_span(cells: &Cells) -> bool {
    let shown: Vec<_> = cells.0.iter().filter(|cell| !cell.shown.is_empty()).collect();
    let Some(code @ Some((_, ticks @ 1..=2))) = shown.first().map(|cell| cell.code) else {
        return false;
    };
    // What opened it may have gone as an edge of an acknowledgement.
    shown.iter().all(|cell| cell.code == code) && shown.iter().take(ticks).all(|cell| cell.shown == "`")
}

struct Search {
    cells: Cells,
    first_token: Option<Span>,
}

impl Search {
    fn is_silent(&self) -> bool {
        let code = if is_one_span(&self.cells) {
            InCode::All
        } else {
            InCode::NoToken
        };
        WHOLE.is_match(&searched(&self.cells, code).0)
            || FIRST.is_match(&searched(&self.cells, InCode::NoToken).0)
    }

    /// Strips bytes `from..to` of the shown text, the white space at its ends aside.
    fn strip(&mut self, from: usize, to: usize) -> Option<Span> {
        let mut stripped = searched(&self.cells, InCode::All).1[from..to].to_vec();
        // Joined white space is one cell of up to 65,536 bytes.
        stripped.dedup();
        let mut span: Option<Span> = None;
        for cell in stripped {
            let cell = &mut self.cells.0[cell];
            if cell.is_word() {
                let start = span.map_or(cell.span.start, |span| span.start);
                span = Some(Span::new(start, cell.span.end));
                cell.hide(Fate::Strip, Why::Token);
            }
        }
        self.cells.trim();
        span
    }

    fn strip_heartbeat(&mut self, pattern: &Regex, code: InCode) -> bool {
        let found = pattern
            .find(&searched(&self.cells, code).0)
            .map(|found| found.range());
        found.is_some_and(|found| self.strip(found.start, found.end).is_some())
    }

    fn strip_last(&mut self) -> bool {
        let (text, owner) = searched(&self.cells, InCode::Nothing);
        let Some(found) = LAST.find(&text) else {
            return false;
        };
        let word = found.end() - found.as_str().trim_start().len();
        let token = word + found.as_str().trim_start().find("NO_REPLY").unwrap_or_default();
        // Open: the span of a token in which something was stripped. Here: the raw bytes in one run with its
        // first letter.
        let run = |cells: &mut dyn Iterator<Item = usize>| {
            let mut last = owner[token];
            for cell in cells.take_while(|cell| self.cells.0[*cell].is_word()) {
                if cell.abs_diff(last) > 1 {
                    break;
                }
                last = cell;
            }
            self.cells.0[last].span
        };
        let start = run(&mut owner[word..token].iter().rev().copied()).start;
        let end = run(&mut owner[token..found.end()].iter().copied()).end;
        self.first_token = Some(Span::new(start, end));
        self.strip(found.start(), found.end()).is_some()
    }
}

impl Page<'_> {
    /// The text without the acknowledgements that begin it.
    pub(super) fn without_acknowledgement(&self, text: String) -> String {
        if !self.has(Dialect::Silence) || !self.settings.heartbeat {
            return text;
        }
        let kinds: String = text.chars().map(kind).collect();
        let found = HEARTBEAT_FIRST.find(&kinds);
        let Some(end) = found.map(|found| found.end()) else {
            return text;
        };
        // Open: whether it has ended when nothing follows it yet, since that could be its edge. Here: only
        // white space tells, or another one.
        let (rest, next) = (&kinds[end..], kinds[end..].trim_start());
        let without = self.without_acknowledgement(next.to_owned());
        if without != next || rest != next || kinds[..end].ends_with(char::is_whitespace) {
            without
        } else {
            text
        }
    }

    /// Decides about silence and gives the result.
    pub(super) fn finish(mut self) -> Parsed {
        let mut cells = space::join(self.raw, &self.pieces, false);
        cells.trim();
        let mut search = Search {
            cells,
            first_token: None,
        };
        let mut suppressed = None;
        let mut heartbeats = false;
        if self.has(Dialect::Silence) {
            let heartbeat = self.settings.heartbeat;
            while heartbeat && search.strip_heartbeat(&HEARTBEAT_FIRST, InCode::NoToken) {
                heartbeats = true;
            }
            if search.is_silent() {
                suppressed = Some(Suppression::SilentToken);
            } else {
                while search.strip_last()
                    || heartbeat && search.strip_heartbeat(&HEARTBEAT_LAST, InCode::Nothing)
                {}
                if search.first_token.is_some() && self.settings.trailing_silence == TrailingSilence::Suppress
                {
                    suppressed = Some(Suppression::SilentToken);
                }
            }
            let left = search.cells.clean();
            let marker = self.marker.is_some() || self.hush;
            if marker && (suppressed.is_some() || left.is_empty()) {
                suppressed = Some(Suppression::NoReply);
            } else if suppressed.is_none()
                && heartbeat
                && (left.is_empty() && heartbeats || self.all_clear(&left))
            {
                suppressed = Some(Suppression::HeartbeatAck);
            }
        }
        if self.hush && search.cells.clean().is_empty() {
            suppressed = Some(Suppression::NoReply);
        }
        let why = suppressed.map(|suppression| match suppression {
            Suppression::NoReply => Why::NoReply,
            Suppression::SilentToken => Why::SilentToken,
            Suppression::HeartbeatAck => Why::HeartbeatAck,
        });
        let shown = |cell: &&mut Cell| cell.fate == Fate::Show;
        if let Some(why) = why {
            search
                .cells
                .0
                .iter_mut()
                .filter(shown)
                .for_each(|cell| cell.hide(Fate::Drop, why));
        } else if !search.cells.clean().is_empty() {
            for found in [self.marker, search.first_token].into_iter().flatten() {
                self.report(Code::MarkerNotAlone, found);
            }
        }
        if self.inert {
            self.out.actions.clear();
        }
        self.out.suppressed = suppressed;
        self.out.clean_text = search.cells.clean();
        self.out.ranges = search.cells.ranges();
        self.out
            .diagnostics
            .sort_by(|a, b| (a.span.start, a.code.code()).cmp(&(b.span.start, b.code.code())));
        self.out
    }

    fn all_clear(&self, left: &str) -> bool {
        let pattern = self.settings.all_clear.as_deref();
        pattern
            .is_some_and(|pattern| Regex::new(&format!(r"\A(?:{pattern})\z")).is_ok_and(|p| p.is_match(left)))
    }
}
