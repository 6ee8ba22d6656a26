//! The dialect `silence` over the clean text: `NO_REPLY` and `HEARTBEAT_OK`.
//!
//! The scanner's text arrives here in pieces, white space already joined. At the start a token may make the
//! whole message silent, so the text waits until that is excluded (`Front`); afterwards only what may be
//! the last token waits (`Ending`).

mod ending;
mod front;
mod piece;
mod strip;

use ending::Ending;
use front::{Front, Verdict};
pub(crate) use piece::{InCode, Kind, Piece};

use crate::lex::Source;
use crate::rules::{Rule as G, Rules};
use crate::settings::all_clear;
use crate::{Dialect, Fate, RangeReason, Settings, Span, Suppression, TrailingSilence};

/// The words that stand for silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    NoReply,
    HeartbeatOk,
}

impl Token {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::NoReply => "NO_REPLY",
            Self::HeartbeatOk => "HEARTBEAT_OK",
        }
    }

    /// The token that begins with this character, among those that count now.
    pub(crate) fn starting(c: char, heartbeat: bool) -> Option<Self> {
        match c {
            'N' => Some(Self::NoReply),
            'H' if heartbeat => Some(Self::HeartbeatOk),
            _ => None,
        }
    }
}

pub(crate) fn is_edge(c: char) -> bool {
    !c.is_alphanumeric() && c != '_' && !c.is_whitespace()
}

#[derive(Debug)]
enum Phase {
    Off,
    Front(Front),
    Body(Option<Ending>),
    /// A token at the start made the message silent.
    Silent,
}

/// What became of the message as a whole.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ended {
    pub(crate) suppressed: Option<Suppression>,
    /// The first `NO_REPLY` that was stripped beside text.
    pub(crate) token: Option<Span>,
    /// Whether the text begins with a token too, and may be nothing else without those at its end.
    pub(crate) token_first: bool,
}

/// The stage itself.
#[derive(Debug)]
pub(crate) struct Silence {
    phase: Phase,
    queue: Vec<Piece>,
    /// Where in the queue the possible last token begins.
    ending_at: usize,
    hold_all: bool,
    heartbeat: bool,
    suppress_trailing: bool,
    acknowledged: bool,
    /// Whether the text begins with what could have been a token.
    token_first: bool,
    fed: bool,
    all_clear: Option<regex::Regex>,
    rules: Rules,
}

impl Silence {
    pub(crate) fn new(settings: &Settings, rules: Rules) -> Self {
        let on = settings.has(Dialect::Silence);
        let heartbeat = on && settings.heartbeat && rules.on(G::Heartbeat);
        let all_clear = if heartbeat {
            all_clear(settings.all_clear.as_deref()).ok().flatten()
        } else {
            None
        };
        let suppress_trailing = on && settings.trailing_silence == TrailingSilence::Suppress;
        Self {
            phase: if on {
                Phase::Front(Front::new(heartbeat, rules))
            } else {
                Phase::Off
            },
            queue: Vec::new(),
            ending_at: 0,
            hold_all: suppress_trailing || all_clear.is_some(),
            heartbeat,
            suppress_trailing,
            acknowledged: false,
            token_first: false,
            fed: false,
            all_clear,
            rules,
        }
    }

    /// Whether any text stands before the reader. `white` tells whether white space follows it.
    pub(crate) fn has_text(&self, white: impl Fn() -> bool) -> bool {
        match &self.phase {
            Phase::Front(front) => front.has_text(white()),
            _ => self.fed,
        }
    }

    /// Whether a `HEARTBEAT_OK` at the start may still be taken out.
    pub(crate) fn may_acknowledge(&self) -> bool {
        self.heartbeat && matches!(self.phase, Phase::Front(_))
    }

    /// Whether a `HEARTBEAT_OK` was read, after which the text may begin again.
    pub(crate) fn acknowledges(&self) -> bool {
        matches!(&self.phase, Phase::Front(front) if front.acknowledges())
    }

    /// The first byte that waits here, and the token it waits for.
    pub(crate) fn held(&self) -> Option<(usize, &'static str)> {
        let subject = match &self.phase {
            Phase::Silent => return None,
            Phase::Front(front) => front.token().word(),
            Phase::Body(ending) => ending.as_ref().map_or("", Ending::subject),
            Phase::Off => "",
        };
        self.queue.first().map(|piece| (piece.span.start, subject))
    }

    /// The first byte that was not passed on.
    pub(crate) fn keeps(&self) -> Option<usize> {
        self.queue.first().map(|piece| piece.span.start)
    }

