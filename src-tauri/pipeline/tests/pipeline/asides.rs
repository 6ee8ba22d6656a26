//! Tool calls and reasoning in the chat: beside the answer, as far as the settings say.

use crate::bot::{Bot, later, text};
use foldback_agents::{Act, ScriptStep, ToolStep};
use foldback_wire::{Body, Kind, OpKind, Platform, Terminal, ToolStatus};

fn tool(id: &str, status: ToolStatus, result: Option<&str>) -> ScriptStep {
    let step = ToolStep {
        id: id.into(),
        name: format!("search_{id}"),
        status,
        after_ms: 2_000,
        arguments: Some("{\"q\":\"trains\"}".to_owned()),
        result: result.map(str::to_owned),
    };
    Act::Tool(step).into()
}

fn thinks(text: &str) -> ScriptStep {
    Act::Reasoning(text.to_owned()).into()
}

/// Two calls, one of which fails, and an answer.
fn two_calls() -> [ScriptStep; 5] {
    [
        tool("a", ToolStatus::Running, None),
        tool(
            "a",
            ToolStatus::Completed,
            Some("<actions><react emoji=\"eyes\" /></actions>"),
        ),
        tool("b", ToolStatus::Running, None),
        tool("b", ToolStatus::Failed, None),
        later(2_000, "Ten past nine."),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_compact_line_is_edited_in_place_where_the_channel_can_edit() {
    let bot = Bot::with("[output]\ntools = \"compact\"\n").await;
    bot.says(two_calls());
    assert_eq!(bot.turn(Platform::Telegram, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(Platform::Telegram),
        ["🔧 `search_a` ✓ · `search_b` ✗", "Ten past nine."]
    );
    assert_eq!(bot.calls(Platform::Telegram, OpKind::SendText).len(), 2);
    bot.says(two_calls());
    bot.turn(Platform::Whatsapp, "hi").await;
    assert_eq!(
        bot.screen(Platform::Whatsapp),
        ["Ten past nine."],
        "nothing where it cannot"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn in_full_every_call_that_is_over_has_a_message_and_nothing_of_it_is_read() {
    let bot = Bot::with("[channels.whatsapp]\ntools = \"full\"\n").await;
    bot.says(two_calls());
    bot.turn(Platform::Whatsapp, "hi").await;
    let screen = bot.screen(Platform::Whatsapp);
    assert_eq!(screen.len(), 3, "{screen:?}");
    assert!(
        screen[0].contains("search_a") && screen[0].contains("done in 2000 ms"),
        "{screen:?}"
    );
    assert!(screen[0].contains("<actions>"), "{screen:?}");
    assert!(
        screen[1].contains("search_b") && screen[1].contains("failed in 2000 ms"),
        "{screen:?}"
    );
    assert!(bot.calls(Platform::Whatsapp, OpKind::React).is_empty());
    bot.says(two_calls());
    bot.turn(Platform::Slack, "hi").await;
    assert_eq!(
        bot.screen(Platform::Slack),
        ["Ten past nine."],
        "another channel has its own setting"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_stands_beside_an_answer_is_none() {
    let bot = Bot::with("[output]\ntools = \"full\"\nreasoning = \"show\"\n").await;
    bot.says([
        thinks("Hm."),
        tool("a", ToolStatus::Completed, None),
        text("NO_REPLY"),
    ]);
    let end = bot.turn(Platform::Telegram, "hi").await;
    assert!(matches!(end, Terminal::Silent { .. }), "{end:?}");
    bot.says([tool("a", ToolStatus::Completed, None)]);
    bot.turn(Platform::Telegram, "hi").await;
    assert_eq!(bot.screen(Platform::Telegram).last().unwrap(), "_(no response)_");
    let asides = bot.kinds().await;
    let beside = |kind: &&Kind| matches!(kind, Kind::Intended { intent, .. } if matches!(intent.body, Some(Body::Aside { .. })));
    assert_eq!(asides.iter().filter(beside).count(), 3);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn reasoning_is_hidden_shown_or_streamed() {
    for (setting, screen, edits) in [
        ("hide", vec!["Ten past nine."], 0),
        ("show", vec!["💭 Trains. Which one?", "Ten past nine."], 0),
        ("stream", vec!["💭 Trains. Which one?", "Ten past nine."], 1),
    ] {
        let bot = Bot::with(&format!("[output]\nreasoning = \"{setting}\"\n")).await;
        let mut more = thinks("Which one?");
        more.after_ms = 5_000;
        bot.says([thinks("Trains. "), more, later(5_000, "Ten past nine.")]);
        assert_eq!(bot.turn(Platform::Telegram, "hi").await, Terminal::Replied);
        assert_eq!(bot.screen(Platform::Telegram), screen, "{setting}");
        assert_eq!(
            bot.calls(Platform::Telegram, OpKind::EditText).len(),
            edits,
            "{setting}"
        );
        bot.check().await;
    }
}
