//! Manual tests: reading, previews, sending.

use crate::host::Host;
use foldback_channels::{platform, profile};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    Event, Kind, OutcomeCode, Seq, Terminal,
    rpc::{Bubble, BubblePart, ChannelPreview, ComposeResult, EventDetail, Secrets, Status, TurnDetail},
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

async fn compose(host: &Host, output: &str, channels: &[&str]) -> ComposeResult {
    let args = json!({"user_text": "How was my talk?", "agent_output": output, "channels": channels});
    host.call("compose", args).await
}

fn text(bubble: &Bubble) -> &str {
    match &bubble.part {
        BubblePart::Text { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

fn of<'a>(composed: &'a ComposeResult, channel: &str) -> &'a ChannelPreview {
    composed
        .previews
        .iter()
        .find(|p| p.channel.as_str() == channel)
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_documented_example_is_previewed_on_every_channel() {
    let host = Host::start().await;
    let output = "<actions>\n  <react emoji=\"thumbsup\" />\n</actions>\nGreat idea!";
    let composed = compose(&host, output, &[]).await;
    assert_eq!(composed.parsed.clean_text, "Great idea!");
    assert_eq!(composed.previews.len(), platform::ALL.len());
    for preview in &composed.previews {
        assert_eq!(text(&preview.bubbles[0]), "How was my talk?");
        let reacts = profile(preview.platform).react.is_some();
        let reactions: Vec<_> = preview.bubbles[0]
            .reactions
            .iter()
            .map(|r| r.emoji.as_str())
            .collect();
        assert_eq!(
            reactions,
            if reacts { &["👍"][..] } else { &[] },
            "{}",
            preview.channel
        );
        assert_eq!(text(&preview.bubbles[1]), "Great idea!");
        assert!(
            preview.rules.starts_with(preview.platform.code()),
            "{}",
            preview.rules
        );
        let notes = preview.notes.len();
        assert_eq!(
            notes,
            usize::from(!reacts),
            "{}: {:?}",
            preview.channel,
            preview.notes
        );
    }
    assert_eq!(of(&composed, "slack").bubbles[0].reactions[0].sent, "thumbsup");
}

/// Telegram's ids count tenths of a second, so that those of a short run lie ahead of the clock when it is over.
#[tokio::test(start_paused = true)]
async fn a_later_start_repeats_no_id_of_a_simulated_platform() {
    let journal = Arc::new(MemoryJournal::new());
    for start in 1..=3 {
        let host = Host::start_with(|setup| {
            setup.demo = false;
            setup.journal = Some(Arc::clone(&journal) as Arc<dyn Journal>);
        })
        .await;
        let turn = host.say("telegram", "hi", "Hello.").await;
        let detail: TurnDetail = host.call("turn", json!({ "turn": turn })).await;
        let terminal = detail.summary.terminal;
        assert!(
            matches!(terminal, Some(Terminal::Replied)),
            "start {start}: {terminal:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_text_is_split_in_each_channels_own_unit() {
    let host = Host::start().await;
    let output = "déjà vu ".repeat(700);
    let composed = compose(&host, &output, &[]).await;
    let parts = |channel| of(&composed, channel).bubbles.len() - 1;
    assert_eq!(
        (
            parts("telegram"),
            parts("discord"),
            parts("slack"),
            parts("signal")
        ),
        (2, 3, 2, 4)
    );
    for preview in &composed.previews {
        assert!(
            preview.bubbles[1..].iter().all(|b| b.length <= b.limit),
            "{}",
            preview.channel
        );
    }
}

#[tokio::test(start_paused = true)]
async fn findings_have_places_and_explanations() {
    let host = Host::start().await;
    let composed = compose(
        &host,
        "Fine.\n<actions>\n  <raect emoji=\"eyes\" />\n</actions>",
        &["telegram"],
    )
    .await;
    let lint = &composed.lints[0];
    assert_eq!(lint.diagnostic.code.code(), "unknown-directive");
    assert_eq!((lint.line, lint.column), (3, 3));
    assert_eq!((lint.end_line, lint.end_column), (3, 25));
    assert_eq!(lint.explanation, lint.diagnostic.code.explain());
    assert_eq!(composed.previews.len(), 1);
}

const SECRETS: &str = "Hi, the key is sk-abcdefghijklmnopqrstuvwx.\n<voice>password: hunter2</voice>";

#[tokio::test(start_paused = true)]
async fn secrets_are_masked_as_they_are_when_it_is_sent() {
    let host = Host::start().await;
    let composed = compose(&host, SECRETS, &["telegram"]).await;
    assert!(composed.redacts);
    assert_eq!(composed.parsed.clean_text, "Hi, the key is [redacted].");
    assert_eq!(text(&composed.previews[0].bubbles[1]), composed.parsed.clean_text);
    assert_eq!(
        json!(composed.parsed.directives[0])["text"],
        "password: [redacted]"
    );
    let told: Vec<_> = composed
        .masked
        .iter()
        .map(|m| {
            (
                m.span.of(SECRETS),
                m.line,
                m.secrets[0].as_str(),
                m.inside.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("sk-abcdefghijklmnopqrstuvwx", 1, "sk", None),
            ("hunter2", 2, "named", Some("voice")),
        ]
    );
    // The text in the editor is the person's own: a fix must not put a mask into it.
    let fix = composed.lints[0].diagnostic.fix.as_ref().unwrap();
    assert!(fix.text.contains("hunter2"), "{fix:?}");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_masked_where_the_configuration_says_so() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.redact.enabled = false;
    })
    .await;
    let composed = compose(&host, SECRETS, &["telegram"]).await;
    assert!(!composed.redacts && composed.masked.is_empty());
    assert_eq!(
        composed.parsed.clean_text,
        "Hi, the key is sk-abcdefghijklmnopqrstuvwx."
    );
    assert_eq!(text(&composed.previews[0].bubbles[1]), composed.parsed.clean_text);
    let secrets: Secrets = host.call("secrets", json!({})).await;
    assert!(!secrets.enabled && secrets.kinds.iter().all(|kind| !kind.on));
}

#[tokio::test(start_paused = true)]
async fn the_figure_of_masked_secrets_is_the_number_of_rows_that_its_filter_shows() {
    let host = Host::start().await;
    host.say("telegram", "Hi", SECRETS).await;
    host.say("slack", "Hi", "password: hunter2, token = abc123def456")
        .await;
    let status: Status = host.call("status", json!({})).await;
    assert_eq!(status.masked, 3);
    let filter = format!("kind:decided text:redacted after:{}", status.since);
    assert_eq!(host.rows(&filter).await, 3);
}

#[tokio::test(start_paused = true)]
async fn what_a_channel_cannot_do_is_noted_there_only() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        let signal = setup.config.channels.get_mut(&"signal".into()).unwrap();
        signal.disable = vec![foldback_pipeline::config::Disable::React];
    })
    .await;
    let composed = compose(&host, "<actions><react emoji=\"eyes\"/></actions>Hm.", &[]).await;
    assert_eq!(
        of(&composed, "signal").notes,
        ["react: this channel has no reactions"]
    );
    assert_eq!(of(&composed, "telegram").notes, [""; 0]);
    let silent = compose(&host, "<no-reply/>", &["slack"]).await;
    assert_eq!(silent.previews[0].bubbles.len(), 1);
    assert_eq!(
        silent.previews[0].notes,
        ["Nothing is sent. The agent wrote <no-reply/>."]
    );
}

