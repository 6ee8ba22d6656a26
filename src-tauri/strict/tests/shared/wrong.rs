//! Tables of wrong calls, which a strict server must refuse.

use foldback_strict::Rule;

/// The rows of a table, each as it stands there, and with these texts put in for words in capitals. There are enough of
/// them to say something.
pub(crate) fn filled<'a>(table: &'a str, words: &[(&str, String)]) -> Vec<(&'a str, String)> {
    let fill = |row: &str| {
        let words = words.iter();
        words.fold(row.to_owned(), |row, (word, text)| row.replace(word, text))
    };
    let rows: Vec<_> = table
        .lines()
        .filter(|row| !row.is_empty())
        .map(|row| (row, fill(row)))
        .collect();
    assert!(rows.len() >= 30, "{} wrong calls", rows.len());
    rows
}

/// Every rule that was broken stands on a page below this address.
#[track_caller]
pub(crate) fn stand_below(rules: &[Rule], address: &str) {
    let elsewhere: Vec<_> = rules
        .iter()
        .filter(|rule| !rule.source.starts_with(address))
        .collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}
