//! Emoji: from what an agent writes (alias, `:alias:` or the emoji) to the emoji, and from there to the
//! form a platform takes.

mod slack;
mod telegram;

use foldback_wire::{Capabilities, EmojiForm};

/// Aliases of the output grammar, and a few that agents use although no common table has them. They win
/// over the table; the first alias of an emoji is the one Slack is given.
pub const EMOJI_ALIASES: &[(&str, &str)] = &[
    ("eyes", "👀"),
    ("thumbsup", "👍"),
    ("thumbs_up", "👍"),
    ("+1", "👍"),
    ("heart", "❤️"),
    ("fire", "🔥"),
    ("smile", "😄"),
    ("laughing", "😆"),
    ("tada", "🎉"),
    ("clap", "👏"),
    ("ok_hand", "👌"),
    ("thumbsdown", "👎"),
    ("thumbs_down", "👎"),
    ("white_check_mark", "✅"),
    ("check", "✅"),
];

/// The emoji that `text` means: an alias, with or without colons and in any case, or an emoji, which passes
/// as it is. `None` when it is neither.
pub fn resolve_emoji(text: &str) -> Option<String> {
    let text = text.trim();
    if emojis::get(text).is_some() {
        return Some(text.to_owned());
    }
    let name = text
        .strip_prefix(':')
        .and_then(|t| t.strip_suffix(':'))
        .unwrap_or(text)
        .to_ascii_lowercase();
    EMOJI_ALIASES
        .iter()
        .find(|(alias, _)| *alias == name)
        .map(|(_, emoji)| *emoji)
        .or_else(|| emojis::get_by_shortcode(&name).map(emojis::Emoji::as_str))
        .map(str::to_owned)
}

/// The name of an emoji that looks most like one that nobody knows; `None` where none is near. At most two letters, and
/// a third of the name, may differ.
pub fn similar_emoji(text: &str) -> Option<&'static str> {
    let name = text.trim().trim_matches(':').to_ascii_lowercase();
    let most = (name.len() / 3).min(2);
    let aliases = EMOJI_ALIASES.iter().map(|(alias, _)| *alias);
    let codes = emojis::iter().flat_map(emojis::Emoji::shortcodes);
    aliases
        .chain(codes)
        .map(|known| (strsim::osa_distance(&name, known), known))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, known)| known)
}

/// The emoji that a channel is given for what an agent wrote: one that the platforms share, or, where emoji go by name,
/// one that only the workspace has, as `:name:`. `None` when it is neither.
pub fn resolve_emoji_on(capabilities: &Capabilities, text: &str) -> Option<String> {
    resolve_emoji(text).or_else(|| match capabilities.react? {
        EmojiForm::Shortcode => slack::own_name(text.trim()).map(|name| format!(":{name}:")),
        EmojiForm::Unicode | EmojiForm::FixedSet => None,
    })
}

/// What a platform is given for a reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentEmoji {
    /// The emoji or its shortcode name, in the platform's form.
    pub form: String,
    /// The platform does not have this emoji; its nearest one is used.
    pub nearest: bool,
}

/// The form of an emoji that a channel takes: of a Unicode one, or of one that [`resolve_emoji_on`] gave; `None` when
/// the channel has no reactions or nothing near enough.
pub fn emoji_for(capabilities: &Capabilities, unicode: &str) -> Option<SentEmoji> {
    let exact = |form: String| SentEmoji { form, nearest: false };
    match capabilities.react? {
        EmojiForm::Unicode => emojis::get(unicode).map(|_| exact(unicode.to_owned())),
        EmojiForm::FixedSet => telegram::exact(unicode)
            .map(|form| exact(form.to_owned()))
            .or_else(|| {
                telegram::nearest(unicode).map(|form| SentEmoji {
                    form: form.to_owned(),
                    nearest: true,
                })
            }),
        EmojiForm::Shortcode => slack::name(unicode)
            .or_else(|| slack::own_name(unicode))
            .map(exact),
    }
}

/// True where a platform with reactions of this form takes `sent` as it stands, for this emoji. Which emoji of its own a
/// workspace has is not known here: every name that it could have is one.
pub(crate) fn accepted(form: EmojiForm, emoji: &str, sent: &str) -> bool {
    match form {
        EmojiForm::Unicode => emojis::get(sent).is_some(),
        EmojiForm::FixedSet => telegram::SET.contains(&sent),
        EmojiForm::Shortcode => slack::is_name(sent) || slack::own_name(emoji).as_deref() == Some(sent),
    }
}

/// Whether a bot may react with this on Telegram.
pub fn is_telegram_reaction(emoji: &str) -> bool {
    telegram::SET.contains(&emoji)
}

/// The emoji without variation selectors, so that `❤` and `❤️` compare equal.
fn bare(emoji: &str) -> String {
    emoji
        .chars()
        .filter(|c| !matches!(c, '\u{FE0E}' | '\u{FE0F}'))
        .collect()
}

