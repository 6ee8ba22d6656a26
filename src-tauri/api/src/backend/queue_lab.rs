//! The queue lab: messages in one conversation, through the whole pipeline on a virtual clock, as a fixture.

use crate::failure;
use foldback_agents::{Act, ScriptStep};
use foldback_channels::platform;
use foldback_replay::{
    Options,
    fixture::{Channels, Fixture, FixtureStep, UserStep},
};
use foldback_store::row;
use foldback_wire::{
    ChatType, Event, Kind, Stage, Timestamp, TurnId, UserId,
    rpc::{Failure, QueueLab, QueueLabMessage, QueueLabResult, QueueLabStep, QueueLabTurn},
};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, path::Path};

/// Most messages.
const MOST: usize = 100;
/// Longest wait for more of a sender, in milliseconds: as long as a channel's may be.
const LONGEST_DEBOUNCE: u32 = 60_000;
/// Latest time of a message and longest run or pause, in milliseconds.
const LONGEST: u32 = 3_600_000;

/// Sends the messages.
///
/// # Errors
/// `bad_setting` for a setting that is none, or for more than the lab takes.
pub async fn run(lab: QueueLab) -> Result<QueueLabResult, Failure> {
    if lab.messages.is_empty() || lab.messages.len() > MOST {
        return Err(failure::unfit_lab(&format!("it takes 1 to {MOST} messages")));
    }
    let times = lab.messages.iter().map(|message| message.at_ms);
    let times = times.chain([lab.run_ms, lab.debounce_ms.unwrap_or_default()]);
    if times.into_iter().any(|ms| ms > LONGEST) {
        return Err(failure::unfit_lab(&format!("its times are at most {LONGEST} ms")));
    }
    if lab.channel_debounce_ms.is_some_and(|ms| ms > LONGEST_DEBOUNCE) {
        let most = format!("a message waits at most {LONGEST_DEBOUNCE} ms for more of its sender");
        return Err(failure::unfit_lab(&most));
    }
    let played = tokio::task::spawn_blocking(move || {
        // Nothing of this happened: it has no place in the app's log.
        let _silent = tracing::subscriber::set_default(tracing::subscriber::NoSubscriber::default());
        let messages = in_order(&lab);
        let fixture = fixture(&lab, &messages);
        let played = foldback_replay::run(
            Path::new("queue-lab.yaml"),
            &fixture,
            platform::TELEGRAM,
            &Options::default(),
        );
        let played = played.map_err(|case| {
            let why = case.mismatches.into_iter().next();
            failure::unfit_lab(&why.map_or_else(String::new, |why| why.message))
        })?;
        Ok(told(&messages, &played.events))
    });
    played.await.map_err(|error| failure::internal(&error))?
}

/// The messages by their time.
fn in_order(lab: &QueueLab) -> Vec<QueueLabMessage> {
    let mut messages = lab.messages.clone();
    messages.sort_by_key(|message| message.at_ms);
    messages
}

fn fixture(lab: &QueueLab, messages: &[QueueLabMessage]) -> Fixture {
    let mut queue = Map::new();
    let set = [
        ("mode", lab.mode.clone().map(Value::from)),
        ("cap", lab.cap.map(Value::from)),
        ("drop", lab.drop.clone().map(Value::from)),
        ("debounce", lab.debounce_ms.map(|ms| format!("{ms}ms").into())),
    ];
    queue.extend(
        set.into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?))),
    );
    // All write in one conversation, as in a chat that several share.
    let mut config = Map::from_iter([
        ("queue".to_owned(), Value::Object(queue)),
        ("session".to_owned(), json!({"scope": "global"})),
    ]);
    if let Some(ms) = lab.channel_debounce_ms {
        let channel = json!({"telegram": {"debounce": format!("{ms}ms")}});
        config.insert("channels".to_owned(), channel);
    }
    let mut steps = Vec::new();
    let mut now = 0;
    for message in messages {
        if message.at_ms > now {
            steps.push(FixtureStep::WaitMs((message.at_ms - now).into()));
            now = message.at_ms;
        }
        steps.push(FixtureStep::User(written(message)));
    }
    let answer = |number: usize| {
        FixtureStep::Agent(vec![ScriptStep {
            after_ms: lab.run_ms.into(),
            act: Act::Text(format!("Answer {number}.")),
        }])
    };
    // One that a run takes in may have a run of its own behind that.
    steps.extend((1..=2 * messages.len()).map(answer));
    Fixture {
        name: "Queue lab".to_owned(),
        about: String::new(),
        channel: Channels::One(platform::TELEGRAM),
        rules: Vec::new(),
        config,
        files: None,
        accepts: None,
        links: BTreeMap::new(),
        commands: None,
        steps,
        faults: Vec::new(),
        expect: Vec::new(),
        never_visible: Vec::new(),
        turns: Vec::new(),
        suppressed: None,
    }
}

