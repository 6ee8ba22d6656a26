//! What an adapter read of a thread, as lines to compare.

use foldback_channels::ThreadPart;

/// The author and the words of each message, the first one of the thread before the others; `*` marks the bot's.
pub(crate) fn words(part: &ThreadPart) -> Vec<String> {
    let all = part.starter.iter().chain(&part.recent);
    let words = all.map(|message| {
        let own = if message.said.own { "*" } else { "" };
        let sender = message.said.sender.as_deref().unwrap_or_default();
        format!("{own}{sender}: {}", message.said.text)
    });
    words.collect()
}
