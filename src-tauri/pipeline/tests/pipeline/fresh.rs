//! When a conversation ends by itself, and what the next one keeps of it.

use crate::bot::{Bot, World, killed, later, runtime, text};
use foldback_agents::{Act, ScriptStep, SessionStep};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{
    Actor, ExpiryRule, KeptSetting, Kind, Platform, SessionExpiry, SettingChange, Terminal, Timestamp,
};
use std::time::Duration;

const PLATFORM: Platform = platform::SIGNAL;
const HOUR: Duration = Duration::from_hours(1);

fn keeps(id: &str) -> ScriptStep {
    let session = SessionStep {
        id: id.to_owned(),
        start: None,
        detail: String::new(),
    };
    Act::Session(session).into()
}

fn time(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Author, end and what is kept, of each time that a conversation began anew.
async fn resets(bot: &Bot) -> Vec<(Actor, Option<SessionExpiry>, Vec<KeptSetting>)> {
    let told = |kind: Kind| match kind {
        Kind::SessionReset {
            by, expired, kept, ..
        } => Some((by, expired, kept)),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(told).collect()
}

async fn rules(bot: &Bot) -> Vec<ExpiryRule> {
    let resets = resets(bot).await.into_iter();
    resets
        .filter_map(|(_, expired, _)| expired.map(|expired| expired.rule))
        .collect()
}

fn kept(setting: &str, value: &str) -> KeptSetting {
    KeptSetting {
        setting: setting.to_owned(),
        value: value.to_owned(),
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_setting_a_conversation_goes_on_for_ever() {
    let bot = Bot::start().await;
    for _ in 0..3 {
        bot.says([text("Hello.")]);
        bot.turn(PLATFORM, "hi").await;
        tokio::time::sleep(HOUR * 24 * 40).await;
    }
    assert_eq!(resets(&bot).await, []);
    bot.check().await;
}

/// The bot starts at midnight UTC, 1 January, which is 01:00 in Berlin.
#[tokio::test(start_paused = true)]
async fn a_day_begins_at_its_hour_in_its_zone_and_says_so() {
    let config = "[session.reset]\ndaily_at = \"04:00\"\nzone = \"Europe/Berlin\"\n\
        [session]\ncarry_over = [\"think\", \"queue\"]\n";
    let bot = Bot::with(config).await;
    bot.turn(PLATFORM, "/verbose on /queue cap:3").await;
    tokio::time::sleep(Duration::from_secs(3 * 3_600 - 1)).await;
    bot.says([text("One.")]);
    bot.turn(PLATFORM, "before").await;
    assert_eq!(resets(&bot).await, []);
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.says([text("Two.")]);
    bot.turn(PLATFORM, "after").await;
    let found = resets(&bot).await;
    let [(by, Some(expired), carried)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!((by, expired.rule), (&Actor::Pipeline, ExpiryRule::Daily));
    assert_eq!(expired.at, time("2026-01-01T03:00:00Z"));
    assert!(expired.last_used < expired.at, "{expired:?}");
    assert_eq!(*carried, [kept("queue.cap", "3")]);
    let cleared = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::SettingsChanged {
            changes,
            by: Actor::Pipeline,
        } => Some(changes),
        _ => None,
    });
    let verbose = SettingChange {
        setting: "verbose".to_owned(),
        from: Some("on".to_owned()),
        to: None,
    };
    assert_eq!(cleared, Some(vec![verbose]));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_answer_counts_as_well_as_its_question_and_a_run_keeps_its_conversation() {
    let bot = Bot::with("[agent]\nidle_timeout = \"9h\"\n[session.reset]\nidle = \"1h\"\n").await;
    bot.says([later(3 * 3_600_000, "At last.")]);
    let first = bot.user(PLATFORM, "think hard").await;
    tokio::time::sleep(HOUR * 2).await;
    bot.says([text("Two.")]);
    let second = bot.user(PLATFORM, "well?").await;
    assert_eq!(first.ended().await, Some(Terminal::Replied));
    assert_eq!(second.ended().await, Some(Terminal::Replied));
    tokio::time::sleep(Duration::from_mins(59)).await;
    bot.says([text("Three.")]);
    bot.turn(PLATFORM, "thanks").await;
    assert_eq!(rules(&bot).await, []);
    tokio::time::sleep(Duration::from_mins(61)).await;
    bot.says([text("Four.")]);
    bot.turn(PLATFORM, "hello").await;
    assert_eq!(rules(&bot).await, [ExpiryRule::Idle]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_to_the_bot_itself_neither_ends_a_conversation_nor_keeps_it_alive() {
    let bot = Bot::with("[session.reset]\nidle = \"1h\"\n").await;
    bot.says([text("One.")]);
    bot.turn(PLATFORM, "hi").await;
    for _ in 0..3 {
        tokio::time::sleep(HOUR / 2).await;
        bot.turn(PLATFORM, "/status").await;
    }
    assert_eq!(rules(&bot).await, []);
    // Whoever begins a new one is not told of the end of the old one.
    bot.turn(PLATFORM, "/new").await;
    assert_eq!(rules(&bot).await, []);
    tokio::time::sleep(HOUR + Duration::from_secs(1)).await;
    // What sets something is for the new one, and stays.
    bot.turn(PLATFORM, "/verbose on").await;
    assert_eq!(rules(&bot).await, [ExpiryRule::Idle]);
    bot.says([text("Two.")]);
    bot.turn(PLATFORM, "hi").await;
    assert_eq!(rules(&bot).await.len(), 1);
    bot.check().await;
}

#[test]
fn the_end_is_found_after_a_kill_and_the_agents_session_is_not_given_back() {
    let config = "[session.reset]\nidle = \"1h\"\n";
    let world = killed(async {
        let bot = Bot::in_world(World::new(), config, Rules::all()).await;
        bot.says([keeps("s-1"), text("One.")]);
        bot.turn(PLATFORM, "hi").await;
        tokio::time::sleep(HOUR * 2).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, config, Rules::all()).await;
        tokio::time::sleep(HOUR * 2).await;
        bot.says([keeps("s-2"), text("Two.")]);
        bot.turn(PLATFORM, "hi").await;
        assert_eq!(rules(&bot).await, [ExpiryRule::Idle]);
        assert_eq!(
            bot.screen(PLATFORM),
            ["One.", "Two."],
            "nobody is told that one was lost"
        );
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_reset_clears_all_but_what_is_carried_over_and_lists_that_also_at_the_console() {
    let config = "[commands]\nowner_allow_from = [\"alice\"]\n\
        [session]\ncarry_over = [\"send\", \"elevated\", \"exec\"]\n";
    let bot = Bot::with(config).await;
    for words in ["/elevated ask /exec ask=always /verbose on", "/send on"] {
        bot.turn(PLATFORM, words).await;
    }
    bot.turn(PLATFORM, "/new").await;
    let screen = bot.screen(PLATFORM);
    let told = "✅ A new conversation begins. It keeps: elevated ask, exec ask always, send allow.";
    assert_eq!(screen.last().map(String::as_str), Some(told), "{screen:?}");
    bot.turn(PLATFORM, "/verbose full").await;
    bot.engine
        .reset_session(&"signal:c1".into(), Actor::Console)
        .await
        .unwrap();
    let found = resets(&bot).await;
    let expected = [
        kept("elevated", "ask"),
        kept("exec.ask", "always"),
        kept("send", "allow"),
    ];
    assert_eq!(found.len(), 2);
    for (_, expired, carried) in found {
        assert_eq!((expired, carried.as_slice()), (None, expected.as_slice()));
    }
    bot.turn(PLATFORM, "/verbose").await;
    let screen = bot.screen(PLATFORM);
    assert!(
        screen.last().unwrap().starts_with("⚙️ Verbose: default."),
        "{screen:?}"
    );
    bot.check().await;
}
