//! What people learn about their session: `/usage`, `/session` and `/export`; and who shares one.

use crate::bot::{Bot, World, killed, runtime, text};
use foldback_agents::{Act, ScriptStep};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Kind, OpKind, Platform, Terminal, Usage};
use std::time::Duration;

const PLATFORM: Platform = platform::TELEGRAM;

fn used(input: u64, output: u64) -> ScriptStep {
    Act::Usage(Usage { input, output }).into()
}

async fn answer(bot: &Bot, command: &str) -> String {
    bot.turn(PLATFORM, command).await;
    bot.screen(PLATFORM).pop().unwrap()
}

#[test]
fn tokens_are_summed_over_a_restart_until_a_reset_and_the_line_is_stored() {
    let world = killed(async {
        let bot = Bot::start().await;
        for _ in 0..2 {
            bot.says([text("Yes."), used(100, 20)]);
            bot.turn(PLATFORM, "hi").await;
        }
        bot.turn(PLATFORM, "/usage full").await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.says([text("Yes."), used(1, 2)]);
        bot.turn(PLATFORM, "hi").await;
        assert_eq!(
            answer(&bot, "/usage").await,
            "ℹ️ Tokens: 201 read, 42 written, in 3 answers.\nLine under answers: full."
        );
        assert_eq!(
            answer(&bot, "/usage cost").await,
            "⚠️ Write /usage, or /usage off, tokens, full or default."
        );
        bot.turn(PLATFORM, "/new").await;
        assert_eq!(
            answer(&bot, "/usage").await,
            "ℹ️ Tokens: none were told.\nLine under answers: default."
        );
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_session_says_what_it_is() {
    let bot = Bot::with("[session.reset]\nidle = \"2h\"\ndaily_at = \"04:00\"\nzone = \"UTC\"\n").await;
    bot.says([text("Yes."), used(5, 6)]);
    bot.turn(PLATFORM, "hi").await;
    bot.turn(PLATFORM, "/verbose on").await;
    tokio::time::sleep(Duration::from_mins(10)).await;
    let told = answer(&bot, "/session").await;
    for line in [
        "ℹ️ Conversation `telegram:c1`, of this chat",
        "Began: 1 January 2026, 00:00 UTC, 3 messages in all",
        "Goes on: until 1 January 2026, 02:00 UTC (idle), or /new",
        "Set: verbose on (session)",
        "cap 20 (default)",
        "Tokens: 5 read, 6 written, in 1 answer",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    bot.check().await;
}

/// The file that was sent, as it was when the platform got it.
async fn exported(bot: &Bot) -> Option<String> {
    let intended = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Intended { intent, .. } if intent.kind == OpKind::SendFile => intent.path,
        _ => None,
    })?;
    std::fs::read_to_string(bot.send_dir.join(intended)).ok()
}

#[tokio::test(start_paused = true)]
async fn a_conversation_is_exported_as_it_was_delivered_since_it_began() {
    let bot = Bot::start().await;
    bot.says([text("Old.")]);
    bot.turn(PLATFORM, "before").await;
    bot.turn(PLATFORM, "/new").await;
    bot.says([text("<actions><react emoji=\"👍\"/></actions>One.")]);
    bot.turn(PLATFORM, "first").await;
    bot.says([text("Two.")]);
    bot.turn(PLATFORM, "second").await;
    // Held, so that the file is still there.
    bot.toggle(PLATFORM, false).await;
    let turn = bot.user(PLATFORM, "/export").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let markdown = exported(&bot).await.unwrap();
    let places: Vec<_> = [
        "# Conversation `telegram:c1`",
        "### Alice, 2026-",
        "first",
        "One.",
        "second",
        "Two.",
    ]
    .iter()
    .map(|part| {
        markdown
            .find(part)
            .unwrap_or_else(|| panic!("{part}: {markdown}"))
    })
    .collect();
    assert!(places.is_sorted(), "{markdown}");
    for gone in ["before", "Old.", "<react", "/export", "Response directives"] {
        assert!(!markdown.contains(gone), "{gone}: {markdown}");
    }
    bot.toggle(PLATFORM, true).await;
    let ended = turn.ended().await;
    assert_eq!(
        ended,
        Some(Terminal::Command {
            name: "export".into()
        })
    );
    assert_eq!(exported(&bot).await, None, "it is deleted once it is sent");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_several_chats_share_is_exported_for_owners_alone() {
    let config = "[session]\nmain = \"main\"\n";
    let bot = Bot::with(config).await;
    bot.says([text("Yes.")]);
    bot.turn(platform::SIGNAL, "a secret").await;
    let refused = answer(&bot, "/export").await;
    assert!(refused.starts_with("⛔ Several chats share"), "{refused}");
    assert_eq!(exported(&bot).await, None);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn direct_chats_share_a_conversation_where_one_is_named() {
    let bot = Bot::in_world(World::new(), "[session]\nmain = \"home\"\n", Rules::all()).await;
    for platform in [platform::TELEGRAM, platform::SIGNAL] {
        bot.says([text("Yes.")]);
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
        assert_eq!(bot.screen(platform), ["Yes."], "each answer goes to its own chat");
    }
    let all = bot.engine.sessions(9).await.unwrap();
    let keys: Vec<_> = all.sessions.iter().map(|line| line.session.as_str()).collect();
    assert_eq!(keys, ["home"]);
    assert_eq!(all.sessions[0].turns, 2);
    bot.check().await;
}
