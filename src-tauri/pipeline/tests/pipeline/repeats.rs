//! A platform repeats a message long after it was answered: Meta does so for seven days.

use crate::bot::{Bot, later, text};
use foldback_agents::Act;
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Actor, Gate, Inbound, Kind, Terminal, Timestamp};
use std::time::Duration;

const HOUR: Duration = Duration::from_hours(1);

async fn submit(bot: &Bot, message: &Inbound) -> Terminal {
    let turn = bot.engine.submit(message.clone()).await.unwrap();
    turn.ended().await.expect("the turn stays open")
}

#[tokio::test(start_paused = true)]
async fn a_repeat_after_hours_is_a_duplicate() {
    let bot = Bot::start().await;
    let message = bot.message(platform::WHATSAPP, "hi");
    bot.says([text("Once.")]);
    assert_eq!(submit(&bot, &message).await, Terminal::Replied);
    for _ in 0..3 {
        tokio::time::sleep(6 * HOUR).await;
        assert_eq!(submit(&bot, &message).await, Terminal::Duplicate);
    }
    assert_eq!(bot.screen(platform::WHATSAPP), ["Once."]);
    let firsts: Vec<_> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::Stopping {
                gate: Gate::Duplicate,
                inputs,
                ..
            } => Some(inputs["first_turn"].clone()),
            _ => None,
        })
        .collect();
    assert_eq!(firsts, ["1", "1", "1"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_repeat_after_a_restart_is_a_duplicate_for_seven_days() {
    let bot = Bot::start().await;
    let message = bot.message(platform::WHATSAPP, "hi");
    bot.says([text("Once.")]);
    assert_eq!(submit(&bot, &message).await, Terminal::Replied);
    bot.engine.shutdown(HOUR).await.unwrap();
    let world = bot.into_world();
    tokio::time::sleep(6 * 24 * HOUR).await;
    let bot = Bot::in_world(world, "", Rules::all()).await;
    assert_eq!(submit(&bot, &message).await, Terminal::Duplicate);
    tokio::time::sleep(25 * HOUR).await;
    bot.says([text("Again.")]);
    let gate = Gate::TooOld;
    assert_eq!(submit(&bot, &message).await, Terminal::Blocked { gate });
    assert_eq!(bot.screen(platform::WHATSAPP), ["Once."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_waited_at_the_platform_for_days_is_answered_once() {
    let bot = Bot::start().await;
    for platform in [platform::WHATSAPP, platform::TELEGRAM, platform::SIGNAL] {
        let message = bot.message(platform, "hi");
        tokio::time::sleep(7 * 24 * HOUR).await;
        bot.says([text("At last.")]);
        assert_eq!(submit(&bot, &message).await, Terminal::Replied, "{platform}");
        assert_eq!(submit(&bot, &message).await, Terminal::Duplicate, "{platform}");
        assert_eq!(bot.screen(platform), ["At last."]);
    }
    bot.check().await;
}

/// A shorter memory stops earlier, and the stop names the setting.
#[tokio::test(start_paused = true)]
async fn what_is_older_than_the_events_that_are_kept_stops_and_names_the_setting() {
    let bot = Bot::with("[store]\nkeep = \"2d\"\n").await;
    let message = bot.message(platform::WHATSAPP, "hi");
    tokio::time::sleep(49 * HOUR).await;
    let gate = Gate::TooOld;
    assert_eq!(submit(&bot, &message).await, Terminal::Blocked { gate });
    let setting = bot.kinds().await.into_iter().find_map(|kind| match kind {
        Kind::Stopping { setting, .. } => setting,
        _ => None,
    });
    assert_eq!(setting.as_deref(), Some("store.keep"));
    bot.check().await;
}

/// A message that an earlier process received came in time, however long the bot was off afterwards.
#[tokio::test(start_paused = true)]
async fn what_was_received_before_a_long_stop_is_not_judged_by_its_age() {
    let bot = Bot::with("[agent]\nmax_runs = 1\n").await;
    bot.says([later(60_000, "one")]);
    let first = bot.user(platform::SLACK, "hi").await;
    let waits = bot.user(platform::WHATSAPP, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
    drop(first);
    assert_eq!(waits.ended().await, None, "it stays open");
    let world = bot.into_world();
    tokio::time::sleep(8 * 24 * HOUR).await;
    let bot = Bot::answering(world, "", Rules::all(), [text("two")]).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    let stopped = |kind: &Kind| {
        matches!(
            kind,
            Kind::Stopping {
                gate: Gate::TooOld,
                ..
            }
        )
    };
    assert!(!bot.kinds().await.iter().any(stopped));
}

#[tokio::test(start_paused = true)]
async fn the_same_id_in_another_place_is_another_message() {
    let bot = Bot::start().await;
    let message = Inbound {
        account: Some("one".into()),
        ..bot.message(platform::TELEGRAM, "hi")
    };
    bot.says([text("Here.")]);
    assert_eq!(submit(&bot, &message).await, Terminal::Replied);
    tokio::time::sleep(HOUR).await;
    let elsewhere = [
        Inbound {
            chat: "c2".into(),
            ..message.clone()
        },
        Inbound {
            thread: Some("t1".into()),
            ..message.clone()
        },
        Inbound {
            account: Some("other".into()),
            ..message.clone()
        },
        Inbound {
            channel: platform::SLACK.code().into(),
            ..message.clone()
        },
    ];
    for other in &elsewhere {
        bot.says([text("There.")]);
        assert_eq!(submit(&bot, other).await, Terminal::Replied, "{other:?}");
    }
    tokio::time::sleep(HOUR).await;
    for again in elsewhere.iter().chain([&message]) {
        assert_eq!(submit(&bot, again).await, Terminal::Duplicate, "{again:?}");
    }
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_kept_without_its_account_is_known_by_when_it_was_written() {
    let bot = Bot::start().await;
    let older = bot.message(platform::TELEGRAM, "hi");
    assert_eq!(older.account, None);
    bot.says([text("Once.")]);
    assert_eq!(submit(&bot, &older).await, Terminal::Replied);
    let again = Inbound {
        account: Some("700001".into()),
        ..older.clone()
    };
    let of_another_bot = Inbound {
        account: Some("700002".into()),
        at: Timestamp(older.at.0 + 1_000),
        ..older.clone()
    };
    assert_eq!(submit(&bot, &again).await, Terminal::Duplicate);
    bot.says([text("New.")]);
    assert_eq!(submit(&bot, &of_another_bot).await, Terminal::Replied);
    assert_eq!(submit(&bot, &of_another_bot).await, Terminal::Duplicate);
    assert_eq!(bot.screen(platform::TELEGRAM), ["Once.", "New."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_failed_or_was_stopped_is_answered_also_after_hours() {
    let bot = Bot::start().await;
    let message = bot.message(platform::WHATSAPP, "hi");
    bot.says([Act::Error("overloaded".to_owned()).into()]);
    assert!(matches!(submit(&bot, &message).await, Terminal::Failed { .. }));
    tokio::time::sleep(HOUR).await;
    bot.says([text("Now.")]);
    assert_eq!(submit(&bot, &message).await, Terminal::Replied);
    tokio::time::sleep(HOUR).await;
    assert_eq!(submit(&bot, &message).await, Terminal::Duplicate);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_in_work_for_longer_than_it_is_remembered_is_not_begun_again() {
    let bot = Bot::with("[agent]\nidle_timeout = \"4h\"\n").await;
    let message = bot.message(platform::WHATSAPP, "hi");
    bot.says([later(3 * 3_600_000, "At last.")]);
    let turn = bot.engine.submit(message.clone()).await.unwrap();
    tokio::time::sleep(HOUR).await;
    assert_eq!(submit(&bot, &message).await, Terminal::Duplicate);
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::WHATSAPP), ["At last."]);
    bot.check().await;
}

/// A failed turn is begun again by the platform's next copy; one that a person stopped is not.
#[tokio::test(start_paused = true)]
async fn a_turn_that_a_person_stopped_does_not_begin_again() {
    let bot = Bot::start().await;
    let message = bot.message(platform::WHATSAPP, "hi");
    bot.says([later(3_600_000, "Long.")]);
    let turn = bot.engine.submit(message.clone()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(bot.engine.cancel(turn.id, Actor::Console).unwrap());
    assert!(matches!(turn.ended().await, Some(Terminal::Failed { .. })));
    assert_eq!(submit(&bot, &message).await, Terminal::Duplicate);
    tokio::time::sleep(6 * HOUR).await;
    assert_eq!(
        submit(&bot, &message).await,
        Terminal::Duplicate,
        "from the journal"
    );
    bot.engine.shutdown(HOUR).await.unwrap();
    let bot = Bot::in_world(bot.into_world(), "", Rules::all()).await;
    assert_eq!(submit(&bot, &message).await, Terminal::Duplicate);
    bot.check().await;
}
