use super::*;
use std::cell::Cell;

/// Up to so many wait, one by one; the oldest goes for the next where it says so.
struct UpTo(usize, Option<bool>);

impl QueuePolicy<u32> for UpTo {
    fn admit(&self, waiting: &VecDeque<u32>, _: &u32) -> Admission {
        let is_full = waiting.len() >= self.0;
        match self.1 {
            None if is_full => Admission::Full,
            set_aside => Admission::Wait {
                place: usize::MAX,
                gone: if is_full { vec![0] } else { Vec::new() },
                set_aside: set_aside.unwrap_or_default(),
            },
        }
    }

    fn batch(&self, _: &VecDeque<u32>) -> usize {
        1
    }

    /// Odd ones and even ones are strangers.
    fn may_tell(&self, lead: &u32, other: &u32) -> bool {
        lead % 2 == other % 2
    }
}

/// Enters a turn; its wait, or none where it runs or is stopped.
fn enter_up_to(
    all: &Conversations<u32>,
    session: &SessionId,
    turn: u32,
    policy: &UpTo,
) -> (QueueEntry<u32>, Option<TurnWait>) {
    let told = Cell::new(None);
    let waits = |_: &u32, wait| told.set(Some(wait));
    let entry = all.enter_turn(session, turn, false, policy, waits, |_, _| {});
    (entry, told.get())
}

fn waits(wait: TurnWait) -> (QueueEntry<u32>, Option<TurnWait>) {
    (QueueEntry::Waits(Vec::new()), Some(wait))
}

fn runs(turn: u32) -> (QueueEntry<u32>, Option<TurnWait>) {
    (QueueEntry::Run(turn), None)
}

fn only(batch: Option<Batch<u32>>) -> Option<u32> {
    let Batch { turns, set_aside } = batch?;
    assert!(
        turns.len() == 1 && set_aside.is_empty(),
        "{turns:?} {set_aside:?}"
    );
    turns.first().copied()
}

fn next(all: &Conversations<u32>, session: &SessionId) -> Option<u32> {
    let waits = |turn: &u32, wait| panic!("{turn} waits: {wait:?}");
    only(all.next_turn(session, &UpTo(9, None), waits))
}

fn freed(all: &Conversations<u32>) -> Option<u32> {
    only(all.end_run(&UpTo(9, None)))
}

#[test]
fn those_that_go_are_dropped_or_told_of_to_a_later_turn_that_may_know() {
    let all = Conversations::with_runs(9);
    let a = SessionId::new("a");
    let enter = |turn, aside| enter_up_to(&all, &a, turn, &UpTo(2, Some(aside))).0;
    assert_eq!(enter(1, true), QueueEntry::Run(1));
    for turn in 2..=6 {
        assert_eq!(enter(turn, true), QueueEntry::Waits(Vec::new()));
    }
    assert_eq!(all.waiting(&a, |turn| *turn), [5, 6]);
    assert_eq!(enter(7, false), QueueEntry::Waits(vec![5]));
    let batch = |lead: u32, told: &[u32]| {
        Some(Batch {
            turns: vec![lead],
            set_aside: told.to_vec(),
        })
    };
    let next = || all.next_turn(&a, &UpTo(9, None), |_, _| {});
    assert_eq!(next(), batch(6, &[2, 4]));
    assert_eq!(next(), batch(7, &[3]));
    assert_eq!(next(), None);
}

#[test]
fn those_that_nobody_came_to_be_told_of_run_themselves() {
    let all = Conversations::with_runs(9);
    let a = SessionId::new("a");
    for turn in 1..=3 {
        enter_up_to(&all, &a, turn, &UpTo(1, Some(true)));
    }
    assert_eq!(next(&all, &a), Some(3));
    assert_eq!(next(&all, &a), Some(2));
    assert_eq!(next(&all, &a), None);
}

#[test]
fn too_many_that_only_wait_to_be_told_of_are_dropped() {
    let all = Conversations::with_runs(9);
    let a = SessionId::new("a");
    let mut dropped = Vec::new();
    for turn in 0..=u32::try_from(MOST_SET_ASIDE).unwrap() + 3 {
        if let QueueEntry::Waits(gone) = enter_up_to(&all, &a, turn, &UpTo(1, Some(true))).0 {
            dropped.extend(gone);
        }
    }
    assert_eq!(dropped, [1, 2]);
}

