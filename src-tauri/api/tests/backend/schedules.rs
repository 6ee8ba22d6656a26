//! Schedules, as the window lists, begins and pauses them.

use crate::host::Host;
use foldback_pipeline::config;
use foldback_wire::{Actor, Kind, ScheduleLine, Seq};
use serde_json::json;
use std::{path::Path, time::Duration};

const CONFIG: &str = "[[schedule]]\nname = \"morning\"\ncron = \"0 9 * * *\"\nchannel = \"telegram\"\nchat = \"c1\"\n\
    prompt = \"What is new?\"\n";

async fn host() -> Host {
    let configured =
        config::parse(&format!("[channels.telegram]\n{CONFIG}"), Path::new("test.toml")).unwrap();
    Host::start_with(|setup| {
        setup.demo = false;
        setup.config.schedule = configured.schedule;
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_schedule_is_listed_paused_let_go_on_and_begun() {
    let host = Box::pin(host()).await;
    let lines: Vec<ScheduleLine> = host.call("schedules", json!({})).await;
    let next = lines[0].next.unwrap();
    assert!(
        lines.len() == 1 && !lines[0].paused && lines[0].last.is_none(),
        "{lines:?}"
    );
    assert_eq!(lines[0].times, "cron 0 9 * * * UTC");

    let pause = |paused: bool| json!({"name": "morning", "paused": paused});
    let paused: Vec<ScheduleLine> = host.call("schedule_pause", pause(true)).await;
    assert_eq!((paused[0].paused, paused[0].next), (true, None));
    tokio::time::sleep(Duration::from_hours(24)).await;
    assert_eq!(host.rows("kind:schedule_due").await, 0);
    let resumed: Vec<ScheduleLine> = host.call("schedule_pause", pause(false)).await;
    assert!(
        resumed[0].next > Some(next),
        "what came due meanwhile is not made up for"
    );

    let begun: Vec<ScheduleLine> = host.call("schedule_run", json!({"name": "morning"})).await;
    assert_eq!(
        begun[0].last.as_ref().map(|run| &run.due.by),
        Some(&Actor::Console)
    );
    tokio::time::sleep(Duration::from_mins(1)).await;
    let lines: Vec<ScheduleLine> = host.call("schedules", json!({})).await;
    let run = lines[0].last.as_ref().unwrap();
    assert!(
        run.terminal.is_some() && run.due.missed == 0 && !run.due.late,
        "{run:?}"
    );
    let events = host.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
    let by = events.iter().filter_map(|event| match &event.kind {
        Kind::SchedulePaused(paused) => Some((paused.paused, paused.by.clone())),
        _ => None,
    });
    let by: Vec<_> = by.collect();
    assert_eq!(by, [(true, Actor::Console), (false, Actor::Console)]);
}

/// What its chat got, and nothing that was only for the bot.
#[tokio::test(start_paused = true)]
async fn what_a_run_said_is_what_was_delivered() {
    const SCRIPT: &str = r#"
- agent: ["[[reply_to_current]]\n", "<actions>", "<react emoji=\"eyes\" /></actions>", "Nothing new.", " All is well."]
"#;
    let configured =
        config::parse(&format!("[channels.telegram]\n{CONFIG}"), Path::new("test.toml")).unwrap();
    let host = Host::start_with(|setup| {
        setup.demo = false;
        let path = setup.base.join("script.yaml");
        std::fs::write(&path, SCRIPT).unwrap();
        setup.config.agent.script.file = Some(path);
        setup.config.schedule = configured.schedule;
        let channel = setup.config.channels.get_mut(&"telegram".into()).unwrap();
        channel.armed = true;
    });
    let host = Box::pin(host).await;
    let _: Vec<ScheduleLine> = host.call("schedule_run", json!({"name": "morning"})).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    let lines: Vec<ScheduleLine> = host.call("schedules", json!({})).await;
    assert_eq!(lines[0].last.as_ref().unwrap().said, "Nothing new. All is well.");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_schedule_or_cannot_begin_is_refused_by_name() {
    let host = Box::pin(host()).await;
    for name in ["schedule_run", "schedule_pause"] {
        let (code, message, hint) = host
            .failure(name, json!({"name": "evening", "paused": true}))
            .await;
        assert!(
            code == "no_schedule" && message.contains("evening") && hint.is_some(),
            "{name}: {message}"
        );
    }
    let off = json!({"channel": "telegram", "on": false});
    let _: serde_json::Value = host.call("channel_switch", off).await;
    let (code, _, hint) = host.failure("schedule_run", json!({"name": "morning"})).await;
    assert_eq!(
        (code.as_str(), hint.as_deref()),
        ("channel_off", Some("Switch the channel on first."))
    );
    let lines: Vec<ScheduleLine> = host.call("schedules", json!({})).await;
    assert!(lines[0].channel_off);
}
