//! Recognises the words with which people stop a run. They count only where they are the whole message: `stop it` is
//! text for the agent.

use crate::rules::{Rule, Rules};

/// Words that stop a run, in lower case; the command, too, as people put punctuation behind it.
const STOP_WORDS: &[&str] = &[
    "/stop",
    "stop",
    "esc",
    "abort",
    "exit",
    "interrupt",
    "halt",
    "detente",
    "deten",
    "detén",
    "arrete",
    "arrête",
    "停止",
    "やめて",
    "止めて",
    "रुको",
    "توقف",
    "стоп",
    "остановись",
    "останови",
    "остановить",
    "прекрати",
    "anhalten",
    "aufhören",
    "hoer auf",
    "stopp",
    "pare",
    "停下来",
    "暂停",
    "stop action",
    "stop current action",
    "stop run",
    "stop current run",
    "stop agent",
    "stop the agent",
    "stop don't do anything",
    "stop dont do anything",
    "stop do not do anything",
    "stop doing anything",
    "do not do that",
    "please stop",
    "stop please",
];

/// Bytes of a text that may be a stop word with mentions and punctuation beside it; a longer one is not looked at.
const LONGEST: usize = 256;

/// Punctuation that people put behind such a word.
const TAIL: &[char] = &[
    '.', '!', '?', '…', ',', '，', '。', ';', '；', ':', '：', '\'', '"', '’', '”', ')', ']', '}', '！', '？',
];

/// Whether a text is a stop word and nothing else. `is_mention` says of a word at its start or its end that it only
/// names the bot.
pub(crate) fn is_stop_word(rules: Rules, text: &str, is_mention: impl Fn(&str) -> bool) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let plain = text.to_lowercase().replace(['’', '`'], "'");
    let mut words: Vec<&str> = plain.split_whitespace().collect();
    while words.first().is_some_and(|word| is_mention(word)) {
        words.remove(0);
    }
    while words.last().is_some_and(|word| is_mention(word)) {
        words.pop();
    }
    let plain = words.join(" ");
    if !rules.holds(Rule::AbortAlone) {
        return words.first().is_some_and(|word| STOP_WORDS.contains(word));
    }
    // French sets a space before the mark.
    STOP_WORDS.contains(&plain.trim_end_matches(TAIL).trim_end())
}

/// Whether a word has the form in which platforms name a user: `@name`, `<@id>`.
pub(crate) fn is_mention_token(word: &str) -> bool {
    word.starts_with('@') || word.starts_with("<@") && word.ends_with('>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_word_alone_stops_and_anything_else_is_text() {
        let stops = |text| is_stop_word(Rules::all(), text, is_mention_token);
        for text in [
            "stop",
            " STOP! ",
            "please stop…",
            "停止",
            "Stop the agent.",
            "STOP don’t do anything",
            "@bot stop",
            "<@123> stop",
            "Arrête !",
            "please stop !",
            "/stop.",
            "/STOP!",
            "/stop @bot",
            "/stop <@123>",
        ] {
            assert!(stops(text), "{text}");
        }
        for text in [
            "stop it",
            "wait",
            "note: stop",
            "stop, then do Y",
            "",
            "@bot",
            "nonstop",
            "/stop it",
            "!",
        ] {
            assert!(!stops(text), "{text}");
        }
    }
}
