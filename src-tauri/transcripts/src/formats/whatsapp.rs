//! WhatsApp chats as text: the form follows the phone's language and country, so it is found out from the file.
//!
//! ```text
//! [02/03/2026, 09:00:05] Mira: look: https://example.org/a        iOS
//! second line of the same message
//! 3/2/26, 9:00 AM - Mira: look at this                            Android
//! ```
//!
//! Only the beginning of a line can begin a message, and only in the form of the file's first message. A day and a month
//! up to 12 are told apart by the other dates of the file; where none of them helps, day first is taken for iOS form
//! with a year of four digits, month first for a clock of twelve hours, and a note says so.

use crate::{
    ChatPlace, Conversation, DamageReason, DeliveredMessage, Person, Refusal, reading::Reading,
    source::Source,
};
use foldback_wire::Timestamp;

const MARK: char = '\u{200e}';

/// Whether one of the first lines begins a message.
pub(crate) fn is_chat(text: &[u8]) -> bool {
    let lines = text.split(|byte| *byte == b'\n').take(20);
    let headed = lines
        .filter_map(|line| std::str::from_utf8(line).ok())
        .filter_map(Head::of);
    headed.count() > 0
}

/// The order of a date's parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DateOrder {
    DayMonthYear,
    MonthDayYear,
    YearMonthDay,
}

/// The beginning of a line that begins a message.
#[derive(Clone, Copy)]
struct Head<'a> {
    /// iOS puts brackets around the time.
    bracketed: bool,
    date: [u32; 3],
    hour: u32,
    minute: u32,
    second: u32,
    twelve_hours: bool,
    year_digits: usize,
    /// What follows.
    rest: &'a str,
}

impl<'a> Head<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let line = line.trim_start_matches(MARK);
        let bracketed = line.starts_with('[');
        let (time, rest) = if bracketed {
            line[1..].split_once("] ")?
        } else {
            line.split_once(" - ")?
        };
        // Longest time that any language writes, in characters.
        if time.chars().count() > 40 {
            return None;
        }
        // Date and time with the words of any language between them: numbers, and a half of the day at the end.
        let mut numbers = Vec::new();
        let mut digits = 0;
        let mut longest = 0;
        for c in time.chars() {
            if let Some(digit) = c.to_digit(10) {
                if digits == 0 {
                    numbers.push(0_u32);
                }
                digits += 1;
                if digits > 4 {
                    return None;
                }
                longest = longest.max(digits);
                let last = numbers.last_mut()?;
                *last = *last * 10 + digit;
            } else {
                digits = 0;
            }
        }
        let &[one, two, three, hour, minute] = numbers.get(..5)? else {
            return None;
        };
        if numbers.len() > 6 || !time.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let letters: String = time.chars().filter(char::is_ascii_alphabetic).collect();
        let letters = letters.to_ascii_lowercase();
        let (morning, evening) = (letters.ends_with("am"), letters.ends_with("pm"));
        let hour = match (morning, evening) {
            (true, _) if hour == 12 => 0,
            (_, true) if hour < 12 => hour + 12,
            _ => hour,
        };
        let second = numbers.get(5).copied().unwrap_or(0);
        (hour < 24 && minute < 60 && second < 61).then_some(Self {
            bracketed,
            date: [one, two, three],
            hour,
            minute,
            second: second.min(59),
            twelve_hours: morning || evening,
            year_digits: longest,
            rest,
        })
    }

    /// What this date alone says of the order.
    fn order(&self) -> Option<DateOrder> {
        match self.date {
            [year, ..] if year > 31 => Some(DateOrder::YearMonthDay),
            [day, ..] if day > 12 => Some(DateOrder::DayMonthYear),
            [_, day, _] if day > 12 => Some(DateOrder::MonthDayYear),
            _ => None,
        }
    }

    fn at(&self, order: DateOrder) -> Option<Timestamp> {
        let [one, two, three] = self.date;
        let (year, month, day) = match order {
            DateOrder::YearMonthDay => (one, two, three),
            DateOrder::DayMonthYear => (three, two, one),
            DateOrder::MonthDayYear => (three, one, two),
        };
        let year = if year < 100 { year + 2000 } else { year };
        let (hour, minute, second) = (self.hour, self.minute, self.second);
        Timestamp::parse(&format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        ))
    }
}

/// A message whose date is not understood yet.
struct Undated {
    date: [u32; 3],
    hour: u32,
    minute: u32,
    second: u32,
}

/// Reads a chat.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut chat = Chat::default();
    while let Some(line) = source.any_line()? {
        let (number, offset) = (line.number, line.offset);
        match line.bytes {
            Ok(bytes) => match std::str::from_utf8(&bytes) {
                Ok(text) => chat.line(text, reading),
                Err(_) => reading.damage(number, offset, DamageReason::NotUtf8),
            },
            Err(reason) => reading.damage(number, offset, reason),
        }
    }
    chat.finish(reading);
    Ok(())
}

