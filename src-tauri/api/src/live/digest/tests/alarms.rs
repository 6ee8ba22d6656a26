//! Alarms: one for each thing that a person must look at.

use super::feed::Feed;
use foldback_wire::{Actor, ChannelState, Kind, OpId, Outcome, OutcomeCode, Terminal, rpc::AlarmKind};

#[test]
fn an_outage_is_one_alarm_and_one_error_however_often_it_is_tried() {
    use ChannelState::{Connecting, Down, Up};
    let mut feed = Feed::default();
    let mut change = |ms, from, to, why: &str| {
        let (by, why) = (foldback_wire::Actor::Adapter, why.to_owned());
        feed.at(ms, 0, Kind::ChannelState { from, to, by, why });
    };
    change(1, Up, Down, "transient: cannot reach it");
    for ms in [2, 4, 6] {
        change(ms, Down, Connecting, "trying again");
        change(ms + 1, Connecting, Down, "transient: cannot reach it");
    }
    change(10, Down, Connecting, "trying again");
    change(11, Connecting, Up, "connected");
    change(12, Up, Down, "rejected: the token is wrong");
    let alarms: Vec<_> = feed.alarms.iter().map(|alarm| alarm.seq).collect();
    assert_eq!(alarms, [1, 10], "one an outage");
    let errors = feed.digest.errors(&"slack".into());
    let told: Vec<_> = errors
        .iter()
        .map(|e| (e.count, e.at.0, e.hint.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(told.len(), 2);
    assert!(told[0].2.starts_with("It is not tried again"), "{told:?}");
    assert_eq!(told[1], (4, 7, "It tries again by itself."));
}

#[test]
fn leaks_failures_unknown_outcomes_and_broken_channels_raise_alarms() {
    let mut feed = Feed::default();
    let span = foldback_wire::Span::new(0, 9);
    let down = Kind::ChannelState {
        from: ChannelState::Up,
        to: ChannelState::Down,
        by: foldback_wire::Actor::Adapter,
        why: "the connection broke".into(),
    };
    feed.received(0, 1)
        .intended(1, 1, 1)
        .at(
            2,
            1,
            Kind::Leaked {
                op: OpId(1),
                message: 0,
                span,
            },
        )
        .ended(3, 1, 1, Outcome::new(OutcomeCode::Failed).because("gone"))
        .ended(4, 1, 2, Outcome::new(OutcomeCode::Unknown))
        .at(5, 0, down)
        .at(
            6,
            1,
            Kind::TurnEnded {
                terminal: Terminal::Failed {
                    detail: "the agent failed".into(),
                },
            },
        );
    let told: Vec<_> = feed
        .alarms
        .iter()
        .map(|a| (a.kind, a.message.as_str(), a.seq))
        .collect();
    assert_eq!(
        told,
        [
            (
                AlarmKind::Leak,
                "Text (operation 1) on slack showed bytes 0–9 of message 1, which are markup.",
                3
            ),
            (AlarmKind::Error, "Operation 1 failed: gone", 4),
            (
                AlarmKind::UnknownOutcome,
                "Nobody knows whether operation 2 arrived: It was in flight when the process ended; only a person \
                 sends it again.",
                5
            ),
            (AlarmKind::ChannelDown, "slack went down: the connection broke", 6),
            (AlarmKind::Error, "A turn failed: the agent failed", 7),
        ]
    );
}

#[test]
fn a_turn_that_a_person_stopped_alarms_nobody() {
    let failed = |turn| {
        let mut feed = Feed::default();
        feed.received(0, turn);
        (
            feed,
            Kind::TurnEnded {
                terminal: Terminal::Failed {
                    detail: "it was cancelled".into(),
                },
            },
        )
    };
    let (mut stopped, end) = failed(4);
    stopped
        .at(
            1,
            4,
            Kind::RunCancelled {
                by: Actor::Console,
                interrupted_by: None,
            },
        )
        .at(2, 4, end);
    assert_eq!(stopped.alarms, []);
    let (mut broken, end) = failed(4);
    broken.at(2, 4, end);
    assert_eq!(broken.alarms.len(), 1);
}
