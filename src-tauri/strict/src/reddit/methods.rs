//! The calls.

use super::answer::{Answer, error, refuse, status, too_often, wrong};
use super::rules::{
    CONTEXT, EDIT, FULLNAME, JSON, LIMIT, MARK, MARKED, PARAMETER, PARENT, SUBJECT, TEXT, TO,
};
use super::state::{Closed, Posted, State, is_fullname};
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Fields = BTreeMap<String, String>;
type Done = Result<Value, Answer>;

/// Refuses parameters that a call does not have.
fn only(given: &Fields, known: &[&str]) -> Result<(), Answer> {
    let known = |name: &String| known.contains(&name.as_str()) || name == "raw_json";
    if given.keys().all(known) {
        Ok(())
    } else {
        Err(refuse(PARAMETER, 400))
    }
}

fn field<'a>(given: &'a Fields, name: &str) -> &'a str {
    given.get(name).map(String::as_str).unwrap_or_default()
}

/// The text of a form, whose answer is JSON.
fn text(given: &Fields) -> Result<&str, Answer> {
    if field(given, "api_type") != "json" {
        return Err(refuse(JSON, 400));
    }
    let text = field(given, "text");
    if text.trim().is_empty() {
        return Err(wrong(TEXT, "NO_TEXT", "we need something here", "text"));
    }
    if text.chars().count() > 10_000 {
        return Err(wrong(TEXT, "TOO_LONG", "this is too long (max: 10000)", "text"));
    }
    Ok(text)
}

impl State {
    pub(super) fn me(&self, given: &Fields) -> Done {
        only(given, &[])?;
        Ok(json!({"name": self.app.name, "id": "b0t"}))
    }

    pub(super) fn list_unread(&mut self, given: &Fields) -> Done {
        only(
            given,
            &["limit", "mark", "after", "before", "count", "mid", "max_replies"],
        )?;
        let limit = field(given, "limit").parse().unwrap_or(25);
        if !(1..=100).contains(&limit) {
            return Err(refuse(LIMIT, 400));
        }
        if !["true", "false"].contains(&field(given, "mark")) {
            return Err(refuse(MARK, 400));
        }
        self.polls += 1;
        // The newest first.
        let items: Vec<_> = self
            .unread
            .iter()
            .rev()
            .take(limit)
            .map(|(_, item)| item.clone())
            .collect();
        Ok(json!({"kind": "Listing", "data": {"after": null, "children": items}}))
    }

    pub(super) fn mark_read(&mut self, given: &Fields) -> Done {
        only(given, &["id"])?;
        let names: Vec<_> = field(given, "id").split(',').collect();
        if names.len() > 25 || !names.iter().all(|name| is_fullname(name, &["t1", "t4"])) {
            return Err(refuse(MARKED, 400));
        }
        self.unread.retain(|(name, _)| !names.contains(&name.as_str()));
        Ok(json!({}))
    }

    pub(super) fn comment(&mut self, given: &Fields) -> Done {
        only(
            given,
            &["api_type", "thing_id", "text", "return_rtjson", "richtext_json"],
        )?;
        let text = text(given)?.to_owned();
        let parent = field(given, "thing_id");
        if !is_fullname(parent, &["t1", "t3", "t4"]) {
            return Err(refuse(FULLNAME, 400));
        }
        if !self.posts.contains_key(parent) && !self.things.contains_key(parent) {
            return Err(refuse(PARENT, 403));
        }
        let is_post = self.posts.contains_key(parent);
        match self.closed_for(parent) {
            None => {}
            Some(Closed::Locked) => return Err(error("THREAD_LOCKED", "Comments are locked.", "parent")),
            Some(Closed::Archived) => {
                let words = "that's a piece of history now; it's too late to reply to it";
                return Err(error("TOO_OLD", words, "parent"));
            }
            Some(Closed::Deleted) if is_post => {
                let words = "the link you are commenting on has been deleted";
                return Err(error("DELETED_LINK", words, "parent"));
            }
            Some(Closed::Deleted) => {
                return Err(error(
                    "DELETED_COMMENT",
                    "that comment has been deleted",
                    "parent",
                ));
            }
            Some(Closed::Banned) => return Err(status(403)),
        }
        self.may_write()?;
        let kind = if parent.starts_with("t4_") { "t4" } else { "t1" };
        let posted = Posted {
            by_bot: true,
            text,
            parent: parent.to_owned(),
            edits: 0,
        };
        let name = self.keep(kind, posted);
        Ok(self.made(kind, &name))
    }

