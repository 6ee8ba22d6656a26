//! What a start takes up from the process before it: messages that waited, and turns that had begun.

use crate::bot::{Bot, EPOCH, World, killed, runtime, text};
use foldback_agents::{Act, ScriptStep};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_store::{Journal as _, OutboxEntry, Then};
use foldback_wire::{
    Actor, ChannelId, ChannelState, Draft, Event, Kind, OpId, OpKind, Operation, OutcomeCode, Target,
    Terminal, TurnId,
};
use std::time::Duration;

/// Told where a kill cut an answer off.
const INTERRUPTED: &str = "⚠️ A restart cut this answer off. Please ask again.";

fn stall(ms: u64) -> ScriptStep {
    Act::Stall(ms).into()
}

/// A bot killed while one message is answered and two wait.
async fn crowd() -> Bot {
    let bot = Bot::start().await;
    bot.says([stall(3_600_000)]);
    for words in ["1", "2", "3"] {
        let _turn = bot.user(platform::SIGNAL, words).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot
}

async fn ends(bot: &Bot) -> Vec<(TurnId, Terminal)> {
    let end = |event: foldback_wire::Event| match event.kind {
        Kind::TurnEnded { terminal } => Some((event.turn.unwrap(), terminal)),
        _ => None,
    };
    let mut ends: Vec<_> = bot.events().await.into_iter().filter_map(end).collect();
    ends.sort_by_key(|(turn, _)| *turn);
    ends
}

fn cut_off() -> Terminal {
    Terminal::Failed {
        detail: "the process ended during this turn".to_owned(),
    }
}

#[test]
fn queued_messages_survive_a_kill_and_are_answered_in_order() {
    let world = killed(crowd());
    runtime().block_on(async {
        let bot = Bot::answering(world, "", Rules::all(), [text("two"), text("three")]).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::SIGNAL), [INTERRUPTED, "two", "three"]);
        let terminals: Vec<_> = ends(&bot).await.into_iter().map(|(_, end)| end).collect();
        assert_eq!(terminals, [cut_off(), Terminal::Replied, Terminal::Replied]);
        let mut sessions = bot.kinds().await.into_iter().filter_map(|kind| match kind {
            Kind::Passed { detail, .. } if detail.contains("of session") => Some(detail),
            _ => None,
        });
        let last = sessions.next_back().unwrap();
        assert!(last.starts_with("turn 3 "), "a message counts once: {last}");
        bot.check().await;
    });
}

#[test]
fn queued_messages_survive_a_second_kill() {
    let world = killed(crowd());
    let world = killed(async {
        let bot = Bot::answering(world, "", Rules::all(), [stall(3_600_000)]).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::answering(world, "", Rules::all(), [text("three")]).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::SIGNAL), [INTERRUPTED, INTERRUPTED, "three"]);
        let terminals: Vec<_> = ends(&bot).await.into_iter().map(|(_, end)| end).collect();
        assert_eq!(terminals, [cut_off(), cut_off(), Terminal::Replied]);
        bot.check().await;
    });
}

#[test]
fn a_queued_message_whose_sender_was_shut_out_meanwhile_is_not_answered() {
    let world = killed(crowd());
    runtime().block_on(async {
        let closed = "[channels.signal]\nallow_from = [\"bob\"]\n";
        let bot = Bot::in_world(world, closed, Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(
            bot.screen(platform::SIGNAL),
            [INTERRUPTED],
            "for the one that was let in"
        );
        bot.check().await;
    });
}

/// A bot killed while its whole answer is held.
async fn held() -> Bot {
    let bot = Bot::start().await;
    bot.engine.mute(true, Actor::Console);
    bot.says([text("Once.")]);
    let _turn = bot.user(platform::SIGNAL, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot
}

#[test]
fn a_turn_whose_operations_failed_after_the_restart_has_failed() {
    let world = killed(held());
    let refused = CallFault::first(OpKind::SendText, CallFailure::Forbidden);
    world.loopbacks[&platform::SIGNAL].platform().plan(refused);
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.engine.mute(false, Actor::Console);
        tokio::time::sleep(Duration::from_secs(5)).await;
        let ends = ends(&bot).await;
        assert!(
            matches!(&ends[0].1, Terminal::Failed { detail } if detail.contains("could be delivered")),
            "{ends:?}"
        );
        bot.check().await;
    });
}

