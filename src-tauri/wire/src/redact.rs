//! Masking secrets in events: what the journal keeps, and what leaves it.

use crate::{
    ActionRefusal, Body, DeliveryRefused, Directive, Event, Header, HookEnd, Inbound, InlineDirectives,
    Intent, Kind, MessageId, OpKind, Outcome, ScheduleSkipped, Secret, Terminal, ThreadContext, TurnId,
    UnreadablePart,
};
use foldback_directives::{
    Span,
    redact::{InboundSecrets, Patterns, RawRedactor, RedactSettings},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
};

mod delivered;
mod known;
mod request;
mod streamed;
mod user_words;
mod work_words;

use known::KnownSecrets;

pub use foldback_directives::redact::MASK;
pub use streamed::StreamRedactor;

/// The secrets that are masked, and the places where. Clones share what they know: a credential that one of them learns is
/// masked by all.
#[derive(Debug, Clone)]
pub struct Redaction {
    known: Arc<RwLock<KnownSecrets>>,
    inbound: InboundSecrets,
}

impl Redaction {
    /// The redaction that these settings ask for; `None` when redaction is off.
    pub fn new(settings: &RedactSettings) -> Option<Self> {
        Self::knowing(settings, &[])
    }

    /// Masks what these settings ask for, and these credentials by their value, where they have eight bytes or more;
    /// `None` when redaction is off.
    pub fn knowing(settings: &RedactSettings, credentials: &[Secret]) -> Option<Self> {
        settings.enabled.then(|| Self {
            known: Arc::new(RwLock::new(KnownSecrets::of(settings, credentials))),
            inbound: settings.inbound,
        })
    }

    /// Masks these credentials too from now on, and still all that it knows. Whoever reads one that may be new tells it
    /// here before it is used.
    pub fn learn(&self, credentials: &[Secret]) {
        if self.known().has(credentials) {
            return;
        }
        // Whole after every change, so that a panic elsewhere does not matter here.
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *known = known.with(credentials);
    }

    fn known(&self) -> RwLockReadGuard<'_, KnownSecrets> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does this with secrets in a user's own message instead.
    #[must_use]
    pub fn with_inbound(self, inbound: InboundSecrets) -> Self {
        Self { inbound, ..self }
    }

    /// Only what the journal wrote for a secret: for reading a raw text of it once more.
    pub fn masked() -> Self {
        Self {
            known: Arc::new(RwLock::new(KnownSecrets::masked())),
            inbound: InboundSecrets::Keep,
        }
    }

    /// The patterns of secrets, as far as they are known now.
    pub fn patterns(&self) -> Arc<Patterns> {
        Arc::clone(&self.known().patterns)
    }

    /// The patterns of secrets in the id of a message.
    pub fn id_patterns(&self) -> Arc<Patterns> {
        Arc::clone(&self.known().ids)
    }

    /// The bot's own credentials alone.
    fn own_patterns(&self) -> Arc<Patterns> {
        Arc::clone(&self.known().own)
    }

    /// The treatment of secrets in a user's own message.
    pub const fn inbound(&self) -> InboundSecrets {
        self.inbound
    }

