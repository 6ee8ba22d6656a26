//! Nothing that the window offers is without something that emits it, and every gate says why it stopped a message: by
//! the fixtures, each on every channel it names.

use foldback_api::why;
use foldback_channels::platform;
use foldback_directives::HoldReason;
use foldback_replay::{
    Job, Options,
    fixture::{Fixture, find, load},
    run_all,
};
use foldback_store::row;
use foldback_wire::{
    DirectiveScope, Event, Gate, Kind, OutcomeCode, PermissionKind, Platform, SettingSource, Stage, Terminal,
    TurnId,
    rpc::{Why, WhyStep},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// What nothing emits yet. An entry that something emits fails the test, so that the list only shrinks.
const STAGES_WITHOUT: &[Stage] = &[];
const HOLDS_WITHOUT: &[HoldReason] = &[];
const GATES_WITHOUT: &[Gate] = &[];

/// The journals of all fixtures.
fn journals() -> &'static [(PathBuf, Vec<Event>)] {
    static JOURNALS: OnceLock<Vec<(PathBuf, Vec<Event>)>> = OnceLock::new();
    JOURNALS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let paths = find(&folder).unwrap().fixtures;
        let fixtures: Vec<(PathBuf, Fixture)> = paths
            .into_iter()
            .map(|path| (path.clone(), load(&path).unwrap()))
            .collect();
        let jobs: Vec<Job<'_>> = fixtures
            .iter()
            .flat_map(|(path, fixture)| {
                // One that edits messages, and one that cannot, where the fixture has both.
                let platforms = fixture.channel.platforms();
                let wanted = [platform::TELEGRAM, platform::SIGNAL];
                let wanted = wanted.into_iter().filter(|wanted| platforms.contains(wanted));
                let any = platforms.first().copied().into_iter();
                let mut chosen: Vec<Platform> = wanted.collect();
                if chosen.is_empty() {
                    chosen.extend(any);
                }
                chosen.into_iter().map(move |platform| Job {
                    path,
                    fixture,
                    platform,
                })
            })
            .collect();
        let mut journals = Vec::new();
        run_all(&jobs, None, &Options::default(), |index, played| {
            let played =
                played.unwrap_or_else(|case| panic!("{}: {:?}", jobs[index].path.display(), case.mismatches));
            journals.push((index, played.events));
            true
        });
        // They end in any order.
        journals.sort_by_key(|(index, _)| *index);
        let named = journals.into_iter();
        named
            .map(|(index, events)| (jobs[index].path.to_owned(), events))
            .collect()
    })
}

fn events() -> impl Iterator<Item = &'static Event> {
    journals().iter().flat_map(|(_, events)| events)
}

/// The members of a closed set that are not in `seen` and have no entry, and the entries that are seen.
fn unlike<T: Copy + Ord + std::fmt::Debug>(all: &[T], seen: &BTreeSet<T>, without: &[T]) -> Vec<T> {
    let wrong = |member: &&T| seen.contains(member) == without.contains(member);
    all.iter().filter(wrong).copied().collect()
}

#[test]
fn every_stage_is_the_stage_of_some_event() {
    let codes: BTreeSet<String> = events().map(|event| row(event, None).stage).collect();
    let seen = Stage::ALL.iter().filter(|stage| codes.contains(stage.code()));
    let seen = seen.copied().collect();
    assert_eq!(unlike(Stage::ALL, &seen, STAGES_WITHOUT), []);
}

#[test]
fn every_hold_reason_holds_something() {
    let reason = |event: &Event| match &event.kind {
        Kind::Held { hold, .. } => Some(hold.reason),
        Kind::Waiting { reason, .. } => Some(*reason),
        _ => None,
    };
    let seen = events().filter_map(reason).collect();
    assert_eq!(unlike(HoldReason::ALL, &seen, HOLDS_WITHOUT), []);
}

/// Every terminal, so that a new one does not compile without a number here.
const TERMINALS: usize = 12;

const fn number(terminal: &Terminal) -> usize {
    match terminal {
        Terminal::Replied => 0,
        Terminal::Silent { .. } => 1,
        Terminal::Command { .. } => 2,
        Terminal::DirectiveAck => 3,
        Terminal::Dropped => 4,
        Terminal::Summarised { .. } => 5,
        Terminal::Collected { .. } => 6,
        Terminal::Steered { .. } => 7,
        Terminal::Duplicate => 8,
        Terminal::Blocked { .. } => 9,
        Terminal::Failed { .. } => 10,
        Terminal::Unknown { .. } => 11,
    }
}

#[test]
fn every_terminal_ends_some_turn() {
    let terminal = |event: &Event| match &event.kind {
        Kind::TurnEnded { terminal } => Some(number(terminal)),
        _ => None,
    };
    let seen: BTreeSet<_> = events().filter_map(terminal).collect();
    assert_eq!(seen, (0..TERMINALS).collect());
}

/// What `why` says about the turn of an event, and the step that the event is; `None` where it has no part in the answer.
fn told(events: &[Event], event: &Event) -> Option<(Why, WhyStep)> {
    let turn: TurnId = event.turn.unwrap();
    let of: Vec<Event> = events
        .iter()
        .filter(|other| other.turn == Some(turn))
        .cloned()
        .collect();
    let why = why(turn, &of).unwrap();
    let step = why.steps.iter().find(|step| step.seq == event.seq.0);
    let step = step?.clone();
    Some((why, step))
}

