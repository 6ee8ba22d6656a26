//! Files opened beside the live bot: what comes in is what `foldback import` reads, it is marked as replayed, and the
//! live bot and its journal have no part in it. Time is real here: a journal in a file knows no other.

use crate::host::{Host, pushed};
use foldback_api::{Backend, WindowOrder, call};
use foldback_replay::import::{lint_transcript, read_files};
use foldback_transcripts::{ReadLimits, TranscriptFormat};
use foldback_wire::{
    Seq, Terminal,
    rpc::{
        Exported, Frame, LinkText, OpenedFile, Push, Status, Topic, TurnDetail, TurnLink, TurnSummary,
        ViewOpened, Workspace,
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{fs, path::Path, path::PathBuf, time::Duration};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn sample(name: &str) -> String {
    let path = fixtures().join("transcripts").join(name);
    path.to_string_lossy().into_owned()
}

fn files(paths: &[&str]) -> Value {
    json!({"source": {"of": "files", "paths": paths, "bot": null}})
}

impl Host {
    async fn open_file(&self, path: &str) -> Workspace {
        self.call("workspace_open", files(&[path])).await
    }

    async fn refusal(&self, path: &Path) -> String {
        let name = path.to_string_lossy();
        let (code, message, _) = self.failure("workspace_open", files(&[&name])).await;
        assert_eq!(code, "cannot_open", "{message}");
        message
    }

    fn file(&self, of: &Workspace) -> Backend {
        self.backend.workspace(of.workspace).unwrap()
    }
}

async fn ask<R: DeserializeOwned>(backend: &Backend, name: &str, args: Value) -> R {
    serde_json::from_value(call(backend, name, args).await.unwrap()).unwrap()
}

async fn turns(backend: &Backend) -> Vec<TurnSummary> {
    let mut turns: Vec<TurnSummary> = ask(backend, "turns", json!({"before": null, "limit": 500})).await;
    turns.reverse();
    turns
}

/// How many rows a view has.
async fn rows(backend: &Backend, filter: &str) -> u64 {
    let ViewOpened { view } = ask(backend, "view_open", json!({"filter": filter})).await;
    let mut frames = backend.subscribe(&Topic::View { view }).unwrap();
    let args = json!({"view": view, "first": 0, "count": 5, "follow": false});
    let _: Value = ask(backend, "view_window", args).await;
    loop {
        let Some(Push::Frame { frame }) = frames.next().await else {
            panic!("no frame");
        };
        let Frame {
            length,
            scanning,
            serial,
            ..
        } = frame;
        if !scanning {
            return length;
        }
        let _: Value = ask(backend, "view_ack", json!({"view": view, "serial": serial})).await;
    }
}

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

#[tokio::test(flavor = "multi_thread")]
async fn an_open_file_is_looked_at_and_nothing_can_be_done_in_it() {
    let host = Host::start().await;
    let opened = host.open_file(&sample("lettabot-turns.jsonl")).await;
    assert_eq!(opened.name, "lettabot-turns.jsonl");
    let file = host.file(&opened);
    let status: Status = ask(&file, "status", json!({})).await;
    assert!(status.replayed && status.demo.is_none() && status.armed.is_empty());
    assert_eq!(status.workspace, "lettabot-turns.jsonl");
    assert_eq!((status.running, status.head), (0, opened.events));
    let first = turns(&file).await[0].turn;
    let detail: TurnDetail = ask(&file, "turn", json!({"turn": first})).await;
    assert!(!detail.messages[0].ranges.is_empty(), "its hold map is there");
    assert_eq!(detail.summary.at.to_string(), "2026-03-02T08:14:07.572Z");
    let send = json!({"channel": "telegram", "user_text": "hi", "agent_output": "hello"});
    for (name, args) in [
        ("compose_send", send),
        ("mute", json!({"muted": true})),
        ("channel_switch", json!({"channel": "telegram", "on": false})),
        ("workspace_open", files(&["/x"])),
    ] {
        let failure = call(&file, name, args).await.unwrap_err();
        assert_eq!(failure.code, "replayed", "{name}");
        assert!(
            failure.message.starts_with("lettabot-turns.jsonl is a file"),
            "{}",
            failure.message
        );
    }
    assert_eq!(file.journal().head().0, opened.events);
    // The live bot goes on.
    let live: Status = host.call("status", json!({})).await;
    assert!(!live.replayed);
    let closed: Vec<Workspace> = host
        .call("workspace_close", json!({"workspace": opened.workspace}))
        .await;
    assert_eq!(closed, []);
    assert_eq!(
        host.backend.workspace(opened.workspace).err().unwrap().code,
        "no_workspace"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_opened_at_once_are_all_there_and_one_takes_its_own_place() {
    let host = Host::start().await;
    let (session, export) = (sample("openclaw-session.jsonl"), sample("telegram-result.json"));
    let (one, two) = tokio::join!(host.open_file(&session), host.open_file(&export));
    assert_ne!(one.workspace, two.workspace);
    let again = host.open_file(&sample("telegram-result.json")).await;
    let listed: Vec<Workspace> = host.call("workspaces", json!({})).await;
    let numbers: Vec<u32> = listed.iter().map(|one| one.workspace).collect();
    assert_eq!(numbers, [one.workspace, again.workspace]);
    assert!(host.backend.workspace(two.workspace).is_err());
    // Logs that belong together are opened together.
    let both = [sample("lettabot-turns.jsonl"), sample("lettabot-cron-log.jsonl")];
    let both: Workspace = host.call("workspace_open", files(&[&both[0], &both[1]])).await;
    assert_eq!(
        (both.files.len(), both.name.as_str()),
        (2, "lettabot-turns.jsonl and 1 more")
    );
    // The bot is named where the format does not say.
    let named =
        json!({"source": {"of": "files", "paths": [sample("telegram-result.json")], "bot": "Pia Bot"}});
    let named: Workspace = host.call("workspace_open", named).await;
    assert_eq!(rows(&host.file(&named), "kind:intended").await, 1);
    assert_eq!(rows(&host.file(&again), "kind:intended").await, 0);
    assert!(
        again.files[0]
            .notes
            .iter()
            .any(|note| note.contains("does not say who the bot is"))
    );
    for name in [
        "acp-stdio.jsonl",
        "codex-rollout.jsonl",
        "gemini-session.jsonl",
        "openai-finetune.jsonl",
    ] {
        host.open_file(&sample(name)).await;
    }
    let (code, message, _) = host
        .failure("workspace_open", files(&[&sample("discord-export.json")]))
        .await;
    assert_eq!(code, "too_many_workspaces", "{message}");
    host.backend.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fixture_opens_as_turns_with_their_hold_maps() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.fixtures = fixtures().into();
    })
    .await;
    let entries: Value = host.call("fixtures", json!({})).await;
    let entry = entries
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["channels"].as_array().unwrap().len() == 5)
        .unwrap();
    let path = entry["path"].as_str().unwrap();
    let whole = host.open_file(&fixtures().join(path).to_string_lossy()).await;
    assert_eq!(whole.files[0].format, "fixture");
    assert!(whole.turns >= 5);
    assert_eq!(whole.files[0].notes, Vec::<String>::new(), "it holds");
    let case = json!({"source": {"of": "case", "path": path, "channel": "discord"}});
    let case: Workspace = host.call("workspace_open", case).await;
    let file = host.file(&case);
    let listed = turns(&file).await;
    assert_eq!(listed.len() as u32, case.turns);
    assert!(
        listed
            .iter()
            .all(|turn| turn.channel == Some("discord".into()) && turn.replayed)
    );
    let detail: TurnDetail = ask(&file, "turn", json!({"turn": listed[0].turn})).await;
    assert!(!detail.messages[0].ranges.is_empty());
    let args = json!({"source": {"of": "case", "path": path, "channel": "fax"}});
    let (_, message, _) = host.failure("workspace_open", args).await;
    assert!(
        message.ends_with("is not opened: the fixture does not run on fax."),
        "{message}"
    );
    let broken = host.folder.path().join("broken.yaml");
    fs::write(&broken, "name: x\nchannel: telegram\nsteps:\n  - shout: hi\n").unwrap();
    let message = host.refusal(&broken).await;
    assert!(
        message.starts_with("broken.yaml is not opened: the fixture is wrong at line 4: "),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exported_recording_plays_byte_for_byte_alike() {
    let host = Host::start().await;
    let there = Host::start().await;
    let opened = host.open_file(&sample("lettabot-turns.jsonl")).await;
    let file = host.file(&opened);
    let all = turns(&file).await;
    let of_all: Vec<_> = all.iter().map(|turn| turn.turn).collect();
    for turn in of_all {
        let path = host.folder.path().join(format!("recorded-{turn}.jsonl"));
        let scope = json!({"of": "turns", "turns": [turn]});
        let args = json!({"scope": scope, "format": "recording", "path": path});
        let written: Exported = ask(&file, "export", args).await;
        let again = there.open_file(&written.path).await;
        assert_eq!((again.turns, again.files[0].format.as_str()), (1, "recording"));
        assert_eq!(again.files[0].notes, Vec::<String>::new());
        let played = there.file(&again);
        let then: TurnDetail = ask(&file, "turn", json!({"turn": turn})).await;
        let now: TurnDetail = ask(&played, "turn", json!({"turn": turns(&played).await[0].turn})).await;
        assert_eq!(told(&then), told(&now), "turn {turn}");
        let _: Value = there
            .call("workspace_close", json!({"workspace": again.workspace}))
            .await;
    }
}

/// What a turn tells without the numbers and places that every journal counts by itself.
fn told(detail: &TurnDetail) -> Value {
    let messages: Vec<_> = detail
        .messages
        .iter()
        .map(|message| {
            let chunks: Vec<_> = message
                .chunks
                .iter()
                .map(|chunk| (chunk.span, chunk.at_ms))
                .collect();
            json!({"raw": message.raw, "clean": message.clean, "ranges": message.ranges, "chunks": chunks})
        })
        .collect();
    // What exactly the agent reported when it failed is for its operator and in no recording.
    let ended = match &detail.summary.terminal {
        Some(Terminal::Failed { .. }) => json!("failed"),
        ended => json!(ended),
    };
    let ledger: Vec<_> = detail
        .ledger
        .iter()
        .map(|entry| json!({"intent": entry.intent, "outcome": entry.outcome.as_ref().map(|o| o.code)}))
        .collect();
    json!({"messages": messages, "ledger": ledger, "text": detail.inbound.text, "ended": ended})
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_gets_one_sentence_and_leaves_everything_as_it_was() {
    let host = Host::start().await;
    let head = host.backend.journal().head();
    let folder = host.folder.path();
    let write = |name: &str, text: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let opened = host.open_file(&sample("lettabot-turns.jsonl")).await;
    let recorded: Exported = ask(
        &host.file(&opened),
        "export",
        json!({"scope": {"of": "turns", "turns": [1]}, "format": "recording", "path": folder.join("whole.jsonl")}),
    )
    .await;
    let whole = fs::read(&recorded.path).unwrap();
    let truncated = write("truncated.jsonl", &whole[..whole.len() - 40]);
    let lines = whole.split(|byte| *byte == b'\n').count() - 1;
    let message = host.refusal(&truncated).await;
    let start = format!("truncated.jsonl is not opened: the recording is damaged at line {lines}, byte ");
    assert!(message.starts_with(&start), "{message}");
    assert!(message.ends_with("; export it again."), "{message}");

    let large = folder.join("large.jsonl");
    fs::File::create(&large).unwrap().set_len(2_000_000_000).unwrap();
    assert_eq!(
        host.refusal(&large).await,
        "large.jsonl is not opened: it is larger than 256 MB; split it, or read it with `foldback import --max-file`."
    );
    let other = write("other.log", b"Nov 27 09:00:00 host sshd[1]: secret\n");
    assert_eq!(
        host.refusal(&other).await,
        "other.log is not opened: it is no recording, fixture or transcript of a known format (`foldback import \
         --formats` lists them)."
    );
    let newer = write("newer.jsonl", b"{\"foldback\":\"recording\",\"version\":9}\n");
    assert_eq!(
        host.refusal(&newer).await,
        "newer.jsonl is not opened: the recording has version 9, and this program knows 1; use a newer Foldback."
    );
    let empty = write("empty.jsonl", b"");
    assert_eq!(
        host.refusal(&empty).await,
        "empty.jsonl is not opened: the file is empty."
    );
    let gone = host.refusal(&folder.join("gone.jsonl")).await;
    assert!(
        gone.starts_with("gone.jsonl is not opened: the file cannot be read: "),
        "{gone}"
    );
    fs::create_dir(folder.join("nothing")).unwrap();
    assert_eq!(
        host.refusal(&folder.join("nothing")).await,
        "nothing is not opened: no recording, fixture or transcript is in this folder."
    );
    // Beside a good one the bad one is told, and the rest comes in.
    let good = sample("codex-rollout.jsonl");
    let mixed: Workspace = host
        .call("workspace_open", files(&[&good, &other.to_string_lossy()]))
        .await;
    assert_eq!((mixed.files.len(), mixed.refused.len()), (1, 1));
    assert!(
        mixed.refused[0].starts_with("other.log is not opened"),
        "{:?}",
        mixed.refused
    );

    assert_eq!(host.backend.journal().head(), head);
    let open: Vec<Workspace> = host.call("workspaces", json!({})).await;
    assert_eq!(open.len(), 2);
    assert_eq!(
        host.backend
            .journal()
            .read(Seq(1), usize::MAX)
            .await
            .unwrap()
            .len() as u64,
        head.0
    );
}

#[tokio::test(start_paused = true)]
async fn a_link_is_read_and_written_and_a_bad_one_gets_one_sentence() {
    let host = Host::start().await;
    let link: TurnLink = host
        .call("link_read", json!({"link": "foldback://turn/10@+631ms"}))
        .await;
    assert_eq!((link.turn.0, link.at_ms, &link.file), (10, Some(631), &None));
    let text: LinkText = host.call("link_write", json!(link)).await;
    assert_eq!(text.link, "foldback://turn/10@+631ms");
    let (code, message, hint) = host
        .failure("link_read", json!({"link": "foldback://turn/x"}))
        .await;
    assert_eq!((code.as_str(), hint), ("bad_link", None));
    assert_eq!(
        message,
        "This is no link to a turn: write it as foldback://turn/10 or foldback://turn/10@+631ms."
    );
}

#[tokio::test(start_paused = true)]
async fn a_window_is_told_what_to_open_once_and_a_bot_without_one_says_so() {
    let order = |target: &str| WindowOrder::Open {
        targets: vec![target.to_owned()],
    };
    let host = Host::start().await;
    let failure = host.backend.ask_window(order("/a")).unwrap_err();
    assert_eq!(failure.code, "no_window");

    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.window = true;
    })
    .await;
    // Before the page listens, too.
    host.backend.ask_window(order("/a")).unwrap();
    host.backend.ask_window(order("foldback://turn/1")).unwrap();
    let mut app = host.subscribe(&Topic::App);
    let told = |pushes: Vec<Push>| -> Vec<Vec<String>> {
        let targets = pushes.into_iter().filter_map(|push| match push {
            Push::Open { targets } => Some(targets),
            _ => None,
        });
        targets.collect()
    };
    let first = told(pushed(&mut app, Duration::from_secs(1)).await);
    assert_eq!(first, [["/a".to_owned(), "foldback://turn/1".to_owned()]]);
    host.backend
        .ask_window(WindowOrder::Open { targets: Vec::new() })
        .unwrap();
    let second = told(pushed(&mut app, Duration::from_secs(1)).await);
    assert_eq!(second, [Vec::<String>::new()]);
}
