//! The incremental scanner of one assistant message.
//!
//! The reader (`text`, `angle`, `block`, `bare`, `element`, `header`, `json`) decides from `at` onwards what
//! the raw bytes are; the way out (`out`, then the stage `silence`) joins white space, recognises the tokens
//! of silence in the clean text, and reports ranges. A step that needs more bytes leaves `at` where it is;
//! every search it began lies in a slot of its own and goes on where it stopped when more arrives.

mod angle;
mod bare;
mod block;
mod echo;
mod element;
mod header;
mod json;
mod mend;
mod out;
mod text;
mod within;

use crate::lex::search::{CloseSearch, WordSearch};
use crate::lex::tag::{Lexed, Lexer, Quotes};
use crate::lex::ticks::Ticks;
use crate::lex::{Source, line::Line, trimmed, white_len};
use crate::names::{Name, Names};
use crate::rules::{Rule as G, Rules};
use crate::{
    Bare, CHILDREN, ChildRow, Code, Diagnostic, Dialect, Fate, Hold, HoldReason, Placement, RangeReason,
    Settings, Sink, Span, Step,
};

use crate::children::Maker;
use crate::silence::InCode;
use echo::Echo;
use out::Out;
use text::Coding;

pub(crate) use bare::MAX_PAIR;
pub(crate) use block::MAX_BLOCK;
pub use header::HEADER_KEYS;
pub(crate) use header::MAX_HEADER;
pub(crate) use json::{JsonPart, part_of_json};

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wait {
    reason: HoldReason,
    rule: G,
    subject: &'static str,
    since: usize,
    until: Option<usize>,
}

/// Whether the reader got on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    On,
    Wait(Wait),
}

/// The slots of searches that go on over several chunks.
#[derive(Debug)]
struct Searches {
    lexer: Lexer,
    /// The same for a tag inside what another tag opened.
    inner: Lexer,
    quotes: Quotes,
    ticks: Ticks,
    actions: CloseSearch,
    children: Vec<CloseSearch>,
    comment: WordSearch,
    cdata: WordSearch,
    paired: Option<bare::Paired>,
    element: Option<element::Depth>,
    /// Where white space that began at the first offset has been followed to.
    white: (usize, usize),
    /// The same for the end of a tag that cannot be completed.
    incomplete: (usize, usize),
    bracket: (usize, usize),
}

/// What was read before that later closing tags refer to.
#[derive(Debug)]
struct Memory {
    /// `<actions>` that were prose.
    prose: usize,
    /// Children opened with `<name …>` and not yet closed.
    opened: Vec<usize>,
    /// For each child, the last one that took the text to the end of its block: the finding, and where the block's
    /// text ends. It is reported when it is known whether it can be mended.
    unclosed_children: Vec<Option<(Diagnostic, usize)>>,
    /// The tag that was opened last, as long as only white space follows.
    just_opened: Option<Name>,
    /// Guard tags that were opened and not yet closed.
    guards: Vec<element::Openings>,
    /// An `<actions>` was read that is not closed: the next `</actions>` would close it.
    unclosed: bool,
    /// Before this byte something was left as text that may become more when anything in it changes.
    doubt: usize,
}

/// Reads one assistant message, chunk by chunk, and decides for every byte.
#[derive(Debug)]
pub struct Scanner {
    source: Source,
    at: usize,
    out: Out,
    names: Names,
    echo: Echo,
    rules: Rules,
    settings: Settings,
    line: Line,
    coding: Coding,
    search: Searches,
    memory: Memory,
    maker: Maker,
    block: Option<block::Inside>,
    json: json::Json,
    held: Option<Hold>,
}

impl Scanner {
    /// A scanner at the start of a message. `inbound` is the text of the user's message that triggered the
    /// turn: what merely repeats it is not executed.
    pub fn new(settings: &Settings, inbound: Option<&str>) -> Self {
        Self::with_children(settings, inbound, CHILDREN)
    }

    /// True where a user's text holds what the agent could repeat: a scanner that was not given the text would carry it
    /// out.
    pub fn must_know(settings: &Settings, text: &str) -> bool {
        let names = Names::new(settings, CHILDREN);
        let is_guarded = !settings.allow_echo && settings.rules.on(G::Echo);
        is_guarded && !Echo::read(text, &names, &Source::default()).is_empty()
    }

