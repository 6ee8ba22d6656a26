//! A filter made ready to look at events, and the part of it that a database can answer.

use super::{
    fields::{HOLD, Name},
    operations::{MARKERS, OPERATIONS, Operation},
    parse::regex,
    tree::{Compare, Node, Term},
};
use crate::{EventDuration, Scene, Selection, kind, kind::KINDS, row, selection::reason};
use foldback_wire::{Event, Kind, OpKind, OutcomeCode, Terminal, Timestamp, rpc::RowFlag};
use regex::Regex;
use std::{collections::BTreeSet, ops::RangeInclusive};

/// A test of one event.
#[derive(Debug)]
pub(super) enum Check {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Text(Vec<Regex>),
    Channel(Ids),
    Session(Ids),
    Turn(Compare, Vec<u64>),
    Stage(Vec<&'static str>),
    Kind {
        types: BTreeSet<&'static str>,
        operations: Vec<OpKind>,
    },
    Reason(Vec<&'static str>),
    Outcome(Vec<&'static str>),
    Is(Vec<&'static str>),
    Has(Vec<&'static str>),
    Dur(Compare, Vec<u64>),
    Bytes(Compare, Vec<u64>),
    Since(Timestamp),
    Before(Timestamp),
}

/// An event with what is known of it.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) event: &'a Event,
    pub(super) scene: &'a Scene,
    /// The operation that it is about.
    pub(super) operation: Option<Operation>,
    /// How long lasted what it began or ended.
    pub(super) lasted: Option<&'a EventDuration>,
}

/// Ids, and patterns of ids.
#[derive(Debug)]
pub(super) struct Ids {
    exact: Vec<String>,
    patterns: Vec<Regex>,
}

/// A selection, and whether it says all that the test says.
pub(super) struct Answerable {
    pub(super) selection: Selection,
    pub(super) exact: bool,
}

impl Check {
    pub(super) fn new(node: &Node, now: Timestamp) -> Self {
        let each = |nodes: &[Node]| nodes.iter().map(|node| Self::new(node, now)).collect();
        match node {
            Node::All(nodes) => Self::All(each(nodes)),
            Node::Any(nodes) => Self::Any(each(nodes)),
            Node::Not(node) => Self::Not(Box::new(Self::new(node, now))),
            Node::Word(word) => Self::Text(literal(word, true).into_iter().collect()),
            Node::Regex { pattern, any_case } => Self::Text(regex(pattern, *any_case).into_iter().collect()),
            Node::Field {
                field,
                compare,
                values,
            } => Self::field(field.name, *compare, values, now),
        }
    }

    fn field(name: Name, compare: Compare, terms: &[Term], now: Timestamp) -> Self {
        let numbers = || numbers(terms);
        // Several times are alternatives, as several values of any field: the earliest, the latest.
        let times = terms.iter().filter_map(|term| match term {
            Term::When(when) => Some(when.at(now)),
            _ => None,
        });
        match name {
            Name::Channel => Self::Channel(Ids::new(terms)),
            Name::Session => Self::Session(Ids::new(terms)),
            Name::Turn => Self::Turn(compare, numbers()),
            Name::Stage => Self::Stage(codes(terms)),
            Name::Kind => {
                let operations: Vec<_> = codes(terms).into_iter().filter_map(OpKind::from_code).collect();
                let mut types: BTreeSet<_> = codes(terms).into_iter().collect();
                types.retain(|code| OpKind::from_code(code).is_none());
                Self::Kind { types, operations }
            }
            Name::Reason => Self::Reason(codes(terms)),
            Name::Outcome => Self::Outcome(codes(terms)),
            Name::Is => Self::Is(codes(terms)),
            Name::Has => Self::Has(codes(terms)),
            Name::Text => Self::Text(texts(terms).filter_map(|text| literal(text, false)).collect()),
            Name::Dur => Self::Dur(compare, numbers()),
            Name::Bytes => Self::Bytes(compare, numbers()),
            Name::After => Self::Since(times.min().unwrap_or_default()),
            Name::Before => Self::Before(times.max().unwrap_or_default()),
        }
    }

    /// Whether the event passes.
    pub(super) fn passes(&self, seen: &Seen<'_>) -> bool {
        let Seen {
            event,
            scene,
            operation,
            lasted,
        } = *seen;
        match self {
            Self::All(checks) => checks.iter().all(|check| check.passes(seen)),
            Self::Any(checks) => checks.iter().any(|check| check.passes(seen)),
            Self::Not(check) => !check.passes(seen),
            Self::Text(texts) => row::any_text(event, lasted, |text| {
                texts.iter().any(|wanted| wanted.is_match(text))
            }),
            Self::Channel(ids) => event.channel.as_ref().is_some_and(|id| ids.have(id.as_str())),
            Self::Session(ids) => event.session.as_ref().is_some_and(|id| ids.have(id.as_str())),
            Self::Turn(compare, numbers) => event.turn.is_some_and(|turn| compare.holds(turn.0, numbers)),
            Self::Stage(stages) => {
                let stage = kind::stage(event);
                stages
                    .iter()
                    .any(|wanted| *wanted == stage || *wanted == HOLD && holds(&event.kind))
            }
            Self::Kind { types, operations } => {
                types.contains(kind::code(&event.kind))
                    || operation.is_some_and(|operation| operations.contains(&operation.kind))
            }
            Self::Reason(reasons) => {
                reason(event, lasted).is_some_and(|reason| reasons.contains(&reason.code()))
            }
            Self::Outcome(outcomes) => match &event.kind {
                Kind::Ended { outcome, .. }
                | Kind::Skipped { outcome, .. }
                | Kind::Action {
                    outcome: Some(outcome),
                    ..
                } => outcomes.contains(&outcome.code.code()),
                Kind::Undelivered { .. } => outcomes.contains(&OutcomeCode::Failed.code()),
                Kind::TurnEnded {
                    terminal: Terminal::Unknown { .. },
                } => outcomes.contains(&OutcomeCode::Unknown.code()),
                _ => false,
            },
            Self::Is(marks) => scene.flags(event).iter().any(|flag| marks.contains(&flag.code())),
            Self::Has(things) => things.iter().any(|thing| has(event, operation, thing)),
            Self::Dur(compare, numbers) => lasted.is_some_and(|lasted| compare.holds(lasted.ms, numbers)),
            Self::Bytes(compare, numbers) => {
                row::bytes(&event.kind).is_some_and(|bytes| compare.holds(bytes, numbers))
            }
            Self::Since(at) => event.at >= *at,
            Self::Before(at) => event.at < *at,
        }
    }

    /// Whether it needs to know what was before an event.
    pub(super) fn needs_past(&self) -> bool {
        match self {
            Self::All(checks) | Self::Any(checks) => checks.iter().any(Self::needs_past),
            Self::Not(check) => check.needs_past(),
            Self::Kind { operations, .. } => !operations.is_empty(),
            Self::Has(things) => things.contains(&"directive") || things.contains(&"file"),
            _ => false,
        }
    }

    /// Whether it needs to know how long things lasted. Words do: a row says it in its sentence. Reasons do: what was
    /// released has the reason of its hold.
    pub(super) fn needs_durations(&self) -> bool {
        match self {
            Self::All(checks) | Self::Any(checks) => checks.iter().any(Self::needs_durations),
            Self::Not(check) => check.needs_durations(),
            Self::Dur(..) | Self::Text(_) | Self::Reason(_) => true,
            _ => false,
        }
    }

    /// True where an event that it saw may pass once it is over, or pass no longer: it asks how long that lasted. What
    /// it says of a release in words, and the reason of that, are known with the release.
    pub(super) fn changes_with_end(&self) -> bool {
        match self {
            Self::All(checks) | Self::Any(checks) => checks.iter().any(Self::changes_with_end),
            Self::Not(check) => check.changes_with_end(),
            _ => matches!(self, Self::Dur(..)),
        }
    }

    /// What a database can answer of it; never less than what passes.
    pub(super) fn answerable(&self) -> Answerable {
        let exactly = |selection| Answerable {
            selection,
            exact: true,
        };
        let at_most = |selection| Answerable {
            selection,
            exact: false,
        };
        match self {
            Self::All(checks) => checks
                .iter()
                .map(Self::answerable)
                .fold(exactly(Selection::ALL), |a, b| Answerable {
                    selection: a.selection.and(b.selection),
                    exact: a.exact && b.exact,
                }),
            Self::Any(checks) => {
                let parts: Vec<_> = checks.iter().map(Self::answerable).collect();
                let exact = parts.iter().all(|part| part.exact) && same_column(&parts);
                let selection = parts.into_iter().map(|part| part.selection).reduce(Selection::or);
                Answerable {
                    selection: selection.unwrap_or_default(),
                    exact,
                }
            }
            Self::Not(check) => check.answerable_inverted(),
            Self::Channel(Ids { exact, patterns }) if patterns.is_empty() => exactly(Selection {
                channels: Some(exact.iter().map(|id| id.as_str().into()).collect()),
                ..Selection::ALL
            }),
            Self::Session(Ids { exact, patterns }) if patterns.is_empty() => exactly(Selection {
                sessions: Some(exact.iter().map(|id| id.as_str().into()).collect()),
                ..Selection::ALL
            }),
            Self::Turn(Compare::Is, numbers) => exactly(Selection {
                turns: Some(numbers.iter().map(|turn| foldback_wire::TurnId(*turn)).collect()),
                ..Selection::ALL
            }),
            Self::Stage(stages) => {
                let may = |kind: &&kind::KindWord| {
                    kind.stage.is_none_or(|stage| stages.contains(&stage)) || stages.contains(&HOLD)
                };
                at_most(Selection::kinds(KINDS.iter().filter(may).map(|kind| kind.code)))
            }
            Self::Kind { types, operations } if operations.is_empty() => {
                exactly(Selection::kinds(types.iter().copied()))
            }
            Self::Kind { types, .. } => at_most(Selection::kinds(types.iter().copied().chain(OPERATIONS))),
            Self::Reason(reasons) => exactly(Selection {
                reasons: Some(reasons.iter().copied().collect()),
                ..Selection::ALL
            }),
            Self::Outcome(_) => at_most(Selection::kinds([
                "ended",
                "undelivered",
                "skipped",
                "action",
                "turn_ended",
            ])),
            Self::Is(marks) => flagged(marks),
            Self::Dur(compare, numbers) => {
                let lasted = range(*compare, numbers);
                Answerable {
                    // Numbers beside each other are a range; others leave some out.
                    exact: *compare != Compare::Is || lasted.start() == lasted.end(),
                    selection: Selection {
                        lasted: Some(lasted),
                        ..Selection::ALL
                    },
                }
            }
            Self::Since(at) => exactly(Selection {
                since: Some(*at),
                ..Selection::ALL
            }),
            Self::Before(at) => exactly(Selection {
                before: Some(*at),
                ..Selection::ALL
            }),
            _ => at_most(Selection::ALL),
        }
    }

    /// Part of its opposite that a database can answer.
    fn answerable_inverted(&self) -> Answerable {
        let (selection, exact) = match (self, self.answerable()) {
            (
                Self::Reason(_),
                Answerable {
                    selection,
                    exact: true,
                },
            ) => {
                let but_reasons = selection.reasons;
                (
                    Selection {
                        but_reasons,
                        ..Selection::ALL
                    },
                    true,
                )
            }
            (
                Self::Kind { .. },
                Answerable {
                    selection:
                        Selection {
                            kinds: Some(kinds), ..
                        },
                    exact: true,
                },
            ) => {
                let codes = KINDS.iter().map(|kind| kind.code);
                (Selection::kinds(codes.filter(|code| !kinds.contains(code))), true)
            }
            _ => (Selection::ALL, false),
        };
        Answerable { selection, exact }
    }
}

impl Answerable {
    /// What must be read for it when the past of events matters: also the operations that were intended earlier,
    /// whenever that was.
    pub(super) fn with_past(self) -> Self {
        let Selection {
            kinds,
            channels,
            turns,
            ..
        } = self.selection;
        let kinds = kinds.map(|kinds| kinds.into_iter().chain(MARKERS).collect());
        Self {
            selection: Selection {
                kinds,
                channels,
                turns,
                ..Selection::ALL
            },
            exact: false,
        }
    }
}

/// Whether all of them restrict one and the same column by its values: then "or" is exact.
fn same_column(parts: &[Answerable]) -> bool {
    let columns = |s: &Selection| {
        [
            s.kinds.is_some(),
            s.channels.is_some(),
            s.sessions.is_some(),
            s.turns.is_some(),
            s.reasons.is_some(),
            s.but_reasons.is_some(),
            s.since.is_some(),
            s.before.is_some(),
            s.errors,
        ]
    };
    let first = parts.first().map(|part| columns(&part.selection));
    first.is_some_and(|first| {
        first.iter().filter(|set| **set).count() == 1
            && parts.iter().all(|part| part.selection.lasted.is_none())
            && parts.iter().all(|part| columns(&part.selection) == first)
    })
}

impl Ids {
    fn new(terms: &[Term]) -> Self {
        let pattern = |term: &Term| match term {
            Term::Pattern(pattern) => {
                let parts: Vec<_> = pattern.split('*').map(regex::escape).collect();
                regex(&format!("^(?s:{})$", parts.join(".*")), false).ok()
            }
            _ => None,
        };
        let exact = texts(terms).map(str::to_owned).collect();
        Self {
            exact,
            patterns: terms.iter().filter_map(pattern).collect(),
        }
    }

    fn have(&self, id: &str) -> bool {
        self.exact.iter().any(|exact| exact == id) || self.patterns.iter().any(|pattern| pattern.is_match(id))
    }
}

/// A text as an expression, which finds it in any case without a copy of what it looks at.
fn literal(text: &str, any_case: bool) -> Option<Regex> {
    regex(&regex::escape(text), any_case).ok()
}

fn codes(terms: &[Term]) -> Vec<&'static str> {
    let code = |term: &Term| match term {
        Term::Code(code) => Some(*code),
        _ => None,
    };
    terms.iter().filter_map(code).collect()
}

fn numbers(terms: &[Term]) -> Vec<u64> {
    let number = |term: &Term| match term {
        Term::Number(number) => Some(*number),
        _ => None,
    };
    terms.iter().filter_map(number).collect()
}

fn texts(terms: &[Term]) -> impl Iterator<Item = &str> {
    terms.iter().filter_map(|term| match term {
        Term::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

/// What a database can answer of marks: which kinds of events are held, and which events are errors. Whether a channel
/// was armed, only the scene tells.
fn flagged(marks: &[&str]) -> Answerable {
    let among = |known: &[RowFlag]| {
        marks
            .iter()
            .all(|mark| known.iter().any(|flag| flag.code() == *mark))
    };
    if among(&[RowFlag::Held]) {
        Answerable {
            selection: Selection::kinds(["held", "waiting"]),
            exact: true,
        }
    } else if among(&[RowFlag::Refused]) {
        Answerable {
            selection: Selection::kinds(["action_refused"]),
            exact: true,
        }
    } else if among(&[RowFlag::Error, RowFlag::Leaked]) {
        Answerable {
            selection: Selection {
                errors: true,
                ..Selection::ALL
            },
            exact: false,
        }
    } else {
        Answerable {
            selection: Selection::ALL,
            exact: false,
        }
    }
}

/// The milliseconds from the least to the most that compare so.
fn range(compare: Compare, numbers: &[u64]) -> RangeInclusive<u64> {
    let least = numbers.iter().min().copied().unwrap_or_default();
    let most = numbers.iter().max().copied().unwrap_or_default();
    match compare {
        Compare::Is => least..=most,
        Compare::More => least.saturating_add(1)..=u64::MAX,
        Compare::AtLeast => least..=u64::MAX,
        // Nothing lasted for less than 0: an empty range.
        Compare::Less => most
            .checked_sub(1)
            .map_or(RangeInclusive::new(1, 0), |most| 0..=most),
        Compare::AtMost => 0..=most,
    }
}

fn holds(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Held { .. } | Kind::Released { .. } | Kind::Waiting { .. }
    )
}

fn has(event: &Event, operation: Option<Operation>, thing: &str) -> bool {
    match (thing, &event.kind) {
        ("directive", Kind::Directive { .. } | Kind::Skipped { .. })
        | ("diagnostic", Kind::Diagnosed { .. })
        | ("header", Kind::HeaderRead { .. })
        | (
            "action",
            Kind::Action { .. }
            | Kind::ActionRefused(_)
            | Kind::ActionStarted(_)
            | Kind::ActionEnded(_)
            | Kind::ActionAnswered(_),
        )
        | ("tool", Kind::Tool { .. })
        | ("setting", Kind::Stopping { setting: Some(_), .. }) => true,
        ("directive", _) => operation.is_some_and(|operation| operation.directive),
        ("file", Kind::Received { message }) => !message.files.is_empty(),
        ("file", _) => operation.is_some_and(|operation| operation.kind == OpKind::SendFile),
        _ => false,
    }
}
