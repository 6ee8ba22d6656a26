//! The way out: white space is joined where something was taken out, then the stage `silence`, then the sink.

use crate::lex::{Source, is_blank, trimmed};
use std::borrow::Cow;

use super::mend::{Markers, token_fix};
use crate::rules::{Rule as G, Rules};
use crate::silence::{InCode, Kind, Piece, Silence};
use crate::{Code, Diagnostic, Fate, Header, RangeReason, Settings, Sink, Span, Step};

/// The way out.
#[derive(Debug)]
pub(super) struct Out {
    pub(super) header: Header,
    /// From the first valid key or tag of the header to the end of the last.
    header_at: Option<Span>,
    header_sent: bool,
    silence: Silence,
    /// White space, and what was taken out after it, since the last text.
    gap: Vec<Piece>,
    /// Whether anything was taken out since the last text.
    stripped: bool,
    fed: bool,
    markers: Option<Markers>,
    quiet: bool,
    ready: Vec<Piece>,
    rules: Rules,
}

const REMOVE: &str = "Remove it";
const REMOVE_ALL: &str = "Remove them";

/// White space in a gap; what was taken out keeps its own kind.
const WHITE: Kind = Kind::Text(InCode::No);

impl Out {
    pub(super) fn new(settings: &Settings, rules: Rules) -> Self {
        Self {
            header: Header::default(),
            header_at: None,
            header_sent: false,
            silence: Silence::new(settings, rules),
            gap: Vec::new(),
            stripped: false,
            fed: false,
            markers: None,
            quiet: false,
            ready: Vec::new(),
            rules,
        }
    }

    /// Whether any text stands before the reader; `white` tells that white space follows.
    pub(super) fn has_text(&self, white: bool) -> bool {
        self.silence
            .has_text(|| white || self.gap.iter().any(|piece| piece.kind == WHITE))
    }

    /// Whether the first word may still turn out to be taken out, so that the text begins after it.
    pub(super) fn may_begin_again(&self) -> bool {
        self.silence.may_acknowledge()
    }

    /// Whether the text begins again where white space follows.
    pub(super) fn begins_again_after_white(&self) -> bool {
        self.silence.acknowledges()
    }

    /// Remembers where a valid key or tag of the header stands.
    pub(super) fn header_stands(&mut self, span: Span) {
        self.header_at.get_or_insert(span).end = span.end;
    }

    /// Remembers a silence marker, or the closing tag of one. `may_go` says whether it may be taken out.
    pub(super) fn mark(&mut self, source: &Source, span: Span, may_go: bool) {
        match &mut self.markers {
            None => self.markers = Some(Markers::new(span, may_go)),
            Some(markers) => markers.add(source, span, may_go),
        }
    }

    /// The agent asked for silence in words of its own, which are not reported beside text.
    pub(super) fn be_quiet(&mut self) {
        self.quiet = true;
    }

    /// The first byte whose text may still be asked for, when the reader stands at `at`.
    pub(super) fn keeps(&self, at: usize) -> usize {
        let markers = self.markers.as_ref().and_then(|markers| markers.keeps(at));
        let waiting = self.waits_from();
        [markers, waiting].into_iter().flatten().fold(at, usize::min)
    }

    fn waits_from(&self) -> Option<usize> {
        let silence = if self.silence.is_silent() {
            None
        } else {
            self.silence.keeps()
        };
        silence.or_else(|| self.gap.first().map(|piece| piece.span.start))
    }

    /// The first byte that waits, and the token it waits for; an empty one when it is white space.
    pub(super) fn waiting(&self) -> Option<(usize, &'static str)> {
        let white = || self.gap.first().map(|piece| (piece.span.start, ""));
        if self.silence.is_silent() {
            None
        } else {
            self.silence.held().or_else(white)
        }
    }

