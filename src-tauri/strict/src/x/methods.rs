//! The calls.

use super::answer::{Answer, oauth, problem, refuse};
use super::rules::{
    BODY, CLIENT, FIELDS, PAGE, PARAMETER, REPLY, RESULTS, REUSED, SINCE, TEXT, TOKEN_FORM, USER,
};
use super::state::{Closed, Posted, State};
use super::weight::weight;
use crate::calls::basic;
use axum::http::HeaderMap;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

type Fields = BTreeMap<String, String>;
type Done = Result<Value, Answer>;

/// Fields and expansions of the mentions: <https://docs.x.com/x-api/users/get-mentions>.
const KNOWN: [(&str, &[&str]); 3] = [
    (
        "tweet.fields",
        &[
            "author_id",
            "conversation_id",
            "created_at",
            "entities",
            "in_reply_to_user_id",
            "lang",
            "note_tweet",
            "public_metrics",
            "referenced_tweets",
            "text",
        ],
    ),
    (
        "expansions",
        &[
            "author_id",
            "in_reply_to_user_id",
            "referenced_tweets.id",
            "referenced_tweets.id.author_id",
        ],
    ),
    ("user.fields", &["created_at", "name", "username", "verified"]),
];

/// An id, as text.
fn id(text: &str) -> Option<u64> {
    let is_one = (1..=19).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_one.then(|| text.parse().ok()).flatten()
}

fn invalid(rule: crate::Rule, detail: &str) -> Answer {
    refuse(rule, 400, detail)
}

impl State {
    /// <https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code>
    pub(super) fn give_token(&mut self, headers: &HeaderMap, form: &Fields) -> Done {
        let wrong = |words: &str| oauth(Some(TOKEN_FORM), 400, "invalid_request", words);
        let known = ["grant_type", "refresh_token", "client_id"];
        if form.len() != 3 || !known.iter().all(|name| form.contains_key(*name)) {
            return Err(wrong("Missing required parameter."));
        }
        if form["grant_type"] != "refresh_token" || form["client_id"] != self.client.id {
            return Err(wrong("Value passed for the client was invalid."));
        }
        if let Some(secret) = &self.client.secret {
            match basic(headers) {
                None => {
                    let words = "Missing valid authorization header";
                    return Err(oauth(Some(CLIENT), 401, "unauthorized_client", words));
                }
                Some(given) if given != (self.client.id.clone(), secret.clone()) => {
                    return Err(oauth(None, 401, "unauthorized_client", "Invalid client secret"));
                }
                Some(_) => {}
            }
        }
        let token = &form["refresh_token"];
        if *token != self.refresh {
            let rule = self.used.contains(token).then_some(REUSED);
            return Err(oauth(
                rule,
                400,
                "invalid_request",
                "Value passed for the token was invalid.",
            ));
        }
        self.given += 1;
        self.used.insert(std::mem::replace(
            &mut self.refresh,
            format!("refresh-{}", self.given),
        ));
        let access = format!("access-{}", self.given);
        self.tokens.insert(access.clone());
        Ok(json!({
            "token_type": "bearer", "expires_in": 7_200, "access_token": access, "refresh_token": self.refresh,
            "scope": "tweet.read tweet.write users.read offline.access",
        }))
    }

    pub(super) fn me(&self, given: &Fields) -> Done {
        if given.is_empty() {
            Ok(json!({"data": self.user(self.client.user)}))
        } else {
            Err(invalid(PARAMETER, "there is no such parameter"))
        }
    }

