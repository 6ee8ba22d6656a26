//! Every sample has an expected import beside these tests; `UPDATE_EXPECTED=1` writes what comes.

use super::{folder, import, sample, samples, slack_export};
use foldback_directives::Settings;
use foldback_transcripts::{TurnPart, lint_turn};
use serde::Serialize;
use std::{fs, path::Path};

fn compare(name: &str, came: &impl Serialize) {
    let mut came = serde_json::to_string_pretty(came).unwrap();
    came.push('\n');
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected");
    let path = expected.join(format!("{}.json", name.replace(['/', ' '], "-")));
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, &came).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(expected == came, "{name} is read otherwise:\n{came}");
}

#[test]
fn every_sample_is_read_as_expected() {
    let samples = samples();
    assert!(samples.len() >= 27, "{}", samples.len());
    for path in samples {
        let name = path
            .strip_prefix(folder())
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let transcript =
            import(&fs::read(&path).unwrap()).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        compare(&name, &transcript);
    }
}

#[test]
fn the_files_of_a_slack_export_are_one_transcript() {
    compare("slack-export", &slack_export());
}

/// The raw text of every assistant message of a sample.
fn raw(name: &str) -> Vec<String> {
    let transcript = import(&sample(name)).unwrap();
    let turns = transcript.conversations.iter().flat_map(|one| &one.turns);
    turns
        .flat_map(foldback_transcripts::TranscriptTurn::raw_texts)
        .map(str::to_owned)
        .collect()
}

#[test]
fn raw_texts_come_as_they_were_written() {
    assert_eq!(
        raw("openclaw-session.jsonl"),
        [
            "Checking.",
            "[[reply_to_current]] It is a single grey pixel.",
            "NO_REPLY",
            "[[reply_to:44]] [[audio_as_voice]] The note says: water the plants.",
            "It is 09:02.",
            "The job has finished."
        ]
    );
    assert_eq!(raw("acp-stdio.jsonl"), ["[[reply_to:888]] Hello Ana"]);
    assert_eq!(
        raw("claude-code-session.jsonl"),
        ["I will read it.", "The test assumes UTC."]
    );
    assert_eq!(raw("codex-rollout.jsonl"), ["There is one file: a.ts"]);
    assert_eq!(raw("gemini-session.jsonl"), ["It sets x to 1."]);
    assert_eq!(
        raw("openclaw-session-newer-version.jsonl"),
        ["[[react:wave]] Hello"]
    );
}

#[test]
fn a_copy_of_what_was_sent_is_no_output() {
    let transcript = import(&sample("openclaw-session.jsonl")).unwrap();
    let parts = transcript
        .conversations
        .iter()
        .flat_map(|one| &one.turns)
        .flat_map(|turn| &turn.parts);
    let delivered: Vec<&str> = parts
        .filter_map(|part| match part {
            TurnPart::Delivered { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(delivered, ["note.ogg"]);
}

#[test]
fn lint_says_what_a_bot_without_a_scanner_would_have_leaked() {
    let transcript = import(&sample("lettabot-turns.jsonl")).unwrap();
    let turns = transcript.conversations.iter().flat_map(|one| &one.turns);
    let leaked: Vec<usize> = turns
        .map(|turn| lint_turn(turn, &Settings::default()).leaked_bytes())
        .collect();
    let whole = "<actions><react emoji=\"thumbsup\"/></actions>".len();
    assert_eq!(leaked[0], whole);
    assert!(leaked[1] > 0 && leaked[2] > 0, "{leaked:?}");
    assert_eq!(
        leaked.iter().filter(|bytes| **bytes == 0).count(),
        3,
        "{leaked:?}"
    );
}
