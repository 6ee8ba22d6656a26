//! A stream: nothing of a secret is shown, and nothing else waits.

use crate::{
    Collect, Fate, Hold, HoldReason, Parsed, RangeReason, Scanner, Settings, Sink, Step,
    redact::{Patterns, Reader, RedactSettings},
};

/// What was shown after each chunk, and what was held then.
#[derive(Default)]
struct Screen {
    collect: Collect,
    hold: Option<Hold>,
}

impl Sink for Screen {
    fn step(&mut self, step: Step<'_>) {
        if let Step::Hold(hold) = &step {
            self.hold = hold.copied();
        }
        self.collect.step(step);
    }
}

fn reader() -> Reader {
    let patterns = Patterns::new(&RedactSettings::default());
    Reader::new(Scanner::new(&Settings::default(), None), Some(&patterns))
}

fn frames(chunks: &[&str]) -> (Vec<(String, Option<Hold>)>, Parsed) {
    let mut reader = reader();
    let mut screen = Screen::default();
    let mut frames = Vec::new();
    for chunk in chunks {
        reader.push(chunk, &mut screen);
        frames.push((screen.collect.clean_text().to_owned(), screen.hold));
    }
    reader.finish(&mut screen);
    assert_eq!(screen.hold, None, "nothing is held behind the end");
    (frames, screen.collect.into_parsed())
}

pub(super) fn parsed(chunks: &[&str]) -> Parsed {
    frames(chunks).1
}

#[test]
fn no_prefix_of_a_secret_is_ever_shown() {
    let text = "My key is sk-abcdefghijklmnopqrstuvwx, keep it.";
    let bytes: Vec<String> = text.chars().map(String::from).collect();
    let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
    let (frames, parsed) = frames(&bytes);
    for (shown, _) in &frames {
        assert!(!shown.contains("sk-"), "{shown}");
        assert!(
            "My key is [redacted], keep it.".starts_with(shown.as_str()),
            "{shown}"
        );
    }
    assert_eq!(parsed.clean_text, "My key is [redacted], keep it.");
}

#[test]
fn the_hold_names_its_first_byte_its_rule_and_its_bound() {
    let (frames, _) = frames(&["My key is sk-abc", "d"]);
    let (shown, hold) = &frames[0];
    assert_eq!(shown, "My key is", "white space waits with what follows it");
    let hold = hold.unwrap();
    assert_eq!((hold.span.start, hold.span.end, hold.since), (9, 16, 10));
    assert_eq!(
        (hold.reason, hold.rule),
        (HoldReason::RedactionWindow, "P.redact.window")
    );
    assert_eq!((hold.subject, hold.until), ("sk", Some(10 + 512)));
    assert!(hold.why().contains("P.redact.window"), "{}", hold.why());
    assert_ne!(hold.release(), "The next part of the text.");
    assert_eq!(frames[1].1.unwrap().span.end, 17);
}

#[test]
fn a_bound_is_stated_only_where_it_holds() {
    let spaces = " ".repeat(900);
    let chunks = ["sk-", "<actions>", &spaces, "</actions>", "proj-", "abc"];
    let (frames, _) = frames(&chunks);
    let hold = |at: usize| frames[at].1.unwrap();
    assert_eq!(
        (hold(0).reason, hold(0).until),
        (HoldReason::RedactionWindow, Some(512))
    );
    assert_eq!(
        (hold(1).reason, hold(1).rule),
        (HoldReason::OpenBlock, "G3.prose")
    );
    assert_eq!(
        (hold(2).span.start, hold(2).since),
        (0, 3),
        "all that waits, for the block"
    );
    let last = hold(5);
    assert_eq!(
        (last.reason, last.since, last.until),
        (HoldReason::RedactionWindow, 0, None),
        "hidden bytes lie inside"
    );
    assert!(last.span.end > 512, "{last:?}");
}

#[test]
fn where_the_scanner_waits_its_reason_is_told() {
    for (text, reason) in [
        ("a -\n<think>is it", HoldReason::GuardOpen),
        ("a sk-<actions>", HoldReason::OpenBlock),
        ("a sk-<reac", HoldReason::PartialTag),
        // Any further text lets both go on; then the secret is what matters.
        ("a sk- ", HoldReason::RedactionWindow),
    ] {
        let (frames, _) = frames(&[text]);
        let (shown, hold) = &frames[0];
        let hold = hold.expect(text);
        assert_eq!((shown.as_str(), hold.reason), ("a", reason), "{text}");
        assert_eq!(hold.span.of(text), &text[1..], "{text}");
    }
}