    /// The text with every secret masked.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.patterns().redact(text)
    }

    /// Masks every secret in this text.
    pub fn mask(&self, text: &mut String) {
        if let Cow::Owned(masked) = self.patterns().redact(text) {
            *text = masked;
        }
    }

    /// Masks what a directive says and shows, and the message it names. Channels and chats stay: they are
    /// addresses, and must be on a list of the operator's.
    pub fn directive(&self, directive: &mut Directive) {
        match directive {
            Directive::React { emoji, message, .. } => {
                self.mask(emoji);
                if let Some(id) = message {
                    self.mask_id(id);
                }
            }
            said => said.each_text(|text| self.mask(text)),
        }
    }

    /// Masks what a directive says and shows, and its addresses too.
    fn addressed_directive(&self, directive: &mut Directive) {
        self.directive(directive);
        directive.each_address(|text| self.mask(text));
    }

    /// Masks the message that a header names.
    pub fn header(&self, header: &mut Header) {
        header.each_text(|id| self.mask_id(id));
    }

    /// Masks what a user wrote.
    pub fn message(&self, message: &mut Inbound) {
        self.mask(&mut message.text);
        for file in &mut message.files {
            self.mask(&mut file.name);
        }
        if let Some(context) = &mut message.context {
            context.each_text(|text, _| self.mask(text));
        }
    }

    /// Masks what was said in a thread.
    pub fn thread(&self, thread: &mut ThreadContext) {
        thread.each_text(&mut |text, _| self.mask(text));
    }

    /// Masks every secret in the words of an event. Raw text ([`Kind::Chunk`]) is none of them: a secret in it
    /// may go on in the next event; see [`Outgoing`].
    pub fn event(&self, kind: &mut Kind) {
        self.deciding(kind);
        self.words(kind);
    }

    /// Masks what is told of an action.
    fn action(&self, kind: &mut Kind) {
        match kind {
            Kind::Action { action, outcome, .. } => {
                action.each_text(|text| self.mask(text));
                if let Some(outcome) = outcome {
                    self.optional(&mut outcome.detail);
                }
            }
            Kind::ActionRefused(refusal) => refusal.each_text(|text| self.mask(text)),
            Kind::ActionStarted(started) => started.each_text(|text| self.mask(text)),
            Kind::ActionEnded(ended) => self.optional(&mut ended.note),
            Kind::ActionAnswered(answered) => self.mask(&mut answered.text),
            _ => {}
        }
    }

    /// Masks the reason of a stop, and the values that it was decided from.
    fn stop(&self, detail: &mut String, inputs: &mut BTreeMap<String, String>) {
        self.mask(detail);
        for value in inputs.values_mut() {
            self.mask(value);
        }
    }

    fn words(&self, kind: &mut Kind) {
        match kind {
            Kind::Received { message } if self.inbound != InboundSecrets::Keep => self.message(message),
            Kind::Prepared { prompt } if self.inbound != InboundSecrets::Keep => self.mask(prompt),
            Kind::ChannelState { why: text, .. }
            | Kind::Passed { detail: text, .. }
            | Kind::Pairing { name: text, .. }
            | Kind::Reasoning { text }
            | Kind::Retrying { detail: text, .. }
            | Kind::RunFailed { detail: text, .. }
            | Kind::Refused { detail: text, .. }
            | Kind::Undelivered { detail: text, .. }
            | Kind::Warned { detail: text }
            | Kind::TurnEnded {
                terminal: Terminal::Failed { detail: text } | Terminal::Unknown { detail: text },
            } => self.mask(text),
            Kind::Unreadable(part) => self.unreadable(part),
            Kind::Truncated { detail, .. } => self.optional(detail),
            Kind::Stopping { detail, inputs, .. } => self.stop(detail, inputs),
            Kind::InlineDirectives(_)
            | Kind::SettingsChanged { .. }
            | Kind::QueueReordered { .. }
            | Kind::SessionReset { .. }
            | Kind::SettingsResolved { .. }
            | Kind::Gathered { .. }
            | Kind::Understood(_)
            | Kind::NotSteered { .. }
            | Kind::TakenIn { .. }
            | Kind::GroupHistory { .. }
            | Kind::ThreadRead(_)
            | Kind::LinkRead { .. }
            | Kind::LevelIgnored { .. }
            | Kind::Command { .. } => self.user_words(kind),
            Kind::Tool { .. }
            | Kind::PermissionAsked { .. }
            | Kind::PermissionDecided { .. }
            | Kind::MemoryFlushed { .. } => self.work_words(kind),
            Kind::AgentSession { detail, .. }
            | Kind::HookEnded(HookEnd { detail, .. })
            | Kind::DeliveryRefused(DeliveryRefused { detail, .. })
            | Kind::TargetDead { detail, .. }
            | Kind::ScheduleSkipped(ScheduleSkipped { detail, .. }) => self.mask(detail),
            Kind::HistoryCompacted { summary, .. } => self.mask(summary),
            Kind::DeliveryDue(request) => self.delivery(request),
            Kind::ReminderSet(reminder) => self.reminder(reminder),
            Kind::Directive { directive, .. } => self.addressed_directive(directive),
            Kind::HeaderRead { header, .. } => self.header(header),
            Kind::Action { .. }
            | Kind::ActionRefused(_)
            | Kind::ActionStarted(_)
            | Kind::ActionEnded(_)
            | Kind::ActionAnswered(_) => self.action(kind),
            Kind::Skipped { outcome, .. } | Kind::Ended { outcome, .. } => self.optional(&mut outcome.detail),
            Kind::Diagnosed { diagnostic, .. } => diagnostic.each_text(|text| self.mask(text)),
            Kind::Intended { intent, .. } => self.intent(intent),
            // Nothing in these is in anybody's words.
            Kind::ScheduleSet(_)
            | Kind::RunAgain { .. }
            | Kind::SchedulePaused(_)
            | Kind::ScheduleDue(_)
            | Kind::ReminderCancelled(_)
            | Kind::ReminderDue(_)
            | Kind::DeliveryAccepted(_)
            | Kind::TargetRevived { .. }
            | Kind::Received { .. }
            | Kind::Prepared { .. }
            | Kind::Chunk { .. }
            | Kind::Started { .. }
            | Kind::Stopped
            | Kind::ClockJumped { .. }
            | Kind::Armed { .. }
            | Kind::Muted { .. }
            | Kind::FaultPlanned { .. }
            | Kind::FaultRemoved { .. }
            | Kind::Faulted { .. }
            | Kind::Spoken { .. }
            | Kind::Queued { .. }
            | Kind::Evicted { .. }
            | Kind::Joined { .. }
            | Kind::Dequeued { .. }
            | Kind::RunStarted { .. }
            | Kind::MessageEnded { .. }
            | Kind::RunCancelled { .. }
            | Kind::HistoryRestored { .. }
            | Kind::Used { .. }
            | Kind::RunEnded { .. }
            | Kind::Decided { .. }
            | Kind::Held { .. }
            | Kind::Released { .. }
            | Kind::Suppressed { .. }
            | Kind::Waiting { .. }
            | Kind::HeldSettled { .. }
            | Kind::Attempted { .. }
            | Kind::Receipt { .. }
            | Kind::Reviewed { .. }
            | Kind::Leaked { .. }
            | Kind::Idle
            | Kind::TurnEnded { .. } => {}
        }
    }

    /// Masks the value of the setting behind a decision.
    fn deciding(&self, kind: &mut Kind) {
        if let Kind::InlineDirectives(InlineDirectives { decided_by, .. })
        | Kind::Gathered { decided_by, .. }
        | Kind::PermissionDecided { decided_by, .. }
        | Kind::Skipped { decided_by, .. }
        | Kind::Suppressed { decided_by, .. }
        | Kind::Truncated { decided_by, .. }
        | Kind::MessageEnded { decided_by, .. }
        | Kind::RunFailed { decided_by, .. }
        | Kind::ActionRefused(ActionRefusal { decided_by, .. })
        | Kind::Ended {
            outcome: Outcome { decided_by, .. },
            ..
        } = kind
            && let Some(setting) = decided_by
        {
            self.mask(&mut setting.value);
        }
    }

    fn unreadable(&self, UnreadablePart { error, raw, .. }: &mut UnreadablePart) {
        self.mask(error);
        if self.inbound != InboundSecrets::Keep {
            self.mask(raw);
        }
    }

    fn intent(&self, intent: &mut Intent) {
        if let Some(Body::Literal { text, .. } | Body::Aside { text }) = &mut intent.body {
            self.mask(text);
        }
        for text in [&mut intent.path, &mut intent.emoji, &mut intent.emoji_sent] {
            self.optional(text);
        }
        // These an agent may have named; all others a platform gave.
        self.id(&mut intent.reply_to);
        if intent.kind == OpKind::React {
            self.id(&mut intent.message);
        }
    }

    fn mask_id(&self, id: &mut String) {
        if let Cow::Owned(masked) = self.id_patterns().redact(id) {
            *id = masked;
        }
    }

    fn id(&self, id: &mut Option<MessageId>) {
        if let Some(named) = id
            && let Cow::Owned(masked) = self.id_patterns().redact(named.as_str())
        {
            *id = Some(masked.into());
        }
    }

    fn optional(&self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.mask(text);
        }
    }
}

