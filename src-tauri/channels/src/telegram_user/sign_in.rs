//! Signing in: <https://core.telegram.org/api/auth>. A code goes to the person's other devices; whoever has it, and the
//! password where there is one, makes the session the account's.

use super::TelegramUserApp;
use super::file::telegram_session_file;
use super::link::Link;
use super::peers::person;
use super::refusal::{CallEffect, moved_to, says};
use super::session::AccountSession;
use crate::Refusal;
use foldback_wire::{ChannelId, RefusalCode, Secret};
use grammers_client::tl;
use grammers_session::Session as _;
use grammers_session::types::{UpdateState, UpdatesState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The step that follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignInStep {
    /// None: the session is written, of the account of this name.
    Done(String),
    /// The code was another one.
    AnotherCode,
    /// The password, with the hint that the person left themselves.
    Password(Option<String>),
    /// The password was another one.
    AnotherPassword,
}

/// Somebody who signs in.
pub struct TelegramSignIn {
    app: TelegramUserApp,
    link: Link,
    /// What the code was sent with.
    code_hash: String,
}

impl TelegramSignIn {
    /// Begins: has a code sent to the account. A session of the channel that is signed in is another one then.
    ///
    /// # Errors
    /// Telegram's, and where the session cannot be written.
    pub async fn begin(app: TelegramUserApp, data: &Path, channel: &ChannelId) -> Result<Self, Refusal> {
        let path = telegram_session_file(data, channel);
        let broken = |error| {
            Refusal::new(
                RefusalCode::Rejected,
                format!("the session cannot be kept: {error}"),
            )
        };
        let session = Arc::new(AccountSession::open(path, &app).map_err(broken)?);
        let (link, _) = Link::open(Arc::clone(&session), &app);
        let mut begun = Self {
            app,
            link,
            code_hash: String::new(),
        };
        begun.code_hash = begun.ask_for_code().await?;
        // The key that was agreed on is of use, whatever becomes of the code.
        session.save().map_err(broken)?;
        Ok(begun)
    }

    async fn ask_for_code(&self) -> Result<String, Refusal> {
        let request = tl::functions::auth::SendCode {
            phone_number: self.app.phone.clone(),
            api_id: self.app.api_id,
            api_hash: self.app.api_hash.expose().to_owned(),
            settings: tl::types::CodeSettings {
                allow_flashcall: false,
                current_number: false,
                allow_app_hash: false,
                allow_missed_call: false,
                allow_firebase: false,
                unknown_number: false,
                logout_tokens: None,
                token: None,
                app_sandbox: None,
            }
            .into(),
        };
        let answer = match self.link.call(&request, CallEffect::Nothing).await {
            // The account is at home elsewhere: <https://core.telegram.org/api/datacenter#user-migration>.
            Err(refusal) if self.moves(&refusal).await => self.link.call(&request, CallEffect::Nothing).await,
            answer => answer,
        };
        match answer.map_err(|refusal| self.hidden(refusal))? {
            tl::enums::auth::SentCode::Code(sent) => Ok(sent.phone_code_hash),
            tl::enums::auth::SentCode::Success(_) => Err(Refusal::new(
                RefusalCode::Rejected,
                "Telegram took the account without a code, which nobody asked for",
            )),
            tl::enums::auth::SentCode::PaymentRequired(_) => Err(Refusal::new(
                RefusalCode::Rejected,
                "Telegram asks for a payment; sign in with its own app first",
            )),
        }
    }

    /// Goes to the data centre that a refusal names.
    async fn moves(&self, refusal: &Refusal) -> bool {
        let Some(centre) = moved_to(refusal) else {
            return false;
        };
        let _ = self.link.session.set_home_dc_id(centre).await;
        true
    }

    /// Enters the code.
    ///
    /// # Errors
    /// Telegram's, such as that the code is too old.
    pub async fn enter_code(&self, code: &str) -> Result<SignInStep, Refusal> {
        let request = tl::functions::auth::SignIn {
            phone_number: self.app.phone.clone(),
            phone_code_hash: self.code_hash.clone(),
            phone_code: Some(code.trim().to_owned()),
            email_verification: None,
        };
        match self.link.call(&request, CallEffect::Nothing).await {
            Ok(authorization) => self.complete(authorization).await,
            Err(refusal) if says(&refusal, "PHONE_CODE_INVALID") || says(&refusal, "PHONE_CODE_EMPTY") => {
                Ok(SignInStep::AnotherCode)
            }
            Err(refusal) if says(&refusal, "SESSION_PASSWORD_NEEDED") => {
                let asked = self.password().await?;
                Ok(SignInStep::Password(asked.hint))
            }
            Err(refusal) => Err(refusal),
        }
    }

    async fn password(&self) -> Result<tl::types::account::Password, Refusal> {
        let asked = self
            .link
            .call(&tl::functions::account::GetPassword {}, CallEffect::Nothing)
            .await?;
        let tl::enums::account::Password::Password(asked) = asked;
        Ok(asked)
    }

    /// Enters the password.
    ///
    /// # Errors
    /// Telegram's, and where it asks in a way that would give the password away.
    pub async fn enter_password(&self, password: &Secret) -> Result<SignInStep, Refusal> {
        let asked = self.password().await?;
        let password = password.clone();
        // It takes a second of a processor.
        let proof = tokio::task::spawn_blocking(move || Self::proof(&asked, &password)).await;
        let proof = proof.map_err(|error| Refusal::new(RefusalCode::Transient, error.to_string()))??;
        let password = tl::enums::InputCheckPasswordSrp::Srp(proof);
        let request = tl::functions::auth::CheckPassword { password };
        match self.link.call(&request, CallEffect::Nothing).await {
            Ok(authorization) => self.complete(authorization).await,
            Err(refusal) if says(&refusal, "PASSWORD_HASH_INVALID") => Ok(SignInStep::AnotherPassword),
            Err(refusal) => Err(refusal),
        }
    }

    /// Writes the session. What was written before it is nobody's message: updates count from here.
    async fn complete(&self, authorization: tl::enums::auth::Authorization) -> Result<SignInStep, Refusal> {
        let rejected = |why: String| Refusal::new(RefusalCode::Rejected, why);
        let user = match authorization {
            tl::enums::auth::Authorization::Authorization(authorization) => authorization.user,
            tl::enums::auth::Authorization::SignUpRequired(_) => {
                let why = "no account has this number; make one with Telegram's own app first";
                return Err(rejected(why.to_owned()));
            }
        };
        let tl::enums::User::User(user) = user else {
            return Err(rejected("Telegram does not say who the account is".to_owned()));
        };
        let state = self
            .link
            .call(&tl::functions::updates::GetState {}, CallEffect::Nothing)
            .await?;
        let tl::enums::updates::State::State(state) = state;
        let session = &self.link.session;
        session.sign_in(user.id);
        if let Some(known) = person(&user) {
            session.note(&known);
        }
        let counts = UpdatesState {
            pts: state.pts,
            qts: state.qts,
            date: state.date,
            seq: state.seq,
            channels: Vec::new(),
        };
        let _ = session.set_update_state(UpdateState::All(counts)).await;
        session
            .save()
            .map_err(|error| rejected(format!("the session cannot be written: {error}")))?;
        Ok(SignInStep::Done(user.username.unwrap_or(self.app.phone.clone())))
    }

    /// The path of the session's file.
    pub fn path(&self) -> PathBuf {
        self.link.session.path().to_owned()
    }

    /// A refusal in which the app's secret is not.
    fn hidden(&self, refusal: Refusal) -> Refusal {
        Refusal {
            detail: self.app.api_hash.hide_in(&refusal.detail),
            ..refusal
        }
    }
}
