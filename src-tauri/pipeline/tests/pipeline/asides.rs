//! Tool calls and reasoning in the chat: beside the answer, as far as the settings say.

use crate::bot::{Bot, called, killed, later, runtime, text};
use foldback_agents::{Act, ScriptStep, ToolStep};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{Actor, Body, Kind, OpKind, Terminal, ToolStatus};
use std::time::Duration;

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
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["🔧 `search_a` ✓ · `search_b` ✗", "Ten past nine."]
    );
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::SendText).len(), 2);
    bot.says(two_calls());
    bot.turn(platform::WHATSAPP, "hi").await;
    assert_eq!(
        bot.screen(platform::WHATSAPP),
        ["Ten past nine."],
        "nothing where it cannot"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn in_full_every_call_that_is_over_has_a_message_and_nothing_of_it_is_read() {
    let bot = Bot::with("[channels.whatsapp]\ntools = \"full\"\n").await;
    bot.says(two_calls());
    bot.turn(platform::WHATSAPP, "hi").await;
    let screen = bot.screen(platform::WHATSAPP);
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
    assert!(bot.calls(platform::WHATSAPP, OpKind::React).is_empty());
    bot.says(two_calls());
    bot.turn(platform::SLACK, "hi").await;
    assert_eq!(
        bot.screen(platform::SLACK),
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
    let end = bot.turn(platform::TELEGRAM, "hi").await;
    assert!(matches!(end, Terminal::Silent { .. }), "{end:?}");
    bot.says([tool("a", ToolStatus::Completed, None)]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.screen(platform::TELEGRAM).last().unwrap(), "_(no response)_");
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
        assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
        assert_eq!(bot.screen(platform::TELEGRAM), screen, "{setting}");
        assert_eq!(
            bot.calls(platform::TELEGRAM, OpKind::EditText).len(),
            edits,
            "{setting}"
        );
        bot.check().await;
    }
}

const LINE: &str = "🔧 `search_a` ✓ · `search_b` ✗";

/// One edit that fails is no reason to leave the others out.
#[tokio::test(start_paused = true)]
async fn a_line_whose_edit_fails_goes_on_later() {
    for (fail, retry_after_ms) in [
        (CallFailure::Transient, None),
        (CallFailure::RateLimited, Some(2_500)),
        (CallFailure::LostAck, None),
    ] {
        let bot = Bot::with("[output]\ntools = \"compact\"\n").await;
        let fault = CallFault {
            retry_after_ms,
            ..CallFault::first(OpKind::EditText, fail)
        };
        bot.fault(platform::TELEGRAM, fault);
        bot.says(two_calls());
        assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
        assert_eq!(
            bot.screen(platform::TELEGRAM),
            [LINE, "Ten past nine."],
            "{fail:?}"
        );
        let frames = bot.ever_shown(platform::TELEGRAM);
        assert!(
            frames
                .iter()
                .any(|frame| frame == "🔧 `search_a` ✓ · `search_b`…"),
            "{fail:?}: still shown while it works: {frames:?}"
        );
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_of_what_is_thought_arrives_though_an_edit_fails() {
    for fail in [CallFailure::Transient, CallFailure::RateLimited] {
        let bot = Bot::with("[output]\nreasoning = \"stream\"\n").await;
        let fault = CallFault {
            times: 2,
            retry_after_ms: (fail == CallFailure::RateLimited).then_some(1_500),
            ..CallFault::first(OpKind::EditText, fail)
        };
        bot.fault(platform::TELEGRAM, fault);
        let mut more = thinks("Which one?");
        more.after_ms = 5_000;
        let mut last = thinks(" The early one.");
        last.after_ms = 5_000;
        bot.says([thinks("Trains. "), more, last, text("Ten past nine.")]);
        assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
        assert_eq!(
            bot.screen(platform::TELEGRAM),
            ["💭 Trains. Which one? The early one.", "Ten past nine."],
            "{fail:?}"
        );
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_is_off_for_a_while_does_not_end_the_line() {
    let bot = Bot::with("[output]\ntools = \"compact\"\n").await;
    bot.says(two_calls());
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    bot.toggle(platform::TELEGRAM, false).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.toggle(platform::TELEGRAM, true).await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM), [LINE, "Ten past nine."]);

    // What the line says in the end waits for its channel like the answer.
    bot.says(two_calls());
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_millis(6_500)).await;
    bot.toggle(platform::TELEGRAM, false).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot.toggle(platform::TELEGRAM, true).await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM)[2..], [LINE, "Ten past nine."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn where_it_may_not_edit_or_nobody_knows_the_line_is_given_up() {
    for (op, fail) in [
        (OpKind::EditText, CallFailure::Forbidden),
        (OpKind::EditText, CallFailure::Gone),
        (OpKind::SendText, CallFailure::LostAck),
    ] {
        let bot = Bot::with("[output]\ntools = \"compact\"\n").await;
        bot.fault(platform::TELEGRAM, CallFault::first(op, fail));
        bot.says(two_calls());
        assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
        let edits = bot.calls(platform::TELEGRAM, OpKind::EditText);
        assert!(edits.len() <= 1, "{fail:?}: {edits:?}");
        assert_eq!(
            bot.calls(platform::TELEGRAM, OpKind::SendText).len(),
            2,
            "{fail:?}"
        );
        bot.check().await;
    }
}

/// Nobody runs it any more, or nobody tells.
#[tokio::test(start_paused = true)]
async fn a_call_without_an_end_is_shown_as_not_finished_when_the_run_is_over() {
    for (tools, shown) in [
        ("compact", "🔧 `search` – · `search_a` ✓"),
        ("full", "🔧 `search` not finished"),
    ] {
        for stopped in [false, true] {
            let bot = Bot::with(&format!("[output]\ntools = \"{tools}\"\n")).await;
            bot.says([
                called("t", ToolStatus::Running),
                called("t", ToolStatus::Pending),
                tool("a", ToolStatus::Completed, None),
                Act::Stall(if stopped { 3_600_000 } else { 5_000 }).into(),
            ]);
            let turn = bot.user(platform::TELEGRAM, "hi").await;
            tokio::time::sleep(Duration::from_secs(4)).await;
            if stopped {
                bot.engine.cancel(turn.id, Actor::Console).unwrap();
            }
            turn.ended().await.unwrap();
            let screen = bot.screen(platform::TELEGRAM);
            let standing = screen.iter().filter(|text| *text == shown).count();
            assert_eq!(standing, 1, "{tools}: {screen:?}");
            bot.check().await;
        }
    }
}

/// The line of tool calls is a live message too, and stands there before the first word.
#[test]
fn a_line_of_a_process_that_was_killed_is_no_placeholder_that_it_left() {
    let world = killed(async {
        let bot = Bot::with("[output]\ntools = \"compact\"\n").await;
        bot.says([tool("a", ToolStatus::Running, None), Act::Stall(3_600_000).into()]);
        let _turn = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::TELEGRAM), ["🔧 `search_a`…"]);
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.warnings("before the answer replaced it").await, 0);
        bot.check().await;
    });
}
