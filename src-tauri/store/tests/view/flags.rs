//! Rows that are marked by what happened around them, and views of these marks.

use crate::large::{EVENTS, draft, journals, memory, seqs, sqlite, told, up_to_date, view};
use foldback_wire::{Actor, ChannelId, Draft, Kind, Terminal, TurnId, rpc::RowFlag};

#[tokio::test]
async fn a_row_knows_whether_its_channel_was_armed_then() {
    let armed = |armed| Draft {
        kind: Kind::Armed {
            armed,
            by: Actor::Console,
        },
        ..draft(10)
    };
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        journal
            .append(vec![
                draft(10),
                armed(true),
                draft(10),
                draft(11),
                armed(false),
                draft(10),
                armed(true),
                Draft {
                    kind: Kind::Started {
                        version: String::new(),
                        replayed: false,
                    },
                    channel: None,
                    ..draft(10)
                },
                draft(10),
            ])
            .unwrap();
        journal.flush().await.unwrap();
        let (all, live) = (view(&journal, ""), view(&journal, "is:live"));
        up_to_date(&live).await;
        let flags = |row: &foldback_wire::rpc::EventRow| row.flags.contains(&RowFlag::Live);
        let rows = all.rows(0, 9).await.unwrap();
        assert_eq!(
            rows.iter().map(flags).collect::<Vec<_>>(),
            [false, true, true, false, false, false, true, false, false],
            "a new process is not armed until it says so"
        );
        assert_eq!(seqs(&live, 0, 9).await, [2, 3, 7]);
        assert_eq!(rows[0].channel, Some(ChannelId::new("telegram")));
    }
}

#[tokio::test]
async fn that_a_person_stopped_a_turn_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(&folder).await {
        let of = |turn, kind| Draft {
            turn: Some(TurnId(turn)),
            kind,
            ..draft(turn)
        };
        let failed = || Kind::TurnEnded {
            terminal: Terminal::Failed {
                detail: "it was cancelled".into(),
            },
        };
        let stopped = Kind::RunCancelled {
            by: Actor::Console,
            interrupted_by: None,
        };
        let told = vec![of(1, stopped), of(1, failed()), of(2, failed())];
        journal.append(told).unwrap();
        journal.flush().await.unwrap();
        let errors = view(&journal, "is:error");
        up_to_date(&errors).await;
        assert_eq!(seqs(&errors, 0, 9).await, [3]);
        let all = view(&journal, "").rows(0, 9).await.unwrap();
        let marked: Vec<_> = all
            .iter()
            .map(|row| row.flags.contains(&RowFlag::Error))
            .collect();
        assert_eq!(marked, [false, false, true]);
    }
}

#[tokio::test]
async fn the_errors_are_found_without_reading_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    for journal in [memory(), sqlite(&folder).await] {
        let failed = Kind::TurnEnded {
            terminal: Terminal::Failed {
                detail: "it broke".into(),
            },
        };
        told(
            &journal,
            vec![Draft {
                kind: failed,
                ..draft(1)
            }],
        )
        .await;
        for filter in [
            "is:error",
            "(channel:discord or channel:telegram) is:error",
            "broke is:error",
        ] {
            let errors = view(&journal, filter);
            let steps = up_to_date(&errors).await;
            assert_eq!(seqs(&errors, 0, 9).await, [EVENTS + 1], "{filter}");
            assert_eq!((errors.work().examined, steps), (1, 1), "{filter}");
        }
    }
}
