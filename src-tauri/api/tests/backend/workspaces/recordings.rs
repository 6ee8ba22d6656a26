//! An exported recording, opened where it was not made.

use super::{ask, sample, turns};
use crate::host::Host;
use foldback_wire::{
    Terminal,
    rpc::{ExportResult, TurnDetail},
};
use serde_json::{Value, json};

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
        let written: ExportResult = ask(&file, "export", args).await;
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
