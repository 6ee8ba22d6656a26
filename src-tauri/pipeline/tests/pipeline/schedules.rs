//! Turns that a clock begins, on virtual time: their times, what was missed, and what becomes of the answer.

use crate::bot::{Bot, EPOCH, World, killed, runtime, text};
use foldback_agents::Act;
use foldback_channels::platform;
use foldback_pipeline::{Rules, TokioClock};
use foldback_wire::{
    Actor, ChannelId, Kind, ScheduleDue, ScheduleSkip, SettingSource, SilentReason, Terminal, Timestamp,
};
use std::time::Duration;

/// Every hour from 00:00.
const HOURLY: &str = "[channels.telegram]\n[[schedule]]\nname = \"hourly\"\nevery = \"1h\"\nchannel = \"telegram\"\nchat = \"c1\"\n";

fn hourly(more: &str) -> String {
    format!("{HOURLY}{more}\n")
}

fn plain() -> String {
    hourly("prompt = \"What is new?\"")
}

/// The same with an agent that may be silent for hours.
fn patient() -> String {
    plain() + "[agent]\nidle_timeout = \"24h\"\n"
}

async fn pass(minutes: u64) {
    tokio::time::sleep(Duration::from_mins(minutes)).await;
}

async fn due(bot: &Bot) -> Vec<ScheduleDue> {
    let kinds = bot.kinds().await.into_iter();
    kinds
        .filter_map(|kind| match kind {
            Kind::ScheduleDue(due) => Some(due),
            _ => None,
        })
        .collect()
}

async fn skips(bot: &Bot) -> Vec<ScheduleSkip> {
    let kinds = bot.kinds().await.into_iter();
    kinds
        .filter_map(|kind| match kind {
            Kind::ScheduleSkipped(skipped) => Some(skipped.reason),
            _ => None,
        })
        .collect()
}

async fn ends(bot: &Bot) -> Vec<Terminal> {
    let kinds = bot.kinds().await.into_iter();
    kinds
        .filter_map(|kind| match kind {
            Kind::TurnEnded { terminal } => Some(terminal),
            _ => None,
        })
        .collect()
}

/// Hours after the beginning.
fn at(hour: u64) -> Timestamp {
    EPOCH.plus(Duration::from_hours(hour))
}

