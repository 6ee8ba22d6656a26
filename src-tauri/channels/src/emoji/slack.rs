//! Slack's emoji names.

use super::{ALIASES, bare, toneless};
use emojis::SkinTone;

/// Emoji whose name on Slack is not the one of the common table
/// (names as in <https://github.com/iamcal/emoji-data>, which Slack's own set follows).
const NAMES: &[(&str, &str)] = &[
    ("🤔", "thinking_face"),
    ("🤗", "hugging_face"),
    ("🤩", "star-struck"),
    ("🤣", "rolling_on_the_floor_laughing"),
    ("🤨", "face_with_raised_eyebrow"),
    ("🤪", "zany_face"),
    ("🤬", "face_with_symbols_on_mouth"),
    ("🤮", "face_vomiting"),
    ("🤡", "clown_face"),
    ("🤓", "nerd_face"),
    ("🤖", "robot_face"),
    ("🦄", "unicorn_face"),
    ("🙂", "slightly_smiling_face"),
    ("🙄", "face_with_rolling_eyes"),
    ("👨\u{200D}💻", "male-technologist"),
    ("👩\u{200D}💻", "female-technologist"),
    ("🤷\u{200D}♂", "man-shrugging"),
    ("🤷\u{200D}♀", "woman-shrugging"),
];

/// The name of an emoji, with its skin tone.
pub(super) fn name(emoji: &str) -> Option<String> {
    let found = emojis::get(emoji)?;
    let base = toneless(emoji)?;
    let base_bare = bare(base.as_str());
    let listed = ALIASES
        .iter()
        .map(|(name, emoji)| (*emoji, *name))
        .chain(NAMES.iter().copied());
    let name = listed
        .into_iter()
        .find(|(emoji, _)| bare(emoji) == base_bare)
        .map(|(_, name)| name)
        .or_else(|| base.shortcode())?;
    let tone = match found.skin_tone() {
        Some(SkinTone::Light) => "::skin-tone-2",
        Some(SkinTone::MediumLight) => "::skin-tone-3",
        Some(SkinTone::Medium) => "::skin-tone-4",
        Some(SkinTone::MediumDark) => "::skin-tone-5",
        Some(SkinTone::Dark) => "::skin-tone-6",
        _ => "",
    };
    Some(format!("{name}{tone}"))
}

/// Whether `name` is the name of an emoji, with or without skin tone and without colons around it.
pub(super) fn is_name(name: &str) -> bool {
    let base = name.split_once("::skin-tone-").map_or(name, |(base, _)| base);
    ALIASES.iter().any(|(alias, _)| *alias == base)
        || NAMES.iter().any(|(_, known)| *known == base)
        || emojis::get_by_shortcode(base).is_some()
}
