//! Chains of fixtures, as somebody reads them who opens one of their turns.

use super::*;
use foldback_replay::{Options, fixture::parse, keep, run};
use foldback_store::MemoryJournal;
use foldback_wire::{
    ActionAnswered, ActionEnded, ActionStarted, DeliveryOutcome, Draft, PerformedAction, RunId, Seq,
    StopReason, Timestamp,
    rpc::{ChainAction, ChainBeginning, ChainMessage},
};
use std::path::Path;

fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(work)
}

/// The journal of a fixture on Telegram.
fn played(name: &str) -> MemoryJournal {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(name);
    let fixture = parse(&path, &std::fs::read_to_string(&path).unwrap()).unwrap();
    let platform = foldback_channels::platform::TELEGRAM;
    let played = run(&path, &fixture, platform, &Options::default()).unwrap();
    assert!(played.case.holds(), "{name} passes");
    let journal = MemoryJournal::new();
    wait(keep(&journal, &played.events)).unwrap();
    journal
}

fn chain(journal: &MemoryJournal, turn: u64) -> ActionChain {
    wait(read_action_chain(journal, TurnId(turn))).unwrap().unwrap()
}

/// A chain in lines, to compare it with what a person would say.
fn lines(chain: &ActionChain) -> Vec<String> {
    let mut lines = Vec::new();
    for turn in &chain.turns {
        let began = match &turn.beginning {
            ChainBeginning::Message { sender, text } => format!("{sender}: {text}"),
            ChainBeginning::Schedule { schedule } => format!("schedule {schedule}"),
            ChainBeginning::Delivery {
                origin,
                outcome,
                action,
                depth,
                cause,
                ..
            } => format!(
                "{outcome} of {}, from {origin} of {}, {depth}",
                action.name,
                cause.map_or_else(|| "nothing".to_owned(), |cause| cause.to_string())
            ),
        };
        lines.push(format!("{} {began}", turn.turn));
        lines.extend(turn.steps.iter().map(|step| format!("  {}", words(&step.step))));
    }
    lines
}

fn words(step: &ChainStepKind) -> String {
    match step {
        ChainStepKind::Action(action) => of_action(action),
        ChainStepKind::Delivered { turn } => format!("to {turn}"),
        ChainStepKind::NotDelivered { reason, setting, .. } => {
            format!(
                "not delivered: {reason}, {}",
                setting.as_deref().unwrap_or("no setting")
            )
        }
        ChainStepKind::Stopped { gate, .. } => format!("stopped: {gate}"),
        ChainStepKind::Warned { detail } => format!("warned: {detail}"),
        ChainStepKind::Message(ChainMessage {
            text,
            outcome,
            is_aside,
            ..
        }) => {
            let by = if *is_aside { "note" } else { "message" };
            let outcome = outcome.map_or("waits", |outcome| outcome.code());
            format!("{by} {text}: {outcome}")
        }
        ChainStepKind::TargetDead { refusal, .. } => format!("dead: {refusal}"),
    }
}

fn of_action(action: &ChainAction) -> String {
    let mut words = vec![action.name.clone()];
    words.extend(action.command.as_ref().map(|command| format!("`{command}`")));
    if let (None, Some(payload)) = (&action.command, &action.payload) {
        words.push(payload.clone());
    }
    if action.is_called {
        words.push("called".to_owned());
    }
    if let Some(confirmation) = &action.confirmation {
        let by = confirmation.by.as_ref().map(ToString::to_string);
        let option = confirmation.option.map_or("open", |option| option.code());
        words.push(format!("{option} by {}", by.unwrap_or_default()));
    }
    words.extend(action.allowed_by.as_ref().map(|list| format!("by {list}")));
    if let Some(refusal) = &action.refusal {
        let code = refusal.code.map_or("off", |code| code.code());
        words.push(format!("refused {code}"));
    }
    if let Some(end) = &action.end {
        let exit = end.exit.map(|exit| format!(" {exit}")).unwrap_or_default();
        words.push(format!("{}{exit}", end.outcome));
    }
    words.join(", ")
}

