//! What a start-up screen would show after some events.

use super::*;
use foldback_wire::{
    Actor, Body, ChannelState, ChatType, Inbound, Intent, MessageFlags, Outcome, RefusalCode, Sender, Seq,
    Target, Terminal,
};

#[derive(Default)]
struct Feed {
    digest: Digest,
    seq: u64,
    alarms: Vec<Alarm>,
}

impl Feed {
    fn at(&mut self, ms: i64, turn: u64, kind: Kind) -> &mut Self {
        self.seq += 1;
        let event = Event {
            seq: Seq(self.seq),
            at: Timestamp(ms),
            turn: (turn > 0).then_some(TurnId(turn)),
            session: None,
            channel: Some("slack".into()),
            kind,
        };
        self.alarms.extend(self.digest.push(&event));
        self
    }

    fn received(&mut self, ms: i64, turn: u64) -> &mut Self {
        self.received_as(ms, turn, "m")
    }

    fn received_as(&mut self, ms: i64, turn: u64, id: &str) -> &mut Self {
        let sender = Sender {
            id: "a".into(),
            name: "a".into(),
            display_name: "A".into(),
            is_bot: false,
        };
        let message = Inbound {
            channel: "slack".into(),
            account: None,
            chat: "c".into(),
            chat_type: ChatType::Direct,
            thread: None,
            message: id.into(),
            reply_to: None,
            sender,
            text: "hi".into(),
            mentioned: true,
            forwarded: false,
            files: Vec::new(),
            at: Timestamp(ms),
            dry_run: false,
            at_by_device: false,
            omitted: None,
        };
        self.at(
            ms,
            turn,
            Kind::Received {
                message: Box::new(message),
            },
        )
    }

    fn intended(&mut self, ms: i64, turn: u64, op: u64) -> &mut Self {
        self.wanted(ms, turn, op, OpKind::SendText)
    }

    /// A text that no agent wrote.
    fn own_words(&mut self, ms: i64, turn: u64, op: u64) -> &mut Self {
        let intent = Intent {
            body: Some(Body::own("The run failed.")),
            ..intent(OpKind::SendText)
        };
        self.at(ms, turn, Kind::Intended { op: OpId(op), intent })
    }

    fn wanted(&mut self, ms: i64, turn: u64, op: u64, kind: OpKind) -> &mut Self {
        let intent = intent(kind);
        self.at(ms, turn, Kind::Intended { op: OpId(op), intent })
    }

    fn ended(&mut self, ms: i64, turn: u64, op: u64, outcome: Outcome) -> &mut Self {
        self.at(
            ms,
            turn,
            Kind::Ended {
                op: OpId(op),
                outcome,
            },
        )
    }

    fn turn_ended(&mut self, ms: i64, turn: u64) -> &mut Self {
        self.at(
            ms,
            turn,
            Kind::TurnEnded {
                terminal: Terminal::Replied,
            },
        )
    }

    fn counters(&self) -> Counters {
        self.digest.counters(&"slack".into())
    }
}

fn intent(kind: OpKind) -> Intent {
    Intent {
        kind,
        channel: None,
        target: Target {
            chat: "c".into(),
            thread: None,
        },
        message: None,
        reply_to: None,
        body: None,
        emoji: None,
        emoji_sent: None,
        path: None,
        file_kind: None,
        directive: None,
        part_of: None,
        flags: MessageFlags::default(),
        live: false,
    }
}

fn sent() -> Outcome {
    Outcome::new(OutcomeCode::Sent)
}

#[test]
fn turns_run_from_their_message_to_their_end_but_not_in_the_queue() {
    let mut feed = Feed::default();
    feed.received(0, 1).received(0, 2).at(
        1,
        2,
        Kind::Queued {
            position: 1,
            runs: None,
            needs_consent: false,
        },
    );
    assert_eq!(feed.digest.running(), 1);
    feed.turn_ended(5, 1).at(6, 2, Kind::Dequeued { waited_ms: 5 });
    assert_eq!(feed.digest.running(), 1);
    feed.turn_ended(9, 2);
    assert_eq!(feed.digest.running(), 0);
}

#[test]
fn operations_wait_until_their_outcome_and_are_counted_by_it() {
    let mut feed = Feed::default();
    feed.received(0, 1)
        .intended(1, 1, 1)
        .intended(1, 1, 2)
        .intended(1, 1, 3);
    assert_eq!((feed.digest.waiting(), feed.counters().held), (3, 3));
    feed.ended(2, 1, 1, sent())
        .ended(2, 1, 2, Outcome::new(OutcomeCode::DryRun));
    let counters = Counters {
        received: 1,
        sent: 1,
        dry_run: 1,
        held: 1,
        ..Counters::default()
    };
    assert_eq!((feed.digest.waiting(), feed.counters()), (1, counters));
}

