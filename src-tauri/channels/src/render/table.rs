//! Tables, which no platform shows: columns aligned by blanks, for a block of code.

use super::{is_text, marks_of};
use pulldown_cmark::{Alignment, Event, Tag, TagEnd};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation as _;

/// A table while its cells come in. Of their markup only the text is kept, and the addresses of links.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<Alignment>,
    rows: Vec<Vec<String>>,
    row: Vec<String>,
    cell: String,
    /// Where the text of each open link begins in the cell, and its address.
    links: Vec<(usize, String)>,
}

impl Table {
    pub(super) fn new(columns: Vec<Alignment>) -> Self {
        Self {
            columns,
            rows: Vec::new(),
            row: Vec::new(),
            cell: String::new(),
            links: Vec::new(),
        }
    }

    pub(super) fn event(&mut self, event: &Event<'_>, source: &str, range: &Range<usize>) {
        match event {
            Event::Start(tag @ (Tag::Emphasis | Tag::Strong | Tag::Strikethrough))
                if is_text(source, range) =>
            {
                self.cell.push_str(marks_of(source, tag.to_end(), range).0);
            }
            Event::End(tag @ (TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough))
                if is_text(source, range) =>
            {
                self.cell.push_str(marks_of(source, *tag, range).1);
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                self.links.push((self.cell.len(), dest_url.to_string()));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.end_link(),
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => self.cell.push_str(text),
            Event::SoftBreak | Event::HardBreak => self.cell.push(' '),
            Event::End(TagEnd::TableCell) => self.row.push(std::mem::take(&mut self.cell)),
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => self.rows.push(std::mem::take(&mut self.row)),
            _ => {}
        }
    }

    fn end_link(&mut self) {
        let Some((start, address)) = self.links.pop() else {
            return;
        };
        match self.cell.get(start..) {
            Some(text) if text == address => {}
            Some("") => self.cell.push_str(&address),
            _ => self.cell.extend([" (", &address, ")"]),
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
