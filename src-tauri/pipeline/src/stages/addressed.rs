//! A text without the words that name the bot, for the reader of directives, and the way back to the bytes of the message.
//!
//! ```text
//!   @bot /think high plan it      is read as  /think high plan it
//!   /think@bot high plan it       is read as  /think high plan it
//!   /think high plan it @bot      is read as  /think high plan it
//! ```

use foldback_directives::Span;

/// A text with what names the bot cut out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AddressedText {
    pub(crate) text: String,
    /// Bytes of the message up to the end of the word at its start that names the bot; 0 where none does.
    mention: usize,
    /// The byte of the message at which the word at its end that names the bot begins, with the white space before it; the
    /// length of the message where none does.
    tail: usize,
    /// The bytes of the message that were cut out, in order.
    cuts: Vec<Span>,
}

impl AddressedText {
    /// Cuts out the first word where `is_mention` says that it names the bot, and the `@name` behind the first `/word` where
    /// `is_own` says that it is the bot's. Where neither is there, the last word that names the bot is cut out: people name
    /// it once, and may write of somebody else at the end.
    pub(crate) fn read(text: &str, is_mention: impl Fn(&str) -> bool, is_own: impl Fn(&str) -> bool) -> Self {
        let (mut cuts, mut mention) = (Vec::new(), 0);
        let mut at = text.len() - text.trim_start().len();
        if let Some((first, rest)) = text[at..].split_once(char::is_whitespace)
            && !first.starts_with('/')
            && is_mention(first)
        {
            let end = text.len() - rest.trim_start().len();
            cuts.push(Span::new(at, end));
            (at, mention) = (end, end);
        }
        let word = text[at..]
            .split([':', ' ', '\t', '\n'])
            .next()
            .unwrap_or_default();
        if word.starts_with('/')
            && let Some(name) = word.find('@')
            && is_own(&word[name..])
        {
            cuts.push(Span::new(at + name, at + word.len()));
        }
        let mut tail = text.len();
        if cuts.is_empty()
            && let Some(before) = without_last(text, &is_mention)
        {
            tail = before.len();
            cuts.push(Span::new(tail, text.len()));
        }
        let mut kept = String::with_capacity(text.len());
        let mut end = 0;
        for cut in &cuts {
            kept.push_str(&text[end..cut.start]);
            end = cut.end;
        }
        kept.push_str(&text[end..]);
        Self {
            text: kept,
            mention,
            tail,
            cuts,
        }
    }

    /// The bytes of the message that a part of this text stands at.
    pub(crate) fn in_message(&self, span: Span) -> Span {
        let start = self.place(span.start);
        let last = span.end.saturating_sub(1).max(span.start);
        let end = if span.end > span.start {
            self.place(last) + 1
        } else {
            start
        };
        Span::new(start, end)
    }

    /// A text that was made of this one, with the word before or behind it that names the bot, as the message has it.
    pub(crate) fn with_mention(&self, message: &str, text: &str) -> String {
        format!("{}{text}{}", &message[..self.mention], &message[self.tail..])
    }

    fn place(&self, at: usize) -> usize {
        self.cuts.iter().fold(at, |at, cut| {
            if cut.start <= at {
                at + (cut.end - cut.start)
            } else {
                at
            }
        })
    }
}

/// A text without the word at its end that names the bot, and without the white space before it; `None` where none does, or
/// nothing else stands there.
pub(crate) fn without_last(text: &str, is_mention: impl Fn(&str) -> bool) -> Option<&str> {
    let (before, last) = text.trim_end().rsplit_once(char::is_whitespace)?;
    let before = before.trim_end();
    (is_mention(last) && !before.trim_start().is_empty()).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> AddressedText {
        AddressedText::read(text, |word| word == "@bot", |word| word == "@bot")
    }

    #[test]
    fn what_names_the_bot_is_cut_out_and_the_bytes_are_found_again() {
        for (message, text, part) in [
            ("@bot /think high plan", "/think high plan", "/think high"),
            ("/think@bot high plan", "/think high plan", "/think@bot high"),
            (
                " @bot  /think@bot high plan",
                " /think high plan",
                "/think@bot high",
            ),
            ("/think high plan", "/think high plan", "/think high"),
            ("@else /think high", "@else /think high", "/think high"),
            ("/think high plan\n@bot ", "/think high plan", "/think high"),
            ("/think high plan @else", "/think high plan @else", "/think high"),
            ("@bot /think high @bot", "/think high @bot", "/think high"),
        ] {
            let addressed = read(message);
            assert_eq!(addressed.text, text, "{message}");
            let start = addressed.text.find("/think").unwrap();
            let span = addressed.in_message(Span::new(start, start + "/think high".len()));
            assert_eq!(&message[span.start..span.end], part, "{message}");
        }
    }

    #[test]
    fn what_is_left_keeps_the_word_that_names_the_bot() {
        let of = |message: &str| read(message).with_mention(message, "plan it");
        assert_eq!(of("@bot /think high plan it"), "@bot plan it");
        assert_eq!(of("/think@bot high plan it"), "plan it");
        assert_eq!(of("/think high plan it"), "plan it");
        assert_eq!(of("/think high plan it @bot"), "plan it @bot");
    }
}
