//! What a user sees while an output is read, held against what the output comes to in one piece.

use super::Read;
use foldback_directives::{Collect, Fate, Parsed, Sink, Span, Step};

/// The screen of a reading. It takes the steps of a scanner and notices every byte that should not be there,
/// however short it stays. Its work is linear in the text, whatever the cut.
pub struct Screen<'a> {
    /// What the output comes to in one piece; `None` while that is found out.
    whole: Option<&'a Parsed>,
    collect: Collect,
    /// Bytes of clean text shown so far.
    shown: usize,
    released: Vec<String>,
    strayed: bool,
    leaked: Vec<Span>,
}

impl<'a> Screen<'a> {
    pub(super) fn new(whole: Option<&'a Parsed>) -> Self {
        Self {
            whole,
            collect: Collect::default(),
            shown: 0,
            released: vec![String::new()],
            strayed: false,
            leaked: Vec::new(),
        }
    }

    pub(super) fn next_chunk(&mut self) {
        self.released.push(String::new());
    }

    pub(super) fn into_read(self) -> Read {
        Read {
            parsed: self.collect.into_parsed(),
            released: self.released,
            strayed: self.strayed,
            leaked: self.leaked,
        }
    }

    fn show(&mut self, span: Span, text: &str) {
        if let Some(released) = self.released.last_mut() {
            released.push_str(text);
        }
        let Some(whole) = self.whole else { return };
        self.strayed |= whole.clean_text.get(self.shown..self.shown + text.len()) != Some(text);
        self.shown += text.len();
        let first = whole.ranges.partition_point(|range| range.span.end <= span.start);
        let shown = whole.ranges[first..]
            .iter()
            .take_while(|range| range.span.start < span.end);
        for markup in shown.filter(|range| range.fate == Fate::Strip) {
            let leak = Span::new(markup.span.start.max(span.start), markup.span.end.min(span.end));
            match self.leaked.last_mut() {
                Some(last) if last.end == leak.start => last.end = leak.end,
                _ => self.leaked.push(leak),
            }
        }
    }
}

impl Sink for Screen<'_> {
    fn step(&mut self, step: Step<'_>) {
        if let Step::Show { span, text, .. } | Step::Mask { span, text } = step {
            self.show(span, text);
        }
        self.collect.step(step);
    }
}
