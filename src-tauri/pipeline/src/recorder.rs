//! Writing decisions into the journal, with whom they belong to.

use crate::{
    crash::{self, CrashPoint},
    deciding::NamedSettings,
    leaks::Leak,
    supervise::WorkPanic,
    time::ClockJumps,
};
use foldback_store::{Journal, Numbers, StoreError};
use foldback_wire::{
    ChannelId, Clock, DecidingSetting, DeliveryRequest, Draft, Kind, OpId, PermissionRequest, RunId,
    SessionId, Timestamp, TurnId, redact::Redaction,
};
use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// The next numbers of everything that is counted.
#[derive(Debug)]
pub(crate) struct Ids {
    turn: AtomicU64,
    op: AtomicU64,
    run: AtomicU64,
}

impl Ids {
    pub(crate) const fn new(first: Numbers) -> Self {
        Self {
            turn: AtomicU64::new(first.turn),
            op: AtomicU64::new(first.op),
            run: AtomicU64::new(first.run),
        }
    }

    pub(crate) fn turn(&self) -> TurnId {
        TurnId(self.turn.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn op(&self) -> OpId {
        OpId(self.op.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn run(&self) -> RunId {
        RunId(self.run.fetch_add(1, Ordering::Relaxed))
    }
}

/// Writes the decisions of one turn (or of none) into the journal.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) clock: Arc<dyn Clock>,
    jumps: Arc<ClockJumps>,
    turn: Option<TurnId>,
    session: Option<SessionId>,
    /// The session of the turn, once its gates have found it; its copies know it, too.
    found: Arc<OnceLock<SessionId>>,
    channel: Option<ChannelId>,
    settings: Arc<NamedSettings>,
    /// The secrets that are masked before anything is written.
    redaction: Option<Redaction>,
    /// Events of a turn that wait for its gates; empty once they are written. None outside of [`Recorder::holding`].
    held: Option<Arc<Mutex<Option<Vec<Draft>>>>>,
}

impl Recorder {
    /// For decisions that belong to no turn.
    pub(crate) fn new(
        journal: Arc<dyn Journal>,
        clock: Arc<dyn Clock>,
        settings: Arc<NamedSettings>,
        redaction: Option<Redaction>,
    ) -> Self {
        Self {
            journal,
            jumps: Arc::new(ClockJumps::new(clock.as_ref())),
            clock,
            turn: None,
            session: None,
            found: Arc::default(),
            channel: None,
            settings,
            redaction,
            held: None,
        }
    }

    /// The same for a turn on a channel.
    pub(crate) fn of_turn(&self, turn: TurnId, channel: &ChannelId) -> Self {
        Self {
            turn: Some(turn),
            found: Arc::default(),
            channel: Some(channel.clone()),
            ..self.clone()
        }
    }

    /// The same for what concerns a channel and no turn.
    pub(crate) fn on_channel(&self, channel: &ChannelId) -> Self {
        Self {
            channel: Some(channel.clone()),
            ..self.clone()
        }
    }

    /// The same in a session.
    pub(crate) fn in_session(&self, session: &SessionId) -> Self {
        Self {
            session: Some(session.clone()),
            ..self.clone()
        }
    }

    /// Gives the turn the session it belongs to: its events from here on, and those that are kept back, so that what a
    /// person wrote is found with what was answered.
    pub(crate) fn find_session(&self, session: &SessionId) {
        if self.found.set(session.clone()).is_err() {
            return;
        }
        let Some(held) = &self.held else { return };
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        // Of other turns there may be events, too, in sessions of their own.
        let own = self.turn;
        for draft in held.iter_mut().flatten().filter(|draft| draft.turn == own) {
            draft.session.get_or_insert_with(|| session.clone());
        }
    }

    /// A copy that keeps events back, and has its own copies do so, until one of them is released.
    pub(crate) fn holding(&self) -> Self {
        Self {
            held: Some(Arc::new(Mutex::new(Some(Vec::new())))),
            ..self.clone()
        }
    }

    /// Writes the events that were kept back, and keeps none back any more.
    pub(crate) fn release(&self) -> Result<(), StoreError> {
        self.release_changed(|_| {})
    }

    /// Writes the events that were kept back without text and files of the message in them.
    pub(crate) fn release_without_content(&self) -> Result<(), StoreError> {
        self.release_changed(|drafts| {
            for draft in drafts {
                if let Kind::Received { message } = &mut draft.kind {
                    message.omit_content();
                }
            }
        })
    }

    fn release_changed(&self, change: impl FnOnce(&mut [Draft])) -> Result<(), StoreError> {
        let Some(held) = &self.held else {
            return Ok(());
        };
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut drafts) = held.take() else {
            return Ok(());
        };
        change(&mut drafts);
        self.write(drafts)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A setting that decides something, as it is on the recorder's channel.
    pub(crate) fn deciding(&self, setting: &str) -> DecidingSetting {
        self.settings.deciding(self.channel.as_ref(), setting)
    }

    /// A delivery request without secrets, within its bounds.
    pub(crate) fn masked_delivery(&self, request: DeliveryRequest) -> DeliveryRequest {
        request.masked_and_bounded(self.redaction.as_ref())
    }

    /// Words for the log, without secrets.
    pub(crate) fn words<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.redaction {
            Some(redaction) => redaction.text(text),
            None => Cow::Borrowed(text),
        }
    }

    /// The time of day. Tells first of a jump since the last look, before anything that bears the new time.
    pub(crate) fn tell_jump(&self) -> Timestamp {
        let (at, by_ms) = self.jumps.measure_jump(self.clock.as_ref());
        let Some(by_ms) = by_ms else {
            return at;
        };
        tracing::warn!(by_ms, "the system's clock jumped");
        let jump = Draft {
            at,
            turn: None,
            session: None,
            channel: None,
            kind: Kind::ClockJumped { by_ms },
        };
        // Whatever comes next fails in the same way, and is answered.
        if let Err(error) = self.journal.append(vec![jump]) {
            tracing::error!(%error, "a jump of the clock is not in the journal");
        }
        at
    }

    /// Masks the secrets in a request for permission; true where there were any.
    pub(crate) fn mask_request(&self, request: &mut PermissionRequest) -> bool {
        self.redaction
            .as_ref()
            .is_some_and(|redaction| redaction.request(request))
    }

    pub(crate) fn draft(&self, kind: Kind) -> Draft {
        self.draft_at(self.tell_jump(), kind)
    }

    /// Drafts of what was decided at one time. The clock is read once: a turn has hundreds of events.
    fn drafts(&self, kinds: Vec<Kind>) -> Vec<Draft> {
        let at = self.tell_jump();
        kinds.into_iter().map(|kind| self.draft_at(at, kind)).collect()
    }

    fn draft_at(&self, at: Timestamp, mut kind: Kind) -> Draft {
        self.settings
            .add_deciding_setting(self.channel.as_ref(), &mut kind);
        if let Some(redaction) = &self.redaction {
            redaction.event(&mut kind);
        }
        Draft {
            at,
            turn: self.turn,
            session: self.session.as_ref().or(self.found.get()).cloned(),
            channel: self.channel.clone(),
            kind,
        }
    }

    pub(crate) fn note(&self, kind: Kind) -> Result<(), StoreError> {
        self.note_all(vec![kind])
    }

    pub(crate) fn note_all(&self, kinds: Vec<Kind>) -> Result<(), StoreError> {
        if kinds.is_empty() {
            return Ok(());
        }
        let drafts = self.drafts(kinds);
        self.write_or_hold(drafts)
    }

    /// Notes events together with those of other turns: all of them are written, or none.
    pub(crate) fn note_beside(&self, kinds: Vec<Kind>, others: Vec<Draft>) -> Result<(), StoreError> {
        let own = self.drafts(kinds);
        self.write_or_hold(others.into_iter().chain(own).collect())
    }

    /// Keeps events back where the gates of the turn have not decided, else writes them.
    fn write_or_hold(&self, drafts: Vec<Draft>) -> Result<(), StoreError> {
        if let Some(held) = &self.held
            && let Some(held) = &mut *held.lock().unwrap_or_else(PoisonError::into_inner)
        {
            held.extend(drafts);
            return Ok(());
        }
        self.write(drafts)
    }

    fn write(&self, drafts: Vec<Draft>) -> Result<(), StoreError> {
        crash::point(CrashPoint::BeforeAppend);
        self.journal.append(drafts)?;
        crash::point(CrashPoint::AfterAppend);
        Ok(())
    }

    /// Markup reached a channel.
    pub(crate) fn alarm(&self, leaks: Vec<Leak>) -> Result<(), StoreError> {
        for Leak { op, message, span } in leaks {
            tracing::error!(%op, message, "markup reached the channel");
            self.note(Kind::Leaked { op, message, span })?;
        }
        Ok(())
    }

    /// Tells that work panicked, and what becomes of it.
    pub(crate) fn tell_panic(&self, fate: &str, panicked: &WorkPanic) {
        tracing::error!(%panicked, "{fate}");
        if let Err(error) = self.warn(format!("{fate}: {panicked}")) {
            tracing::error!(%error, "a panic is not in the journal");
        }
    }

    pub(crate) fn warn(&self, detail: impl Into<String>) -> Result<(), StoreError> {
        self.note(Kind::Warned {
            detail: detail.into(),
        })
    }
}
