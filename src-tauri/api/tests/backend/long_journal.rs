//! What a window asks of a journal of 400,000 events, measured in events read.

use crate::{
    counting::Counting,
    host::{Host, pushed},
};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    Draft, Fate, Hold, HoldReason, Inbound, Kind, Range, Span, Terminal, Timestamp, TurnId,
    rpc::{FindNextResult, Frame, Push, Topic, ViewOpened},
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// Turns of the journal, and events of a turn: its message, 38 chunks, its end.
const TURNS: u64 = 10_000;
const OF_A_TURN: u64 = 40;

/// Turns with streamed answers, and deltas of an answer.
const STREAMED: u64 = 560;
const DELTAS: u64 = 300;

/// Turns of which every one failed.
const FAILED: [u64; 3] = [20, 5_000, 9_990];

/// Turns on the screen.
const SCREEN: u64 = 30;

fn in_turn(turn: u64, kind: Kind) -> Draft {
    Draft {
        at: Timestamp(turn as i64 * 1_000),
        turn: Some(TurnId(turn)),
        session: Some("s".into()),
        channel: Some("telegram".into()),
        kind,
    }
}

fn came(turn: u64) -> Draft {
    let message: Inbound = serde_json::from_value(json!({
        "channel": "telegram", "account": null, "chat": "42", "chat_type": "direct", "thread": null,
        "message": turn.to_string(), "reply_to": null,
        "sender": {"id": "42", "name": "ana", "display_name": "Ana", "is_bot": false},
        "text": "hi", "mentioned": true, "files": [], "at": "2026-01-01T00:00:00Z"
    }))
    .unwrap();
    let message = Box::new(message);
    in_turn(turn, Kind::Received { message })
}

fn whole_turn(turn: u64) -> Vec<Draft> {
    let chunk = |n: u64| Kind::Chunk {
        message: 0,
        span: Span::new(n as usize, n as usize + 1),
        text: "a".to_owned(),
        came: None,
    };
    let terminal = if FAILED.contains(&turn) {
        Terminal::Failed {
            detail: "it broke".to_owned(),
        }
    } else {
        Terminal::Replied
    };
    let rest = (0..OF_A_TURN - 2)
        .map(chunk)
        .chain([Kind::TurnEnded { terminal }]);
    [came(turn)]
        .into_iter()
        .chain(rest.map(|kind| in_turn(turn, kind)))
        .collect()
}

/// A turn whose answer a model streamed in deltas of four bytes: each is a chunk and decided at once, but every fifth,
/// which ends in white space, is held until the next one.
fn streamed_turn(turn: u64) -> Vec<Draft> {
    let mut kinds = Vec::new();
    for n in 0..DELTAS {
        let (start, end) = (n as usize * 4, n as usize * 4 + 4);
        let (shown, held) = if n % 5 == 4 { (end - 1, 1) } else { (end, 0) };
        kinds.push(Kind::Chunk {
            message: 0,
            span: Span::new(start, end),
            text: if held == 0 { "abcd" } else { "abc " }.to_owned(),
            came: None,
        });
        if n % 5 == 0 && n > 0 {
            kinds.push(Kind::Released { message: 0 });
        }
        let range = Range {
            span: Span::new(if n % 5 == 0 && n > 0 { start - 1 } else { start }, shown),
            fate: Fate::Show,
            reason: None,
            shown_as: None,
        };
        kinds.push(Kind::Decided { message: 0, range });
        if held > 0 {
            let hold = Hold {
                span: Span::new(shown, end),
                reason: HoldReason::TrailingSpace,
                rule: "G2.white_space".into(),
                because: String::new(),
                releases: String::new(),
            };
            kinds.push(Kind::Held { message: 0, hold });
        }
    }
    kinds.push(Kind::MessageEnded {
        message: 0,
        bytes: DELTAS as usize * 4,
        narration: false,
        decided_by: None,
    });
    let terminal = Terminal::Replied;
    kinds.push(Kind::TurnEnded { terminal });
    let rest = kinds.into_iter().enumerate().map(|(n, kind)| {
        let mut draft = in_turn(turn, kind);
        draft.at = Timestamp(draft.at.0 + n as i64);
        draft
    });
    [came(turn)].into_iter().chain(rest).collect()
}

/// A host whose journal has 400,000 events of turns, and the count of what is read from it.
async fn host() -> (Host, Arc<Counting>) {
    host_with((1..=TURNS).map(whole_turn)).await
}

async fn host_with(turns: impl Iterator<Item = Vec<Draft>>) -> (Host, Arc<Counting>) {
    let journal = MemoryJournal::new();
    for turn in turns {
        journal.append(turn).unwrap();
    }
    let journal = Arc::new(Counting::of(journal));
    let kept = Arc::clone(&journal);
    // On the heap: the future of a start is large.
    let host = Box::pin(Host::start_with(|setup| {
        setup.demo = false;
        setup.journal = Some(kept);
    }))
    .await;
    (host, journal)
}

