//! The guard: scaffolding that models leak.

use foldback_directives::{Code, Dialect, GUARD, GuardKind, RangeReason as Why, Span};

use super::{
    Page,
    tag::{self, Read, Tag},
};

impl Page<'_> {
    /// How a scaffolding element of this name is read.
    pub(super) fn scaffold(&self, name: &str) -> Option<GuardKind> {
        let own = self
            .settings
            .guard
            .iter()
            .map(|row| (row.name.as_str(), row.kind));
        let mut rows = own.chain(GUARD.iter().copied());
        let found = rows.find(|(row, _)| *row == name);
        found.map(|(_, kind)| kind).filter(|_| self.has(Dialect::Guard))
    }

    /// The length of the `<|name|>` at the start of `text`, which may be cut off by the end of the message.
    pub(super) fn control_token_len(&self, text: &str, ends_message: bool) -> Option<usize> {
        let tail = text.strip_prefix("<|").filter(|_| self.has(Dialect::Guard))?;
        let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let name = tail.len() - tail.trim_start_matches(inside).len();
        let cut_off = ends_message && matches!(&tail[name..], "" | "|");
        if !(1..=64).contains(&name) {
            None
        } else if tail[name..].starts_with("|>") {
            Some(2 + name + 2)
        } else {
            cut_off.then_some(text.len())
        }
    }

    /// Strips the control token that stands here, before `end`.
    pub(super) fn control_token(&mut self, end: usize) -> bool {
        let len = self.control_token_len(&self.raw[self.at..end], end == self.raw.len());
        if let Some(len) = len {
            let end = self.at + len;
            self.report(Code::LeakGuard, Span::new(self.at, end));
            self.strip_to(end, Why::ControlToken);
        }
        len.is_some()
    }

    /// An opening tag outside a block.
    pub(super) fn scaffold_opening(&mut self, tag: &Tag) -> bool {
        if self.scaffold(&tag.name) != Some(GuardKind::Strip) && !self.line_start() {
            self.scaffolds.push((tag.name.clone(), true));
            return false;
        }
        self.scaffold_element(tag, self.raw.len());
        true
    }

    /// A closing tag outside a block.
    pub(super) fn scaffold_closing(&mut self, tag: &Tag) -> bool {
        if let Some(at) = self.scaffolds.iter().rposition(|(name, _)| *name == tag.name)
            && self.scaffolds.remove(at).1
        {
            return false;
        }
        self.scaffold_tag(tag);
        true
    }

    /// Strips one tag.
    pub(super) fn scaffold_tag(&mut self, tag: &Tag) {
        let end = self.at + tag.len;
        self.report(Code::LeakGuard, Span::new(self.at, end));
        self.strip_to(end, Why::Guard);
    }

    /// Strips what an opening tag begins, to its closing tag or to `end`.
    pub(super) fn scaffold_element(&mut self, tag: &Tag, end: usize) {
        let kind = self.scaffold(&tag.name);
        if tag.empty || kind == Some(GuardKind::Unwrap) {
            self.scaffold_tag(tag);
            if !tag.empty {
                self.scaffolds.push((tag.name.clone(), false));
            }
            return;
        }
        let opening = self.at + tag.len;
        let (content, end) = content(&self.raw[..end], opening, &tag.name);
        self.report(Code::LeakGuard, Span::new(self.at, end));
        self.strip_to(opening, Why::Guard);
        let inside = if kind == Some(GuardKind::Reasoning) {
            Why::Reasoning
        } else {
            Why::Guard
        };
        self.strip_to(content, inside);
        self.strip_to(end, Why::Guard);
    }
}

/// Where the content that begins at `from` ends, and where its closing tag does: elements of the same name
/// nest.
fn content(text: &str, from: usize, name: &str) -> (usize, usize) {
    let (mut at, mut depth) = (from, 1);
    while let Some(next) = text[at..].find('<') {
        at += next;
        let len = match tag::read(&text[at..]) {
            Read::Whole(tag) if tag.name == name => {
                if tag.closing {
                    depth -= 1;
                } else if !tag.empty {
                    depth += 1;
                }
                if depth == 0 {
                    return (at, at + tag.len);
                }
                tag.len
            }
            _ => 1,
        };
        at += len;
    }
    (text.len(), text.len())
}
