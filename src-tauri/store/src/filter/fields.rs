//! The fields of the filter language, declared once: the parser, the completion, the help and the documents
//! read this table.

use crate::kind::{CHANNEL, KINDS, PROCESS};
use foldback_wire::{HoldReason, OpKind, OutcomeCode, Stage, rpc::RowFlag};

/// A field of the filter language.
#[derive(Debug)]
pub struct Field {
    /// Which one.
    pub(crate) name: Name,
    /// Its name, as typed before the operator.
    pub code: &'static str,
    /// What it tests, in one sentence.
    pub about: &'static str,
    /// What may stand after the operator.
    pub values: Values,
    /// A filter with it.
    pub example: &'static str,
}

/// What may stand after a field's operator.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// One of a closed set.
    Closed(fn() -> Vec<Value>),
    /// An id; `*` stands for anything.
    Id,
    /// A number, with or without `#`.
    Number,
    /// A length of time, such as `1.5s`; units ms, s, m, h, d.
    Duration,
    /// A number of bytes, such as `2k`; units k, m, g (thousands) and ki, mi, gi (1,024).
    Size,
    /// A time: how long ago (`-5m`), a day (`2026-11-21`) or RFC 3339.
    Time,
    /// Text, in quotes where it has spaces.
    Text,
}

/// A value of a closed field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    /// As typed.
    pub code: &'static str,
    /// What it means, in one sentence.
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Channel,
    Session,
    Turn,
    Stage,
    Kind,
    Reason,
    Outcome,
    Is,
    Has,
    Text,
    Dur,
    Bytes,
    After,
    Before,
}

/// Every field, in the order of help and completion.
pub static FIELDS: &[Field] = &[
    Field {
        name: Name::Channel,
        code: "channel",
        about: "Channel, e.g. channel:discord.",
        values: Values::Id,
        example: "channel:discord,telegram",
    },
    Field {
        name: Name::Session,
        code: "session",
        about: "Conversation, also what was written in it, e.g. session:telegram:*.",
        values: Values::Id,
        example: "session:telegram:*",
    },
    Field {
        name: Name::Turn,
        code: "turn",
        about: "Number of a turn, e.g. turn:#812.",
        values: Values::Number,
        example: "turn:#812",
    },
    Field {
        name: Name::Stage,
        code: "stage",
        about: "Stage that decided, e.g. stage:scan.",
        values: Values::Closed(stages),
        example: "stage:scan",
    },
    Field {
        name: Name::Kind,
        code: "kind",
        about: "Kind of event, or of the operation it is about, e.g. kind:edit.",
        values: Values::Closed(kinds),
        example: "-kind:edit",
    },
    Field {
        name: Name::Reason,
        code: "reason",
        about: "Reason of a hold, its release or a wait, e.g. reason:partial_tag.",
        values: Values::Closed(reasons),
        example: "reason:partial_tag",
    },
    Field {
        name: Name::Outcome,
        code: "outcome",
        about: "Outcome of a delivery, e.g. outcome:failed.",
        values: Values::Closed(outcomes),
        example: "outcome:unknown,failed",
    },
    Field {
        name: Name::Is,
        code: "is",
        about: "Row flag, e.g. is:held.",
        values: Values::Closed(marks),
        example: "is:error,leaked",
    },
    Field {
        name: Name::Has,
        code: "has",
        about: "Event with a directive, diagnostic, header, action, tool, file or setting.",
        values: Values::Closed(things),
        example: "has:directive",
    },
    Field {
        name: Name::Text,
        code: "text",
        about: "Exact text anywhere in the event, upper and lower case as typed.",
        values: Values::Text,
        example: "text:\"NO_REPLY\"",
    },
    Field {
        name: Name::Dur,
        code: "dur",
        about: "Duration of a hold, wait, run, operation or turn, once it is over, e.g. dur>1.5s.",
        values: Values::Duration,
        example: "dur>1.5s",
    },
    Field {
        name: Name::Bytes,
        code: "bytes",
        about: "Size of what the event is about, e.g. bytes>=2k.",
        values: Values::Size,
        example: "bytes>=2k",
    },
    Field {
        name: Name::After,
        code: "after",
        about: "At this time or later, e.g. after:-5m.",
        values: Values::Time,
        example: "after:-5m",
    },
    Field {
        name: Name::Before,
        code: "before",
        about: "Before this time, e.g. before:2026-11-21.",
        values: Values::Time,
        example: "before:2026-11-21",
    },
];

