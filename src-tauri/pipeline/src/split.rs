//! Splitting a text into messages: never over the limit in the channel's unit, as written and as sent, never
//! inside a grapheme, at the best place there is, with code fences closed and opened again and the head of a
//! table repeated.

mod blocks;
mod places;
mod soft;

use blocks::{LocatedBlock, OpenBlock, open_block_at, table};
use foldback_channels::rendered_length;
use foldback_wire::{Capabilities, LengthUnit, Markup, Span};
use places::{best_break, boundary_from, first_grapheme, fits, window};
pub use soft::BlockBreak;

/// The most that one message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Most units in a message.
    pub max: usize,
    /// The unit that is counted.
    pub unit: LengthUnit,
    /// The markup a message is rendered to; what is sent must not be over the limit either. `None` counts only
    /// what is written.
    pub markup: Option<Markup>,
}

impl Limit {
    /// The most that one message of a channel holds.
    pub const fn of(can: &Capabilities) -> Self {
        Self {
            max: can.text_limit,
            unit: can.unit,
            markup: Some(can.markup),
        }
    }

    /// The length of a message in the channel's unit: as written, or as sent where that is more.
    pub fn length(self, text: &str) -> usize {
        let sent = self
            .markup
            .map_or(0, |markup| rendered_length(text, self.unit, markup));
        sent.max(self.unit.measure(text))
    }
}

/// The repairs where a text is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repairs {
    /// A fence is closed and opened again.
    pub fences: bool,
    /// The head of a table is repeated.
    pub tables: bool,
}

impl Repairs {
    /// Everything.
    pub const ALL: Self = Self {
        fences: true,
        tables: true,
    };
}

/// One message of a split text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes in the text.
    pub span: Span,
    /// The text that opens a fence or table again, if the piece before ended inside one.
    pub prefix: String,
    /// The line that closes a fence, if the piece ends inside one.
    pub suffix: String,
}

impl Piece {
    /// The message's text.
    pub fn text(&self, source: &str) -> String {
        [&self.prefix, self.span.of(source), &self.suffix].concat()
    }

    /// True where the piece is bytes of the text and nothing else.
    pub const fn is_verbatim(&self) -> bool {
        self.prefix.is_empty() && self.suffix.is_empty()
    }
}

/// The state of a splitter in a text: everything before `at` has gone out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Splitter {
    at: usize,
    open: Option<OpenBlock>,
    /// The words before the first piece; empty once that went out.
    lead: String,
    /// The break behind the last block, of which more may come.
    behind: Break,
}

/// A break that belongs to neither of the messages beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Break {
    /// It is over: what comes is text.
    #[default]
    Over,
    /// Within a line: blanks belong to it, too.
    InLine,
    /// Between two lines: the blanks before a text are its own.
    Lines,
}

impl Break {
    /// The bytes at the beginning of `text` that belong to this break.
    fn length(self, text: &str) -> usize {
        let space = text.len() - text.trim_start_matches([' ', '\t', '\n', '\r']).len();
        let line = text[..space].rfind(['\n', '\r']).map(|at| at + 1);
        match self {
            Self::Over => 0,
            Self::InLine => line.unwrap_or(space),
            Self::Lines => line.unwrap_or_default(),
        }
    }

    /// The break once these bytes, which belong to it, and the text behind them have come.
    fn after(self, passed: &str, text: &str) -> Self {
        match self {
            _ if !text.trim_start_matches([' ', '\t']).is_empty() => Self::Over,
            Self::InLine if passed.contains(['\n', '\r']) => Self::Lines,
            same => same,
        }
    }
}

impl Splitter {
    /// One whose first piece begins with these words, which count like the text.
    pub fn led_by(lead: String) -> Self {
        Self {
            lead,
            ..Self::default()
        }
    }

