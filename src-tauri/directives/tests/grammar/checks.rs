//! The invariants of the grammar, each as a function that panics where one is broken.

use foldback_directives::{
    Bare, Code, Collect, Dialect, Directive, Fate, Hold, HoldReason, Parsed, Range, RangeReason, Rule,
    Scanner, Settings, Sink, Span, Step, TrailingSilence,
};

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

/// I4: nothing that was recognised is shown.
pub(crate) fn nothing_leaks(parsed: &Parsed, settings: &Settings) {
    if let Some(leak) = leak(parsed, settings) {
        panic!("{leak}");
    }
}

/// What is shown of all that the result says was recognised: directives, JSON actions, the header, markers and
/// tokens, scaffolding, blocks and stray tags.
fn leak(parsed: &Parsed, settings: &Settings) -> Option<String> {
    use RangeReason as Why;
    let mut shown = parsed.ranges.iter().filter(|range| range.fate == Fate::Show);
    let odd = |range: &&Range| !matches!(range.reason, None | Some(Why::JoinedSpace));
    if let Some(range) = shown.clone().find(odd) {
        return Some(format!("{range:?} is shown"));
    }
    if parsed.suppressed.is_some() {
        return shown
            .next()
            .map(|range| format!("{range:?} is shown of a reply that is not sent"));
    }
    let taken_out = |why: &[Why]| {
        let is_one = |reason: Why| why.contains(&reason);
        parsed.ranges.iter().any(|range| range.reason.is_some_and(is_one))
    };
    if !parsed.header.is_empty() && !taken_out(&[Why::Header]) {
        return Some(format!("{:?} is shown", parsed.header));
    }
    let directives = parsed.directives.iter().map(Directive::span);
    let actions = parsed.actions.iter().map(|action| action.span);
    // These are found in what is taken out, the others also in what stays.
    let found = parsed.diagnostics.iter().filter(|found| match found.code {
        Code::LeakGuard
        | Code::MarkerNotAlone
        | Code::StrayClose
        | Code::EchoedFromInput
        | Code::MisplacedBlock
        | Code::UnclosedBlock
        | Code::BlockTooLarge
        | Code::UnclosedDirective
        | Code::TextInBlock
        | Code::UnknownDirective => true,
        Code::BareDirective => settings.bare != Bare::Text,
        _ => false,
    });
    directives
        .chain(actions)
        .chain(found.map(|found| found.span))
        .find_map(|span| {
            let leak = shown.clone().find(|range| range.span.overlaps(span))?;
            Some(format!("{leak:?} is shown of {span:?}, which was taken out"))
        })
}

/// I5: text is dropped only for a reason that the result tells, and stripped only where it is what its reason
/// says.
pub(crate) fn nothing_is_lost(raw: &str, parsed: &Parsed) {
    if let Some(loss) = loss(raw, parsed) {
        panic!("{loss}");
    }
}

fn loss(raw: &str, parsed: &Parsed) -> Option<String> {
    let reported = |code| parsed.diagnostics.iter().any(|found| found.code == code);
    parsed.ranges.iter().enumerate().find_map(|(index, range)| {
        let words = range.span.of(raw).trim();
        let told = match (range.fate, range.reason) {
            (Fate::Show, _) => true,
            (Fate::Strip, Some(why)) => {
                let before = index
                    .checked_sub(1)
                    .and_then(|before| parsed.ranges[before].reason);
                is_written_so(why, words, &raw[range.span.end..], before)
            }
            (_, Some(RangeReason::Trim | RangeReason::JoinedSpace)) => words.is_empty(),
            (_, Some(RangeReason::TextInBlock)) => reported(Code::TextInBlock),
            (_, Some(RangeReason::JsonActions)) => reported(Code::MalformedDirective),
            (_, Some(why)) => parsed
                .suppressed
                .is_some_and(|suppressed| suppressed.code() == why.code()),
            (_, None) => false,
        };
        (!told).then(|| format!("{words:?} is lost as {:?}, {:?}", range.fate, range.reason))
    })
}

