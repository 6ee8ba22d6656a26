//! Answers of what stands before a platform: they hold no word of its own.

use crate::shared::calls::said;
use crate::shared::suite::{Bench, perform};
use foldback_channels::LimitScope;
use foldback_strict::Mishap;
use foldback_wire::RefusalCode;
use std::time::Duration;

/// A wait stands in the header, where the body has no word of the platform's own.
pub(crate) async fn a_wait_is_read_from_the_header<B: Bench>(scope: LimitScope) {
    let bench = B::open().await;
    for (header, wait) in [
        ("7", Some(7)),
        ("Mon, 23 Nov 2026 12:00:09 GMT", Some(9)),
        ("later", None),
    ] {
        bench.server().plan(B::SENDS_TEXT, Mishap::Throttled(429, header));
        let refusal = perform(&bench, said("hi")).await.unwrap_err();
        assert_eq!(
            (
                refusal.code,
                refusal.retry_after,
                refusal.scope,
                refusal.maybe_done
            ),
            (
                RefusalCode::RateLimited,
                wait.map(Duration::from_secs),
                scope,
                false
            ),
            "{header}: {refusal:?}"
        );
    }
    for (header, wait) in [("7", Some(7)), ("later", None)] {
        bench.server().plan(B::SENDS_TEXT, Mishap::Throttled(503, header));
        let refusal = perform(&bench, said("hi")).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.retry_after, refusal.by_front_end),
            (RefusalCode::Transient, wait.map(Duration::from_secs), true),
            "{header}: {refusal:?}"
        );
    }
    assert_eq!(bench.messages(), 0);
}
