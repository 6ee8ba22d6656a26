//! The screen of a shell, for people: `vt100` keeps it, here it becomes lines of text in styles.

use super::screen_secrets::{ScreenRow, mask_rows};
use foldback_wire::{redact::Redaction, rpc::ScreenRun};
use std::num::NonZeroU16;
use vt100::{Cell, Color, Parser};

/// Columns of every screen: what programs are told.
pub(super) const COLUMNS: NonZeroU16 = NonZeroU16::MIN.saturating_add(119);
/// Its rows.
pub(super) const ROWS: NonZeroU16 = NonZeroU16::MIN.saturating_add(39);
/// Lines that are kept once they have left it.
const LEFT: usize = 400;

/// A screen.
pub(super) struct Screen(Parser);

impl Screen {
    pub(super) fn new() -> Self {
        Self(Parser::new(ROWS, COLUMNS, LEFT + 1))
    }

    /// Takes what was written to the terminal.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.process(bytes);
    }

    /// Shows a line of Foldback's own, such as the command that begins. Nothing in it is a sequence.
    pub(super) fn tell(&mut self, sign: &str, text: &str) {
        // A sequence without an end, a second screen and a style that a program left end here.
        self.add(b"\x18");
        if self.0.screen().alternate_screen() {
            self.add(b"\x1b[?1049l");
        }
        self.add(b"\x1b[0m");
        let (_, column) = self.0.screen().cursor_position();
        if column > 0 {
            self.add(b"\r\n");
        }
        self.add(format!("\x1b[1m{sign} ").as_bytes());
        for (n, line) in text.lines().enumerate() {
            if n > 0 {
                self.add(b"\r\n  ");
            }
            let line: String = line.chars().filter(|c| !c.is_control()).collect();
            self.add(line.as_bytes());
        }
        self.add(b"\x1b[0m\r\n");
    }

    /// The lines, those that have left it first, without empty ones at the end, with the secrets masked.
    pub(super) fn lines(&mut self, secrets: Option<&Redaction>) -> Vec<Vec<ScreenRun>> {
        let mut rows = self.rows();
        // Then the oldest row may go on with one that is lost, and have the end of a secret.
        let is_cut = self.scrollback_is_full();
        if is_cut {
            let first = rows.iter().position(|row| !row.is_full);
            rows.drain(..first.map_or(rows.len(), |last| last + 1));
        }
        if let Some(secrets) = secrets {
            mask_rows(&mut rows, secrets, is_cut);
        }
        rows.into_iter().map(|row| row.runs).collect()
    }

    fn scrollback_is_full(&self) -> bool {
        self.0.screen().scrollback_len() > LEFT
    }

    fn rows(&mut self) -> Vec<ScreenRow> {
        let screen = self.0.screen_mut();
        let mut lines = Vec::new();
        for back in (1..=screen.scrollback_len()).rev() {
            screen.set_scrollback(back);
            lines.push(screen_row(screen, 0));
        }
        screen.set_scrollback(0);
        lines.extend((0..ROWS.get()).map(|row| screen_row(screen, row)));
        let filled = lines
            .iter()
            .rposition(|row| !row.runs.is_empty())
            .map_or(0, |last| last + 1);
        lines.truncate(filled);
        lines
    }
}

fn screen_row(screen: &vt100::Screen, row: u16) -> ScreenRow {
    let last = screen.cell(row, COLUMNS.get() - 1);
    let is_full =
        last.is_some_and(|cell| cell.is_wide_continuation() || !matches!(cell.contents(), "" | " "));
    ScreenRow {
        runs: line(screen, row),
        is_full: is_full || screen.row_wrapped(row),
    }
}

