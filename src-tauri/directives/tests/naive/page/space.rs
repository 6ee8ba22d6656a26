//! White space: trimmed at the edges, joined where something was stripped.

use foldback_directives::{Fate, Range, RangeReason as Why, Span};

use super::{Piece, What, value::is_blank};

/// One character, or one thing that is not shown.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) span: Span,
    pub(super) fate: Fate,
    pub(super) why: Option<Why>,
    /// What is shown of it.
    pub(super) shown: String,
    /// The piece of code it lies in, and the backticks of an inline one.
    pub(super) code: Option<(usize, usize)>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Cells(pub(super) Vec<Cell>);

impl Cell {
    pub(super) fn hide(&mut self, fate: Fate, why: Why) {
        self.fate = fate;
        self.why = Some(why);
        self.shown.clear();
    }

    fn is_space(&self) -> bool {
        self.fate == Fate::Show && self.shown.trim().is_empty()
    }

    pub(super) fn is_word(&self) -> bool {
        self.fate == Fate::Show && !self.is_space()
    }
}

impl Cells {
    pub(super) fn clean(&self) -> String {
        self.0.iter().map(|cell| cell.shown.as_str()).collect()
    }

    /// Takes the white space off both ends.
    pub(super) fn trim(&mut self) {
        let first = self.0.iter().position(Cell::is_word).unwrap_or(self.0.len());
        let last = self.0.iter().rposition(Cell::is_word).unwrap_or(0);
        for (at, cell) in self.0.iter_mut().enumerate() {
            if (at < first || at > last) && cell.fate == Fate::Show {
                cell.hide(Fate::Drop, Why::Trim);
            }
        }
    }

    /// Neighbours with the same fate and reason are one range.
    pub(super) fn ranges(self) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        for cell in self.0 {
            let shown_as =
                (cell.why == Some(Why::JoinedSpace) && cell.fate == Fate::Show).then_some(cell.shown);
            match ranges.last_mut() {
                Some(last)
                    if (last.fate, last.reason) == (cell.fate, cell.why)
                        && last.shown_as.is_none()
                        && shown_as.is_none() =>
                {
                    last.span.end = cell.span.end;
                }
                _ => ranges.push(Range {
                    span: cell.span,
                    fate: cell.fate,
                    reason: cell.why,
                    shown_as,
                }),
            }
        }
        ranges
    }
}

/// Cells of the pieces, with every gap joined; the last one only when `more` text follows.
pub(super) fn join(raw: &str, pieces: &[Piece], more: bool) -> Cells {
    let mut cells: Vec<Cell> = Vec::new();
    for (number, piece) in pieces.iter().enumerate() {
        let code = match piece.what {
            What::Gone(fate, why) => {
                cells.push(Cell {
                    span: piece.span,
                    fate,
                    why: Some(why),
                    shown: String::new(),
                    code: None,
                });
                continue;
            }
            What::Text => None,
            What::Fence => Some((number, 0)),
            What::Ticks(ticks) => Some((number, ticks)),
        };
        for (at, c) in piece.span.of(raw).char_indices() {
            let start = piece.span.start + at;
            cells.push(Cell {
                span: Span::new(start, start + c.len_utf8()),
                fate: Fate::Show,
                why: None,
                shown: c.to_string(),
                code,
            });
        }
    }
    let mut at = 0;
    while at < cells.len() {
        let len = cells[at..]
            .iter()
            .position(Cell::is_word)
            .unwrap_or(cells.len() - at);
        let gap = &cells[at..at + len];
        let between = at > 0 && (more || at + len < cells.len());
        if between && gap.iter().any(|cell| cell.fate != Fate::Show) {
            let joined = join_gap(gap);
            cells.splice(at..at + len, joined.clone());
            at += joined.len();
        } else {
            at += len;
        }
        at += 1;
    }
    Cells(cells)
}

fn join_gap(gap: &[Cell]) -> Vec<Cell> {
    let segments: Vec<String> = gap
        .split(|cell| cell.fate != Fate::Show)
        .map(|segment| segment.iter().map(|cell| cell.shown.as_str()).collect())
        .collect();
    let breaks = |segment: &String| segment.matches('\n').count();
    let total: usize = segments.iter().map(breaks).sum();
    let with_break = segments.iter().filter(|segment| breaks(segment) > 0).count();
    let joined = if total > 0 {
        let last = segments
            .iter()
            .rev()
            .find_map(|segment| segment.rsplit_once('\n'));
        let after = last.map_or("", |(_, after)| after);
        let blanks = after.len() - after.trim_start_matches(is_blank).len();
        "\n".repeat((total - (with_break - 1)).min(2)) + &after[..blanks]
    } else if segments.iter().all(String::is_empty) {
        String::new()
    } else {
        " ".to_owned()
    };
    // Each run of white space is one range. Open: the last one carries what is shown for all of them.
    let mut out: Vec<Cell> = Vec::new();
    for cell in gap {
        let mut cell = cell.clone();
        if cell.fate == Fate::Show {
            cell.code = None;
            cell.hide(Fate::Drop, Why::JoinedSpace);
        }
        match out.last_mut() {
            Some(last) if last.why == Some(Why::JoinedSpace) && cell.why == last.why => {
                last.span.end = cell.span.end;
            }
            _ => out.push(cell),
        }
    }
    if let Some(last) = out
        .iter_mut()
        .rev()
        .find(|cell| cell.why == Some(Why::JoinedSpace))
    {
        last.fate = Fate::Show;
        last.shown = joined;
    }
    out
}
