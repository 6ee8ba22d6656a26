//! What is kept of a session, and what goes.

use super::*;
use crate::HistoryEntry;

fn exchange(prompt: &str) -> Exchange {
    Exchange {
        run: None,
        prompt: prompt.to_owned(),
        reply: String::new(),
    }
}

fn remember(history: &mut SessionMemory, session: &str, prompt: &str) {
    count(history, session, prompt, None);
}

fn count(history: &mut SessionMemory, session: &str, prompt: &str, usage: Option<Usage>) {
    let (begun, _) = history.begin(&session.into());
    history.remember(&session.into(), begun, exchange(prompt), usage);
}

fn prompts(history: &mut SessionMemory, session: &str) -> Vec<String> {
    let (_, known) = history.begin(&session.into());
    known
        .exchanges
        .into_iter()
        .map(|exchange| exchange.prompt)
        .collect()
}

const fn used(input: u64, output: u64) -> Usage {
    Usage { input, output }
}

#[test]
fn keeps_the_latest_within_its_bounds() {
    let mut history = SessionMemory::new(HistoryLimits {
        exchanges: 2,
        bytes: 10,
        sessions: 2,
        ..HistoryLimits::default()
    });
    for prompt in ["one", "two", "three"] {
        remember(&mut history, "a", prompt);
    }
    assert_eq!(prompts(&mut history, "a"), ["two", "three"], "by count");
    remember(&mut history, "a", "seven..");
    assert_eq!(prompts(&mut history, "a"), ["seven.."], "by bytes");
    remember(&mut history, "a", "more than ten");
    assert_eq!(prompts(&mut history, "a"), [""; 0], "no hole in the middle");
}

#[test]
fn forgets_on_demand_and_the_idle_first() {
    let mut history = SessionMemory::new(HistoryLimits {
        sessions: 2,
        ..HistoryLimits::default()
    });
    for session in ["a", "b", "a", "c"] {
        remember(&mut history, session, session);
    }
    assert_eq!(prompts(&mut history, "a"), ["a", "a"]);
    assert_eq!(prompts(&mut history, "c"), ["c"]);
    assert_eq!(prompts(&mut history, "b"), [""; 0], "the idle one made room");
    history.forget(&"c".into());
    assert_eq!(prompts(&mut history, "c"), [""; 0]);
}

#[test]
fn what_is_forgotten_stays_so_whatever_ran_then() {
    let mut history = SessionMemory::new(HistoryLimits::default());
    remember(&mut history, "a", "one");
    let (before, known) = history.begin(&"a".into());
    assert_eq!(known.exchanges.len(), 1);
    history.forget(&"a".into());
    history.remember(&"a".into(), before, exchange("asked before"), None);
    let (after, known) = history.begin(&"a".into());
    assert_eq!(known, Remembered::default());
    history.remember(&"a".into(), before, exchange("asked before"), None);
    history.remember(&"a".into(), after, exchange("asked after"), None);
    assert_eq!(prompts(&mut history, "a"), ["asked after"]);
}

#[test]
fn tokens_are_the_backends_where_it_counts_and_estimated_behind_that() {
    let mut history = SessionMemory::new(HistoryLimits::of_context(100));
    remember(&mut history, "a", "12345678");
    let size = history.size(&"a".into());
    assert_eq!((size.tokens, size.counted, size.limit), (2, false, 100));
    count(&mut history, "a", "12345678", Some(used(60, 20)));
    assert_eq!(
        history.size(&"a".into()).tokens,
        80,
        "the system prompt counts too"
    );
    remember(&mut history, "a", "12345678");
    assert_eq!(history.size(&"a".into()).tokens, 82);
    count(&mut history, "a", "x", Some(used(0, 0)));
    assert_eq!(history.size(&"a".into()).tokens, 83, "nothing was counted");
    count(&mut history, "a", "y", Some(used(98, 3)));
    let size = history.size(&"a".into());
    assert_eq!((size.exchanges, size.tokens), (4, 99), "the oldest went");
}

fn long_conversation() -> SessionMemory {
    let mut history = SessionMemory::new(HistoryLimits::of_context(1000));
    for prompt in ["one", "two", "three", "four"] {
        remember(&mut history, "a", prompt);
    }
    history
}

