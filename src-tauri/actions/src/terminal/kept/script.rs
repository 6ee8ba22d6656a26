//! The lines that a kept shell reads: each command whole, and behind it the report of its exit status.
//!
//! The shell reads its script from a pipe, a line at a time. A command comes as one line, as a quoted argument of `eval`, so
//! that quotes, brackets and here-documents that are left open end with it. The line behind it reports the status with a
//! nonce. The shell has not read that line yet while the command runs, so that no variable and no trace of it has the
//! nonce. A command that reads the shell's own script (descriptor 255) has it, and one that takes `printf` or `builtin` away
//! from the shell leaves it without a report: such a command is ended at its time limit, and its shell with it.

use rustix::rand::{GetRandomFlags, getrandom};
use std::{fmt::Write as _, io};

/// The first line: reports go to the pipe that was the shell's output; commands write to the terminal and have no input.
/// It is `exec` itself, as what stands behind `builtin` is undone. The number is one that scripts do not use (they take 3 to 9,
/// and the shell itself counts up from 10), and that stands below a limit of open files which somebody sets.
pub(super) const FIRST: &str = "exec 29>&1 1>&2 </dev/null\n";

/// Digits that nobody can guess: whatever the modes of the terminal are, they come out of it as they went in.
///
/// # Errors
/// The system has no randomness.
pub(super) fn nonce() -> io::Result<String> {
    let mut bytes = [0; 16];
    let filled = getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    if filled < bytes.len() {
        return Err(io::Error::other("the system gave too little randomness"));
    }
    Ok(format!("{:039}", u128::from_le_bytes(bytes)))
}

/// The lines of a command. `last` is the exit status of the one before, which is its `$?`.
pub(super) fn lines(command: &str, last: i32, nonce: &str) -> String {
    let mut lines = String::new();
    // Writing to a String cannot fail, here and below.
    if last != 0 {
        let _ = writeln!(lines, "(\\builtin exit {last})");
    }
    let _ = writeln!(lines, "\\builtin eval -- {} 29>&-", quoted(command));
    let _ = writeln!(
        lines,
        "\\builtin printf '%s %s\\n' {nonce} \"$?\" 2>/dev/null >&29"
    );
    lines
}

/// The exit status that a report tells, where it is the one of this nonce.
pub(super) fn status(report: &str, nonce: &str) -> Option<i32> {
    report.strip_prefix(nonce)?.strip_prefix(' ')?.parse().ok()
}

/// The text as one word of bash, on one line.
fn quoted(text: &str) -> String {
    let mut word = String::from("$'");
    for c in text.chars() {
        match c {
            '\\' | '\'' => word.extend(['\\', c]),
            '\n' => word += "\\n",
            // Control characters would be the line editor's, or the parser's own marks.
            c if c.is_ascii_control() => drop(write!(word, "\\x{:02x}", u32::from(c))),
            c => word.push(c),
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn nonces_differ_and_have_one_length() {
        let (a, b) = (nonce().unwrap(), nonce().unwrap());
        assert_ne!(a, b);
        assert!(
            [a, b]
                .iter()
                .all(|nonce| nonce.len() == 39 && nonce.bytes().all(|b| b.is_ascii_digit()))
        );
    }

    #[test]
    fn the_shell_reads_a_quoted_text_as_it_is() {
        for text in [
            "",
            "it's",
            "a\\b\\n",
            "\"$HOME\" `x`",
            "tab\tbell\x07del\x7f\x01",
            "zeile\nzwei ä🦀",
            "-n",
        ] {
            let script = format!("printf %s {}", quoted(text).as_str());
            assert!(!script.contains('\n'));
            let printed = Command::new("/bin/bash")
                .args(["-c", &script.replacen("%s", "'%s'", 1)])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(printed.stdout).unwrap(), text);
        }
    }

    #[test]
    fn a_report_counts_only_with_its_nonce() {
        assert_eq!(status("12 3", "12"), Some(3));
        for other in ["13 3", "12", "12 ", "123 3", "12 x", ""] {
            assert_eq!(status(other, "12"), None, "{other}");
        }
    }
}
