//! Operations as calls: comments and answers to private messages (<https://www.reddit.com/dev/api#POST_api_comment>), new
//! private messages (<https://www.reddit.com/dev/api#POST_api_compose>), and edits
//! (<https://www.reddit.com/dev/api#POST_api_editusertext>).

use super::Reddit;
use super::item::timestamp;
use super::refusal::FormAnswer;
use crate::platform::reddit::{COMMENT, DIRECT, is_message, is_name, is_post};
use crate::{Ack, LimitScope, Pause, Refusal, render};
use foldback_wire::{Markup, MessageId, Operation, RefusalCode, Target};
use serde::Deserialize;

/// Subject of a message that answers none. It has at most 100 characters
/// (<https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/api.py>, `POST_compose`).
const SUBJECT: &str = "A message from a bot";

/// The place of a text.
enum Place<'a> {
    /// Below this post, comment or message.
    Below(&'a str),
    /// To this person, in a message of its own.
    To(&'a str),
}

/// <https://github.com/reddit-archive/reddit/wiki/JSON#comment-implements-votable--created>
#[derive(Debug, Deserialize)]
struct Made {
    name: String,
    created_utc: Option<f64>,
}

impl Reddit {
    pub(super) async fn send(&self, target: &Target, operation: &Operation) -> Result<Ack, Refusal> {
        match operation {
            Operation::SendText { text, reply_to, .. } => self.write(target, text, reply_to.as_ref()).await,
            Operation::EditText { message, text, .. } => {
                place(target, None)?;
                let message = checked(message)?;
                if !message.starts_with(COMMENT) {
                    return Err(unsupported("private messages cannot be edited"));
                }
                let text = self.rendered(text)?;
                self.refuse_in_pause()?;
                let form = [("api_type", "json"), ("thing_id", message), ("text", &text)];
                let (_, pause) = self.api.post("/api/editusertext", &form).await?;
                Ok(Ack {
                    pause,
                    ..Ack::default()
                })
            }
            Operation::Delete { .. } => Err(unsupported(
                "it does not say whether there was anything to remove",
            )),
            Operation::React { .. } => Err(unsupported("votes are for people")),
            Operation::SendFile { .. } | Operation::SendVoice { .. } => {
                Err(unsupported("comments and messages hold text alone"))
            }
            Operation::Typing => Err(unsupported("it does not show that somebody writes")),
        }
    }

    async fn write(&self, target: &Target, text: &str, reply_to: Option<&MessageId>) -> Result<Ack, Refusal> {
        let place = place(target, reply_to)?;
        let text = self.rendered(text)?;
        self.refuse_in_pause()?;
        let asked = match &place {
            Place::To(_) => self.asked.get(&target.chat),
            Place::Below(_) => None,
        };
        let place = asked.as_ref().map_or(place, |asked| Place::Below(asked.as_str()));
        match place {
            Place::Below(parent) => {
                let form = [("api_type", "json"), ("thing_id", parent), ("text", &text)];
                let (json, pause) = self.api.post("/api/comment", &form).await?;
                made(&json, pause)
            }
            Place::To(person) => {
                let form = [
                    ("api_type", "json"),
                    ("to", person),
                    ("subject", SUBJECT),
                    ("text", &text),
                ];
                // The answer names no message.
                let (_, pause) = self.api.post("/api/compose", &form).await?;
                Ok(Ack {
                    pause,
                    ..Ack::default()
                })
            }
        }
    }

    /// Refuses a call while nothing is left of the period, by what any call was told.
    fn refuse_in_pause(&self) -> Result<(), Refusal> {
        let Some(left) = self.api.pause_left() else {
            return Ok(());
        };
        Err(Refusal {
            retry_after: Some(left),
            scope: LimitScope::Channel,
            ..Refusal::new(RefusalCode::RateLimited, "no call is left of Reddit's period")
        })
    }

    /// A text as it is sent; refused where it is empty or too long, which Reddit would count against the rate.
    fn rendered(&self, text: &str) -> Result<String, Refusal> {
        let text = render(text, Markup::Markdown);
        let (length, most) = (
            self.capabilities.unit.measure(&text),
            self.capabilities.text_limit,
        );
        if text.trim().is_empty() {
            return Err(Refusal::new(RefusalCode::Rejected, "the text is empty"));
        }
        if length > most {
            let why = format!("{length} characters of at most {most}");
            return Err(Refusal::new(RefusalCode::TooLong, why));
        }
        Ok(text)
    }
}

/// The place of a text, all of whose ids have a form that Reddit gives.
fn place<'a>(target: &'a Target, reply_to: Option<&'a MessageId>) -> Result<Place<'a>, Refusal> {
    let chat = target.chat.as_str();
    let person = chat.strip_prefix(DIRECT).filter(|name| is_name(name));
    if person.is_none() && !is_post(chat) {
        let why = format!("{chat:?} is neither a post nor a person on Reddit");
        return Err(Refusal::new(RefusalCode::ChatGone, why));
    }
    let thread = target.thread.as_ref().map(foldback_wire::ThreadId::as_str);
    if let Some(thread) = thread.filter(|thread| !is_message(thread)) {
        let why = format!("{thread:?} is no comment of Reddit");
        return Err(Refusal::new(RefusalCode::ChatGone, why));
    }
    let parent = match reply_to {
        Some(message) => Some(checked(message)?),
        None => thread,
    };
    Ok(match (parent, person) {
        (Some(parent), _) => Place::Below(parent),
        (None, Some(person)) => Place::To(person),
        (None, None) => Place::Below(chat),
    })
}

fn checked(message: &MessageId) -> Result<&str, Refusal> {
    let id = message.as_str();
    if is_message(id) {
        return Ok(id);
    }
    let why = format!("{id:?} is no comment or message of Reddit");
    Err(Refusal::new(RefusalCode::Gone, why))
}

fn unsupported(why: &str) -> Refusal {
    Refusal::new(
        RefusalCode::Unsupported,
        format!("Reddit has no such thing: {why}"),
    )
}

/// The comment that was made, as the answer tells of it.
fn made(json: &FormAnswer, pause: Option<Pause>) -> Result<Ack, Refusal> {
    let thing = json.data["things"][0]["data"].clone();
    let made: Made = serde_json::from_value(thing).map_err(|error| {
        let why = format!("Reddit answered something else: {error}");
        Refusal::new(RefusalCode::Rejected, why).or_done()
    })?;
    Ok(Ack {
        message: Some(made.name.into()),
        sent_at: made.created_utc.map(timestamp),
        pause,
        ..Ack::default()
    })
}
