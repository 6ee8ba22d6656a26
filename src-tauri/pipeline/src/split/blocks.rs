//! Fences of code and tables: what a cut inside of one has to close, and to open again in the next message.

/// A block that is open at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OpenBlock {
    /// A fence of code.
    Fence {
        /// The line that opened it, without its break.
        opener: String,
        /// Blanks and quotation marks before the marker.
        margin: String,
        /// The run of backticks or tildes.
        marker: String,
    },
    /// A table.
    Table {
        /// Its first row, and the row of dashes below it.
        head: String,
    },
}

impl OpenBlock {
    /// The text that opens it again.
    pub(super) fn reopen(&self) -> String {
        match self {
            Self::Fence { opener, .. } => format!("{opener}\n"),
            Self::Table { head } => head.clone(),
        }
    }

    /// The text that closes it behind a piece.
    pub(super) fn close(&self) -> String {
        match self {
            Self::Fence { margin, marker, .. } => format!("\n{margin}{marker}"),
            Self::Table { .. } => String::new(),
        }
    }

    /// True where it is over with this line: at the line that closes a fence, before one that is no row.
    pub(super) fn ends_at(&self, line: &str) -> bool {
        match self {
            Self::Fence { marker, .. } => {
                let body = line.trim_start_matches([' ', '\t', '>']).trim_end();
                body.len() >= marker.len()
                    && body.starts_with(marker)
                    && body.chars().all(|c| marker.starts_with(c))
            }
            Self::Table { .. } => {
                line.trim().is_empty() || line.trim_start().starts_with(['>', '#']) || fence(line).is_some()
            }
        }
    }
}

/// The block that is open at the end of a text, and where in it that began; `None` for what was open before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocatedBlock {
    pub(super) open: OpenBlock,
    pub(super) start: Option<usize>,
    /// The place where its content begins.
    pub(super) body: usize,
}

/// The block that is open at the end of `text`, if `before` is open at its beginning.
pub(super) fn open_block_at(text: &str, before: Option<&OpenBlock>, tables: bool) -> Option<LocatedBlock> {
    let mut opened = before.map(|open| LocatedBlock {
        open: open.clone(),
        start: None,
        body: 0,
    });
    let (mut at, mut row) = (0, None);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if let Some(there) = &opened {
            if !there.open.ends_at(line) {
                continue;
            }
            let closing = matches!(there.open, OpenBlock::Fence { .. });
            opened = None;
            if closing {
                row = None;
                continue;
            }
        }
        opened = fence(line).map(|open| LocatedBlock {
            open,
            start: Some(start),
            body: at,
        });
        let first: Option<usize> = row.take();
        if opened.is_none() && tables {
            opened = first
                .and_then(|first| table(&text[first..start], line).map(|open| (first, open)))
                .map(|(first, open)| LocatedBlock {
                    open,
                    start: Some(first),
                    body: at,
                });
            row = Some(start);
        }
    }
    opened
}

/// True where these two lines are the head of a table.
pub(super) fn table(first: &str, second: &str) -> Option<OpenBlock> {
    let dashes = second.trim();
    let is_rule = dashes.contains('-') && dashes.chars().all(|c| matches!(c, '-' | ':' | '|' | ' ' | '\t'));
    if !is_rule || !first.contains('|') || cells(first) != cells(second) || fence(first).is_some() {
        return None;
    }
    let head = format!("{}\n{}\n", first.trim_end(), second.trim_end());
    Some(OpenBlock::Table { head })
}

/// The cells of a row.
fn cells(row: &str) -> usize {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = 1;
    let mut escaped = false;
    for (at, c) in row.char_indices() {
        if c == '|' && !escaped && at + 1 < row.len() {
            cells += 1;
        }
        escaped = c == '\\' && !escaped;
    }
    cells
}

/// The fence a line opens: three or more backticks (with no further one on the line) or tildes, after
/// blanks, quotation marks and at most one list marker.
fn fence(line: &str) -> Option<OpenBlock> {
    let line = line.trim_end_matches(['\n', '\r']);
    let margin_len = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
    let (margin, body) = line.split_at(margin_len);
    let body = after_list_marker(body);
    let mark = body.chars().next().filter(|c| *c == '`' || *c == '~')?;
    let marker: String = body.chars().take_while(|c| *c == mark).collect();
    let info = &body[marker.len()..];
    if marker.len() < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    Some(OpenBlock::Fence {
        opener: format!("{margin}{marker}{info}"),
        margin: margin.to_owned(),
        marker,
    })
}

fn after_list_marker(body: &str) -> &str {
    let digits = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marker = if digits > 0 { digits + 1 } else { 1 };
    let is_marker = match body.as_bytes().get(marker - 1) {
        Some(b'.' | b')') => digits > 0,
        Some(b'-' | b'*' | b'+') => digits == 0,
        _ => false,
    };
    match body.get(marker..) {
        Some(rest) if is_marker && rest.starts_with([' ', '\t']) => rest.trim_start_matches([' ', '\t']),
        _ => body,
    }
}
