//! What becomes of an adapter whose run ends, fails or does not end.

use crate::desk::Desk;
use crate::stage::TestClock;
use async_trait::async_trait;
use foldback_channels::{
    Ack, Call, ChannelAdapter, LateNews, Refusal, Signal, SignalSink, Unreadable, profile,
};
use foldback_wire::{
    Actor, Attachment, Capabilities, ChannelState, ChatId, Kind, Platform, Receipt, RefusalCode, Timestamp,
    UnreadablePart,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// A stand-in that does as its script says, one line a run.
struct Scripted {
    capabilities: Capabilities,
    runs: Mutex<VecDeque<Script>>,
    told: Told,
}

/// Who waits for the losses that were told, in their order.
type Told = Arc<Mutex<Vec<oneshot::Receiver<()>>>>;

enum Script {
    Fails(RefusalCode),
    Panics,
    Stays,
    /// Tells that somebody has read a message.
    Reads,
    /// Tells of something that it could not read.
    Garbles,
    Deaf,
    Loses(u32),
}

impl Scripted {
    fn desk(runs: impl IntoIterator<Item = Script>) -> Desk {
        Self::telling(runs).0
    }

    fn telling(runs: impl IntoIterator<Item = Script>) -> (Desk, Told) {
        let told = Told::default();
        let adapter = Self {
            capabilities: profile(Platform::Telegram),
            runs: Mutex::new(runs.into_iter().collect()),
            told: Arc::clone(&told),
        };
        (Desk::with(Arc::new(adapter), TestClock::new(), true), told)
    }
}

#[async_trait]
impl ChannelAdapter for Scripted {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn run(&self, sink: SignalSink, stop: CancellationToken) -> Result<(), Refusal> {
        let script = self.runs.lock().unwrap().pop_front().unwrap_or(Script::Stays);
        match script {
            Script::Fails(code) => Err(Refusal::new(code, "as scripted")),
            Script::Panics => panic!("as scripted"),
            Script::Stays | Script::Reads | Script::Garbles | Script::Loses(_) => {
                let losses = match script {
                    Script::Loses(losses) => losses,
                    _ => 0,
                };
                for n in 1..=losses {
                    let (kept, told) = oneshot::channel();
                    self.told.lock().unwrap().push(told);
                    let undelivered = Signal::Undelivered {
                        message: format!("m{n}").into(),
                        refusal: Refusal::new(RefusalCode::Gone, "not on the platform"),
                        kept: Some(kept),
                    };
                    sink.send(undelivered).await.ok();
                }
                if matches!(script, Script::Reads) {
                    let read = Signal::Receipt {
                        message: "m1".into(),
                        receipt: Receipt::Read,
                        when: Timestamp(5),
                        kept: None,
                    };
                    sink.send(read).await.ok();
                }
                if matches!(script, Script::Garbles) {
                    let garbled = Unreadable {
                        part: "message",
                        error: "no number".into(),
                        bytes: 5_000,
                        raw: "{\"id\":".into(),
                    };
                    sink.send(Signal::Unreadable(garbled)).await.ok();
                }
                let up = Signal::State {
                    state: ChannelState::Up,
                    why: "there".into(),
                };
                sink.send(up).await.ok();
                stop.cancelled().await;
                Ok(())
            }
            Script::Deaf => {
                let up = Signal::State {
                    state: ChannelState::Up,
                    why: "there".into(),
                };
                sink.send(up).await.ok();
                std::future::pending().await
            }
        }
    }

    async fn fetch(&self, _: &ChatId, _: &Attachment, _: u64) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::new(RefusalCode::Gone, "there are no files here"))
    }

    async fn perform(&self, _: Call) -> Result<Ack, Refusal> {
        Err(Refusal::new(RefusalCode::Transient, "as scripted"))
    }
}

#[tokio::test]
async fn a_run_that_ends_is_tried_again_after_longer_and_longer_waits() {
    let failing = || Script::Fails(RefusalCode::Transient);
    let desk = Scripted::desk([failing(), failing(), Script::Panics, failing()]);
    desk.clock.jump_on_sleep();
    desk.on().await;
    let waited: Vec<_> = {
        let told = desk.told.lock().unwrap();
        told.iter()
            .filter(|d| {
                matches!(
                    d.kind,
                    Kind::ChannelState {
                        to: ChannelState::Connecting,
                        ..
                    }
                )
            })
            .map(|d| d.at)
            .collect()
    };
    assert_eq!(waited, [0, 500, 1_500, 3_500, 7_500].map(Timestamp));
    desk.off().await;
}

