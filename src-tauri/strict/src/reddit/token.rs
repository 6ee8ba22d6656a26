//! Access tokens: <https://github.com/reddit-archive/reddit/wiki/OAuth2>.

use super::answer::{Answer, oauth, refuse, status};
use super::rules::{BASIC, GRANT};
use super::state::State;
use crate::calls::basic;
use axum::http::HeaderMap;
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl State {
    pub(super) fn give_token(
        &mut self,
        headers: &HeaderMap,
        form: &BTreeMap<String, String>,
    ) -> Result<Value, Answer> {
        let Some((id, secret)) = basic(headers) else {
            return Err(refuse(BASIC, 401));
        };
        if (id, secret) != (self.app.client_id.clone(), self.app.client_secret.clone()) {
            // Breaks no rule: it is the wrong secret.
            return Err(status(401));
        }
        let field = |name: &str| form.get(name).map(String::as_str);
        let known = ["grant_type", "refresh_token", "username", "password"];
        if form.keys().any(|name| !known.contains(&name.as_str())) {
            return Err(refuse(GRANT, 400));
        }
        match (
            field("grant_type"),
            field("refresh_token"),
            field("username"),
            field("password"),
        ) {
            (Some("refresh_token"), Some(token), None, None) => {
                if token != self.app.refresh_token {
                    return Err(status(400));
                }
            }
            (Some("password"), None, Some(name), Some(password)) => {
                if !name.eq_ignore_ascii_case(&self.app.name) || password != self.app.password {
                    return Err(oauth("invalid_grant"));
                }
            }
            _ => return Err(refuse(GRANT, 400)),
        }
        self.given += 1;
        let token = format!("access-{}", self.given);
        self.tokens.insert(token.clone());
        Ok(json!({
            "access_token": token, "token_type": "bearer", "expires_in": self.app.lasts,
            "scope": "edit identity privatemessages read submit",
        }))
    }
}
