//! Redaction between a scanner and whoever listens to it.

use super::{
    MASK, Patterns,
    find::{Finder, Stretch},
    window::WINDOW,
};
use crate::{Fate, Hold, HoldReason, RangeReason, Scanner, Sink, Span, Step};
use std::{collections::VecDeque, sync::Arc};

/// The rule that holds name.
const RULE: &str = "P.redact.window";

/// Ranges of raw bytes in their order, not yet passed on.
#[derive(Debug, Clone, Copy)]
enum Piece {
    /// Shown as it stands.
    Plain { span: Span },
    /// White space, so many bytes, that stands for the bytes: masked whole or not at all.
    Joined { span: Span, length: usize, secret: bool },
    Hidden {
        span: Span,
        fate: Fate,
        reason: RangeReason,
    },
}

impl Piece {
    const fn start(&self) -> usize {
        match self {
            Self::Plain { span } | Self::Joined { span, .. } | Self::Hidden { span, .. } => span.start,
        }
    }

    /// Its bytes of clean text.
    const fn length(&self) -> usize {
        match self {
            Self::Plain { span } => span.len(),
            Self::Joined { length, .. } => *length,
            Self::Hidden { .. } => 0,
        }
    }
}

/// Reads one assistant message: the scanner, and after it, where asked for, redaction of its clean text.
///
/// Ranges come in their order, those of [`Step::Show`] split where a secret begins or ends, and
/// [`Step::Mask`] for its bytes. Everything else comes as soon as the scanner says it. What is held begins at
/// the first byte that may belong to a secret; what stands before it is shown in the same push.
#[derive(Debug)]
pub struct Reader {
    scanner: Scanner,
    stage: Option<Stage>,
}

impl Reader {
    /// For one assistant message; secrets are masked where there are patterns of them.
    pub fn new(scanner: Scanner, secrets: Option<&Arc<Patterns>>) -> Self {
        let stage = secrets.map(|patterns| Stage {
            finder: Finder::new(Arc::clone(patterns)),
            queue: VecDeque::new(),
            text: String::new(),
            passed: 0,
            known: 0,
            waits: None,
            in_mask: false,
            scanner: None,
            told: None,
            raw: 0,
            #[cfg(feature = "mutants")]
            impatient: false,
        });
        Self { scanner, stage }
    }

    /// The same, but it shows what may begin a secret: to prove that some test notices.
    #[cfg(feature = "mutants")]
    #[must_use]
    pub fn impatient(mut self) -> Self {
        if let Some(stage) = &mut self.stage {
            stage.impatient = true;
        }
        self
    }

    /// Reads the next chunk. See [`Scanner::push`].
    pub fn push(&mut self, chunk: &str, sink: &mut impl Sink) {
        let Some(stage) = &mut self.stage else {
            return self.scanner.push(chunk, sink);
        };
        stage.raw += chunk.len();
        self.scanner.push(chunk, &mut Between { stage, sink });
        #[cfg(feature = "mutants")]
        if stage.impatient {
            stage.finder.give_up();
            stage.pass_on(sink);
        }
        stage.find_wait();
        stage.tell_hold(sink);
    }

    /// Ends the message. See [`Scanner::finish`].
    pub fn finish(self, sink: &mut impl Sink) {
        let Self { scanner, stage } = self;
        let Some(mut stage) = stage else {
            return scanner.finish(sink);
        };
        scanner.finish(&mut Between {
            stage: &mut stage,
            sink,
        });
        stage.finder.finish();
        stage.pass_on(sink);
        stage.pass_rest(sink);
        stage.scanner = None;
        stage.find_wait();
        stage.tell_hold(sink);
    }

    /// The first raw byte that may belong to a secret, if one waits for that.
    pub fn redaction_from(&self) -> Option<usize> {
        self.stage.as_ref()?.waits.map(|(_, raw)| raw)
    }

    /// How much work was done so far, of the scanner and of redaction. For tests of linearity.
    #[doc(hidden)]
    pub fn work(&self) -> u64 {
        self.scanner.work() + self.stage.as_ref().map_or(0, |stage| stage.finder.work())
    }
}

