//! Data of delivery turns, compared with what their agents were given.

use super::*;

/// The data of each delivery turn stands in the prompt that its agent was given, in one piece, and is the only such piece.
#[test]
fn the_data_of_every_fixtures_deliveries_is_that_of_its_prompt() {
    let mut count = 0;
    for folder in ["json-actions", "deliveries"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures")
            .join(folder);
        for entry in std::fs::read_dir(&root).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let text = std::fs::read_to_string(root.join(&name)).unwrap();
            if !text.contains("telegram") {
                continue;
            }
            let journal = played(&format!("{folder}/{name}"));
            count += compare_data(&journal);
        }
    }
    assert!(count > 20, "{count} deliveries");
}

/// Compares the data of the delivery turns of a journal with their prompts; answers their number.
fn compare_data(journal: &MemoryJournal) -> usize {
    let events = wait(journal.read(Seq(1), usize::MAX >> 1)).unwrap();
    let mut count = 0;
    for event in &events {
        let (Kind::DeliveryDue(request), Some(turn)) = (&event.kind, event.turn) else {
            continue;
        };
        let prompts: Vec<_> = events
            .iter()
            .filter(|event| event.turn == Some(turn))
            .filter_map(|event| match &event.kind {
                Kind::Prepared { prompt } => Some(prompt),
                _ => None,
            })
            .collect();
        let chain = chain(journal, turn.0);
        let of_turn = chain.turns.iter().find(|of| of.turn == turn).unwrap();
        let Some(prompt) = prompts.last() else {
            assert_eq!(of_turn.given, None);
            continue;
        };
        let given = of_turn.given.as_ref().unwrap();
        let text = given.text.as_deref().unwrap();
        assert!(prompt.contains(&format!("```json\n{text}\n```\n\n## Task\n")));
        let data: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(data["action"].as_str(), Some(request.action.name.as_str()));
        assert_eq!(data["outcome"].as_str(), Some(request.outcome.code()));
        let texts = data["items"].as_array().unwrap().iter();
        let texts: Vec<_> = texts.map(|item| item["text"].as_str().unwrap()).collect();
        let items: Vec<_> = request.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(texts, items, "turn {turn}");
        assert_eq!(given.bytes, text.len() as u64);
        count += 1;
    }
    count
}