#[tokio::test(start_paused = true)]
async fn a_schedule_runs_at_its_time_and_its_answer_is_delivered() {
    let bot = Bot::with(&plain()).await;
    bot.says([text("Nothing much.")]);
    pass(59).await;
    assert_eq!(due(&bot).await, []);
    pass(2).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["Nothing much."]);
    let began = due(&bot).await;
    assert_eq!(began.len(), 1);
    assert_eq!(began[0].due, at(1));
    assert!(!began[0].late && began[0].by == Actor::Config);
    let prompts: Vec<_> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::Prepared { prompt } => Some(prompt),
            _ => None,
        })
        .collect();
    assert!(prompts[0].contains("What is new?"), "{}", prompts[0]);
    let lines = bot.engine.schedules().await.unwrap();
    assert_eq!(lines[0].next, Some(at(2)));
    let last = lines[0].last.as_ref().unwrap();
    assert_eq!(last.said, "Nothing much.");
    assert_eq!(last.terminal, Some(Terminal::Replied));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_hour_of_a_zone_stays_it_over_summer_time() {
    let cron = "[channels.telegram]\n[[schedule]]\nname = \"a\"\ncron = \"0 9 * * *\"\nzone = \"Europe/Berlin\"\nprompt = \"p\"\n\
                channel = \"telegram\"\nchat = \"c1\"\n";
    let mut world = World::new();
    world.clock = TokioClock::at(Timestamp::parse("2026-03-27T12:00:00Z").unwrap());
    let bot = Bot::in_world(world, cron, Rules::all()).await;
    pass(60 * 24 * 3).await;
    let hours: Vec<_> = due(&bot).await.iter().map(|due| due.due.to_string()).collect();
    assert_eq!(
        hours,
        [
            "2026-03-28T08:00:00.000Z",
            "2026-03-29T07:00:00.000Z",
            "2026-03-30T07:00:00.000Z"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn only_an_acknowledgement_of_a_heartbeat_is_dropped() {
    let config = hourly("heartbeat = true") + "[heartbeat]\nall_clear = \"all (is )?quiet\\\\.?\"\n";
    let bot = Bot::with(&config).await;
    for answer in [
        "HEARTBEAT_OK",
        "All clear",
        "all is quiet.",
        "Disk 99%\n\nHEARTBEAT_OK",
    ] {
        bot.says([text(answer)]);
        pass(60).await;
    }
    pass(1).await;
    let silent = Terminal::Silent {
        reason: SilentReason::HeartbeatAck,
    };
    assert_eq!(
        ends(&bot).await,
        [silent.clone(), Terminal::Replied, silent, Terminal::Replied]
    );
    assert_eq!(bot.screen(platform::TELEGRAM), ["All clear", "Disk 99%"]);
    let raw = bot.kinds().await.into_iter().any(|kind| match kind {
        Kind::Chunk { text, .. } => text == "HEARTBEAT_OK",
        _ => false,
    });
    assert!(raw, "the journal keeps what was dropped");
    bot.says([text("HEARTBEAT_OK")]);
    assert_eq!(
        bot.turn(platform::TELEGRAM, "hi").await,
        Terminal::Replied,
        "it counts in heartbeats alone"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_schedule_that_is_no_heartbeat_delivers_the_word_of_one() {
    let bot = Bot::with(&plain()).await;
    bot.says([text("HEARTBEAT_OK")]);
    pass(61).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["HEARTBEAT_OK"]);
}

/// The pattern that matched is told, and none for the token, which needs none.
#[tokio::test(start_paused = true)]
async fn the_setting_behind_a_dropped_heartbeat_is_the_pattern_that_matched() {
    let own = "[heartbeat]\nall_clear = \"all quiet\"\n";
    let shared = "[output]\nall_clear = \"all quiet\"\n";
    for (config, name) in [(own, "heartbeat.all_clear"), (shared, "output.all_clear")] {
        let bot = Bot::with(&(hourly("heartbeat = true") + config)).await;
        for answer in ["all quiet", "HEARTBEAT_OK", "**HEARTBEAT_OK**"] {
            bot.says([text(answer)]);
            pass(60).await;
        }
        pass(1).await;
        let told = bot.kinds().await.into_iter();
        let told: Vec<_> = told
            .filter_map(|kind| match kind {
                Kind::Suppressed { decided_by, .. } => {
                    Some(decided_by.map(|by| (by.setting.clone(), by.value.clone(), by.source)))
                }
                _ => None,
            })
            .collect();
        let matched = (name.to_owned(), "all quiet".to_owned(), SettingSource::Global);
        assert_eq!(told, [Some(matched), None, None]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_is_skipped_while_its_file_holds_no_task() {
    let world = World::new();
    let file = world.dir.path().join("HEARTBEAT.md");
    std::fs::write(&file, "# Tasks\n\n- [ ]\n").unwrap();
    let config = hourly("heartbeat = true") + "[heartbeat]\nfile = \"HEARTBEAT.md\"\n";
    let bot = Bot::in_world(world, &config, Rules::all()).await;
    pass(61).await;
    assert_eq!(skips(&bot).await, [ScheduleSkip::NoTask]);
    assert_eq!(due(&bot).await, []);
    std::fs::write(&file, "# Tasks\n- [ ] water the plants\n").unwrap();
    bot.says([text("They are dry.")]);
    pass(60).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["They are dry."]);
    let told = bot.kinds().await.into_iter().any(|kind| match kind {
        Kind::Prepared { prompt } => prompt.contains("water the plants"),
        _ => false,
    });
    assert!(told);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_file_is_read_when_it_is_due() {
    let bot = Bot::with(&hourly("prompt_file = \"ask.md\"")).await;
    pass(61).await;
    std::fs::write(bot.dir.path().join("ask.md"), " \n").unwrap();
    pass(60).await;
    assert_eq!(
        skips(&bot).await,
        [ScheduleSkip::Unreadable, ScheduleSkip::NoPrompt]
    );
    std::fs::write(bot.dir.path().join("ask.md"), "Anything?").unwrap();
    bot.says([text("No.")]);
    pass(60).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["No."]);
}

#[tokio::test(start_paused = true)]
async fn what_a_channel_missed_while_it_was_off_is_one_late_run() {
    let bot = Bot::with(&plain()).await;
    bot.toggle(platform::TELEGRAM, false).await;
    pass(60 * 3 + 10).await;
    assert_eq!(due(&bot).await, []);
    assert!(bot.engine.schedules().await.unwrap()[0].channel_off);
    bot.toggle(platform::TELEGRAM, true).await;
    pass(1).await;
    let began = due(&bot).await;
    assert_eq!(began.len(), 1);
    assert_eq!((began[0].due, began[0].late, began[0].missed), (at(3), true, 2));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_came_due_while_a_person_had_it_paused_is_not_made_up_for() {
    let bot = Bot::with(&plain()).await;
    assert!(bot.engine.pause_schedule("hourly", true, Actor::Cli).unwrap());
    assert!(!bot.engine.pause_schedule("hourly", true, Actor::Cli).unwrap());
    pass(130).await;
    assert_eq!(bot.engine.schedules().await.unwrap()[0].next, None);
    assert!(bot.engine.pause_schedule("hourly", false, Actor::Cli).unwrap());
    pass(10).await;
    assert_eq!(due(&bot).await, []);
    pass(45).await;
    assert_eq!(due(&bot).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn one_that_a_person_begins_leaves_the_times_as_they_are() {
    let bot = Bot::with(&plain()).await;
    bot.says([text("Now.")]);
    let turn = bot.engine.run_schedule("hourly", Actor::Cli).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert!(bot.engine.run_schedule("other", Actor::Cli).await.is_err());
    pass(61).await;
    let by: Vec<_> = due(&bot).await.into_iter().map(|due| due.by).collect();
    assert_eq!(by, [Actor::Cli, Actor::Config]);
}

#[tokio::test(start_paused = true)]
async fn of_two_who_begin_one_at_the_same_time_one_does() {
    let bot = Bot::with(&plain()).await;
    bot.says([text("Now.")]);
    let begin = || bot.engine.run_schedule("hourly", Actor::Cli);
    let (first, second) = tokio::join!(begin(), begin());
    assert!(second.is_err_and(|error| error.to_string().contains("runs already")));
    assert_eq!(first.unwrap().ended().await, Some(Terminal::Replied));
    assert_eq!(due(&bot).await.len(), 1);
    // Whoever gives up meanwhile leaves nothing behind.
    drop(begin());
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.says([text("Again.")]);
    assert_eq!(begin().await.unwrap().ended().await, Some(Terminal::Replied));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_failed_is_begun_by_its_schedule_alone() {
    let bot = Bot::with(&plain()).await;
    bot.says([serde_json::from_str(r#"{"error": "overloaded"}"#).unwrap()]);
    let turn = bot.engine.run_schedule("hourly", Actor::Cli).await.unwrap();
    let number = turn.id;
    assert!(matches!(turn.ended().await, Some(Terminal::Failed { .. })));
    let again = bot.engine.run_again(number, Actor::Console).await;
    assert!(again.is_err_and(|error| error.to_string().ends_with("run the schedule")));
}

#[tokio::test(start_paused = true)]
async fn one_runs_once_at_a_time() {
    let bot = Bot::with(&patient()).await;
    bot.says([Act::Stall(5_400_000).into(), text("At last.")]);
    pass(60 * 2 + 1).await;
    assert_eq!(due(&bot).await.len(), 1);
    assert_eq!(skips(&bot).await, [ScheduleSkip::StillRunning]);
}

#[test]
fn what_was_missed_while_no_process_ran_is_one_late_run() {
    let world = killed(async {
        let bot = Bot::with(&plain()).await;
        pass(61).await;
        assert_eq!(due(&bot).await.len(), 1);
        bot
    });
    runtime().block_on(async {
        // The clock of the world goes on from where the runtime is: half a day later.
        let mut world = world;
        world.clock = TokioClock::at(at(12).plus(Duration::from_mins(5)));
        let bot = Bot::answering(world, &plain(), Rules::all(), [text("Late.")]).await;
        pass(1).await;
        let began = due(&bot).await;
        assert_eq!(began.len(), 2, "it does not run again for 01:00");
        assert_eq!((began[1].due, began[1].late, began[1].missed), (at(12), true, 10));
        bot.check().await;
    });
}

/// Stopped shortly before the time and started shortly after it: that is late, too.
#[test]
fn a_time_before_the_start_is_late_however_short_the_stop_was() {
    let world = killed(async {
        let bot = Bot::with(&plain()).await;
        tokio::time::sleep(Duration::from_secs(3_592)).await;
        bot
    });
    runtime().block_on(async {
        let mut world = world;
        world.clock = TokioClock::at(at(1).plus(Duration::from_secs(20)));
        let bot = Bot::answering(world, &plain(), Rules::all(), [text("Late.")]).await;
        pass(1).await;
        let began = due(&bot).await;
        assert_eq!((began[0].due, began[0].late, began[0].missed), (at(1), true, 0));
    });
}

/// No message said what a schedule sets for its turn.
#[tokio::test(start_paused = true)]
async fn what_a_schedule_sets_is_told_as_its_own() {
    let bot = Bot::with(&hourly("prompt = \"What is new?\"\nmodel = \"small\"")).await;
    bot.says([text("Nothing."), Act::Stall(60_000).into()]);
    let _turn = bot.user(platform::TELEGRAM, "hello").await;
    bot.says([text("News.")]);
    pass(61).await;
    let told: Vec<_> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::SettingsResolved { settings } => Some(settings),
            _ => None,
        })
        .flatten()
        .map(|set| format!("{} = {} ({})", set.setting, set.value, set.source))
        .collect();
    for wanted in ["model = small (schedule)", "queue.mode = followup (schedule)"] {
        assert!(told.iter().any(|set| set == wanted), "{wanted}: {told:?}");
    }
    assert!(!told.iter().any(|set| set.contains("inline")), "{told:?}");
}

#[test]
fn a_kill_between_due_and_run_neither_doubles_nor_loses_it() {
    let world = killed(async {
        let bot = Bot::with(&patient()).await;
        // Alice's run goes on, so that the schedule's turn waits behind it.
        bot.says([Act::Stall(36_000_000).into()]);
        let _turn = bot.user(platform::TELEGRAM, "hello").await;
        pass(61).await;
        assert_eq!(due(&bot).await.len(), 1);
        bot
    });
    runtime().block_on(async {
        let mut world = world;
        world.clock = TokioClock::at(at(1).plus(Duration::from_mins(30)));
        let bot = Bot::answering(world, &plain(), Rules::all(), [text("Here it is.")]).await;
        pass(1).await;
        assert_eq!(due(&bot).await.len(), 1, "the journal has it as due");
        assert!(bot.screen(platform::TELEGRAM).contains(&"Here it is.".to_owned()));
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_new_time_is_not_made_up_for() {
    let bot = Bot::with(&plain()).await;
    pass(61).await;
    let mut world = bot.into_world();
    world.clock = TokioClock::at(at(5).plus(Duration::from_mins(30)));
    let other = plain().replace("1h", "2h");
    let bot = Bot::in_world(world, &other, Rules::all()).await;
    pass(10).await;
    assert_eq!(due(&bot).await.len(), 1);
    assert!(
        bot.engine
            .channels()
            .channel(&ChannelId::new("telegram"))
            .is_some()
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_schedule_answers_and_reacts_to_no_message() {
    let bot = Bot::with(&plain()).await;
    bot.says([text(
        "[[reply_to_current]]<actions><react emoji=\"thumbsup\"/></actions>Hi.",
    )]);
    pass(61).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["Hi."]);
    bot.check().await;
}

/// How often a conversation began anew.
async fn resets(bot: &Bot) -> usize {
    let kinds = bot.kinds().await;
    let is_reset = |kind: &&Kind| matches!(kind, Kind::SessionReset { .. });
    kinds.iter().filter(is_reset).count()
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_keeps_no_conversation_from_ending() {
    let bot = Bot::with(&(hourly("heartbeat = true") + "[session.reset]\nidle = \"90m\"\n")).await;
    bot.says([text("Hello.")]);
    bot.turn(platform::TELEGRAM, "hi").await;
    for _ in 0..3 {
        bot.says([text("HEARTBEAT_OK")]);
        pass(60).await;
    }
    assert_eq!(resets(&bot).await, 0);
    bot.says([text("Again.")]);
    bot.turn(platform::TELEGRAM, "again").await;
    assert_eq!(resets(&bot).await, 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_schedule_ends_a_conversation_that_is_over_and_keeps_its_own_fresh() {
    let bot = Bot::with(&(plain() + "[session.reset]\nidle = \"30m\"\n")).await;
    bot.says([text("Hello.")]);
    bot.turn(platform::TELEGRAM, "hi").await;
    bot.says([text("News.")]);
    pass(61).await;
    assert_eq!(resets(&bot).await, 1, "as the schedule began");
    bot.says([text("Again.")]);
    bot.turn(platform::TELEGRAM, "again").await;
    assert_eq!(resets(&bot).await, 1);
    bot.check().await;
}
