//! Markups made of marks around words: Discord's Markdown, Slack's mrkdwn, WhatsApp's styles.

use super::{Look, Page, html::entity};
use foldback_wire::rpc::{InkStyle, RenderedBlock};

/// How a platform reads its marks.
#[derive(Debug)]
pub(super) struct Marks {
    /// Longer marks before those they begin with.
    styles: &'static [(&'static str, InkStyle)],
    /// A mark counts only at the edge of a word, and ends on its line.
    at_words: bool,
    /// `\*` is an asterisk.
    backslash: bool,
    /// `&amp;`, and `<address|text>`.
    angles: bool,
    /// `[text](address)`.
    masked_links: bool,
    headings: bool,
    bullets: bool,
}

/// <https://support.discord.com/hc/en-us/articles/210298617>
pub(super) static DISCORD: Marks = Marks {
    styles: &[
        ("**", InkStyle::Bold),
        ("__", InkStyle::Underline),
        ("~~", InkStyle::Strike),
        ("||", InkStyle::Spoiler),
        ("*", InkStyle::Italic),
        ("_", InkStyle::Italic),
    ],
    at_words: false,
    backslash: true,
    angles: false,
    masked_links: true,
    headings: true,
    bullets: true,
};

/// <https://docs.slack.dev/messaging/formatting-message-text>
pub(super) static SLACK: Marks = Marks {
    styles: &[
        ("*", InkStyle::Bold),
        ("_", InkStyle::Italic),
        ("~", InkStyle::Strike),
    ],
    at_words: true,
    backslash: false,
    angles: true,
    masked_links: false,
    headings: false,
    bullets: false,
};

/// <https://faq.whatsapp.com/539178204879377>
pub(super) static WHATSAPP: Marks = Marks {
    styles: &[
        ("*", InkStyle::Bold),
        ("_", InkStyle::Italic),
        ("~", InkStyle::Strike),
    ],
    at_words: true,
    backslash: false,
    angles: false,
    masked_links: false,
    headings: false,
    bullets: true,
};

pub(super) fn read(sent: &str, marks: &Marks, page: &mut Page) {
    let lines: Vec<&str> = sent.split('\n').collect();
    let plain = Look::default();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if at > 0 {
            page.break_line();
        }
        let rest = &lines[at..];
        at += if let Some((fence, language)) = opens(line) {
            let inner = rest[1..].iter().take_while(|line| !closes(line, fence)).count();
            let code = decoded(&rest[1..=inner].join("\n"), marks, page);
            page.code(Some(language), &code);
            (inner + 2).min(rest.len())
        } else if line.starts_with('>') {
            let quoted = rest.iter().take_while(|line| line.starts_with('>'));
            let said: Vec<_> = quoted
                .map(|line| line[1..].strip_prefix(' ').unwrap_or(&line[1..]))
                .collect();
            page.end_text();
            inline(&said.join("\n"), marks, &plain, page);
            let inks = page.take();
            page.blocks.push(RenderedBlock::Quote { inks });
            said.len()
        } else if let Some((level, title)) = heading(line).filter(|_| marks.headings) {
            page.end_text();
            inline(title, marks, &plain, page);
            let inks = page.take();
            page.blocks.push(RenderedBlock::Heading { level, inks });
            1
        } else {
            let more = rest[1..]
                .iter()
                .take_while(|line| !marks.at_words && goes_on(line, marks));
            let many = 1 + more.count();
            let text = rest[..many].join("\n");
            let item = bullet(&text).filter(|_| marks.bullets);
            if let Some((indent, _)) = item {
                page.write(indent, &plain);
                page.write("• ", &plain);
            }
            inline(item.map_or(text.as_str(), |(_, item)| item), marks, &plain, page);
            many
        };
    }
}

/// Whether a line belongs to the text before it.
fn goes_on(line: &str, marks: &Marks) -> bool {
    opens(line).is_none()
        && !line.starts_with('>')
        && (!marks.headings || heading(line).is_none())
        && (!marks.bullets || bullet(line).is_none())
}

/// A fence and the language behind it.
fn opens(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let fence = line.len() - line.trim_start_matches('`').len();
    let language = line[fence..].trim();
    (fence >= 3 && !language.contains('`')).then_some((fence, language))
}

fn closes(line: &str, fence: usize) -> bool {
    let line = line.trim();
    line.len() >= fence && line.chars().all(|c| c == '`')
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let title = line.trim_start_matches('#');
    let level = u8::try_from(line.len() - title.len())
        .ok()
        .filter(|level| (1..=3).contains(level))?;
    title.strip_prefix(' ').map(|title| (level, title))
}

/// The blanks before an item of a list, and what it says.
fn bullet(line: &str) -> Option<(&str, &str)> {
    let item = line.trim_start_matches(' ');
    let indent = &line[..line.len() - item.len()];
    let said = item.strip_prefix("- ").or_else(|| item.strip_prefix("* "))?;
    Some((indent, said))
}

/// The letters of code.
fn decoded(code: &str, marks: &Marks, page: &mut Page) -> String {
    let (mut out, mut rest) = (String::new(), code);
    while let Some(at) = rest.find('&').filter(|_| marks.angles) {
        let (letter, written) = entity(&rest[at..]).unwrap_or(('&', 1));
        page.escapes += written - 1;
        out.push_str(&rest[..at]);
        out.push(letter);
        rest = &rest[at + written..];
    }
    out + rest
}

