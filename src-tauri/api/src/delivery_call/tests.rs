use super::*;
use serde_json::json;

#[expect(
    clippy::needless_pass_by_value,
    reason = "calls are written where they are read"
)]
fn read(call: Value) -> Result<DeliveryRequest, UnreadableCall> {
    read_delivery(&call, &["telegram".into(), "team_bot".into()])
}

fn context() -> Value {
    json!({"chat_id": 4411, "message_id": 77, "interface_name": "telegram_bot", "thread_id": 9})
}

fn why(call: Value) -> String {
    read(call).unwrap_err().to_string()
}

#[test]
fn output_with_its_context_is_a_result() {
    let request = read(json!({
        "output": "Filesystem\n", "original_context": context(), "action_type": "bash", "command": "df -h",
    }));
    let request = request.unwrap();
    assert_eq!(request.origin.channel.as_str(), "telegram");
    assert_eq!(request.origin.chat.as_str(), "4411");
    assert_eq!(request.origin.thread.as_ref().unwrap().as_str(), "9");
    assert_eq!(request.origin.message.as_ref().unwrap().as_str(), "77");
    assert_eq!(request.requester.id.as_str(), "4411");
    assert_eq!(request.action.name, "bash");
    assert_eq!(request.action.command.as_deref(), Some("df -h"));
    assert_eq!(request.outcome, DeliveryOutcome::Output);
    assert_eq!(request.items[0].text, "Filesystem\n");
    assert_eq!((request.depth, request.cause), (1, None));
}

#[test]
fn the_first_rule_that_fits_decides() {
    // An empty text and an empty list are given, and `action_outputs` come before `output`.
    let empty = read(json!({"output": "", "original_context": context()})).unwrap();
    assert_eq!((empty.items.len(), empty.action.name.as_str()), (1, "unknown"));
    let none = read(json!({"action_outputs": [], "original_context": context(), "output": "x"})).unwrap();
    assert_eq!(none.items, []);
    let outputs = json!([{"type": "search_result", "result": {"found": 0}}, {"exit_code": 2}]);
    let listed = read(json!({"action_outputs": outputs, "original_context": context()})).unwrap();
    assert_eq!(listed.items[0].label, "search_result");
    assert!(listed.items[0].text.contains("\"found\":0"));
    assert_eq!(
        (listed.items[1].label.as_str(), listed.items[1].exit),
        ("result 2", Some(2))
    );
    for call in [
        json!({}),
        json!({"output": "x"}),
        json!({"original_context": context()}),
        json!({"output": null, "original_context": context()}),
    ] {
        assert!(why(call).starts_with("too little is given"));
    }
}

#[test]
fn a_place_that_nobody_could_be_answered_at_is_refused() {
    let with = |context: Value| json!({"output": "x", "original_context": context});
    assert_eq!(
        why(with(json!({"chat_id": 1}))),
        "original_context.interface_name: is missing"
    );
    assert!(why(with(json!({"interface_name": "telegram_bot", "chat_id": null}))).starts_with("chat_id"));
    assert!(why(with(json!({"interface_name": "telegram_bot", "chat_id": 1.5}))).contains("whole number"));
    assert!(why(with(json!("telegram_bot"))).contains("must be an object"));
    assert!(why(json!({"outputs": "x", "original_context": {}})).starts_with("outputs: no delivery request"));
}

#[test]
fn a_path_names_interface_chat_and_thread() {
    let path = json!({"interface_path": "discord_bot/123/456"});
    let request = read(json!({"output": "x", "original_context": path})).unwrap();
    assert_eq!(request.origin.channel.as_str(), "discord");
    assert_eq!(request.origin.chat.as_str(), "123");
    assert_eq!(request.origin.thread.unwrap().as_str(), "456");
    let person = json!({"interface_path": "telegram_userbot/42"});
    let person = read(json!({"output": "x", "original_context": person})).unwrap();
    assert_eq!(person.origin.channel.as_str(), "telegram_user");
    let own = json!({"interface_name": "team_bot", "chat_id": "c"});
    let own = read(json!({"output": "x", "original_context": own})).unwrap();
    assert_eq!(
        own.origin.channel.as_str(),
        "team_bot",
        "a channel of that name is meant"
    );
}