#[test]
fn a_turn_whose_operations_went_out_after_the_restart_has_replied() {
    let world = killed(held());
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.engine.mute(false, Actor::Console);
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(ends(&bot).await[0].1, Terminal::Replied);
        bot.check().await;
    });
}

/// What a person does by hand, and undoes.
async fn shut(bot: &Bot, muting: bool, shut: bool) {
    if muting {
        assert!(bot.engine.mute(shut, Actor::Console));
    } else {
        bot.toggle(platform::SIGNAL, !shut).await;
    }
}

#[test]
fn what_a_person_switched_off_stays_off_and_holds_what_is_left() {
    for muting in [true, false] {
        let mut world = killed(async {
            let bot = Bot::start().await;
            shut(&bot, muting, true).await;
            bot.says([text("Once.")]);
            bot.engine
                .submit(bot.message(platform::SIGNAL, "hi"))
                .await
                .unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
            bot
        });
        // However often it starts, and however it ends.
        for ends_in_order in [false, true] {
            world = killed(async {
                let bot = Bot::in_world(world, "", Rules::all()).await;
                tokio::time::sleep(Duration::from_secs(5)).await;
                assert!(bot.screen(platform::SIGNAL).is_empty(), "muting: {muting}");
                assert_eq!(bot.journal.outbox().await.unwrap().len(), 1);
                if ends_in_order {
                    bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
                }
                bot
            });
        }
        runtime().block_on(async {
            let bot = Bot::in_world(world, "", Rules::all()).await;
            let kinds = bot.kinds().await;
            let start = kinds
                .iter()
                .rposition(|k| matches!(k, Kind::Started { .. }))
                .unwrap();
            let told = |kind: &Kind| match kind {
                Kind::Muted { muted: true, by } => muting && *by == Actor::Console,
                Kind::ChannelState {
                    from: ChannelState::Off,
                    to: ChannelState::Off,
                    by,
                    why,
                } => !muting && *by == Actor::Console && why == "as a person at the console left it",
                _ => false,
            };
            assert_eq!(kinds[start..].iter().filter(|kind| told(kind)).count(), 1);
            shut(&bot, muting, false).await;
            tokio::time::sleep(Duration::from_secs(5)).await;
            assert_eq!(bot.screen(platform::SIGNAL), ["Once."]);
            bot.check().await;
        });
    }
}

#[test]
fn a_channel_that_a_process_switched_off_when_it_ended_is_on_at_the_next_start() {
    let world = killed(async {
        let bot = Bot::start().await;
        shut(&bot, true, true).await;
        shut(&bot, true, false).await;
        shut(&bot, false, true).await;
        shut(&bot, false, false).await;
        bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.says([text("Here.")]);
        assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
        assert_eq!(bot.screen(platform::SIGNAL), ["Here."]);
    });
}

#[test]
fn a_real_channel_that_is_armed_by_its_configuration_is_told_at_every_start() {
    use foldback_pipeline::{Engine, config::ChannelKind};
    runtime().block_on(async {
        let agent = std::sync::Arc::new(foldback_agents::ScriptAgent::new(std::sync::Arc::new(
            foldback_pipeline::TokioClock::at(EPOCH),
        )));
        let world = World::new();
        let mut parts = crate::bot::parts(&world, "", Rules::all(), agent);
        let mut config = (*parts.config).clone();
        let real = config.channels.get_mut(&ChannelId::new("telegram")).unwrap();
        real.kind = ChannelKind::from_code("telegram");
        parts.config = std::sync::Arc::new(config);
        Engine::start(parts).await.unwrap();
        let events = world.journal.read(foldback_wire::Seq(1), 1_000).await.unwrap();
        let armed = events.into_iter().filter_map(|event| match event.kind {
            Kind::Armed { armed, by } => Some((event.channel.unwrap().to_string(), armed, by)),
            _ => None,
        });
        assert_eq!(
            armed.collect::<Vec<_>>(),
            [("telegram".to_owned(), true, Actor::Config)],
            "simulated channels act on nobody's phone"
        );
    });
}

/// A bot killed while the agent thinks, with its placeholder on the screen.
async fn thinking() -> Bot {
    let bot = Bot::with("[output]\nplaceholder = \"…\"\nallow_targets = [\"slack:c1\"]\n").await;
    bot.says([stall(3_600_000)]);
    let _turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot
}

