//! Agents write Markdown; every platform shows a markup of its own. A text is rendered before it is split, so
//! that what is counted is what is sent.

mod ranges;
mod style;
mod table;
#[cfg(test)]
mod tests;

use foldback_wire::{LengthUnit, Markup};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, OffsetIter, Options, Parser, Tag, TagEnd};
pub(crate) use ranges::{Look, Part, render_parts};
use std::ops::Range;
use style::{Marks, Style};
use table::Table;

/// Farthest that the beginning of an address is looked for, in bytes.
const LONGEST_ADDRESS: usize = 2_048;

/// The text in the markup of a platform.
///
/// Nothing is lost: what a platform cannot show as written is shown in words (a link as its text and address, a
/// table as aligned columns). Line breaks stay where they are, and what looks like emphasis at a word's inside,
/// as in `2*3*4`, or in an address is text.
pub fn render(markdown: &str, markup: Markup) -> String {
    if markup == Markup::Markdown {
        return verbatim(markdown, read(markdown));
    }
    written(markdown, Style::of(markup))
}

fn read(markdown: &str) -> OffsetIter<'_> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(markdown, options).into_offset_iter()
}

fn written(markdown: &str, style: &'static Style) -> String {
    let mut writer = Writer::new(markdown, style);
    for (event, range) in read(markdown) {
        writer.event(event, range);
    }
    writer.out()
}

/// How long a text is once it is rendered, as the platform counts it: Telegram counts what its HTML shows, the
/// others every character that is sent. <https://core.telegram.org/bots/api#sendmessage>
pub fn rendered_length(markdown: &str, unit: LengthUnit, markup: Markup) -> usize {
    let sent = render(markdown, markup);
    if markup != Markup::Html {
        return unit.measure(&sent);
    }
    let mut length = 0;
    // Tags and entities are the renderer's own, hence whole.
    let mut rest = sent.as_str();
    while let Some(at) = rest.find(['<', '&']) {
        length += unit.measure(&rest[..at]);
        let (end, shown) = if rest[at..].starts_with('<') {
            ('>', 0)
        } else {
            (';', 1)
        };
        length += shown;
        rest = rest[at..].split_once(end).map_or("", |(_, after)| after);
    }
    length + unit.measure(rest)
}

/// Whether what Markdown reads as emphasis was hardly meant so: inside a word, as in `2*3*4`, or in an address.
fn is_text(source: &str, emphasis: &Range<usize>) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    word(source[..emphasis.start].chars().next_back())
        || word(source[emphasis.end..].chars().next())
        || in_address(&source[..emphasis.start])
}

/// What an emphasis is written with on each side: `**`, `__`, `~~`, or one of them.
fn marks_of<'a>(source: &'a str, tag: TagEnd, range: &Range<usize>) -> (&'a str, &'a str) {
    let written = &source[range.clone()];
    let width = match tag {
        TagEnd::Strong => 2,
        TagEnd::Strikethrough => 1 + usize::from(written.starts_with("~~")),
        _ => 1,
    };
    (&written[..width], &written[written.len() - width..])
}

/// Whether what Markdown reads as emphasis stands between digits or letters, as the factors of a product do. Only
/// those of ASCII: many scripts write no blanks between words.
fn is_product(source: &str, emphasis: &Range<usize>) -> bool {
    let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (before, after) = (&source[..emphasis.start], &source[emphasis.end..]);
    word(before.chars().next_back()) && word(after.chars().next()) && !in_address(before)
}

/// Whether a text ends in an address that nothing marks as a link.
fn in_address(text: &str) -> bool {
    let far = text.len().saturating_sub(LONGEST_ADDRESS);
    let near = &text[text.ceil_char_boundary(far)..];
    let token = near.rsplit(char::is_whitespace).next().unwrap_or_default();
    token
        .rsplit_once("://")
        .is_some_and(|(_, address)| !has_ended(address))
}

/// Whether something behind the beginning of an address is no part of it: a bracket that it did not open, or
/// punctuation that is not ASCII.
fn has_ended(address: &str) -> bool {
    let mut open = Vec::new();
    address.chars().any(|c| {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            ')' | ']' => return open.pop() != Some(c),
            _ => return c == '>' || !(c.is_ascii() || c.is_alphanumeric()),
        }
        false
    })
}

