//! `<actions>…</actions>`, closed and unclosed.

use foldback_directives::{Code, Fate, RangeReason as Why, Span};

use super::{
    Page,
    child::{self, PAIRED},
    markup::{closed_at_once, closing},
    tag::{self, Read, Tag},
};

const LARGEST_BLOCK: usize = 65_536;

/// A block that is being read.
struct Open {
    /// Unknown tags that were reported.
    unknown: Vec<String>,
    /// Where its content ends at the latest.
    end: usize,
    closed: bool,
    misplaced: bool,
    /// `text-in-block` was reported.
    text: bool,
}

impl Open {
    fn why(&self) -> Why {
        if self.misplaced {
            Why::Misplaced
        } else {
            Why::ActionsBlock
        }
    }
}

impl Page<'_> {
    /// A whole opening tag `<actions …>` outside a block.
    pub(super) fn block(&mut self, tag: &Tag) -> bool {
        let lt = self.at;
        let opening = lt + tag.len;
        let rest = &self.raw[opening..];
        let next = rest.trim_start();
        if !tag.empty && !self.line_start() && !next.is_empty() && !next.starts_with('<') {
            self.prose += 1;
            return false;
        }
        let close = closing(rest, "actions")
            .map(|(start, end)| (opening + start, opening + end))
            .filter(|(_, end)| end - lt <= LARGEST_BLOCK);
        let (end, whole, closed) = match close {
            _ if tag.empty => (opening, opening, true),
            Some((start, end)) => (start, end, true),
            None => (self.raw.len(), opening, false),
        };
        let mut open = Open {
            unknown: Vec::new(),
            end,
            closed,
            misplaced: self.misplaced(),
            text: false,
        };
        if open.misplaced {
            self.report(Code::MisplacedBlock, Span::new(lt, whole));
        }
        if !closed {
            // The message may end there too: `block-too-large` instead.
            let large = self.raw.len() - lt >= LARGEST_BLOCK;
            let code = if large {
                Code::BlockTooLarge
            } else {
                Code::UnclosedBlock
            };
            self.report(code, Span::new(lt, opening));
        }
        self.strip_to(opening, open.why());
        if closed {
            while self.at < open.end {
                self.item(&mut open);
            }
            self.strip_to(whole, open.why());
        } else {
            while self.child_at_the_start(&mut open) {}
        }
        true
    }

    /// In an unclosed block: takes white space and one thing that is not foreign.
    fn child_at_the_start(&mut self, open: &mut Open) -> bool {
        let rest = &self.raw[self.at..];
        let space = rest.len() - rest.trim_start().len();
        let thing = &rest[space..];
        if !thing.starts_with('<') {
            return false;
        }
        let ends_as_closing = ends_as_closing(thing);
        let foreign = match tag::read(thing) {
            _ if ends_as_closing => false,
            // What does not end within the bound is an unclosed comment.
            _ if thing.starts_with("<!--") => {
                let end = thing[4..].find("-->").map(|at| 4 + at + 3);
                end.is_none_or(|end| end > LARGEST_BLOCK)
            }
            _ if self.control_token_len(thing, true).is_some() => false,
            Read::Whole(tag) => !self.known(&tag.name),
            Read::CutOff { name } | Read::Malformed { name } => !self.known(&name),
            Read::No => true,
        };
        if foreign {
            return false;
        }
        if ends_as_closing {
            self.gone(space, Fate::Strip, open.why());
            self.gone(to_angle_or_line(thing), Fate::Strip, Why::CutOff);
            return false;
        }
        self.gone(space, Fate::Strip, open.why());
        self.item(open)
    }

    /// One thing in a block; `false` when the block ends after it.
    fn item(&mut self, open: &mut Open) -> bool {
        let rest = &self.raw[self.at..open.end];
        let space = rest.len() - rest.trim_start().len();
        if space > 0 {
            self.gone(space, Fate::Strip, open.why());
            return true;
        }
        if let Some(tail) = rest.strip_prefix("<!--") {
            let len = tail.find("-->").map_or(rest.len(), |at| 4 + at + 3);
            self.gone(len, Fate::Strip, open.why());
            return true;
        }
        if let Some(tail) = rest.strip_prefix("<![CDATA[") {
            let len = tail.find("]]>").map_or(rest.len(), |at| 9 + at + 3);
            self.text_in_block(open, len);
            return true;
        }
        if self.control_token(open.end) {
            return true;
        }
        let read = if rest.starts_with('<') {
            tag::read(rest)
        } else {
            Read::No
        };
        match read {
            Read::Whole(tag) if self.known(&tag.name) => return self.known_in_block(open, &tag),
            Read::Whole(tag) => {
                // Open: whether the closing tag of an unknown tag is reported too. Here: not when the tag was.
                if !(tag.closing && open.unknown.contains(&tag.name)) {
                    self.report(Code::UnknownDirective, Span::new(self.at, self.at + tag.len));
                }
                self.gone(tag.len, Fate::Strip, open.why());
                if !tag.closing {
                    open.unknown.push(tag.name);
                }
            }
            Read::CutOff { name } if self.known(&name) && !open.closed => {
                let end = self.at + to_angle_or_line(rest);
                self.report_cut_off(&name, Span::new(self.at, end));
                self.strip_to(end, Why::CutOff);
            }
            Read::CutOff { name } | Read::Malformed { name } if self.known(&name) => {
                let len = to_angle_or_line(rest);
                self.report(Code::MalformedDirective, Span::new(self.at, self.at + len));
                self.gone(len, Fate::Strip, open.why());
            }
            _ => {
                let next = rest.char_indices().skip(1).find(|(_, c)| *c == '<');
                let len = next.map_or(rest.len(), |(at, _)| at);
                self.text_in_block(open, len);
            }
        }
        true
    }

    fn text_in_block(&mut self, open: &mut Open, len: usize) {
        let text = self.raw[self.at..self.at + len].trim_end();
        if !open.text {
            open.text = true;
            self.report(Code::TextInBlock, Span::new(self.at, self.at + text.len()));
        }
        self.gone(len, Fate::Drop, Why::TextInBlock);
    }

    fn known_in_block(&mut self, open: &mut Open, tag: &Tag) -> bool {
        let span = Span::new(self.at, self.at + tag.len);
        if self.scaffold(&tag.name).is_some() {
            if tag.closing {
                self.scaffold_tag(tag);
            } else {
                let outside = self.scaffolds.len();
                self.scaffold_element(tag, open.end);
                self.scaffolds.truncate(outside);
            }
            return true;
        }
        if tag.closing && tag.name == "actions" {
            // Open: the `</actions>` of a block that was too large. Here: it ends the block, without a word.
            self.strip_to(span.end, open.why());
            return false;
        }
        if tag.closing {
            let opened = self.opened.iter().position(|name| *name == tag.name);
            opened.map(|at| self.opened.remove(at));
            self.report(Code::StrayClose, span);
            self.strip_to(span.end, Why::StrayClose);
            return true;
        }
        match tag.name.as_str() {
            "actions" => self.strip_to(span.end, open.why()),
            "no-reply" => {
                // Open: whether a marker counts in a misplaced block. Here: nothing in it does.
                if !open.misplaced {
                    self.marker.get_or_insert(span);
                }
                self.strip_to(span.end, Why::Marker);
                self.close_at_once_in_block(open, tag);
            }
            _ => return self.child_in_block(open, tag),
        }
        true
    }

    fn close_at_once_in_block(&mut self, open: &Open, tag: &Tag) -> bool {
        let found = closed_at_once(&self.raw[self.at..open.end], &tag.name).filter(|_| !tag.empty);
        if let Some((_, end)) = found {
            self.gone(end, Fate::Strip, open.why());
        }
        found.is_some()
    }

    fn child_in_block(&mut self, open: &mut Open, tag: &Tag) -> bool {
        let opening = self.at + tag.len;
        let paired = PAIRED.contains(&tag.name.as_str()) && !tag.empty;
        let mut content = None;
        let mut end = opening;
        if paired {
            let near = if open.closed {
                open.end
            } else {
                // A late `</actions>` ends the block too, and what ends beyond the bound never closes.
                let late =
                    closing(&self.raw[opening..], "actions").map_or(open.end, |(start, _)| opening + start);
                late.min(self.at + LARGEST_BLOCK)
            };
            let found = closing(&self.raw[opening..open.end], &tag.name);
            if let Some((len, after)) = found.filter(|(_, end)| opening + end <= near) {
                content = Some(&self.raw[opening..opening + len]);
                end = opening + after;
            } else {
                self.report(Code::UnclosedDirective, Span::new(self.at, opening));
                self.opened.push(tag.name.clone());
                if !open.closed {
                    self.strip_to(opening, open.why());
                    return false;
                }
                content = Some(&self.raw[opening..open.end]);
                end = open.end;
            }
        }
        let span = Span::new(self.at, end);
        let child = child::read(tag, content, span.start, end);
        for (code, span) in child.findings {
            self.report(code, span);
        }
        let mut why = open.why();
        match child.directive {
            Some(_) if open.misplaced => {}
            Some(_) if self.echoed(span) => {
                self.report(Code::EchoedFromInput, span);
                why = Why::Echo;
            }
            Some(directive) => self.execute(directive),
            None => {}
        }
        self.strip_to(end, why);
        if !paired && !tag.empty && !self.close_at_once_in_block(open, tag) {
            self.opened.push(tag.name.clone());
        }
        true
    }
}

/// A prefix of `</actions>` that ends the message.
fn ends_as_closing(text: &str) -> bool {
    const CLOSING: &str = "</actions";
    let word = text.trim_end_matches(tag::is_space).to_ascii_lowercase();
    // With its `>` it would have one byte more.
    let fits = text.len() < tag::LONGEST_TAG;
    CLOSING.starts_with(&text.to_ascii_lowercase()) || (word == CLOSING && fits)
}

/// Up to the first `>`, included, or to the line break or the end.
fn to_angle_or_line(text: &str) -> usize {
    let line = text
        .find('\n')
        .map(|at| at - usize::from(text[..at].ends_with('\r')));
    let angle = text.find('>').map(|at| at + 1);
    [line, angle].into_iter().flatten().min().unwrap_or(text.len())
}