#[tokio::test(start_paused = true)]
async fn a_preview_leaves_nothing_behind() {
    let host = Host::start().await;
    let head = host.backend.journal().head();
    compose(&host, "Hello <react emoji=\"eyes\" />", &[]).await;
    assert_eq!(host.backend.journal().head(), head);
    let lines: Vec<foldback_wire::rpc::LogLine> = host.call("log_tail", json!({})).await;
    assert_eq!(lines, []);
}

#[tokio::test(start_paused = true)]
async fn a_preview_is_what_is_then_delivered() {
    let host = Host::start().await;
    let output = "[[reply_to_current]]\nSure. <react emoji=\"eyes\" />\n\n```rust\nfn main() {}\n```\n";
    for channel in ["telegram", "discord", "slack", "whatsapp", "signal"] {
        let preview = compose(&host, output, &[channel]).await.previews.remove(0);
        let turn = host.say(channel, "How was my talk?", output).await;
        let detail: TurnDetail = host.call("turn", json!({"turn": turn})).await;
        let moment: foldback_wire::rpc::Moment = host
            .call("turn_at", json!({"turn": turn, "seq": detail.head, "byte": null}))
            .await;
        // Ids and numbers of edits depend on the time it took; what is seen does not.
        let seen = |preview: &ChannelPreview| -> Vec<_> {
            let seen = |b: &Bubble| (b.part.clone(), b.quote.clone(), b.reactions.clone());
            preview.bubbles.iter().filter(|b| !b.deleted).map(seen).collect()
        };
        assert_eq!(seen(&preview), seen(&moment.seen), "{channel}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_reaches_no_platform_although_the_channel_is_armed() {
    let host = Host::start().await;
    let output = "<actions><react emoji=\"tada\" /></actions>Hello, and welcome to the hills!";
    let order = json!({"channel": "telegram", "user_text": "Hi", "agent_output": output, "dry_run": true});
    let sent: Value = host.call("compose_send", order).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    let detail: TurnDetail = host.call("turn", json!({"turn": sent["turn"]})).await;
    assert_eq!(detail.summary.answer, "Hello, and welcome to the hills!");
    assert!(detail.ledger.len() > 2, "{:#?}", detail.ledger);
    for line in &detail.ledger {
        let outcome = line.outcome.as_ref().map(|outcome| outcome.code);
        assert!(
            matches!(outcome, Some(OutcomeCode::DryRun | OutcomeCode::Cancelled)),
            "{line:#?}"
        );
    }
    let telegram = host.backend.loopback(&"telegram".into()).unwrap();
    assert_eq!(telegram.platform().log().len(), 0, "the platform was not called");
}

#[tokio::test(start_paused = true)]
async fn a_typed_answer_streams_and_the_journal_says_who_wrote_it() {
    let host = Host::start().await;
    let turn = host
        .say(
            "telegram",
            "Hi",
            "<actions><react emoji=\"tada\" /></actions>Hello, and welcome to the hills!",
        )
        .await;
    let detail: TurnDetail = host.call("turn", json!({"turn": turn})).await;
    assert!(detail.messages[0].chunks.len() > 1);
    assert_eq!(detail.messages[0].holds[0].hold.reason.code(), "open_block");
    assert!(
        detail
            .decisions
            .iter()
            .any(|d| d.text.contains("typed by a person"))
    );
    assert_eq!(detail.summary.answer, "Hello, and welcome to the hills!");
}

#[tokio::test(start_paused = true)]
async fn files_come_with_the_message_and_one_that_is_none_is_refused() {
    let host = Host::start().await;
    let order = |base64: &str| {
        let file = json!({"name": "a.txt", "media_type": "text/plain", "base64": base64});
        json!({"channel": "telegram", "user_text": "look", "agent_output": "seen", "files": [file]})
    };
    let sent: Value = host.call("compose_send", order("aGVsbG8=")).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    let turn = &sent["turn"];
    let detail: TurnDetail = host.call("turn", json!({"turn": turn})).await;
    assert_eq!(detail.inbound.files[0].size, Some(5));
    assert_eq!(detail.inbound.files[0].source, None, "nothing to look at");
    let events = host.backend.journal().read(Seq(1), 1_000).await.unwrap();
    let handle = |event: &Event| match &event.kind {
        Kind::Received { message } => Some(message.files[0].source.clone()),
        _ => None,
    };
    let received = events.iter().find(|event| handle(event).is_some()).unwrap();
    assert!(
        handle(received).unwrap().is_some(),
        "a queued turn fetches it by that"
    );
    let shown: EventDetail = host.call("event", json!({"seq": received.seq})).await;
    assert_eq!(handle(&shown.event), Some(None));
    let prompt = detail.prompt.unwrap();
    assert!(
        prompt.contains(r#"{"name":"a.txt","media_type":"text/plain","size":5,"given":true}"#),
        "{prompt}"
    );
    assert!(!detail.decisions.is_empty());
    let failure = host.failure("compose_send", order("no base64")).await;
    assert_eq!(failure.0, "no_file", "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_channel_is_said() {
    let host = Host::start().await;
    let unknown = (
        "not_found".to_owned(),
        "There is no channel fax.".to_owned(),
        Some("Channels are the tables [channels.NAME] of the configuration.".to_owned()),
    );
    let compose = json!({"user_text": "", "agent_output": "", "channels": ["fax"]});
    assert_eq!(host.failure("compose", compose).await, unknown);
    let send = json!({"channel": "fax", "user_text": "", "agent_output": null});
    assert_eq!(host.failure("compose_send", send).await, unknown);
}
