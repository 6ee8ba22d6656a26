//! Access tokens that expire, by OAuth 2.0: one is asked for when a call needs it, kept while it lasts, and asked for anew a
//! minute before its end or once the platform refuses it. <https://www.rfc-editor.org/rfc/rfc6749#section-6>
//!
//! Of many calls that need one at once, one asks for it. A renewal that began goes on when whoever waits for it is
//! dropped: a platform may have taken the old refresh token back by then, and its answer holds the only new one.

use crate::Refusal;
use foldback_wire::{Clock, RefusalCode, Secret};
use ring::digest::{Context, SHA256};
use serde::Deserialize;
use std::{
    fmt::{self, Write as _},
    sync::Arc,
    time::Duration,
};
use tokio::sync::Mutex;

/// The time before the end of a token from which on it is not used any more.
const MARGIN: Duration = Duration::from_mins(1);
/// The time that a token lasts whose end is not told.
const UNTOLD: Duration = Duration::from_mins(30);

/// A platform's answer to who asks for a token: <https://www.rfc-editor.org/rfc/rfc6749#section-5.1>.
#[derive(Deserialize)]
pub(crate) struct Grant {
    access_token: String,
    /// In seconds.
    expires_in: Option<u64>,
    /// The next refresh token, where each one is used once.
    pub(crate) refresh_token: Option<String>,
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Grant(…)")
    }
}

/// Bytes of a digest that tell things apart.
const DISTINCT: usize = 8;

/// A text that tells these parts from any others, and from which nobody learns them.
pub(crate) fn digest(of: &[&[u8]]) -> String {
    let mut context = Context::new(&SHA256);
    for part in of {
        // Where one ends is a part of what is told apart.
        context.update(&part.len().to_le_bytes());
        context.update(part);
    }
    let digest = context.finish();
    digest.as_ref()[..DISTINCT]
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing into a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// The token that is valid now.
pub(crate) struct Access {
    held: Arc<Mutex<Option<Held>>>,
    clock: Arc<dyn Clock>,
}

struct Held {
    token: Secret,
    /// By the monotonic clock.
    until: Duration,
}

impl Access {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            held: Arc::default(),
            clock,
        }
    }

    /// A token that is valid; `renew` asks for one where there is none.
    pub(crate) async fn token<F>(&self, renew: impl FnOnce() -> F) -> Result<Secret, Refusal>
    where
        F: Future<Output = Result<Grant, Refusal>> + Send + 'static,
    {
        let mut held = Arc::clone(&self.held).lock_owned().await;
        let now = self.clock.monotonic();
        if let Some(valid) = held.as_ref().filter(|held| held.until > now) {
            return Ok(valid.token.clone());
        }
        let renewal = renew();
        let renewal = tokio::spawn(async move {
            let grant = renewal.await?;
            let lasts = grant.expires_in.map_or(UNTOLD, Duration::from_secs);
            let token = Secret::new(grant.access_token);
            *held = Some(Held {
                token: token.clone(),
                until: now.saturating_add(lasts.saturating_sub(MARGIN.min(lasts / 2))),
            });
            Ok(token)
        });
        let failed = |error| Refusal::new(RefusalCode::Transient, format!("the renewal failed: {error}"));
        renewal.await.map_err(failed)?
    }

    /// The platform refuses this token: it is not used again.
    pub(crate) async fn forget(&self, refused: &Secret) {
        let mut held = self.held.lock().await;
        if held.as_ref().is_some_and(|held| held.token == *refused) {
            *held = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{Sleep, Timestamp};
    use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

    #[derive(Default)]
    struct Hand(AtomicI64);

    impl Clock for Hand {
        fn now(&self) -> Timestamp {
            Timestamp(self.0.load(Ordering::SeqCst))
        }

        fn sleep_until(&self, _: Timestamp) -> Sleep {
            Box::pin(std::future::ready(()))
        }
    }

    fn grants(count: &Arc<AtomicU64>) -> impl Future<Output = Result<Grant, Refusal>> + Send + 'static {
        let count = Arc::clone(count);
        async move {
            tokio::task::yield_now().await;
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            Ok(Grant {
                access_token: format!("t{number}"),
                expires_in: Some(3_600),
                refresh_token: None,
            })
        }
    }

    #[tokio::test]
    async fn one_token_is_asked_for_and_kept_until_a_minute_before_its_end() {
        let (clock, count) = (Arc::new(Hand::default()), Arc::new(AtomicU64::new(0)));
        let access = Arc::new(Access::new(Arc::clone(&clock) as Arc<dyn Clock>));
        let both = tokio::join!(access.token(|| grants(&count)), access.token(|| grants(&count)));
        assert_eq!(both.0.unwrap(), both.1.unwrap());
        clock.0.store(3_539_000, Ordering::SeqCst);
        assert_eq!(access.token(|| grants(&count)).await.unwrap().expose(), "t1");
        clock.0.store(3_540_000, Ordering::SeqCst);
        assert_eq!(access.token(|| grants(&count)).await.unwrap().expose(), "t2");
    }

    #[tokio::test]
    async fn a_refused_token_is_not_used_again_and_a_later_one_is_left_alone() {
        let count = Arc::new(AtomicU64::new(0));
        let access = Access::new(Arc::new(Hand::default()));
        let first = access.token(|| grants(&count)).await.unwrap();
        access.forget(&first).await;
        let second = access.token(|| grants(&count)).await.unwrap();
        access.forget(&first).await;
        assert_eq!(access.token(|| grants(&count)).await.unwrap(), second);
    }

    #[tokio::test]
    async fn a_renewal_goes_on_where_nobody_waits_any_more() {
        let count = Arc::new(AtomicU64::new(0));
        let access = Access::new(Arc::new(Hand::default()));
        let waiting = access.token(|| grants(&count));
        // It has begun, and is dropped at its first pause.
        assert!(futures::poll!(Box::pin(waiting)).is_pending());
        assert_eq!(access.token(|| grants(&count)).await.unwrap().expose(), "t1");
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}