async fn open(host: &Host, filter: &str, rows: &str) -> Frame {
    let opened: ViewOpened = host
        .call("view_open", json!({"filter": filter, "rows": rows}))
        .await;
    let view = opened.view;
    let window = json!({"view": view, "first": 0, "count": SCREEN, "follow": true});
    host.call::<Value>("view_window", window).await;
    let mut topic = host.subscribe(&Topic::View { view });
    let pushes = pushed(&mut topic, Duration::from_secs(1)).await;
    let mut frames = pushes.into_iter().filter_map(|push| match push {
        Push::Frame { frame } => Some(frame),
        _ => None,
    });
    frames.next_back().unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_list_of_turns_and_the_next_error_read_what_they_show() {
    let (host, journal) = host().await;
    assert!(journal.head().0 >= TURNS * OF_A_TURN);
    let before = journal.read_so_far();
    let list = open(&host, "", "turns").await;
    assert_eq!((list.length, list.total), (TURNS, TURNS));
    assert_eq!(list.turns.len() as u64, SCREEN);
    assert!(!list.scanning);
    let read = journal.read_so_far() - before;
    // The lines on the screen, and for each the starts of processes before it.
    assert!(read as u64 <= SCREEN * (OF_A_TURN + 2), "{read} events");

    let end_of = |turn: u64| turn * OF_A_TURN;
    let everything = open(&host, "", "events").await;
    let before = journal.read_so_far();
    for (seq, back, index) in [
        (1, false, Some(end_of(FAILED[0]) - 1)),
        (end_of(FAILED[0]), false, Some(end_of(FAILED[1]) - 1)),
        (end_of(FAILED[2]), false, None),
        (journal.head().0 + 1, true, Some(end_of(FAILED[2]) - 1)),
        (end_of(FAILED[0]), true, None),
    ] {
        let wish = json!({"view": everything.view, "condition": "is:error", "seq": seq, "back": back});
        let found: FindNextResult = host.call("view_find_next", wish).await;
        assert_eq!(found.index, index, "from {seq}, back: {back}");
    }
    let read = journal.read_so_far() - before;
    assert!(read <= 20, "{read} events for five searches");
}

#[tokio::test(start_paused = true)]
async fn a_line_about_a_streamed_answer_reads_what_it_shows_and_all_lines_are_read_together() {
    let (host, journal) = host_with((1..=STREAMED).map(streamed_turn)).await;
    assert!(journal.head().0 >= 400_000);
    let (read, asked) = (journal.read_so_far(), journal.questions_so_far());
    let list = open(&host, "", "turns").await;
    assert_eq!((list.length, list.total), (STREAMED, STREAMED));
    assert_eq!(list.turns.len() as u64, SCREEN);
    let line = list.turns.last().unwrap();
    assert_eq!(line.answer.chars().count(), 200, "{}", line.answer);
    assert!(line.longest_hold.is_some() && !line.strokes.is_empty());
    let (read, asked) = (journal.read_so_far() - read, journal.questions_so_far() - asked);
    // 200 characters are 50 deltas, each of which was told and decided.
    assert!(read as u64 <= SCREEN * 150, "{read} events");
    // The outlines, and the starts of processes before them.
    assert!(asked <= 2, "{asked} questions");
}

#[tokio::test(start_paused = true)]
async fn a_search_asks_for_a_condition_and_a_view_of_events() {
    let host = Host::after_demo().await;
    let list = open(&host, "", "turns").await;
    let wish = json!({"view": list.view, "condition": "is:error", "seq": 1, "back": false});
    assert_eq!(host.failure("view_find_next", wish).await.0, "bad_arguments");
    let events = open(&host, "channel:discord", "events").await;
    let wish = json!({"view": events.view, "condition": "iss:error", "seq": 1, "back": false});
    assert_eq!(host.failure("view_find_next", wish).await.0, "bad_filter");
    // The row is one of the view, not of the journal.
    let wish = json!({"view": events.view, "condition": "kind:turn_ended", "seq": 0, "back": false});
    let found: FindNextResult = host.call("view_find_next", wish).await;
    let window = json!({"view": events.view, "first": found.index.unwrap(), "count": 1, "follow": false});
    host.call::<Value>("view_window", window).await;
    let mut topic = host.subscribe(&Topic::View { view: events.view });
    let Some(Push::Frame { frame }) = topic.next().await else {
        panic!("no frame")
    };
    assert_eq!(frame.rows[0].kind, "turn_ended");
    assert_eq!(frame.rows[0].channel.as_ref().unwrap().as_str(), "discord");
}
