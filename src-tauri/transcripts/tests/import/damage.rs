//! Damage: it is named by line and offset, it hides nothing else, and nothing panics.

use super::{import, sample, samples};
use foldback_transcripts::{Damage, DamageReason};
use proptest::prelude::*;
use std::{fs, sync::LazyLock};

static SAMPLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    samples()
        .into_iter()
        .map(|path| fs::read(path).unwrap())
        .collect()
});

#[test]
fn a_line_that_was_cut_off_is_named_and_the_rest_comes_in() {
    let bytes = sample("lettabot-turns-truncated.jsonl");
    let transcript = import(&bytes).unwrap();
    assert_eq!(transcript.turns(), 4);
    let last = bytes.iter().rposition(|byte| *byte == b'\n').unwrap() as u64 + 1;
    assert_eq!(
        transcript.damaged,
        [Damage {
            line: 6,
            offset: last,
            reason: DamageReason::CutOff
        }]
    );
}

#[test]
fn an_interrupted_export_keeps_its_whole_messages() {
    let transcript = import(&sample("telegram-result-damaged.json")).unwrap();
    let messages = &transcript.conversations[0].messages;
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].text, "column\u{1f}separated");
    assert_eq!(transcript.damaged.len(), 1);
    assert_eq!(transcript.damaged[0].reason, DamageReason::CutOff);
    assert_eq!(transcript.damaged[0].line, 16);
}

/// Each line of a log in turn is overwritten: that line is named, and all others come in as before.
#[test]
fn one_bad_line_hides_no_other() {
    for name in ["lettabot-turns.jsonl", "lettabot-cron-log.jsonl"] {
        let bytes = sample(name);
        let whole = import(&bytes).unwrap();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        for bad in 0..lines.len() {
            let mut text = Vec::new();
            for (index, line) in lines.iter().enumerate() {
                text.extend_from_slice(if index == bad {
                    b"{\"secret\": oops\n"
                } else {
                    line
                });
            }
            let transcript = import(&text).unwrap();
            let place: Vec<u64> = transcript.damaged.iter().map(|damage| damage.line).collect();
            assert_eq!(place, [bad as u64 + 1], "{name}");
            let entries = |t: &foldback_transcripts::Transcript| t.turns() + t.log.len();
            assert_eq!(entries(&transcript), entries(&whole) - 1, "{name}, line {bad}");
            assert!(!format!("{:?}{:?}", transcript.damaged, transcript.notes).contains("secret"));
        }
    }
}

#[test]
fn a_broken_activity_hides_no_other() {
    let text = String::from_utf8(sample("botframework.transcript")).unwrap();
    let broken = text.replacen(
        "\"text\": \"Show me the menu\",",
        "\"text\": \"Show me the menu,",
        1,
    );
    let (whole, transcript) = (
        import(text.as_bytes()).unwrap(),
        import(broken.as_bytes()).unwrap(),
    );
    assert_eq!(transcript.damaged_places, 1);
    assert_eq!(transcript.damaged[0].line, 3);
    assert_eq!(transcript.messages(), whole.messages() - 1);
}

#[test]
fn unknown_types_are_counted_and_never_guessed() {
    let transcript = import(&sample("openclaw-session-newer-version.jsonl")).unwrap();
    let unknown: Vec<(&str, u64)> = transcript
        .unknown
        .iter()
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    assert_eq!(
        unknown,
        [
            ("block location", 1),
            ("block rich", 1),
            ("entry presence", 1),
            ("message of role observer", 1),
            ("stop reason yield", 1)
        ]
    );
    assert!(
        transcript.notes[0].contains("version 9"),
        "{:?}",
        transcript.notes
    );
}

/// What is done to a sample.
#[derive(Debug, Clone)]
enum Change {
    Cut(prop::sample::Index),
    Remove(prop::sample::Index, u8),
    Set(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Double(prop::sample::Index, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    let piece = prop::sample::select(vec![
        "\"",
        "{",
        "}",
        "[",
        "]",
        "\\",
        "\\ud83d",
        "\\x1F",
        "\n",
        "null",
        "-1",
        "1e400",
        "[[",
        "\u{200e}",
        "{\"type\":7}",
        "\"id\":null,",
        "99999999999999999999",
        ": ",
        " - ",
        "\u{feff}",
    ]);
    prop_oneof![
        at().prop_map(Change::Cut),
        (at(), any::<u8>()).prop_map(|(at, count)| Change::Remove(at, count)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (at(), piece).prop_map(|(at, piece)| Change::Insert(at, piece.as_bytes().to_vec())),
        (at(), at()).prop_map(|(from, to)| Change::Double(from, to)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    match change {
        Change::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Change::Remove(at, count) => {
            let at = at.index(bytes.len());
            let end = (at + usize::from(*count)).min(bytes.len());
            bytes.drain(at..end);
        }
        Change::Set(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Change::Insert(at, piece) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, piece.iter().copied());
        }
        Change::Double(from, to) => {
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let piece = bytes[from.min(to)..from.max(to)].to_vec();
            bytes.splice(to..to, piece);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_input_panics(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let mut bytes = SAMPLES[which.index(SAMPLES.len())].clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        if let Ok(transcript) = import(&bytes) {
            for damage in &transcript.damaged {
                prop_assert!(damage.offset <= bytes.len() as u64);
                prop_assert!(damage.line >= 1);
            }
            for turn in transcript.conversations.iter().flat_map(|one| &one.turns) {
                foldback_transcripts::lint_turn(turn, &foldback_directives::Settings::default());
            }
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let _ = import(&bytes);
    }
}