    pub(super) fn text(&mut self, source: &Source, span: Span, code: InCode, sink: &mut dyn Sink) {
        let (lead, ink) = trimmed(source.str(span));
        source.spend(span.len() - ink.len() + 1);
        let start = span.start + lead;
        let end = start + ink.len();
        if lead > 0 {
            self.white(source, Span::new(span.start, start), sink);
        }
        if start == end {
            return;
        }
        let from = self.close_gap(source, start, sink);
        self.fed = true;
        let shown = Span::new(from, end);
        let text = if from == start { ink } else { source.str(shown) };
        if self.silence.lets_pass(source, text, code) {
            self.show(shown, text, false, sink);
        } else {
            self.feed(source, Piece::text(shown, code), sink);
        }
        if end < span.end {
            self.white(source, Span::new(end, span.end), sink);
        }
    }

    pub(super) fn hide(
        &mut self,
        source: &Source,
        span: Span,
        fate: Fate,
        reason: RangeReason,
        sink: &mut dyn Sink,
    ) {
        if span.is_empty() {
            return;
        }
        self.stripped = true;
        match self.gap.last_mut() {
            None => self.hidden(source, span, fate, reason, sink),
            Some(last) if last.kind == Kind::Hidden(fate, reason) => last.span.end = span.end,
            Some(_) => self.gap.push(Piece::hidden(span, fate, reason)),
        }
    }

    fn white(&mut self, source: &Source, span: Span, sink: &mut dyn Sink) {
        if !self.fed && self.rules.on(G::TrimEdges) {
            return self.hidden(source, span, Fate::Drop, RangeReason::Trim, sink);
        }
        match self.gap.last_mut() {
            Some(last) if last.kind == WHITE => last.span.end = span.end,
            _ => self.gap.push(Piece { span, kind: WHITE }),
        }
    }

    /// Text follows at `start`: the gap is decided. Returns where the text begins, with white space that
    /// touches nothing stripped.
    fn close_gap(&mut self, source: &Source, start: usize, sink: &mut dyn Sink) -> usize {
        if !std::mem::take(&mut self.stripped) {
            let from = self.gap.first().map_or(start, |white| white.span.start);
            self.gap.clear();
            return from;
        }
        let mut gap = std::mem::take(&mut self.gap);
        let last = gap.iter().rposition(|piece| piece.kind == WHITE);
        for (index, piece) in gap.iter().enumerate() {
            match piece.kind {
                Kind::Hidden(fate, reason) => self.hidden(source, piece.span, fate, reason, sink),
                _ if Some(index) == last => {
                    let joined = self.join(source, &gap);
                    if self.silence.lets_white_pass(source.byte(start)) {
                        self.show(piece.span, &joined, true, sink);
                    } else {
                        self.feed(source, Piece::joined(piece.span, joined), sink);
                    }
                }
                _ => self.hidden(source, piece.span, Fate::Drop, RangeReason::JoinedSpace, sink),
            }
        }
        // Its memory is good for the next gap.
        gap.clear();
        self.gap = gap;
        start
    }

