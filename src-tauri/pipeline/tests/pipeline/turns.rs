//! A turn whose agent fails, hangs or is stopped, and what waits for a turn meanwhile.

use crate::bot::{Bot, World, called, later, text};
use async_trait::async_trait;
use foldback_agents::{Act, Agent, AgentEvent, ScriptAgent, ScriptStep, Step, StepSink, TurnRequest};
use foldback_channels::platform;
use foldback_pipeline::Rules;
use foldback_wire::{Actor, Gate, Kind, OpKind, Terminal, ToolStatus};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

fn stall(ms: u64) -> ScriptStep {
    Act::Stall(ms).into()
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_keeps_what_was_said_and_says_so() {
    let bot = Bot::start().await;
    bot.says([text("The answer is"), Act::Error("overloaded".into()).into()]);
    assert!(matches!(
        bot.turn(platform::WHATSAPP, "hi").await,
        Terminal::Failed { .. }
    ));
    let screen = bot.screen(platform::WHATSAPP);
    assert_eq!(screen.len(), 2);
    assert_eq!(screen[0], "The answer is");
    assert!(screen[1].starts_with("⚠️ The agent is overloaded"), "{screen:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_redelivery_is_a_duplicate_unless_the_turn_failed() {
    let bot = Bot::start().await;
    let message = bot.message(platform::TELEGRAM, "hi");
    let send = || async {
        bot.engine
            .submit(message.clone())
            .await
            .unwrap()
            .ended()
            .await
            .unwrap()
    };
    bot.says([Act::Error("overloaded".into()).into()]);
    assert!(matches!(send().await, Terminal::Failed { .. }));
    bot.says([text("Now.")]);
    assert_eq!(send().await, Terminal::Replied);
    assert_eq!(send().await, Terminal::Duplicate);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_second_message_waits_and_the_cap_is_recorded() {
    let bot = Bot::with("[queue]\ncap = 2\n").await;
    bot.says([later(60_000, "first")]);
    let mut turns = vec![bot.user(platform::SIGNAL, "1").await];
    for n in 2..=4 {
        if n < 4 {
            bot.says([text(&format!("answer {n}"))]);
        }
        turns.push(bot.user(platform::SIGNAL, &n.to_string()).await);
    }
    let mut ends = Vec::new();
    for turn in turns {
        ends.push(turn.ended().await.unwrap());
    }
    let full = Terminal::Blocked {
        gate: Gate::QueueFull,
    };
    assert_eq!(
        ends,
        [Terminal::Replied, Terminal::Replied, Terminal::Replied, full]
    );
    assert_eq!(bot.screen(platform::SIGNAL), ["first", "answer 2", "answer 3"]);
    let dequeued = bot
        .kinds()
        .await
        .into_iter()
        .filter(|k| matches!(k, Kind::Dequeued { waited_ms } if *waited_ms >= 60_000));
    assert_eq!(dequeued.count(), 2);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_hung_agent_blocks_its_own_conversation_only_and_fails_in_the_end() {
    let bot = Bot::start().await;
    bot.says([text("I think"), stall(3_600_000)]);
    let hung = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.says([text("Quick.")]);
    assert_eq!(bot.turn(platform::DISCORD, "hi").await, Terminal::Replied);
    assert!(bot.now_ms() < 10_000);
    assert!(matches!(hung.ended().await, Some(Terminal::Failed { .. })));
    assert!((300_000..330_000).contains(&bot.now_ms()), "{}", bot.now_ms());
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["I think", "⚠️ The agent did not answer in time."]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_runs_is_no_silence_and_what_follows_it_is() {
    for begun in [ToolStatus::Pending, ToolStatus::Running] {
        let bot = Bot::with("[agent]\nidle_timeout = \"1m\"\n").await;
        bot.says([
            called("t", begun),
            stall(600_000),
            called("t", ToolStatus::Completed),
            text("Built."),
            stall(120_000),
            text("never"),
        ]);
        assert!(matches!(
            bot.turn(platform::TELEGRAM, "hi").await,
            Terminal::Failed { .. }
        ));
        assert!((660_000..670_000).contains(&bot.now_ms()), "{}", bot.now_ms());
        let expected = ["Built.", "⚠️ The agent did not answer in time."];
        assert_eq!(bot.screen(platform::TELEGRAM), expected);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn typing_is_shown_until_the_turn_is_over_and_not_to_a_dead_agent() {
    let bot = Bot::start().await;
    bot.says([later(20_000, "done")]);
    bot.turn(platform::TELEGRAM, "hi").await;
    // At 0, 6, 12 and 18 seconds.
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::Typing).len(), 4);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::Typing).len(), 4);
    bot.says([stall(290_000), text("late")]);
    bot.turn(platform::WHATSAPP, "hi").await;
    // At 0, 6, … 114 seconds, then nothing until the agent comes back after two silent minutes and more.
    assert_eq!(bot.calls(platform::WHATSAPP, OpKind::Typing).len(), 21);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_delivers_what_it_said() {
    let bot = Bot::start().await;
    bot.says([text("So far"), stall(100_000)]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(bot.engine.cancel(turn.id, Actor::Console).unwrap());
    let id = turn.id;
    assert!(matches!(turn.ended().await, Some(Terminal::Failed { detail }) if detail.contains("cancelled")));
    assert_eq!(bot.screen(platform::TELEGRAM), ["So far", "⏹️ Stopped."]);
    assert!(!bot.engine.cancel(id, Actor::Console).unwrap());
    bot.check().await;
}

/// An agent that says nothing, and takes its time to stop once it is told to.
#[derive(Default)]
struct Mute {
    takes: Duration,
    /// It saw that it was cancelled, and had told its backend.
    told: Mutex<(bool, bool)>,
}

#[async_trait]
impl Agent for Mute {
    fn backend(&self) -> &'static str {
        "mute"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        cancel.cancelled().await;
        self.told.lock().unwrap().0 = true;
        let step = Step::Text {
            message: None,
            text: "late".to_owned(),
        };
        let run = request.run;
        sink.send(AgentEvent { run, step }).await.unwrap();
        tokio::time::sleep(self.takes).await;
        self.told.lock().unwrap().1 = true;
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_agent_is_told_to_stop_and_has_a_moment_for_it() {
    for (takes, told, ms) in [(1_000, true, 61_000), (60_000, false, 65_000)] {
        let takes = Duration::from_millis(takes);
        let mute = Arc::new(Mute {
            takes,
            ..Mute::default()
        });
        let world = World::new();
        let script = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        let config = "[agent]\nidle_timeout = \"1m\"\n";
        let bot = Bot::behind(world, config, Rules::all(), script, mute.clone()).await;
        assert!(matches!(
            bot.turn(platform::TELEGRAM, "hi").await,
            Terminal::Failed { .. }
        ));
        assert_eq!(*mute.told.lock().unwrap(), (true, told));
        assert!((ms..ms + 1_000).contains(&bot.now_ms()), "{}", bot.now_ms());
        assert_eq!(
            bot.screen(platform::TELEGRAM),
            ["⚠️ The agent did not answer in time."]
        );
        tokio::time::sleep(Duration::from_mins(5)).await;
        assert_eq!(mute.told.lock().unwrap().1, told, "it is not left behind");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_runs_go_on_at_once_than_may_and_the_others_wait_in_order() {
    let bot = Bot::with("[agent]\nmax_runs = 2\n").await;
    let mut turns = Vec::new();
    for (n, platform) in platform::ALL.iter().enumerate() {
        bot.says([later(60_000, &format!("answer {n}"))]);
        turns.push(bot.user(*platform, "hi").await);
    }
    // The channel of the first answer is off: what is held keeps no other from running.
    let held = platform::ALL[0];
    bot.toggle(held, false).await;
    for turn in turns.split_off(1) {
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
    }
    for (n, platform) in platform::ALL.iter().enumerate().skip(1) {
        assert_eq!(bot.screen(*platform), [format!("answer {n}")]);
    }
    let minutes = bot.now_ms() / 60_000;
    assert_eq!(minutes, platform::ALL.len().div_ceil(2) as u64, "two at a time");
    let waited: Vec<_> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::Queued { position, runs, .. } => Some((position, runs)),
            _ => None,
        })
        .collect();
    // All but the two that run at once.
    let others = (1..=platform::ALL.len() - 2).map(|position| (u32::try_from(position).unwrap(), Some(2)));
    assert_eq!(waited, others.collect::<Vec<_>>());
    bot.toggle(held, true).await;
    let first = turns.remove(0).ended().await;
    assert_eq!(first, Some(Terminal::Replied));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_a_run_can_be_dropped_and_is_taken_up_by_the_next_start() {
    let bot = Bot::with("[agent]\nmax_runs = 1\n").await;
    bot.says([later(60_000, "one")]);
    let first = bot.user(platform::SLACK, "hi").await;
    let dropped = bot.user(platform::SIGNAL, "hi").await;
    let waits = bot.user(platform::DISCORD, "hi").await;
    // The first one is given to the agent before the end, so that no later process asks it anew.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let session = bot
        .events()
        .await
        .into_iter()
        .find(|event| event.turn == Some(dropped.id) && event.session.is_some())
        .and_then(|event| event.session)
        .unwrap();
    bot.engine.drop_waiting(&session, None, &Actor::Console).unwrap();
    assert_eq!(dropped.ended().await, Some(Terminal::Dropped));
    bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
    drop(first);
    assert_eq!(waits.ended().await, None, "it stays open");

    let world = bot.into_world();
    let bot = Bot::answering(world, "[agent]\nmax_runs = 1\n", Rules::all(), [text("two")]).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(bot.screen(platform::DISCORD), ["two"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn one_sender_gets_so_many_turns_a_minute() {
    let bot = Bot::with("[queue]\nper_sender = 2\n").await;
    let mut ends = Vec::new();
    for n in 1..=3 {
        bot.says([text(&format!("answer {n}"))]);
        ends.push(bot.turn(platform::SLACK, "hi").await);
    }
    let gate = Gate::SenderLimit;
    assert_eq!(
        ends,
        [Terminal::Replied, Terminal::Replied, Terminal::Blocked { gate }]
    );
    assert_eq!(bot.turn(platform::DISCORD, "hi").await, Terminal::Replied);
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot.says([text("again")]);
    assert_eq!(bot.turn(platform::SLACK, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SLACK), ["answer 1", "answer 2", "again"]);
    bot.check().await;
}
