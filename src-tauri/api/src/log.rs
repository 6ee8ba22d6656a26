//! The app's own log, kept for its drawer in the window: the latest lines, bounded, without secrets, and
//! without message text above debug level.

mod installation;

pub use installation::LogError;

use foldback_wire::{Clock, Timestamp, redact::Redaction, rpc::LogLine};
use std::{
    collections::VecDeque,
    fmt::{self, Write as _},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};
use tokio::sync::watch;
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};
use tracing_subscriber::{
    layer::{Context, Layer},
    registry::LookupSpan,
};

/// Lines kept; the oldest go first.
pub const KEPT: usize = 2_000;
/// Longest line, in bytes.
const LONGEST: usize = 4_096;
/// Fields whose values are never kept, at any level. Whoever logs a credential makes a mistake; this makes
/// it harmless.
const SECRET: [&str; 7] = [
    "api_key",
    "authorization",
    "credential",
    "key",
    "password",
    "secret",
    "token",
];
/// Fields that hold what people or agents wrote; kept at debug level and below only.
const TEXT: [&str; 6] = ["body", "caption", "prompt", "raw", "reasoning", "text"];

/// A library that prints, at trace level, every frame it sends; the first one to a gateway holds the credential.
const FRAMES: &str = "tungstenite";

/// The latest lines of the log. Clones share them.
#[derive(Clone)]
pub struct LogBook {
    shared: Arc<Shared>,
}

struct Shared {
    clock: Arc<dyn Clock>,
    lines: Mutex<Lines>,
    written: watch::Sender<u64>,
    echo: Box<dyn Fn(&LogLine) + Send + Sync>,
    redaction: OnceLock<Redaction>,
}

#[derive(Default)]
struct Lines {
    /// Lines written in all.
    total: u64,
    kept: VecDeque<LogLine>,
}

