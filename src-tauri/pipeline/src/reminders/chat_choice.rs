//! The choice of one chat among those that are known, by an id or a whole name, and the words about what cannot be chosen.
//! Names are other people's words: masked when they are kept; on one line, cut and quoted where they are told.

use foldback_store::KnownChat;
use foldback_wire::{ChatType, PayloadFinding, visible_line};
use serde_json::json;
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization as _;

/// Most candidates that are told.
const MOST_CANDIDATES: usize = 10;
/// Most characters of a name that are told.
const NAME_CHARACTERS: usize = 64;
/// Least characters of a name that counts as near to another one, as a part of it.
const NEAR_CHARACTERS: usize = 3;

/// The one chat that is meant: that of an id, else that of a whole name.
pub(super) fn choose<'a>(
    named: &str,
    known: &'a [KnownChat],
    asked_in: ChatType,
) -> Result<&'a KnownChat, PayloadFinding> {
    let by_id: Vec<_> = known.iter().filter(|chat| chat.chat.as_str() == named).collect();
    let wanted = folded(named);
    let is_called = |chat: &&KnownChat| chat.names().any(|name| folded(name) == wanted);
    let found = if by_id.is_empty() {
        known.iter().filter(is_called).collect()
    } else {
        by_id
    };
    let named = quoted(named);
    let is_told = asked_in == ChatType::Direct;
    match found[..] {
        [chat] => Ok(chat),
        [] => {
            let near: Vec<_> = known.iter().filter(|chat| is_near(chat, &wanted)).collect();
            let near = match near[..] {
                [] => String::new(),
                _ if !is_told => String::new(),
                _ => format!(". Chats with such a part in their names: {}", listed(&near)),
            };
            Err(finding(
                "/chat",
                format!("no chat in which somebody wrote to the bot has the id or the name {named}{near}"),
                "write the id or the whole name of a chat that the person means; ask the person, never guess".to_owned(),
            ))
        }
        _ if is_told => Err(finding(
            "/chat",
            format!("{} chats have the id or the name {named}: {}", found.len(), listed(&found)),
            "write in chat the id of the one that is meant, and its channel in channel; where the conversation does not \
             say which, ask the person, never guess"
                .to_owned(),
        )),
        _ => Err(finding(
            "/chat",
            format!("{} chats have the id or the name {named}; a group is not told which", found.len()),
            "ask the person for the id of the chat, or to ask in a direct chat, where the candidates are told".to_owned(),
        )),
    }
}

/// A name for comparing: composed, and without regard to case.
fn folded(name: &str) -> String {
    let composed: String = name.trim().nfc().collect();
    UniCase::unicode(composed).to_folded_case().nfc().collect()
}

fn is_near(chat: &KnownChat, wanted: &str) -> bool {
    let is_part = |part: &str, whole: &str| part.chars().count() >= NEAR_CHARACTERS && whole.contains(part);
    chat.names().any(|name| {
        let name = folded(name);
        is_part(&name, wanted) || is_part(wanted, &name)
    })
}

/// Candidates for the agent, each as a JSON object.
fn listed(chats: &[&KnownChat]) -> String {
    let mut told: Vec<_> = chats
        .iter()
        .take(MOST_CANDIDATES)
        .map(|chat| {
            let names: Vec<_> = chat.names().take(2).map(shown).collect();
            let (channel, id) = (&chat.channel, shown_id(chat.chat.as_str()));
            json!({"channel": channel, "chat": id, "names": names, "type": chat.chat_type}).to_string()
        })
        .collect();
    let omitted = chats.len().saturating_sub(told.len());
    if omitted > 0 {
        told.push(format!("and {omitted} more"));
    }
    told.join(", ")
}

/// A name on one line, without characters that hide, and cut.
fn shown(name: &str) -> String {
    visible_line(name).chars().take(NAME_CHARACTERS).collect()
}

/// An id, which is not cut: it would be another one.
fn shown_id(id: &str) -> String {
    visible_line(id)
}

/// A text on one line, cut, as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    json!(shown(text)).to_string()
}

/// The finding of a place that does not fit, and the change that mends it.
pub(super) fn finding(at: &str, problem: String, change: String) -> PayloadFinding {
    PayloadFinding {
        at: at.to_owned(),
        problem,
        change,
    }
}

#[cfg(test)]
mod tests;