    pub(super) fn edit(&mut self, given: &Fields) -> Done {
        only(
            given,
            &["api_type", "thing_id", "text", "return_rtjson", "richtext_json"],
        )?;
        let text = text(given)?.to_owned();
        let name = field(given, "thing_id").to_owned();
        if !is_fullname(&name, &["t1", "t3"]) {
            return Err(refuse(FULLNAME, 400));
        }
        match self.things.get_mut(&name) {
            Some(posted) if posted.by_bot => {
                posted.text = text;
                posted.edits += 1;
            }
            _ => return Err(wrong(EDIT, "NOT_AUTHOR", "you can't do that", "thing_id")),
        }
        Ok(self.made("t1", &name))
    }

    pub(super) fn compose(&mut self, given: &Fields) -> Done {
        only(given, &["api_type", "to", "subject", "text", "from_sr"])?;
        let text = text(given)?.to_owned();
        let subject = field(given, "subject").chars().count();
        if !(1..=100).contains(&subject) {
            return Err(wrong(SUBJECT, "NO_SUBJECT", "please enter a subject", "subject"));
        }
        let to = field(given, "to");
        match self.closed.get(&format!("u/{to}")) {
            Some(Closed::Banned) => {
                let words = "that user doesn't take messages from you";
                return Err(error("NOT_WHITELISTED_BY_USER_MESSAGE", words, "to"));
            }
            _ if !self.people.contains(to) => {
                return Err(wrong(TO, "USER_DOESNT_EXIST", "that user doesn't exist", "to"));
            }
            _ => {}
        }
        self.may_write()?;
        let posted = Posted {
            by_bot: true,
            text,
            parent: format!("u/{to}"),
            edits: 0,
        };
        self.keep("t4", posted);
        Ok(json!({"json": {"errors": []}}))
    }

    /// A post and the branch that a comment ends.
    pub(super) fn branch(&self, post: &str, given: &Fields) -> Done {
        only(given, &["comment", "context", "depth", "limit", "sort"])?;
        let context: usize = field(given, "context").parse().unwrap_or(usize::MAX);
        if context > 8 {
            return Err(refuse(CONTEXT, 400));
        }
        let post = format!("t3_{post}");
        let title = self.posts.get(&post).ok_or_else(|| status(404))?;
        let comment = format!("t1_{}", field(given, "comment"));
        let mut tree = Value::Null;
        let mut at = comment.as_str();
        for _ in 0..=context {
            let Some(posted) = self.things.get(at) else { break };
            let author = if posted.by_bot {
                Some(&self.app.name)
            } else {
                self.authors.get(at)
            };
            let replies = if tree.is_null() {
                json!("")
            } else {
                json!({"kind": "Listing", "data": {"children": [tree]}})
            };
            tree = json!({"kind": "t1", "data": {
                "name": at, "author": author, "body": posted.text, "parent_id": posted.parent, "replies": replies,
            }});
            at = &posted.parent;
        }
        Ok(json!([
            {"kind": "Listing", "data": {"children": [{"kind": "t3", "data": {
                "name": post, "author": "OP-of-it", "title": title, "selftext": "",
            }}]}},
            {"kind": "Listing", "data": {"children": if tree.is_null() { json!([]) } else { json!([tree]) }}},
        ]))
    }

    /// Refuses an account that may not write now.
    fn may_write(&mut self) -> Result<(), Answer> {
        match self.too_often.take() {
            Some((words, seconds)) => Err(too_often(&words, seconds)),
            None => Ok(()),
        }
    }

    fn made(&self, kind: &str, name: &str) -> Value {
        let text = self.things.get(name).map(|posted| posted.text.as_str());
        json!({"json": {"errors": [], "data": {"things": [{"kind": kind, "data": {
            "name": name, "body": text, "created_utc": 1_700_000_000.0, "author": self.app.name,
        }}]}}})
    }
}