#[test]
fn the_whole_chain_is_told_from_either_end() {
    let journal = played("json-actions/allowed.yaml");
    let expected = [
        "1 alice: How full is the disk?",
        "  bash, `df -h`, by actions.bash.allow, output 0",
        "  to 2",
        "2 output of bash, from actions of 1, 1",
        "  message Half full.: sent",
    ];
    for turn in [1, 2] {
        let chain = chain(&journal, turn);
        assert_eq!(lines(&chain), expected, "from turn {turn}");
        assert!(!chain.is_cut_before && chain.turns_omitted == 0);
    }
}

#[test]
fn a_confirmation_has_its_author_and_its_events_are_those_of_the_turn() {
    let journal = played("json-actions/confirmed.yaml");
    let chain = chain(&journal, 1);
    let expected = [
        "1 alice: How long are you up?",
        "  bash, `uptime`, allow_once by alice, output 0",
        "  note 🔐 The agent asks",
        "  to 3",
    ];
    let told = lines(&chain);
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}");
    }
    let events = wait(journal.turn(TurnId(1))).unwrap();
    let kind = |seq: u64| {
        let event = events.iter().find(|event| event.seq == Seq(seq)).unwrap();
        &event.kind
    };
    let action = action(&chain, 0);
    let confirmation = action.confirmation.as_ref().unwrap();
    assert!(matches!(
        kind(confirmation.asked_seq),
        Kind::PermissionAsked { .. }
    ));
    let decided = confirmation.decided_seq.unwrap();
    assert!(matches!(kind(decided), Kind::PermissionDecided { .. }));
    assert_eq!(confirmation.waited_ms, Some(1000));
    assert!(matches!(
        kind(action.started_seq.unwrap()),
        Kind::ActionStarted(_)
    ));
    assert!(matches!(
        kind(action.end.as_ref().unwrap().seq),
        Kind::ActionEnded(_)
    ));
    assert!(matches!(kind(chain.turns[0].steps[0].seq), Kind::Action { .. }));
}

/// The first action of a turn of a chain.
fn action(chain: &ActionChain, turn: usize) -> &ChainAction {
    let mut actions = chain.turns[turn]
        .steps
        .iter()
        .filter_map(|step| match &step.step {
            ChainStepKind::Action(action) => Some(action),
            _ => None,
        });
    actions.next().unwrap()
}

#[test]
fn a_reminder_leads_from_the_message_that_set_it_to_what_was_refused_long_after() {
    let journal = played("json-actions/due-reminder.yaml");
    let told = lines(&chain(&journal, 4));
    let expected = [
        "1 alice: Remind me of the backup in ten minutes",
        r#"  event, {"description":"Run the backup","send_in":"10 minutes"}, output"#,
        "  to 2",
        "  to 3",
        "3 event of event, from reminder of 1, 1",
        r#"  bash, {"command":"backup"}, refused not_permitted"#,
        "  to 4",
        "4 error of bash, from actions of 3, 2",
        r#"  bash, {"command":"backup"}, refused not_permitted"#,
        "  to 5",
        "5 error of bash, from actions of 4, 3",
        "  message It is time for the backup. I may not run it myself.: sent",
    ];
    assert_eq!(told, expected);
    let all = lines(&chain(&journal, 1));
    assert!(
        all.contains(&"2 output of event, from actions of 1, 1".to_owned()),
        "{all:#?}"
    );
    assert_eq!(
        all.len(),
        expected.len() + 2,
        "both ways from the turn that set it: {all:#?}"
    );
}

#[test]
fn a_budget_and_a_dead_chat_say_where_they_stopped_a_chain() {
    let journal = played("json-actions/over-budget.yaml");
    assert_eq!(
        lines(&chain(&journal, 3)),
        [
            "3 alice: And now?",
            "  bash, `uptime`, by actions.bash.allow, output 0",
            "  not delivered: requester_budget, deliveries.per_requester",
            "  note ⚠️ Something that the agent wanted to do was not done.: sent",
        ]
    );
    let journal = played("json-actions/dead-chat.yaml");
    let told = lines(&chain(&journal, 1));
    assert_eq!(
        told[3..],
        [
            "2 output of bash, from actions of 1, 1",
            "  message Three days.: failed",
            "  dead: forbidden",
        ]
    );
    let journal = played("deliveries/dead-chat-waiting.yaml");
    let told = lines(&chain(&journal, 3));
    assert_eq!(told[1..], ["  stopped: dead_target"], "{told:#?}");
}