    /// The same with another table of the children of `<actions>`: [`CHILDREN`] and what a host adds to it.
    pub fn with_children(settings: &Settings, inbound: Option<&str>, children: &'static [ChildRow]) -> Self {
        let rules = settings.rules;
        let names = Names::new(settings, children);
        let source = Source::default();
        let echo = match inbound {
            Some(inbound) if !settings.allow_echo && rules.on(G::Echo) => {
                Echo::read(inbound, &names, &source)
            }
            _ => Echo::default(),
        };
        let memory = Memory {
            prose: 0,
            opened: vec![0; children.len()],
            unclosed_children: vec![None; children.len()],
            just_opened: None,
            guards: vec![element::Openings::default(); names.guard_count()],
            unclosed: false,
            doubt: 0,
        };
        let search = Searches {
            lexer: Lexer::new(0),
            inner: Lexer::new(0),
            quotes: Quotes::default(),
            ticks: Ticks::default(),
            actions: CloseSearch::new("actions"),
            children: children.iter().map(|row| CloseSearch::new(row.name)).collect(),
            comment: WordSearch::new("-->"),
            cdata: WordSearch::new("]]>"),
            paired: None,
            element: None,
            white: (0, 0),
            incomplete: (0, 0),
            bracket: (0, 0),
        };
        Self {
            source,
            at: 0,
            out: Out::new(settings, rules),
            names,
            echo,
            rules,
            settings: settings.clone(),
            line: Line::START,
            coding: Coding::None,
            search,
            memory,
            maker: Maker::new(rules),
            block: None,
            json: json::Json::default(),
            held: None,
        }
    }

    /// Reads the next chunk, cut anywhere between two characters, and tells `sink` everything that is now
    /// decided. The same text gives the same decisions however it is cut; only when they come differs.
    pub fn push(&mut self, chunk: &str, sink: &mut impl Sink) {
        self.source.push(chunk);
        let wait = self.read_on(sink);
        let held = self.hold(wait);
        if held != self.held {
            self.held = held;
            sink.step(Step::Hold(held.as_ref()));
        }
        let keep = self.out.keeps(self.at);
        self.source.forget(self.source.back(keep, mend::LOOK_BACK));
    }

    /// Ends the message: everything still open is decided.
    pub fn finish(self, sink: &mut impl Sink) {
        self.finish_counted(sink);
    }

    /// The same; tells how many bytes were examined in all. For tests of linearity.
    #[doc(hidden)]
    pub fn finish_counted(mut self, sink: &mut impl Sink) -> u64 {
        self.source.end_message();
        self.finish_reading(sink);
        if self.held.is_some() {
            sink.step(Step::Hold(None));
        }
        self.work()
    }

    /// How many bytes were examined so far, those looked at again counted again. For tests of linearity.
    #[doc(hidden)]
    pub fn work(&self) -> u64 {
        self.source.work()
    }

    /// How many raw bytes are kept. For tests of memory.
    #[doc(hidden)]
    pub fn kept(&self) -> usize {
        self.source.kept()
    }

    fn finish_reading(&mut self, sink: &mut dyn Sink) {
        let waiting = self.read_on(sink);
        debug_assert!(
            waiting.is_none(),
            "at the end of the message nothing can wait: {waiting:?}"
        );
        self.finish_block(sink);
        for index in 0..self.memory.unclosed_children.len() {
            self.report_unclosed(index, true, sink);
        }
        self.finish_json(sink);
        self.out.finish(&self.source, self.doubtful(), sink);
    }

    fn read_on(&mut self, sink: &mut dyn Sink) -> Option<Wait> {
        while self.at < self.source.end() {
            let next = if self.block.is_some() {
                self.unclosed_block(sink)
            } else {
                self.next(sink)
            };
            if let Next::Wait(wait) = next {
                return Some(wait);
            }
        }
        None
    }

    /// What is held now, and the reason that decides about its last byte.
    fn hold(&self, wait: Option<Wait>) -> Option<Hold> {
        let waiting = self.out.waiting();
        let (reason, rule, subject, since, until) = match (wait, waiting) {
            (Some(w), _) => (w.reason, w.rule, w.subject, w.since, w.until),
            (None, Some((from, ""))) => (HoldReason::TrailingSpace, G::WhiteSpace, "", from, None),
            (None, Some((from, token))) => (HoldReason::MaybeMarker, G::CandidateHeld, token, from, None),
            (None, None) => return None,
        };
        let start = waiting.map_or(self.at, |(from, _)| from.min(self.at));
        Some(Hold {
            span: Span::new(start, self.source.end()),
            reason,
            rule: rule.code(),
            subject,
            since,
            until,
        })
    }

    /// Takes `span`, which begins where the reader stands, out of the text.
    fn hide(&mut self, span: Span, fate: Fate, reason: RangeReason, sink: &mut dyn Sink) {
        debug_assert_eq!(span.start, self.at, "ranges are reported in order");
        self.memory.just_opened = None;
        self.out.hide(&self.source, span, fate, reason, sink);
        self.at = span.end;
    }

