//! Every sample of a foreign log, opened: it comes in as `foldback import` reads it.

use super::{ask, fixtures, rows, sample, turns};
use crate::host::Host;
use foldback_replay::import::{lint_transcript, read_files};
use foldback_transcripts::{ReadLimits, TranscriptFormat};
use foldback_wire::rpc::{ExampleFile, OpenedFile, TurnDetail};
use serde_json::{Value, json};
use std::fs;

/// Each sample: its format, the turns of its workspace, and what stands in it: conversations, turns with raw output,
/// messages, damaged places, unknown entries, turns that would have leaked.
const SAMPLES: &[(&str, &str, u32, [u32; 6])] = &[
    ("acp-stdio.jsonl", "acp", 2, [1, 2, 0, 0, 0, 1]),
    (
        "anthropic-messages.jsonl",
        "anthropic_messages",
        7,
        [6, 7, 0, 0, 0, 1],
    ),
    ("botframework.transcript", "bot_framework", 2, [1, 0, 4, 0, 0, 0]),
    ("claude-code-session.jsonl", "claude_code", 2, [2, 2, 0, 0, 0, 0]),
    ("codex-rollout.jsonl", "codex", 1, [1, 1, 0, 0, 0, 0]),
    ("discord-export.json", "discord", 2, [1, 0, 5, 0, 0, 0]),
    ("gemini-session-legacy.json", "gemini_cli", 1, [1, 1, 0, 0, 0, 0]),
    ("gemini-session.jsonl", "gemini_cli", 1, [1, 1, 0, 0, 0, 0]),
    ("lettabot-cron-log.jsonl", "lettabot_cron", 0, [0, 0, 0, 0, 0, 0]),
    (
        "lettabot-turns-truncated.jsonl",
        "lettabot_turns",
        4,
        [3, 4, 0, 1, 0, 2],
    ),
    ("lettabot-turns.jsonl", "lettabot_turns", 7, [3, 7, 0, 0, 0, 4]),
    ("openai-batch-output.jsonl", "openai_batch", 4, [4, 4, 0, 0, 0, 1]),
    ("openai-chat-requests.jsonl", "openai_chat", 4, [3, 4, 0, 0, 0, 1]),
    (
        "openai-finetune.jsonl",
        "openai_fine_tuning",
        6,
        [5, 6, 0, 0, 0, 1],
    ),
    (
        "openai-responses.jsonl",
        "openai_responses",
        4,
        [3, 4, 0, 0, 0, 1],
    ),
    ("openclaw-2026-03-02.log", "openclaw_log", 0, [0, 0, 0, 0, 0, 0]),
    (
        "openclaw-session-newer-version.jsonl",
        "openclaw_session",
        1,
        [1, 1, 0, 0, 5, 0],
    ),
    (
        "openclaw-session-v1-linear.jsonl",
        "openclaw_session",
        1,
        [1, 1, 0, 0, 0, 0],
    ),
    (
        "openclaw-session.jsonl",
        "openclaw_session",
        5,
        [1, 5, 1, 0, 0, 3],
    ),
    ("slack-export", "slack", 4, [1, 0, 9, 0, 0, 0]),
    ("telegram-result-damaged.json", "telegram", 1, [1, 0, 1, 1, 0, 0]),
    ("telegram-result.json", "telegram", 7, [1, 0, 8, 0, 0, 0]),
    ("whatsapp-android", "whatsapp", 6, [1, 0, 9, 0, 0, 0]),
    ("whatsapp-ios", "whatsapp", 7, [1, 0, 8, 0, 0, 0]),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_sample_comes_in_as_import_reads_it() {
    let host = Host::start().await;
    let before = host.backend.journal().head();
    let mut came = Vec::new();
    for (name, ..) in SAMPLES {
        let opened = host.open_file(&sample(name)).await;
        let [one] = opened.files.as_slice() else {
            panic!("{name}: {:?}", opened.files);
        };
        let unknown: u64 = one.unknown.iter().map(|entry| entry.count).sum();
        let counts = [
            one.conversations,
            one.turns,
            one.messages,
            one.damaged_places as u32,
            unknown as u32,
            one.leaks.as_ref().map_or(0, |leaks| leaks.leaking_turns),
        ];
        came.push((*name, one.format.clone(), opened.turns, counts));
        check_against_import(name, one);
        let file = host.file(&opened);
        assert_eq!(rows(&file, "is:replayed").await, opened.events, "{name}");
        let listed = turns(&file).await;
        assert_eq!(listed.len() as u32, opened.turns, "{name}");
        assert!(
            listed.iter().all(|turn| turn.replayed && turn.terminal.is_some()),
            "{name}"
        );
        // No gate stops what was answered once.
        assert_eq!(rows(&file, "kind:stopping").await, 0, "{name}");
        // What would have leaked leads to its turn.
        for leak in one.leaks.iter().flat_map(|leaks| &leaks.found) {
            let turn = leak.turn.unwrap_or_else(|| panic!("{name}: {leak:?}"));
            let detail: TurnDetail = ask(&file, "turn", json!({"turn": turn})).await;
            assert!(!detail.messages.is_empty(), "{name}");
        }
        let _: Value = host
            .call("workspace_close", json!({"workspace": opened.workspace}))
            .await;
    }
    let expected: Vec<_> = SAMPLES
        .iter()
        .map(|(name, format, turns, counts)| (*name, (*format).to_owned(), *turns, *counts))
        .collect();
    assert_eq!(came, expected);
    assert_eq!(
        host.backend.journal().head(),
        before,
        "the live journal is left alone"
    );
}

/// The recording that came with the program plays as it was recorded, and is listed with the samples.
#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_a_recording_plays_as_it_was_recorded() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.fixtures = fixtures().into();
    })
    .await;
    let examples: Vec<ExampleFile> = host.call("examples", json!({})).await;
    let names: Vec<_> = examples.iter().map(|example| example.name.as_str()).collect();
    for (name, ..) in SAMPLES {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    let recording = examples
        .iter()
        .find(|example| example.name == "demo.jsonl")
        .unwrap();
    let opened = host.open_file(&recording.path).await;
    let [one] = opened.files.as_slice() else {
        panic!("{:?}", opened.files);
    };
    assert_eq!(one.format, "recording");
    assert_eq!(one.notes, Vec::<String>::new());
    assert!(opened.turns > 1);
}