#[test]
fn no_preview_ends_in_white_space() {
    for text in [
        "Hi sk-proj-Abc123Abc123Abc123Abc123 and sk-learn",
        "Hi\n\n<react emoji=\"eyes\"/>\n sk-abcdefghijklmnopqrstuvwx  <voice>a</voice> sk-abc <think>b</think> -- it",
        "password:  hunter2\u{a0}\u{2003}password: hunter2 \t#***** x",
    ] {
        let chars: Vec<String> = text.chars().map(String::from).collect();
        let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
        let (frames, parsed) = frames(&chars);
        for (shown, hold) in &frames {
            assert_eq!(shown, shown.trim_end(), "{text}");
            assert!(parsed.clean_text.starts_with(shown.as_str()));
            if let Some(Hold {
                until: Some(until),
                span,
                ..
            }) = hold
            {
                assert!(span.end <= *until, "{hold:?}");
            }
        }
    }
}

#[test]
fn prose_waits_at_most_for_the_end_of_a_word() {
    let text = "The quick brown fox skips over 12 lazy dogs; the password is not told, nor any token. Ünd so weiter.";
    let mut reader = reader();
    let mut screen = Screen::default();
    let mut waited = 0;
    for (at, c) in text.char_indices() {
        reader.push(&text[at..at + c.len_utf8()], &mut screen);
        let shown = screen.collect.clean_text().len();
        let end = at + c.len_utf8();
        // The scanner itself keeps white space until text follows.
        let pending = text[shown..end].trim_end();
        assert!(pending.len() <= 3, "{pending:?} waits");
        waited += usize::from(!pending.is_empty());
    }
    assert!(waited < text.len() / 5, "{waited} of {}", text.len());
}

#[test]
fn what_waited_is_shown_when_it_is_no_secret() {
    let (frames, parsed) = frames(&["use sk-", "learn", " now"]);
    assert_eq!(frames[0].0, "use");
    assert_eq!(frames[2].0, "use sk-learn now");
    assert_eq!(parsed.clean_text, "use sk-learn now");
}

#[test]
fn a_secret_at_the_end_and_a_near_one_are_decided_by_the_end() {
    assert_eq!(parsed(&["password: hunter2"]).clean_text, "password: [redacted]");
    assert_eq!(parsed(&["sk-abcdefghij"]).clean_text, "sk-abcdefghij");
}

#[test]
fn masked_bytes_are_ranges_with_a_reason() {
    let raw = "a sk-abcdefghijklmnopqrstuvwx b";
    let parsed = parsed(&[raw]);
    let masked: Vec<_> = parsed
        .ranges
        .iter()
        .filter(|r| r.reason == Some(RangeReason::Redacted))
        .collect();
    assert_eq!(masked.len(), 1);
    assert_eq!(masked[0].span.of(raw), "sk-abcdefghijklmnopqrstuvwx");
    assert_eq!(
        (masked[0].fate, masked[0].shown_as.as_deref()),
        (Fate::Show, Some("[redacted]"))
    );
}

#[test]
fn a_secret_split_by_a_directive_is_masked_and_the_directive_runs_at_once() {
    let raw = "key sk-abcdefghijk<react emoji=\"eyes\"/>lmnopqrstuvwxyz end";
    let (frames, parsed) = frames(&[&raw[..45], &raw[45..]]);
    assert_eq!(frames[0].0, "key");
    assert_eq!(parsed.clean_text, "key [redacted] end");
    assert_eq!(parsed.directives.len(), 1);
    let masked = parsed
        .ranges
        .iter()
        .filter(|r| r.reason == Some(RangeReason::Redacted));
    assert_eq!(
        masked.map(|r| r.shown_as.clone().unwrap()).collect::<Vec<_>>(),
        ["[redacted]", ""]
    );
}

#[test]
fn a_suppressed_reply_stays_suppressed() {
    let parsed = parsed(&["NO_REPLY"]);
    assert_eq!(parsed.clean_text, "");
    assert!(parsed.suppressed.is_some());
}
