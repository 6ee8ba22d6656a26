//! A filter as a tree, and as the text that means it.

use super::{
    fields::{Field, Values},
    values::{self, When},
};
use std::fmt;

/// What an event must be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    /// All of these; never fewer than two.
    All(Vec<Self>),
    /// One of these; never fewer than two.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// Has this text, in any case.
    Word(String),
    /// Matches this expression somewhere.
    Regex { pattern: String, any_case: bool },
    /// A field has one of these values, or compares so.
    Field {
        field: &'static Field,
        compare: Compare,
        values: Vec<Term>,
    },
}

/// How a field compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    Is,
    More,
    AtLeast,
    Less,
    AtMost,
}

impl Compare {
    /// Longer ones first, as they are read. `=` means the same as `:`.
    pub(super) const ALL: [(&'static str, Self); 6] = [
        (">=", Self::AtLeast),
        ("<=", Self::AtMost),
        (":", Self::Is),
        ("=", Self::Is),
        (">", Self::More),
        ("<", Self::Less),
    ];

    fn sign(self) -> &'static str {
        match self {
            Self::Is => ":",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Less => "<",
            Self::AtMost => "<=",
        }
    }

    /// Whether `value` compares so with one of `terms`.
    pub(super) fn holds(self, value: u64, terms: &[u64]) -> bool {
        terms.iter().any(|term| match self {
            Self::Is => value == *term,
            Self::More => value > *term,
            Self::AtLeast => value >= *term,
            Self::Less => value < *term,
            Self::AtMost => value <= *term,
        })
    }
}

/// One value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Term {
    /// Of a closed set.
    Code(&'static str),
    /// An id, or any text.
    Text(String),
    /// An id with `*` in it.
    Pattern(String),
    /// A number; milliseconds, bytes.
    Number(u64),
    /// A time.
    When(When),
}

impl Node {
    /// All of these; one of them alone is itself, and nested ones are one.
    pub(super) fn all(nodes: Vec<Self>) -> Option<Self> {
        Self::join(nodes, Self::All, |node| match node {
            Self::All(inner) => Ok(inner),
            other => Err(other),
        })
    }

    /// One of these.
    pub(super) fn any(nodes: Vec<Self>) -> Option<Self> {
        Self::join(nodes, Self::Any, |node| match node {
            Self::Any(inner) => Ok(inner),
            other => Err(other),
        })
    }

    fn join(
        nodes: Vec<Self>,
        joined: fn(Vec<Self>) -> Self,
        open: fn(Self) -> Result<Vec<Self>, Self>,
    ) -> Option<Self> {
        let mut flat: Vec<Self> = nodes
            .into_iter()
            .flat_map(|node| open(node).unwrap_or_else(|node| vec![node]))
            .collect();
        if flat.len() > 1 {
            Some(joined(flat))
        } else {
            flat.pop()
        }
    }

    /// How tightly it binds: or, and, not.
    fn binds(&self) -> u8 {
        match self {
            Self::Any(_) => 0,
            Self::All(_) => 1,
            Self::Not(_) => 2,
            _ => 3,
        }
    }

    /// Writes it, in parentheses where it stands beside something that binds more tightly.
    fn write(&self, f: &mut fmt::Formatter<'_>, beside: u8) -> fmt::Result {
        if self.binds() < beside {
            write!(f, "(")?;
            self.write(f, 0)?;
            return write!(f, ")");
        }
        let list = |f: &mut fmt::Formatter<'_>, nodes: &[Self], between: &str, beside| {
            nodes.iter().enumerate().try_for_each(|(n, node)| {
                f.write_str(if n == 0 { "" } else { between })?;
                node.write(f, beside)
            })
        };
        match self {
            Self::Any(nodes) => list(f, nodes, " or ", 1),
            Self::All(nodes) => list(f, nodes, " ", 2),
            // In words before another `-`, so that no two of them meet.
            Self::Not(node) if matches!(**node, Self::Not(_)) => {
                write!(f, "not ")?;
                node.write(f, 2)
            }
            Self::Not(node) => {
                write!(f, "-")?;
                node.write(f, 3)
            }
            Self::Word(word) => values::write_word(f, word),
            Self::Regex { pattern, any_case } => {
                let flag = if *any_case { "i" } else { "" };
                write!(f, "/{}/{flag}", values::escape_slashes(pattern))
            }
            Self::Field {
                field,
                compare,
                values,
            } => {
                write!(f, "{}{}", field.code, compare.sign())?;
                values.iter().enumerate().try_for_each(|(n, value)| {
                    f.write_str(if n == 0 { "" } else { "," })?;
                    value.write(f, field.values)
                })
            }
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Term {
    fn write(&self, f: &mut fmt::Formatter<'_>, kind: Values) -> fmt::Result {
        match (self, kind) {
            (Self::Code(code), _) => f.write_str(code),
            (Self::Pattern(pattern), _) => f.write_str(pattern),
            // A star in an id that is meant so.
            (Self::Text(text), Values::Id) if text.contains('*') => values::write_quoted(f, text),
            (Self::Text(text), _) => values::write_value(f, text),
            (Self::Number(ms), Values::Duration) => values::write_duration(f, *ms),
            (Self::Number(bytes), Values::Size) => values::write_size(f, *bytes),
            (Self::Number(number), _) => write!(f, "{number}"),
            (Self::When(when), _) => write!(f, "{when}"),
        }
    }
}