/// Puts an operation of the only turn into the outbox, as the earlier process would have.
async fn leave(world: &World, op: u64, channel: &str, live: bool) {
    let events = world.journal.read(foldback_wire::Seq(1), 1_000).await.unwrap();
    let session = events.iter().find_map(|event| event.session.clone()).unwrap();
    let turn = events.iter().find_map(|event| event.turn).unwrap();
    let target = Target {
        chat: "c1".into(),
        thread: None,
    };
    let entry = OutboxEntry {
        op: OpId(op),
        turn,
        session: session.clone(),
        channel: channel.into(),
        target: target.clone(),
        operation: Operation::SendText {
            text: "left".to_owned(),
            reply_to: None,
            flags: foldback_wire::MessageFlags::default(),
        },
        key: format!("fb-left-{op}"),
        at: EPOCH,
        in_flight: false,
        dry_run: false,
        live,
        not_before: None,
        part_of: None,
        since: None,
        then: Then::default(),
    };
    let intent = serde_json::json!({"kind": OpKind::SendText, "target": target, "live": live});
    let intended = Draft {
        at: EPOCH,
        turn: Some(turn),
        session: Some(session),
        channel: Some(channel.into()),
        kind: Kind::Intended {
            op: entry.op,
            intent: serde_json::from_value(intent).unwrap(),
        },
    };
    world.journal.intend(entry, vec![intended]).await.unwrap();
}

#[test]
fn a_live_frame_is_not_sent_after_a_restart_and_a_placeholder_goes() {
    let world = killed(thinking());
    runtime().block_on(async {
        leave(&world, 900, "telegram", true).await;
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::TELEGRAM), [INTERRUPTED], "nothing else is sent");
        let cancelled = |kind: &Kind| {
            matches!(kind, Kind::Ended { op: OpId(900), outcome } if outcome.code == OutcomeCode::Cancelled)
        };
        let kinds = bot.kinds().await;
        assert!(kinds.iter().any(cancelled));
        bot.check().await;
    });
}

#[test]
fn what_a_turn_sends_to_another_channel_does_not_move_the_turn_there() {
    let world = killed(thinking());
    runtime().block_on(async {
        leave(&world, 900, "slack", false).await;
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::SLACK), ["left"]);
        let events = bot.events().await;
        let channel_of = |wanted: fn(&Kind) -> bool| -> Option<ChannelId> {
            let found = |event: &&Event| event.turn.is_some() && wanted(&event.kind);
            events
                .iter()
                .rev()
                .find(found)
                .and_then(|event| event.channel.clone())
        };
        let end = channel_of(|kind| matches!(kind, Kind::TurnEnded { .. }));
        assert_eq!(end, Some("telegram".into()), "the turn's own");
        let sent = channel_of(|kind| matches!(kind, Kind::Ended { op: OpId(900), .. }));
        assert_eq!(sent, Some("slack".into()), "the operation's");
        bot.check().await;
    });
}

/// The conversation that Alice's turns are of, as it is stored.
async fn stored(bot: &Bot) -> foldback_store::SessionRecord {
    let events = bot.events().await;
    let session = events.iter().find_map(|event| event.session.clone()).unwrap();
    bot.journal.session(&session).await.unwrap().unwrap()
}

#[test]
fn what_a_waiting_message_set_is_not_set_again_after_a_kill() {
    let world = killed(async {
        let bot = Bot::start().await;
        bot.says([stall(3_600_000)]);
        for words in ["slow please", "/new hello"] {
            let _turn = bot.user(platform::SIGNAL, words).await;
        }
        assert_eq!(
            bot.turn(platform::SIGNAL, "/think high").await,
            Terminal::DirectiveAck
        );
        let _turn = bot.user(platform::SIGNAL, "/model a/b --session hi").await;
        assert_eq!(
            bot.turn(platform::SIGNAL, "/model c/d").await,
            Terminal::DirectiveAck
        );
        bot
    });
    runtime().block_on(async {
        let bot = Bot::answering(world, "", Rules::all(), [text("hello"), text("hi")]).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(
            bot.screen(platform::SIGNAL).last().map(String::as_str),
            Some("hi")
        );
        let resets = bot.kinds().await;
        let resets = resets
            .iter()
            .filter(|kind| matches!(kind, Kind::SessionReset { .. }));
        assert_eq!(resets.count(), 1, "by the first process");
        let settings = stored(&bot).await.settings.written();
        let acknowledged = [("think", "high".to_owned()), ("model", "c/d".to_owned())];
        assert_eq!(settings, acknowledged);
        bot.check().await;
    });
}
