//! Messages that wait for more of their sender (`channels.NAME.debounce`); also over a kill.

use crate::bot::{Bot, killed, later, runtime, text};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Event, HoldReason, Kind, Platform, Stage, Terminal, TurnId};
use std::time::Duration;

const ON: Platform = platform::TELEGRAM;
const CONFIG: &str = "[channels.telegram]\ndebounce = \"2s\"\n";

async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

async fn events_of(bot: &Bot, turn: TurnId) -> Vec<Event> {
    let mut events = bot.events().await;
    events.retain(|event| event.turn == Some(turn));
    events
}

/// What the journal says about the wait of a turn.
async fn waits_of(bot: &Bot, turn: TurnId) -> Vec<String> {
    let waits = |event: Event| match event.kind {
        Kind::Passed {
            stage: Stage::Debounce,
            detail,
        } => Some(detail),
        Kind::Waiting {
            op: None,
            reason: HoldReason::Debounce,
            until,
        } => Some(format!("until {}", until.unwrap())),
        _ => None,
    };
    events_of(bot, turn).await.into_iter().filter_map(waits).collect()
}

async fn prompts(bot: &Bot) -> Vec<String> {
    let prompt = |kind| match kind {
        Kind::Prepared { prompt } => Some(prompt),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(prompt).collect()
}

#[tokio::test(start_paused = true)]
async fn what_one_sender_writes_in_a_row_is_answered_as_one_and_says_so() {
    let bot = Bot::with(CONFIG).await;
    bot.says([text("Both.")]);
    let first = bot.user(ON, "buy milk").await;
    pause(1_500).await;
    let second = bot.user(ON, "and bread").await;
    let (into, told) = (second.id, first.id);
    let began = bot.now_ms();
    assert_eq!(second.ended().await, Some(Terminal::Replied));
    assert!(
        bot.now_ms() - began >= 2_000,
        "the second one began the wait anew"
    );
    assert_eq!(first.ended().await, Some(Terminal::Collected { into }));
    assert_eq!(bot.screen(ON), ["Both."]);
    let prompts = prompts(&bot).await;
    assert_eq!(prompts.len(), 1);
    for part in ["Earlier messages", "buy milk", "and bread", "\"message_id\""] {
        assert!(prompts[0].contains(part), "{part}: {}", prompts[0]);
    }
    let came = events_of(&bot, told).await[0].at;
    assert_eq!(
        waits_of(&bot, told).await,
        [format!("until {}", came.plus(Duration::from_secs(2)))]
    );
    assert_eq!(
        waits_of(&bot, into).await,
        [
            format!("until {}", came.plus(Duration::from_millis(3_500))),
            "goes on with 1 message before it after 3500ms".to_owned(),
        ]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn whoever_never_pauses_is_answered_after_five_times_the_delay() {
    let bot = Bot::with(CONFIG).await;
    bot.says([text("enough")]);
    let first = bot.user(ON, "0").await;
    for n in 1..=10 {
        pause(999).await;
        assert!(bot.screen(ON).is_empty(), "{n} s");
        let _more = bot.user(ON, &n.to_string()).await;
    }
    pause(500).await;
    assert_eq!(bot.screen(ON), ["enough"]);
    assert!(matches!(first.ended().await, Some(Terminal::Collected { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_command_is_answered_at_once_and_has_what_waits_go_on() {
    let bot = Bot::with(CONFIG).await;
    bot.says([text("hello")]);
    let waits = bot.user(ON, "hi").await;
    pause(500).await;
    let began = bot.now_ms();
    assert_eq!(
        bot.turn(ON, "/whoami").await,
        Terminal::Command {
            name: "whoami".into()
        }
    );
    assert_eq!(waits.ended().await, Some(Terminal::Replied));
    assert!(bot.now_ms() - began < 1_500, "neither waited");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_word_drops_what_waits() {
    let bot = Bot::with(CONFIG).await;
    let waits = [bot.user(ON, "hi").await, bot.user(ON, "there").await];
    pause(500).await;
    let stopped = bot.turn(ON, "stop").await;
    assert_eq!(stopped, Terminal::Command { name: "stop".into() });
    for turn in waits {
        assert_eq!(turn.ended().await, Some(Terminal::Dropped));
    }
    assert_eq!(bot.screen(ON), ["ℹ️ 2 messages that waited were dropped."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_has_settings_of_its_own_or_another_place_is_not_put_with_it() {
    let bot = Bot::with(&format!("{CONFIG}[queue]\nmode = \"followup\"\n")).await;
    bot.says([text("one")]);
    bot.says([text("two")]);
    let first = bot.user(ON, "1").await;
    pause(500).await;
    let second = bot.user(ON, "/verbose on 2").await;
    bot.says([text("elsewhere")]);
    let other = bot.user(platform::SIGNAL, "3").await;
    for turn in [first, second, other] {
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
    }
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_a_conversation_together_runs_or_goes_together() {
    let bot = Bot::with(&format!(
        "{CONFIG}[queue]\nmode = \"followup\"\ncap = 1\ndrop = \"old\"\n"
    ))
    .await;
    bot.says([later(30_000, "one")]);
    bot.says([text("last")]);
    let first = bot.user(ON, "1").await;
    pause(3_000).await;
    let pair = [bot.user(ON, "2").await, bot.user(ON, "3").await];
    pause(3_000).await;
    let other = [bot.user(ON, "4").await, bot.user(ON, "5").await];
    assert_eq!(first.ended().await, Some(Terminal::Replied));
    for turn in pair {
        assert_eq!(turn.ended().await, Some(Terminal::Dropped));
    }
    let [fourth, fifth] = other;
    let into = fifth.id;
    assert_eq!(fifth.ended().await, Some(Terminal::Replied));
    assert_eq!(fourth.ended().await, Some(Terminal::Collected { into }));
    bot.check().await;
}

#[test]
fn what_waits_for_more_survives_a_kill_and_is_answered_as_one() {
    let world = killed(async {
        let bot = Bot::with(CONFIG).await;
        for text in ["alpha", "beta"] {
            let _waits = bot.user(ON, text).await;
            pause(500).await;
        }
        bot
    });
    runtime().block_on(async {
        let bot = Bot::answering(world, CONFIG, Rules::all(), [text("both")]).await;
        pause(60_000).await;
        assert_eq!(bot.screen(ON), ["both"]);
        let prompts = prompts(&bot).await;
        assert_eq!(prompts.len(), 1);
        assert!(prompts[0].contains("alpha") && prompts[0].contains("beta"));
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_command_with_words_for_the_agent_does_not_wait_and_has_what_waited_go_on_before() {
    let settings = format!("{CONFIG}[commands.custom.standup]\nprompt = \"Standup: {{{{args}}}}\"\n");
    let bot = Bot::with(&settings).await;
    for command in ["/new hello", "/standup tests"] {
        bot.says([text("Milk.")]);
        bot.says([text("Hello.")]);
        let before = bot.user(ON, "buy milk").await;
        pause(500).await;
        let began = bot.now_ms();
        let turn = bot.user(ON, command).await;
        assert!(
            waits_of(&bot, turn.id)
                .await
                .iter()
                .all(|wait| !wait.starts_with("until"))
        );
        assert_eq!(before.ended().await, Some(Terminal::Replied), "{command}");
        assert_eq!(turn.ended().await, Some(Terminal::Replied), "{command}");
        assert!(bot.now_ms() - began < 2_000, "{command}: nothing waited for more");
        let prompts = prompts(&bot).await;
        let [.., milk, hello] = prompts.as_slice() else {
            panic!("{prompts:?}")
        };
        assert!(milk.contains("buy milk"), "{command}: {milk}");
        assert!(!hello.contains("Earlier messages"), "{command}: {hello}");
    }
    bot.check().await;
}