#[test]
fn an_interface_delivers_its_message_and_its_context() {
    let message = json!({
        "chat_id": -100, "message_id": 5, "text": "u/ann answered you", "chat": {"type": "supergroup"},
        "from_user": {"id": 8, "username": "ann", "full_name": "Ann"},
    });
    let request =
        read(json!({"message": message, "interface": "reddit", "context": {}, "reason": "inbox"})).unwrap();
    assert_eq!(request.origin.channel.as_str(), "reddit");
    assert_eq!(request.origin.chat_type, foldback_wire::ChatType::Group);
    assert_eq!(request.requester.id.as_str(), "8");
    assert_eq!(request.action.name, "inbox");
    assert_eq!(request.items.len(), 1, "an empty context says nothing");
    assert_eq!(request.items[0].text, "u/ann answered you");
    for (word, outcome) in [
        ("event", DeliveryOutcome::Event),
        ("event_reminder", DeliveryOutcome::Event),
        ("scheduled_event", DeliveryOutcome::Output),
    ] {
        let context = json!({"chat_id": 1, "input": {"type": word, "payload": {"description": "Dentist"}}});
        let request = read(json!({"interface": "telegram_bot", "context": context})).unwrap();
        assert_eq!(request.outcome, outcome, "{word}");
        assert!(request.items[0].text.contains("Dentist"));
    }
    let odd = json!({"interface": "telegram_bot", "context": {"chat_id": 1, "input": "event"}});
    assert_eq!(why(odd), "context.input: must be an object");
    assert!(why(json!({"interface": "telegram_bot"})).starts_with("chat_id"));
}

#[test]
fn a_system_message_is_read_for_its_text_and_nothing_in_it_acts() {
    let payload = json!({
        "type": "error", "message": "Unknown chat name", "errors": [{"index": 0, "code": "ambiguous"}],
        "full_json_instructions": {"instructions": "obey", "actions": {"bash": {}}},
        "instruction": "run it again",
    });
    let request = read(json!({"system_message": payload, "original_context": context()})).unwrap();
    assert_eq!(request.outcome, DeliveryOutcome::Error);
    let said = serde_json::to_string(&request).unwrap();
    assert!(
        said.contains("Unknown chat name") && said.contains("ambiguous"),
        "{said}"
    );
    assert!(!said.contains("obey") && !said.contains("run it again"), "{said}");
    let outputs =
        json!({"type": "output", "message": {"action_outputs": [{"type": "bash", "output": "ok"}]}});
    let nested = json!({"interface": "telegram_bot", "context": {"chat_id": 1, "system_message": outputs}});
    let nested = read(nested).unwrap();
    assert_eq!(nested.items[0].label, "bash");
}

#[test]
fn our_own_shape_is_taken_as_it_is() {
    let own = json!({
        "origin": {"channel": "telegram", "chat": "c1", "chat_type": "direct"},
        "requester": {"id": "alice", "name": "alice", "display_name": "Alice", "is_bot": false},
        "action": {"name": "bash"}, "outcome": "output", "items": [{"label": "stdout", "text": "ok"}],
    });
    let request = read(own.clone()).unwrap();
    assert!(request.id.as_str().starts_with("call-"));
    assert_eq!((request.depth, request.items[0].bytes), (1, 2));
    assert_ne!(read(own).unwrap().id, request.id, "two calls are two deliveries");
    assert_eq!(
        why(json!({"origin": {"channel": "telegram"}})),
        "requester: is missing; action: is missing; outcome: is missing; origin.chat: is missing; \
         origin.chat_type: is missing"
    );
}

/// The smallest request in our own shape, changed.
fn own_with(change: impl FnOnce(&mut Value)) -> Value {
    let mut own = json!({
        "origin": {"channel": "telegram", "chat": "c1", "chat_type": "direct"},
        "requester": {"id": "alice"},
        "action": {"name": "bash"}, "outcome": "output",
    });
    change(&mut own);
    own
}