#[test]
fn the_last_correction_and_the_depth_limit_are_told_where_they_ended_a_chain() {
    let told = lines(&chain(&played("json-actions/corrections.yaml"), 1));
    let why =
        "  warned: the agent corrected its answer 2 times, and its actions are still not as they must be";
    assert_eq!(
        told.iter()
            .filter(|line| line.contains("refused payload_invalid"))
            .count(),
        1
    );
    assert!(told.iter().any(|line| line == why), "{told:#?}");
    let told = lines(&chain(&played("json-actions/depth.yaml"), 1));
    assert!(
        told.iter()
            .any(|line| line == r#"  bash, {"command":"rm 4"}, refused depth_limit"#),
        "{told:#?}"
    );
}

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

fn draft(at: i64, kind: Kind) -> Draft {
    Draft {
        at: Timestamp(at),
        turn: Some(TurnId(1)),
        session: None,
        channel: Some("telegram".into()),
        kind,
    }
}

/// A turn whose model called `bash` twice, and that is still at work.
fn called(text: &str) -> MemoryJournal {
    let journal = played("json-actions/allowed.yaml");
    let events = wait(journal.turn(TurnId(1))).unwrap();
    let received = events[0].kind.clone();
    let started = |index, command: &str| {
        Kind::ActionStarted(ActionStarted {
            index,
            action: PerformedAction {
                name: "bash".to_owned(),
                command: Some(command.to_owned()),
            },
            allowed_by: None,
        })
    };
    let journal = MemoryJournal::new();
    let drafts = vec![
        draft(0, received),
        draft(100, started(0, "df -h")),
        draft(
            350,
            Kind::ActionEnded(ActionEnded {
                index: 0,
                name: "bash".to_owned(),
                outcome: DeliveryOutcome::Output,
                exit: Some(1),
                note: None,
                bytes: 9,
            }),
        ),
        draft(
            350,
            Kind::ActionAnswered(ActionAnswered {
                index: 0,
                text: text.to_owned(),
                is_error: false,
            }),
        ),
        draft(400, started(1, "uptime")),
    ];
    journal.append(drafts).unwrap();
    wait(journal.flush()).unwrap();
    journal
}

#[test]
fn a_call_has_the_result_that_went_back_within_the_run_and_one_without_an_end_has_none() {
    let data = r#"{"action":"bash","items":[{"text":"50 \u0026"}]}"#;
    let journal = called(data);
    let chain = chain(&journal, 1);
    assert_eq!(
        lines(&chain)[1..],
        ["  bash, `df -h`, called, output 1", "  bash, `uptime`, called"]
    );
    let first = action(&chain, 0);
    assert_eq!(first.end.as_ref().unwrap().took_ms, 250);
    assert_eq!(first.answer.as_ref().unwrap().text.as_deref(), Some(data));
    assert_eq!(chain.turns[0].terminal, None);
}

#[test]
fn what_a_text_asks_for_behind_the_run_is_no_call() {
    let journal = called("{}");
    let ended = Kind::RunEnded {
        run: RunId(1),
        reason: StopReason::End,
    };
    let refused = foldback_wire::ActionRefusal {
        index: 2,
        name: "bash".to_owned(),
        code: foldback_wire::ActionRefusalCode::NotPermitted,
        detail: "no".to_owned(),
        findings: Vec::new(),
        setting: None,
    };
    journal
        .append(vec![draft(500, ended), draft(501, Kind::ActionRefused(refused))])
        .unwrap();
    wait(journal.flush()).unwrap();
    let told = lines(&chain(&journal, 1));
    assert_eq!(told[3], "  bash, refused not_permitted");
}

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
        let accepted = foldback_wire::DeliveryAccepted {
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
