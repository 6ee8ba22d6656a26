//! Reddit: the bot reads its inbox, where comments that answer or mention it and private messages come in, and answers below
//! what asked. Every rule of the platform that is followed here stands in <https://www.reddit.com/dev/api>, in the pages
//! <https://github.com/reddit-archive/reddit/wiki/API> and <https://github.com/reddit-archive/reddit/wiki/OAuth2>, or in
//! Reddit's own source, <https://github.com/reddit-archive/reddit>.
//!
//! | on Reddit | here |
//! |---|---|
//! | a post, `t3_1abcd2` | a chat, a group |
//! | a comment that asks, `t1_k3c9x2` | a message, and the thread that its answer belongs to |
//! | the comment below it | the answer |
//! | a person who writes privately | a chat, `u/alice`, direct |
//! | a private message, `t4_2ab3c` | a message; the next text to that person answers the last one that came |
//!
//! What holds:
//!
//! - An item of the inbox is marked read only once it is durable here; until then Reddit hands it over again.
//! - What the bot wrote itself is marked read and nothing else.
//! - A text for a thread lands below the comment that the thread is called by; one for a post alone, below the post.

mod api;
mod item;
mod kind;
mod receive;
mod refusal;
mod send;
mod thread;

use crate::recent::Recent;
use crate::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Rates, Refusal, ThreadPart, ThreadQuery, platform,
    rates,
};
use api::Api;
use async_trait::async_trait;
use foldback_wire::{Attachment, Capabilities, ChannelId, ChatId, Clock, MessageId, RefusalCode, Secret};
pub(crate) use kind::KIND;
use std::sync::Arc;

/// Address of the API, which takes access tokens.
const REDDIT: &str = "https://oauth.reddit.com";
/// Address at which they are asked for, unless another root is configured.
const TOKENS: &str = "https://www.reddit.com";

/// An account, and the app that it acts through.
#[derive(Debug, Clone)]
pub struct RedditAccount {
    /// Its name, without `u/`.
    pub name: String,
    /// The app's id.
    pub client_id: String,
    /// The app's secret.
    pub client_secret: Secret,
    /// Its way in.
    pub login: RedditLogin,
}

/// The ways to an access token: <https://github.com/reddit-archive/reddit/wiki/OAuth2>.
#[derive(Debug, Clone)]
pub enum RedditLogin {
    /// A refresh token of a permanent authorization.
    RefreshToken(Secret),
    /// The account's password, for an app of the type script of its own.
    Password(Secret),
}

/// An account of a bot on Reddit.
pub struct Reddit {
    channel: ChannelId,
    capabilities: Capabilities,
    api: Api,
    clock: Arc<dyn Clock>,
    /// The last private message of each person.
    asked: Recent<ChatId, MessageId>,
}

impl Reddit {
    /// The bot of an account. `root` is the address of the API, the usual one or another server of it that gives out tokens,
    /// too; only a local one may do without https.
    ///
    /// # Errors
    /// When `root` is no address the credentials may be sent to, or the name is none.
    pub fn new(
        channel: ChannelId,
        capabilities: Capabilities,
        account: RedditAccount,
        root: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            channel,
            capabilities,
            api: Api::new(root, account, Arc::clone(&clock))?,
            clock,
            asked: Recent::default(),
        })
    }
}

#[async_trait]
impl ChannelAdapter for Reddit {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn rates(&self) -> Rates {
        rates(platform::REDDIT)
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.receive(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.send(&call.target, &call.operation).await
    }

    async fn fetch(&self, _: &ChatId, file: &Attachment, _: u64) -> Result<Vec<u8>, Refusal> {
        // Its items hold text and addresses alone, so that nothing has a handle.
        Err(Refusal::new(
            RefusalCode::Unsupported,
            format!("Reddit hands over no files, and {} is none of its own", file.name),
        ))
    }

    async fn read_thread(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        self.ancestors(query).await
    }
}
