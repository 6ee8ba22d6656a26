//! The grammar page, read a second time: the whole text in, the result out.
//!
//! Written from the page alone and as literally as it can be, without regard to cost: everything is looked up
//! again in the whole text whenever it is asked for. Where the page leaves something open, a comment that
//! begins with "Open:" says what is done here.

mod block;
mod child;
mod code;
mod header;
mod json;
mod markup;
mod scaffold;
mod silence;
mod space;
mod tag;
mod value;

use foldback_directives::{
    Code, Diagnostic, Dialect, Directive, Fate, Parsed, Placement, RangeReason as Why, Settings, Span,
};

/// What became of some raw bytes, before white space is joined and silence is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Text,
    /// Text in a fence.
    Fence,
    /// An inline code span, with the number of its backticks.
    Ticks(usize),
    Gone(Fate, Why),
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    span: Span,
    what: What,
}

struct Page<'a> {
    raw: &'a str,
    settings: &'a Settings,
    inbound: Option<&'a str>,
    at: usize,
    pieces: Vec<Piece>,
    out: Parsed,
    /// The first `<no-reply/>`.
    marker: Option<Span>,
    /// An empty list of JSON actions was written.
    hush: bool,
    /// A `system_message` was written: no JSON actions from here on.
    inert: bool,
    /// Before this byte no JSON value begins.
    plain_to: usize,
    /// Children whose opening tag was taken and that were not closed at once.
    opened: Vec<String>,
    /// Scaffolding tags that wait for their closing tag; `true` when the opening tag was left as text.
    scaffolds: Vec<(String, bool)>,
    /// How many `<actions>` were prose.
    prose: usize,
}

/// Reads one whole assistant message.
pub(crate) fn read(raw: &str, settings: &Settings, inbound: Option<&str>) -> Parsed {
    Page::of(raw, settings, inbound).finish()
}

/// Where a text is code to whom its directives mean nothing.
pub(crate) fn code(raw: &str) -> Vec<Span> {
    let settings = Settings {
        dialects: Vec::new(),
        ..Settings::default()
    };
    // Open: whether invisible characters before a user's text are skipped too. Here: they are text, like any
    // other character of three bytes.
    let raw = raw.replace(['\u{feff}', '\u{200b}'], "\u{2060}");
    let pieces = Page::of(&raw, &settings, None).pieces.into_iter();
    let code = pieces.filter(|piece| matches!(piece.what, What::Fence | What::Ticks(_)));
    code.map(|piece| piece.span).collect()
}

impl<'a> Page<'a> {
    fn of(raw: &'a str, settings: &'a Settings, inbound: Option<&'a str>) -> Self {
        let mut page = Self {
            raw,
            settings,
            inbound,
            at: 0,
            pieces: Vec::new(),
            out: Parsed::default(),
            marker: None,
            hush: false,
            inert: false,
            plain_to: 0,
            opened: Vec::new(),
            scaffolds: Vec::new(),
            prose: 0,
        };
        while page.at < raw.len() {
            page.step();
        }
        page
    }
}

impl Page<'_> {
    /// Reads what stands at `at`.
    fn step(&mut self) {
        let rest = &self.raw[self.at..];
        let Some(c) = rest.chars().next() else { return };
        let read = match c {
            '\u{feff}' | '\u{200b}' if self.begins() => {
                self.gone(c.len_utf8(), Fate::Strip, Why::Invisible);
                true
            }
            '`' | '~' => self.code(),
            '<' => self.angle(),
            '[' if self.has(Dialect::Header) => self.header(),
            '{' if self.has(Dialect::Json) => self.json(),
            _ => false,
        };
        if !read {
            self.text(c.len_utf8());
        }
    }

    fn has(&self, dialect: Dialect) -> bool {
        self.settings.dialects.contains(&dialect)
    }

    fn take(&mut self, len: usize, what: What) {
        if len > 0 {
            let span = Span::new(self.at, self.at + len);
            self.pieces.push(Piece { span, what });
            self.at += len;
        }
    }

    fn text(&mut self, len: usize) {
        self.take(len, What::Text);
    }

    fn gone(&mut self, len: usize, fate: Fate, why: Why) {
        self.take(len, What::Gone(fate, why));
    }

    fn strip_to(&mut self, end: usize, why: Why) {
        self.gone(end - self.at, Fate::Strip, why);
    }

    fn report(&mut self, code: Code, span: Span) {
        self.out.diagnostics.push(Diagnostic::new(code, span, ""));
    }

    /// Whether any text has been shown: whatever was stripped does not count.
    fn shown(&self) -> bool {
        !self.clean_so_far().is_empty()
    }

    /// Whether headers are read here.
    fn begins(&self) -> bool {
        !self.shown()
    }

    /// Nothing but white space since the last line break of the clean text, or no text yet.
    fn line_start(&self) -> bool {
        self.line_so_far().trim().is_empty()
    }

    fn line_so_far(&self) -> String {
        let clean = self.clean_so_far();
        clean.rsplit('\n').next().unwrap_or_default().to_owned()
    }

    /// The clean text up to `at`, with the white space that waits for more text.
    fn clean_so_far(&self) -> String {
        let clean = space::join(self.raw, &self.pieces, true).clean();
        let clean = clean.trim_start().to_owned();
        // In code it is none.
        let first = |piece: &&Piece| {
            !matches!(piece.what, What::Gone(..)) && piece.span.of(self.raw).contains("HEARTBEAT_OK")
        };
        let first = self.pieces.iter().find(first);
        if first.is_some_and(|piece| piece.what != What::Text) {
            return clean;
        }
        self.without_acknowledgement(clean).trim_start().to_owned()
    }

    /// Whether a block or bare directive here stands after text where only the start is allowed.
    fn misplaced(&self) -> bool {
        self.settings.placement == Placement::Start && self.shown()
    }

    /// Whether these exact bytes stand in the message that triggered the turn.
    fn echoed(&self, span: Span) -> bool {
        !self.settings.allow_echo
            && self
                .inbound
                .is_some_and(|inbound| inbound.contains(span.of(self.raw)))
    }

    fn execute(&mut self, directive: Directive) {
        self.out.directives.push(directive);
    }
}
