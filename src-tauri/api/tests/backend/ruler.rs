//! How an output fills the messages of each channel.

use crate::host::Host;
use foldback_channels::{platform, profile};
use foldback_wire::rpc::{Bubble, BubblePart, ComposeResult, CutPlace, RuledMessage, Ruler};
use serde_json::json;

async fn composed(host: &Host, output: &str) -> ComposeResult {
    let args = json!({"user_text": "Hi", "agent_output": output, "channels": []});
    host.call("compose", args).await
}

fn on(composed: &ComposeResult, channel: &str) -> Ruler {
    composed
        .rulers
        .iter()
        .find(|r| r.channel.as_str() == channel)
        .unwrap()
        .clone()
}

fn texts(composed: &ComposeResult, channel: &str) -> Vec<Bubble> {
    let preview = composed
        .previews
        .iter()
        .find(|p| p.channel.as_str() == channel)
        .unwrap();
    let is_text = |b: &&Bubble| b.from_bot && matches!(b.part, BubblePart::Text { .. });
    preview.bubbles.iter().filter(is_text).cloned().collect()
}

/// The answers below are made of few enough that the shortest messages, those of X, are no more than an answer may have.
const SENTENCE: &str = "Some words make a sentence, and this one is as good as any other. ";

#[tokio::test(start_paused = true)]
async fn every_message_of_a_preview_has_its_measure() {
    let host = Host::start().await;
    let output = format!(
        "{}**bold** & <angles>\n\n{}",
        SENTENCE.repeat(30),
        SENTENCE.repeat(30)
    );
    let composed = composed(&host, &output).await;
    assert_eq!(composed.rulers.len(), platform::ALL.len());
    for ruler in &composed.rulers {
        let bubbles = texts(&composed, ruler.channel.as_str());
        assert_eq!(ruler.messages.len(), bubbles.len(), "{}", ruler.channel);
        let counts: Vec<_> = ruler.messages.iter().map(|m| m.counts).collect();
        assert_eq!(counts, bubbles.iter().map(|b| b.length).collect::<Vec<_>>());
        let can = profile(ruler.platform);
        assert_eq!(
            (ruler.limit as usize, ruler.unit, ruler.markup),
            (can.text_limit, can.unit, can.markup)
        );
        for (at, message) in ruler.messages.iter().enumerate() {
            let RuledMessage {
                shown,
                markup,
                escapes,
                counts,
                ..
            } = *message;
            let whole = shown + markup + escapes;
            assert_eq!(
                counts,
                if ruler.free_markup { shown } else { whole },
                "{} {at}",
                ruler.channel
            );
            let last = at + 1 == ruler.messages.len();
            assert_eq!(message.cut.is_none(), last, "{} {at}", ruler.channel);
        }
    }
    assert!(on(&composed, "discord").messages.len() > 1);
}

#[tokio::test(start_paused = true)]
async fn the_spans_lie_in_the_clean_text_and_leave_out_only_blanks() {
    let host = Host::start().await;
    let output = format!(
        "<actions><react emoji=\"tada\" /></actions>{}",
        SENTENCE.repeat(65)
    );
    let composed = composed(&host, &output).await;
    let clean = &composed.parsed.clean_text;
    for ruler in &composed.rulers {
        let mut end = 0;
        for message in &ruler.messages {
            let span = message.span.unwrap();
            assert!(clean[end..span.start].trim().is_empty(), "{}", ruler.channel);
            assert_eq!(
                message.written as usize,
                ruler.unit.measure(&clean[span.start..span.end])
            );
            assert!(message.begins.starts_with("Some words") || message.span.unwrap().start > 0);
            end = span.end;
        }
        assert!(clean[end..].trim().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_says_how_good_its_place_is() {
    let host = Host::start().await;
    let place = async |output: String| on(&composed(&host, &output).await, "discord").messages[0].cut;
    let half = SENTENCE.repeat(25);
    assert_eq!(
        place(format!("{half}\n\n{half}")).await,
        Some(CutPlace::Paragraph)
    );
    assert_eq!(place(format!("{half}\n{half}")).await, Some(CutPlace::Line));
    assert_eq!(place(SENTENCE.repeat(50)).await, Some(CutPlace::Sentence));
    assert_eq!(place("word ".repeat(500)).await, Some(CutPlace::Word));
    assert_eq!(place("x".repeat(2_500)).await, Some(CutPlace::Inside));
    assert_eq!(place("short".to_owned()).await, None);
}

#[tokio::test(start_paused = true)]
async fn fence_lines_at_a_cut_are_told_apart_from_what_the_agent_wrote() {
    let host = Host::start().await;
    let code = "let a_line_of_code = 1 + 2;\n".repeat(100);
    let composed = composed(&host, &format!("Look:\n\n```rust\n{code}```\n\nThat is all.")).await;
    let discord = on(&composed, "discord");
    assert!(discord.messages.len() > 1, "{discord:#?}");
    let clean = &composed.parsed.clean_text;
    for (at, message) in discord.messages.iter().enumerate() {
        let span = message.span.unwrap();
        assert_eq!(
            message.written as usize,
            clean[span.start..span.end].chars().count(),
            "{at}"
        );
        assert_eq!(
            message.counts,
            message.opened + message.written + message.closed,
            "{at}: Discord is sent the Markdown itself"
        );
    }
    assert_eq!(
        (discord.messages[0].opened, discord.messages[0].closed),
        (0, 4),
        "closed at the cut"
    );
    assert_eq!(discord.messages[1].opened, 8, "opened again");
    assert_eq!(
        discord.messages[0].ends, "let a_line_of_code = 1 + 2;",
        "what the agent wrote, not what was put in"
    );
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_measured_as_it_stands_in_the_chat() {
    let host = Host::start().await;
    let turn = host.say("slack", "Hi", "Cats & dogs are **fine**").await;
    let ruler: Ruler = host.call("ruler", json!({ "turn": turn })).await;
    assert_eq!(
        (ruler.channel.as_str(), ruler.platform),
        ("slack", platform::SLACK)
    );
    let [message] = ruler.messages.as_slice() else {
        panic!("one message: {ruler:#?}");
    };
    // Cats &amp; dogs are *fine*
    assert_eq!(
        (message.written, message.shown, message.markup, message.escapes),
        (24, 20, 2, 4)
    );
    assert_eq!(
        (message.counts, message.opened + message.closed, message.cut),
        (26, 0, None)
    );
    assert_eq!(
        (message.begins.as_str(), message.ends.as_str()),
        ("Cats & dogs are **fine**", "Cats & dogs are **fine**")
    );
    let (code, _, _) = host.failure("ruler", json!({"turn": 4_711})).await;
    assert_eq!(code, "not_found");
}
