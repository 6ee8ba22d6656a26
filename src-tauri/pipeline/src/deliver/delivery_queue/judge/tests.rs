use super::*;
use crate::time::SeededRng;
use foldback_channels::{Ack, Closed};

const FIRST: CallAttempt = CallAttempt {
    calls: 1,
    attempts: 1,
    live: false,
    repeatable: false,
    creates: true,
    maybe_done: false,
    no_attempt: None,
};

fn verdict(attempt: CallAttempt, answer: Result<Delivered, NotDelivered>) -> Verdict {
    judge(
        Rules::all(),
        &OutboxConfig {
            attempts: 5,
            ..OutboxConfig::default()
        },
        &SeededRng::new(1),
        attempt,
        answer,
    )
}

fn refused(attempt: CallAttempt, refusal: Refusal) -> Verdict {
    verdict(attempt, Err(refusal.into()))
}

fn code(verdict: Verdict) -> OutcomeCode {
    match verdict {
        Verdict::Settle { outcome, .. } => outcome.code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_acknowledgement_ends_it() {
    let ack = Ack {
        message: Some("7".into()),
        ..Ack::default()
    };
    let Verdict::Settle { outcome, .. } = verdict(FIRST, Ok(Delivered { ack, dry_run: false })) else {
        panic!("not settled");
    };
    assert_eq!(
        (outcome.code, outcome.message, outcome.attempts),
        (OutcomeCode::Sent, Some("7".into()), 1)
    );
    let dry = verdict(
        FIRST,
        Ok(Delivered {
            ack: Ack::default(),
            dry_run: true,
        }),
    );
    assert_eq!(code(dry), OutcomeCode::DryRun);
}

#[test]
fn a_closed_channel_holds_it() {
    assert_eq!(verdict(FIRST, Err(Closed::Off.into())), Verdict::Hold);
    assert_eq!(verdict(FIRST, Err(Closed::Muted.into())), Verdict::Hold);
    assert_eq!(verdict(FIRST, Err(Closed::Down.into())), Verdict::Hold);
}

#[test]
fn a_passing_fault_is_tried_again_a_bounded_number_of_times() {
    let transient = || Refusal::new(RefusalCode::Transient, "503");
    for attempts in 1..5 {
        let Verdict::Again { after, certain, .. } = refused(CallAttempt { attempts, ..FIRST }, transient())
        else {
            panic!("given up after {attempts}");
        };
        let step = 500 << (attempts - 1);
        assert!(
            (step / 2..=step).contains(&(after.as_millis() as u64)),
            "{after:?} after {attempts}"
        );
        assert!(certain);
    }
    assert_eq!(
        code(refused(CallAttempt { attempts: 5, ..FIRST }, transient())),
        OutcomeCode::Failed
    );
    assert_eq!(
        code(refused(FIRST, Refusal::new(RefusalCode::Forbidden, "no"))),
        OutcomeCode::Failed
    );
    assert_eq!(
        code(refused(CallAttempt { live: true, ..FIRST }, transient())),
        OutcomeCode::Failed
    );
}

#[test]
fn a_wait_that_a_platform_asks_for_is_no_attempt_and_never_a_failure() {
    let hour = Duration::from_hours(1);
    let attempt = CallAttempt {
        calls: 100,
        attempts: 5,
        no_attempt: Some(hour),
        ..FIRST
    };
    let limited = || Refusal {
        retry_after: Some(hour),
        ..Refusal::new(RefusalCode::RateLimited, "429")
    };
    assert!(matches!(refused(attempt, limited()), Verdict::Again { after, .. } if after == hour));
    let live_edit = CallAttempt {
        live: true,
        ..attempt
    };
    let Verdict::Settle { outcome, retry_after } = refused(live_edit, limited()) else {
        panic!("a live edit is not tried again");
    };
    assert_eq!((outcome.attempts, retry_after), (100, Some(hour)));
}

#[test]
fn what_never_left_this_machine_is_no_attempt() {
    let attempt = CallAttempt {
        attempts: 5,
        no_attempt: Some(Duration::from_secs(1)),
        ..FIRST
    };
    let unsent = Refusal {
        unsent: true,
        ..Refusal::new(RefusalCode::Transient, "no route to host")
    };
    assert!(matches!(
        refused(attempt, unsent),
        Verdict::Again { certain: true, .. }
    ));
}

#[test]
fn what_may_have_arrived_is_never_told_as_failed() {
    let lost = CallAttempt {
        maybe_done: true,
        repeatable: true,
        ..FIRST
    };
    let forbidden = Refusal::new(RefusalCode::Forbidden, "no");
    assert_eq!(code(refused(lost, forbidden)), OutcomeCode::Unknown);
}

#[test]
fn a_first_live_edit_that_may_have_arrived_is_repeated_under_its_key_and_no_edit_is() {
    let lost = || Refusal {
        maybe_done: true,
        ..Refusal::new(RefusalCode::Transient, "cut off")
    };
    let first = CallAttempt {
        live: true,
        repeatable: true,
        ..FIRST
    };
    assert!(matches!(refused(first, lost()), Verdict::Again { .. }));
    let edit = CallAttempt {
        creates: false,
        ..first
    };
    assert_eq!(code(refused(edit, lost())), OutcomeCode::Unknown);
    let certain = Refusal::new(RefusalCode::Transient, "503");
    assert_eq!(code(refused(first, certain)), OutcomeCode::Failed);
}

#[test]
fn what_may_have_arrived_is_repeated_only_where_that_does_no_harm() {
    let lost = || Refusal {
        maybe_done: true,
        ..Refusal::new(RefusalCode::Transient, "cut off")
    };
    assert_eq!(code(refused(FIRST, lost())), OutcomeCode::Unknown);
    let keyed = refused(
        CallAttempt {
            repeatable: true,
            ..FIRST
        },
        lost(),
    );
    assert!(
        matches!(keyed, Verdict::Again { certain: false, .. }),
        "{keyed:?}"
    );
}

#[test]
fn what_a_front_end_refused_is_tried_again_unless_it_is_to_count_as_unknown() {
    let bad_gateway = Refusal {
        by_front_end: true,
        ..Refusal::new(RefusalCode::Transient, "502").or_done()
    };
    let verdict = |gateway_errors, attempt| {
        let policy = OutboxConfig {
            gateway_errors,
            ..OutboxConfig::default()
        };
        let answer = Err(bad_gateway.clone().into());
        judge(Rules::all(), &policy, &SeededRng::new(1), attempt, answer)
    };
    let again = verdict(GatewayErrors::Retry, FIRST);
    assert!(matches!(again, Verdict::Again { certain: true, .. }), "{again:?}");
    let last = CallAttempt {
        attempts: OutboxConfig::default().attempts,
        ..FIRST
    };
    assert_eq!(code(verdict(GatewayErrors::Retry, last)), OutcomeCode::Failed);
    assert_eq!(code(verdict(GatewayErrors::Unknown, FIRST)), OutcomeCode::Unknown);
    let live = CallAttempt {
        live: true,
        creates: false,
        ..FIRST
    };
    assert_eq!(code(verdict(GatewayErrors::Retry, live)), OutcomeCode::Unknown);
    let first_text = CallAttempt {
        creates: true,
        ..live
    };
    assert_eq!(
        code(verdict(GatewayErrors::Retry, first_text)),
        OutcomeCode::Failed
    );
}