/// The kind of an event that says no without a gate.
fn says_no(kind: &Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::InlineDirectives(read) if read.scope == DirectiveScope::Refused => "inline_directives",
        Kind::Gathered { fate, .. } if !fate.reached() => "gathered",
        Kind::Skipped { .. } => "skipped",
        Kind::Suppressed { .. } => "suppressed",
        Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::DryRun => "dry_run",
        Kind::MessageEnded {
            decided_by: Some(_), ..
        } => "narration",
        Kind::RunFailed { .. } => "run_failed",
        Kind::Truncated { .. } => "truncated",
        Kind::PermissionDecided { option, .. }
            if !option.as_ref().is_some_and(|option| {
                matches!(
                    option.kind,
                    PermissionKind::AllowOnce | PermissionKind::AllowAlways
                )
            }) =>
        {
            "permission_decided"
        }
        _ => return None,
    })
}

#[test]
fn what_says_no_without_a_gate_tells_from_what_by_which_setting_and_what_changes_it_too() {
    let mut by_setting = BTreeMap::new();
    for (path, events) in journals() {
        for event in events {
            let Some(name) = says_no(&event.kind) else {
                continue;
            };
            // A sign of typing and text that was shown after all are no noes.
            let Some((why, step)) = told(events, event).filter(|(_, step)| step.no) else {
                continue;
            };
            let about = format!("{name} in {}: {step:?} of {why:?}", path.display());
            assert!(!step.inputs.is_empty(), "{about}");
            assert_eq!(step.setting.is_some(), step.source.is_some(), "{about}");
            if let Some(setting) = &step.setting {
                // Its value is one of what it was decided from.
                assert!(step.inputs.iter().any(|input| input.name == *setting), "{about}");
                let change = step.change.as_deref().unwrap();
                assert!(change.ends_with('.') && change.contains(setting), "{about}");
                by_setting.insert(name, step);
            }
        }
    }
    let names: Vec<_> = by_setting.keys().copied().collect();
    assert_eq!(
        names,
        [
            "dry_run",
            "gathered",
            "inline_directives",
            "narration",
            "permission_decided",
            "run_failed",
            "skipped",
            "suppressed",
            "truncated"
        ]
    );
    for (name, key, change) in [
        ("dry_run", ".armed", "Arm the channel on its card, or set "),
        ("narration", ".narration", "Set "),
        (
            "run_failed",
            "agent.idle_timeout",
            "Set agent.idle_timeout to longer than ",
        ),
    ] {
        let step = &by_setting[name];
        let (setting, told) = (step.setting.as_deref().unwrap(), step.change.as_deref().unwrap());
        assert!(
            setting.ends_with(key) && told.starts_with(change),
            "{name}: {step:?}"
        );
    }
    let refused = &by_setting["inline_directives"];
    let setting = refused.setting.as_deref().unwrap();
    assert_eq!(refused.inputs[0].name, "sender");
    let sender = &refused.inputs[0].value;
    assert_eq!(refused.change, Some(format!("Add {sender} to {setting}.")));
}

/// The first stop of each gate, with what `why` says about its turn.
fn stops() -> BTreeMap<Gate, (PathBuf, Why, WhyStep)> {
    let mut stops = BTreeMap::new();
    for (path, events) in journals() {
        for event in events {
            let Kind::Stopping { gate, .. } = &event.kind else {
                continue;
            };
            let (why, step) = told(events, event).unwrap();
            stops.entry(*gate).or_insert((path.clone(), why, step));
        }
    }
    stops
}

/// One that earlier versions had is not offered any more, and a journal that has it is still read.
#[test]
fn a_gate_of_earlier_journals_is_read_as_the_one_that_took_its_place() {
    let read: Gate = serde_json::from_str("\"pairing_full\"").unwrap();
    assert_eq!(
        (read, serde_json::to_string(&read).unwrap().as_str()),
        (Gate::Unpaired, "\"unpaired\"")
    );
    assert!(Gate::ALL.iter().all(|gate| gate.code() != "pairing_full"));
}

#[test]
fn every_gate_stops_a_message_of_a_fixture_and_says_from_what_by_which_setting_and_what_changes_it() {
    let stops = stops();
    assert_eq!(
        unlike(Gate::ALL, &stops.keys().copied().collect(), GATES_WITHOUT),
        []
    );
    for (gate, (path, why, step)) in &stops {
        let about = format!("{gate} in {}: {why:?}", path.display());
        assert!(step.no && step.text.starts_with(gate.code()), "{about}");
        assert!(!step.inputs.is_empty(), "{about}");
        assert_eq!(step.setting.is_some(), step.source.is_some(), "{about}");
        let change = step.change.as_deref().unwrap();
        assert!(change.ends_with('.') && !change.contains('?'), "{about}");
        // The turn's sentence is about this gate where it is the first that said no.
        let first = why.steps.iter().find(|step| step.no).unwrap();
        assert_eq!(first.seq, step.seq, "{about}");
    }
}

#[test]
fn the_setting_is_told_with_the_place_its_value_comes_from_and_what_would_change_it() {
    use SettingSource::{Channel, Default, Session};
    let stops = stops();
    for (gate, setting, source, change) in [
        (
            Gate::ChannelClosed,
            "channels.telegram.allow_from",
            Channel,
            "Add alice to channels.telegram.allow_from.",
        ),
        (
            Gate::NotMentioned,
            "channels.telegram.require_mention",
            Default,
            "Mention the bot or answer one of its messages, write /activation always, or set \
             channels.telegram.require_mention to false.",
        ),
        (
            Gate::SendDenied,
            "/send on",
            Session,
            "Write /send on in the session.",
        ),
    ] {
        let (path, _, step) = &stops[&gate];
        let told = (step.setting.as_deref(), step.source, step.change.as_deref());
        assert_eq!(
            told,
            (Some(setting), Some(source), Some(change)),
            "{gate} in {}",
            path.display()
        );
    }
}
