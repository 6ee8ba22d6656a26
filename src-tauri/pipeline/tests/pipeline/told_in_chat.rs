//! What a session asked to be told in its chat: the tokens of an answer, the agent's tool calls, and who answers.

use crate::bot::{Bot, World, killed, later, runtime, slow, text, tool};
use foldback_agents::{Act, Fallback, ScriptAgent, ScriptStep};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Kind, OpKind, Platform, Terminal, Usage};
use std::{sync::Arc, time::Duration};

fn used(after_ms: u64, input: u64, output: u64) -> ScriptStep {
    ScriptStep {
        after_ms,
        act: Act::Usage(Usage { input, output }),
    }
}

/// The last message in the chat after this answer.
async fn last(bot: &Bot, platform: Platform, steps: impl IntoIterator<Item = ScriptStep>) -> String {
    bot.says(steps);
    bot.turn(platform, "hi").await;
    bot.screen(platform).pop().unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_answer_ends_with_the_line_that_its_session_asked_for() {
    for platform in [platform::TELEGRAM, platform::SIGNAL] {
        let bot = Bot::start().await;
        let yes = |input| [text("Yes."), used(0, input, 20)];
        assert_eq!(last(&bot, platform, yes(100)).await, "Yes.");
        bot.turn(platform, "/usage tokens").await;
        assert_eq!(
            last(&bot, platform, yes(100)).await,
            "Yes.\nTokens: 100 read, 20 written"
        );
        let two = [
            text("I look."),
            used(0, 1, 2),
            tool("t1"),
            text("Yes."),
            used(0, 3, 4),
        ];
        assert_eq!(last(&bot, platform, two).await, "Yes.\nTokens: 4 read, 6 written");
        assert_eq!(
            last(&bot, platform, [text("Yes.")]).await,
            "Yes.",
            "nothing was told"
        );
        assert_eq!(
            last(&bot, platform::SLACK, yes(1)).await,
            "Yes.",
            "another session"
        );
        bot.turn(platform, "/usage full").await;
        let full = format!("Yes.\nTokens: 7 read, 20 written · {}:c1", platform.code());
        assert_eq!(last(&bot, platform, yes(7)).await, full);
        bot.turn(platform, "/usage off").await;
        assert_eq!(last(&bot, platform, yes(7)).await, "Yes.");
        bot.turn(platform, "/usage tokens").await;
        let before = bot.screen(platform).len();
        bot.says([text("NO_REPLY"), used(0, 5, 5)]);
        bot.turn(platform, "hi").await;
        assert_eq!(bot.screen(platform).len(), before, "silence stays silent");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_line_counts_for_the_limit_and_comes_alone_where_all_text_is_out() {
    let bot = Bot::start().await;
    bot.turn(platform::SIGNAL, "/usage tokens").await;
    let can = foldback_channels::profile(platform::SIGNAL);
    let whole = "w".repeat(can.text_limit);
    let end = last(&bot, platform::SIGNAL, [text(&whole), used(0, 100, 20)]).await;
    assert!(end.ends_with("w\nTokens: 100 read, 20 written"), "{end}");
    let screen = bot.screen(platform::SIGNAL);
    assert!(screen.iter().all(|m| can.unit.measure(m) <= can.text_limit));
    let settings = "[channels.signal.blocks]\nmin = 10\nbreak = \"sentence\"\n";
    let bot = Bot::with(settings).await;
    bot.turn(platform::SIGNAL, "/usage tokens").await;
    let steps = [text("This is all of it."), used(10_000, 100, 20)];
    assert_eq!(
        last(&bot, platform::SIGNAL, steps).await,
        "Tokens: 100 read, 20 written"
    );
    assert_eq!(bot.screen(platform::SIGNAL)[1], "This is all of it.");
    bot.check().await;
}

#[test]
fn the_line_stands_once_under_an_answer_that_a_kill_cut() {
    let world = killed(async {
        let bot = Bot::in_world(World::new(), "", Rules::all()).await;
        bot.turn(platform::SIGNAL, "/usage tokens").await;
        let can = foldback_channels::profile(platform::SIGNAL);
        bot.says([text(&"word ".repeat(can.text_limit / 4)), used(0, 100, 20)]);
        bot.fault(platform::SIGNAL, slow(OpKind::SendText, Duration::from_secs(30)));
        let _turn = bot.user(platform::SIGNAL, "hi").await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_mins(2)).await;
        let screen = bot.screen(platform::SIGNAL);
        let with_line = |message: &&String| message.ends_with("\nTokens: 100 read, 20 written");
        assert_eq!(screen.iter().filter(with_line).count(), 1, "{screen:?}");
        assert!(with_line(&screen.last().unwrap()));
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_verbose_session_is_told_of_each_tool_call_also_where_nothing_can_be_edited() {
    let bot = Bot::start().await;
    let steps = || [tool("t1"), later(1_000, "Done.")];
    for (platform, told) in [
        (platform::WHATSAPP, "🔧 `search` done in 0 ms"),
        (platform::TELEGRAM, "🔧 `search` ✓"),
    ] {
        assert_eq!(last(&bot, platform, steps()).await, "Done.");
        assert_eq!(bot.screen(platform).len(), 1);
        bot.turn(platform, "/verbose on").await;
        assert_eq!(last(&bot, platform, steps()).await, "Done.");
        assert_eq!(bot.screen(platform)[2..], [told, "Done."]);
        bot.turn(platform, "/verbose off").await;
        assert_eq!(last(&bot, platform, steps()).await, "Done.");
        assert_eq!(bot.screen(platform).len(), 6);
    }
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_verbose_session_is_told_that_another_agent_answers() {
    let world = World::new();
    let clock = Arc::new(world.clock);
    let failing = Arc::new(ScriptAgent::new(clock.clone()));
    for _ in 0..2 {
        failing.queue(None, vec![Act::Error("overloaded".to_owned()).into()]);
    }
    let script = Arc::new(ScriptAgent::new(clock));
    let first = Arc::new(Fallback::new(failing, vec![script.clone()]));
    let bot = Bot::behind(world, "", Rules::all(), script, first).await;
    assert_eq!(last(&bot, platform::TELEGRAM, [text("Here.")]).await, "Here.");
    assert_eq!(bot.screen(platform::TELEGRAM), ["Here."]);
    bot.turn(platform::TELEGRAM, "/verbose on").await;
    bot.says([text("Here.")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(platform::TELEGRAM)[2..],
        ["↪️ The answer comes from script.", "Here."]
    );
    let retries = bot.kinds().await.into_iter();
    assert_eq!(
        retries
            .filter(|kind| matches!(kind, Kind::Retrying { .. }))
            .count(),
        2
    );
    bot.check().await;
}
