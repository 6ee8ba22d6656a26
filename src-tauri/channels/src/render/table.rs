//! Tables, which no platform shows: columns aligned by blanks, for a block of code.

use pulldown_cmark::{Alignment, Event, TagEnd};
use unicode_segmentation::UnicodeSegmentation as _;

/// A table while its cells come in. Of their markup only the text is kept.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<Alignment>,
    rows: Vec<Vec<String>>,
    row: Vec<String>,
    cell: String,
}

impl Table {
    pub(super) fn new(columns: Vec<Alignment>) -> Self {
        Self {
            columns,
            rows: Vec::new(),
            row: Vec::new(),
            cell: String::new(),
        }
    }

    pub(super) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => self.cell.push_str(text),
            Event::SoftBreak | Event::HardBreak => self.cell.push(' '),
            Event::End(TagEnd::TableCell) => self.row.push(std::mem::take(&mut self.cell)),
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => self.rows.push(std::mem::take(&mut self.row)),
            _ => {}
        }
    }

    /// The rows as lines, with a line under the first.
    pub(super) fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| width(cell)).max().unwrap_or_default()
            })
            .collect();
        let mut lines: Vec<String> = self.rows.iter().map(|row| self.line(row, &widths)).collect();
        if lines.len() > 1 {
            let rule: Vec<_> = widths.iter().map(|width| "-".repeat(*width)).collect();
            lines.insert(1, rule.join("-+-"));
        }
        lines.join("\n")
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cells = self
            .columns
            .iter()
            .zip(widths)
            .enumerate()
            .map(|(at, (align, most))| {
                let cell = row.get(at).map_or("", String::as_str);
                let blanks = most - width(cell);
                let before = match align {
                    Alignment::Right => blanks,
                    Alignment::Center => blanks / 2,
                    Alignment::Left | Alignment::None => 0,
                };
                format!("{}{cell}{}", " ".repeat(before), " ".repeat(blanks - before))
            });
        cells.collect::<Vec<_>>().join(" | ").trim_end().to_owned()
    }
}

/// Characters as a person counts them.
fn width(text: &str) -> usize {
    text.graphemes(true).count()
}