/// Masks a journal on its way out, also one that was written before redaction was on. Events come in their
/// order and leave in it. Raw text keeps its length, and waits with all that follows until it is decided.
#[derive(Debug)]
pub struct Outgoing {
    redaction: Redaction,
    /// Raw texts that may go on.
    open: BTreeMap<(Option<TurnId>, u32), Raw>,
    waiting: VecDeque<Event>,
}

#[derive(Debug)]
struct Raw {
    secrets: RawRedactor,
    read: usize,
    /// The masked text, up to where that is decided.
    masked: String,
    /// The place at which `masked` begins.
    from: usize,
    ended: bool,
}

impl Raw {
    fn new(redaction: &Redaction) -> Self {
        Self {
            secrets: RawRedactor::new(&redaction.patterns()),
            read: 0,
            masked: String::new(),
            from: 0,
            ended: false,
        }
    }

    fn decide(&mut self) {
        let (_, text) = self.secrets.take_to(self.secrets.decided());
        self.masked.push_str(&text);
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            self.secrets.finish();
            self.decide();
        }
    }

    /// The masked text of a chunk, once all of it is decided. Chunks are asked for in their order.
    fn take(&mut self, span: Span) -> Option<String> {
        if span.end > self.from + self.masked.len() {
            return None;
        }
        self.from = span.end;
        Some(self.masked.drain(..span.len()).collect())
    }
}

