//! Front ends that answer in a platform's place, and turns of which nobody knows whether all of it arrived.

use crate::bot::{Bot, killed, later, runtime, text};
use async_trait::async_trait;
use foldback_channels::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Loopback, Refusal, platform,
    sim::{CallFailure, CallFault},
};
use foldback_pipeline::Rules;
use foldback_wire::{Attachment, Capabilities, ChatId, OpKind, OutcomeCode, RefusalCode, Terminal};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

/// A platform behind a front end that passes the first calls on to nobody.
struct FrontEnd {
    platform: Arc<Loopback>,
    /// The calls that it refuses.
    of: OpKind,
    refuses: AtomicU32,
}

#[async_trait]
impl ChannelAdapter for FrontEnd {
    fn capabilities(&self) -> &Capabilities {
        self.platform.capabilities()
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.platform.connect(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        let refuses = |left: u32| left.checked_sub(1);
        let refused = call.operation.kind() == self.of
            && self
                .refuses
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, refuses)
                .is_ok();
        if refused {
            return Err(Refusal {
                by_front_end: true,
                ..Refusal::new(RefusalCode::Transient, "it answered 502 without a word").or_done()
            });
        }
        self.platform.perform(call).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.platform.fetch(chat, file, limit).await
    }
}

/// A bot on Signal behind such a front end, without typing, once it has answered.
async fn answered(settings: &str, refuses: u32) -> (Bot, Terminal) {
    let settings = format!("[typing]\nenabled = false\n{settings}");
    let front = |platform| FrontEnd {
        platform,
        of: OpKind::SendText,
        refuses: AtomicU32::new(refuses),
    };
    let bot = Bot::through(platform::SIGNAL, &settings, front).await;
    bot.says([text("Here I am.")]);
    let terminal = bot.turn(platform::SIGNAL, "hi").await;
    bot.check().await;
    (bot, terminal)
}

#[tokio::test(start_paused = true)]
async fn what_a_front_end_refused_is_sent_again() {
    let (bot, terminal) = answered("", 2).await;
    assert_eq!(terminal, Terminal::Replied);
    assert_eq!(bot.screen(platform::SIGNAL), ["Here I am."]);
    assert_eq!(bot.outcomes().await[0].1.attempts, 3);
}

#[tokio::test(start_paused = true)]
async fn what_a_front_end_refused_is_unknown_where_it_is_not_to_be_sent_twice() {
    let (bot, terminal) = answered("[outbox]\ngateway_errors = \"unknown\"\n", 1).await;
    let detail = "it answered 502 without a word".to_owned();
    assert_eq!(terminal, Terminal::Unknown { detail });
    assert!(bot.screen(platform::SIGNAL).is_empty());
    assert_eq!(bot.outcomes().await[0].1.code, OutcomeCode::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_front_end_that_lets_nothing_through_makes_a_dead_letter() {
    let (bot, terminal) = answered("", 99).await;
    assert!(matches!(terminal, Terminal::Failed { .. }), "{terminal}");
    assert_eq!(bot.outcomes().await[0].1.code, OutcomeCode::Failed);
}

/// The platform may have a live edit that a front end gave up on, and make it behind the final one.
#[tokio::test(start_paused = true)]
async fn a_final_text_is_confirmed_after_a_live_edit_that_a_front_end_refused() {
    let front = |platform| FrontEnd {
        platform,
        of: OpKind::EditText,
        refuses: AtomicU32::new(1),
    };
    let bot = Bot::through(platform::TELEGRAM, "", front).await;
    bot.says([text("one"), later(3_000, " two"), later(100, " three")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
    let unknown = bot.outcomes().await.into_iter();
    let unknown = unknown.filter(|(_, outcome)| outcome.code == OutcomeCode::Unknown);
    assert_eq!(unknown.count(), 1, "the live edit");
    let edits = bot.calls(platform::TELEGRAM, OpKind::EditText).len();
    assert_eq!(edits, 2, "the final text, and the same once more");
    bot.check().await;
}

#[test]
fn a_turn_in_doubt_ends_as_unknown_and_its_message_is_not_answered_again_after_a_restart() {
    let first = runtime();
    let (world, message) = first.block_on(async {
        let bot = Bot::start().await;
        let lost = CallFault::first(OpKind::SendText, CallFailure::LostAck);
        bot.fault(platform::SIGNAL, lost);
        bot.says([text("Once.")]);
        let message = bot.message(platform::SIGNAL, "hi");
        let turn = bot.engine.submit(message.clone()).await.unwrap();
        let ended = turn.ended().await.unwrap();
        assert!(matches!(ended, Terminal::Unknown { .. }), "{ended}");
        (bot.into_world(), message)
    });
    drop(first);
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        let again = bot.engine.submit(message).await.unwrap();
        assert_eq!(again.ended().await, Some(Terminal::Duplicate));
        assert_eq!(bot.screen(platform::SIGNAL), ["Once."]);
    });
}

#[test]
fn a_turn_whose_call_a_kill_cut_off_ends_as_unknown() {
    let world = killed(async {
        let bot = Bot::start().await;
        let slow = crate::bot::slow(OpKind::SendText, std::time::Duration::from_secs(1));
        bot.fault(platform::SIGNAL, slow);
        bot.says([text("Once.")]);
        let _turn = bot.user(platform::SIGNAL, "hi").await;
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(std::time::Duration::from_secs(5)).await;
        let ended = bot.terminals().await;
        assert!(matches!(ended[..], [Terminal::Unknown { .. }]), "{ended:?}");
        bot.check().await;
    });
}
