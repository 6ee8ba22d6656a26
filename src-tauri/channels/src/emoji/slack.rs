//! Slack's emoji names. Its set follows <https://github.com/iamcal/emoji-data>; the names that are not those of the
//! common table (of the crate `emojis`, which has gemoji's) are listed in `slack_names.txt`, made from version 16.0.0 of
//! its package `emoji-datasource`.

use super::{EMOJI_ALIASES, bare, toneless};
use emojis::{EmojiVersion, SkinTone};

/// A name and its emoji, without variation selectors, in every line.
const NAMES: &str = include_str!("slack_names.txt");

/// What that package goes up to. Of an emoji that was given skin tones later Slack has only the one without.
const NEWEST: EmojiVersion = EmojiVersion::new(16, 0);

/// The letter A as half a flag.
const FLAG_A: u32 = 0x1_F1E6;

/// The name of an emoji, with its skin tone.
pub(super) fn name(emoji: &str) -> Option<String> {
    let found = emojis::get(emoji)?;
    let name = base_name(toneless(emoji)?)?;
    let tone = match found.skin_tone().filter(|_| found.emoji_version() <= NEWEST) {
        Some(SkinTone::Light) => "::skin-tone-2",
        Some(SkinTone::MediumLight) => "::skin-tone-3",
        Some(SkinTone::Medium) => "::skin-tone-4",
        Some(SkinTone::MediumDark) => "::skin-tone-5",
        Some(SkinTone::Dark) => "::skin-tone-6",
        _ => "",
    };
    Some(format!("{name}{tone}"))
}

/// The name of an emoji without skin tone.
fn base_name(emoji: &emojis::Emoji) -> Option<String> {
    let wanted = bare(emoji.as_str());
    let alias = EMOJI_ALIASES
        .iter()
        .find(|(_, emoji)| bare(emoji) == wanted)
        .copied();
    let known = alias.or_else(|| listed().find(|(_, emoji)| *emoji == wanted));
    known
        .map(|(name, _)| name.to_owned())
        .or_else(|| flag(&wanted))
        .or_else(|| emoji.shortcode().map(str::to_owned))
}

fn listed() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
}

/// The name of a country's flag, which consists of the country's two letters.
fn flag(emoji: &str) -> Option<String> {
    let letter = |c: char| char::from_digit(u32::from(c).checked_sub(FLAG_A)? + 10, 36);
    let letters: Vec<char> = emoji.chars().map(letter).collect::<Option<_>>()?;
    match letters.as_slice() {
        [a, b] => Some(format!("flag-{a}{b}")),
        _ => None,
    }
}

/// Most characters in the name of an emoji that a workspace has added
/// (<https://docs.slack.dev/reference/methods/admin.emoji.add>).
const LONGEST_OWN_NAME: usize = 100;

/// The name in `:name:`, as a workspace may call an emoji of its own: small letters, digits, `_` and `-`
/// (<https://slack.com/help/articles/206870177-Add-custom-emoji-and-aliases-to-your-workspace>).
pub(super) fn own_name(text: &str) -> Option<String> {
    let name = text.strip_prefix(':')?.strip_suffix(':')?.to_lowercase();
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_one = (1..=LONGEST_OWN_NAME).contains(&name.chars().count()) && name.chars().all(fits);
    is_one.then_some(name)
}

/// Whether `name` is what an emoji is called here, with or without skin tone and without colons around it.
pub(super) fn is_name(name: &str) -> bool {
    let base = name.split_once("::skin-tone-").map_or(name, |(base, _)| base);
    let alias = EMOJI_ALIASES.iter().find(|(alias, _)| *alias == base);
    let by_alias = alias.and_then(|(_, emoji)| emojis::get(emoji));
    let by_letters = base.strip_prefix("flag-").and_then(|letters| {
        let half = |c: char| char::from_u32(FLAG_A + c.to_digit(36)?.checked_sub(10)?);
        emojis::get(&letters.chars().map(half).collect::<Option<String>>()?)
    });
    let mut candidates = [by_alias, by_letters, emojis::get_by_shortcode(base)]
        .into_iter()
        .flatten();
    listed().any(|(known, _)| known == base)
        || candidates.any(|emoji| base_name(emoji).as_deref() == Some(base))
}