impl Outgoing {
    /// For one journal, from any place of it.
    pub const fn new(redaction: Redaction) -> Self {
        Self {
            redaction,
            open: BTreeMap::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Takes the next event; answers those that are decided now.
    pub fn push(&mut self, mut event: Event) -> Vec<Event> {
        let turn = event.turn;
        let mut out = Vec::new();
        match &event.kind {
            Kind::Chunk {
                message, span, text, ..
            } => {
                let key = (turn, *message);
                let fits = |raw: &Raw| raw.read == span.start && !raw.ended;
                if !self.open.get(&key).is_some_and(fits) {
                    if self.open.contains_key(&key) {
                        // What lies between was not asked for.
                        self.end(|_| true);
                        out = self.decided();
                    }
                    let mut raw = Raw::new(&self.redaction);
                    (raw.read, raw.from) = (span.start, span.start);
                    self.open.insert(key, raw);
                }
                if let Some(raw) = self.open.get_mut(&key) {
                    raw.secrets.push(text);
                    raw.read = span.end;
                    raw.decide();
                }
            }
            Kind::MessageEnded { message, .. } => {
                let key = (turn, *message);
                self.end(|of| of == key);
            }
            Kind::TurnEnded { .. } => self.end(|(of, _)| of == turn),
            _ => {}
        }
        self.redaction.event(&mut event.kind);
        self.waiting.push_back(event);
        out.extend(self.decided());
        out
    }

    /// Nothing follows; answers the rest.
    pub fn finish(mut self) -> Vec<Event> {
        self.end(|_| true);
        self.decided()
    }

    fn end(&mut self, which: impl Fn((Option<TurnId>, u32)) -> bool) {
        for (key, raw) in &mut self.open {
            if which(*key) {
                raw.end();
            }
        }
    }

    fn decided(&mut self) -> Vec<Event> {
        let mut out = Vec::new();
        while let Some(event) = self.waiting.front_mut() {
            if let Kind::Chunk {
                message, span, text, ..
            } = &mut event.kind
                && let Some(raw) = self.open.get_mut(&(event.turn, *message))
            {
                let Some(masked) = raw.take(*span) else { break };
                *text = masked;
            }
            out.extend(self.waiting.pop_front());
        }
        if self.waiting.is_empty() {
            self.open.retain(|_, raw| !raw.ended);
        }
        out
    }
}

#[cfg(test)]
mod tests;