/// Markdown for a platform that reads Markdown, though no tables and no small headings.
fn verbatim<'a>(markdown: &'a str, parser: impl Iterator<Item = (Event<'a>, Range<usize>)>) -> String {
    let (mut out, mut copied) = (String::new(), 0);
    let mut table: Option<Table> = None;
    for (event, range) in parser {
        match event {
            // A product such as `2*3*4`, which such a platform would read as emphasis.
            Event::Start(Tag::Emphasis) | Event::End(TagEnd::Emphasis)
                if table.is_none() && is_product(markdown, &range) =>
            {
                let mark = if matches!(event, Event::Start(_)) {
                    range.start
                } else {
                    range.end - 1
                };
                if mark >= copied {
                    out.extend([&markdown[copied..mark], "\\"]);
                    copied = mark;
                }
            }
            Event::Start(Tag::Table(columns)) => {
                out.push_str(&markdown[copied..range.start]);
                table = Some(Table::new(columns));
            }
            Event::End(TagEnd::Table) => {
                if let Some(table) = table.take() {
                    out.push_str(&Style::of(Markup::Markdown).block(None, &table.text()));
                }
                copied = range.end - usize::from(markdown[..range.end].ends_with('\n'));
            }
            Event::Start(Tag::Heading { level, .. }) if table.is_none() && level > HeadingLevel::H3 => {
                let text = markdown[range.clone()].trim_end_matches(['\r', '\n']);
                let ink = text.trim_matches(['#', ' ', '\t']);
                out.push_str(&markdown[copied..range.start]);
                out.extend(["**", ink, "**"]);
                copied = range.start + text.len();
            }
            event => {
                if let Some(table) = &mut table {
                    table.event(&event, markdown, &range);
                }
            }
        }
    }
    out.push_str(markdown.get(copied..).unwrap_or_default());
    out
}

/// What is being written into: the text itself, or what will be indented, quoted or linked once it is whole.
#[derive(Debug, Default)]
struct Level {
    text: String,
    /// What ends before or after the text of the level, where it is known when the level begins.
    around: (String, String),
}

struct Writer<'a> {
    source: &'a str,
    style: &'static Style,
    levels: Vec<Level>,
    /// The number of the next item of every open list; `None` where items have none.
    lists: Vec<Option<u64>>,
    /// For each open emphasis, what closes it.
    closing: Vec<String>,
    bold: usize,
    quotes: usize,
    /// The language of the open block of code, which may be empty.
    code: Option<String>,
    table: Option<Table>,
}

impl<'a> Writer<'a> {
    fn new(source: &'a str, style: &'static Style) -> Self {
        Self {
            source,
            style,
            levels: vec![Level::default()],
            lists: Vec::new(),
            closing: Vec::new(),
            bold: 0,
            quotes: 0,
            code: None,
            table: None,
        }
    }