/// Whether a text that was stripped begins and ends as what is stripped for this reason does. `rest` is what
/// follows it, `before` why the text before it has its fate.
fn is_written_so(why: RangeReason, text: &str, rest: &str, before: Option<RangeReason>) -> bool {
    use RangeReason as Why;
    let within = |open: &str, close: &str| text.starts_with(open) && text.ends_with(close);
    // To the end of the message, or of the block.
    let to_the_end = || rest.is_empty() || rest.starts_with("</");
    // Of a tag that cannot be completed there is no end: it goes as far as its line, or its block.
    let last_line = text.rsplit(['>', '\n']).next().unwrap_or_default();
    let tag = text.starts_with('<') && (text.ends_with('>') || last_line.contains('<') || to_the_end());
    match why {
        Why::ActionsBlock | Why::Misplaced => text.is_empty() || tag,
        Why::BareDirective => within("<", ">"),
        Why::StrayClose => within("</", ">"),
        Why::Marker => within("<", ">") || (text.starts_with('<') && rest.is_empty()),
        Why::CutOff => text.starts_with('<') && !text.contains('>'),
        Why::Guard => within("<", ">") || (text.starts_with('<') && to_the_end()),
        Why::Reasoning => before == Some(Why::Guard) && (to_the_end() || text.is_empty()),
        Why::ControlToken => within("<|", "|>") || (text.starts_with("<|") && rest.is_empty()),
        Why::Echo => within("<", ">") || within("[[", "]]") || (text.starts_with('<') && to_the_end()),
        Why::Header => within("[[", "]]"),
        Why::Token => {
            let letters: String = text
                .chars()
                .filter(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            ["NO_REPLY", "HEARTBEAT_OK"].iter().any(|token| {
                token
                    .repeat(1 + letters.len() / token.len() + 1)
                    .contains(&letters)
            })
        }
        Why::JsonActions => text.starts_with(['{', '`', '~']) && text.ends_with(['}', '`', '~']),
        Why::Invisible => text.chars().all(|c| matches!(c, '\u{feff}' | '\u{200b}')),
        _ => false,
    }
}

/// I7: what waits, of `raw` as far as it was read, though nothing at it may become more than text: all from the
/// last byte that was decided to the one that is waited at, but for white space and what may be a token.
fn held_back(raw: &str, parsed: &Parsed, decided: usize, since: usize) -> Option<String> {
    let mut held = String::new();
    // What else was taken out only waits behind such text.
    let is_text = |range: &&Range| {
        let white_or_token = [RangeReason::Trim, RangeReason::JoinedSpace, RangeReason::Token];
        range.fate == Fate::Show || range.reason.is_some_and(|why| white_or_token.contains(&why))
    };
    let first = parsed.ranges.partition_point(|range| range.span.end <= decided);
    let waiting = parsed.ranges[first..]
        .iter()
        .take_while(|range| range.span.start < since);
    for range in waiting.filter(is_text) {
        let (from, to) = (range.span.start.max(decided), range.span.end.min(since));
        if from < to {
            held.push_str(&raw[from..to]);
        }
    }
    let may_be_token = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        ["NO_REPLY", "HEARTBEAT_OK"]
            .iter()
            .any(|token| token.starts_with(word))
    };
    let words = held.split_whitespace().find(|word| !may_be_token(word))?;
    Some(format!("{words:?} of {held:?} waits, at byte {since}"))
}

/// The first byte that may become more than text, or one past all of `raw` where only white space and what may
/// be a token wait.
fn waited_at(hold: Hold, raw: &str) -> usize {
    use HoldReason as Why;
    let marks: &[char] = match hold.reason {
        Why::TrailingSpace => return raw.len(),
        Why::MaybeMarker if hold.rule == Rule::CandidateHeld.code() => return raw.len(),
        Why::MaybeMarker
        | Why::PartialTag
        | Why::OpenBlock
        | Why::OpenDirective
        | Why::GuardOpen
        | Why::PartialToken => &['<'],
        Why::HeaderOpen => &['['],
        Why::JsonOpen => &['{', '`', '~'],
        _ => return hold.since,
    };
    let text = raw[hold.since..].trim_start();
    assert!(
        text.is_empty() || text.starts_with(marks),
        "{text:?} waits: {hold:?}"
    );
    hold.since
}

