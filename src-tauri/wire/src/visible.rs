//! Characters that nobody sees, or that turn the direction of the text around them. In a name or a command they make
//! people read something else than what is done (<https://www.unicode.org/reports/tr36/>).

mod joined;

pub use joined::{is_of_joining_script, is_pictograph, is_skin_tone};

use std::{borrow::Cow, fmt::Write as _};

/// The sign that encloses the digit before it.
const KEYCAP: char = '\u{20e3}';

/// The text with every character that nobody would see written out, such as `⟨U+202E⟩`. Line breaks and tabs stay, and
/// so do joiners and variation selectors where a word or an emoji needs them.
///
/// ```
/// use foldback_wire::visible;
///
/// assert_eq!(visible("invoice\u{202e}fdp.exe"), "invoice⟨U+202E⟩fdp.exe");
/// assert_eq!(visible("👩\u{200d}💻"), "👩\u{200d}💻");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    written_out(text, |out, c| {
        // Writing to a String cannot fail.
        let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c));
    })
}

/// JSON with every character that nobody would see escaped inside its strings: still the same JSON.
///
/// ```
/// use foldback_wire::visible_json;
///
/// assert_eq!(visible_json("\"invoice\u{202e}fdp.exe\""), "\"invoice\\u202efdp.exe\"");
/// ```
pub fn visible_json(json: &str) -> Cow<'_, str> {
    written_out(json, |out, c| {
        // JSON escapes code units of UTF-16.
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

fn written_out(text: &str, write: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if !text.chars().any(|c| is_invisible(c) || is_control(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = Neighbour::Other;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if let Some(kept) = before.keeps(c, chars.peek().copied()) {
            before = kept;
            out.push(c);
        } else {
            before = Neighbour::Other;
            write(&mut out, c);
        }
    }
    Cow::Owned(out)
}

/// The character before another one, by what it makes of an invisible one behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Neighbour {
    /// A letter of a script that needs joiners.
    Joining,
    /// A digit or sign that a keycap may enclose.
    Key,
    Pictograph,
    /// A pictograph that has its variation selector or its colour.
    Dressed,
    Other,
}

impl Neighbour {
    fn of(c: char) -> Self {
        match c {
            '0'..='9' | '#' | '*' => Self::Key,
            _ if is_skin_tone(c) => Self::Dressed,
            _ if is_pictograph(c) => Self::Pictograph,
            _ if is_of_joining_script(c) => Self::Joining,
            _ => Self::Other,
        }
    }

    /// What `c` is to the character behind it, where it stays as it is between this one and `next`.
    fn keeps(self, c: char, next: Option<char>) -> Option<Self> {
        let next_is = |is: fn(char) -> bool| next.is_some_and(|next| is(next) && !is_invisible(next));
        let has_effect = match c {
            '\u{fe0e}' | '\u{fe0f}' => self == Self::Pictograph || self == Self::Key && next == Some(KEYCAP),
            '\u{200d}' if matches!(self, Self::Pictograph | Self::Dressed) => next_is(is_pictograph),
            '\u{200c}' | '\u{200d}' => self == Self::Joining && next_is(is_of_joining_script),
            _ => return (!is_invisible(c) && !is_control(c)).then(|| Self::of(c)),
        };
        let selects = matches!(c, '\u{fe0e}' | '\u{fe0f}');
        has_effect.then_some(if selects { Self::Dressed } else { Self::Other })
    }
}

/// The text as one line in which line breaks and tabs are seen, too. In a command they are more than the space that they
/// look like: a shell runs what stands behind a line break as a command of its own.
///
/// ```
/// use foldback_wire::visible_line;
///
/// assert_eq!(visible_line("ls\nrm\t-r x"), "ls⏎rm⇥-r x");
/// ```
pub fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "⏎").replace('\t', "⇥")
}

/// True for a character without a shape that is no control character: every `Default_Ignorable_Code_Point`, separators of
/// lines, and annotations.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vector_comes_out_as_it_says() {
        let vectors = include_str!("../../../fixtures/vectors/visible.jsonl");
        for line in vectors.lines() {
            let vector: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = vector["text"].as_str().unwrap();
            assert_eq!(
                visible(text),
                vector["visible"].as_str().unwrap(),
                "{}",
                vector["about"]
            );
        }
        assert!(vectors.lines().count() > 10);
    }

    #[test]
    fn what_is_visible_stays_as_it_is() {
        assert!(matches!(visible("Zoë 🐢\n\tشكرا"), Cow::Borrowed(_)));
        let once = visible("a\u{202e}b").into_owned();
        assert_eq!(visible(&once), once);
    }
}
