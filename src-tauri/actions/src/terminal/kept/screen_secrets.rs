//! Secrets on a screen. Rows break them: a token goes on in the next row, a private key has many rows.
//!
//! An example, on 120 columns:
//!
//! ```text
//!   $ cat notes                                                        a row
//!   …the token is ghp_a1B2a1B2a1B2a1                                   full: it goes on
//!   B2a1B2a1B2a1B2a1B2a1B2 and so on                                   so both parts are masked
//! ```
//!
//! What must hold: a row that has some of a secret shows nothing of it. A program may fill a row and begin another text in the
//! next, so that the rows are read twice: each for itself, and with full ones joined to the next.

use foldback_wire::{
    redact::{MASK, Redaction},
    rpc::ScreenRun,
};
use std::ops::Range;

/// Lengths of the lines of a key that is written as text, as programs write them.
const KEY_LINE: Range<usize> = 60..81;

/// A row of a screen.
#[derive(Debug, Clone)]
pub(super) struct ScreenRow {
    pub(super) runs: Vec<ScreenRun>,
    /// True where it may go on in the next one.
    pub(super) is_full: bool,
}

impl ScreenRow {
    fn text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }
}

/// Masks the secrets of a screen. A row with one has no styles any more. `is_cut` where rows before the first are lost: a private
/// key may have begun there.
pub(super) fn mask_rows(rows: &mut [ScreenRow], secrets: &Redaction, is_cut: bool) {
    let texts: Vec<String> = rows.iter().map(ScreenRow::text).collect();
    let mut places: Vec<Vec<Range<usize>>> = vec![Vec::new(); rows.len()];
    for joined in [false, true] {
        let mut all = String::new();
        let mut starts = Vec::new();
        for (row, text) in rows.iter().zip(&texts) {
            starts.push(all.len());
            all += text;
            if !(joined && row.is_full) {
                all.push('\n');
            }
        }
        for secret in secrets.secret_places(&all) {
            let first = starts.partition_point(|start| *start <= secret.start) - 1;
            for (row, start) in (first..).zip(&starts[first..]) {
                if *start >= secret.end {
                    break;
                }
                let from = secret.start.saturating_sub(*start);
                let to = (secret.end - start).min(texts[row].len());
                if from < to {
                    places[row].push(from..to);
                }
            }
        }
    }
    if is_cut {
        for (text, places) in texts.iter().zip(&mut places).take(key_rest(&texts)) {
            places.push(0..text.len());
        }
    }
    for ((row, text), mut places) in rows.iter_mut().zip(&texts).zip(places) {
        if places.is_empty() {
            continue;
        }
        places.sort_by_key(|place| place.start);
        row.runs = vec![ScreenRun {
            text: without(text, &places),
            ..ScreenRun::default()
        }];
    }
}

/// The text with these places masked, which are in order and may overlap.
fn without(text: &str, places: &[Range<usize>]) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for place in places {
        if place.start >= at {
            out += &text[at..place.start];
            out += MASK;
        }
        at = at.max(place.end);
    }
    out + &text[at..]
}

/// The number of rows at the beginning that may be the rest of a private key: lines of base64 up to its last line, or several of
/// a length in which keys are written.
fn key_rest(texts: &[String]) -> usize {
    let is_body = |text: &&String| {
        let text = text.trim();
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
    };
    let body = texts.iter().take_while(is_body).count();
    let ends = |text: &String| text.contains("-----END ") && text.contains("PRIVATE KEY");
    if body > 0 && texts.get(body).is_some_and(ends) {
        return body + 1;
    }
    match &texts[..body] {
        [first, second, ..] if first.len() == second.len() && KEY_LINE.contains(&first.len()) => body,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::screen::Screen;
    use foldback_directives::redact::RedactSettings;
    use foldback_wire::redact::Redaction;

    /// A masked screen on which this was written.
    fn shown(bytes: &str) -> Vec<String> {
        let secrets = Redaction::new(&RedactSettings::default()).unwrap();
        let mut screen = Screen::new();
        screen.add(bytes.replace('\n', "\r\n").as_bytes());
        let lines = screen.lines(Some(&secrets)).into_iter();
        lines
            .map(|line| line.into_iter().map(|run| run.text).collect())
            .collect()
    }

    fn key() -> String {
        let line = |n| format!("MIIEvQ{n:02}IBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c\n");
        let body: String = (0..26).map(line).collect();
        format!("-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\n")
    }

    #[test]
    fn a_key_is_masked_in_all_its_rows() {
        let shown = shown(&format!("before\n{}behind\n", key()));
        assert!(!shown.concat().contains("BADANB"), "{shown:?}");
        assert_eq!(shown.first().map(String::as_str), Some("before"));
        assert_eq!(shown.last().map(String::as_str), Some("behind"));
    }

    #[test]
    fn of_a_key_that_has_left_the_screen_in_part_nothing_is_shown() {
        let key = key();
        let lost = key.find("MIIEvQ05").unwrap();
        let whole = "a line\n".repeat(500) + &key[..lost];
        for behind in 380..445 {
            let shown = shown(&format!("{whole}{}{}", &key[lost..], "x\n".repeat(behind)));
            assert!(!shown.concat().contains("BADANB"), "{behind} {:?}", &shown[..30]);
            assert!(shown.contains(&"x".to_owned()));
        }
    }

    #[test]
    fn a_token_that_goes_over_two_rows_is_masked_in_both() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        for before in 70..125 {
            let shown = shown(&format!("{}{} behind\n", "- ".repeat(before / 2), token));
            assert!(!shown.concat().contains("a1B2a1B2"), "{shown:?}");
            assert!(shown.concat().ends_with(" behind"), "{shown:?}");
        }
    }

    #[test]
    fn a_row_that_is_filled_to_its_end_hides_no_secret_behind_it() {
        let shown = shown(&format!("{}\nghp_{}\n", "x".repeat(120), "a1B2".repeat(9)));
        assert_eq!(shown, ["x".repeat(120), "[redacted]".to_owned()]);
    }

    #[test]
    fn the_end_of_a_token_whose_row_is_lost_is_not_shown() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        for behind in 438..443 {
            let text = format!(
                "{}{}{}\n{}",
                "a line\n".repeat(9),
                "- ".repeat(55),
                token,
                "x\n".repeat(behind)
            );
            let shown = shown(&text);
            assert!(!shown.concat().contains("a1B2a1B2"), "{behind} {:?}", &shown[..3]);
            assert!(shown.len() >= 438, "{}", shown.len());
        }
    }

    #[test]
    fn a_secret_that_changes_its_style_is_masked_with_its_row() {
        let shown = shown("token sk-ant-api03-\x1b[1mabcdefghijklmnopqrstuvwxyz0123456789\x1b[0m\nplain\n");
        assert!(!shown.concat().contains("abcdefghij"), "{shown:?}");
        assert_eq!(shown[1], "plain");
    }
}
