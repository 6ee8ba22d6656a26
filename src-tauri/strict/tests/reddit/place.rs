//! A bot, its server, a post, a person and a folder of files.

use crate::shared::calls::{call, said, target};
use crate::shared::time::Hasty;
use foldback_channels::{
    Ack, ChannelAdapter, Reddit, RedditAccount, RedditLogin, Refusal, platform, profile,
};
use foldback_strict::reddit::{RedditApp, RedditServer};
use foldback_wire::{ChannelId, Operation, Secret};
use std::sync::Arc;

pub(crate) const NAME: &str = "Foldback_Bot";
pub(crate) const SECRET: &str = "app-secret-of-a-test";
pub(crate) const TOKEN: &str = "refresh-token-of-a-test";
pub(crate) const PASSWORD: &str = "password-of-a-test";
pub(crate) const CLIENT: &str = "aPpIdOfATest01";
/// A post that the bot may comment on.
pub(crate) const POST: &str = "t3_1abcd2";
/// A person.
pub(crate) const ANA: &str = "ana_lima";

pub(crate) struct Place {
    pub(crate) server: RedditServer,
    pub(crate) adapter: Arc<Reddit>,
    pub(crate) dir: tempfile::TempDir,
}

impl Place {
    pub(crate) async fn open() -> Self {
        Self::lasting(3_600).await
    }

    /// The same, with access tokens that last so many seconds.
    pub(crate) async fn lasting(lasts: u64) -> Self {
        let app = RedditApp {
            name: NAME.into(),
            client_id: CLIENT.into(),
            client_secret: SECRET.into(),
            refresh_token: TOKEN.into(),
            password: PASSWORD.into(),
            lasts,
        };
        let server = RedditServer::start(app).await.unwrap();
        server.open_post(POST, "Which laptop?");
        server.open_person(ANA);
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.txt", &b"hello"[..]), ("a.ogg", b"OggS")] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let adapter = Arc::new(made(account(), &server.root()).unwrap());
        Self { server, adapter, dir }
    }

    pub(crate) async fn perform(&self, operation: Operation) -> Result<Ack, Refusal> {
        self.perform_in(POST, None, operation).await
    }

    pub(crate) async fn perform_in(
        &self,
        chat: &str,
        thread: Option<&str>,
        operation: Operation,
    ) -> Result<Ack, Refusal> {
        self.adapter.perform(call(target(chat, thread), operation)).await
    }

    pub(crate) async fn send(&self, text: &str) -> Result<Ack, Refusal> {
        self.perform(said(text)).await
    }
}

pub(crate) fn account() -> RedditAccount {
    RedditAccount {
        name: NAME.into(),
        client_id: CLIENT.into(),
        client_secret: Secret::new(SECRET),
        login: RedditLogin::RefreshToken(Secret::new(TOKEN)),
    }
}

pub(crate) fn made(account: RedditAccount, root: &str) -> Result<Reddit, Refusal> {
    Reddit::new(
        ChannelId::new("reddit"),
        profile(platform::REDDIT),
        account,
        root,
        Arc::new(Hasty),
    )
}
