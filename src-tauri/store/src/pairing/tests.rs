//! The book, read as its specification.

use super::*;
use crate::MemoryJournal;
use foldback_wire::Draft;
use std::sync::atomic::{AtomicU64, Ordering};

const MINUTE: i64 = 60_000;

struct Counter(AtomicU64);

impl Rng for Counter {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

fn slack() -> ChannelId {
    "slack".into()
}

/// Asks and answers the code.
fn ask(book: &mut PairingBook, sender: &str, minute: i64) -> String {
    let now = Timestamp(minute * MINUTE);
    let kind = book.request(
        &slack(),
        &sender.into(),
        "Somebody",
        now,
        &Counter(AtomicU64::new(0)),
    );
    book.fold_kind(now, Some(TurnId(1)), &slack(), &kind);
    let Kind::Pairing { code, .. } = kind else {
        panic!("{kind:?}")
    };
    code.unwrap()
}

fn standing(book: &PairingBook, sender: &str, minute: i64) -> Standing {
    book.standing(&slack(), &sender.into(), Timestamp(minute * MINUTE))
}

fn decide(book: &mut PairingBook, code: &str, approve: bool, minute: i64) -> Result<(), PairingError> {
    let now = Timestamp(minute * MINUTE);
    let (channel, kind) = book.decide(code, approve, Actor::Cli, now)?;
    book.fold_kind(now, None, &channel, &kind);
    Ok(())
}

#[test]
fn a_code_has_eight_signs_that_nobody_mixes_up_and_each_has_their_own() {
    let mut book = PairingBook::default();
    let codes = [
        ask(&mut book, "a", 0),
        ask(&mut book, "b", 0),
        ask(&mut book, "c", 0),
    ];
    assert_eq!(
        codes,
        ["AAAAAAAA", "BAAAAAAA", "CAAAAAAA"],
        "the same chance, and yet three codes"
    );
    for unclear in ["I", "O", "0", "1"] {
        assert!(!ALPHABET.contains(&unclear.as_bytes()[0]));
    }
}

#[test]
fn the_code_stays_the_same_while_it_is_valid_and_is_valid_for_an_hour() {
    let mut book = PairingBook::default();
    let code = ask(&mut book, "a", 0);
    assert!(matches!(standing(&book, "a", 59), Standing::Waits { .. }));
    let again = book.request(
        &slack(),
        &"a".into(),
        "A",
        Timestamp(59 * MINUTE),
        &Counter(AtomicU64::new(7)),
    );
    assert!(matches!(again, Kind::Pairing { code: Some(same), .. } if same == code));
    assert_eq!(standing(&book, "a", 60), Standing::New);
    assert_eq!(
        decide(&mut book, &code, true, 60),
        Err(PairingError::NobodyWaits(code))
    );
}

/// Asks as the bot does, in whose place the oldest gives way.
fn ask_in_turn(book: &mut PairingBook, sender: &str, minute: i64) -> String {
    let now = Timestamp(minute * MINUTE);
    if let Some(replaced) = book.replacement(&slack(), &sender.into(), now) {
        book.fold_kind(now, Some(TurnId(1)), &slack(), &replaced);
    }
    ask(book, sender, minute)
}

/// The senders on the list, and whose request gave way to whose.
fn listed(book: &PairingBook, minute: i64) -> (Vec<String>, Vec<(String, String)>) {
    let listed = book.listed(vec![slack()], Timestamp(minute * MINUTE));
    let pending = listed.pending.iter().map(|request| request.sender.to_string());
    let replaced = listed.replaced.iter();
    let replaced = replaced.map(|gone| (gone.request.sender.to_string(), gone.by.to_string()));
    (pending.collect(), replaced.collect())
}

fn pairs(senders: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = senders
        .iter()
        .map(|(sender, by)| ((*sender).to_owned(), (*by).to_owned()));
    owned.collect()
}

#[test]
fn three_wait_and_the_oldest_gives_way_to_a_fourth() {
    let mut book = PairingBook::default();
    for (minute, sender) in [(0, "a"), (1, "b"), (2, "c")] {
        ask_in_turn(&mut book, sender, minute);
    }
    assert_eq!(
        book.replacement(&"signal".into(), &"d".into(), Timestamp(MINUTE)),
        None,
        "each channel counts for itself"
    );
    ask_in_turn(&mut book, "d", 3);
    assert_eq!(
        listed(&book, 3),
        (vec!["b".into(), "c".into(), "d".into()], pairs(&[("a", "d")]))
    );
    decide(&mut book, "BAAAAAAA", false, 4).unwrap();
    ask_in_turn(&mut book, "e", 4);
    assert_eq!(
        listed(&book, 4),
        (vec!["c".into(), "d".into(), "e".into()], pairs(&[("a", "d")])),
        "who was decided about waits no more"
    );
    assert_eq!(
        standing(&book, "b", 4),
        Standing::Refused {
            until: Timestamp(61 * MINUTE)
        }
    );
    assert_eq!(standing(&book, "b", 61), Standing::New);
    assert_eq!(listed(&book, 61).1, [], "its hour is over");
}

#[test]
fn a_code_that_gave_way_is_good_for_its_hour_and_told_once() {
    let mut book = PairingBook::default();
    let code = ask_in_turn(&mut book, "a", 0);
    for sender in ["b", "c", "d"] {
        ask_in_turn(&mut book, sender, 1);
    }
    assert!(matches!(standing(&book, "a", 59), Standing::Waits { .. }));
    decide(&mut book, &code, true, 59).unwrap();
    assert_eq!(book.approved(&slack(), &"a".into()), Some(&Actor::Cli));
    assert_eq!(
        listed(&book, 59),
        (vec!["b".into(), "c".into(), "d".into()], vec![])
    );
}

#[test]
fn only_the_latest_requests_that_gave_way_are_known() {
    let mut book = PairingBook::default();
    for n in 0..MOST + MOST_REPLACED {
        ask_in_turn(&mut book, &n.to_string(), 0);
    }
    assert!(matches!(standing(&book, "0", 1), Standing::Waits { .. }));
    ask_in_turn(&mut book, "one more", 1);
    assert_eq!(standing(&book, "0", 1), Standing::New);
    assert!(matches!(standing(&book, "1", 1), Standing::Waits { .. }));
    assert_eq!(book.requests.len(), MOST + MOST_REPLACED);
}

#[test]
fn a_request_that_came_to_nothing_gives_its_place_back() {
    let mut book = PairingBook::default();
    for sender in ["a", "b", "c"] {
        ask_in_turn(&mut book, sender, 0);
    }
    let before = listed(&book, 1);
    let code = ask_in_turn(&mut book, "d", 1);
    book.forget(&code);
    assert_eq!(listed(&book, 1), before);
}

#[test]
fn a_code_is_taken_in_capitals_or_not_and_once() {
    let mut book = PairingBook::default();
    let code = ask(&mut book, "a", 0);
    decide(&mut book, &code.to_lowercase(), true, 1).unwrap();
    assert_eq!(book.approved(&slack(), &"a".into()), Some(&Actor::Cli));
    assert_eq!(book.approved(&"signal".into(), &"a".into()), None);
    assert!(matches!(
        decide(&mut book, &code, true, 2),
        Err(PairingError::NobodyWaits(_))
    ));
    let revoked = book.revoke(&slack(), &"a".into(), Actor::Console).unwrap();
    book.fold_kind(Timestamp(3 * MINUTE), None, &slack(), &revoked);
    assert_eq!(book.approved(&slack(), &"a".into()), None);
    assert!(matches!(
        book.revoke(&slack(), &"a".into(), Actor::Console),
        Err(PairingError::NotApproved { .. })
    ));
}

#[test]
fn what_is_no_code_is_refused_with_what_was_written() {
    let mut book = PairingBook::default();
    ask(&mut book, "a", 0);
    let hostile = [
        "",
        "AAAAAAA",
        "AAAAAAAAA",
        " AAAAAAAA",
        "AAAAAAAA\0",
        "AAAA-AAAA",
        "AAAAAAA0",
        "AAAAAAA1",
        "AAAAAAAI",
        "AAAAAAAO",
        "********",
        "%%%%%%%%",
        "\u{410}AAAAAAA",
        "\u{ff21}AAAAAAA",
        "AAAAAAA\u{202e}",
        "AAAAAAAA\u{200b}",
        "1e7AAAAA",
    ];
    for code in hostile {
        let error = decide(&mut book, code, true, 1).unwrap_err();
        assert_eq!(error, PairingError::NoCode(code.to_owned()));
        assert!(error.to_string().is_ascii(), "nothing hidden is printed: {error}");
    }
    assert_eq!(book.approved(&slack(), &"a".into()), None);
}

#[tokio::test]
async fn it_is_what_the_journal_tells() {
    let mut book = PairingBook::default();
    let journal = MemoryJournal::new();
    let mut write = |minute: i64, kind: Kind| {
        let at = Timestamp(minute * MINUTE);
        book.fold_kind(at, None, &slack(), &kind);
        let draft = Draft {
            at,
            turn: None,
            session: None,
            channel: Some(slack()),
            kind,
        };
        journal.append(vec![draft]).unwrap();
        book.clone()
    };
    let rng = Counter(AtomicU64::new(0));
    for sender in ["a", "b"] {
        let request = PairingBook::default().request(&slack(), &sender.into(), sender, Timestamp(0), &rng);
        write(0, request);
    }
    let book = write(
        1,
        Kind::Pairing {
            step: PairingStep::Approved,
            sender: "a".into(),
            name: "a".to_owned(),
            code: None,
            until: None,
            by: Actor::Console,
        },
    );
    let told = PairingBook::of(&journal, Timestamp(2 * MINUTE)).await.unwrap();
    let now = Timestamp(2 * MINUTE);
    assert_eq!(told.listed(vec![slack()], now), book.listed(vec![slack()], now));
    let listed = told.listed(vec![], now);
    assert_eq!((listed.pending.len(), listed.approved.len()), (1, 1));
    assert!(
        !listed.approved[0].in_force,
        "the channel does not ask for approvals"
    );
}
