//! The sink that builds a [`Parsed`], and the batch form of the scanner.

use crate::{Fate, Parsed, Range, RangeReason, Scanner, Settings, Sink, Span, Step, sort_findings};

/// Builds a [`Parsed`] from the steps of a scanner; [`parse`] does it for a whole message.
#[derive(Debug, Default)]
pub struct Collect {
    parsed: Parsed,
}

impl Collect {
    /// What was decided. Complete after [`Scanner::finish`].
    pub fn into_parsed(mut self) -> Parsed {
        sort_findings(&mut self.parsed.diagnostics);
        self.parsed
    }

    /// What is shown so far.
    pub fn clean_text(&self) -> &str {
        &self.parsed.clean_text
    }

    /// Bytes of a secret: one range with those before it, where no other lies between.
    fn mask(&mut self, span: Span, text: &str) {
        match self.parsed.ranges.last_mut() {
            Some(last)
                if last.reason == Some(RangeReason::Redacted)
                    && last.span.end == span.start
                    && text.is_empty() =>
            {
                last.span.end = span.end;
            }
            _ => self.range(
                span,
                Fate::Show,
                Some(RangeReason::Redacted),
                Some(text.to_owned()),
            ),
        }
    }

    fn range(&mut self, span: Span, fate: Fate, reason: Option<RangeReason>, shown_as: Option<String>) {
        if let Some(last) = self.parsed.ranges.last_mut()
            && (last.fate, last.reason) == (fate, reason)
            && shown_as.is_none()
            && last.shown_as.is_none()
            && last.span.end == span.start
        {
            last.span.end = span.end;
        } else {
            self.parsed.ranges.push(Range {
                span,
                fate,
                reason,
                shown_as,
            });
        }
    }
}

impl Sink for Collect {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Show { span, text, joined } => {
                self.parsed.clean_text.push_str(text);
                let reason = joined.then_some(RangeReason::JoinedSpace);
                self.range(span, Fate::Show, reason, joined.then(|| text.to_owned()));
            }
            Step::Mask { span, text } => {
                self.parsed.clean_text.push_str(text);
                self.mask(span, text);
            }
            Step::Hide { span, fate, reason } => self.range(span, fate, Some(reason), None),
            Step::Directive(directive) => self.parsed.directives.push(directive.clone()),
            Step::Header { header, .. } => self.parsed.header = header.clone(),
            Step::Action(action) => self.parsed.actions.push(action.clone()),
            Step::Diagnostic(diagnostic) => self.parsed.diagnostics.push(diagnostic.clone()),
            Step::Suppressed(suppression) => self.parsed.suppressed = Some(suppression),
            Step::Hold(_) => {}
        }
    }
}

/// Reads one whole assistant message: one push and a finish. `inbound` is the text of the user's message
/// that is answered, whose directives are not executed where the answer repeats them.
pub fn parse(raw: &str, settings: &Settings, inbound: Option<&str>) -> Parsed {
    let mut collect = Collect::default();
    let mut scanner = Scanner::new(settings, inbound);
    scanner.push(raw, &mut collect);
    scanner.finish(&mut collect);
    collect.into_parsed()
}