#[tokio::test]
async fn an_outage_begins_once_however_often_connecting_is_tried() {
    let failing = || Script::Fails(RefusalCode::Transient);
    let desk = Scripted::desk([failing(), failing(), Script::Fails(RefusalCode::Forbidden)]);
    desk.clock.jump_on_sleep();
    desk.channel.switch_on(Actor::Config, "enabled").await;
    let given_up = |status: &foldback_channels::Status| status.why.starts_with("forbidden");
    desk.channel.watch().wait_for(given_up).await.unwrap();
    assert!(
        desk.clock.elapsed() > Duration::ZERO,
        "it waited between the tries"
    );
    assert_eq!(desk.channel.status().since, Timestamp(0));
    desk.off().await;
    assert!(desk.channel.status().since > Timestamp(0));
}

#[tokio::test]
async fn a_hopeless_run_waits_for_a_person() {
    let desk = Scripted::desk([Script::Fails(RefusalCode::Forbidden)]);
    desk.clock.jump_on_sleep();
    desk.channel.switch_on(Actor::Config, "enabled").await;
    desk.reach(ChannelState::Down).await;
    assert!(desk.channel.status().why.contains("as scripted"));
    desk.off().await;
    desk.on().await;
    assert_eq!(
        desk.clock.elapsed(),
        Duration::ZERO,
        "it was not tried again in between"
    );
    desk.off().await;
}

#[tokio::test]
async fn an_adapter_that_does_not_stop_is_dropped() {
    let desk = Scripted::desk([Script::Deaf]);
    desk.on().await;
    desk.clock.jump_on_sleep();
    desk.off().await;
    assert_eq!(desk.clock.elapsed(), Duration::from_secs(5));
    let runtime = tokio::runtime::Handle::current().metrics();
    while runtime.num_alive_tasks() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_did_not_arrive_after_all_goes_on_with_its_channel() {
    let mut desk = Scripted::desk([Script::Loses(1)]);
    desk.on().await;
    let lost = desk.late.recv().await.unwrap();
    let LateNews::Undelivered(refusal) = lost.news else {
        panic!("{:?}", lost.news);
    };
    assert_eq!(
        (
            lost.channel.as_str(),
            lost.message.as_str(),
            refusal.detail.as_str()
        ),
        ("telegram", "m1", "not on the platform")
    );
    lost.kept.unwrap().send(()).unwrap();
    desk.off().await;
}

#[tokio::test]
async fn how_far_a_message_has_come_goes_on_with_its_channel() {
    let mut desk = Scripted::desk([Script::Reads]);
    desk.on().await;
    let read = desk.late.recv().await.unwrap();
    assert!(
        matches!(
            read.news,
            LateNews::Receipt {
                receipt: Receipt::Read,
                when: Timestamp(5)
            }
        ),
        "{:?}",
        read.news
    );
    assert_eq!((read.channel.as_str(), read.message.as_str()), ("telegram", "m1"));
    desk.off().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_told_of_its_channel_and_platform() {
    let desk = Scripted::desk([Script::Garbles]);
    desk.on().await;
    let unreadable = {
        let told = desk.told.lock().unwrap();
        told.iter()
            .find(|draft| matches!(draft.kind, Kind::Unreadable { .. }))
            .cloned()
            .unwrap()
    };
    assert_eq!(unreadable.channel, Some("telegram".into()));
    let expected = Kind::Unreadable(UnreadablePart {
        platform: Platform::Telegram,
        what: "message".into(),
        error: "no number".into(),
        bytes: 5_000,
        raw: "{\"id\":".into(),
    });
    assert_eq!(unreadable.kind, expected);
    desk.off().await;
}

#[tokio::test]
async fn what_finds_nobody_to_write_it_down_stays_with_its_platform() {
    let (mut desk, told) = Scripted::telling([Script::Loses(3)]);
    // They wait for nobody: the state behind them comes through.
    desk.on().await;
    let first = desk.late.recv().await.unwrap();
    assert_eq!(first.message.as_str(), "m1");
    assert!(desk.late.try_recv().is_err(), "the others found no place");
    first.kept.unwrap().send(()).unwrap();
    let (told, mut kept) = (std::mem::take(&mut *told.lock().unwrap()), Vec::new());
    for told in told {
        kept.push(told.await.is_ok());
    }
    assert_eq!(kept, [true, false, false], "the others were dropped untold");
    desk.off().await;
}
