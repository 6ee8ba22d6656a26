//! Taking the tokens at the end out of what waits.

use super::{Kind, Piece, Silence, Token};
use crate::lex::Source;
use crate::{Fate, RangeReason, Span};

impl Silence {
    /// Takes the last tokens out of the queue; where the first `NO_REPLY` begins, with what stands at it.
    pub(super) fn strip_ending(&mut self, source: &Source) -> Option<Span> {
        let mut first = None;
        let mut word = Word::default();
        for piece in self.queue.split_off(self.ending_at.min(self.queue.len())) {
            match piece.kind {
                Kind::Hidden(..) => self.queue.push(piece),
                Kind::Joined(_) => {
                    first = first.or_else(|| word.take_token());
                    self.queue
                        .push(Piece::hidden(piece.span, Fate::Drop, RangeReason::Trim));
                }
                Kind::Text(_) => {
                    source.spend(piece.span.len());
                    let mut at = piece.span.start;
                    for part in source.str(piece.span).split_inclusive(char::is_whitespace) {
                        let text = part.trim_end();
                        let (middle, end) = (at + text.len(), at + part.len());
                        if !text.is_empty() {
                            let span = Span::new(at, middle);
                            word.add(text, span);
                            self.queue
                                .push(Piece::hidden(span, Fate::Strip, RangeReason::Token));
                        }
                        if middle < end {
                            first = first.or_else(|| word.take_token());
                            let space = Span::new(middle, end);
                            self.queue
                                .push(Piece::hidden(space, Fate::Drop, RangeReason::Trim));
                        }
                        at = end;
                    }
                }
            }
        }
        first.or_else(|| word.take_token())
    }
}

/// A word of the ending. What was stripped inside it divides its raw bytes into runs.
#[derive(Debug, Default)]
struct Word {
    text: String,
    /// Where each run begins in the text, and its bytes.
    runs: Vec<(usize, Span)>,
}

impl Word {
    fn add(&mut self, text: &str, span: Span) {
        match self.runs.last_mut() {
            Some((_, run)) if run.end == span.start => run.end = span.end,
            _ => self.runs.push((self.text.len(), span)),
        }
        self.text += text;
    }

    /// Ends the word: the run in which its `NO_REPLY` begins, if it holds one.
    fn take_token(&mut self) -> Option<Span> {
        let Self { text, runs } = std::mem::take(self);
        let at = text.find(Token::NoReply.word())?;
        let run = runs.iter().rfind(|(from, _)| *from <= at)?;
        Some(run.1)
    }
}
