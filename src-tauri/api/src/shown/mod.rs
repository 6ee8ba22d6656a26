//! What a platform makes of a text: the markup it is given, and what its apps show of that. An approximation, by
//! the rules that the platforms publish; where they are silent, by what their apps do.

mod html;
mod marks;

use foldback_channels::render;
use foldback_wire::{
    Capabilities, Markup,
    rpc::{Ink, InkStyle, RenderedBlock, Rendering},
};

/// A text on a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    /// As the platform is given it.
    pub(crate) text: String,
    /// As it shows it.
    pub(crate) blocks: Vec<RenderedBlock>,
    /// The letters that a person reads, in the platform's unit.
    pub(crate) letters: usize,
    /// What escaping added.
    pub(crate) escapes: usize,
    /// Everything that is sent.
    pub(crate) whole: usize,
    /// What counts against the limit.
    pub(crate) counts: usize,
}

/// Whether a platform reads the markup before it counts: Telegram counts "after entities parsing"
/// (<https://core.telegram.org/bots/api#sendmessage>).
pub(crate) const fn free_markup(markup: Markup) -> bool {
    matches!(markup, Markup::Html)
}

impl Sent {
    /// A text of an agent, as a channel sends it.
    pub(crate) fn of(markdown: &str, can: &Capabilities) -> Self {
        let text = render(markdown, can.markup);
        let page = read(&text, can.markup);
        let (letters, whole) = (can.unit.measure(&page.letters), can.unit.measure(&text));
        Self {
            counts: if free_markup(can.markup) { letters } else { whole },
            blocks: page.blocks,
            letters,
            escapes: page.escapes,
            whole,
            text,
        }
    }

    /// What the client is told of it; nothing where the platform shows the text as the agent wrote it.
    pub(crate) fn rendering(self, markdown: &str) -> Option<Rendering> {
        let plain = match self.blocks.as_slice() {
            [] => true,
            [RenderedBlock::Text { inks }] => {
                matches!(inks.as_slice(), [ink] if ink.styles.is_empty() && ink.link.is_none() && ink.text == markdown)
            }
            _ => false,
        };
        (!plain || self.text != markdown).then_some(Rendering {
            sent: self.text,
            shown: self.blocks,
        })
    }
}

/// What a platform reads in a text.
fn read(sent: &str, markup: Markup) -> Page {
    let mut page = Page::default();
    match markup {
        Markup::Html => html::read(sent, &mut page),
        Markup::Markdown => marks::read(sent, &marks::DISCORD, &mut page),
        Markup::Mrkdwn => marks::read(sent, &marks::SLACK, &mut page),
        Markup::Whatsapp => marks::read(sent, &marks::WHATSAPP, &mut page),
        Markup::Plain => page.write(sent, &Look::default()),
    }
    page.end_text();
    page
}

/// How the letters look that are being written.
#[derive(Debug, Clone, Default)]
struct Look {
    styles: Vec<InkStyle>,
    link: Option<String>,
}

impl Look {
    fn with(&self, style: InkStyle) -> Self {
        let mut look = self.clone();
        if !look.styles.contains(&style) {
            look.styles.push(style);
        }
        look
    }

    /// Leading to an address of the web; others are no links there.
    fn leading(&self, link: &str) -> Self {
        let web = link.starts_with("https://") || link.starts_with("http://");
        Self {
            link: web.then(|| link.to_owned()),
            ..self.clone()
        }
    }
}

/// What is read so far.
#[derive(Debug, Default)]
struct Page {
    blocks: Vec<RenderedBlock>,
    inks: Vec<Ink>,
    /// Every letter that is shown, of all blocks, with the line breaks between them.
    letters: String,
    /// Characters that escaping added; all of them are ASCII, and count the same in every unit.
    escapes: usize,
}

impl Page {
    fn write(&mut self, text: &str, look: &Look) {
        if text.is_empty() {
            return;
        }
        self.letters.push_str(text);
        match self.inks.last_mut() {
            Some(last) if last.styles == look.styles && last.link == look.link => last.text.push_str(text),
            _ => self.inks.push(Ink {
                text: text.to_owned(),
                styles: look.styles.clone(),
                link: look.link.clone(),
            }),
        }
    }

    /// A character that was escaped by so many.
    fn unescape(&mut self, letter: char, written: usize, look: &Look) {
        self.escapes += written - 1;
        self.write(letter.encode_utf8(&mut [0; 4]), look);
    }

    /// A line ends. After a block its end is the block's, and is not shown again.
    fn break_line(&mut self) {
        if self.inks.is_empty() {
            self.letters.push('\n');
        } else {
            self.write("\n", &Look::default());
        }
    }

    /// The lines so far are a text of their own. Blank lines around a block are the block's.
    fn end_text(&mut self) {
        let mut inks = std::mem::take(&mut self.inks);
        if let Some(first) = inks.first_mut() {
            first.text = first.text.trim_start_matches('\n').to_owned();
        }
        if let Some(last) = inks.last_mut() {
            last.text.truncate(last.text.trim_end_matches('\n').len());
        }
        inks.retain(|ink| !ink.text.is_empty());
        if !inks.is_empty() {
            self.blocks.push(RenderedBlock::Text { inks });
        }
    }

    /// Takes the lines since `end_text` for a block.
    fn take(&mut self) -> Vec<Ink> {
        std::mem::take(&mut self.inks)
    }

    fn code(&mut self, language: Option<&str>, text: &str) {
        self.end_text();
        self.letters.push_str(text);
        self.blocks.push(RenderedBlock::Code {
            language: language.filter(|name| !name.is_empty()).map(str::to_owned),
            text: text.to_owned(),
        });
    }
}

#[cfg(test)]
mod tests;
