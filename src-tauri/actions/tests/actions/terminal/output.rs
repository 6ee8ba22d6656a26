//! Output of any length and any kind.

use super::Bench;

#[tokio::test]
async fn of_a_flood_both_ends_are_kept_and_the_command_runs_to_its_end() {
    let bench = Bench::with(|settings| settings.max_output = 1_000);
    let item = bench.only("seq 1 200000; echo end").await;
    assert_eq!((item.bytes, item.exit), (1_288_899, Some(0)));
    assert!(item.text.starts_with("1\n2\n3\n"), "{item:?}");
    assert!(item.tail.ends_with("200000\nend\n"), "{item:?}");
    let (from, to) = item.omitted.unwrap();
    assert_eq!(
        (from, item.bytes - to),
        (item.text.len() as u64, item.tail.len() as u64)
    );
    assert!(item.text.len() + item.tail.len() <= 1_000);
}

#[tokio::test]
async fn both_outputs_may_flood_at_once() {
    let bench = Bench::with(|settings| settings.max_output = 1_000);
    let items = bench.run("seq 1 100000 >&2 & seq 1 100000; wait").await;
    let bytes: Vec<_> = items.iter().map(|item| item.bytes).collect();
    assert_eq!(bytes, [588_895, 588_895]);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_repaired() {
    let bench = Bench::new();
    let item = bench.only(r"printf 'a\xff\x00b'").await;
    assert_eq!((item.text.as_str(), item.bytes), ("a\u{fffd}b", 5));
    let item = bench.only("head -c 100000 /dev/urandom").await;
    assert_eq!(item.exit, Some(0));
    assert!(
        !item.text.contains(['\x1b', '\0']),
        "a terminal's signs are none of the text"
    );
}