/// All samples stand in the table.
#[test]
fn every_sample_is_in_the_table() {
    let mut missing = Vec::new();
    let mut folders = vec![fixtures().join("transcripts")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(fixtures().join("transcripts")).unwrap();
            let name = name.to_string_lossy().into_owned();
            let listed = SAMPLES.iter().any(|(sample, ..)| *sample == name);
            if path.is_dir() && !listed {
                folders.push(path);
            } else if !listed && name != "README.md" {
                missing.push(name);
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

fn check_against_import(name: &str, opened: &OpenedFile) {
    let (read, refused) = read_files(&[sample(name).into()], &ReadLimits::default());
    assert_eq!(refused.len(), 0, "{name}");
    let transcript = &read[0].transcript;
    let lint = lint_transcript(
        transcript,
        &foldback_pipeline::config::embedded().output.settings(),
    );
    assert_eq!(opened.format, transcript.format.code(), "{name}");
    assert_eq!(opened.losses, transcript.losses, "{name}");
    assert_eq!(
        opened.conversations as usize,
        transcript.conversations.len(),
        "{name}"
    );
    assert_eq!(opened.turns as usize, transcript.turns(), "{name}");
    assert_eq!(opened.messages as usize, transcript.messages(), "{name}");
    assert_eq!(opened.damaged_places, transcript.damaged_places, "{name}");
    assert!(
        transcript.notes.iter().all(|note| opened.notes.contains(note)),
        "{name}"
    );
    let leaks = opened.leaks.as_ref();
    assert_eq!(leaks.is_some(), transcript.is_raw(), "{name}");
    assert_eq!(
        leaks.map_or(0, |leaks| leaks.bytes),
        lint.leaked_bytes as u64,
        "{name}"
    );
    assert_eq!(
        leaks.map_or(0, |leaks| leaks.findings),
        lint.findings as u32,
        "{name}"
    );
    assert_ne!(transcript.format, TranscriptFormat::Recording);
}
