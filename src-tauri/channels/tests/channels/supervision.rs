//! What becomes of an adapter whose run ends, fails or does not end.

use crate::desk::Desk;
use crate::stage::TestClock;
use async_trait::async_trait;
use foldback_channels::{Ack, Call, ChannelAdapter, Refusal, Signal, SignalSink, profile};
use foldback_wire::{Actor, Capabilities, ChannelState, Draft, Kind, Platform, RefusalCode, Timestamp};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A stand-in that does as its script says, one line a run.
struct Scripted {
    capabilities: Capabilities,
    runs: Mutex<VecDeque<Script>>,
}

enum Script {
    Fails(RefusalCode),
    Panics,
    Stays,
    Deaf,
    Loses,
}

impl Scripted {
    fn desk(runs: impl IntoIterator<Item = Script>) -> Desk {
        let runs = Mutex::new(runs.into_iter().collect());
        Desk::with(
            Arc::new(Self {
                capabilities: profile(Platform::Telegram),
                runs,
            }),
            TestClock::new(),
            true,
        )
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
            Script::Stays | Script::Loses => {
                if matches!(script, Script::Loses) {
                    let refusal = Refusal::new(RefusalCode::Gone, "not on the platform");
                    let message = "m1".into();
                    sink.send(Signal::Undelivered { message, refusal }).await.ok();
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
async fn what_did_not_arrive_after_all_is_a_warning_of_its_channel() {
    let desk = Scripted::desk([Script::Loses]);
    desk.on().await;
    let warned = {
        let told = desk.told.lock().unwrap();
        let warning = |draft: &Draft| match &draft.kind {
            Kind::Warned { detail } => Some((draft.channel.clone(), draft.turn, detail.clone())),
            _ => None,
        };
        told.iter().find_map(warning)
    };
    let detail = "m1 was acknowledged, but did not arrive: not on the platform".to_owned();
    assert_eq!(warned, Some((Some("telegram".into()), None, detail)));
    desk.off().await;
}
