//! Telegram's HTML: <https://core.telegram.org/bots/api#html-style>

use super::{Look, Page};
use foldback_wire::rpc::{InkStyle, RenderedBlock};

/// A tag that is open, and how letters looked before it.
struct Open<'a> {
    name: &'a str,
    before: Look,
}

/// The code of an open `pre`.
#[derive(Default)]
struct Code {
    language: Option<String>,
    text: String,
}

struct Reader<'a, 'p> {
    page: &'p mut Page,
    open: Vec<Open<'a>>,
    look: Look,
    code: Option<Code>,
}

pub(super) fn read(html: &str, page: &mut Page) {
    let mut reader = Reader {
        page,
        open: Vec::new(),
        look: Look::default(),
        code: None,
    };
    let mut rest = html;
    while !rest.is_empty() {
        rest = match rest.strip_prefix('<').and_then(|tag| tag.split_once('>')) {
            Some((tag, after)) => reader.tag(tag, after),
            None => reader.letters(rest),
        };
    }
    if let Some(Code { language, text }) = reader.code {
        reader.page.code(language.as_deref(), &text);
    }
}

impl<'a> Reader<'a, '_> {
    /// Reads a tag; answers what is left.
    fn tag(&mut self, tag: &'a str, after: &'a str) -> &'a str {
        match tag.strip_prefix('/') {
            Some(name) => {
                self.close(name);
                if matches!(name, "pre" | "blockquote")
                    && let Some(rest) = after.strip_prefix('\n')
                {
                    // The break after a block is the block's; it is a letter all the same.
                    self.page.letters.push('\n');
                    return rest;
                }
            }
            None => self.begin(tag),
        }
        after
    }

    /// Reads an entity, or what comes before the next one or the next tag; answers what is left.
    fn letters<'t>(&mut self, rest: &'t str) -> &'t str {
        if let Some((letter, written)) = entity(rest) {
            self.page.escapes += written - 1;
            self.say(letter.encode_utf8(&mut [0; 4]));
            return &rest[written..];
        }
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..]
            .find(['<', '&'])
            .map_or(rest.len(), |end| first + end);
        self.say(&rest[..end]);
        &rest[end..]
    }

    fn say(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.text.push_str(text),
            None => self.page.write(text, &self.look),
        }
    }

    fn begin(&mut self, tag: &'a str) {
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let value = |key: &str| {
            let (_, after) = attributes.split_once(key)?;
            after.split('"').next().map(unescaped)
        };
        self.open.push(Open {
            name,
            before: self.look.clone(),
        });
        match (name, &mut self.code) {
            ("code", Some(code)) => code.language = value("class=\"language-"),
            ("pre", code @ None) => *code = Some(Code::default()),
            ("blockquote", None) => self.page.end_text(),
            ("a", None) => self.look = self.look.leading(&value("href=\"").unwrap_or_default()),
            (name, None) => {
                if let Some(style) = style(name) {
                    self.look = self.look.with(style);
                }
            }
            (_, Some(_)) => {}
        }
    }

    fn close(&mut self, name: &str) {
        let Some(at) = self.open.iter().rposition(|tag| tag.name == name) else {
            return;
        };
        if let Some(Open { before, .. }) = self.open.drain(at..).next() {
            self.look = before;
        }
        match name {
            "pre" => {
                if let Some(Code { language, text }) = self.code.take() {
                    self.page.code(language.as_deref(), &text);
                }
            }
            "blockquote" => {
                let inks = self.page.take();
                self.page.blocks.push(RenderedBlock::Quote { inks });
            }
            _ => {}
        }
    }
}

fn style(name: &str) -> Option<InkStyle> {
    Some(match name {
        "b" | "strong" => InkStyle::Bold,
        "i" | "em" => InkStyle::Italic,
        "u" | "ins" => InkStyle::Underline,
        "s" | "strike" | "del" => InkStyle::Strike,
        "code" => InkStyle::Code,
        "tg-spoiler" | "span" => InkStyle::Spoiler,
        _ => return None,
    })
}

/// The four named entities, and how long they are written.
pub(super) fn entity(text: &str) -> Option<(char, usize)> {
    const NAMED: [(&str, char); 4] = [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"')];
    NAMED
        .into_iter()
        .find(|(written, _)| text.starts_with(written))
        .map(|(written, letter)| (letter, written.len()))
}

fn unescaped(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('&') {
        let (letter, written) = entity(&rest[at..]).unwrap_or(('&', 1));
        out.push_str(&rest[..at]);
        out.push(letter);
        rest = &rest[at + written..];
    }
    out + rest
}
