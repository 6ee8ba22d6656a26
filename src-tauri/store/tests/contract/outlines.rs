//! Outlines of turns: what a line about each of them tells, and no more.

use crate::{
    House,
    words::{came, made, read, said_in},
};
use foldback_store::{Journal, OutlinedHold, TurnOutline};
use foldback_wire::{Draft, Event, Fate, Hold, HoldReason, Kind, Range, Span, Terminal, Timestamp, TurnId};

const TURN: TurnId = TurnId(7);

/// Events of a turn, ten milliseconds from each other.
#[derive(Default)]
struct Story {
    drafts: Vec<Draft>,
}

impl Story {
    fn add(&mut self, draft: Draft) -> &mut Self {
        let at = Timestamp(self.drafts.len() as i64 * 10);
        self.drafts.push(Draft { at, ..draft });
        self
    }

    fn kind(&mut self, kind: Kind) -> &mut Self {
        let draft = said_in(TURN.0, "");
        self.add(Draft { kind, ..draft })
    }

    fn held(&mut self, end: usize) -> &mut Self {
        let hold = Hold {
            span: Span::new(0, end),
            reason: HoldReason::OpenBlock,
            rule: "G3".into(),
            because: String::new(),
            releases: String::new(),
        };
        self.kind(Kind::Held { message: 0, hold })
    }

    fn thought(&mut self, text: &str) -> &mut Self {
        self.kind(Kind::Reasoning { text: text.into() })
    }

    /// A chunk of one byte, which is shown.
    fn text(&mut self, at: usize) -> &mut Self {
        let span = Span::new(at, at + 1);
        let range = Range {
            span,
            fate: Fate::Show,
            reason: None,
            shown_as: None,
        };
        let text = "a".to_owned();
        self.kind(Kind::Chunk {
            message: 0,
            span,
            text,
            came: None,
        })
        .kind(Kind::Decided { message: 0, range })
    }

    fn end(&mut self) -> &mut Self {
        let terminal = Terminal::Replied;
        self.kind(Kind::TurnEnded { terminal })
    }
}

fn kinds(events: &[Event]) -> Vec<String> {
    let code = |event: &Event| {
        serde_json::to_value(&event.kind).unwrap()["type"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    events.iter().map(code).collect()
}

async fn outlines(journal: &dyn Journal, turns: &[u64], texts: usize) -> Vec<TurnOutline> {
    let turns = turns.iter().copied().map(TurnId).collect();
    journal.outlines(&turns, texts).await.unwrap()
}

pub(crate) async fn an_outline_has_what_a_line_tells_and_leaves_the_rest_out(mut house: impl House) {
    let journal = house.enter().await;
    let mut story = Story::default();
    story
        .add(came(7, "42", "m1"))
        .add(said_in(7, "left out"))
        .thought("the first of a thought")
        .thought("goes on")
        .thought("and on")
        .text(0)
        .held(1)
        .held(2)
        .text(1)
        .kind(Kind::Released { message: 0 })
        .thought("another thought")
        .thought("goes on")
        .text(2)
        .text(3)
        .add(made(7, 1, Some("m2")))
        .end()
        .add(made(8, 2, None))
        .add(read(7, 1, "m2"));
    journal.append(story.drafts.clone()).unwrap();
    journal.flush().await.unwrap();

    let all = outlines(journal.as_ref(), &[7, 8, 9], 100).await;
    let [outline] = &all[..] else { panic!("{all:?}") };
    assert_eq!(outline.turn, TURN);
    assert_eq!(
        kinds(&outline.events),
        [
            "received",
            "reasoning",
            "chunk",
            "decided",
            "chunk",
            "decided",
            "reasoning",
            "chunk",
            "decided",
            "chunk",
            "decided",
            "ended",
            "turn_ended"
        ]
    );
    let hold = OutlinedHold {
        from: Timestamp(70),
        ms: 40,
        reason: HoldReason::OpenBlock,
    };
    assert_eq!(outline.holds, [hold], "one that grew is one");
    // What is heard of afterwards did not make the turn last.
    assert_eq!(outline.last, Timestamp(190));
    assert!(!outline.has_more_text);

    // Two events of the text, and the chunk behind them that ended a thought.
    let few = outlines(journal.as_ref(), &[7], 2).await;
    assert_eq!(
        kinds(&few[0].events),
        [
            "received",
            "reasoning",
            "chunk",
            "decided",
            "reasoning",
            "chunk",
            "ended",
            "turn_ended"
        ]
    );
    assert!(few[0].has_more_text);
    assert_eq!((&few[0].holds, few[0].last), (&outline.holds, outline.last));
}

pub(crate) async fn a_turn_of_which_an_outline_would_not_tell_all_has_none(mut house: impl House) {
    let journal = house.enter().await;
    let running = {
        let mut story = Story::default();
        story.add(came(7, "42", "m1")).text(0);
        story.drafts
    };
    journal.append(running).unwrap();
    journal.flush().await.unwrap();
    assert!(
        outlines(journal.as_ref(), &[7], 9).await.is_empty(),
        "it has not ended"
    );
    let mut rest = Story::default();
    rest.held(1).end();
    journal.append(rest.drafts).unwrap();
    journal.flush().await.unwrap();
    assert!(
        outlines(journal.as_ref(), &[7], 9).await.is_empty(),
        "its hold has no end"
    );
    let mut older = Story::default();
    older.end();
    let end = older.drafts.into_iter().map(|draft| Draft {
        turn: Some(TurnId(8)),
        ..draft
    });
    let begun_before = [said_in(8, "older"), came(8, "42", "m3")].into_iter().chain(end);
    journal.append(begun_before.collect()).unwrap();
    journal.flush().await.unwrap();
    let none = outlines(journal.as_ref(), &[8], 9).await;
    assert!(none.is_empty(), "its first event is none that an outline has");
    assert!(outlines(journal.as_ref(), &[], 9).await.is_empty());
}
