//! Operations as calls: <https://docs.x.com/x-api/posts/create-post>.

use super::X;
use crate::platform::x::{is_id, time_of};
use crate::{Ack, Refusal, render};
use foldback_wire::{Markup, MessageId, Operation, RefusalCode, Target, Timestamp};
use serde::Deserialize;
use serde_json::json;

/// Name of the call, for its limit.
const POSTS: &str = "POST /2/tweets";

#[derive(Debug, Deserialize)]
struct Made {
    data: Post,
}

#[derive(Debug, Deserialize)]
struct Post {
    id: String,
}

impl X {
    pub(super) async fn send(&self, target: &Target, operation: &Operation) -> Result<Ack, Refusal> {
        let Operation::SendText { text, reply_to, .. } = operation else {
            let why = "X is sent text alone: posts are neither edited nor removed nor liked by a bot";
            return Err(Refusal::new(RefusalCode::Unsupported, why));
        };
        checked(target.chat.as_str(), RefusalCode::ChatGone)?;
        let thread = target.thread.as_ref();
        if let Some(thread) = thread {
            checked(thread.as_str(), RefusalCode::ChatGone)?;
        }
        if let Some(message) = reply_to {
            checked(message.as_str(), RefusalCode::Gone)?;
        }
        let text = self.rendered(text)?;
        let asked = || {
            thread
                .map_or(target.chat.as_str(), |thread| thread.as_str())
                .into()
        };
        // A post stands below the last one of its answer, else below the one that asked.
        let parent: MessageId = match (reply_to, thread.and_then(|thread| self.answers.get(thread))) {
            (Some(message), _) => message.clone(),
            (None, Some(last)) => last,
            (None, None) => asked(),
        };
        let body = json!({"text": text, "reply": {"in_reply_to_tweet_id": parent}});
        let (made, pause): (Made, _) = self.api.post(POSTS, "/2/tweets", &body).await?;
        let message = MessageId::new(made.data.id);
        if let Some(thread) = thread {
            self.answers.note(thread, message.clone());
        }
        Ok(Ack {
            sent_at: time_of(message.as_str()).map(Timestamp),
            message: Some(message),
            pause,
            ..Ack::default()
        })
    }

    /// A text as it is sent. One that is too long is refused here: X does not say so of an account that may not write
    /// longer ones.
    fn rendered(&self, text: &str) -> Result<String, Refusal> {
        let text = render(text, Markup::Plain);
        let (length, most) = (
            self.capabilities.unit.measure(&text),
            self.capabilities.text_limit,
        );
        if text.trim().is_empty() {
            return Err(Refusal::new(RefusalCode::Rejected, "the text is empty"));
        }
        if length > most {
            let why = format!("{length} weighted characters of at most {most}");
            return Err(Refusal::new(RefusalCode::TooLong, why));
        }
        Ok(text)
    }
}

/// An id that X may have given; else there is nothing of that id, which is refused as this.
fn checked(id: &str, refusal: RefusalCode) -> Result<(), Refusal> {
    if is_id(id) {
        return Ok(());
    }
    Err(Refusal::new(refusal, format!("{id:?} is no post of X")))
}