impl LogBook {
    /// An empty log whose lines bear the time of this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::echoing(clock, |_| {})
    }

    /// The same, and `echo` is handed every line as it is written; it must not log itself.
    pub fn echoing(clock: Arc<dyn Clock>, echo: impl Fn(&LogLine) + Send + Sync + 'static) -> Self {
        let shared = Shared {
            clock,
            lines: Mutex::default(),
            written: watch::Sender::new(0),
            echo: Box::new(echo),
            redaction: OnceLock::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Masks secrets in every line from now on. Called once, before anything is logged that may hold one.
    pub(crate) fn mask(&self, redaction: Option<Redaction>) {
        if let Some(redaction) = redaction {
            // One host writes into a log.
            let _ = self.shared.redaction.set(redaction);
        }
    }

    /// The part of a `tracing` subscriber that writes here.
    pub fn layer(&self) -> LogLayer {
        LogLayer { book: self.clone() }
    }

    /// The lines kept, oldest first.
    pub fn tail(&self) -> Vec<LogLine> {
        self.lines().kept.iter().cloned().collect()
    }

    /// The lines kept after the first `seen`, and how many were written in all.
    pub(crate) fn after(&self, seen: u64) -> (Vec<LogLine>, u64) {
        let lines = self.lines();
        let new = usize::try_from(lines.total.saturating_sub(seen)).unwrap_or(usize::MAX);
        let skip = lines.kept.len().saturating_sub(new);
        (lines.kept.iter().skip(skip).cloned().collect(), lines.total)
    }

    /// Wakes when lines are written; the value is how many in all.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.shared.written.subscribe()
    }

    fn write(&self, level: Level, target: &str, mut message: String) {
        if let Some(redaction) = self.shared.redaction.get() {
            redaction.mask(&mut message);
        }
        cut(&mut message);
        let at: Timestamp = self.shared.clock.now();
        let line = LogLine {
            at,
            level: level.as_str().to_lowercase(),
            target: target.to_owned(),
            message,
        };
        (self.shared.echo)(&line);
        let total = {
            let mut lines = self.lines();
            if lines.kept.len() == KEPT {
                lines.kept.pop_front();
            }
            lines.kept.push_back(line);
            lines.total += 1;
            lines.total
        };
        self.shared.written.send_replace(total);
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        // Nothing that can panic happens under the lock.
        self.shared.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes events of `tracing` into a [`LogBook`].
pub struct LogLayer {
    book: LogBook,
}

/// Shortens a line that is too long; half a secret would not be recognised, so that it is masked before.
fn cut(line: &mut String) {
    if line.len() > LONGEST {
        line.truncate(line.floor_char_boundary(LONGEST - '…'.len_utf8()));
        line.push('…');
    }
}

/// A span's fields, as every line below it repeats them.
struct SpanFields(String);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for LogLayer {
    fn enabled(&self, meta: &Metadata<'_>, _: Context<'_, S>) -> bool {
        !(meta.target().starts_with(FRAMES) && *meta.level() == Level::TRACE)
    }

    fn on_new_span(&self, attributes: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let mut words = Words::new(*attributes.metadata().level());
            attributes.record(&mut words);
            span.extensions_mut().insert(SpanFields(words.text));
        }
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let mut words = Words::new(*span.metadata().level());
            values.record(&mut words);
            if let Some(fields) = span.extensions_mut().get_mut::<SpanFields>() {
                if !fields.0.is_empty() {
                    fields.0.push(' ');
                }
                fields.0.push_str(&words.text);
            }
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let meta = event.metadata();
        let mut words = Words::new(*meta.level());
        event.record(&mut words);
        let mut line = words.text;
        for span in context.event_scope(event).into_iter().flatten() {
            let extensions = span.extensions();
            let fields = extensions.get::<SpanFields>().map_or("", |f| f.0.as_str());
            // Writing to a String cannot fail.
            let _ = write!(line, " {}{{{fields}}}", span.name());
        }
        self.book.write(*meta.level(), meta.target(), line);
    }
}

/// Puts fields into words.
struct Words {
    level: Level,
    text: String,
}

impl Words {
    const fn new(level: Level) -> Self {
        Self {
            level,
            text: String::new(),
        }
    }

    fn put(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        let name = field.name();
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        // Writing to a String cannot fail.
        let _ = if SECRET.contains(&name) || (TEXT.contains(&name) && self.level < Level::DEBUG) {
            write!(self.text, "{name}=(withheld)")
        } else if name == "message" {
            self.text.write_fmt(value)
        } else {
            write!(self.text, "{name}={value}")
        };
    }
}

impl Visit for Words {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format_args!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_directives::redact::RedactSettings;
    use foldback_wire::Sleep;
    use tracing_subscriber::layer::SubscriberExt as _;

    struct Noon;

    impl Clock for Noon {
        fn now(&self) -> Timestamp {
            Timestamp(12 * 3_600_000)
        }

        fn sleep_until(&self, _: Timestamp) -> Sleep {
            Box::pin(std::future::ready(()))
        }
    }

    /// What is logged while `act` runs.
    fn logged(act: impl FnOnce()) -> (LogBook, Vec<LogLine>) {
        let book = LogBook::new(Arc::new(Noon));
        let subscriber = tracing_subscriber::registry().with(book.layer());
        tracing::subscriber::with_default(subscriber, act);
        let lines = book.tail();
        (book, lines)
    }

    #[test]
    fn a_line_has_words_fields_and_the_spans_around_it() {
        let (_, lines) = logged(|| {
            let turn = tracing::info_span!("turn", turn = 812, session = tracing::field::Empty);
            let _turn = turn.enter();
            turn.record("session", "telegram:alice");
            let _delivery = tracing::info_span!("delivery", op = 3).entered();
            tracing::warn!(target: "foldback_pipeline", attempt = 2, "refused");
        });
        assert_eq!(lines[0].at.to_string(), "1970-01-01T12:00:00.000Z");
        assert_eq!(
            (lines[0].level.as_str(), lines[0].target.as_str()),
            ("warn", "foldback_pipeline")
        );
        assert_eq!(
            lines[0].message,
            "refused attempt=2 delivery{op=3} turn{turn=812 session=telegram:alice}"
        );
    }

    #[test]
    fn a_credential_is_masked_in_every_line_from_then_on() {
        let credentials = [foldback_wire::Secret::new("correct horse battery")];
        let redaction = Redaction::knowing(&RedactSettings::default(), &credentials);
        let (book, _) = logged(|| {});
        book.mask(redaction);
        let subscriber = tracing_subscriber::registry().with(book.layer());
        tracing::subscriber::with_default(subscriber, || {
            let detail = "they refused correct horse battery".to_owned();
            tracing::warn!(detail, "it failed");
        });
        let last = book.tail().pop().unwrap();
        assert_eq!(last.message, "it failed detail=they refused [redacted]");
    }

    #[test]
    fn secrets_are_withheld_at_every_level_and_texts_above_debug() {
        let (_, lines) = logged(|| {
            tracing::info!(token = "1234:abc", text = "I am ill", "sent");
            tracing::debug!(token = "1234:abc", text = "I am ill", "sent");
            let _span = tracing::info_span!("run", api_key = "sk-1", prompt = "I am ill").entered();
            tracing::error!("failed");
        });
        let messages: Vec<_> = lines.iter().map(|l| l.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "sent token=(withheld) text=(withheld)",
                "sent token=(withheld) text=I am ill",
                "failed run{api_key=(withheld) prompt=(withheld)}",
            ]
        );
    }

    #[test]
    fn what_a_socket_sends_is_never_kept() {
        let (_, lines) = logged(|| {
            tracing::trace!(target: "tungstenite::protocol", "Sending frame: {{\"token\": \"1234:abc\"}}");
            tracing::debug!(target: "tungstenite::protocol", "closed");
            tracing::trace!("mine");
        });
        let messages: Vec<_> = lines.iter().map(|l| l.message.as_str()).collect();
        assert_eq!(messages, ["closed", "mine"]);
    }

    #[test]
    fn the_latest_lines_are_kept_and_readers_get_what_is_new() {
        let (book, lines) = logged(|| {
            for n in 0..KEPT + 3 {
                tracing::info!("{n}");
            }
        });
        assert_eq!(lines.len(), KEPT);
        assert_eq!(
            (lines[0].message.as_str(), lines[KEPT - 1].message.as_str()),
            ("3", "2002")
        );
        let (new, total) = book.after(2_001);
        assert_eq!(
            new.iter().map(|l| l.message.as_str()).collect::<Vec<_>>(),
            ["2001", "2002"]
        );
        assert_eq!((total, book.after(total).0.len()), (2_003, 0));
        assert_eq!(book.after(0).0.len(), KEPT, "what is gone is gone");
        assert_eq!(*book.watch().borrow(), 2_003);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let (_, lines) = logged(|| tracing::info!("{}", "é".repeat(LONGEST)));
        assert!(lines[0].message.len() <= LONGEST && lines[0].message.ends_with('…'));
    }
}
