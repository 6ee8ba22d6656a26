//! Views of the reasons of holds, which columns answer: the depth Decisions of a long journal is there at once.

use crate::large::{EVENTS, draft, filled, journals, seqs, told, up_to_date, view};
use foldback_store::Work;
use foldback_wire::{Draft, Hold, HoldReason, Kind, OpId, Span, TurnId};

/// The filter of the depth that leaves out what only says that nothing happened.
const DECISIONS: &str = "-kind:idle,passed -reason:trailing_space";

fn kind(n: u64, kind: Kind) -> Draft {
    Draft { kind, ..draft(n) }
}

fn held(n: u64, reason: HoldReason, end: usize) -> Draft {
    let hold = Hold {
        span: Span::new(0, end),
        reason,
        rule: "G2".into(),
        because: String::new(),
        releases: String::new(),
    };
    kind(n, Kind::Held { message: 0, hold })
}

fn waiting(n: u64, reason: HoldReason) -> Draft {
    let op = Some(OpId(1));
    kind(
        n,
        Kind::Waiting {
            op,
            reason,
            until: None,
        },
    )
}

/// Ten events of one turn: of them 1, 2, 3 and 9 wait for white space, or let it go.
fn holds() -> Vec<Draft> {
    use HoldReason::{EditInterval, OpenBlock, TrailingSpace};
    let release = |n| kind(n, Kind::Released { message: 0 });
    vec![
        held(1, TrailingSpace, 1),
        held(2, TrailingSpace, 2),
        release(3),
        held(4, OpenBlock, 1),
        held(5, OpenBlock, 2),
        release(6),
        waiting(7, EditInterval),
        kind(8, Kind::Idle),
        // It has no end.
        held(9, TrailingSpace, 1),
        draft(10),
    ]
    .into_iter()
    .map(|draft| Draft {
        turn: Some(TurnId(1)),
        ..draft
    })
    .collect()
}

#[tokio::test]
async fn the_decisions_are_found_without_reading_an_event() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        told(&journal, holds()).await;
        filled(journal.as_ref(), 11..=EVENTS);
        journal.flush().await.unwrap();
        for (filter, first, length) in [
            (DECISIONS, vec![4, 5, 6, 7, 10, 11], EVENTS - 5),
            ("-reason:trailing_space", vec![4, 5, 6, 7, 8, 10], EVENTS - 4),
            ("reason:trailing_space", vec![1, 2, 3, 9], 4),
            ("reason:open_block,edit_interval", vec![4, 5, 6, 7], 4),
            ("reason:open_block or reason:edit_interval", vec![4, 5, 6, 7], 4),
            ("reason:open_block -reason:open_block", vec![], 0),
            ("kind:released reason:open_block", vec![6], 1),
            // Whatever has both reasons, which is nothing, is left out.
            (
                "-reason:open_block or -reason:trailing_space",
                vec![1, 2, 3, 4, 5, 6],
                EVENTS,
            ),
        ] {
            let view = view(&journal, filter);
            let steps = up_to_date(&view).await;
            let found = seqs(&view, 0, 6).await;
            assert_eq!((found, view.len()), (first, length), "{filter}");
            let Work { examined, .. } = view.work();
            assert_eq!(examined, 0, "{filter}");
            assert!(steps <= 2, "{steps} steps for {filter}");
        }
    }
}

#[tokio::test]
async fn a_view_of_reasons_follows_what_is_appended() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        let (decisions, blocks) = (view(&journal, DECISIONS), view(&journal, "reason:open_block"));
        for view in [&decisions, &blocks] {
            up_to_date(view).await;
        }
        for draft in holds() {
            told(&journal, vec![draft]).await;
            for view in [&decisions, &blocks] {
                up_to_date(view).await;
            }
        }
        assert_eq!(seqs(&decisions, 0, 20).await, [4, 5, 6, 7, 10]);
        assert_eq!(seqs(&blocks, 0, 20).await, [4, 5, 6]);
    }
}