#[derive(Default)]
struct Chat {
    /// Form of the first message: brackets, digits of the year, clock of twelve hours.
    form: Option<(bool, usize, bool)>,
    messages: Vec<DeliveredMessage>,
    times: Vec<Undated>,
    order: Option<DateOrder>,
}

impl Chat {
    fn line(&mut self, line: &str, reading: &mut Reading) {
        let head = Head::of(line).filter(|head| {
            self.form.is_none_or(|(bracketed, digits, _)| {
                head.bracketed == bracketed && head.year_digits == digits
            })
        });
        let Some(head) = head else {
            match self.messages.last_mut() {
                Some(message) => {
                    message.text.push('\n');
                    message.text.push_str(line.trim_start_matches(MARK));
                }
                None if line.trim().is_empty() => {}
                None => reading.aside("line", "before.the.first.message"),
            }
            return;
        };
        self.form
            .get_or_insert((head.bracketed, head.year_digits, head.twelve_hours));
        self.order = self.order.or_else(|| head.order());
        self.times.push(Undated {
            date: head.date,
            hour: head.hour,
            minute: head.minute,
            second: head.second,
        });
        self.messages.push(message(head.rest, self.messages.len() + 1));
    }

    fn finish(mut self, reading: &mut Reading) {
        let Some((bracketed, digits, twelve_hours)) = self.form else {
            return;
        };
        let order = self.order.unwrap_or_else(|| {
            let order = if digits == 2 && twelve_hours {
                DateOrder::MonthDayYear
            } else {
                DateOrder::DayMonthYear
            };
            let taken = if order == DateOrder::DayMonthYear { "day" } else { "month" };
            reading.note(format!(
                "No date says whether it begins with the day or the month; the {taken} was taken as the first."
            ));
            order
        });
        reading.note("Times are those of the phone, whose zone the file does not say; they are read as UTC.");
        let mut undated = 0;
        for (message, time) in self.messages.iter_mut().zip(&self.times) {
            let head = Head {
                bracketed,
                date: time.date,
                hour: time.hour,
                minute: time.minute,
                second: time.second,
                twelve_hours,
                year_digits: digits,
                rest: "",
            };
            message.at = head.at(order);
            message.local_time = message.at.is_some();
            undated += u32::from(message.at.is_none());
            while message.text.ends_with('\n') {
                message.text.pop();
            }
            finish_text(message);
        }
        if undated > 0 {
            reading.note(format!("Messages whose date cannot be read: {undated}."));
        }
        reading.conversations.push(Conversation {
            id: "whatsapp".to_owned(),
            chat: Some(ChatPlace {
                platform: Some("whatsapp".to_owned()),
                ..ChatPlace::default()
            }),
            messages: self.messages,
            ..Conversation::default()
        });
    }
}

fn message(rest: &str, number: usize) -> DeliveredMessage {
    let mut message = DeliveredMessage {
        id: format!("line-{number}"),
        ..DeliveredMessage::default()
    };
    let named = rest
        .split_once(": ")
        .or_else(|| rest.strip_suffix(':').map(|name| (name, "")));
    match named {
        // A new subject with a colon looks like a name; quotes give it away.
        Some((name, said)) if !name.contains('"') && name.chars().count() <= 60 => {
            let name = name.trim_start_matches(MARK);
            let name = name.trim_start_matches(['~', ' ', '\u{202f}', '\u{a0}']);
            message.sender.name = Some(name.to_owned());
            // The platform's words begin with the mark, but so does what stands for a file.
            said.clone_into(&mut message.text);
        }
        _ => {
            message.service = true;
            rest.trim_start_matches(MARK).clone_into(&mut message.text);
        }
    }
    message
}

/// Takes what the platform wrote in the place of files, edits and deletions out of a text. Only English is known: in other
/// languages the words stay text.
fn finish_text(message: &mut DeliveredMessage) {
    let text = std::mem::take(&mut message.text);
    let mut lines: Vec<&str> = Vec::new();
    for line in text.split('\n') {
        let plain = line.trim_start_matches(MARK);
        let marked = plain.len() != line.len();
        let attached = plain
            .strip_prefix("<attached: ")
            .and_then(|rest| rest.strip_suffix('>'))
            .or_else(|| plain.strip_suffix(" (file attached)"));
        let omitted = plain == "<Media omitted>" || marked && plain.ends_with(" omitted");
        if let Some(name) = attached {
            message.files.push(name.to_owned());
        } else if omitted {
            message.files.push("file that was not exported".to_owned());
        } else if matches!(
            plain.trim_end_matches('.'),
            "This message was deleted" | "You deleted this message"
        ) {
            message.deleted = true;
        } else {
            lines.push(line.trim_start_matches(MARK));
        }
    }
    let mut said = lines.join("\n");
    for mark in ["\u{200e}<This message was edited>", "<This message was edited>"] {
        if let Some(before) = said.strip_suffix(mark) {
            message.edited = true;
            said.truncate(before.trim_end().len());
        }
    }
    // iOS names the chat as the sender of the platform's own words.
    if text.starts_with(MARK) && message.files.is_empty() && !message.deleted && !message.edited {
        message.service = true;
        message.sender = Person::default();
    }
    message.text = said;
}