    /// Whether the text is already known to be dropped, so that its bytes need not be kept.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self.phase, Phase::Silent)
    }

    /// Whether anything waits here, so that all that follows must queue up behind it.
    pub(crate) fn waits(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether this text goes out as it is: nothing waits before it, and no token may end it. Most text
    /// does, so this is asked first; what does not pass is to be fed.
    #[inline]
    pub(crate) fn lets_pass(&self, source: &Source, text: &str, code: InCode) -> bool {
        self.is_open() && (code != InCode::No || Ending::find(source, text, self.heartbeat).is_none())
    }

    /// The same for joined white space, which `next` follows.
    pub(crate) fn lets_white_pass(&self, next: Option<u8>) -> bool {
        let begins_none =
            |b: u8| b.is_ascii_alphanumeric() && Token::starting(char::from(b), self.heartbeat).is_none();
        self.is_open() && next.is_some_and(begins_none)
    }

    fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Body(None)) && !self.hold_all && self.queue.is_empty()
    }

    /// Takes the next piece; what is decided goes to `ready`.
    pub(crate) fn feed(&mut self, source: &Source, piece: Piece, ready: &mut Vec<Piece>) {
        if !piece.is_text() {
            return self.put(piece, ready);
        }
        match &mut self.phase {
            Phase::Front(_) => return self.front(source, piece, ready),
            Phase::Off => ready.push(piece),
            Phase::Silent => self.put_last(piece),
            Phase::Body(_) => self.body(source, piece, ready),
        }
        self.fed = true;
    }

    /// What was read as text from the start to the end of `code` turned out to be code: no token is in it, and
    /// none ends the text there.
    pub(crate) fn was_code(&mut self, source: &Source, code: Span, run: usize, ready: &mut Vec<Piece>) {
        let before = |piece: &Piece| piece.span.start < code.end;
        match self.phase {
            Phase::Body(Some(_)) if self.queue.get(self.ending_at).is_some_and(before) => {
                self.phase = Phase::Body(None);
                self.release(ready);
            }
            // What waits there may be read again.
            Phase::Front(_) => {
                source.spend(self.queue.len());
                self.mark_code(code, run);
            }
            _ => {}
        }
    }

    fn mark_code(&mut self, code: Span, run: usize) {
        let inline = InCode::Inline {
            start: code.start,
            end: code.end,
            run,
        };
        for mut piece in std::mem::take(&mut self.queue) {
            if piece.kind == Kind::Text(InCode::No) {
                for at in [code.start, code.end] {
                    if piece.span.start < at && at < piece.span.end {
                        let (mut before, after) = piece.split(at - piece.span.start);
                        if code.start <= before.span.start {
                            before.kind = Kind::Text(inline);
                        }
                        self.queue.push(before);
                        piece = after;
                    }
                }
                if code.start <= piece.span.start && piece.span.end <= code.end {
                    piece.kind = Kind::Text(inline);
                }
            }
            self.queue.push(piece);
        }
    }

    /// Passes on what nothing can change any more, unless something before it waits.
    fn put(&mut self, piece: Piece, ready: &mut Vec<Piece>) {
        if self.queue.is_empty() {
            ready.push(piece);
        } else {
            self.put_last(piece);
        }
    }

    fn put_last(&mut self, piece: Piece) {
        let mergeable = !matches!(piece.kind, Kind::Joined(_)) && self.ending_at < self.queue.len();
        match self.queue.last_mut() {
            Some(last) if mergeable && last.span.end == piece.span.start && last.kind == piece.kind => {
                last.span.end = piece.span.end;
            }
            _ => self.queue.push(piece),
        }
    }

    fn front(&mut self, source: &Source, mut piece: Piece, ready: &mut Vec<Piece>) {
        loop {
            let Phase::Front(front) = &mut self.phase else {
                return self.body(source, piece, ready);
            };
            if front.is_fresh() {
                let text = piece.shown(source);
                let white = text.len() - text.trim_start().len();
                source.spend(white + 1);
                if white == text.len() {
                    return self.put(Piece::hidden(piece.span, Fate::Drop, RangeReason::Trim), ready);
                }
                if white > 0 {
                    let (space, rest) = piece.split(white);
                    self.put(Piece::hidden(space.span, Fate::Drop, RangeReason::Trim), ready);
                    piece = rest;
                    continue;
                }
            }
            self.fed = true;
            match front.read(source, piece.shown(source), piece.code(), piece.span) {
                Verdict::Open => return self.put_last(piece),
                Verdict::Text => {
                    self.leave_front(source, ready);
                    return self.body(source, piece, ready);
                }
                Verdict::Silent => {
                    self.phase = Phase::Silent;
                    return self.queue.push(piece);
                }
                Verdict::Acknowledged(at) => {
                    let (token, rest) = piece.split(at);
                    self.queue.push(token);
                    self.acknowledge(ready);
                    if rest.span.is_empty() {
                        return;
                    }
                    piece = rest;
                }
            }
        }
    }

    /// The queue turned out to be `HEARTBEAT_OK`: it is taken out, and the text begins after it.
    fn acknowledge(&mut self, ready: &mut Vec<Piece>) {
        self.acknowledged = true;
        self.phase = Phase::Front(Front::new(self.heartbeat, self.rules));
        let tokens = std::mem::take(&mut self.queue)
            .into_iter()
            .filter(|piece| !piece.span.is_empty());
        for mut piece in tokens {
            if piece.is_text() {
                piece.kind = Kind::Hidden(Fate::Strip, RangeReason::Token);
            }
            ready.push(piece);
        }
        self.fed = false;
    }

    /// The text is no token: what waited is read again as text, once.
    fn leave_front(&mut self, source: &Source, ready: &mut Vec<Piece>) {
        if let Phase::Front(front) = &self.phase {
            self.token_first = front.holds_token();
        }
        self.phase = Phase::Body(None);
        self.ending_at = 0;
        source.spend(self.queue.len());
        for piece in std::mem::take(&mut self.queue) {
            if piece.is_text() {
                self.body(source, piece, ready);
            } else {
                self.put(piece, ready);
            }
        }
    }

    fn body(&mut self, source: &Source, piece: Piece, ready: &mut Vec<Piece>) {
        let mut piece = piece;
        if let Phase::Body(Some(ending)) = &mut self.phase {
            match ending.read(source, piece.shown(source), piece.code()) {
                None => return self.put_last(piece),
                Some(at) => {
                    let (before, rest) = piece.split(at);
                    if !before.span.is_empty() {
                        self.queue.push(before);
                    }
                    self.phase = Phase::Body(None);
                    self.release(ready);
                    piece = rest;
                }
            }
        }
        let joined = matches!(piece.kind, Kind::Joined(_));
        let text = piece.shown(source);
        let at = if joined {
            Some(0)
        } else if piece.code() == InCode::No {
            Ending::find(source, text, self.heartbeat)
        } else {
            None
        };
        let Some(at) = at.filter(|_| self.rules.on(G::LastToken)) else {
            self.queue.push(piece);
            return self.release(ready);
        };
        let mut ending = Ending::new(self.heartbeat);
        let open = ending.read(source, &text[at..], InCode::No).is_none();
        debug_assert!(open, "the end of this text was found to be a possible token");
        let (safe, held) = if at == 0 {
            (None, piece)
        } else {
            let (safe, held) = piece.split(at);
            (Some(safe), held)
        };
        if let Some(safe) = safe {
            self.queue.push(safe);
            self.release(ready);
        }
        self.ending_at = self.queue.len();
        self.queue.push(held);
        self.phase = Phase::Body(Some(ending));
    }

    /// Everything in the queue is text; it goes out unless the whole message must wait.
    fn release(&mut self, ready: &mut Vec<Piece>) {
        self.ending_at = self.queue.len();
        if !self.hold_all {
            self.ending_at = 0;
            ready.append(&mut self.queue);
        }
    }

    /// The message has ended. `marker` says that a `<no-reply/>` was read.
    pub(crate) fn finish(&mut self, source: &Source, marker: bool, ready: &mut Vec<Piece>) -> Ended {
        let mut ended = Ended::default();
        if let Phase::Front(front) = &self.phase {
            match front.end() {
                Verdict::Silent => self.phase = Phase::Silent,
                Verdict::Acknowledged(_) => self.acknowledge(ready),
                Verdict::Open | Verdict::Text => self.leave_front(source, ready),
            }
        }
        if let Phase::Body(Some(ending)) = &self.phase
            && ending.is_complete()
        {
            let no_reply = ending.holds_no_reply();
            ended.token = self.strip_ending(source).filter(|_| no_reply);
            ended.token_first = self.token_first;
        }
        let empty = !self.fed;
        ended.suppressed = if matches!(self.phase, Phase::Silent)
            || (ended.token.is_some() && self.suppress_trailing && self.rules.on(G::TrailingSilence))
        {
            let marker = marker && self.rules.on(G::MarkerBeatsToken);
            Some(if marker {
                Suppression::NoReply
            } else {
                Suppression::SilentToken
            })
        } else if empty && marker {
            Some(Suppression::NoReply)
        } else if (empty && self.acknowledged) || (!empty && self.is_all_clear(source)) {
            Some(Suppression::HeartbeatAck)
        } else {
            None
        };
        let reason = ended.suppressed.map(|suppression| match suppression {
            Suppression::NoReply => RangeReason::NoReply,
            Suppression::SilentToken => RangeReason::SilentToken,
            Suppression::HeartbeatAck => RangeReason::HeartbeatAck,
        });
        source.spend(self.queue.len());
        for mut piece in std::mem::take(&mut self.queue) {
            if let (Some(reason), true) = (reason, piece.is_text()) {
                piece.kind = Kind::Hidden(Fate::Drop, reason);
            }
            ready.push(piece);
        }
        ended
    }

    fn is_all_clear(&self, source: &Source) -> bool {
        let Some(pattern) = &self.all_clear else {
            return false;
        };
        let text: String = self.queue.iter().map(|piece| piece.shown(source)).collect();
        source.spend(text.len());
        pattern.is_match(&text)
    }
}