    /// <https://docs.x.com/x-api/users/get-mentions>
    pub(super) fn list_mentions(&mut self, user: &str, given: &Fields) -> Done {
        if id(user) != Some(self.client.user) {
            return Err(invalid(USER, "the id is another user's"));
        }
        let parameters = ["max_results", "since_id", "pagination_token"];
        for (name, value) in given {
            match KNOWN.iter().find(|(known, _)| known == name) {
                Some((_, known)) if value.split(',').all(|part| known.contains(&part)) => {}
                Some(_) => return Err(invalid(FIELDS, "there is no such field")),
                None if parameters.contains(&name.as_str()) => {}
                None => return Err(invalid(PARAMETER, "there is no such parameter")),
            }
        }
        let most = given
            .get("max_results")
            .map_or(Some(10), |most| most.parse().ok());
        let Some(most @ 5..=100) = most else {
            return Err(invalid(RESULTS, "max_results is 5 to 100"));
        };
        let since = match given.get("since_id") {
            None => 0,
            Some(text) => id(text)
                .filter(|id| *id > 0)
                .ok_or_else(|| invalid(SINCE, "since_id is an id"))?,
        };
        let before = match given.get("pagination_token") {
            None => u64::MAX,
            Some(token) => *self
                .pages
                .get(token)
                .ok_or_else(|| invalid(PAGE, "no such page"))?,
        };
        self.polls += 1;
        let found = || self.mentions.range(since + 1..before).rev();
        let page: Vec<u64> = found().take(most).map(|(id, _)| *id).collect();
        let rest = found().count() > page.len();
        let mut meta = json!({"result_count": page.len()});
        if let (Some(newest), Some(oldest)) = (page.first(), page.last()) {
            meta["newest_id"] = newest.to_string().into();
            meta["oldest_id"] = oldest.to_string().into();
            if rest {
                let token = format!("page{}", self.pages.len());
                meta["next_token"] = token.clone().into();
                self.pages.insert(token, *oldest);
            }
        }
        if page.is_empty() {
            return Ok(json!({"meta": meta}));
        }
        let data: Vec<_> = page
            .iter()
            .filter_map(|id| self.mentions.get(id).cloned())
            .collect();
        let parents: BTreeSet<_> = page.iter().filter_map(|id| self.posts.get(id)?.parent).collect();
        let authors: BTreeSet<_> = page
            .iter()
            .chain(&parents)
            .filter_map(|id| Some(self.posts.get(id)?.author))
            .collect();
        Ok(json!({"data": data, "meta": meta, "includes": {
            "users": authors.into_iter().map(|id| self.user(id)).collect::<Vec<_>>(),
            "tweets": parents.into_iter().map(|id| self.told(id)).collect::<Vec<_>>(),
        }}))
    }

    /// <https://docs.x.com/x-api/posts/create-post>
    pub(super) fn create(&mut self, body: &Value) -> Done {
        let Some(fields) = body.as_object() else {
            return Err(invalid(BODY, "the body is an object"));
        };
        if fields
            .keys()
            .any(|name| !["text", "reply"].contains(&name.as_str()))
        {
            return Err(invalid(BODY, "there is no such field"));
        }
        let text = body["text"].as_str().unwrap_or_default();
        if text.trim().is_empty() {
            return Err(invalid(TEXT, "the text is empty"));
        }
        if weight(text) > 280 {
            return Err(refuse(TEXT, 403, "You are not permitted to perform this action."));
        }
        let reply = &body["reply"];
        let parent = reply["in_reply_to_tweet_id"].as_str().and_then(id);
        let only = reply.as_object().is_some_and(|reply| reply.len() == 1);
        let Some(parent) = parent.filter(|_| only) else {
            return Err(invalid(REPLY, "in_reply_to_tweet_id is an id"));
        };
        let gone = "You attempted to reply to a Tweet that is deleted or not visible to you.";
        match self.closed.get(&parent) {
            _ if !self.posts.contains_key(&parent) => return Err(problem(403, gone)),
            Some(Closed::Gone) => return Err(problem(403, gone)),
            Some(Closed::Restricted) => {
                let words = "Reply to this conversation is not allowed because you have not been mentioned or \
                             otherwise engaged by the author of the post you are replying to.";
                return Err(problem(403, words));
            }
            None => {}
        }
        let posted = Posted {
            author: self.client.user,
            text: text.to_owned(),
            parent: Some(parent),
        };
        if self.client.refuses_duplicates && self.posts.values().any(|other| *other == posted) {
            return Err(problem(
                403,
                "You are not allowed to create a Tweet with duplicate content.",
            ));
        }
        let id = self.keep(posted).to_string();
        Ok(json!({"data": {"id": id, "text": text, "edit_history_tweet_ids": [id]}}))
    }
}
