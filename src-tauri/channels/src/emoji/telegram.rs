//! Telegram's reactions.

use super::{bare, toneless};

/// The emoji a bot may react with, in the order of <https://core.telegram.org/bots/api#reactiontypeemoji>.
/// None has a variation selector, and the API refuses those that do.
pub(super) const SET: [&str; 73] = [
    "👍",
    "👎",
    "❤",
    "🔥",
    "🥰",
    "👏",
    "😁",
    "🤔",
    "🤯",
    "😱",
    "🤬",
    "😢",
    "🎉",
    "🤩",
    "🤮",
    "💩",
    "🙏",
    "👌",
    "🕊",
    "🤡",
    "🥱",
    "🥴",
    "😍",
    "🐳",
    "❤\u{200D}🔥",
    "🌚",
    "🌭",
    "💯",
    "🤣",
    "⚡",
    "🍌",
    "🏆",
    "💔",
    "🤨",
    "😐",
    "🍓",
    "🍾",
    "💋",
    "🖕",
    "😈",
    "😴",
    "😭",
    "🤓",
    "👻",
    "👨\u{200D}💻",
    "👀",
    "🎃",
    "🙈",
    "😇",
    "😨",
    "🤝",
    "✍",
    "🤗",
    "🫡",
    "🎅",
    "🎄",
    "☃",
    "💅",
    "🤪",
    "🗿",
    "🆒",
    "💘",
    "🙉",
    "🦄",
    "😘",
    "💊",
    "🙊",
    "😎",
    "👾",
    "🤷\u{200D}♂",
    "🤷",
    "🤷\u{200D}♀",
    "😡",
];

/// Emoji without variation selectors that are not in the set, and the one of the set that a reader would
/// take for the same.
const NEAREST: &[(&str, &[&str])] = &[
    (
        "😁",
        &[
            "😀", "😃", "😄", "🙂", "😊", "☺", "😅", "😉", "😋", "🙃", "😌", "😸", "😺",
        ],
    ),
    ("🤣", &["😆", "😂", "😹"]),
    ("👍", &["✅", "✔", "☑", "💪", "👊", "✊", "🤙", "🟢", "➕"]),
    ("👎", &["❌", "✖", "❎", "🚫", "⛔", "🛑", "🔴", "➖"]),
    ("👌", &["🆗", "🤌"]),
    ("👏", &["🙌"]),
    (
        "❤",
        &[
            "💙", "💚", "💛", "💜", "🧡", "🖤", "🤍", "🤎", "🩷", "🩵", "🩶", "💗", "💖", "💕", "💓", "💞",
            "❣", "♥", "🫶",
        ],
    ),
    ("💘", &["💝", "💟"]),
    ("😘", &["😗", "😙", "😚"]),
    ("😍", &["😻"]),
    ("🤩", &["⭐", "🌟", "✨", "💫"]),
    ("🎉", &["🥳", "🎊", "🎈", "🎂"]),
    ("🏆", &["🥇", "🥈", "🥉", "🏅", "🎖"]),
    ("🔥", &["🚀", "💥", "🧨"]),
    ("⚡", &["⚠", "❗", "‼", "🚨"]),
    ("🤔", &["💡", "💭", "❓", "❔", "🧐"]),
    ("🤨", &["🙄", "😒"]),
    ("😐", &["😑", "😶", "😕", "🫤"]),
    ("😢", &["😞", "😔", "☹", "🙁", "😟", "😥", "😿", "🥺"]),
    ("😭", &["😩", "😫"]),
    ("😱", &["😮", "😯", "😲", "🙀"]),
    ("😨", &["😰", "😧", "😦"]),
    ("😡", &["😠", "😤", "👿"]),
    ("😎", &["😏", "🕶"]),
    ("✍", &["📝", "✏", "🖊", "🖋"]),
    ("🤝", &["👋", "🫱", "🫲"]),
    ("😴", &["💤", "🛌"]),
    ("👨\u{200D}💻", &["💻", "🧑\u{200D}💻", "👩\u{200D}💻", "⌨", "🖥"]),
    ("👾", &["🤖", "👽"]),
    ("🙈", &["🐵", "🐒"]),
    ("🤗", &["🫂"]),
];

/// The emoji as the set has it.
pub(super) fn exact(emoji: &str) -> Option<&'static str> {
    let emoji = bare(emoji);
    SET.into_iter().find(|known| *known == emoji)
}

/// The nearest emoji of the set: the same without skin tone, or one with the same sense.
pub(super) fn nearest(emoji: &str) -> Option<&'static str> {
    let toneless = bare(toneless(emoji)?.as_str());
    exact(&toneless).or_else(|| {
        NEAREST
            .iter()
            .find(|(_, others)| others.contains(&toneless.as_str()))
            .map(|(known, _)| *known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fallback_leads_into_the_set_and_starts_outside() {
        for (known, others) in NEAREST {
            assert!(SET.contains(known), "{known}");
            for other in *others {
                assert!(emojis::get(other).is_some() && exact(other).is_none(), "{other}");
                assert_eq!(nearest(other), Some(*known), "{other} stands twice");
            }
        }
    }

    #[test]
    fn the_set_is_without_variation_selectors_and_repetitions() {
        let unique: std::collections::BTreeSet<_> = SET.into_iter().collect();
        assert_eq!(unique.len(), SET.len());
        assert!(SET.into_iter().all(|e| bare(e) == e && emojis::get(e).is_some()));
    }
}
