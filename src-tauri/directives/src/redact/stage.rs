//! Redaction between a scanner and whoever listens to it.

use super::{MASK, Patterns, find::Finder, window::WINDOW};
use crate::{Fate, Hold, HoldReason, RangeReason, Scanner, Sink, Span, Step};
use std::{collections::VecDeque, sync::Arc};

/// The rule that holds name.
const RULE: &str = "P.redact.window";

/// Ranges of raw bytes in their order, not yet passed on.
#[derive(Debug)]
enum Piece {
    /// Shown as it stands.
    Plain { span: Span, text: String },
    /// White space that stands for the bytes: masked whole or not at all.
    Joined { span: Span, text: String, secret: bool },
    Hidden {
        span: Span,
        fate: Fate,
        reason: RangeReason,
    },
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
            passed: 0,
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
        stage.scanner = None;
        stage.tell_hold(sink);
    }

    /// The first raw byte that may belong to a secret, if one waits for that.
    pub fn redaction_from(&self) -> Option<usize> {
        self.stage.as_ref()?.held_from()
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
    /// Bytes of clean text that were passed on.
    passed: usize,
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
    fn held_from(&self) -> Option<usize> {
        self.queue.front().map(|piece| match piece {
            Piece::Plain { span, .. } | Piece::Joined { span, .. } | Piece::Hidden { span, .. } => span.start,
        })
    }

    fn take(&mut self, step: Step<'_>, sink: &mut dyn Sink) {
        match step {
            Step::Show { span, text, joined } => {
                self.finder.push(text);
                let text = text.to_owned();
                self.queue.push_back(if joined {
                    Piece::Joined {
                        span,
                        text,
                        secret: false,
                    }
                } else {
                    Piece::Plain { span, text }
                });
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

    /// Passes on what is decided.
    fn pass_on(&mut self, sink: &mut dyn Sink) {
        while let Some(stretch) = self.finder.next() {
            self.pass_stretch(stretch.end, stretch.secret, sink);
        }
        self.pass_hidden(sink);
    }

    fn pass_hidden(&mut self, sink: &mut dyn Sink) {
        loop {
            match self.queue.front() {
                Some(&Piece::Hidden { span, fate, reason }) => sink.step(Step::Hide { span, fate, reason }),
                Some(Piece::Joined { span, text, .. }) if text.is_empty() => {
                    let (span, joined) = (*span, true);
                    sink.step(Step::Show {
                        span,
                        text: "",
                        joined,
                    });
                }
                _ => return,
            }
            self.queue.pop_front();
        }
    }

    fn pass_stretch(&mut self, end: usize, secret: bool, sink: &mut dyn Sink) {
        while self.passed < end {
            self.pass_hidden(sink);
            let Some(mut piece) = self.queue.pop_front() else {
                return;
            };
            match &mut piece {
                Piece::Plain { span, text } => {
                    let length = span.len().min(end - self.passed);
                    let at = text.len() - span.len();
                    let part = Span::new(span.start, span.start + length);
                    span.start = part.end;
                    self.passed += length;
                    self.tell(part, &text[at..at + length], false, secret, sink);
                    if !span.is_empty() {
                        self.queue.push_front(piece);
                    }
                }
                Piece::Joined {
                    span,
                    text,
                    secret: masked,
                } => {
                    *masked |= secret;
                    if text.len() > end - self.passed {
                        // White space: nobody misses it until the rest of it is decided.
                        return self.queue.push_front(piece);
                    }
                    self.passed += text.len();
                    self.tell(*span, text, true, *masked, sink);
                }
                Piece::Hidden { .. } => {}
            }
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
        let own = self.held_from().map(|since| Hold {
            span: Span::new(since, self.raw),
            reason: HoldReason::RedactionWindow,
            rule: RULE,
            subject: self.finder.held().map_or("", |(_, secret)| secret),
            since,
            until: Some(since + WINDOW),
        });
        let hold = own.or(self.scanner);
        if hold != self.told {
            self.told = hold;
            sink.step(Step::Hold(hold.as_ref()));
        }
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
