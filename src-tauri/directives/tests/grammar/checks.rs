//! The invariants of the grammar, each as a function that panics where one is broken.

use foldback_directives::{Code, Collect, Fate, Hold, Parsed, RangeReason, Scanner, Settings, Sink, Step};

/// I2: every byte lies in one range, and what is shown concatenates to the clean text.
pub(crate) fn partition(raw: &str, parsed: &Parsed) {
    let (mut at, mut shown) = (0, String::new());
    for range in &parsed.ranges {
        assert_eq!(range.span.start, at);
        assert!(!range.span.is_empty());
        assert!(range.fate == Fate::Show || range.reason.is_some());
        at = range.span.end;
        if range.fate == Fate::Show {
            shown += range.shown_as.as_deref().unwrap_or(range.span.of(raw));
        }
    }
    assert_eq!(at, raw.len());
    assert_eq!(shown, parsed.clean_text);
    assert_eq!(shown.trim(), shown);
    assert!(parsed.suppressed.is_none() || shown.is_empty());
}

/// I3: what was shown is a beginning of the clean text.
pub(crate) fn nothing_is_retracted(parsed: &Parsed, released: &[String]) {
    for shown in released {
        let clean = &parsed.clean_text;
        assert!(clean.starts_with(shown), "{shown:?} was shown, then {clean:?}");
    }
}

/// I4: no byte of a directive is shown.
pub(crate) fn nothing_leaks(parsed: &Parsed) {
    for range in parsed.ranges.iter().filter(|range| range.fate == Fate::Show) {
        for directive in &parsed.directives {
            assert!(!range.span.overlaps(directive.span()), "{directive:?} is shown");
        }
    }
}

/// I5: text is dropped only for a reason that the result tells.
pub(crate) fn nothing_is_lost(raw: &str, parsed: &Parsed) {
    for range in parsed.ranges.iter().filter(|range| range.fate == Fate::Drop) {
        let words = range.span.of(raw).trim();
        let reported = |code| parsed.diagnostics.iter().any(|found| found.code == code);
        let told = match range.reason {
            Some(RangeReason::Trim | RangeReason::JoinedSpace) => words.is_empty(),
            Some(RangeReason::TextInBlock) => reported(Code::TextInBlock),
            Some(RangeReason::JsonActions) => reported(Code::MalformedDirective),
            _ => parsed.suppressed.is_some(),
        };
        assert!(told, "{words:?} is dropped as {:?}", range.reason);
    }
}

/// A sink that checks while it listens.
#[derive(Default)]
pub(crate) struct Listener {
    collect: Collect,
    pub(crate) shown: String,
    /// One past the last byte that was reported.
    reported: usize,
    header_after_text: bool,
    hold: Option<Hold>,
}

impl Sink for Listener {
    fn step(&mut self, step: Step<'_>) {
        match &step {
            Step::Show { span, text, .. } => {
                assert_eq!(span.start, self.reported, "ranges come in order");
                self.reported = span.end;
                self.shown.push_str(text);
            }
            Step::Hide { span, .. } => {
                assert_eq!(span.start, self.reported, "ranges come in order");
                self.reported = span.end;
            }
            Step::Header(_) => self.header_after_text |= !self.shown.is_empty(),
            Step::Hold(hold) => self.hold = hold.copied(),
            _ => {}
        }
        self.collect.step(step);
    }
}

/// Reads a message in these chunks: the result, and what was shown after each.
pub(crate) fn listen(chunks: &[&str], settings: &Settings, inbound: Option<&str>) -> (Parsed, Vec<String>) {
    let mut listener = Listener::default();
    let mut scanner = Scanner::new(settings, inbound);
    let (mut released, mut read) = (Vec::new(), 0);
    for chunk in chunks {
        scanner.push(chunk, &mut listener);
        read += chunk.len();
        released.push(listener.shown.clone());
        if let Some(hold) = listener.hold {
            assert_eq!(hold.span.end, read, "a hold ends where reading has come to");
            assert!(
                hold.span.start >= listener.reported,
                "what is held was not decided"
            );
            assert!(
                hold.until.is_none_or(|until| read <= until),
                "a stated bound is kept: {hold:?}"
            );
            assert!(!hold.why().is_empty() && !hold.release().is_empty());
        }
    }
    scanner.finish(&mut listener);
    assert_eq!(listener.hold, None, "nothing is held after the end");
    assert!(
        !listener.header_after_text,
        "the header is known before the first text"
    );
    (listener.collect.into_parsed(), released)
}
