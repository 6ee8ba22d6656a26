//! The agent's own sessions behind conversations, and what an operator does to a conversation.

use crate::bot::{Bot, World, called, killed, runtime, slow, text};
use foldback_agents::{
    Act, Api, Fallback, HttpAgent, HttpConfig, ScriptAgent, ScriptStep, SessionStep,
    strict_server::{Insists, Reply, StrictServer},
};
use foldback_channels::platform;
use foldback_pipeline::{Rules, SeededRng};
use foldback_wire::{
    Actor, Gate, Kind, OpKind, Platform, RunActivity, SessionId, SessionStart, Terminal, ToolStatus,
};
use std::{sync::Arc, time::Duration};

const PLATFORM: Platform = platform::SIGNAL;

fn keeps(id: &str) -> ScriptStep {
    let session = SessionStep {
        id: id.to_owned(),
        start: None,
        detail: String::new(),
    };
    Act::Session(session).into()
}

fn stall(ms: u64) -> ScriptStep {
    Act::Stall(ms).into()
}

fn session() -> SessionId {
    "signal:c1".into()
}

/// How each run came to its session.
async fn starts(bot: &Bot) -> Vec<(String, SessionStart)> {
    let told = |kind: Kind| match kind {
        Kind::AgentSession { id, start, .. } => Some((id, start)),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(told).collect()
}

fn told(id: &str, start: SessionStart) -> (String, SessionStart) {
    (id.to_owned(), start)
}

#[tokio::test(start_paused = true)]
async fn what_a_person_wrote_and_what_the_gates_said_of_it_belong_to_the_session() {
    for settings in [
        "",
        "[store]\nkeep_unaddressed = true\n",
        "[queue]\nper_sender = 1\n",
    ] {
        let bot = Bot::with(settings).await;
        for _ in 0..3 {
            bot.says([text("Hello.")]);
        }
        let turns = [bot.message(PLATFORM, "one"), bot.message(PLATFORM, "two")];
        for message in turns {
            let turn = bot.engine.submit(message).await.unwrap();
            turn.ended().await.unwrap();
        }
        let events = bot.events().await;
        let of_turns: Vec<_> = events.iter().filter(|event| event.turn.is_some()).collect();
        assert!(of_turns.len() > 20);
        for event in of_turns {
            assert_eq!(event.session, Some(session()), "{settings} {event:?}");
        }
    }
}

#[test]
fn the_agent_gets_its_session_back_also_after_a_kill() {
    let world = killed(async {
        let bot = Bot::start().await;
        for _ in 0..2 {
            bot.says([keeps("s-1"), text("Hello.")]);
            bot.turn(PLATFORM, "hi").await;
        }
        // Another conversation has one of its own.
        bot.says([keeps("t-1"), text("Hello.")]);
        bot.turn(platform::SLACK, "hi").await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.says([keeps("s-1"), text("Again.")]);
        bot.turn(PLATFORM, "hi").await;
        let expected = [
            told("s-1", SessionStart::New),
            told("s-1", SessionStart::Resumed),
            told("t-1", SessionStart::New),
            told("s-1", SessionStart::Resumed),
        ];
        assert_eq!(starts(&bot).await, expected);
        let line = bot.engine.session(&session()).await.unwrap().unwrap();
        assert_eq!((line.turns, line.sender.as_str()), (3, "Alice"));
        assert_eq!(line.agents[0].id, "s-1");
        let all = bot.engine.sessions(9).await.unwrap();
        let keys: Vec<_> = all.sessions.iter().map(|line| line.session.as_str()).collect();
        assert_eq!((keys, all.total), (vec!["signal:c1", "slack:c1"], 2));
        bot.check().await;
    });
}

/// One that steps in keeps its session beside the first one's, and gets it back the next time.
#[tokio::test(start_paused = true)]
async fn who_steps_in_gets_its_own_session_back() {
    let server = StrictServer::start(Insists::on(Api::Letta, "agent-1"))
        .await
        .unwrap();
    let world = World::new();
    let clock = Arc::new(world.clock);
    let first = Arc::new(ScriptAgent::new(clock.clone()));
    let mut config = HttpConfig::new(server.base_url(), "agent-1");
    // Virtual time also passes while bytes are on their way.
    config.timeouts.first_byte = Duration::from_hours(1);
    let second = HttpAgent::new(Api::Letta, config, clock, Arc::new(SeededRng::new(1))).unwrap();
    let chain = Fallback::new(first.clone(), vec![Arc::new(second)]);
    let config = "[agent]\nidle_timeout = \"1h\"";
    let bot = Bot::behind(world, config, Rules::all(), first, Arc::new(chain)).await;
    for _ in 0..2 {
        bot.says([keeps("s-1"), Act::Error("overloaded".to_owned()).into()]);
        server.reply(Reply::events([
            r#"{"message_type":"assistant_message","id":"1","content":"Hello."}"#,
            r#"{"message_type":"stop_reason","stop_reason":"end_turn"}"#,
        ]));
        assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    }
    let expected = [
        told("s-1", SessionStart::New),
        told("agent-1", SessionStart::New),
        told("s-1", SessionStart::Resumed),
        told("agent-1", SessionStart::Resumed),
    ];
    assert_eq!(starts(&bot).await, expected);
    let line = bot.engine.session(&session()).await.unwrap().unwrap();
    let mut kept: Vec<_> = line
        .agents
        .iter()
        .map(|kept| (kept.backend.as_str(), kept.id.as_str()))
        .collect();
    kept.sort_unstable();
    assert_eq!(kept, [("letta", "agent-1"), ("script", "s-1")]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_lost_conversation_is_told_once_and_only_where_the_setting_wants_it() {
    for (config, notices) in [("", 1), ("[session]\ntell_lost = false\n", 0)] {
        let bot = Bot::with(config).await;
        for id in ["s-1", "s-2", "s-2"] {
            bot.says([keeps(id), text(id)]);
            bot.turn(PLATFORM, "hi").await;
        }
        let expected = [
            told("s-1", SessionStart::New),
            told("s-2", SessionStart::Lost),
            told("s-2", SessionStart::Resumed),
        ];
        assert_eq!(starts(&bot).await, expected);
        let screen = bot.screen(PLATFORM);
        let told = |text: &&String| text.contains("A new conversation begins");
        assert_eq!(screen.iter().filter(told).count(), notices, "{screen:?}");
        assert_eq!(screen.len(), 3 + notices);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_notice_is_no_answer() {
    let bot = Bot::start().await;
    bot.says([keeps("s-1"), text("Hello.")]);
    bot.turn(PLATFORM, "hi").await;
    bot.says([keeps("s-2"), text("NO_REPLY")]);
    let end = bot.turn(PLATFORM, "hi").await;
    assert!(matches!(end, Terminal::Silent { .. }), "{end:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_reset_conversation_begins_anew_also_when_its_run_goes_on() {
    let bot = Bot::start().await;
    bot.says([keeps("s-1"), text("Hello.")]);
    bot.turn(PLATFORM, "hi").await;
    bot.says([stall(1_000), keeps("s-1"), text("Still here.")]);
    let turn = bot.user(PLATFORM, "hi").await;
    tokio::time::sleep(Duration::from_millis(10)).await;
    bot.engine
        .reset_session(&session(), Actor::Console)
        .await
        .unwrap();
    turn.ended().await;
    let line = bot.engine.session(&session()).await.unwrap().unwrap();
    assert_eq!(line.agents, [], "what a run from before says is not kept");
    bot.says([keeps("s-2"), text("Hello again.")]);
    bot.turn(PLATFORM, "hi").await;
    assert_eq!(starts(&bot).await.last(), Some(&told("s-2", SessionStart::New)));
    let reset = |kind: &Kind| matches!(kind, Kind::SessionReset { by: Actor::Console, agent: Some(id), .. } if id == "s-1");
    assert_eq!(bot.kinds().await.iter().filter(|kind| reset(kind)).count(), 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_person_stops_what_runs_and_drops_what_waits() {
    let bot = Bot::start().await;
    bot.says([text("Hm."), called("t1", ToolStatus::Running), stall(100_000)]);
    let first = bot.user(PLATFORM, "1").await;
    let second = bot.user(PLATFORM, "2").await;
    let third = bot.user(PLATFORM, "3").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let line = bot.engine.session(&session()).await.unwrap().unwrap();
    assert_eq!(line.waiting, [second.id, third.id]);
    let running = line.running.unwrap();
    assert_eq!((running.turn, running.doing), (first.id, RunActivity::Tool));
    assert_eq!(
        bot.engine
            .drop_waiting(&session(), None, &Actor::Console)
            .unwrap(),
        2
    );
    for turn in [second, third] {
        assert_eq!(turn.ended().await, Some(Terminal::Dropped));
    }
    assert!(
        bot.engine
            .cancel_session(&session(), None, &Actor::Console)
            .unwrap()
    );
    assert!(matches!(first.ended().await, Some(Terminal::Failed { .. })));
    assert!(
        !bot.engine
            .cancel_session(&session(), None, &Actor::Console)
            .unwrap()
    );
    let dropped = |kind: &Kind| {
        matches!(kind, Kind::Stopping { gate: Gate::Dropped, inputs, .. }
            if inputs.get("by").is_some_and(|by| by == "a person at the console"))
    };
    assert_eq!(bot.kinds().await.iter().filter(|kind| dropped(kind)).count(), 2);
    let line = bot.engine.session(&session()).await.unwrap().unwrap();
    assert_eq!((line.running, line.waiting), (None, vec![]));
    bot.check().await;
}

/// The agent is done; whoever would stop it then is told that nothing was.
#[tokio::test(start_paused = true)]
async fn a_turn_that_is_only_delivered_is_not_stopped() {
    let bot = Bot::start().await;
    bot.fault(PLATFORM, slow(OpKind::SendText, Duration::from_secs(9)));
    bot.says([text("Hello.")]);
    let turn = bot.user(PLATFORM, "hi").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let line = bot.engine.session(&session()).await.unwrap().unwrap();
    assert_eq!(line.running.map(|run| run.doing), Some(RunActivity::Delivering));
    assert!(!bot.engine.cancel(turn.id, Actor::Console).unwrap());
    assert!(
        !bot.engine
            .cancel_session(&session(), None, &Actor::Console)
            .unwrap()
    );
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let told = |kind: &Kind| matches!(kind, Kind::RunCancelled { .. });
    assert!(!bot.kinds().await.iter().any(told));
    bot.check().await;
}

/// The turn that somebody meant may be over, and the next one of the conversation in its place.
#[tokio::test(start_paused = true)]
async fn only_the_turn_that_is_named_is_stopped() {
    let bot = Bot::start().await;
    bot.says([stall(100_000)]);
    let first = bot.user(PLATFORM, "1").await;
    let second = bot.user(PLATFORM, "2").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let stop = |turn| {
        bot.engine
            .cancel_session(&session(), Some(turn), &Actor::Console)
            .unwrap()
    };
    assert!(!stop(second.id), "it waits");
    bot.says([stall(1_000), text("Two.")]);
    let meant = first.id;
    assert!(stop(meant));
    assert!(matches!(first.ended().await, Some(Terminal::Failed { .. })));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let line = bot.engine.session(&session()).await.unwrap().unwrap();
    assert_eq!(line.running.map(|run| run.turn), Some(second.id));
    assert!(!stop(meant), "another one runs");
    assert_eq!(second.ended().await, Some(Terminal::Replied));
    bot.check().await;
}

/// However many conversations were used since.
#[tokio::test(start_paused = true)]
async fn what_hangs_is_listed_first_and_counted() {
    let bot = Bot::start().await;
    bot.says([stall(3_600_000)]);
    let hung = bot.user(PLATFORM, "1").await;
    let waits = bot.user(PLATFORM, "2").await;
    for platform in [platform::SLACK, platform::TELEGRAM, platform::DISCORD] {
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot.says([text("Here.")]);
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
    }
    let list = bot.engine.sessions(2).await.unwrap();
    let keys: Vec<_> = list.sessions.iter().map(|line| line.session.as_str()).collect();
    assert_eq!(keys, ["signal:c1", "discord:c1"]);
    assert_eq!((list.total, list.running, list.waiting), (4, 1, 1));
    bot.engine
        .drop_waiting(&session(), None, &Actor::Console)
        .unwrap();
    bot.engine.cancel(hung.id, Actor::Console).unwrap();
    hung.ended().await;
    waits.ended().await;
    let list = bot.engine.sessions(2).await.unwrap();
    let keys: Vec<_> = list.sessions.iter().map(|line| line.session.as_str()).collect();
    assert_eq!(keys, ["discord:c1", "telegram:c1"]);
    assert_eq!((list.total, list.running, list.waiting), (4, 0, 0));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_hung_agent_keeps_no_other_conversation() {
    let bot = Bot::start().await;
    bot.says([stall(3_600_000)]);
    let hung = bot.user(PLATFORM, "hi").await;
    for _ in 0..50 {
        bot.says([text("Here.")]);
        assert_eq!(bot.turn(platform::SLACK, "hi").await, Terminal::Replied);
    }
    bot.engine.cancel(hung.id, Actor::Console).unwrap();
    hung.ended().await;
    bot.check().await;
}