fn written(message: &QueueLabMessage) -> UserStep {
    UserStep {
        text: message.text.clone(),
        channel: None,
        from: message.sender.clone().unwrap_or_else(|| UserId::from("alice")),
        id: None,
        chat: ChatType::Group,
        thread: None,
        mentioned: true,
        forwarded: false,
        reply_to: None,
        is_bot: false,
        dry_run: false,
        context: None,
        files: Vec::new(),
        age_ms: 0,
    }
}

/// What became of the messages, from the events of the run.
fn told(messages: &[QueueLabMessage], events: &[Event]) -> QueueLabResult {
    let is_received = |event: &&Event| matches!(event.kind, Kind::Received { .. });
    let first = events.iter().find(is_received);
    let offset = messages.first().map_or(0, |message| i64::from(message.at_ms));
    let begin = first.map_or(Timestamp(0), |event| Timestamp(event.at.0 - offset));
    let ms = |at: Timestamp| u64::try_from(at.0 - begin.0).unwrap_or_default();
    let received = events.iter().filter(is_received);
    let turns: Vec<_> = received
        .filter_map(|event| turn(event.turn?, events, &ms))
        .collect();
    QueueLabResult {
        lasted_ms: turns
            .iter()
            .filter_map(|turn| turn.ended_ms)
            .max()
            .unwrap_or_default(),
        turns,
    }
}

fn turn(number: TurnId, events: &[Event], ms: &impl Fn(Timestamp) -> u64) -> Option<QueueLabTurn> {
    let of = || events.iter().filter(|event| event.turn == Some(number));
    let message = of().find_map(|event| match &event.kind {
        Kind::Received { message } => Some((message, event.at)),
        _ => None,
    });
    let (message, came) = message?;
    let began = of().find(|event| matches!(event.kind, Kind::RunStarted { .. }));
    let ended = of().find(|event| matches!(event.kind, Kind::RunEnded { .. } | Kind::RunFailed { .. }));
    let end = of().find_map(|event| match &event.kind {
        Kind::TurnEnded { terminal } => Some((terminal.clone(), ms(event.at))),
        _ => None,
    });
    let prompt = of().find_map(|event| match &event.kind {
        Kind::Prepared { prompt } => Some(prompt.clone()),
        _ => None,
    });
    let steps = of().filter(|event| is_of_queue(&event.kind)).map(|event| {
        let row = row(event, None);
        QueueLabStep {
            at_ms: ms(event.at),
            kind: row.kind,
            text: row.summary,
        }
    });
    Some(QueueLabTurn {
        turn: number,
        text: message.text.clone(),
        sender: message.sender.id.clone(),
        came_ms: ms(came),
        ran_ms: began
            .zip(ended)
            .map(|(began, ended)| (ms(began.at), ms(ended.at))),
        ended_ms: end.as_ref().map(|(_, at)| *at),
        terminal: end.map(|(terminal, _)| terminal),
        prompt,
        steps: steps.collect(),
    })
}

/// True for the wait for more of a sender, for what the queue decides, and for the run that follows.
const fn is_of_queue(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Waiting { op: None, .. }
            | Kind::Passed {
                stage: Stage::Debounce,
                ..
            }
            | Kind::Queued { .. }
            | Kind::NotSteered { .. }
            | Kind::Evicted { .. }
            | Kind::Joined { .. }
            | Kind::TakenIn { .. }
            | Kind::Dequeued { .. }
            | Kind::RunStarted { .. }
            | Kind::RunCancelled { .. }
            | Kind::RunEnded { .. }
            | Kind::Stopping { .. }
            | Kind::TurnEnded { .. }
    )
}