fn line(screen: &vt100::Screen, row: u16) -> Vec<ScreenRun> {
    let mut runs: Vec<ScreenRun> = Vec::new();
    for column in 0..COLUMNS.get() {
        let Some(cell) = screen
            .cell(row, column)
            .filter(|cell| !cell.is_wide_continuation())
        else {
            continue;
        };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let style = style(cell);
        match runs.last_mut() {
            Some(run) if is_alike(run, &style) => run.text += text,
            _ => runs.push(ScreenRun {
                text: text.to_owned(),
                ..style
            }),
        }
    }
    while let Some(run) = runs.last_mut() {
        if run.background.is_none() && !run.inverse && !run.underline {
            run.text.truncate(run.text.trim_end_matches(' ').len());
        }
        if !run.text.is_empty() {
            break;
        }
        runs.pop();
    }
    runs
}

fn style(cell: &Cell) -> ScreenRun {
    ScreenRun {
        text: String::new(),
        colour: colour(cell.fgcolor()),
        background: colour(cell.bgcolor()),
        bold: cell.bold(),
        dim: cell.dim(),
        italic: cell.italic(),
        underline: cell.underline(),
        inverse: cell.inverse(),
    }
}

fn is_alike(run: &ScreenRun, style: &ScreenRun) -> bool {
    let look = |run: &ScreenRun| (run.bold, run.dim, run.italic, run.underline, run.inverse);
    run.colour == style.colour && run.background == style.background && look(run) == look(style)
}

/// The name of a colour. The window has its own for the first sixteen; the others are those of xterm
/// (<https://invisible-island.net/xterm/xterm.faq.html>).
fn colour(colour: Color) -> Option<String> {
    let rgb = |r: u8, g: u8, b: u8| Some(format!("#{r:02x}{g:02x}{b:02x}"));
    match colour {
        Color::Default => None,
        Color::Idx(index @ 0..16) => Some(index.to_string()),
        Color::Idx(index @ 16..232) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let index = index - 16;
            rgb(level(index / 36), level(index / 6 % 6), level(index % 6))
        }
        Color::Idx(index) => {
            let grey = 8 + 10 * (index - 232);
            rgb(grey, grey, grey)
        }
        Color::Rgb(r, g, b) => rgb(r, g, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(screen: &mut Screen) -> Vec<String> {
        let lines = screen.lines(None).into_iter();
        lines
            .map(|line| line.into_iter().map(|run| run.text).collect())
            .collect()
    }

    #[test]
    fn lines_have_their_text_in_styles() {
        let mut screen = Screen::new();
        screen.tell("$", "ls\n\x1b[31mx");
        screen.add(b"a \x1b[1;34mb\x1b[0m\r\n\x1b[38;5;196mc\x1b[48;2;1;2;3md\x1b[0m\r\n");
        assert_eq!(texts(&mut screen), ["$ ls", "  [31mx", "a b", "cd"]);
        let lines = screen.lines(None);
        assert!(lines[0][0].bold);
        assert_eq!(lines[2][1].colour.as_deref(), Some("4"));
        assert_eq!(lines[3][0].colour.as_deref(), Some("#ff0000"));
        assert_eq!(lines[3][1].background.as_deref(), Some("#010203"));
    }

    #[test]
    fn lines_that_have_left_the_screen_are_kept_to_a_bound() {
        let mut screen = Screen::new();
        for n in 0..1_000 {
            screen.add(format!("{n}\r\n").as_bytes());
        }
        let lines = texts(&mut screen);
        assert_eq!(lines.last().map(String::as_str), Some("999"));
        assert_eq!(lines.len(), LEFT + usize::from(ROWS.get()) - 1);
        assert_eq!(texts(&mut screen), lines, "a look changes nothing");
    }

    #[test]
    fn what_a_program_left_set_ends_with_the_next_command() {
        let mut screen = Screen::new();
        screen.add(b"kept\r\n\x1b[?1049h\x1b[31mother screen\x1b]0;no end");
        screen.tell("$", "true");
        assert_eq!(texts(&mut screen), ["kept", "$ true"]);
        assert!(screen.lines(None)[1][0].colour.is_none());
    }
}