#[test]
fn first_in_first_out_up_to_the_cap_and_conversations_apart() {
    let all = Conversations::with_runs(9);
    let (a, b) = (SessionId::new("a"), SessionId::new("b"));
    let enter = |session, turn| enter_up_to(&all, session, turn, &UpTo(2, None));
    assert_eq!(enter(&a, 1), runs(1));
    assert_eq!(enter(&a, 2), waits(TurnWait::Conversation(1)));
    assert_eq!(enter(&a, 3), waits(TurnWait::Conversation(2)));
    assert_eq!(enter(&a, 4), (QueueEntry::Full(4), None));
    assert_eq!(enter(&b, 5), runs(5));
    assert_eq!(next(&all, &a), Some(2));
    assert_eq!(next(&all, &a), Some(3));
    assert_eq!(next(&all, &a), None);
    assert_eq!(enter(&a, 6), runs(6));
    assert_eq!(next(&all, &b), None);
}

#[test]
fn no_more_run_at_once_than_may_and_who_has_waited_longest_is_the_next() {
    let all = Conversations::with_runs(1);
    let [a, b, c] = ["a", "b", "c"].map(SessionId::new);
    let enter = |session, turn| enter_up_to(&all, session, turn, &UpTo(9, None));
    let for_run = |place| TurnWait::Run { place, runs: 1 };
    assert_eq!(enter(&a, 1), runs(1));
    assert_eq!(enter(&a, 2), waits(TurnWait::Conversation(1)));
    assert_eq!(enter(&b, 3), waits(for_run(1)));
    assert_eq!(enter(&c, 4), waits(for_run(2)));
    // The run is over; its turn goes on until its answer has arrived.
    assert_eq!(freed(&all), Some(3));
    let mut told = None;
    let note = |turn: &u32, wait| told = Some((*turn, wait));
    assert_eq!(all.next_turn(&a, &UpTo(9, None), note), None);
    assert_eq!(told, Some((2, for_run(2))));
    assert_eq!(enter(&a, 5), waits(TurnWait::Conversation(2)));
    // A turn that waits for a run can be dropped like any other.
    assert_eq!(all.take_waiting_of(&c, |_| true), [4]);
    assert_eq!(freed(&all), Some(2));
    assert_eq!(next(&all, &b), None);
    assert_eq!(freed(&all), None);
    assert_eq!(next(&all, &a), Some(5));
    assert_eq!(next(&all, &a), None);
    assert_eq!(freed(&all), None);
    assert_eq!(enter(&c, 6), runs(6));
}

#[test]
fn a_conversation_that_an_earlier_process_left_a_turn_in_keeps_others_waiting() {
    let all = Conversations::with_runs(9);
    let a = SessionId::new("a");
    assert!(all.occupy(&a));
    assert!(!all.occupy(&a));
    let entry = enter_up_to(&all, &a, 1, &UpTo(9, None));
    assert_eq!(entry, waits(TurnWait::Conversation(1)));
    assert_eq!(next(&all, &a), Some(1));
    assert_eq!(next(&all, &a), None);
    assert!(all.occupy(&a));
}

#[test]
fn what_waits_can_be_looked_at_and_dropped_and_what_runs_goes_on() {
    let all = Conversations::with_runs(9);
    let a = SessionId::new("a");
    for turn in 1..=3 {
        enter_up_to(&all, &a, turn, &UpTo(9, None));
    }
    assert_eq!(all.waiting(&a, |turn| *turn), [2, 3]);
    assert_eq!(all.take_waiting_of(&a, |turn| *turn == 2), [2]);
    assert_eq!(all.waiting(&a, |turn| *turn), [3]);
    assert_eq!(all.take_waiting_of(&a, |_| true), [3]);
    let entry = enter_up_to(&all, &a, 4, &UpTo(9, None));
    assert_eq!(entry, waits(TurnWait::Conversation(1)));
    assert_eq!(next(&all, &a), Some(4));
    assert!(all.take_waiting_of(&"b".into(), |_| true).is_empty());
}
