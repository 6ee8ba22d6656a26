//! Named points at which a test ends the process the hard way, around everything that must survive it.

/// A place around which a crash must lose and double nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashPoint {
    /// Before events go into the journal.
    BeforeAppend,
    /// After events went into the journal, before they are durable.
    AfterAppend,
    /// Before an intent is committed.
    BeforeIntend,
    /// After an intent was committed; that of a live edit is with its attempt.
    AfterIntend,
    /// Before an attempt is committed.
    BeforeAttempt,
    /// After an attempt was committed, before the platform is called.
    AfterAttempt,
    /// Right before the platform call.
    BeforeCall,
    /// Right after the platform call, before its outcome is committed.
    AfterCall,
    /// Before an outcome is committed.
    BeforeSettle,
    /// After an outcome was committed; that of a live edit is with the next attempt.
    AfterSettle,
    /// Before a run's beginning goes into the journal.
    BeforeRun,
    /// After a run's end went into the journal, before anything is made of it.
    AfterRun,
    /// Before the beginning of an action goes into the journal.
    BeforeAction,
    /// After the beginning of an action is durable, before its interface is called.
    ActionBegun,
    /// After the interface handed over its result, before anything of that is written.
    AfterAction,
    /// Before the ends of actions and the request that delivers them go into the journal.
    BeforeAccept,
    /// After a delivery request is durable, before its caller hears of it.
    AfterAccept,
}

impl CrashPoint {
    /// The points around one operation, from the journal to its outcome.
    pub const OF_OPERATIONS: &'static [Self] = &[
        Self::BeforeAppend,
        Self::AfterAppend,
        Self::BeforeIntend,
        Self::AfterIntend,
        Self::BeforeAttempt,
        Self::AfterAttempt,
        Self::BeforeCall,
        Self::AfterCall,
        Self::BeforeSettle,
        Self::AfterSettle,
    ];

    /// The points between an action, its result and the turn that delivers it.
    pub const OF_ACTIONS: &'static [Self] = &[
        Self::BeforeRun,
        Self::AfterRun,
        Self::BeforeAction,
        Self::ActionBegun,
        Self::AfterAction,
        Self::BeforeAccept,
        Self::AfterAccept,
    ];

    /// Its name in `FOLDBACK_CRASH_AT`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::BeforeAppend => "append.before",
            Self::AfterAppend => "append.after",
            Self::BeforeIntend => "intend.before",
            Self::AfterIntend => "intend.after",
            Self::BeforeAttempt => "attempt.before",
            Self::AfterAttempt => "attempt.after",
            Self::BeforeCall => "call.before",
            Self::AfterCall => "call.after",
            Self::BeforeSettle => "settle.before",
            Self::AfterSettle => "settle.after",
            Self::BeforeRun => "run.before",
            Self::AfterRun => "run.after",
            Self::BeforeAction => "action.before",
            Self::ActionBegun => "action.begun",
            Self::AfterAction => "action.after",
            Self::BeforeAccept => "accept.before",
            Self::AfterAccept => "accept.after",
        }
    }
}

/// Ends the process here with SIGKILL if `FOLDBACK_CRASH_AT` is `POINT:N` and this is the Nth time (from 1)
/// that the point is reached.
#[cfg(feature = "crash-points")]
pub(crate) fn point(point: CrashPoint) {
    use std::sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    };
    static WANTED: LazyLock<Option<(String, u64)>> = LazyLock::new(|| {
        let text = std::env::var("FOLDBACK_CRASH_AT").ok()?;
        let (name, count) = text.split_once(':').unwrap_or((&text, "1"));
        Some((name.to_owned(), count.parse().ok()?))
    });
    static REACHED: AtomicU64 = AtomicU64::new(0);
    let Some((name, count)) = &*WANTED else { return };
    if name == point.code() && REACHED.fetch_add(1, Ordering::SeqCst) + 1 == *count {
        // The kernel's kill, not an abort: no handler, no destructor and no flush may run.
        let me = std::process::id().to_string();
        let _ = std::process::Command::new("kill").args(["-KILL", &me]).status();
        loop {
            std::thread::park();
        }
    }
}

/// Nothing: this build has no crash points.
#[cfg(not(feature = "crash-points"))]
#[inline]
pub(crate) const fn point(_: CrashPoint) {}
