//! How a channel answers: the words before an answer, the sign of writing, and where an answer goes.

use crate::bot::{Bot, World, killed, later, runtime, text};
use foldback_agents::{Act, ScriptStep};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Actor, OpKind, Terminal};
use std::time::Duration;

const PREFIX: &str = "[channels.signal]\nresponse_prefix = \"[{provider}]\"\n";

#[tokio::test(start_paused = true)]
async fn the_words_before_an_answer_count_for_its_limit_and_stand_in_the_first_message_alone() {
    let bot = Bot::with(PREFIX).await;
    let can = foldback_channels::profile(platform::SIGNAL);
    let whole = "word ".repeat(can.text_limit / 5 + 100);
    bot.says([text(&whole)]);
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    let screen = bot.screen(platform::SIGNAL);
    assert!(screen.len() >= 2, "{}", screen.len());
    assert!(screen[0].starts_with("[script] word"), "{}", screen[0]);
    assert!(screen.iter().all(|m| can.unit.measure(m) <= can.text_limit));
    assert_eq!(screen.join(" "), format!("[script] {}", whole.trim()));
    bot.check().await;
}

#[test]
fn an_answer_that_a_kill_cut_off_has_the_words_once() {
    let world = killed(async {
        let bot = Bot::in_world(World::new(), PREFIX, Rules::all()).await;
        bot.says([text("Half an ans"), later(60_000, "wer")]);
        let _turn = bot.user(platform::SIGNAL, "hi").await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, PREFIX, Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::SIGNAL)[0], "[script] Half an ans…");
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_session_that_channels_share_answers_each_message_where_it_came_from() {
    let bot = Bot::with("[session]\nscope = \"global\"\n").await;
    let signal = bot.engine.channels().channel(&"signal".into()).unwrap();
    for (platform, answer) in [
        (platform::TELEGRAM, "To Telegram."),
        (platform::SLACK, "To Slack."),
        (platform::TELEGRAM, "To Telegram again."),
    ] {
        bot.says([text(answer)]);
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
    }
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["To Telegram.", "To Telegram again."]
    );
    assert_eq!(bot.screen(platform::SLACK), ["To Slack."]);
    // What cannot go back to where it came from goes nowhere else: it is held, and the journal has it.
    bot.says([text("To Signal.")]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    assert!(signal.switch_off(Actor::Console, "for a while").await);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(
        bot.screen(platform::TELEGRAM).len() + bot.screen(platform::SLACK).len(),
        3
    );
    assert!(signal.switch_on(Actor::Console, "again").await);
    bot.engine.release_held(signal.id(), &Actor::Console).unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SIGNAL), ["To Signal."]);
    assert!(bot.calls(platform::SIGNAL, OpKind::SendText).len() == 1);
    bot.check().await;
}

/// How often typing is shown for two answers of 29 seconds, the first of which stays silent: for each of them.
async fn typing_shown(mode: &str) -> [usize; 2] {
    let config = format!(
        "[channels.telegram]\nallow_from = [\"*\"]\ntyping = \"{mode}\"\n[commands]\nowner_allow_from = [\"alice\"]\n"
    );
    let bot = Bot::with(&config).await;
    let thought = || ScriptStep {
        after_ms: 10_000,
        act: Act::Reasoning("Hm.".to_owned()),
    };
    let shown = || bot.calls(platform::TELEGRAM, OpKind::Typing).len();
    bot.says([thought(), later(19_000, "NO_REPLY")]);
    bot.turn(platform::TELEGRAM, "psst").await;
    let silent = shown();
    bot.says([thought(), later(10_000, "at "), later(9_000, "last")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    let both = shown();
    // Where the agent does not answer, nobody writes.
    bot.turn(platform::TELEGRAM, "/send off").await;
    bot.turn(platform::TELEGRAM, "hello?").await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(shown(), both, "{mode}");
    bot.check().await;
    [silent, both - silent]
}

#[tokio::test(start_paused = true)]
async fn typing_is_shown_from_the_moment_that_its_mode_names() {
    assert_eq!(typing_shown("never").await, [0, 0]);
    assert_eq!(typing_shown("instant").await, [5, 5]);
    assert_eq!(typing_shown("thinking").await, [4, 4]);
    assert_eq!(typing_shown("message").await, [0, 2]);
}
