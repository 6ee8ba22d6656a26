//! Reminders and the calendar, as the window lists and cancels them.

use crate::host::Host;
use foldback_pipeline::config;
use foldback_wire::{ReminderLine, Timestamp, rpc::Calendar};
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

const CONFIG: &str = "[[schedule]]\nname = \"morning\"\ncron = \"0 9 * * *\"\nchannel = \"telegram\"\nchat = \"c1\"\n\
    prompt = \"What is new?\"\n[channels.telegram]\n[output]\ndialects = [\"json\", \"actions\"]\n\
    [actions.event]\nenabled = true\nzone = \"Europe/Berlin\"\n";

/// A bot at 08:00 on 15 January 2027, UTC.
async fn host() -> Host {
    let configured = config::parse(CONFIG, Path::new("test.toml")).unwrap();
    Host::start_with(|setup| {
        setup.demo = false;
        setup.config.schedule = configured.schedule;
        setup.config.actions = configured.actions;
        setup.config.output = configured.output;
    })
    .await
}

async fn set(host: &Host, payload: Value) {
    let action = json!({"actions": [{"type": "event", "payload": payload}]});
    host.say("telegram", "remind me", &action.to_string()).await;
}

#[tokio::test(start_paused = true)]
async fn a_reminder_is_listed_told_and_cancelled() {
    let host = Box::pin(host()).await;
    let daily = json!({"description": "Stand up", "date": "2027-01-16", "time": "10:00", "repeat": "daily"});
    set(&host, daily).await;
    let lines: Vec<ReminderLine> = host.call("reminders", json!({})).await;
    assert_eq!(lines.len(), 1);
    assert_eq!(
        (lines[0].rule.as_str(), lines[0].zone.as_str()),
        ("every day at 10:00", "Europe/Berlin")
    );
    assert_eq!(lines[0].next, Timestamp::parse("2027-01-16T09:00:00Z"));

    tokio::time::sleep(Duration::from_hours(26)).await;
    let lines: Vec<ReminderLine> = host.call("reminders", json!({})).await;
    let last = lines[0].last.as_ref().unwrap();
    assert!(last.terminal.is_some(), "{last:?}");
    assert_eq!(host.rows("kind:reminder_due").await, 1);

    let left: Vec<ReminderLine> = host.call("reminder_cancel", json!({"id": 1})).await;
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(host.rows("kind:reminder_cancelled").await, 1);
    let (code, message, _) = host.failure("reminder_cancel", json!({"id": 1})).await;
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("no_reminder", "There is no reminder 1.")
    );
}

#[tokio::test(start_paused = true)]
async fn the_calendar_has_the_times_of_both_by_day() {
    let host = Box::pin(host()).await;
    set(
        &host,
        json!({"description": "Rent", "date": "2027-01-31", "repeat": "monthly"}),
    )
    .await;
    let days: Vec<String> = (14..=32)
        .map(|day| {
            Timestamp::parse("2027-01-01T00:00:00Z")
                .unwrap()
                .plus(Duration::from_hours(24 * (day - 1)))
                .to_string()
        })
        .collect();
    let calendar: Calendar = host.call("calendar", json!({"days": days})).await;
    let of_schedule: Vec<_> = calendar
        .times
        .iter()
        .filter(|time| time.schedule.is_some())
        .collect();
    assert_eq!(
        (of_schedule[0].day, of_schedule.len()),
        (1, 17),
        "from the 15th at nine to the 31st"
    );
    let of_reminder: Vec<_> = calendar
        .times
        .iter()
        .filter(|time| time.reminder.is_some())
        .collect();
    assert_eq!(of_reminder.len(), 1);
    assert_eq!(
        (of_reminder[0].day, of_reminder[0].first),
        (17, Timestamp::parse("2027-01-31T08:00:00Z").unwrap())
    );
    assert_eq!((calendar.schedules.len(), calendar.reminders.len()), (1, 1));
    let (code, ..) = host
        .failure("calendar", json!({"days": [days[1], days[0]]}))
        .await;
    assert_eq!(code, "bad_request");
}
