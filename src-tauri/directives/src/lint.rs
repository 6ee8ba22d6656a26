//! Findings for a person who writes or checks agent output: lines, columns and fixes.

use std::cell::Cell;

use crate::{
    Code, Diagnostic, Dialect, JsonAction, Settings, Span,
    scanner::{JsonPart, part_of_json},
    sort_findings,
};

/// A place in a text, as editors count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in Unicode scalars, from 1.
    pub column: usize,
}

/// Every so many bytes the scalars before are counted, so that a place costs no more on a long line.
const STEP: usize = 256;

/// Converts byte offsets of a text into places. Each costs the same wherever it is and however long its line.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// How many scalars begin before each multiple of [`STEP`].
    scalars: Vec<usize>,
    work: Cell<u64>,
}

impl<'a> Lines<'a> {
    /// Reads the line starts of `text` once.
    pub fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let steps = text.as_bytes().chunks(STEP).scan(0, |before, step| {
            *before += begun(step);
            Some(*before)
        });
        Self {
            text,
            starts,
            scalars: std::iter::once(0).chain(steps).collect(),
            work: Cell::new(0),
        }
    }

    /// The place of a byte offset; past the end it is the end.
    pub fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = self.before(offset) - self.before(self.starts[line - 1]) + 1;
        Place { line, column }
    }

    /// How many scalars begin before a byte.
    fn before(&self, offset: usize) -> usize {
        let step = offset / STEP;
        let rest = &self.text.as_bytes()[step * STEP..offset];
        self.work.set(self.work.get() + rest.len() as u64);
        self.scalars[step] + begun(rest)
    }

    /// How many bytes were examined for places so far. For tests of linearity.
    #[doc(hidden)]
    pub fn work(&self) -> u64 {
        self.work.get()
    }

    /// The first place of a span.
    pub fn start(&self, span: Span) -> Place {
        self.place(span.start)
    }
}

/// How many scalars begin in these bytes of a text.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0xC0 != 0x80).count()
}

/// All findings of one assistant message that its text alone can show, by start of span, then code.
///
/// ```
/// use foldback_directives::{Code, Lines, Settings, lint};
///
/// let text = "Hello\n<actions>\n  <raect emoji=\"eyes\" />\n</actions>";
/// let found = &lint(text, &Settings::default())[0];
/// assert_eq!(found.code, Code::UnknownDirective);
/// assert_eq!(found.fix.as_ref().unwrap().title, "Write react");
///
/// let place = Lines::new(text).start(found.span);
/// assert_eq!((place.line, place.column), (3, 3));
/// ```
pub fn lint(text: &str, settings: &Settings) -> Vec<Diagnostic> {
    let mut found = crate::parse(text, settings, None).diagnostics;
    found.extend(unread_actions(text, settings, None));
    sort_findings(&mut found);
    found
}

/// A finding for each JSON action that is text because the dialect `json` is off; none where it is on. `inbound` is the
/// user's message that is answered.
pub fn unread_actions(text: &str, settings: &Settings, inbound: Option<&str>) -> Vec<Diagnostic> {
    // Most texts have neither of the first keys: they are not read twice.
    let may_act = ["\"actions\"", "\"type\""].iter().any(|key| text.contains(key));
    if settings.dialects.contains(&Dialect::Json) || !may_act {
        return Vec::new();
    }
    let mut with_json = settings.clone();
    with_json.dialects.push(Dialect::Json);
    let unread = |action: JsonAction| {
        let message = format!(
            "the action `{}` is shown as text: output.dialects has no json",
            shortened(&action.kind)
        );
        Diagnostic::new(Code::ActionsNotRead, action.span, message)
    };
    let actions = crate::parse(text, &with_json, inbound).actions;
    actions.into_iter().map(unread).collect()
}

/// The bytes of a part of an action: of the value that a JSON Pointer (RFC 6901) names within the action, such as `/type`
/// or `/payload/command`, or of the nearest value around it that is there. `text` is the text in which it was read.
pub fn action_part(text: &str, action: &JsonAction, pointer: &str) -> Span {
    part(text, action, pointer).map_or(action.span, |part| within(action, part.value))
}

/// The bytes of a key of an action with its quotes, by the JSON Pointer of its value; `None` where it is not there.
pub fn action_key(text: &str, action: &JsonAction, pointer: &str) -> Option<Span> {
    let part = part(text, action, pointer).filter(|part| part.is_whole)?;
    part.key.map(|key| within(action, key))
}

fn part(text: &str, action: &JsonAction, pointer: &str) -> Option<JsonPart> {
    let tokens = pointer.split('/').skip(1);
    let path: Vec<_> = tokens
        .map(|token| token.replace("~1", "/").replace("~0", "~"))
        .collect();
    part_of_json(text.get(action.span.start..action.span.end)?, &path)
}

fn within(action: &JsonAction, part: Span) -> Span {
    Span::new(action.span.start + part.start, action.span.start + part.end)
}

/// A name that an agent made up, as findings say it.
fn shortened(name: &str) -> String {
    let short = &name[..name.floor_char_boundary(64)];
    if short.len() < name.len() {
        format!("{short}…")
    } else {
        short.to_owned()
    }
}