/// The emoji without skin tone.
fn toneless(emoji: &str) -> Option<&'static emojis::Emoji> {
    let found = emojis::get(emoji)?;
    Some(found.with_skin_tone(emojis::SkinTone::Default).unwrap_or(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{platform, profile};
    use foldback_wire::Platform;

    fn sent(platform: Platform, emoji: &str) -> Option<(String, bool)> {
        emoji_for(&profile(platform), emoji).map(|s| (s.form, s.nearest))
    }

    #[test]
    fn a_name_that_is_nearly_one_is_told_and_a_far_one_is_not() {
        assert_eq!(similar_emoji("thumbsupp"), Some("thumbsup"));
        assert_eq!(similar_emoji(":thumsup:"), Some("thumbsup"));
        assert_eq!(similar_emoji("quite something else"), None);
        assert_eq!(similar_emoji("xy"), None);
    }

    #[test]
    fn aliases_in_any_case_with_or_without_colons() {
        for text in [
            "thumbsup",
            ":thumbsup:",
            "ThumbsUp",
            ":THUMBS_UP:",
            "+1",
            ":+1:",
            " thumbsup ",
            "👍",
        ] {
            assert_eq!(resolve_emoji(text).as_deref(), Some("👍"), "{text}");
        }
        assert_eq!(resolve_emoji("heart").as_deref(), Some("❤️"));
        assert_eq!(resolve_emoji("smile").as_deref(), Some("😄"));
        assert_eq!(resolve_emoji("laughing").as_deref(), Some("😆"));
        assert_eq!(
            resolve_emoji("rocket").as_deref(),
            Some("🚀"),
            "from the well-kept table"
        );
        assert_eq!(
            resolve_emoji("❤").as_deref(),
            Some("❤"),
            "an emoji passes as it is"
        );
        for text in [
            "",
            ":",
            "::",
            "qq",
            "no such emoji",
            "constructor",
            ":thumbsup",
            "👍👍",
        ] {
            assert_eq!(resolve_emoji(text), None, "{text}");
        }
    }

    #[test]
    fn telegram_takes_its_fixed_set_and_the_nearest_of_it() {
        let exact = |form: &str| Some((form.to_owned(), false));
        let nearest = |form: &str| Some((form.to_owned(), true));
        assert_eq!(sent(platform::TELEGRAM, "👍"), exact("👍"));
        assert_eq!(
            sent(platform::TELEGRAM, "❤️"),
            exact("❤"),
            "without the variation selector"
        );
        assert_eq!(sent(platform::TELEGRAM, "😄"), nearest("😁"));
        assert_eq!(sent(platform::TELEGRAM, "✅"), nearest("👍"));
        assert_eq!(
            sent(platform::TELEGRAM, "👍🏽"),
            nearest("👍"),
            "there are no skin tones"
        );
        assert_eq!(sent(platform::TELEGRAM, "🇫🇷"), None);
    }

    #[test]
    fn every_alias_of_the_grammar_arrives_everywhere() {
        for (alias, emoji) in EMOJI_ALIASES {
            for platform in platform::ALL {
                let capabilities = profile(*platform);
                let Some(form) = capabilities.react else {
                    assert!(emoji_for(&capabilities, emoji).is_none(), "{alias} on {platform}");
                    continue;
                };
                let given =
                    emoji_for(&capabilities, emoji).unwrap_or_else(|| panic!("{alias} on {platform}"));
                assert!(accepted(form, emoji, &given.form), "{alias} on {platform}");
            }
        }
    }

    #[test]
    fn slack_takes_names() {
        let name = |emoji| sent(platform::SLACK, emoji).map(|(form, _)| form);
        assert_eq!(name("👍").as_deref(), Some("thumbsup"));
        assert_eq!(name("❤").as_deref(), Some("heart"));
        assert_eq!(name("🤔").as_deref(), Some("thinking_face"));
        assert_eq!(name("👍🏽").as_deref(), Some("thumbsup::skin-tone-4"));
        for (emoji, known) in [
            ("🤦", "face_palm"),
            ("🤭", "face_with_hand_over_mouth"),
            ("🧐", "face_with_monocle"),
            ("🤠", "face_with_cowboy_hat"),
            ("🥰", "smiling_face_with_3_hearts"),
            ("🥇", "first_place_medal"),
            ("🖖", "spock-hand"),
            ("🤷‍♀️", "woman-shrugging"),
            ("🇩🇪", "flag-de"),
            ("🇨🇶", "flag-sark"),
            ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "flag-england"),
            ("🚀", "rocket"),
        ] {
            assert_eq!(name(emoji).as_deref(), Some(known));
            assert!(accepted(EmojiForm::Shortcode, emoji, known));
        }
        for gemoji in ["facepalm", "monocle_face", "1st_place_medal", "germany", "", "qq"] {
            assert!(!accepted(EmojiForm::Shortcode, "🤦", gemoji), "{gemoji}");
        }
        assert_eq!(name("not an emoji"), None);
    }

    #[test]
    fn slack_takes_names_that_only_the_workspace_has() {
        let slack = profile(platform::SLACK);
        let own = |text| resolve_emoji_on(&slack, text);
        for (text, emoji, name) in [
            (":partyparrot:", ":partyparrot:", "partyparrot"),
            (" :Ship-It_2: ", ":ship-it_2:", "ship-it_2"),
        ] {
            assert_eq!(own(text).as_deref(), Some(emoji), "{text}");
            assert_eq!(sent(platform::SLACK, emoji), Some((name.to_owned(), false)));
            assert!(accepted(EmojiForm::Shortcode, emoji, name));
        }
        assert_eq!(
            own(":fire:").as_deref(),
            Some("🔥"),
            "those that all have come first"
        );
        let long = format!(":{}:", "a".repeat(101));
        for text in ["partyparrot", ":party parrot:", "::", ":a", ":a.b:", &long] {
            assert_eq!(own(text), None, "{text}");
        }
        for platform in [platform::TELEGRAM, platform::DISCORD, platform::SIGNAL] {
            assert_eq!(resolve_emoji_on(&profile(platform), ":partyparrot:"), None);
        }
    }

    #[test]
    fn others_take_the_emoji_and_nothing_else() {
        assert_eq!(sent(platform::DISCORD, "🚀"), Some(("🚀".into(), false)));
        assert_eq!(sent(platform::SIGNAL, "rocket"), None);
        let silent = crate::restrict(profile(platform::DISCORD), &[crate::Feature::React]);
        assert_eq!(emoji_for(&silent, "🚀"), None);
    }
}
