#![doc = include_str!("../README.md")]

mod children;
mod closed;
mod collect;
mod diagnostic;
mod directive;
mod example;
mod guard;
mod hold;
pub mod inbound;
mod lex;
mod limits;
mod lint;
mod names;
mod outcome;
pub mod redact;
mod rules;
mod scanner;
mod settings;
mod silence;
mod span;
mod step;

pub use children::{AttributeRow, CHILDREN, ChildRow, Makes, Part};
pub use collect::{Collect, parse};
pub use diagnostic::{Code, Diagnostic, Fix, Severity, sort_findings};
pub use directive::{Directive, FileKind, Header, JsonAction};
pub use example::{Example, Needs};
pub use guard::{GUARD, GuardKind, GuardRow};
pub use hold::HoldReason;
pub use limits::{LIMITS, LimitRow};
pub use lint::{Lines, Place, action_key, action_part, lint, unread_actions};
pub use outcome::{Fate, Parsed, Range, RangeReason, Suppression};
#[doc(hidden)]
pub use rules::{MUTANTS, Rules};
pub use rules::{RULES, Rule};
pub use scanner::{HEADER_KEYS, Scanner};
pub use settings::{Bare, Dialect, Placement, ReplyToForm, SettingError, Settings, TrailingSilence};
pub use span::Span;
pub use step::{Hold, Sink, Step};
