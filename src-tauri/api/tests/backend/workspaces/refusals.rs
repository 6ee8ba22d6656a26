//! Input that cannot be opened: it gets one sentence and leaves everything as it was.

use super::{ask, files, sample};
use crate::host::Host;
use foldback_wire::{
    Seq,
    rpc::{ExportResult, Workspace},
};
use serde_json::json;
use std::fs;

/// Content of a file that cannot be opened, and what is said about it.
const REFUSED: &[(&str, &[u8], &str)] = &[
    (
        "other.log",
        b"Nov 27 09:00:00 host sshd[1]: secret\n",
        "it is no recording, fixture or transcript of a known format (`foldback import --formats` lists them).",
    ),
    (
        "newer.jsonl",
        b"{\"foldback\":\"recording\",\"version\":9}\n",
        "the recording has version 9, and this program knows 1; use a newer Foldback.",
    ),
    ("empty.jsonl", b"", "the file is empty."),
];

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_gets_one_sentence() {
    let host = Host::start().await;
    let folder = host.folder.path();
    for (name, content, why) in REFUSED {
        let path = folder.join(name);
        fs::write(&path, content).unwrap();
        assert_eq!(host.refusal(&path).await, format!("{name} is not opened: {why}"));
    }
    let large = folder.join("large.jsonl");
    fs::File::create(&large).unwrap().set_len(2_000_000_000).unwrap();
    assert_eq!(
        host.refusal(&large).await,
        "large.jsonl is not opened: it is larger than 256 MB; split it, or read it with `foldback import --max-file`."
    );
    let gone = host.refusal(&folder.join("gone.jsonl")).await;
    assert!(
        gone.starts_with("gone.jsonl is not opened: the file cannot be read: "),
        "{gone}"
    );
    let nothing = folder.join("nothing");
    fs::create_dir(&nothing).unwrap();
    assert_eq!(
        host.refusal(&nothing).await,
        "nothing is not opened: no recording, fixture or transcript is in this folder."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_truncated_recording_is_refused_with_the_place_of_its_damage() {
    let host = Host::start().await;
    let folder = host.folder.path();
    let opened = host.open_file(&sample("lettabot-turns.jsonl")).await;
    let scope = json!({"of": "turns", "turns": [1]});
    let args = json!({"scope": scope, "format": "recording", "path": folder.join("whole.jsonl")});
    let recorded: ExportResult = ask(&host.file(&opened), "export", args).await;
    let whole = fs::read(&recorded.path).unwrap();
    let truncated = folder.join("truncated.jsonl");
    fs::write(&truncated, &whole[..whole.len() - 40]).unwrap();
    let lines = whole.split(|byte| *byte == b'\n').count() - 1;
    let message = host.refusal(&truncated).await;
    let start = format!("truncated.jsonl is not opened: the recording is damaged at line {lines}, byte ");
    assert!(message.starts_with(&start), "{message}");
    assert!(message.ends_with("; export it again."), "{message}");

    // Between two lines nothing is damaged, but its first line says how many there are.
    let all = lines - 1;
    let kept: Vec<_> = whole
        .split_inclusive(|byte| *byte == b'\n')
        .take(lines - 2)
        .collect();
    let short = folder.join("short.jsonl");
    fs::write(&short, kept.concat()).unwrap();
    assert_eq!(
        host.refusal(&short).await,
        format!(
            "short.jsonl is not opened: the recording is cut off, it has {} of {all} events; export it again.",
            all - 2
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_leaves_the_journal_and_the_open_files_as_they_were() {
    let host = Host::start().await;
    let head = host.backend.journal().head();
    let (name, content, _) = REFUSED[0];
    let bad = host.folder.path().join(name);
    fs::write(&bad, content).unwrap();
    host.open_file(&sample("lettabot-turns.jsonl")).await;
    host.refusal(&bad).await;
    // Beside a good one the bad one is told, and the rest comes in.
    let good = sample("codex-rollout.jsonl");
    let mixed: Workspace = host
        .call("workspace_open", files(&[&good, &bad.to_string_lossy()]))
        .await;
    assert_eq!((mixed.files.len(), mixed.refused.len()), (1, 1));
    assert!(
        mixed.refused[0].starts_with("other.log is not opened"),
        "{:?}",
        mixed.refused
    );
    let open: Vec<Workspace> = host.call("workspaces", json!({})).await;
    assert_eq!(open.len(), 2);
    assert_eq!(host.backend.journal().head(), head);
    let events = host.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
    assert_eq!(events.len() as u64, head.0);
}
