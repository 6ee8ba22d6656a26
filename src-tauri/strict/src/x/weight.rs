//! The length of a text as X weighs it, by <https://docs.x.com/fundamentals/counting-characters>: another reading of the rule
//! than the adapter's, which counts links and emoji as the page says.

use unicode_segmentation::UnicodeSegmentation as _;

/// Ends of domains that X knows, as far as tests use some.
const ENDS: [&str; 4] = ["org", "com", "uk", "co"];

pub(super) fn weight(text: &str) -> usize {
    let mut weight = 0;
    for (at, word) in text.split(' ').enumerate() {
        weight += usize::from(at > 0);
        weight += match link_in(word) {
            Some(link) => 23 + of_graphemes(&word.replacen(link, "", 1)),
            None => of_graphemes(word),
        };
    }
    weight
}

/// The part of a word that is a link, which other letters than those of ASCII begin and end.
fn link_in(word: &str) -> Option<&str> {
    word.split(|c: char| !c.is_ascii()).find(|part| is_link(part))
}

fn of_graphemes(text: &str) -> usize {
    text.graphemes(true).map(of_grapheme).sum()
}

fn is_link(word: &str) -> bool {
    let bare = word.trim_start_matches("https://").trim_start_matches("http://");
    let host = bare.split('/').next().unwrap_or_default();
    host.rsplit_once('.')
        .is_some_and(|(label, end)| label.ends_with(char::is_alphanumeric) && ENDS.contains(&end))
}

fn of_grapheme(grapheme: &str) -> usize {
    if emojis::get(grapheme).is_some() {
        return 2;
    }
    let light = |c: char| matches!(u32::from(c), 0..=4_351 | 8_192..=8_205 | 8_208..=8_223 | 8_242..=8_247);
    grapheme.chars().map(|c| if light(c) { 1 } else { 2 }).sum()
}

#[cfg(test)]
mod tests {
    use super::weight;
    use foldback_wire::LengthUnit;

    /// Every text of four of these parts, in each order.
    #[test]
    fn the_adapter_counts_every_text_at_least_as_much() {
        let parts = [
            "", " ", "https://", "http://", "example", "t.co", ".com", ".org", "/a", "ご", "é", "👍", ".",
            "x",
        ];
        let mut most = 0;
        for number in 0..parts.len().pow(4) {
            let at = |place: u32| parts[number / parts.len().pow(place) % parts.len()];
            let text = [at(3), at(2), at(1), at(0)].concat();
            let (adapter, x) = (LengthUnit::Weighted.measure(&text), weight(&text));
            assert!(adapter >= x, "{text:?} counts {adapter}, and {x} on X");
            most = most.max(x);
        }
        assert!(most > 23 + 23, "some texts hold two links");
        assert_eq!(weight("https://example.comをご覧ください"), 23 + 14);
        assert_eq!(weight("t.coを見て"), 23 + 6);
    }
}
