//! Chains of fixtures, as somebody reads them who opens one of their turns.

mod bounds;
mod called;
mod data;

use super::*;
use foldback_replay::{Options, fixture::parse, keep, run};
use foldback_store::MemoryJournal;
use foldback_wire::{
    Draft, Seq, Timestamp,
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
        "  bash, `backup`, refused not_permitted",
        "  to 4",
        "4 error of bash, from actions of 3, 2",
        "  bash, `backup`, refused not_permitted",
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
            .any(|line| line == "  bash, `rm 4`, refused depth_limit"),
        "{told:#?}"
    );
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
