//! Transcripts of other systems, through the whole pipeline or into the journal as they are.
//!
//! What holds raw output is played again: what came in is put into a simulated channel, what the agent wrote comes from a
//! script, and scanner, redaction and delivery do with it what they do live. What holds only delivered text has nothing to
//! be scanned: its messages are written as messages in and messages out. Both keep the times of the transcript.
//!
//! ```text
//! turn of the transcript                    on the stage
//! 08:20:24.887  question comes in           clock sleeps until 08:20:24.887, then the message comes in
//! 08:20:31.007  answer is complete          the script says it 6.12 s later
//! no time                                   when the turn before is over
//! ```
//!
//! A pause longer than [`LONGEST_PAUSE`] is not waited for, as every timer of the bot would tick through it: a new bot is
//! started after it.

mod delivered;
mod fixture;
mod play;
mod script;

pub use delivered::delivered_events;
pub use fixture::{ConversationFixture, conversation_fixture};
pub use play::{LONGEST_PAUSE, play_conversation};

use foldback_channels::platform;
use foldback_transcripts::{ChatPlace, Conversation, PersonMessage, TranscriptTurn, TurnTrigger};
use foldback_wire::Platform;

/// Longest id that a message, a sender or a chat can have, in bytes.
const LONGEST_ID: usize = 100;

/// The platform whose rules a conversation is played by: the first that it names, else Telegram.
pub fn platform_of(conversation: &Conversation) -> Platform {
    let of = |place: Option<&ChatPlace>| platform::from_code(place?.platform.as_deref()?);
    let of_turn = |turn: &TranscriptTurn| of(turn.inbound.as_ref()?.chat.as_ref());
    of(conversation.chat.as_ref())
        .or_else(|| conversation.turns.iter().find_map(of_turn))
        .unwrap_or(platform::TELEGRAM)
}

/// An id as platforms give them: ASCII without white space.
fn id(text: &str) -> String {
    let signs = text
        .chars()
        .map(|c| if c.is_ascii_graphic() && c != '*' { c } else { '_' });
    let id: String = signs.take(LONGEST_ID).collect();
    if id.is_empty() { "unknown".to_owned() } else { id }
}

/// Who wrote, as an id and a name.
fn sender(message: Option<&PersonMessage>) -> (String, String) {
    let person = message.and_then(|message| message.sender.as_ref());
    let name = person.and_then(|person| person.name.clone());
    let own = person.and_then(|person| person.id.clone());
    let own = own.or_else(|| name.clone()).unwrap_or_else(|| "user".to_owned());
    let name = name.unwrap_or_else(|| own.clone());
    (id(&own), name)
}

/// The text that comes in, which is never empty: an empty one would be stopped.
fn text_in(turn: &TranscriptTurn) -> String {
    let message = turn.inbound.as_ref();
    let said = message.map(|message| message.text.as_str()).unwrap_or_default();
    if !said.trim().is_empty() {
        return said.to_owned();
    }
    let stand_in = match turn.trigger {
        TurnTrigger::Heartbeat => "(a heartbeat)",
        TurnTrigger::Schedule => "(a schedule)",
        TurnTrigger::Injected => "(put in by a program)",
        TurnTrigger::Message if message.is_some_and(|message| message.files > 0) => "(files without a text)",
        TurnTrigger::Message => "(an empty message)",
        TurnTrigger::Unknown => "(the question is not in the file)",
    };
    stand_in.to_owned()
}

/// Ids of messages that are all different: retries answer one message twice, and many formats have no ids.
#[derive(Default)]
struct MessageIds(std::collections::HashSet<String>);

impl MessageIds {
    fn take(&mut self, turn: &TranscriptTurn, number: usize) -> String {
        let own = turn
            .inbound
            .as_ref()
            .and_then(|message| message.message.as_deref());
        let first = own.map_or_else(|| format!("m{number}"), id);
        let more = (2..).map(|again: u32| format!("{first}-{again}"));
        let free = std::iter::once(first.clone())
            .chain(more)
            .find(|id| !self.0.contains(id));
        let free = free.unwrap_or(first);
        self.0.insert(free.clone());
        free
    }
}
