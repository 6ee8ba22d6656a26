//! What the killed processes were told, and whether the journal agrees.

use foldback_store::{Journal, SqliteJournal};
use foldback_wire::{Kind, Seq};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Everything that was ever confirmed, and the journal as it was seen last.
#[derive(Default)]
pub(crate) struct Told {
    /// Texts by place.
    durable: BTreeMap<u64, String>,
    /// What was confirmed of operations, such as `attempt 5`.
    confirmed: BTreeSet<String>,
    seen: Vec<String>,
    left: usize,
}

impl Told {
    /// A line of the process: `durable PLACE TEXT.` or `intended OP.`
    pub(crate) fn hear(&mut self, line: &str) {
        let line = line.strip_suffix('.').unwrap();
        let (what, rest) = line.split_once(' ').unwrap();
        if what == "durable" {
            let (place, text) = rest.split_once(' ').unwrap();
            self.durable.insert(place.parse().unwrap(), text.to_owned());
        } else {
            let event = match what {
                "intended" => "intend",
                "attempted" => "attempt",
                "retried" => "retry",
                "settled" => "settle",
                other => panic!("{other}?"),
            };
            self.confirmed.insert(format!("{event} {rest}"));
        }
    }

    /// Compares, and closes the journal.
    pub(crate) async fn check(&mut self, journal: &SqliteJournal) {
        let events = journal.read(Seq(1), usize::MAX).await.unwrap();
        assert!(
            events.iter().map(|event| event.seq.0).eq(1..=journal.head().0),
            "the numbering has a hole"
        );
        let texts: Vec<_> = events.into_iter().map(|event| text(event.kind)).collect();
        assert!(texts.starts_with(&self.seen), "what was there has changed");
        for (place, text) in &self.durable {
            assert_eq!(
                texts.get(*place as usize - 1),
                Some(text),
                "place {place} was confirmed"
            );
        }
        let there: BTreeSet<_> = texts.iter().map(String::as_str).collect();
        assert_eq!(there.len(), texts.len(), "something was written twice");
        for confirmed in &self.confirmed {
            assert!(
                there.contains(confirmed.as_str()),
                "`{confirmed}` was confirmed and is missing"
            );
        }

        // The outbox follows from the events: both were written together or not at all.
        let mut expected: BTreeMap<u64, bool> = BTreeMap::new();
        let mut last = 0;
        for text in &texts {
            let Some((what, op)) = text.split_once(' ') else {
                continue;
            };
            let Ok(op) = op.parse::<u64>() else { continue };
            last = last.max(op);
            match what {
                "intend" | "retry" => expected.insert(op, false),
                "attempt" => expected.insert(op, true),
                _ => expected.remove(&op),
            };
        }
        let outbox = journal.outbox().await.unwrap();
        let outbox: BTreeMap<_, _> = outbox.iter().map(|entry| (entry.op.0, entry.in_flight)).collect();
        assert_eq!(outbox, expected);
        assert!(
            journal.reserve().await.unwrap().op > last,
            "a number would be given out twice"
        );

        self.left = outbox.len();
        self.seen = texts;
        journal.close().await.unwrap();
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let confirmed = self.confirmed.len() + self.durable.len();
        let (events, left) = (self.seen.len(), self.left);
        write!(
            f,
            "{events} events, all {confirmed} confirmations kept, {left} operations left in the outbox"
        )
    }
}

fn text(kind: Kind) -> String {
    match kind {
        Kind::Warned { detail } => detail,
        other => panic!("{other:?}"),
    }
}