    /// The rest of `text` as one message; `None` when nothing is left. May be over the limit.
    pub fn rest(&self, text: &str) -> Option<Piece> {
        let at = self.at + self.behind.length(&text[self.at..]);
        let span = Span::new(at, text.len());
        let left = span.of(text);
        let only_closes = |open: &OpenBlock| matches!(open, OpenBlock::Fence { .. }) && open.ends_at(left);
        if left.trim().is_empty() || self.open.as_ref().is_some_and(only_closes) {
            return None;
        }
        Some(Piece {
            span,
            prefix: self.prefix(left),
            suffix: String::new(),
        })
    }

    /// Passes the bytes before `end`, which have gone out in the messages that it would answer.
    pub fn pass(&mut self, text: &str, end: usize, limit: Limit, repairs: Repairs) {
        let mut passed = 0;
        while passed < end
            && let Some(piece) = self.next_full(text, limit, repairs)
        {
            passed = piece.span.end;
        }
        // The last one, or others than it would answer: blocks went out, or a limit changed meanwhile.
        if passed != end {
            self.go_on_behind(text, text.ceil_char_boundary(end), Measure { limit, repairs });
        }
        if end > 0 {
            self.lead.clear();
        }
    }

    /// Goes on behind `end`, at which some message ended: as after a cut there, without the white space that a cut leaves
    /// out, and with the fence or the table open that is open there.
    fn go_on_behind(&mut self, text: &str, end: usize, measure: Measure) {
        self.open = None;
        let opened = self.opened(&text[..end], measure).map(|opened| opened.open);
        let mut opened = opened.filter(|open| can_be_repeated(open, measure.limit));
        let after = &text[end..];
        let line = after.trim_start_matches([' ', '\t']);
        let next = line.trim_start_matches(['\n', '\r']);
        // The blanks before a text are its own where it begins a line.
        self.at = text.len() - if line.len() == next.len() { line } else { next }.len();
        let breaks = line[..line.len() - next.len()].matches('\n').count();
        match &opened {
            Some(OpenBlock::Table { .. }) if breaks > 1 => opened = None,
            Some(open @ OpenBlock::Fence { .. }) => {
                let first = text[self.at..].split_inclusive('\n').next().unwrap_or_default();
                if first.ends_with('\n') && open.ends_at(first) {
                    self.at += first.len();
                    opened = None;
                }
            }
            _ => {}
        }
        self.open = opened;
        self.behind = Break::Over;
    }

    /// Passes what has come of the break behind the last block.
    fn pass_break(&mut self, text: &str) {
        let rest = &text[self.at..];
        let (passed, rest) = rest.split_at(self.behind.length(rest));
        self.at += passed.len();
        self.behind = self.behind.after(passed, rest);
    }

    /// The next full message, if what is left does not fit into one. What was answered stays right however
    /// the text goes on, so that a live text can be split before it is complete.
    pub fn next_full(&mut self, text: &str, limit: Limit, repairs: Repairs) -> Option<Piece> {
        self.pass_break(text);
        loop {
            let rest = &text[self.at..];
            let prefix = self.prefix(rest);
            let room = limit.max.saturating_sub(limit.unit.measure(&prefix));
            if fits(rest, room, limit.unit) && limit.length(&[&prefix, rest].concat()) <= limit.max {
                return None;
            }
            let (prefix, cut) = self.cut_to_size(rest, prefix, room, Measure { limit, repairs });
            let span = Span::new(self.at, self.at + cut.end);
            let empty = span.of(text).trim().is_empty();
            self.at += cut.next;
            self.open = cut.open;
            if !empty {
                self.lead.clear();
                return Some(Piece {
                    span,
                    prefix,
                    suffix: cut.suffix,
                });
            }
        }
    }

    /// The text that opens again what was open before `rest`, unless that ends it.
    fn prefix(&self, rest: &str) -> String {
        let line = rest.split_inclusive('\n').next().unwrap_or_default();
        let over = |open: &&OpenBlock| matches!(open, OpenBlock::Table { .. }) && open.ends_at(line);
        let open = self.open.as_ref().filter(|open| !over(open));
        let opened = open.map_or_else(String::new, OpenBlock::reopen);
        if self.lead.is_empty() {
            return opened;
        }
        [lead_before(&self.lead, rest), opened].concat()
    }

