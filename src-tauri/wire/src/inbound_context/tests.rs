use super::*;

fn said(number: usize) -> QuotedMessage {
    QuotedMessage {
        id: Some(number.to_string().into()),
        sender: Some("ä".repeat(200)),
        text: "x".repeat(1_000),
        own: false,
    }
}

#[test]
fn names_quotes_and_the_thread_are_cut_to_their_bounds_and_the_newest_stay() {
    let context = InboundContext {
        quote: Some(QuotedMessage {
            text: "€".repeat(2_000),
            ..QuotedMessage::default()
        }),
        thread: Some(ThreadContext {
            starter: Some(said(0)),
            recent: (1..=30).map(said).collect(),
        }),
        forwarded_from: Some("n".repeat(300)),
        group: Some(GroupInfo {
            id: Some("i".repeat(300).into()),
            name: Some("€".repeat(100)),
            members: vec!["m".into(); 60],
        }),
        sender: Some(SenderIds {
            ids: vec!["i".repeat(300).into(), "42".into()],
            phone: Some("+1".repeat(200)),
            names: vec!["n".repeat(300)],
        }),
        location: None,
    };
    let context = context.bounded().unwrap();
    assert_eq!(context.quote.unwrap().text, "€".repeat(QUOTE_BYTES / 3));
    assert_eq!(context.forwarded_from.unwrap().len(), NAME_BYTES);
    let group = context.group.unwrap();
    assert_eq!((group.id, group.members.len()), (None, LISTED));
    assert_eq!(group.name.unwrap(), "€".repeat(NAME_BYTES / 3));
    let sender = context.sender.unwrap();
    assert_eq!((sender.ids, sender.phone), (vec!["42".into()], None));
    assert_eq!(sender.names[0].len(), NAME_BYTES);
    let thread = context.thread.unwrap();
    assert_eq!(thread.starter.unwrap().text.len(), 1_000);
    // A message is 1,000 bytes of text and 256 of a name: thirteen fit into 16 KiB.
    let ids: Vec<_> = thread
        .recent
        .iter()
        .filter_map(|message| message.id.clone())
        .collect();
    let newest: Vec<MessageId> = (18..=30).map(|id: usize| id.to_string().into()).collect();
    assert_eq!(ids, newest);
}

#[test]
fn of_short_messages_the_last_twenty_stay() {
    let mut recent: Vec<_> = (0..25)
        .map(|number: usize| QuotedMessage {
            text: number.to_string(),
            ..QuotedMessage::default()
        })
        .collect();
    keep_newest(&mut recent);
    assert_eq!((recent.len(), &*recent[0].text), (20, "5"));
}

#[test]
fn what_tells_nothing_is_absent() {
    assert_eq!(InboundContext::default().bounded(), None);
    let empty = InboundContext {
        quote: Some(QuotedMessage {
            sender: Some("Bob".into()),
            ..QuotedMessage::default()
        }),
        thread: Some(ThreadContext {
            starter: Some(QuotedMessage::default()),
            recent: Vec::new(),
        }),
        forwarded_from: Some(String::new()),
        group: Some(GroupInfo {
            name: Some(String::new()),
            ..GroupInfo::default()
        }),
        sender: Some(SenderIds::default()),
        location: None,
    };
    assert_eq!(empty.bounded(), None);
}