#[derive(Debug)]
struct Stage {
    finder: Finder,
    queue: VecDeque<Piece>,
    /// The clean text of the queue.
    text: String,
    /// Bytes of clean text that were passed on.
    passed: usize,
    /// Bytes of clean text that are decided. Those not passed on are white space.
    known: usize,
    /// Where the first byte lies that may belong to a secret, in the clean text and in the raw.
    waits: Option<(usize, usize)>,
    /// Whether the last of them was masked.
    in_mask: bool,
    /// What the scanner holds, and what the listener was told.
    scanner: Option<Hold>,
    told: Option<Hold>,
    /// Bytes read.
    raw: usize,
    #[cfg(feature = "mutants")]
    impatient: bool,
}

impl Stage {
    /// The first raw byte that was not passed on.
    fn queued_from(&self) -> Option<usize> {
        self.queue.front().map(Piece::start)
    }

    /// Looks where the first byte that waits lies in the raw text.
    fn find_wait(&mut self) {
        let clean = self.finder.decided();
        if clean >= self.passed + self.text.len() {
            self.waits = None;
        } else if self.waits.is_none_or(|(at, _)| at != clean) {
            let mut at = self.passed;
            // In front of it there is white space only, and what is hidden.
            let found = self.queue.iter().find(|piece| {
                at += piece.length();
                at > clean
            });
            self.waits = found.map(|piece| {
                let inside = match piece {
                    Piece::Plain { .. } => clean + piece.length() - at,
                    Piece::Joined { .. } | Piece::Hidden { .. } => 0,
                };
                (clean, piece.start() + inside)
            });
        }
    }

    fn take(&mut self, step: Step<'_>, sink: &mut dyn Sink) {
        match step {
            Step::Show { span, text, joined } => {
                self.finder.push(text);
                if joined {
                    let (length, secret) = (text.len(), false);
                    self.queue.push_back(Piece::Joined { span, length, secret });
                    self.text.push_str(text);
                } else if !self.queue.is_empty() {
                    self.queue.push_back(Piece::Plain { span });
                    self.text.push_str(text);
                } else {
                    // Most text waits for nothing, and then nothing is copied.
                    return self.pass_plain(span, text, sink);
                }
                self.pass_on(sink);
            }
            Step::Hide { span, fate, reason } => {
                self.queue.push_back(Piece::Hidden { span, fate, reason });
                self.pass_on(sink);
            }
            Step::Hold(hold) => self.scanner = hold.copied(),
            other => sink.step(other),
        }
    }

    /// Passes on what is decided of a text that stands behind all that was passed on; the rest waits.
    fn pass_plain(&mut self, mut span: Span, text: &str, sink: &mut dyn Sink) {
        let from = self.passed;
        while let Some(stretch) = self.finder.next() {
            for Stretch { end, secret } in self.due(text, from, stretch) {
                let length = end - self.passed;
                if length > 0 {
                    let part = Span::new(span.start, span.start + length);
                    let at = self.passed - from;
                    self.tell(part, &text[at..at + length], false, secret, sink);
                    self.passed = end;
                    span.start = part.end;
                }
            }
        }
        if !span.is_empty() {
            self.queue.push_back(Piece::Plain { span });
            self.text.push_str(&text[self.passed - from..]);
        }
    }

    /// Passes on what is decided.
    fn pass_on(&mut self, sink: &mut dyn Sink) {
        let mut text = std::mem::take(&mut self.text);
        let from = self.passed;
        while let Some(stretch) = self.finder.next() {
            for due in self.due(&text, from, stretch) {
                self.pass_stretch(&text, from, due, sink);
            }
        }
        self.pass_hidden(sink);
        text.drain(..self.passed - from);
        self.text = text;
    }

    /// What is passed on now that a stretch is decided: first all before it, then all of it. White space at the
    /// end waits until something follows that is shown, so that no preview ends in it. `text` is the clean text
    /// from byte `from` on.
    fn due(&mut self, text: &str, from: usize, stretch: Stretch) -> [Stretch; 2] {
        let start = std::mem::replace(&mut self.known, stretch.end);
        let plain = |end| Stretch { end, secret: false };
        if stretch.secret {
            return [plain(start), stretch];
        }
        let words = text[start - from..stretch.end - from].trim_end();
        let end = if words.is_empty() {
            self.passed
        } else {
            start + words.len()
        };
        [plain(end); 2]
    }

