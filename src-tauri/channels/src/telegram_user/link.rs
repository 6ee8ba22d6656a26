//! The connection to Telegram, which is made when something is asked: the library's pool of connections, and calls over it.

use super::file::telegram_session_file;
use super::peers::person;
use super::refusal::{CallEffect, refusal};
use super::session::AccountSession;
use super::{TelegramUser, TelegramUserApp};
use crate::Refusal;
use foldback_wire::RefusalCode;
use grammers_client::sender::{ConnectionParams, NoRetries, SenderPool, SenderPoolFatHandle};
use grammers_client::session::updates::UpdatesLike;
use grammers_client::{Client, tl};
use std::num::NonZeroUsize;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// The time that a call may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Language of what Telegram itself writes.
const LANGUAGE: &str = "en";
/// Most updates that wait; beyond those, Telegram is asked for what was missed.
const WAITING: usize = 1_024;

/// A pool of connections, open as long as somebody has it.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) handle: SenderPoolFatHandle,
    pub(super) session: Arc<AccountSession>,
}

impl Link {
    /// A pool for a session, and what it is told of its own accord. It connects with the first call.
    pub(super) fn open(
        session: Arc<AccountSession>,
        app: &TelegramUserApp,
    ) -> (Self, mpsc::Receiver<UpdatesLike>) {
        let (api_id, is_ipv6) = (app.api_id, app.root.is_ipv6());
        // All by itself: the library would run programs of the system to tell its version and its language.
        let parameters = ConnectionParams {
            device_model: "Foldback".to_owned(),
            system_version: std::env::consts::OS.to_owned(),
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            system_lang_code: LANGUAGE.to_owned(),
            lang_code: LANGUAGE.to_owned(),
            use_ipv6: is_ipv6,
            // The delivery queue and `reconnect.rs` decide about waits and repetitions.
            retry_policy: Box::new(NoRetries),
            updates_channel_capacity: NonZeroUsize::new(WAITING).unwrap_or(NonZeroUsize::MIN),
            __non_exhaustive: (),
        };
        let pool = SenderPool::with_configuration(Arc::clone(&session), api_id, parameters);
        // It ends with the last handle.
        tokio::spawn(pool.runner.run());
        let client = Client::new(pool.handle.clone());
        let link = Self {
            client,
            handle: pool.handle,
            session,
        };
        (link, pool.updates)
    }

    /// The account itself.
    pub(super) async fn me(&self) -> Result<tl::types::User, Refusal> {
        let id = vec![tl::enums::InputUser::UserSelf];
        let users = self
            .call(&tl::functions::users::GetUsers { id }, CallEffect::Nothing)
            .await?;
        let me = users.into_iter().find_map(|user| match user {
            tl::enums::User::User(user) => Some(user),
            tl::enums::User::Empty(_) => None,
        });
        let strange = || Refusal::new(RefusalCode::Transient, "Telegram does not say who the account is");
        let me = me.ok_or_else(strange)?;
        if let Some(known) = person(&me) {
            self.session.note(&known);
        }
        Ok(me)
    }

    /// Makes a call.
    pub(super) async fn call<R: tl::RemoteCall>(
        &self,
        request: &R,
        doing: CallEffect,
    ) -> Result<R::Return, Refusal> {
        match tokio::time::timeout(PATIENCE, self.client.invoke(request)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(refusal(error, doing)),
            Err(_) => Err(doing.refused(Refusal::new(
                RefusalCode::Transient,
                format!("Telegram did not answer within {} seconds", PATIENCE.as_secs()),
            ))),
        }
    }
}

impl TelegramUser {
    /// The session that was signed in to: the one at hand, or `anew` from its file.
    pub(super) fn open_session(&self, anew: bool) -> Result<Arc<AccountSession>, Refusal> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        let mut at_hand = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = at_hand.as_ref().filter(|_| !anew) {
            return Ok(Arc::clone(session));
        }
        *at_hand = None;
        let path = telegram_session_file(&self.data, &self.channel);
        let denied = |why: String| Refusal::new(RefusalCode::Unauthorized, why).never_sent();
        let session = AccountSession::open(path, &self.app)
            .map_err(|error| denied(format!("the session cannot be read: {error}")))?;
        if session.account().is_none() {
            return Err(denied(self.sign_in_again("nobody has signed in to the account")));
        }
        let session = Arc::new(session);
        *at_hand = Some(Arc::clone(&session));
        Ok(session)
    }

    /// The way out, for a person.
    pub(super) fn sign_in_again(&self, why: &str) -> String {
        let channel = &self.channel;
        format!("{why}; run `foldback telegram-user sign-in {channel}`, then switch the channel off and on")
    }

    /// The connection of the moment, or the first one.
    pub(super) async fn link(&self) -> Result<Link, Refusal> {
        let mut current = self.link.lock().await;
        if let Some(link) = current.as_ref() {
            return Ok(link.clone());
        }
        let (link, _) = Link::open(self.open_session(false)?, &self.app);
        *current = Some(link.clone());
        Ok(link)
    }

    /// Another connection in the place of the current one, which ends with the last call on it. A person may have signed in
    /// to another session before the first one of a run.
    pub(super) async fn link_anew(
        &self,
        is_first: bool,
    ) -> Result<(Link, mpsc::Receiver<UpdatesLike>), Refusal> {
        let mut current = self.link.lock().await;
        let (link, updates) = Link::open(self.open_session(is_first)?, &self.app);
        *current = Some(link.clone());
        Ok((link, updates))
    }

    /// The refusal of a call that reached nobody, with the address.
    pub(super) fn unreached(&self, refusal: Refusal) -> Refusal {
        Refusal {
            detail: format!("cannot reach tcp://{}: {}", self.app.root, refusal.detail),
            ..refusal
        }
    }
}