/// Reads marks, links and escapes.
fn inline(text: &str, marks: &Marks, look: &Look, page: &mut Page) {
    let mut at = 0;
    let mut plain = 0;
    while at < text.len() {
        let rest = &text[at..];
        let Some(special) = special(text, at, marks, look) else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        page.write(&text[plain..at], look);
        at += special.written(page, marks, look);
        plain = at;
    }
    page.write(&text[plain..], look);
}

/// What is not a letter of its own.
enum Special<'a> {
    Letter {
        letter: char,
        written: usize,
    },
    /// A letter that a backslash stands before.
    Literal(&'a str),
    Code {
        inner: &'a str,
        marks: usize,
    },
    Styled {
        inner: &'a str,
        mark: usize,
        style: InkStyle,
    },
    Link {
        text: &'a str,
        address: &'a str,
        written: usize,
    },
    /// `<@U1>` and its like: what is shown for it is not in the text.
    Reference {
        name: &'a str,
        written: usize,
    },
}

impl Special<'_> {
    /// Writes it; answers how many bytes of the text it was.
    fn written(self, page: &mut Page, marks: &Marks, look: &Look) -> usize {
        match self {
            Self::Letter { letter, written } => {
                page.unescape(letter, written, look);
                written
            }
            Self::Literal(letter) => {
                page.write(letter, look);
                1 + letter.len()
            }
            Self::Code { inner, marks: width } => {
                let code = decoded(inner, marks, page);
                page.write(&code, &look.with(InkStyle::Code));
                inner.len() + 2 * width
            }
            Self::Styled { inner, mark, style } => {
                inline(inner, marks, &look.with(style), page);
                inner.len() + 2 * mark
            }
            Self::Link {
                text,
                address,
                written,
            } => {
                let escapes = page.escapes;
                let address = decoded(address, marks, page);
                // The address of a masked link is no letter: what escaping added to it is markup.
                page.escapes = escapes;
                let linked = look.leading(&address);
                if text == address {
                    page.write(text, &linked);
                } else {
                    inline(text, marks, &linked, page);
                }
                written
            }
            Self::Reference { name, written } => {
                page.write(name, look);
                written
            }
        }
    }
}

fn special<'a>(text: &'a str, at: usize, marks: &Marks, look: &Look) -> Option<Special<'a>> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    match first {
        '\\' if marks.backslash => {
            let next = rest[1..].chars().next().filter(char::is_ascii_punctuation)?;
            Some(Special::Literal(&rest[1..=next.len_utf8()]))
        }
        '&' if marks.angles => entity(rest).map(|(letter, written)| Special::Letter { letter, written }),
        '<' if marks.angles => angle(rest),
        '`' => {
            let width = rest.len() - rest.trim_start_matches('`').len();
            let end = rest[width..].find(&rest[..width])?;
            (end > 0).then(|| Special::Code {
                inner: &rest[width..width + end],
                marks: width,
            })
        }
        '[' if marks.masked_links && look.link.is_none() => {
            let (label, after) = rest[1..].split_once("](")?;
            let (address, _) = after.split_once(')')?;
            let fits = address.starts_with("http")
                && !address.contains(char::is_whitespace)
                && !label.contains('\n');
            fits.then(|| Special::Link {
                text: label,
                address,
                written: label.len() + address.len() + 4,
            })
        }
        'h' if look.link.is_none() && (rest.starts_with("https://") || rest.starts_with("http://")) => {
            let end = rest
                .find(|c: char| c.is_whitespace() || "<>)|".contains(c))
                .unwrap_or(rest.len());
            let address = rest[..end].trim_end_matches(['.', ',', '!', '?', '*', '_', '~']);
            Some(Special::Link {
                text: address,
                address,
                written: address.len(),
            })
        }
        _ => marks
            .styles
            .iter()
            .filter(|(mark, style)| rest.starts_with(mark) && !look.styles.contains(style))
            .find_map(|(mark, style)| styled(text, at, mark, *style, marks.at_words)),
    }
}

/// `<address|text>`, `<address>` or `<@id>` on Slack.
fn angle(rest: &str) -> Option<Special<'_>> {
    let (inner, _) = rest[1..].split_once('>')?;
    let written = inner.len() + 2;
    if inner.starts_with(['@', '#', '!']) {
        return Some(Special::Reference {
            name: inner.split('|').next().unwrap_or(inner),
            written,
        });
    }
    let (address, text) = inner.split_once('|').unwrap_or((inner, inner));
    (!inner.contains('\n')).then_some(Special::Link {
        text,
        address,
        written,
    })
}

fn styled<'a>(text: &'a str, at: usize, mark: &str, style: InkStyle, at_words: bool) -> Option<Special<'a>> {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let begin = at + mark.len();
    let strict = at_words || mark == "_";
    if strict && word(text[..at].chars().next_back()) || text[begin..].starts_with(char::is_whitespace) {
        return None;
    }
    let line = if at_words {
        text[begin..].split('\n').next().unwrap_or_default()
    } else {
        &text[begin..]
    };
    let ends = line.match_indices(mark).map(|(end, _)| end).find(|end| {
        let (inner, after) = (&line[..*end], &line[end + mark.len()..]);
        // Of `***` the outer mark ends last.
        let longer = mark.len() == 1 && (after.starts_with(mark) || inner.ends_with(mark)) && !at_words;
        let inside = strict && word(after.chars().next());
        !(inner.is_empty() || inner.ends_with(char::is_whitespace) || longer || inside)
    })?;
    // Of three in a row the inner mark ends first.
    let ends = ends + usize::from(mark.len() == 2 && line[ends + 1..].starts_with(mark));
    Some(Special::Styled {
        inner: &line[..ends],
        mark: mark.len(),
        style,
    })
}
