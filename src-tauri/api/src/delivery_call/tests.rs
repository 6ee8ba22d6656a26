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
    assert!(why(json!({"origin": {"channel": "telegram"}})).contains("missing field"));
}
