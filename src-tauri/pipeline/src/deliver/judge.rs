//! What an answer of a platform means for an operation: done, tried again, or given up.

use crate::{
    config::OutboxConfig,
    rules::{Rule, Rules},
};
use foldback_channels::{Delivered, NotDelivered, Refusal};
use foldback_wire::{Outcome, OutcomeCode, RefusalCode, Rng};
use std::time::Duration;

/// What is known about an operation when a platform answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Try {
    /// Platform calls so far, this one included.
    pub(crate) attempts: u32,
    /// A live frame: the next one carries newer text, so this one is not tried again.
    pub(crate) live: bool,
    /// The platform recognises a repetition by its key.
    pub(crate) keyed: bool,
    /// It puts a new text message into the chat: a live frame of which nobody knows is one that no later frame
    /// can edit.
    pub(crate) creates: bool,
    /// An earlier call may have done it.
    pub(crate) maybe_done: bool,
    /// Text stands behind it: how long it has been paused so far.
    pub(crate) hurried: Option<Duration>,
}

/// How long a directive may keep the text behind it waiting, in all its pauses.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It has ended. `retry_after` is how long the platform wants no more of the kind.
    Settle {
        outcome: Outcome,
        retry_after: Option<Duration>,
    },
    /// Try again after a pause. `certain`: the platform certainly did nothing.
    Again {
        after: Duration,
        certain: bool,
        refusal: Refusal,
    },
    /// The channel closed before the call: hold it.
    Hold,
}

/// Decides about an answer.
pub(crate) fn judge(
    rules: Rules,
    policy: &OutboxConfig,
    rng: &dyn Rng,
    attempt: Try,
    answer: Result<Delivered, NotDelivered>,
) -> Verdict {
    let refusal = match answer {
        Ok(delivered) => {
            let outcome = Outcome {
                code: delivered.code(),
                message: delivered.ack.message,
                also: delivered.ack.also,
                detail: delivered.ack.warning,
                refusal: None,
                attempts: if delivered.dry_run {
                    attempt.attempts - 1
                } else {
                    attempt.attempts
                },
                replaced_by: None,
            };
            return Verdict::Settle {
                outcome,
                retry_after: None,
            };
        }
        Err(NotDelivered::Closed(_)) => return Verdict::Hold,
        Err(NotDelivered::Refused(refusal)) => refusal,
    };
    let settle = |code, detail: &str| Verdict::Settle {
        outcome: Outcome {
            detail: Some(detail.to_owned()),
            refusal: Some(refusal.code),
            attempts: attempt.attempts,
            ..Outcome::new(code)
        },
        retry_after: refusal.retry_after,
    };
    if refusal.maybe_done && !attempt.keyed && rules.holds(Rule::DeliverUnknown) {
        return settle(OutcomeCode::Unknown, &refusal.detail);
    }
    let given_up = if refusal.maybe_done || attempt.maybe_done {
        OutcomeCode::Unknown
    } else {
        OutcomeCode::Failed
    };
    let passing = matches!(refusal.code, RefusalCode::Transient | RefusalCode::RateLimited);
    // Under its key a first frame is found again, or made once.
    let replaced =
        attempt.live && !(attempt.keyed && attempt.creates && (refusal.maybe_done || attempt.maybe_done));
    if !passing || replaced || attempt.attempts >= policy.attempts || !rules.holds(Rule::DeliverRetry) {
        return settle(given_up, &refusal.detail);
    }
    let longest = policy.backoff_max.0;
    let asked = refusal
        .retry_after
        .filter(|_| rules.holds(Rule::DeliverRetryAfter));
    // Asked for longer than we are ready to wait: calling sooner would only prolong it.
    if asked.is_some_and(|wait| wait > longest) {
        return settle(given_up, &refusal.detail);
    }
    // A platform that asks for no pause at all gets ours: else every attempt would be used up at once.
    let pause = backoff(policy, rng, attempt.attempts).max(asked.unwrap_or_default());
    let left = attempt
        .hurried
        .filter(|_| rules.holds(Rule::DeliverPatience))
        .map(|paused| PATIENCE.checked_sub(paused + pause));
    if left == Some(None) {
        let detail = format!("{}; trying again would keep the text waiting", refusal.detail);
        return settle(given_up, &detail);
    }
    // Everybody was told the same time: a little later, each at its own.
    let spread = asked.map_or(Duration::ZERO, |_| chance(rng, policy.backoff.0 / 2));
    let after = pause + spread.min(left.flatten().unwrap_or(Duration::MAX));
    Verdict::Again {
        after,
        certain: !refusal.maybe_done,
        refusal,
    }
}

/// The pause before another attempt: doubles, the second half left to chance, so that conversations that
/// failed together do not return together.
fn backoff(policy: &OutboxConfig, rng: &dyn Rng, attempts: u32) -> Duration {
    let step = policy
        .backoff
        .0
        .saturating_mul(1 << (attempts - 1).min(16))
        .min(policy.backoff_max.0);
    step / 2 + chance(rng, step / 2)
}

