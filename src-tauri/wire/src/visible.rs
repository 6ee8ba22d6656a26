//! Characters that nobody sees, or that turn the direction of the text around them. In a name or a command they make
//! people read something else than what is done (<https://www.unicode.org/reports/tr36/>).

use std::{borrow::Cow, fmt::Write as _};

/// The text with every character that nobody would see written out, such as `⟨U+202E⟩`. Line breaks and tabs stay, and
/// so do the joiners inside of words and emoji that need them.
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
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let joins = is_joiner(c) && is_joined(before) && is_joined(chars.peek().copied());
        if (is_invisible(c) || is_control(c)) && !joins {
            write(&mut out, c);
        } else {
            out.push(c);
        }
        before = Some(c);
    }
    Cow::Owned(out)
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

/// True for a character without a shape that is no control character: of no width, or for the direction of text.
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
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Joiners stand between letters of scripts that need them, and between emoji; never in ASCII.
fn is_joined(neighbour: Option<char>) -> bool {
    neighbour.is_some_and(|c| !c.is_ascii() && !is_invisible(c) && !is_control(c))
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