    /// A cut whose piece is not over the limit when it is rendered either: narrower until that is so.
    fn cut_to_size(&self, rest: &str, prefix: String, room: usize, measure: Measure) -> (String, Cut) {
        let limit = measure.limit;
        let first = first_grapheme(rest, limit.unit);
        let plainly = first > room && first <= limit.max;
        let (prefix, mut width) = if plainly {
            (String::new(), limit.max)
        } else {
            (prefix, room)
        };
        loop {
            let cut = if plainly {
                self.cut_plainly(rest, width, measure)
            } else {
                self.cut(rest, width, first, measure)
            };
            let length = limit.length(&[&prefix, &rest[..cut.end], &cut.suffix].concat());
            if length <= limit.max {
                return (prefix, cut);
            }
            if width <= first {
                // Nothing is narrower; nor is anything repaired then.
                return (
                    String::new(),
                    self.cut_plainly(rest, first.min(limit.max), measure),
                );
            }
            // By what it is too long, and by an eighth at least, so that this ends soon.
            let narrower = width.saturating_mul(limit.max) / length;
            width = narrower.min(width - width.div_ceil(8)).max(first);
        }
    }

    /// A cut that repairs nothing: a whole grapheme is worth more than a closed fence.
    fn cut_plainly(&self, rest: &str, room: usize, measure: Measure) -> Cut {
        let (end, next) = best_break(rest, window(rest, room, measure.limit.unit));
        let open = self.opened(&rest[..end], measure).map(|opened| opened.open);
        Cut {
            open: open.filter(|open| matches!(open, OpenBlock::Fence { .. })),
            ..Cut::plain(end, next)
        }
    }

    fn cut(&self, rest: &str, room: usize, first: usize, measure: Measure) -> Cut {
        let unit = measure.limit.unit;
        let mut reserved = 0;
        loop {
            if first > room.saturating_sub(reserved) && first <= measure.limit.max {
                return self.cut_plainly(rest, room, measure);
            }
            let window = window(rest, room.saturating_sub(reserved), unit);
            let (mut end, mut next) = best_break(rest, window);
            if let Some(head) = head_at(rest, end, next).filter(|_| measure.repairs.tables) {
                return Cut::plain(boundary_from(rest, rest[..head].trim_end().len()), head);
            }
            let Some(opened) = self.opened(&rest[..end], measure) else {
                return Cut::plain(end, next);
            };
            if matches!(opened.open, OpenBlock::Table { .. }) {
                let cut = cut_table(rest, end, next, opened, measure.limit);
                return cut.unwrap_or_else(|| self.cut_plainly(rest, room, measure));
            }
            // A fence that opened just before the cut goes whole into the next message.
            if let Some(start) = opened
                .start
                .filter(|_| rest[opened.body.min(end)..end].trim().is_empty())
            {
                let kept = boundary_from(rest, rest[..start].trim_end().len());
                if kept > 0 {
                    return Cut::plain(kept, start);
                }
                // It is all there is: cut its first line rather than send an empty fence.
                (end, next) = (window, window);
            }
            let needed = unit.measure(&opened.open.close());
            if needed <= reserved {
                return close(rest, end, next, opened.open);
            }
            // Room for the closing line; a shorter piece may end in another fence, hence the loop.
            reserved = needed;
        }
    }

    /// The block that is open at the end of `text`, if there is room to repair it.
    fn opened(&self, text: &str, Measure { limit, repairs }: Measure) -> Option<LocatedBlock> {
        open_block_at(text, self.open.as_ref(), repairs.tables).filter(|opened| match opened.open {
            OpenBlock::Fence { .. } => repairs.fences && can_be_repeated(&opened.open, limit),
            OpenBlock::Table { .. } => true,
        })
    }
}