    fn out(mut self) -> String {
        while self.levels.len() > 1 {
            self.close(|_, text| text);
        }
        self.levels.pop().unwrap_or_default().text
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        if let Some(table) = &mut self.table {
            if matches!(event, Event::End(TagEnd::Table)) {
                let text = table.text();
                self.table = None;
                let block = self.style.block(None, &text);
                self.push(&block);
            } else {
                table.event(&event, self.source, &range);
            }
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag, &range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code.is_some() => self.push(&text),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                let text = self.style.escaped(&text);
                self.push(&text);
            }
            Event::Code(text) => {
                let code = self.style.code(&text);
                self.push(&code);
            }
            Event::SoftBreak | Event::HardBreak => self.push("\n"),
            Event::Rule => {
                self.begin_block(&range);
                self.push("———");
            }
            Event::TaskListMarker(done) => self.push(if done { "☑ " } else { "☐ " }),
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                let text = self.style.escaped(&self.source[range]);
                self.push(&text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Heading { .. } => {
                self.begin_block(range);
                let open = self.style.bold.0;
                self.push(open);
                self.bold += 1;
            }
            Tag::BlockQuote(_) => {
                self.begin_block(range);
                self.quotes += 1;
                self.open(String::new(), String::new());
            }
            Tag::CodeBlock(kind) => {
                self.begin_block(range);
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = info.split_whitespace().next().or(Some("")).map(str::to_owned);
                self.open(String::new(), String::new());
            }
            Tag::List(first) => {
                self.begin_block(range);
                self.lists.push(first);
            }
            Tag::Item => {
                self.begin_block(range);
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => self.style.bullet.to_owned(),
                };
                self.open(marker, String::new());
            }
            Tag::Table(columns) => {
                self.begin_block(range);
                self.table = Some(Table::new(columns));
            }
            Tag::Strong => {
                let marks = self.style.bold;
                let marks = if self.bold > 0 { ("", "") } else { marks };
                self.emphasis(marks, TagEnd::Strong, range);
                self.bold += 1;
            }
            Tag::Emphasis => self.emphasis(self.style.italic, TagEnd::Emphasis, range),
            Tag::Strikethrough => self.emphasis(self.style.strike, TagEnd::Strikethrough, range),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.open(String::new(), dest_url.into_string());
            }
            Tag::HtmlBlock | Tag::Paragraph => self.begin_block(range),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.bold -= 1;
                let close = self.style.bold.1;
                self.push(close);
            }
            TagEnd::BlockQuote(_) => {
                self.quotes -= 1;
                let nested = self.quotes > 0;
                self.close(|style, level| Level {
                    text: style.quote(&level.text, nested),
                    ..level
                });
            }
            TagEnd::CodeBlock => {
                let language = self.code.take().filter(|language| !language.is_empty());
                self.close(|style, level| Level {
                    text: style.block(language.as_deref(), level.text.trim_end_matches('\n')),
                    ..level
                });
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item => self.close(|_, level| {
                let indent = " ".repeat(level.around.0.chars().count());
                let mut lines = level.text.trim_end().lines();
                let first = lines.next().unwrap_or_default();
                let mut text = format!("{}{first}", level.around.0);
                for line in lines {
                    text.push('\n');
                    if !line.is_empty() {
                        text.push_str(&indent);
                        text.push_str(line);
                    }
                }
                Level { text, ..level }
            }),
            TagEnd::Strong => {
                self.bold -= 1;
                self.end_emphasis();
            }
            TagEnd::Emphasis | TagEnd::Strikethrough => self.end_emphasis(),
            TagEnd::Link | TagEnd::Image => self.close(|style, level| Level {
                text: style.link(&level.text, &level.around.1),
                ..level
            }),
            TagEnd::HtmlBlock => {
                let text = &mut self.level().text;
                text.truncate(text.trim_end_matches('\n').len());
            }
            _ => {}
        }
    }

    /// Opens an emphasis, or what is text after all.
    fn emphasis(&mut self, (open, close): Marks, tag: TagEnd, range: &Range<usize>) {
        if is_text(self.source, range) {
            let (open, close) = marks_of(self.source, tag, range);
            self.push(open);
            self.closing.push(close.to_owned());
        } else {
            self.push(open);
            self.closing.push(close.to_owned());
        }
    }

    fn end_emphasis(&mut self) {
        if let Some(close) = self.closing.pop() {
            self.push(&close);
        }
    }

    /// A block begins: as many line breaks stand before it as in the source, at least one.
    fn begin_block(&mut self, range: &Range<usize>) {
        let before = self.source[..range.start].trim_end_matches([' ', '\t', '\r', '\n', '>']);
        let gap = &self.source[before.len()..range.start];
        let breaks = gap.bytes().filter(|b| *b == b'\n').count();
        let text = &mut self.level().text;
        if !text.is_empty() {
            let there = text.len() - text.trim_end_matches('\n').len();
            text.push_str(&"\n".repeat(breaks.max(1).saturating_sub(there)));
        }
    }

    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn push(&mut self, text: &str) {
        self.level().text.push_str(text);
    }

    fn open(&mut self, before: String, after: String) {
        self.levels.push(Level {
            text: String::new(),
            around: (before, after),
        });
    }

    fn close(&mut self, finish: impl FnOnce(&Style, Level) -> Level) {
        if let Some(level) = self.levels.pop() {
            let text = finish(self.style, level).text;
            self.push(&text);
        }
    }
}
