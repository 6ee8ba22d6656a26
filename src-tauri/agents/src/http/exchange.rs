//! Questions with their answers: what the protocols can say of a conversation, and nothing else. They want users and
//! assistants in turn, a user first, and no message without a word.

use crate::history::{HistoryEntry, estimated_tokens};
use foldback_wire::RunId;

/// What stands in the place of a question where an answer has none, such as that of a schedule.
const NO_QUESTION: &str = "(no message)";

/// What was asked and what was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// The run that asked; `None` of one that was restored.
    pub(crate) run: Option<RunId>,
    /// The prompt.
    pub(crate) prompt: String,
    /// The answer, as far as it was said.
    pub(crate) reply: String,
}

impl Exchange {
    pub(crate) fn bytes(&self) -> usize {
        self.prompt.len() + self.reply.len()
    }

    /// Its tokens, estimated.
    pub(crate) fn tokens(&self) -> u64 {
        estimated_tokens(&self.prompt) + estimated_tokens(&self.reply)
    }
}

/// What was said as exchanges. Several messages of one side become paragraphs of one; a call or a note stands as a line of its own in
/// the answer; what was never answered, at the end, is left out.
pub(crate) fn exchanges_of(entries: &[HistoryEntry]) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    for entry in entries {
        let text = entry.text().trim();
        if text.is_empty() {
            continue;
        }
        match (entry, exchanges.last_mut()) {
            (HistoryEntry::User(_), Some(last)) if last.reply.is_empty() => join(&mut last.prompt, text),
            (HistoryEntry::User(_), _) => exchanges.push(Exchange {
                run: None,
                prompt: text.to_owned(),
                reply: String::new(),
            }),
            (HistoryEntry::Assistant(_) | HistoryEntry::Tool(_) | HistoryEntry::Note(_), last) => {
                let line = match entry {
                    HistoryEntry::Tool(_) | HistoryEntry::Note(_) => {
                        format!("[{}]", text.lines().collect::<Vec<_>>().join(" "))
                    }
                    _ => text.to_owned(),
                };
                match last {
                    Some(last) => join(&mut last.reply, &line),
                    None => exchanges.push(Exchange {
                        run: None,
                        prompt: NO_QUESTION.to_owned(),
                        reply: line,
                    }),
                }
            }
        }
    }
    if exchanges.last().is_some_and(|last| last.reply.is_empty()) {
        exchanges.pop();
    }
    exchanges
}

/// Adds a paragraph.
fn join(text: &mut String, paragraph: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(paragraph);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchanges(entries: &[(&str, &str)]) -> Vec<(String, String)> {
        let entry = |(role, text): &(&str, &str)| match *role {
            "user" => HistoryEntry::User((*text).to_owned()),
            "tool" => HistoryEntry::Tool((*text).to_owned()),
            _ => HistoryEntry::Assistant((*text).to_owned()),
        };
        let entries: Vec<_> = entries.iter().map(entry).collect();
        let pair = |Exchange { prompt, reply, .. }| (prompt, reply);
        exchanges_of(&entries).into_iter().map(pair).collect()
    }

    fn pair(prompt: &str, reply: &str) -> (String, String) {
        (prompt.to_owned(), reply.to_owned())
    }

    #[test]
    fn sides_take_turns_and_no_message_is_empty() {
        let told = exchanges(&[
            ("user", "one"),
            ("user", " two "),
            ("tool", "search: 3\nhits"),
            ("assistant", ""),
            ("assistant", "a"),
            ("assistant", "b"),
            ("user", ""),
            ("user", "three"),
            ("assistant", "c"),
            ("user", "never answered"),
        ]);
        assert_eq!(
            told,
            [
                pair("one\n\ntwo", "[search: 3 hits]\n\na\n\nb"),
                pair("three", "c")
            ]
        );
    }

    #[test]
    fn an_answer_without_a_question_is_kept() {
        assert_eq!(
            exchanges(&[
                ("assistant", "Good morning."),
                ("user", "hi"),
                ("assistant", "Hello.")
            ]),
            [pair(NO_QUESTION, "Good morning."), pair("hi", "Hello.")]
        );
        assert_eq!(exchanges(&[]), []);
    }
}
