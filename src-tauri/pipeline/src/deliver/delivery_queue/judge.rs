//! The meaning of a platform's answer for an operation: done, tried again, or given up.

use super::backoff::backoff;
use crate::{
    config::{GatewayErrors, OutboxConfig},
    rules::{Rule, Rules},
};
use foldback_channels::{Delivered, NotDelivered, Refusal};
use foldback_wire::{Outcome, OutcomeCode, RefusalCode, Rng};
use std::time::Duration;

/// The facts about an operation when a platform answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallAttempt {
    /// Platform calls so far, this one included.
    pub(crate) calls: u32,
    /// Those of them that count, up to `outbox.attempts`.
    pub(crate) attempts: u32,
    /// A live edit: the next one carries newer text, so this one is not tried again.
    pub(crate) live: bool,
    /// A repetition does no harm: the platform recognises it by its key, or it changes nothing.
    pub(crate) repeatable: bool,
    /// It puts a new text message into the chat: a live edit of which nobody knows is one that no later live edit
    /// can edit.
    pub(crate) creates: bool,
    /// An earlier call may have done it.
    pub(crate) maybe_done: bool,
    /// This call is none that counts: the platform wants to wait, or it never left this machine. The pause until it is
    /// made again.
    pub(crate) no_attempt: Option<Duration>,
}

/// The next step.
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
    attempt: CallAttempt,
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
                    attempt.calls - 1
                } else {
                    attempt.calls
                },
                replaced_by: None,
                decided_by: None,
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
            attempts: attempt.calls,
            ..Outcome::new(code)
        },
        retry_after: attempt
            .no_attempt
            .filter(|_| refusal.code == RefusalCode::RateLimited)
            .or(refusal.retry_after),
    };
    // A live edit is not made again at once, and repeating one doubles nothing: in doubt, the final text is confirmed.
    let is_live_edit = attempt.live && !attempt.creates;
    let passed_on = policy.gateway_errors == GatewayErrors::Unknown || !refusal.by_front_end || is_live_edit;
    let maybe_done = refusal.maybe_done && passed_on;
    if maybe_done && !attempt.repeatable && rules.holds(Rule::DeliverUnknown) {
        return settle(OutcomeCode::Unknown, &refusal.detail);
    }
    let given_up = if maybe_done || attempt.maybe_done {
        OutcomeCode::Unknown
    } else {
        OutcomeCode::Failed
    };
    let passing = matches!(refusal.code, RefusalCode::Transient | RefusalCode::RateLimited);
    // Under its key a first text is found again, or made once.
    let replaced =
        attempt.live && !(attempt.repeatable && attempt.creates && (maybe_done || attempt.maybe_done));
    let is_used_up = attempt.no_attempt.is_none() && attempt.attempts >= policy.attempts;
    if !passing || replaced || is_used_up || !rules.holds(Rule::DeliverRetry) {
        return settle(given_up, &refusal.detail);
    }
    let after = attempt.no_attempt.unwrap_or_else(|| {
        let asked = refusal
            .retry_after
            .filter(|_| rules.holds(Rule::DeliverRetryAfter));
        backoff(policy, rng, attempt.attempts).max(asked.unwrap_or_default().min(policy.backoff_max.0))
    });
    Verdict::Again {
        after,
        certain: !maybe_done,
        refusal,
    }
}

#[cfg(test)]
mod tests;
