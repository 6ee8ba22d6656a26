//! Reminders over kills and restarts: none is lost, and none is told twice.

use super::{ON, TELEGRAM, asked, at, due, lines, pass, reminds, set};
use crate::bot::{Bot, killed, later, runtime, text};
use foldback_pipeline::{Rules, TokioClock};
use foldback_wire::{Actor, ReminderId};
use serde_json::json;
use std::time::Duration;

/// Killed at many moments around the time at which it is due, and started again after it.
#[test]
fn it_is_told_once_whenever_the_process_is_killed() {
    for after_ms in [
        3_500_000, 3_598_000, 3_599_000, 3_599_999, 3_600_000, 3_600_001, 3_600_050, 3_601_500,
    ] {
        let world = killed(async {
            let bot = Bot::with(ON).await;
            asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
            bot.says([text("You wanted"), later(1_000, " to call Bob.")]);
            tokio::time::sleep(Duration::from_millis(after_ms - bot.now_ms())).await;
            bot
        });
        runtime().block_on(async {
            let mut world = world;
            world.clock = TokioClock::at(at("2026-01-01T01:10:00Z"));
            let bot = Bot::answering(world, ON, Rules::all(), [text("You wanted to call Bob.")]).await;
            pass(5).await;
            assert_eq!(due(&bot).await.len(), 1, "killed at {after_ms}");
            let screen = bot.screen(TELEGRAM);
            let told = screen.iter().filter(|text| text.contains("You wanted")).count();
            // Killed before it was due, nothing of it is in doubt.
            let least = usize::from(after_ms < 3_600_000);
            assert!((least..=1).contains(&told), "killed at {after_ms}: {screen:?}");
            bot.check().await;
        });
    }
}

/// The bot was off for a week: one delivery stands for what was missed.
#[test]
fn a_week_off_is_one_delivery_and_the_next_time_is_its_own() {
    let world = killed(async {
        let bot = Bot::with(ON).await;
        asked(
            &bot,
            &reminds(json!({"date": "2026-01-01", "time": "09:00", "repeat": "daily"})),
        )
        .await;
        bot
    });
    runtime().block_on(async {
        let mut world = world;
        world.clock = TokioClock::at(at("2026-01-08T12:00:00Z"));
        let bot = Bot::answering(world, ON, Rules::all(), [text("Eight.")]).await;
        pass(5).await;
        let came = due(&bot).await;
        assert_eq!(came.len(), 1, "{came:?}");
        assert_eq!((came[0].due, came[0].missed), (at("2026-01-08T08:00:00Z"), 7));
        assert_eq!(lines(&bot).await[0].next, Some(at("2026-01-09T08:00:00Z")));
        pass(24 * 60).await;
        assert_eq!(due(&bot).await.len(), 2);
        bot.check().await;
    });
}

#[test]
fn what_was_cancelled_stays_it_and_numbers_are_not_used_twice() {
    let world = killed(async {
        let bot = Bot::with(ON).await;
        asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
        bot.engine
            .cancel_reminder(ReminderId(1), Actor::Cli)
            .await
            .unwrap();
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, ON, Rules::all()).await;
        asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
        let numbers: Vec<_> = set(&bot).await.iter().map(|reminder| reminder.id.0).collect();
        assert_eq!(numbers, [1, 2]);
        pass(120).await;
        let came = due(&bot).await;
        assert_eq!(came.len(), 1);
        assert_eq!(came[0].reminder, ReminderId(2));
    });
}

/// Switched off they wait; on again, they come, with how late.
#[test]
fn while_reminders_are_off_nothing_is_told_and_nothing_is_lost() {
    let off = ON.replace("enabled = true", "enabled = false");
    let world = killed(async {
        let bot = Bot::with(ON).await;
        asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
        bot
    });
    let world = killed(async {
        let bot = Bot::in_world(world, &off, Rules::all()).await;
        pass(180).await;
        assert_eq!(due(&bot).await, []);
        assert_eq!(lines(&bot).await.len(), 1, "they are listed all the same");
        bot
    });
    runtime().block_on(async {
        let mut world = world;
        world.clock = TokioClock::at(at("2026-01-01T04:00:00Z"));
        let bot = Bot::answering(world, ON, Rules::all(), [text("Late.")]).await;
        pass(5).await;
        let came = due(&bot).await;
        assert_eq!(came.len(), 1);
        assert!(came[0].late_ms >= 2 * 3_600_000, "{came:?}");
    });
}

/// Whoever may not write to the bot any more is not reminded by it; let in again, they are.
#[test]
fn a_reminder_does_not_outlive_the_rights_of_its_person() {
    let open = |list: &str| format!("{ON}[channels.telegram]\nallow_from = [{list}]\n");
    let world = killed(async {
        let bot = Bot::with(&open("\"alice\"")).await;
        let daily = json!({"date": "2026-01-01", "time": "09:00", "repeat": "daily"});
        asked(&bot, &reminds(daily)).await;
        bot
    });
    let world = killed(async {
        let bot = Bot::in_world(world, &open("\"olga\""), Rules::all()).await;
        pass(9 * 60).await;
        assert_eq!(due(&bot).await, []);
        let wait = lines(&bot).await.remove(0).waits.unwrap();
        assert!(wait.why.contains("channels.telegram.allow_from"), "{wait:?}");
        bot
    });
    runtime().block_on(async {
        let mut world = world;
        world.clock = TokioClock::at(at("2026-01-01T12:00:00Z"));
        let bot = Bot::answering(world, &open("\"alice\""), Rules::all(), [text("Call Bob.")]).await;
        pass(5).await;
        assert_eq!(due(&bot).await.len(), 1);
    });
}