/// A sink that checks while it listens.
#[derive(Default)]
pub(crate) struct Listener {
    collect: Collect,
    pub(crate) shown: String,
    /// One past the last byte that was reported.
    reported: usize,
    header_after_text: bool,
    /// Where something stands that was read as markup.
    markup: Vec<Span>,
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
            Step::Header { span, .. } => {
                self.header_after_text |= !self.shown.is_empty();
                self.markup.push(*span);
            }
            Step::Directive(directive) => self.markup.push(directive.span()),
            Step::Action(action) => self.markup.push(action.span),
            Step::Diagnostic(found) if found.code == Code::MarkerNotAlone => self.markup.push(found.span),
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
    let (mut released, mut waits, mut read, mut raw) = (Vec::new(), Vec::new(), 0, String::new());
    for chunk in chunks {
        scanner.push(chunk, &mut listener);
        read += chunk.len();
        released.push(listener.shown.clone());
        raw += chunk;
        let since = listener.hold.map_or(read, |hold| waited_at(hold, &raw));
        match waits.last_mut() {
            // While nothing more is decided, what waited before is a beginning of what waits now.
            Some((decided, longest)) if *decided == listener.reported => *longest = since.max(*longest),
            _ => waits.push((listener.reported, since)),
        }
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
    let parsed = listener.collect.into_parsed();
    let held_whole = settings.has(Dialect::Silence)
        && (settings.trailing_silence == TrailingSilence::Suppress
            || settings.heartbeat && settings.all_clear.is_some());
    // A reply that is silent, or that may become so by its end, waits as a whole.
    if !held_whole && parsed.suppressed.is_none() {
        for (decided, since) in waits {
            assert_eq!(held_back(&raw, &parsed, decided, since), None, "{chunks:?}");
        }
    }
    for range in parsed.ranges.iter().filter(|range| range.fate == Fate::Show) {
        for markup in &listener.markup {
            assert!(
                !range.span.overlaps(*markup),
                "{range:?} shows bytes of {markup:?}"
            );
        }
    }
    (parsed, released)
}

#[cfg(test)]
mod tests {
    use foldback_directives::{Fate, Parsed, Range, RangeReason, Settings, parse};

    use super::{held_back, leak, loss};

    const MESSAGE: &str = "[[reply_to:42]]\n<think>a</think>\n<actions><react emoji=\"a\"/></actions>\nHello **you**, \
                           1 < 2. <|im_end|>It is <no-reply/> done.</voice></actions>";

    fn read() -> Parsed {
        parse(MESSAGE, &Settings::default(), None)
    }

    #[test]
    fn what_was_taken_out_is_found_where_it_is_shown() {
        let settings = Settings::default();
        assert_eq!(leak(&read(), &settings), None);
        for index in 0..read().ranges.len() {
            let mut parsed = read();
            let range = &mut parsed.ranges[index];
            let words = range.span.of(MESSAGE).trim();
            // The content of an element is told by its tag.
            if range.fate == Fate::Show || words.is_empty() || range.reason == Some(RangeReason::Reasoning) {
                continue;
            }
            (range.fate, range.reason) = (Fate::Show, None);
            assert!(leak(&parsed, &settings).is_some(), "{words} is shown");
        }
    }

    #[test]
    fn prose_is_found_whatever_it_is_taken_out_for() {
        assert_eq!(loss(MESSAGE, &read()), None);
        let prose = |parsed: &Parsed| {
            let is_prose = |range: &Range| range.span.of(MESSAGE).contains("Hello");
            parsed.ranges.iter().position(is_prose).expect("prose")
        };
        for fate in [Fate::Strip, Fate::Drop] {
            for why in RangeReason::ALL.iter().copied().map(Some).chain([None]) {
                let mut parsed = read();
                let at = prose(&parsed);
                (parsed.ranges[at].fate, parsed.ranges[at].reason) = (fate, why);
                assert!(loss(MESSAGE, &parsed).is_some(), "{fate:?} {why:?}");
            }
        }
    }

    #[test]
    fn text_that_waits_for_no_reason_is_found() {
        let raw = "Hello NO_REPL  <react";
        let parsed = parse(raw, &Settings::default(), None);
        assert!(held_back(raw, &parsed, 0, 15).is_some(), "all before the < waits");
        assert_eq!(held_back(raw, &parsed, 5, 15), None, "what may be a token waits");
    }
}