    /// Shows the bytes up to `end` as text.
    fn show(&mut self, end: usize, code: InCode, sink: &mut dyn Sink) {
        let span = Span::new(self.at, end);
        if self.memory.just_opened.is_some() && !trimmed(self.source.str(span)).1.is_empty() {
            self.memory.just_opened = None;
        }
        self.out.text(&self.source, span, code, sink);
        self.at = end;
    }

    /// Shows the character at which the reader stands: it was no markup.
    fn show_one(&mut self, sink: &mut dyn Sink) -> Next {
        let c = self.source.char(self.at).unwrap_or_default();
        self.line.feed(c);
        self.show(self.at + c.len_utf8(), InCode::No, sink);
        Next::On
    }

    /// Makes the directive of the child whose tag was read last: whether it is valid.
    fn make(&mut self, row: &ChildRow, content: Option<Span>, span: Span) -> bool {
        let attributes = self.search.lexer.attributes();
        self.maker.make(row, &self.source, attributes, content, span)
    }

    /// Reports what is wrong with the child that was read last; what is `shown` may not be mended.
    fn report_problems(&mut self, shown: bool, sink: &mut dyn Sink) {
        let mut problems = std::mem::take(&mut self.maker.problems);
        for problem in problems.drain(..) {
            let found = Diagnostic::new(problem.code, problem.span, problem.message);
            let fix = problem.fix.filter(|(span, _)| !shown && self.may_go(*span));
            sink.step(Step::Diagnostic(&match fix {
                Some((span, title)) => found.with_fix(span, "", title),
                None => found,
            }));
        }
        self.maker.problems = problems;
    }

    /// Whether any text stands before the reader.
    fn has_text(&self) -> bool {
        self.out.has_text(false)
    }

    fn at_line_start(&self) -> bool {
        self.line.only_white() || !self.has_text()
    }

    fn misplaced(&self) -> bool {
        self.settings.placement == Placement::Start && self.has_text() && self.rules.on(G::PlacementStart)
    }

    fn wait(&self, reason: HoldReason, rule: G, subject: &'static str, until: Option<usize>) -> Next {
        Next::Wait(Wait {
            reason,
            rule,
            subject,
            since: self.at,
            until,
        })
    }

    /// Reads the tag at `at`, up to `end`, going on where it stopped.
    fn lex(&mut self, at: usize, end: usize) -> Lexed {
        self.lex_named(at, 0, end)
    }

    /// The same where a name of `known` bytes is known to stand.
    fn lex_named(&mut self, at: usize, known: usize, end: usize) -> Lexed {
        self.search
            .lexer
            .read_named(at, known, &self.source, &mut self.search.quotes, end)
    }

    /// One past the white space that begins at `from`, as far as it has arrived.
    #[inline]
    fn white_end(&mut self, from: usize, end: usize) -> usize {
        match self.source.byte(from) {
            Some(b) if b.is_ascii_graphic() => from,
            _ => self.follow_white(from, end),
        }
    }

    fn follow_white(&mut self, from: usize, end: usize) -> usize {
        let (start, seen) = self.search.white;
        let known = if start == from && seen <= end { seen } else { from };
        let white = white_len(self.source.str(Span::new(known, end)));
        self.source.spend(white + 1);
        self.search.white = (from, known + white);
        known + white
    }

    /// Hands the directive over that was made last, unless it only repeats the user's message.
    fn execute(&mut self, sink: &mut dyn Sink) -> bool {
        let Some(directive) = self.maker.made() else {
            return false;
        };
        let (tag, span) = (self.search.lexer.tag().span, directive.span());
        if !self.echo.is_empty() && self.echo.repeats(&self.source, tag, span) {
            let message = format!(
                "<{}> repeats the user's message; it is not executed",
                directive.tag()
            );
            report(Code::EchoedFromInput, span, message, sink);
            return false;
        }
        sink.step(Step::Directive(directive));
        true
    }

    fn reads(&self, dialect: Dialect) -> bool {
        self.settings.has(dialect)
    }

    fn bare_setting(&self) -> Bare {
        if self.rules.on(G::BareExecuted) {
            self.settings.bare
        } else {
            Bare::Text
        }
    }
}

/// Reports a finding without a fix.
fn report(code: Code, span: Span, message: impl Into<String>, sink: &mut dyn Sink) {
    sink.step(Step::Diagnostic(&Diagnostic::new(code, span, message)));
}