#[test]
fn what_was_in_the_outbox_at_the_start_waits_too() {
    let mut feed = Feed {
        digest: Digest::resume([(OpId(7), ChannelId::from("slack"))], UnknownOutcomes::default()),
        ..Feed::default()
    };
    assert_eq!((feed.digest.waiting(), feed.counters().held), (1, 1));
    feed.ended(1, 1, 7, sent());
    assert_eq!((feed.digest.waiting(), feed.counters().held), (0, 0));
}

#[test]
fn the_percentile_goes_from_the_message_to_the_last_outcome_of_the_last_two_hundred() {
    let mut feed = Feed::default();
    assert_eq!(feed.digest.p95_turn_ms(), None);
    feed.received(0, 1).turn_ended(50, 1);
    assert_eq!(
        feed.digest.p95_turn_ms(),
        None,
        "a turn without an operation tells nothing about speed"
    );
    for turn in 2..=301 {
        let took = turn as i64;
        feed.received(0, turn)
            .intended(1, turn, turn)
            .ended(took, turn, turn, sent())
            .turn_ended(9_999, turn);
    }
    // Turns 102 to 301 remain; the 190th of them took 291 ms.
    assert_eq!(feed.digest.p95_turn_ms(), Some(291));
}

#[test]
fn events_are_counted_over_one_second() {
    let mut feed = Feed::default();
    for ms in [0, 400, 400, 900] {
        feed.at(ms, 0, Kind::Idle);
    }
    assert_eq!(feed.digest.events_per_second(Timestamp(999)), 4);
    assert_eq!(feed.digest.events_per_second(Timestamp(1_000)), 3);
    assert_eq!(feed.digest.events_per_second(Timestamp(5_000)), 0);
    feed.at(60_000, 0, Kind::Idle);
    assert_eq!(
        feed.digest.rate.len(),
        1,
        "what is older is forgotten without being asked for"
    );
}

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
        .at(1, 4, Kind::RunCancelled { by: Actor::Console })
        .at(2, 4, end);
    assert_eq!(stopped.alarms, []);
    let (mut broken, end) = failed(4);
    broken.at(2, 4, end);
    assert_eq!(broken.alarms.len(), 1);
}

#[test]
fn an_unknown_outcome_counts_until_somebody_looks_at_its_turn() {
    let mut feed = Feed::default();
    feed.ended(1, 4, 1, Outcome::new(OutcomeCode::Unknown)).ended(
        1,
        5,
        2,
        Outcome::new(OutcomeCode::Unknown),
    );
    assert_eq!(feed.digest.unknown().operations(), 2);
    assert!(feed.digest.looked_at(TurnId(4)));
    assert!(!feed.digest.looked_at(TurnId(4)));
    assert_eq!(feed.digest.unknown().operations(), 1);
}

#[test]
fn an_unknown_outcome_with_another_operation_in_its_place_asks_nothing_of_anybody() {
    let mut feed = Feed::default();
    let replaced = Outcome {
        replaced_by: Some(OpId(2)),
        ..Outcome::new(OutcomeCode::Unknown)
    };
    feed.ended(1, 4, 1, replaced).ended(1, 4, 2, sent());
    assert_eq!(feed.digest.unknown().turns(), []);
    assert_eq!(feed.counters().unknown, 0);
    assert_eq!(feed.digest.errors(&"slack".into()), []);
    assert_eq!(feed.alarms, []);
}

#[test]
fn an_unknown_outcome_counts_until_a_person_sends_the_operation_again() {
    let mut feed = Feed::default();
    for op in [1, 2] {
        feed.ended(1, 4, op, Outcome::new(OutcomeCode::Unknown));
    }
    feed.received_as(2, 5, "again-1");
    assert_eq!(feed.digest.unknown().operations(), 2, "it waits");
    feed.intended(3, 5, 3);
    assert_eq!(feed.digest.unknown().operations(), 1);
    feed.received_as(4, 6, "again-2-2").intended(5, 6, 4);
    assert_eq!(feed.digest.unknown().turns(), []);
}

#[test]
fn an_unknown_outcome_still_counts_after_a_resend_that_sent_nothing() {
    let mut feed = Feed::default();
    feed.ended(1, 4, 1, Outcome::new(OutcomeCode::Unknown));
    feed.received_as(2, 5, "again-1").turn_ended(3, 5);
    feed.received_as(4, 6, "again-1-2")
        .wanted(5, 6, 2, OpKind::Typing)
        .own_words(6, 6, 3)
        .turn_ended(7, 6);
    assert_eq!(feed.digest.unknown().turns(), [TurnId(4)]);
}

