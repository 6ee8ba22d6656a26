use super::*;
use crate::redact::Redaction;
use foldback_directives::redact::RedactSettings;

fn request(items: Vec<ResultItem>) -> DeliveryRequest {
    DeliveryRequest {
        id: "d1".into(),
        origin: ReplyAddress {
            channel: "telegram".into(),
            account: None,
            chat: "c1".into(),
            chat_type: ChatType::Direct,
            thread: None,
            message: Some("m1".into()),
            dry_run: false,
        },
        requester: Sender {
            id: "alice".into(),
            name: "alice".to_owned(),
            display_name: "A".repeat(1_000),
            is_bot: false,
        },
        action: PerformedAction {
            name: "bash".to_owned(),
            command: Some("x".repeat(10_000)),
        },
        outcome: DeliveryOutcome::Output,
        items,
        items_omitted: 0,
        depth: 1,
        limits: DeliveryLimits::default(),
        corrections: None,
        cause: None,
    }
}

#[test]
fn a_long_text_keeps_its_ends_and_says_what_is_left_out() {
    let text = "line of text\n".repeat(2_000);
    let bounded = request(vec![ResultItem::new("stdout", text.as_str()).exited(0)]).masked_and_bounded(None);
    let item = &bounded.items[0];
    assert!(item.text.len() <= PART_BYTES && item.text.len() > PART_BYTES - 20);
    assert!(item.tail.len() <= PART_BYTES && item.tail.len() > PART_BYTES - 20);
    assert_eq!(item.bytes, 26_000);
    let (from, to) = item.omitted.unwrap();
    assert_eq!(from as usize, item.text.len());
    assert_eq!(to as usize, text.len() - item.tail.len());
    assert!(
        item.text.ends_with("text") && item.tail.starts_with("\nline"),
        "cut between words"
    );
    assert_eq!(bounded.requester.display_name.len(), NAME_BYTES);
    assert_eq!(bounded.action.command.as_ref().unwrap().len(), COMMAND_BYTES);
    assert_eq!(bounded.clone().masked_and_bounded(None), bounded, "twice is once");
}

#[test]
fn a_text_that_fits_is_whole() {
    let bounded = request(vec![ResultItem::new("stdout", "ok\n")]).masked_and_bounded(None);
    let item = &bounded.items[0];
    assert_eq!(
        (item.text.as_str(), item.tail.as_str(), item.omitted),
        ("ok\n", "", None)
    );
    let parts = ResultItem::of_parts("stdout", "a", "b", 2);
    assert_eq!((parts.text.as_str(), parts.bytes, parts.omitted), ("ab", 2, None));
}

#[test]
fn parts_that_are_kept_as_they_come_are_cut_at_the_middle() {
    let (head, tail) = ("h".repeat(9_000), "t".repeat(9_000));
    let item = ResultItem::of_parts("stdout", head, tail, 1_000_000);
    assert_eq!(item.omitted, Some((9_000, 991_000)));
    let bounded = request(vec![item]).masked_and_bounded(None);
    let item = &bounded.items[0];
    assert_eq!((item.text.len(), item.tail.len()), (PART_BYTES, PART_BYTES));
    assert_eq!(item.omitted, Some((4_096, 1_000_000 - 4_096)));
}

#[test]
fn many_items_share_the_room_and_the_others_are_counted() {
    let items = (0..40).map(|n| ResultItem::new(format!("item {n}"), "ä ".repeat(20_000)));
    let bounded = request(items.collect()).masked_and_bounded(None);
    assert_eq!((bounded.items.len(), bounded.items_omitted), (ITEMS, 24));
    let bytes: usize = bounded
        .items
        .iter()
        .map(|item| item.text.len() + item.tail.len())
        .sum();
    assert!(bytes <= REQUEST_BYTES as usize, "{bytes}");
}

#[test]
fn secrets_are_masked_before_anything_is_cut() {
    let redaction = Redaction::new(&RedactSettings::default()).unwrap();
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    // The cut would go through it.
    let text = format!("{}{secret}{}", "x".repeat(PART_BYTES - 10), "y".repeat(20_000));
    let text = text
        .replacen('x', " ", 1)
        .replace("xghp_", "x ghp_")
        .replace("789y", "789 y");
    let item = ResultItem::new(format!("file {secret}"), text).noted(secret);
    let kept = request(vec![item]).masked_and_bounded(Some(&redaction));
    let json = serde_json::to_string(&kept).unwrap();
    assert!(!json.contains("ghp_"), "{json}");
    assert!(!json.contains("abcdef"), "{json}");
}

#[test]
fn what_is_not_told_is_not_written() {
    let mut plain = request(vec![ResultItem::new("stdout", "ok")]);
    plain.action.command = None;
    let json = serde_json::to_value(&plain).unwrap();
    let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        ["id", "origin", "requester", "action", "outcome", "items", "depth"]
    );
    assert_eq!(serde_json::from_value::<DeliveryRequest>(json).unwrap(), plain);
}

#[test]
fn limits_lower_the_bounds_and_never_raise_them() {
    let of = |limits: DeliveryLimits| {
        let item = ResultItem::new("stdout", "word ".repeat(4_000));
        let request = DeliveryRequest {
            limits,
            ..request(vec![item])
        };
        let bounded = request.masked_and_bounded(None);
        let kept = bounded.items[0].text.len() + bounded.items[0].tail.len();
        (kept, limits.depth())
    };
    let bot = of(DeliveryLimits::default());
    assert_eq!(bot.1, DELIVERY_DEPTH);
    let more = DeliveryLimits {
        depth: Some(9),
        item_bytes: Some(u32::MAX),
    };
    assert_eq!(of(more), bot);
    let less = DeliveryLimits {
        depth: Some(1),
        item_bytes: Some(100),
    };
    let (kept, depth) = of(less);
    assert!((1..=100).contains(&kept) && depth == 1, "{kept} {depth}");
    // What follows a delivery has its limits, whatever it brings itself.
    assert_eq!(more.within(less), less);
    assert_eq!(DeliveryLimits::default().within(less), less);
}
