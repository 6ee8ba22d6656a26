//! A channel with credentials: they are read anew whenever it connects, so that a person who mends a token switches
//! the channel off and on, and nothing else has to end.

use super::{
    adapters::{ChannelError, Made},
    lock,
};
use async_trait::async_trait;
use foldback_channels::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Rates, Refusal, ThreadPart, ThreadQuery,
};
use foldback_wire::{Attachment, Capabilities, ChatId, RefusalCode, Secret};
use std::sync::{Arc, Mutex};

/// Credentials as they were read; `None` for one that cannot be had.
pub(super) type Credentials = Vec<Option<Secret>>;

/// An adapter that is made anew when its credentials have changed.
pub(super) struct Renewed {
    can: Capabilities,
    parts: Arc<Parts>,
}

/// What makes it.
struct Parts {
    read: Box<dyn Fn() -> Credentials + Send + Sync>,
    make: Box<dyn Fn() -> Made + Send + Sync>,
    now: Mutex<Now>,
}

/// The adapter, or why there is none, and the credentials it was made from.
struct Now {
    from: Credentials,
    made: Result<Arc<dyn ChannelAdapter>, Refusal>,
}

impl Renewed {
    /// Makes the adapter. Where a credential cannot be had the channel has none yet and says so when it connects;
    /// anything else that is wrong with its settings is an error.
    pub(super) fn new(
        can: Capabilities,
        read: impl Fn() -> Credentials + Send + Sync + 'static,
        make: impl Fn() -> Made + Send + Sync + 'static,
    ) -> Result<Self, ChannelError> {
        let from = read();
        let made = match make() {
            Err(error) if error.is_mended_without_start() => Err(refused(&error)),
            made => Ok(made?),
        };
        let parts = Parts {
            read: Box::new(read),
            make: Box::new(make),
            now: Mutex::new(Now { from, made }),
        };
        Ok(Self {
            can,
            parts: Arc::new(parts),
        })
    }
}

impl Parts {
    /// The adapter of the credentials as they are now. What it remembers lasts as long as they do.
    fn renew(&self) -> Result<Arc<dyn ChannelAdapter>, Refusal> {
        let from = (self.read)();
        if lock(&self.now).is_outdated(&from) {
            // Not under the lock: who performs an operation meanwhile does not wait for a keyring.
            let made = (self.make)().map_err(|error| refused(&error));
            *lock(&self.now) = Now { from, made };
        }
        self.made()
    }

    /// The adapter as it was made last.
    fn made(&self) -> Result<Arc<dyn ChannelAdapter>, Refusal> {
        lock(&self.now).made.clone()
    }
}

impl Now {
    /// Whether the adapter is to be made anew from these credentials. One that works outlives that a credential cannot
    /// be had for a while.
    fn is_outdated(&self, from: &Credentials) -> bool {
        let lost = |(now, before): (&Option<Secret>, &Option<Secret>)| now.is_none() && before.is_some();
        self.made.is_err() || (self.from != *from && !from.iter().zip(&self.from).any(lost))
    }
}

/// Why it does not connect; not tried again by itself.
fn refused(error: &ChannelError) -> Refusal {
    Refusal::new(RefusalCode::Rejected, error.to_string())
}

#[async_trait]
impl ChannelAdapter for Renewed {
    fn capabilities(&self) -> &Capabilities {
        &self.can
    }

    fn rates(&self) -> Rates {
        let made = &lock(&self.parts.now).made;
        made.as_ref().map_or(Rates::NONE, |adapter| adapter.rates())
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        let made = if connection.is_first() {
            // A keyring may wait for a person who opens it.
            let parts = Arc::clone(&self.parts);
            match tokio::task::spawn_blocking(move || parts.renew()).await {
                Ok(renewed) => renewed,
                Err(error) => {
                    let failed = Refusal::new(RefusalCode::Transient, error.to_string());
                    return ConnectionEnd::Lost(failed);
                }
            }
        } else {
            self.parts.made()
        };
        match made {
            Ok(adapter) => adapter.connect(connection).await,
            Err(refusal) => ConnectionEnd::Refused(Refusal {
                detail: refusal.to_string(),
                ..refusal
            }),
        }
    }

    async fn disconnect(&self, connection: &Connection) {
        if let Ok(adapter) = self.parts.made() {
            adapter.disconnect(connection).await;
        }
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.parts.made()?.perform(call).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.parts.made()?.fetch(chat, file, limit).await
    }

    async fn read_thread(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        self.parts.made()?.read_thread(query).await
    }
}

#[cfg(test)]
mod tests {
    use super::super::adapters::build;
    use foldback_channels::{Signal, stay_connected};
    use foldback_pipeline::{
        SeededRng, TokioClock,
        config::{self, CredentialReader},
    };
    use foldback_wire::{Clock, Rng};
    use std::{path::Path, sync::Arc};
    use tokio::sync::mpsc;
    use tokio_util::sync::CancellationToken;

    #[tokio::test]
    async fn a_secret_that_is_mended_is_read_when_the_channel_connects_again() {
        let dir = tempfile::tempdir().unwrap();
        let text = "[channels.telegram]\ntoken = { file = \"token\" }\napi_root = \"http://127.0.0.1:9\"\n";
        let config = Arc::new(config::parse(text, Path::new("x.toml")).unwrap());
        let redaction = config.redaction(dir.path()).unwrap();
        let credentials = CredentialReader::new(dir.path().to_owned(), Some(redaction.clone()));
        let clock: Arc<dyn Clock> = Arc::new(TokioClock::system());
        let rng: Arc<dyn Rng> = Arc::new(SeededRng::new(1));
        let adapters = build(&config, dir.path(), &credentials, dir.path(), None, &clock, &rng).unwrap();
        let (_, telegram) = &adapters.all[0];
        let (sink, mut signals) = mpsc::channel(8);
        let run = |stop| {
            stay_connected(
                Arc::clone(telegram),
                sink.clone(),
                stop,
                clock.clone(),
                rng.clone(),
            )
        };
        let refused = run(CancellationToken::new()).await.unwrap_err();
        assert!(
            refused
                .detail
                .starts_with("rejected: channels.telegram.token: the secret file"),
            "{refused}"
        );
        let reported = signals.recv().await;
        assert!(
            matches!(&reported, Some(Signal::State { why, .. }) if *why == refused.detail),
            "{reported:?}"
        );

        for token in ["123:abcdef", "456:ghijkl"] {
            std::fs::write(dir.path().join("token"), format!("{token}\n")).unwrap();
            let stop = CancellationToken::new();
            let again = tokio::spawn(run(stop.clone()));
            // Nobody listens there, but now it has a token to ask with.
            let came = signals.recv().await;
            assert!(matches!(came, Some(Signal::State { .. }) | None), "{came:?}");
            stop.cancel();
            let ended = again.await.unwrap();
            assert!(
                ended
                    .as_ref()
                    .err()
                    .is_none_or(|refusal| !refusal.detail.contains("secret file")),
                "{ended:?}"
            );
        }
        assert_eq!(
            redaction.text("123:abcdef, 456:ghijkl"),
            "[redacted], [redacted]",
            "the new one, and the old one still"
        );
    }
}