/// Between nothing and `most`, in whole milliseconds.
fn chance(rng: &dyn Rng, most: Duration) -> Duration {
    let most = u64::try_from(most.as_millis()).unwrap_or(u64::MAX - 1);
    Duration::from_millis(rng.next() % (most + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Interval, time::SeededRng};
    use foldback_channels::{Ack, Closed};

    const FIRST: Try = Try {
        attempts: 1,
        live: false,
        keyed: false,
        creates: true,
        maybe_done: false,
        hurried: None,
    };

    fn verdict(attempt: Try, answer: Result<Delivered, NotDelivered>) -> Verdict {
        judge(
            Rules::all(),
            &OutboxConfig::default(),
            &SeededRng::new(1),
            attempt,
            answer,
        )
    }

    fn refused(attempt: Try, refusal: Refusal) -> Verdict {
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
            let Verdict::Again { after, certain, .. } = refused(Try { attempts, ..FIRST }, transient())
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
            code(refused(Try { attempts: 5, ..FIRST }, transient())),
            OutcomeCode::Failed
        );
        assert_eq!(
            code(refused(FIRST, Refusal::new(RefusalCode::Forbidden, "no"))),
            OutcomeCode::Failed
        );
        assert_eq!(
            code(refused(Try { live: true, ..FIRST }, transient())),
            OutcomeCode::Failed
        );
    }

    #[test]
    fn a_rate_limit_waits_as_asked_but_not_for_ever() {
        let limited = |wait| Refusal {
            retry_after: Some(wait),
            ..Refusal::new(RefusalCode::RateLimited, "429")
        };
        let longest = Interval::minutes(5).0;
        let Verdict::Again { after, .. } = refused(FIRST, limited(longest)) else {
            panic!("given up")
        };
        // Spread by at most half of the first pause.
        assert!(
            (longest..=longest + Duration::from_millis(250)).contains(&after),
            "{after:?}"
        );
        assert_eq!(
            code(refused(FIRST, limited(longest + Duration::from_secs(1)))),
            OutcomeCode::Failed
        );
    }

    #[test]
    fn a_rate_limit_without_a_pause_gets_ours_and_not_all_return_at_once() {
        let limited = |attempts, ms| {
            let refusal = Refusal {
                retry_after: Some(Duration::from_millis(ms)),
                ..Refusal::new(RefusalCode::RateLimited, "429")
            };
            move |rng: &SeededRng| {
                let attempt = Try { attempts, ..FIRST };
                let policy = OutboxConfig::default();
                match judge(Rules::all(), &policy, rng, attempt, Err(refusal.clone().into())) {
                    Verdict::Again { after, .. } => after.as_millis() as u64,
                    settled @ (Verdict::Settle { .. } | Verdict::Hold) => panic!("{settled:?}"),
                }
            }
        };
        let rng = SeededRng::new(1);
        for attempts in 1..5 {
            let least = (500 << (attempts - 1)) / 2;
            assert!(limited(attempts, 0)(&rng) >= least, "after {attempts}");
        }
        let waits: std::collections::BTreeSet<_> = (0..20).map(|_| limited(1, 7_000)(&rng)).collect();
        assert!(
            waits.len() > 10 && waits.iter().all(|ms| (7_000..=7_250).contains(ms)),
            "{waits:?}"
        );
    }

    #[test]
    fn a_directive_keeps_the_text_waiting_for_two_seconds_in_all() {
        let limited = |ms| Refusal {
            retry_after: Some(Duration::from_millis(ms)),
            ..Refusal::new(RefusalCode::RateLimited, "429")
        };
        let after = |paused, attempt: Try| Try {
            hurried: Some(Duration::from_millis(paused)),
            ..attempt
        };
        assert!(matches!(
            refused(after(0, FIRST), limited(2_000)),
            Verdict::Again { .. }
        ));
        assert_eq!(
            code(refused(after(0, FIRST), limited(2_001))),
            OutcomeCode::Failed
        );
        assert_eq!(
            code(refused(after(1_500, FIRST), limited(501))),
            OutcomeCode::Failed
        );
        let lost = Try {
            maybe_done: true,
            keyed: true,
            ..FIRST
        };
        assert_eq!(
            code(refused(after(0, lost), limited(9_000))),
            OutcomeCode::Unknown
        );
    }

    #[test]
    fn what_may_have_arrived_is_never_told_as_failed() {
        let lost = Try {
            maybe_done: true,
            keyed: true,
            ..FIRST
        };
        let forbidden = Refusal::new(RefusalCode::Forbidden, "no");
        assert_eq!(code(refused(lost, forbidden)), OutcomeCode::Unknown);
    }

    #[test]
    fn a_first_frame_that_may_have_arrived_is_repeated_under_its_key_and_no_edit_is() {
        let lost = || Refusal {
            maybe_done: true,
            ..Refusal::new(RefusalCode::Transient, "cut off")
        };
        let first = Try {
            live: true,
            keyed: true,
            ..FIRST
        };
        assert!(matches!(refused(first, lost()), Verdict::Again { .. }));
        let edit = Try {
            creates: false,
            ..first
        };
        assert_eq!(code(refused(edit, lost())), OutcomeCode::Unknown);
        let certain = Refusal::new(RefusalCode::Transient, "503");
        assert_eq!(code(refused(first, certain)), OutcomeCode::Failed);
    }

    #[test]
    fn what_may_have_arrived_is_repeated_only_under_a_key() {
        let lost = || Refusal {
            maybe_done: true,
            ..Refusal::new(RefusalCode::Transient, "cut off")
        };
        assert_eq!(code(refused(FIRST, lost())), OutcomeCode::Unknown);
        let keyed = refused(Try { keyed: true, ..FIRST }, lost());
        assert!(
            matches!(keyed, Verdict::Again { certain: false, .. }),
            "{keyed:?}"
        );
    }
}