    /// The white space that stands for all of a gap's.
    fn join(&self, source: &Source, gap: &[Piece]) -> Cow<'static, str> {
        let (mut breaks, mut broken, mut indent) = (0, 0, "");
        for piece in gap.iter().filter(|piece| piece.kind == WHITE) {
            let white = source.str(piece.span);
            source.spend(white.len());
            if let Some(last) = white.bytes().rposition(|b| b == b'\n') {
                breaks += 1 + white.bytes().take(last).filter(|b| *b == b'\n').count();
                broken += 1;
                let after = &white[last + 1..];
                let blanks = after.bytes().take_while(|b| is_blank(*b)).count();
                indent = &after[..blanks];
            }
        }
        if !self.rules.on(G::JoinIndent) {
            indent = "";
        }
        if broken == 0 {
            return " ".into();
        }
        let lines = if self.rules.on(G::JoinBreaks) {
            breaks + 1 - broken
        } else {
            breaks
        };
        let most = if self.rules.on(G::JoinAtMostTwo) {
            2
        } else {
            usize::MAX
        };
        match (lines.min(most), indent) {
            (1, "") => "\n".into(),
            (2, "") => "\n\n".into(),
            (lines, indent) => ("\n".repeat(lines) + indent).into(),
        }
    }

    fn hidden(&mut self, source: &Source, span: Span, fate: Fate, reason: RangeReason, sink: &mut dyn Sink) {
        if self.silence.waits() {
            self.feed(source, Piece::hidden(span, fate, reason), sink);
        } else {
            sink.step(Step::Hide { span, fate, reason });
        }
    }

    fn show(&mut self, span: Span, text: &str, joined: bool, sink: &mut dyn Sink) {
        if !self.header_sent {
            self.send_header(sink);
        }
        sink.step(Step::Show { span, text, joined });
    }

    fn send_header(&mut self, sink: &mut dyn Sink) {
        self.header_sent = true;
        if let Some(span) = self.header_at
            && !self.header.is_empty()
        {
            let header = &self.header;
            sink.step(Step::Header { header, span });
        }
    }

    /// What was shown as text from `start` to `end` turned out to be code.
    pub(super) fn was_code(&mut self, code: Span, run: usize, source: &Source, sink: &mut dyn Sink) {
        self.silence.was_code(source, code, run, &mut self.ready);
        self.send_ready(source, sink);
    }

    /// Sends a piece through the stage of silence.
    fn feed(&mut self, source: &Source, piece: Piece, sink: &mut dyn Sink) {
        self.silence.feed(source, piece, &mut self.ready);
        self.send_ready(source, sink);
    }

    fn send_ready(&mut self, source: &Source, sink: &mut dyn Sink) {
        let mut ready = std::mem::take(&mut self.ready);
        for piece in ready.drain(..) {
            let span = piece.span;
            match piece.kind {
                Kind::Hidden(fate, reason) => sink.step(Step::Hide { span, fate, reason }),
                Kind::Joined(text) => self.show(span, &text, true, sink),
                Kind::Text(_) => self.show(span, source.str(span), false, sink),
            }
        }
        self.ready = ready;
    }

    /// The message has ended: edges are trimmed, and silence is decided.
    /// Before `doubtful` no fix may take anything out.
    pub(super) fn finish(&mut self, source: &Source, doubtful: usize, sink: &mut dyn Sink) {
        let gap = std::mem::take(&mut self.gap);
        let ended = self
            .silence
            .finish(source, self.markers.is_some() || self.quiet, &mut self.ready);
        let trims = self.rules.on(G::TrimEdges);
        let trim = |mut piece: Piece| {
            if piece.kind == WHITE && trims {
                piece.kind = Kind::Hidden(Fate::Drop, RangeReason::Trim);
            }
            piece
        };
        self.ready.extend(gap.into_iter().map(trim));
        let doubtful = if ended.token_first { usize::MAX } else { doubtful };
        let tokens = ended
            .token
            .map(|first| (first, token_fix(&self.ready, source, first, doubtful)));
        self.send_ready(source, sink);
        if !self.header_sent {
            self.send_header(sink);
        }
        if let Some(suppressed) = ended.suppressed {
            return sink.step(Step::Suppressed(suppressed));
        }
        if !self.rules.on(G::MarkerNotAlone) {
            return;
        }
        if let Some(markers) = &self.markers {
            let message = "<no-reply/> stands beside text; the text is delivered";
            let mut found = Diagnostic::new(Code::MarkerNotAlone, markers.first, message);
            if let Some((span, between)) = markers.fix() {
                found = found.with_fix(span, between, if markers.many { REMOVE_ALL } else { REMOVE });
            }
            sink.step(Step::Diagnostic(&found));
        }
        if let Some((first, fix)) = tokens {
            let message = "NO_REPLY stands after text; the text is delivered";
            let mut found = Diagnostic::new(Code::MarkerNotAlone, first, message);
            if let Some((span, between)) = fix {
                let title = if span.len() <= first.len() {
                    REMOVE
                } else {
                    REMOVE_ALL
                };
                found = found.with_fix(span, between, title);
            }
            sink.step(Step::Diagnostic(&found));
        }
    }
}