#[test]
fn an_unknown_outcome_after_a_look_counts_without_those_before_it() {
    let mut feed = Feed::default();
    feed.ended(1, 4, 1, Outcome::new(OutcomeCode::Unknown));
    assert!(feed.digest.looked_at(TurnId(4)));
    feed.ended(2, 4, 2, Outcome::new(OutcomeCode::Unknown));
    assert_eq!(feed.digest.unknown().operations(), 1);
}

#[test]
fn typing_counts_nowhere_and_alarms_nobody() {
    let mut feed = Feed::default();
    feed.wanted(1, 1, 1, OpKind::Typing);
    assert_eq!((feed.digest.waiting(), feed.counters()), (0, Counters::default()));
    feed.ended(2, 1, 1, Outcome::new(OutcomeCode::Failed));
    assert_eq!((feed.alarms.len(), feed.counters()), (0, Counters::default()));
}

#[test]
fn a_card_shows_the_last_five_errors_with_what_to_do() {
    let mut feed = Feed::default();
    for n in 0..6 {
        let refusal = RefusalCode::Transient;
        feed.at(
            1,
            1,
            Kind::Refused {
                op: OpId(2),
                refusal,
                detail: format!("{n}"),
                retry_at: None,
            },
        );
    }
    let errors = feed.digest.errors(&"slack".into());
    let messages: Vec<_> = errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "transient: 5",
            "transient: 4",
            "transient: 3",
            "transient: 2",
            "transient: 1"
        ]
    );
    let mut feed = Feed::default();
    let forbidden = Outcome {
        refusal: Some(RefusalCode::Forbidden),
        ..Outcome::new(OutcomeCode::Failed)
    };
    feed.ended(0, 1, 1, forbidden.because("not a member"));
    let error = &feed.digest.errors(&"slack".into())[0];
    assert_eq!(error.message, "not a member");
    assert_eq!(
        error.hint.as_deref(),
        Some(
            "Do what the platform says, or give the bot the right in that chat; then send it again from the ledger."
        )
    );
}

#[test]
fn an_error_goes_with_the_last_operation_that_a_person_sends_again() {
    let mut feed = Feed::default();
    let failed = || Outcome::new(OutcomeCode::Failed).because("gone");
    feed.ended(0, 1, 7, failed()).ended(1, 2, 8, failed());
    let count = |feed: &Feed| {
        feed.digest
            .errors(&"slack".into())
            .first()
            .map(|error| error.count)
    };
    assert_eq!(count(&feed), Some(2));
    feed.received_as(2, 3, "again-9").intended(2, 3, 19);
    assert_eq!(count(&feed), Some(2), "another operation");
    feed.received_as(3, 4, "again-7").received_as(4, 5, "again-7");
    assert_eq!(count(&feed), Some(2), "both wait");
    feed.intended(4, 4, 20).intended(4, 5, 21);
    assert_eq!(count(&feed), Some(1), "the same once");
    feed.received_as(5, 6, "again-8").intended(5, 6, 22);
    assert_eq!(count(&feed), None);
}

#[test]
fn what_did_not_arrive_failed_though_it_was_acknowledged() {
    let mut feed = Feed::default();
    let lost = |op| Kind::Undelivered {
        op: OpId(op),
        message: "m".into(),
        refusal: RefusalCode::Forbidden,
        detail: "the window is closed".into(),
    };
    feed.received(0, 1).intended(1, 1, 1).intended(1, 1, 2);
    feed.ended(2, 1, 1, sent())
        .ended(2, 1, 2, sent())
        .turn_ended(3, 1);
    assert_eq!((feed.counters().sent, feed.counters().failed), (2, 0));
    feed.at(9_000, 1, lost(1));
    assert_eq!((feed.counters().sent, feed.counters().failed), (2, 1));
    // One that an earlier process sent.
    feed.at(9_001, 1, lost(77));
    assert_eq!((feed.counters().sent, feed.counters().failed), (2, 2));
    let errors = feed.digest.errors(&"slack".into());
    assert_eq!((errors.len(), errors[0].count), (1, 2), "the same twice");
    assert_eq!(
        errors[0].message,
        "acknowledged, but it did not arrive: the window is closed"
    );
    assert_eq!(
        errors[0].hint.as_deref(),
        Some(
            "Do what the platform says, or give the bot the right in that chat; then send it again from the ledger."
        )
    );
}
