//! Bounds of a chain, and what it says of what it leaves out.

use super::*;
use foldback_wire::DeliveryAccepted;

#[test]
fn data_of_other_turns_has_a_bound_and_that_of_the_turn_asked_for_has_none() {
    let turn = |number: u64, bytes: usize| {
        let journal = played_once();
        let mut turn = chain(journal, 2).turns.remove(1);
        turn.turn = TurnId(number);
        let given = turn.given.as_mut().unwrap();
        given.bytes = bytes as u64;
        given.text = Some("x".repeat(bytes));
        turn
    };
    let mut turns = vec![turn(2, 200 * 1024), turn(3, 200 * 1024), turn(4, 200 * 1024)];
    bound_data(&mut turns, TurnId(4));
    let has: Vec<_> = turns
        .iter()
        .map(|turn| turn.given.as_ref().unwrap().text.is_some())
        .collect();
    assert_eq!(has, [true, false, true]);
}

fn played_once() -> &'static MemoryJournal {
    static PLAYED: std::sync::OnceLock<MemoryJournal> = std::sync::OnceLock::new();
    PLAYED.get_or_init(|| played("json-actions/allowed.yaml"))
}

/// Turns of which each delivers what the one before led to, and that lead on.
fn long_chain(count: u64) -> MemoryJournal {
    let events = wait(played_once().turn(TurnId(2))).unwrap();
    let received = &events[0].kind;
    let due = events.iter().find_map(|event| match &event.kind {
        Kind::DeliveryDue(request) => Some(request.clone()),
        _ => None,
    });
    let due = due.unwrap();
    let journal = MemoryJournal::new();
    for turn in 1..=count {
        let of_turn = |kind| Draft {
            turn: Some(TurnId(turn)),
            ..draft(0, kind)
        };
        let mut request = due.clone();
        request.cause = Some(TurnId(turn - 1)).filter(|cause| cause.0 > 0);
        let accepted = DeliveryAccepted {
            id: format!("actions-{turn}").into(),
            turn: TurnId(turn + 1),
        };
        let kinds = [
            received.clone(),
            Kind::DeliveryDue(request),
            Kind::DeliveryAccepted(accepted),
        ];
        journal.append(kinds.map(of_turn).into()).unwrap();
    }
    wait(journal.flush()).unwrap();
    journal
}

#[test]
fn a_chain_has_so_many_turns_and_says_that_more_are_left_out() {
    let journal = long_chain(40);
    let told = |turn| {
        let chain = chain(&journal, turn);
        let turns: Vec<_> = chain.turns.iter().map(|turn| turn.turn.0).collect();
        (turns, chain.is_cut_before, chain.turns_omitted)
    };
    assert_eq!(told(1), ((1..=12).collect(), false, 1));
    assert_eq!(told(20), ((13..=24).collect(), true, 1));
    assert_eq!(
        told(40),
        ((33..=40).collect(), true, 0),
        "what is not in the journal is no turn"
    );
    assert_eq!(wait(read_action_chain(&journal, TurnId(99))).unwrap(), None);
}
