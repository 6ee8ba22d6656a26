//! `<` outside blocks: bare directives, markers, closing tags, and tags that cannot be completed.

use foldback_directives::{Bare, Code, Dialect, Fate, RangeReason as Why, Span};

use super::{
    Page,
    child::{self, CHILDREN, PAIRED},
    tag::{self, Read, Tag},
    value,
};

const LONGEST_PAIR: usize = 4_096;

/// The first closing tag of this name in `text`: where it begins and ends.
pub(super) fn closing(text: &str, name: &str) -> Option<(usize, usize)> {
    text.match_indices("</")
        .find_map(|(at, _)| match tag::read(&text[at..]) {
            Read::Whole(tag) if tag.name == name => Some((at, at + tag.len)),
            _ => None,
        })
}

/// The closing tag of this name when only white space stands before it.
pub(super) fn closed_at_once(text: &str, name: &str) -> Option<(usize, usize)> {
    let space = text.len() - text.trim_start().len();
    closing(text, name).filter(|(at, _)| *at == space)
}

impl Page<'_> {
    pub(super) fn is_child(&self, name: &str) -> bool {
        self.has(Dialect::Actions) && CHILDREN.contains(&name)
    }

    /// A name this scanner knows.
    pub(super) fn known(&self, name: &str) -> bool {
        self.is_child(name)
            || self.has(Dialect::Actions) && name == "actions"
            || self.has(Dialect::Silence) && name == "no-reply"
            || self.scaffold(name).is_some()
    }

    pub(super) fn angle(&mut self) -> bool {
        let rest = &self.raw[self.at..];
        if self.control_token(self.raw.len()) {
            return true;
        }
        match tag::read(rest) {
            Read::Whole(tag) if self.known(&tag.name) => {
                if tag.closing {
                    self.closing_tag(&tag)
                } else {
                    self.opening_tag(&tag)
                }
            }
            Read::CutOff { name } if self.known(&name) => {
                self.cut_off(&name);
                true
            }
            Read::Malformed { name } if self.known(&name) => {
                if self.scaffold(&name).is_some() {
                    // Open: whether a malformed tag is an opening that was left as text. Here: yes.
                    self.scaffolds.push((name, true));
                } else {
                    self.report(
                        Code::MalformedDirective,
                        Span::new(self.at, self.at + 1 + name.len()),
                    );
                }
                false
            }
            _ => false,
        }
    }

    fn cut_off(&mut self, name: &str) {
        let span = Span::new(self.at, self.raw.len());
        let closing = span.of(self.raw).starts_with("</");
        if name == "no-reply" && !closing {
            self.marker.get_or_insert(span);
            self.strip_to(span.end, Why::Marker);
            return;
        }
        self.report_cut_off(name, span);
        self.strip_to(span.end, Why::CutOff);
    }

    pub(super) fn report_cut_off(&mut self, name: &str, span: Span) {
        let code = match self.scaffold(name) {
            Some(_) => Code::LeakGuard,
            None => Code::UnclosedDirective,
        };
        self.report(code, span);
    }

    /// A whole closing tag of a known name.
    fn closing_tag(&mut self, tag: &Tag) -> bool {
        let name = tag.name.as_str();
        if self.scaffold(name).is_some() {
            return self.scaffold_closing(tag);
        }
        if name == "actions" && self.prose > 0 {
            self.prose -= 1;
            return false;
        }
        if self.is_child(name) {
            let Some(at) = self.opened.iter().position(|opened| opened == name) else {
                return false;
            };
            self.opened.remove(at);
        }
        let end = self.at + tag.len;
        self.report(Code::StrayClose, Span::new(self.at, end));
        self.strip_to(end, Why::StrayClose);
        true
    }

    /// A whole opening tag of a known name.
    fn opening_tag(&mut self, tag: &Tag) -> bool {
        match tag.name.as_str() {
            "actions" => self.block(tag),
            "no-reply" => {
                self.no_reply(tag);
                true
            }
            name if self.is_child(name) => self.bare(tag),
            _ => self.scaffold_opening(tag),
        }
    }

    fn no_reply(&mut self, tag: &Tag) {
        let end = self.at + tag.len;
        self.marker.get_or_insert(Span::new(self.at, end));
        self.strip_to(end, Why::Marker);
        self.close_at_once(tag, Why::Marker);
    }

    /// Strips the closing tag that directly follows an opening one.
    fn close_at_once(&mut self, tag: &Tag, why: Why) -> bool {
        let found = closed_at_once(&self.raw[self.at..], &tag.name).filter(|_| !tag.empty);
        if let Some((space, end)) = found {
            let end = self.at + end;
            self.text(space);
            self.strip_to(end, why);
        }
        found.is_some()
    }

    /// A child outside a block.
    fn bare(&mut self, tag: &Tag) -> bool {
        let paired = PAIRED.contains(&tag.name.as_str());
        let opening = self.at + tag.len;
        let (mut content, mut end) = (None, opening);
        if paired && !tag.empty {
            let Some((span, closed)) = self.bare_content(&tag.name, opening) else {
                return false;
            };
            content = Some(span.of(self.raw));
            end = closed;
        }
        let child = child::read(tag, content, self.at, end);
        let Some(directive) = child.directive else {
            return false;
        };
        if paired && !self.line_start() {
            return false;
        }
        let span = Span::new(self.at, end);
        // Open: which of several settings decides. Here: the place, the operator's wish, then the echo.
        let (code, why) = if self.misplaced() {
            (Code::MisplacedBlock, Why::Misplaced)
        } else if self.settings.bare != Bare::Execute {
            (Code::BareDirective, Why::BareDirective)
        } else if self.echoed(span) {
            (Code::EchoedFromInput, Why::Echo)
        } else {
            (Code::BareDirective, Why::BareDirective)
        };
        for (code, span) in child.findings {
            self.report(code, span);
        }
        self.report(code, span);
        if why == Why::BareDirective && self.settings.bare == Bare::Text {
            return false;
        }
        if why == Why::BareDirective && self.settings.bare == Bare::Execute {
            self.execute(directive);
        }
        self.gone(end - self.at, Fate::Strip, why);
        if !paired && !tag.empty && !self.close_at_once(tag, Why::BareDirective) {
            self.opened.push(tag.name.clone());
        }
        true
    }

    /// The content of a bare `voice` or `send-message`, and where its closing tag ends.
    fn bare_content(&self, name: &str, from: usize) -> Option<(Span, usize)> {
        let (len, end) = closing(&self.raw[from..], name)?;
        let content = &self.raw[from..from + len];
        let tag_inside = content
            .match_indices('<')
            .any(|(at, _)| match tag::read(&content[at..]) {
                Read::Whole(tag) => tag.name == "actions" || CHILDREN.contains(&tag.name.as_str()),
                _ => false,
            });
        let allowed =
            end <= LONGEST_PAIR && !content.contains('`') && !value::has_blank_line(content) && !tag_inside;
        allowed.then(|| (Span::new(from, from + len), from + end))
    }
}