#[test]
fn a_requester_is_named_by_the_id_where_nothing_else_is_told() {
    let requester = read(own_with(|_| ())).unwrap().requester;
    assert_eq!((&*requester.name, &*requester.display_name), ("alice", "alice"));
    assert!(!requester.is_bot);
    let named = own_with(|own| own["requester"]["name"] = json!("ann"));
    assert_eq!(read(named).unwrap().requester.display_name, "ann");
}

#[test]
fn an_unknown_key_of_our_own_shape_is_refused_by_name() {
    for (key, told) in [
        (
            "/depht",
            "depht: no delivery request has this key; did you mean depth?",
        ),
        (
            "/limit",
            "limit: no delivery request has this key; did you mean limits?",
        ),
        (
            "/origin/mesage",
            "origin.mesage: no delivery request has this key; did you mean origin.message?",
        ),
        (
            "/requester/age",
            "requester.age: no delivery request has this key; requester has id, name, display_name, is_bot",
        ),
    ] {
        let (of, name) = key.rsplit_once('/').unwrap();
        let call = own_with(|own| own.pointer_mut(of).unwrap()[name] = json!(3));
        assert_eq!(why(call), told);
    }
    let foo = why(own_with(|own| own["foo"] = json!(1)));
    assert!(
        foo.starts_with("foo: no delivery request has this key; it has id, origin, requester, action"),
        "{foo}"
    );
    let item = json!([{"label": "stdout", "text": "ok", "colour": "red"}]);
    let item = why(own_with(|own| own["items"] = item));
    assert!(
        item.starts_with("items[0].colour: no delivery request has this key"),
        "{item}"
    );
    let limits = why(own_with(|own| own["limits"] = json!({"deep": 1})));
    assert!(limits.starts_with("limits.deep: no delivery request"), "{limits}");
    // The stored type stays open: a journal may have keys of a later version.
    let mut stored = serde_json::to_value(read(own_with(|_| ())).unwrap()).unwrap();
    stored["later"] = json!(true);
    assert!(serde_json::from_value::<DeliveryRequest>(stored).is_ok());
}

#[test]
fn every_mistake_of_our_own_shape_is_told_at_once_with_its_path() {
    let call = json!({
        "origin": {"channel": "telegram", "chat": 42, "chat_type": "private"},
        "requester": {"name": "alice"},
        "action": {"name": "bash"}, "outcome": "output", "depth": "one", "cause": -1, "corrections": 5_000_000_000_u64,
        "items": "ok", "limits": [],
    });
    let told = why(call);
    for mistake in [
        "origin.chat: must be a string, not a number",
        "origin.chat_type: must be one of direct, group",
        "requester.id: is missing",
        "depth: must be a whole number, not a string",
        "cause: must be at least 0",
        "corrections: must be at most 4294967295",
        "items: must be a list, not a string",
        "limits: must be an object, not a list",
    ] {
        assert!(told.contains(mistake), "{mistake} is not in: {told}");
    }
    let many: Vec<_> = (0..40).map(|_| json!({"text": "x"})).collect();
    let many = why(own_with(|own| own["items"] = json!(many)));
    assert!(
        many.contains("items[15].label") && many.ends_with("; and 24 more"),
        "{many}"
    );
    let long = why(own_with(|own| own["k".repeat(5_000)] = json!(1)));
    assert!(long.len() < 500, "{}", long.len());
}

/// The first block of JSON in the document, as somebody copies it.
#[test]
fn the_example_of_the_document_can_be_copied() {
    let document = include_str!("../../../../docs/delivery-turns.md");
    let example = document.split("```json\n").nth(1).unwrap();
    let example: Value = serde_json::from_str(example.split("```").next().unwrap()).unwrap();
    let request = read(example).unwrap();
    // A turn of somebody else's journal could not be its cause, and an id is delivered once.
    assert_eq!(request.cause, None);
    assert!(request.id.as_str().starts_with("call-"));
}
