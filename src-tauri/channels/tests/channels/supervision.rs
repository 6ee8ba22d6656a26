//! What becomes of an adapter whose attempts end, fail or do not end.

use crate::desk::Desk;
use crate::stage::TestClock;
use async_trait::async_trait;
use foldback_channels::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, LateNews, Refusal, Signal, Unreadable, platform,
    profile,
};
use foldback_wire::{
    Actor, Attachment, Capabilities, ChannelState, ChatId, Kind, Receipt, RefusalCode, Timestamp,
    UnreadablePart,
};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

/// A stand-in that does as its script says, one line an attempt.
struct Scripted {
    capabilities: Capabilities,
    attempts: Mutex<VecDeque<Script>>,
    told: Told,
    /// Whether it never parts.
    clings: AtomicBool,
}

/// Who waits for the losses that were told, in their order.
type Told = Arc<Mutex<Vec<oneshot::Receiver<()>>>>;

enum Script {
    Lost,
    Refused(RefusalCode),
    Panics,
    Stays,
    /// Tells that somebody has read a message.
    Reads,
    /// Tells of something that it could not read.
    Garbles,
    /// Tells what a person should know.
    Warns,
    /// Stays, and never parts.
    Clings,
    Loses(u32),
}

impl Scripted {
    fn desk(attempts: impl IntoIterator<Item = Script>) -> Desk {
        Self::telling(attempts).0
    }

    fn telling(attempts: impl IntoIterator<Item = Script>) -> (Desk, Told) {
        let told = Told::default();
        let adapter = Self {
            capabilities: profile(platform::TELEGRAM),
            attempts: Mutex::new(attempts.into_iter().collect()),
            clings: AtomicBool::default(),
            told: Arc::clone(&told),
        };
        (Desk::with(Arc::new(adapter), TestClock::new(), true), told)
    }
}

impl Scripted {
    /// Says what it is to say before it is up.
    async fn tell(&self, connection: &Connection, script: Script) {
        let signal = |signal| async { connection.sink().send(signal).await.unwrap() };
        match script {
            Script::Loses(losses) => {
                for n in 1..=losses {
                    let (kept, told) = oneshot::channel();
                    self.told.lock().unwrap().push(told);
                    signal(Signal::Undelivered {
                        message: format!("m{n}").into(),
                        refusal: Refusal::new(RefusalCode::Gone, "not on the platform"),
                        kept: Some(kept),
                    })
                    .await;
                }
            }
            Script::Reads => {
                signal(Signal::Receipt {
                    message: "m1".into(),
                    receipt: Receipt::Read,
                    when: Timestamp(5),
                    kept: None,
                })
                .await;
            }
            Script::Garbles => {
                signal(Signal::Unreadable(Unreadable {
                    part: "message",
                    error: "no number".into(),
                    bytes: 5_000,
                    raw: "{\"id\":".into(),
                }))
                .await;
            }
            Script::Warns => signal(Signal::Warned("the group has moved".to_owned())).await,
            Script::Clings => self.clings.store(true, Ordering::SeqCst),
            _ => {}
        }
    }
}

#[async_trait]
impl ChannelAdapter for Scripted {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        let script = self.attempts.lock().unwrap().pop_front().unwrap_or(Script::Stays);
        connection.report(ChannelState::Connecting, "connecting").await;
        let lost = match script {
            Script::Lost => Refusal::new(RefusalCode::Transient, "lost, as scripted"),
            Script::Refused(code) => {
                return ConnectionEnd::Refused(Refusal::new(code, "refused, as scripted"));
            }
            Script::Panics => panic!("as scripted"),
            script => {
                self.tell(connection, script).await;
                connection.report(ChannelState::Up, "there").await;
                std::future::pending().await
            }
        };
        ConnectionEnd::Lost(lost)
    }

    async fn disconnect(&self, _: &Connection) {
        if self.clings.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
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
async fn an_attempt_that_ends_is_followed_by_another_after_longer_and_longer_waits() {
    let failing = || Script::Lost;
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
    let failing = || Script::Lost;
    let desk = Scripted::desk([failing(), failing(), Script::Refused(RefusalCode::Forbidden)]);
    desk.clock.jump_on_sleep();
    desk.channel.switch_on(Actor::Config, "enabled").await;
    let given_up = |status: &foldback_channels::Status| status.why == "refused, as scripted";
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
async fn a_run_that_was_refused_waits_for_a_person() {
    let desk = Scripted::desk([Script::Refused(RefusalCode::Forbidden)]);
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
async fn an_adapter_that_does_not_part_is_dropped() {
    let desk = Scripted::desk([Script::Clings]);
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
        platform: platform::TELEGRAM,
        what: "message".into(),
        error: "no number".into(),
        bytes: 5_000,
        raw: "{\"id\":".into(),
    });
    assert_eq!(unreadable.kind, expected);
    desk.off().await;
}

#[tokio::test]
async fn a_warning_of_an_adapter_is_an_event_of_its_channel() {
    let desk = Scripted::desk([Script::Warns]);
    desk.on().await;
    let warned = {
        let told = desk.told.lock().unwrap();
        told.iter()
            .find(|draft| matches!(draft.kind, Kind::Warned { .. }))
            .cloned()
            .unwrap()
    };
    assert_eq!(warned.channel, Some("telegram".into()));
    let detail = "the group has moved".to_owned();
    assert_eq!(warned.kind, Kind::Warned { detail });
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
