//! Refresh tokens, of which each is used once: <https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code>.
//! The documentation says how one is used, and not that it is used up; the answer holds another one
//! (<https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token>), and the old one is refused from then on.
//!
//! An answer that does not arrive, or a process that is killed between it and the end of the write, loses both: then the app
//! is authorized anew.

use super::XApp;
use super::service::{SERVICE, refused};
use crate::Refusal;
use crate::kept::KeptFile;
use crate::oauth::{Grant, digest};
use foldback_wire::{RefusalCode, Secret};
use reqwest::RequestBuilder;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The token that is to be used next, and the file that it is kept in.
#[derive(Debug)]
pub(super) struct RefreshToken {
    /// Of the configured one: where that changes, what is kept came from another authorization.
    configured: String,
    file: KeptFile,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    next: Secret,
    /// The reason for which the next one is in no file, to be told once.
    unsaved: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    configured: String,
    refresh_token: String,
}

/// <https://www.rfc-editor.org/rfc/rfc6749#section-5.2>
#[derive(Debug, Default, Deserialize)]
struct Refused {
    error: Option<String>,
    error_description: Option<String>,
}

impl RefreshToken {
    pub(super) fn new(app: &XApp, file: KeptFile) -> Self {
        let configured = digest(&[app.refresh_token.expose().as_bytes()]);
        let (mut next, mut unsaved) = (app.refresh_token.clone(), None);
        match file.read::<Kept>() {
            Ok(Some(kept)) if kept.configured == configured => next = Secret::new(kept.refresh_token),
            Ok(_) => {}
            Err(error) => {
                let path = file.path().display();
                unsaved = Some(format!(
                    "The refresh token of X in {path} cannot be read: {error}."
                ));
            }
        }
        Self {
            configured,
            file,
            state: Mutex::new(State { next, unsaved }),
        }
    }

    pub(super) fn next(&self) -> Secret {
        self.lock().next.clone()
    }

    /// Words for a person about the file.
    pub(super) fn take_trouble(&self) -> Option<String> {
        self.lock().unsaved.take()
    }

    /// Keeps the token that is used next.
    fn replace(&self, next: String) {
        let kept = Kept {
            configured: self.configured.clone(),
            refresh_token: next,
        };
        let written = self.file.write(&kept);
        let mut state = self.lock();
        state.next = Secret::new(kept.refresh_token);
        state.unsaved = written.err().map(|error| {
            let path = self.file.path().display();
            format!(
                "The next refresh token of X cannot be written to {path}: {error}. Once Foldback ends, the app has to be \
                 authorized anew."
            )
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for an access token, and keeps the refresh token that comes with it.
    pub(super) async fn renew(&self, request: RequestBuilder, client_id: &str) -> Result<Grant, Refusal> {
        let token = self.next();
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", token.expose()),
            ("client_id", client_id),
        ];
        let answer = SERVICE.send(request.form(&form)).await?;
        if !answer.status.is_success() {
            let said: Refused = serde_json::from_slice(&answer.body).unwrap_or_default();
            let Some(error) = said.error.filter(|_| answer.status.is_client_error()) else {
                return Err(refused(&answer));
            };
            let words = said.error_description.unwrap_or_default();
            let words = token.hide_in(&format!("{error}: {words}"));
            let what = "X refuses the refresh token or the app, authorize the app anew";
            return Err(Refusal::new(
                RefusalCode::Unauthorized,
                format!("{what}: {words}"),
            ));
        }
        // Not what the answer says: it holds the tokens.
        let mut grant: Grant =
            serde_json::from_slice(&answer.body).map_err(|_| SERVICE.strange(&"no access token"))?;
        if let Some(next) = grant.refresh_token.take() {
            self.replace(next);
        }
        Ok(grant)
    }
}