    /// Passes on white space that nothing follows.
    fn pass_rest(&mut self, sink: &mut dyn Sink) {
        let (text, from) = (std::mem::take(&mut self.text), self.passed);
        let rest = Stretch {
            end: self.known,
            secret: false,
        };
        self.pass_stretch(&text, from, rest, sink);
        self.pass_hidden(sink);
    }

    fn pass_hidden(&mut self, sink: &mut dyn Sink) {
        loop {
            match self.queue.front() {
                Some(&Piece::Hidden { span, fate, reason }) => sink.step(Step::Hide { span, fate, reason }),
                Some(&Piece::Joined { span, length: 0, .. }) => {
                    let (text, joined) = ("", true);
                    sink.step(Step::Show { span, text, joined });
                }
                _ => return,
            }
            self.queue.pop_front();
        }
    }

    /// `text` is the clean text from byte `from` on.
    fn pass_stretch(&mut self, text: &str, from: usize, stretch: Stretch, sink: &mut dyn Sink) {
        let Stretch { end, secret } = stretch;
        while self.passed < end {
            self.pass_hidden(sink);
            let Some(piece) = self.queue.pop_front() else {
                return;
            };
            let left = end - self.passed;
            let (span, length, joined, secret) = match piece {
                Piece::Plain { mut span } => {
                    let part = Span::new(span.start, span.end.min(span.start + left));
                    span.start = part.end;
                    if !span.is_empty() {
                        self.queue.push_front(Piece::Plain { span });
                    }
                    (part, part.len(), false, secret)
                }
                Piece::Joined {
                    span,
                    length,
                    secret: masked,
                } => {
                    let secret = masked || secret;
                    if length > left {
                        // Nobody misses white space until the rest of it is decided.
                        return self.queue.push_front(Piece::Joined { span, length, secret });
                    }
                    (span, length, true, secret)
                }
                Piece::Hidden { .. } => continue,
            };
            let at = self.passed - from;
            self.tell(span, &text[at..at + length], joined, secret, sink);
            self.passed += length;
        }
    }

    fn tell(&mut self, span: Span, text: &str, joined: bool, secret: bool, sink: &mut dyn Sink) {
        let first = secret && !self.in_mask;
        self.in_mask = secret;
        sink.step(if secret {
            Step::Mask {
                span,
                text: if first { MASK } else { "" },
            }
        } else {
            Step::Show { span, text, joined }
        });
    }

    fn tell_hold(&mut self, sink: &mut dyn Sink) {
        if self.queue.is_empty() && self.scanner.is_none() && self.told.is_none() {
            return;
        }
        let own = self.waits.map(|(clean, since)| Hold {
            span: Span::new(since, self.raw),
            reason: HoldReason::RedactionWindow,
            rule: RULE,
            subject: self.finder.held().map_or("", |(_, secret)| secret),
            since,
            until: self.bound(clean, since),
        });
        // Where the scanner waits for the end of something, only that lets redaction read on.
        let scanner = self
            .scanner
            .filter(|hold| hold.reason != HoldReason::TrailingSpace);
        let mut hold = scanner.or(own).or(self.scanner);
        if let (Some(hold), Some(start)) = (&mut hold, self.queued_from()) {
            hold.span.start = start;
        }
        if hold != self.told {
            self.told = hold;
            sink.step(Step::Hold(hold.as_ref()));
        }
    }

    /// The raw byte by which the wait ends. The window counts clean bytes, so there is none where the raw text
    /// has others: hidden ones, or ones that the scanner holds.
    fn bound(&self, clean: usize, since: usize) -> Option<usize> {
        let read = self.passed + self.text.len();
        (self.raw - since == read - clean).then_some(since + WINDOW)
    }
}

/// Takes the scanner's steps through the stage.
struct Between<'a, S> {
    stage: &'a mut Stage,
    sink: &'a mut S,
}

impl<S: Sink> Sink for Between<'_, S> {
    fn step(&mut self, step: Step<'_>) {
        self.stage.take(step, self.sink);
    }
}