#[test]
fn a_summary_takes_the_place_of_the_oldest_and_what_came_meanwhile_stays() {
    let mut history = long_conversation();
    let plan = history.plan(&"a".into(), 2).expect("something to summarise");
    assert_eq!(plan.old.exchanges, [exchange("one"), exchange("two")]);
    remember(&mut history, "a", "five");
    let done = history
        .compact(&"a".into(), &plan, "in short".to_owned())
        .expect("it is the same conversation");
    assert_eq!((done.summarised, done.kept), (2, 3));
    assert_eq!((done.tokens_before, done.tokens_after), (5, 6));
    let (_, known) = history.begin(&"a".into());
    assert_eq!(known.summary.as_deref(), Some("in short"));
    assert_eq!(prompts(&mut history, "a"), ["three", "four", "five"]);
    assert!(history.size(&"a".into()).summarised);
    assert_eq!(history.plan(&"a".into(), 4), None, "all of it stays");
    let again = history.plan(&"a".into(), 1).expect("something to summarise");
    assert_eq!(
        again.old.summary.as_deref(),
        Some("in short"),
        "a summary goes into the next one"
    );
}

#[test]
fn a_summary_of_another_conversation_changes_nothing() {
    let mut history = long_conversation();
    let plan = history.plan(&"a".into(), 2).expect("something to summarise");
    assert!(history.compact(&"a".into(), &plan, "first".to_owned()).is_some());
    assert_eq!(history.compact(&"a".into(), &plan, "second".to_owned()), None);
    history.forget(&"a".into());
    for prompt in ["one", "two", "three", "four"] {
        remember(&mut history, "a", prompt);
    }
    assert_eq!(
        history.compact(&"a".into(), &plan, "late".to_owned()),
        None,
        "it was forgotten"
    );
    assert_eq!(prompts(&mut history, "a").len(), 4);
}

#[test]
fn a_conversation_is_restored_where_nothing_is_known_of_it() {
    let told = |prompts: &[&str]| History {
        summary: Some("before".to_owned()),
        entries: prompts
            .iter()
            .flat_map(|text| {
                let text = (*text).to_owned();
                [HistoryEntry::User(text.clone()), HistoryEntry::Assistant(text)]
            })
            .collect(),
    };
    let mut history = SessionMemory::new(HistoryLimits::of_context(10));
    assert!(history.restore(&"a".into(), &told(&["12345678", "abcdefgh", "x"])));
    assert_eq!(prompts(&mut history, "a"), ["abcdefgh", "x"], "within the tokens");
    let (_, known) = history.begin(&"a".into());
    assert_eq!(known.summary.as_deref(), Some("before"));
    assert!(!history.restore(&"a".into(), &told(&["other"])), "it is known");
    assert_eq!(prompts(&mut history, "a"), ["abcdefgh", "x"]);
}

#[test]
fn a_turn_is_told_again_as_it_was_delivered_in_the_place_of_what_its_run_left() {
    let id: SessionId = "a".into();
    let mut history = SessionMemory::new(HistoryLimits::default());
    let run = |history: &mut SessionMemory, run: u64, reply: &str| {
        let (begun, _) = history.begin(&id);
        let run = RunId(run);
        if reply.is_empty() {
            return history.note_unanswered(&id, begun, run);
        }
        let exchange = Exchange {
            run: Some(run),
            prompt: "asked".to_owned(),
            reply: reply.to_owned(),
        };
        history.remember(&id, begun, exchange, None);
    };
    let told = |answer: &str| {
        [
            HistoryEntry::User("asked".to_owned()),
            HistoryEntry::Note(answer.to_owned()),
        ]
    };
    let replies = |history: &mut SessionMemory| -> Vec<String> {
        let (_, known) = history.begin(&id);
        known
            .exchanges
            .into_iter()
            .map(|exchange| exchange.reply)
            .collect()
    };
    run(&mut history, 1, "<no-reply/>");
    run(&mut history, 2, "Two.");
    run(&mut history, 3, "");
    assert_eq!(
        replies(&mut history),
        ["<no-reply/>", "Two."],
        "a run without a word is told with its turn"
    );
    history.retell(&id, RunId(1), &told("nothing was sent"));
    history.retell(&id, RunId(3), &told("this turn failed"));
    history.retell(&id, RunId(3), &told("this turn failed late"));
    history.retell(&id, RunId(7), &told("of another conversation"));
    assert_eq!(
        replies(&mut history),
        ["[nothing was sent]", "Two.", "[this turn failed late]"]
    );
    let bytes = history.sessions[&id].bytes;
    let kept = &history.sessions[&id].exchanges;
    assert_eq!(bytes, kept.iter().map(Exchange::bytes).sum::<usize>());
    history.forget(&id);
    history.retell(&id, RunId(2), &told("late"));
    assert_eq!(
        replies(&mut history),
        [""; 0],
        "what is forgotten stays forgotten"
    );
}
