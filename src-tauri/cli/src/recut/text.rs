//! What came of the cuts, for a person.

use super::{Report, Subject};
use foldback_wire::rpc::{Aspect, CutFamily, RecutFailure};
use std::{
    fmt,
    io::{self, Write},
};

/// Longest text shown whole, in characters; of a longer one both ends are shown.
const WHOLE: usize = 120;
const END: usize = 48;

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file } => f.write_str(file),
            Self::Message { turn, message } => write!(f, "turn {turn}, message {message}"),
        }
    }
}

/// Writes the verdict, then either what was tried or the smallest cut that changes something.
pub(super) fn write(out: &mut impl Write, raw: &str, report: &Report) -> io::Result<()> {
    let Report {
        subject,
        cuts,
        families,
        failure,
        ..
    } = report;
    if let Some(failure) = failure {
        let total: u64 = families.iter().map(|count| count.cuts).sum();
        let chunks = failure.cut.len() + 1;
        writeln!(
            out,
            "{subject}: a cut into {chunks} chunks changes the result, found by cut {cuts} of {total}"
        )?;
        return changed(out, raw, failure);
    }
    let noun = if *cuts == 1 { "cut" } else { "cuts" };
    writeln!(out, "{subject}: {cuts} {noun}, same result")?;
    for count in families.iter().filter(|count| count.cuts > 0) {
        let (family, about) = (count.family.code(), count.family.about());
        let more = match count.of {
            _ if count.family == CutFamily::Random => format!(" Here: seeds 0 to {}", count.cuts - 1),
            _ if count.family == CutFamily::Sizes => format!(" Here: 2 to {}", count.cuts + 1),
            Some(of) if of > count.cuts => {
                format!(" Here: {} of {of}, those at punctuation first", count.cuts)
            }
            _ => String::new(),
        };
        writeln!(out, "  {:>5}  {family:<10}  {about}{more}", count.cuts)?;
    }
    Ok(())
}

fn changed(out: &mut impl Write, raw: &str, failure: &RecutFailure) -> io::Result<()> {
    let mut line = |name: &str, text: &dyn fmt::Display| writeln!(out, "  {name:<12}  {text}");
    let differs: Vec<&str> = failure
        .differs
        .iter()
        .map(|aspect| Aspect::code(*aspect))
        .collect();
    line("differs", &differs.join(", "))?;
    let mut from = 0;
    for (number, end) in failure.cut.iter().copied().chain([raw.len()]).enumerate() {
        line(&format!("chunk {}", number + 1), &quoted(&raw[from..end]))?;
        from = end;
    }
    line("in one piece", &quoted(&failure.whole.clean_text))?;
    line("in chunks", &quoted(&failure.parsed.clean_text))?;
    // Where the results agree, what was shown on the way is all there is to see.
    if failure.differs.contains(&Aspect::Released) || failure.differs.contains(&Aspect::Leak) {
        for (number, shown) in failure.released.iter().enumerate() {
            let name = if number == failure.cut.len() + 1 {
                "end showed".to_owned()
            } else {
                format!("{} showed", number + 1)
            };
            line(&name, &quoted(shown))?;
        }
    }
    for leak in &failure.leaked {
        line("leaked", &quoted(leak.of(raw)))?;
    }
    Ok(())
}

/// A text in quotes, control characters escaped.
fn quoted(text: &str) -> String {
    let length = text.chars().count();
    if length <= WHOLE {
        return format!("{text:?}");
    }
    let at = |characters: usize| {
        text.char_indices()
            .nth(characters)
            .map_or(text.len(), |(at, _)| at)
    };
    let (head, tail) = (&text[..at(END)], &text[at(length - END)..]);
    let left_out = text.len() - head.len() - tail.len();
    format!("{head:?} … {left_out} bytes … {tail:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_shows_its_ends() {
        assert_eq!(quoted("a\n"), "\"a\\n\"");
        let long = format!("{}{}", "ä".repeat(60), "b".repeat(80));
        let (head, tail) = ("ä".repeat(48), "b".repeat(48));
        assert_eq!(quoted(&long), format!("{head:?} … 56 bytes … {tail:?}"));
    }
}