impl Field {
    /// The field of this name, in any case.
    pub(crate) fn find(code: &str) -> Option<&'static Self> {
        FIELDS.iter().find(|field| field.code.eq_ignore_ascii_case(code))
    }

    /// Values to choose from where there is no closed set: what people mostly ask for, with what it means.
    pub(super) const fn examples(&self) -> &'static [(&'static str, &'static str)] {
        match self.name {
            Name::Dur => &[
                ("500ms", "Half a second."),
                ("1.5s", "One and a half seconds."),
                ("10s", "Ten seconds."),
                ("1m", "One minute."),
            ],
            Name::Bytes => &[
                ("100", "100 bytes."),
                ("2k", "2,000 bytes."),
                ("1m", "One million bytes."),
            ],
            Name::After | Name::Before => &[
                ("-5m", "Five minutes ago."),
                ("-1h", "One hour ago."),
                ("-1d", "One day ago."),
            ],
            _ => &[],
        }
    }

    /// The operators that are proposed for it, with what they mean.
    pub(super) const fn proposed_operators(&self) -> &'static [(&'static str, &'static str)] {
        match self.values {
            Values::Duration => &[(">", "Longer than"), ("<", "Shorter than")],
            Values::Size => &[(">", "More than"), ("<", "Less than")],
            _ => &[],
        }
    }

    /// The operators that make sense for it, in the order of help.
    pub fn operators(&self) -> &'static [&'static str] {
        match self.values {
            Values::Number | Values::Duration | Values::Size => &[":", ">", ">=", "<", "<="],
            _ => &[":"],
        }
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Short forms that people type, and what they stand for.
pub(super) const SHORT: &[(Name, &str, &str)] = &[
    (Name::Kind, "edit", "edit_text"),
    (Name::Kind, "send", "send_text"),
];

/// What is held back, wherever that was decided; not a stage of its own, but what people look for.
pub(super) const HOLD: &str = "hold";

macro_rules! values {
    ($set:ty) => {
        <$set>::ALL.iter().map(|value| Value {
            code: value.code(),
            about: value.about(),
        })
    };
}

fn stages() -> Vec<Value> {
    let more = [
        Value {
            code: CHANNEL,
            about: "Between a platform and the first stage.",
        },
        Value {
            code: PROCESS,
            about: "The process as a whole.",
        },
        Value {
            code: HOLD,
            about: "Whatever is held back or let go, by any stage.",
        },
    ];
    values!(Stage).chain(more).collect()
}

fn kinds() -> Vec<Value> {
    let types = KINDS.iter().map(|kind| Value {
        code: kind.code,
        about: kind.about,
    });
    types.chain(values!(OpKind)).collect()
}

fn reasons() -> Vec<Value> {
    values!(HoldReason).collect()
}

fn outcomes() -> Vec<Value> {
    values!(OutcomeCode).collect()
}

fn marks() -> Vec<Value> {
    values!(RowFlag).collect()
}

fn things() -> Vec<Value> {
    vec![
        Value {
            code: "directive",
            about: "It reads, skips or carries out a directive.",
        },
        Value {
            code: "diagnostic",
            about: "It finds fault with the output.",
        },
        Value {
            code: "header",
            about: "It reads a header.",
        },
        Value {
            code: "action",
            about: "It reads JSON actions.",
        },
        Value {
            code: "tool",
            about: "It is about a tool call.",
        },
        Value {
            code: "file",
            about: "It receives or sends a file.",
        },
        Value {
            code: "setting",
            about: "It names a setting that would change it.",
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_field() {
        for (n, field) in FIELDS.iter().enumerate() {
            assert_eq!(Field::find(field.code), Some(field));
            assert!(FIELDS[..n].iter().all(|other| other.name != field.name));
        }
    }

    #[test]
    fn a_value_has_one_meaning() {
        for field in FIELDS {
            if let Values::Closed(values) = field.values {
                let mut codes: Vec<_> = values().iter().map(|value| value.code).collect();
                codes.sort_unstable();
                codes.dedup();
                assert_eq!(codes.len(), values().len(), "{}", field.code);
                for (_, short, long) in SHORT.iter().filter(|(name, ..)| *name == field.name) {
                    assert!(!codes.contains(short) && codes.contains(long));
                }
            }
        }
    }
}
