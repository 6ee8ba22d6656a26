//! The emoji of Slack: the names that version 16.0.0 of the package `emoji-datasource` has
//! (<https://github.com/iamcal/emoji-data>), all of them, so that no adapter is measured by its own list.

/// The names, between white space; a star follows those that take a skin tone.
const NAMES: &str = include_str!("emoji.txt");

/// Whether there is an emoji of this name. One of a skin tone has its number (2 to 6) after it.
pub(super) fn is_emoji_name(name: &str) -> bool {
    let (base, tone) = match name.split_once("::skin-tone-") {
        Some((base, tone)) => (base, Some(tone)),
        None => (name, None),
    };
    let names = NAMES.lines().filter(|line| !line.starts_with('#'));
    names.flat_map(str::split_whitespace).any(|known| {
        let toned = known.strip_suffix('*');
        let tone_fits = match tone {
            None => true,
            Some(tone) => toned.is_some() && matches!(tone, "2" | "3" | "4" | "5" | "6"),
        };
        tone_fits && toned.unwrap_or(known) == base
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_channels::{emoji_for, platform, profile};

    #[test]
    fn slack_has_every_name_that_the_adapter_gives() {
        let slack = profile(platform::SLACK);
        let given: Vec<_> = emojis::iter()
            .flat_map(|emoji| emoji.skin_tones().into_iter().flatten().chain([emoji]))
            .filter_map(|emoji| Some((emoji.as_str(), emoji_for(&slack, emoji.as_str())?.form)))
            .collect();
        let unknown: Vec<_> = given.iter().filter(|(_, name)| !is_emoji_name(name)).collect();
        assert!(given.len() > 3_000, "{}", given.len());
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn names_are_those_of_slack_and_of_nobody_else() {
        for (name, is_one) in [
            ("thumbsup", true),
            ("+1::skin-tone-6", true),
            ("man-woman-boy", true),
            ("facepalm", false),
            ("thumbs_up", false),
            ("rocket::skin-tone-2", false),
            ("+1::skin-tone-7", false),
            ("+1*", false),
            ("#", false),
            ("", false),
        ] {
            assert_eq!(is_emoji_name(name), is_one, "{name}");
        }
    }
}
