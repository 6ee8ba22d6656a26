//! Times that come due: repeated, missed, and those that cannot be delivered at once.

use super::{ON, TELEGRAM, asked, at, delivered, due, lines, pass, reminds, set};
use crate::bot::{Bot, JumpClock, World, parts, text};
use foldback_agents::ScriptAgent;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::{Engine, Rules, TokioClock};
use foldback_store::Journal as _;
use foldback_wire::{Clock, Kind, OpKind, TurnId};
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// A bot at this time.
async fn bot_at(time: &str) -> Bot {
    let mut world = World::new();
    world.clock = TokioClock::at(at(time));
    Bot::in_world(world, ON, Rules::all()).await
}

async fn times(bot: &Bot) -> Vec<String> {
    let due = due(bot).await.into_iter();
    due.map(|due| due.due.to_string()[..16].to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_day_of_the_month_stays_it_over_short_months() {
    let bot = bot_at("2027-01-30T12:00:00Z").await;
    asked(
        &bot,
        &reminds(json!({"date": "2027-01-31", "time": "09:00", "repeat": "monthly"})),
    )
    .await;
    pass(24 * 60 * 91).await;
    assert_eq!(
        times(&bot).await,
        [
            "2027-01-31T08:00",
            "2027-02-28T08:00",
            "2027-03-31T07:00",
            "2027-04-30T07:00"
        ]
    );
    assert_eq!(lines(&bot).await[0].next, Some(at("2027-05-31T07:00:00Z")));
    let of_first = bot.journal.turn(TurnId(1)).await.unwrap();
    let accepted = of_first.iter().filter(
        |event| matches!(&event.kind, Kind::DeliveryAccepted(accepted) if accepted.id.as_str().starts_with("reminder-")),
    );
    assert_eq!(accepted.count(), 1, "the turn that set it does not grow");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_hour_stays_the_hour_of_its_zone_over_summer_time() {
    let bot = bot_at("2026-03-27T12:00:00Z").await;
    asked(
        &bot,
        &reminds(json!({"date": "2026-03-28", "time": "02:30", "repeat": "daily"})),
    )
    .await;
    asked(
        &bot,
        &reminds(json!({"date": "2026-03-23", "repeat": "0 9 * * MON", "zone": "Asia/Tokyo"})),
    )
    .await;
    assert_eq!(set(&bot).await.len(), 1, "its first day is over");
    pass(24 * 60 * 3).await;
    assert_eq!(
        times(&bot).await,
        ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]
    );
    let late = due(&bot).await.iter().map(|due| due.late_ms).max();
    assert!(
        late < Some(1_000),
        "nothing is late where no clock is wrong: {late:?}"
    );
    bot.check().await;
}

/// The machine sleeps for a week over a daily reminder.
#[tokio::test(start_paused = true)]
async fn what_was_missed_in_a_suspend_is_one_that_says_how_many_and_how_late() {
    let world = World::new();
    let clock = JumpClock::new();
    let agent = Arc::new(ScriptAgent::new(Arc::clone(&clock) as Arc<dyn Clock>));
    let mut parts = parts(&world, ON, Rules::all(), Arc::clone(&agent) as _);
    parts.clock = Arc::clone(&clock) as _;
    let engine = Engine::start(parts).await.unwrap();
    pass(1).await;
    let bot = Bot::around(world, engine, agent);
    asked(
        &bot,
        &reminds(json!({"date": "2026-01-01", "time": "09:00", "repeat": "daily"})),
    )
    .await;
    clock.suspend(Duration::from_hours(7 * 24 + 9));
    bot.says([text("Seven were missed.")]);
    pass(2).await;
    let came = due(&bot).await;
    assert_eq!(came.len(), 1, "{came:?}");
    assert_eq!((came[0].due, came[0].missed), (at("2026-01-08T08:00:00Z"), 7));
    let request = delivered(&bot).await.remove(0);
    let late = request.items.iter().find(|item| item.label == "late").unwrap();
    assert!(
        late.text.starts_with("1 hour") && late.text.ends_with("; 7 earlier times were missed"),
        "{late:?}"
    );
    clock.set(-3 * 3_600_000);
    pass(60 * 3).await;
    assert_eq!(
        due(&bot).await.len(),
        1,
        "a clock that is set back repeats nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn while_its_channel_is_off_it_waits_and_is_late_afterwards() {
    let bot = Bot::with(ON).await;
    asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
    bot.toggle(TELEGRAM, false).await;
    pass(120).await;
    assert_eq!(due(&bot).await, []);
    let wait = lines(&bot).await.remove(0).waits.unwrap();
    assert_eq!((wait.why.as_str(), wait.next), ("telegram is off", None));
    // It is 03:00, and it was due at 02:00.
    let days = [at("2025-12-31T23:00:00Z"), at("2026-01-01T23:00:00Z")];
    let calendar = bot.engine.calendar(&days).await.unwrap();
    let waits: Vec<_> = calendar.times.iter().map(|time| (time.day, time.count)).collect();
    assert_eq!(waits, [(0, 1)], "what waits stands on today");
    bot.toggle(TELEGRAM, true).await;
    pass(1).await;
    let came = due(&bot).await;
    assert_eq!(came.len(), 1);
    assert!(came[0].late_ms >= 3_600_000, "{came:?}");
    bot.check().await;
}

/// The ancestor marked a reminder as delivered also where it was not.
#[tokio::test(start_paused = true)]
async fn what_is_not_accepted_is_tried_again_ever_more_slowly_until_it_is() {
    let tight = ON.to_owned() + "[deliveries]\nwindow = \"3h\"\nper_requester = 1\n";
    let bot = Bot::with(&tight).await;
    // The result of the action is the one delivery that there is room for.
    asked(&bot, &reminds(json!({"send_in": "1 hour"}))).await;
    pass(62).await;
    assert_eq!(due(&bot).await, []);
    let wait = lines(&bot).await.remove(0).waits.unwrap();
    assert!(wait.why.contains("deliveries.per_requester"), "{wait:?}");
    assert!((1..=2).contains(&wait.attempts), "{wait:?}");
    pass(60).await;
    let wait = lines(&bot).await.remove(0).waits.unwrap();
    assert!(
        (5..=7).contains(&wait.attempts),
        "after 1, 2, 4, 8, 16 and 32 minutes: {wait:?}"
    );
    let told = bot.kinds().await.into_iter();
    let told = told
        .filter(|kind| matches!(kind, Kind::DeliveryRefused(_)))
        .count();
    assert!(
        (1..=2).contains(&told),
        "the journal has it once an hour, not each time: {told}"
    );
    pass(180).await;
    assert_eq!(
        due(&bot).await.len(),
        1,
        "then there is room, and it is delivered once"
    );
    assert_eq!(lines(&bot).await[0].waits, None);
    bot.check().await;
}

/// A chat that blocked the bot costs one call, and gets the reminder when somebody writes there again.
#[tokio::test(start_paused = true)]
async fn a_chat_that_takes_nothing_more_costs_no_calls_and_is_told_when_it_does() {
    let bot = Bot::with(ON).await;
    asked(
        &bot,
        &reminds(json!({"date": "2026-01-01", "time": "02:00", "repeat": "daily"})),
    )
    .await;
    bot.fault(
        TELEGRAM,
        CallFault {
            times: 2,
            ..CallFault::first(OpKind::SendText, CallFailure::Forbidden)
        },
    );
    bot.says([text("Hello?")]);
    bot.turn(TELEGRAM, "hi").await;
    assert_eq!(bot.engine.dead_targets().len(), 1);
    let before = bot.world().count_calls(TELEGRAM, OpKind::SendText);
    pass(24 * 60 * 3 - 90).await;
    assert_eq!(due(&bot).await, []);
    assert_eq!(bot.world().count_calls(TELEGRAM, OpKind::SendText), before);
    bot.says([text("Here I am.")]);
    bot.turn(TELEGRAM, "I am back").await;
    bot.says([text("Call Bob.")]);
    pass(61).await;
    let came = due(&bot).await;
    assert_eq!(came.len(), 1);
    assert!(came[0].missed >= 2, "{came:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn one_at_a_time_is_one_turn_and_others_are_not_held_up() {
    let bot = Bot::with(ON).await;
    for _ in 0..3 {
        asked(&bot, &reminds(json!({"date": "2026-01-01", "time": "10:00"}))).await;
    }
    for _ in 0..3 {
        bot.says([text("Call Bob.")]);
    }
    pass(10 * 60).await;
    let numbers: Vec<_> = due(&bot).await.iter().map(|due| due.reminder.0).collect();
    assert_eq!(numbers, [1, 2, 3]);
    let told = bot.screen(TELEGRAM);
    assert_eq!(
        told.iter().filter(|text| text.ends_with("Call Bob.")).count(),
        3,
        "{told:?}"
    );
    bot.check().await;
}