/// The conditions that a cut must keep to.
#[derive(Clone, Copy)]
struct Measure {
    limit: Limit,
    repairs: Repairs,
}

struct Cut {
    /// The place where the piece ends.
    end: usize,
    /// The place where the next one begins.
    next: usize,
    suffix: String,
    open: Option<OpenBlock>,
}

impl Cut {
    const fn plain(end: usize, next: usize) -> Self {
        Self {
            end,
            next,
            suffix: String::new(),
            open: None,
        }
    }
}

/// Drops an opening that would leave little room for text.
fn can_be_repeated(open: &OpenBlock, limit: Limit) -> bool {
    limit.unit.measure(&open.reopen()) + limit.unit.measure(&open.close()) <= limit.max / 2
}

/// Ends a piece inside a fence. When only the closing line is left of the fence it goes along.
fn close(rest: &str, end: usize, next: usize, open: OpenBlock) -> Cut {
    let suffix = open.close();
    let line = rest[next..].split_inclusive('\n').next().unwrap_or_default();
    if line.ends_with('\n') && open.ends_at(line) {
        return Cut {
            suffix,
            ..Cut::plain(end, next + line.len())
        };
    }
    Cut {
        suffix,
        open: Some(open),
        ..Cut::plain(end, next)
    }
}

/// Ends a piece inside a table: between two rows. A table of which no row would fit goes whole into the next
/// message. `None` where a single row is too long.
fn cut_table(rest: &str, end: usize, next: usize, opened: LocatedBlock, limit: Limit) -> Option<Cut> {
    let (mut end, mut next) = (end, next);
    let after = rest[end..].trim_start_matches([' ', '\t']);
    if !after.starts_with(['\r', '\n']) {
        next = rest[..end].rfind('\n').map_or(0, |at| at + 1);
        end = rest[..next].trim_end().len();
    }
    let body = opened.body.min(end);
    if !rest[body..end].trim().is_empty() {
        let over = rest[end..next].matches('\n').count() > 1;
        return Some(Cut {
            open: Some(opened.open).filter(|open| !over && can_be_repeated(open, limit)),
            ..Cut::plain(boundary_from(rest, end), next)
        });
    }
    let start = opened.start?;
    let kept = rest[..start].trim_end().len();
    (kept > 0).then(|| Cut::plain(boundary_from(rest, kept), start))
}

/// The place where a row begins that would be cut off from the dashes below it, which make it the head of a table.
fn head_at(rest: &str, end: usize, next: usize) -> Option<usize> {
    let start = rest[..end].rfind('\n').map_or(0, |at| at + 1);
    let dashes = rest[next..].split_inclusive('\n').next()?;
    (start > 0 && !rest[..start].trim().is_empty() && rest[end..next].matches('\n').count() == 1)
        .then(|| table(&rest[start..end], dashes))?
        .map(|_| start)
}

/// The words before a text, and what stands between both: a line break where the text begins with markup that counts at
/// the start of a line only.
fn lead_before(lead: &str, text: &str) -> String {
    let text = text.trim_start_matches([' ', '\t']);
    let between = if lead.ends_with(char::is_whitespace) || text.starts_with('\n') {
        ""
    } else if text.starts_with(['`', '~', '#', '>', '|', '-', '*', '+'])
        || text.starts_with(|c: char| c.is_ascii_digit())
    {
        "\n"
    } else {
        " "
    };
    [lead, between].concat()
}

/// All messages of a complete text.
pub fn split(text: &str, limit: Limit) -> Vec<Piece> {
    let mut splitter = Splitter::default();
    let mut pieces: Vec<Piece> =
        std::iter::from_fn(|| splitter.next_full(text, limit, Repairs::ALL)).collect();
    pieces.extend(splitter.rest(text));
    pieces
}

#[cfg(test)]
mod tests;
