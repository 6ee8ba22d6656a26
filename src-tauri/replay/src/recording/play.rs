//! Plays a recording again: what came in comes in, what the agent said is said, what a person switched is
//! switched, all at the recorded moments; the pipeline decides anew.

use super::{
    Recording,
    script::script,
    story::{Known, Turn, divergence},
};
use crate::{
    case::Case,
    deliveries::{Run, fold},
    run::{Options, end},
    stage::{Props, Stage, StageError, some_file},
};
use foldback_agents::{Act, ScriptStep};
use foldback_pipeline::{
    config::{ChannelKind, Config, embedded},
    invariants::{self, Extent},
};
use foldback_wire::{
    Actor, ChannelId, ChannelState, Clock, Event, Inbound, Kind, OpKind, Platform, Timestamp, TurnId,
    rpc::{Comparison, Mismatch, Verdict},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

/// Something that happens to the bot.
enum Happens {
    /// Somebody writes, and the agent will answer so.
    Message(Box<Inbound>, Vec<ScriptStep>),
    /// A person switches the channel.
    Switch(bool),
    /// A person arms the channel, or sends it back to dry runs.
    Arm(bool),
    /// A person mutes or unmutes all outbound.
    Mute(bool),
}

/// Plays one channel of a recording on the loopback profile of its platform and says where it first goes
/// another way: verdict `changed`. Answers with the case and the journal of the run. Blocks, as
/// [`crate::run()`] does.
pub fn play(
    path: &Path,
    recording: &Recording,
    channel: &ChannelId,
    options: &Options,
) -> Result<(Case, Vec<Event>), Box<Case>> {
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    let failed = |message: String| Box::new(Case::error(&*name, path, channel.as_str(), message));
    let own: Vec<Event> = recording
        .events
        .iter()
        .filter(|event| {
            let everywhere = matches!(event.kind, Kind::Muted { .. } | Kind::Started { .. });
            everywhere || event.channel.as_ref() == Some(channel)
        })
        .cloned()
        .collect();
    let mut then = turns(&own);
    let copies = take_copies(&mut then);
    if then.is_empty()
        && let Some((turn, first)) = copies.first()
    {
        return Err(failed(format!(
            "the message of turn {turn} is a copy of the one of turn {first}, which is not in this recording: \
             alone it would be new; export both, such as with --where turn:{first},{turn}"
        )));
    }
    let props = props(recording, channel, &own).map_err(&failed)?;
    let epoch = own.first().map(|event| event.at).unwrap_or_default();
    let runtime = options
        .speed
        .runtime()
        .map_err(|error| failed(format!("no runtime: {error}")))?;
    let events = runtime
        .block_on(async {
            let clock = options.speed.clock(epoch);
            let stage = Stage::set(props, Arc::clone(&clock), &options.mutation).await?;
            act(&stage, happenings(&own, &then), clock.as_ref()).await
        })
        .map_err(|error| failed(error.to_string()))?;

    let known: Known<'_> = then.values().map(|turn| &turn.message.message).collect();
    let again = turns(&events);
    let mut mismatches = Vec::new();
    let mut comparison = Comparison::default();
    for ((number, then), now) in then.iter().zip(again.values()) {
        if !then.judged() {
            continue;
        }
        let at = format!("turn {number}");
        if let Some((mismatch, both)) = divergence(&at, &then.lines(&known), &now.lines(&known)) {
            mismatches.push(mismatch);
            comparison = both;
            break;
        }
    }
    mismatches.extend(broken(&events));
    let Run { deliveries, turns } = fold(&events);
    let verdict = if mismatches.is_empty() {
        Verdict::Pass
    } else {
        Verdict::Changed
    };
    let case = Case {
        fixture: name.into_owned(),
        path: path.to_owned(),
        channel: channel.to_string(),
        verdict,
        deliveries,
        turns,
        mismatches,
        comparison,
    };
    Ok((case, events))
}

/// The turns that began in these events, by number, which is the order in which they came in. A message that
/// was refused because the process was ending is as if it had never come.
fn turns(events: &[Event]) -> BTreeMap<TurnId, Turn<'_>> {
    let mut turns: BTreeMap<TurnId, Turn<'_>> = BTreeMap::new();
    for event in events {
        match (event.turn, &event.kind) {
            (None, Kind::Started { .. }) => turns.values_mut().for_each(Turn::cut),
            (Some(number), Kind::Received { message }) => {
                turns.entry(number).or_insert_with(|| Turn::new(message));
            }
            _ => {}
        }
        if let Some(turn) = event.turn.and_then(|number| turns.get_mut(&number)) {
            turn.events.push(event.clone());
        }
    }
    turns.retain(|_, turn| !turn.came_too_late());
    turns
}

/// Takes out the turns that were stopped as duplicates of a message that came before the recording begins:
/// without it nobody could tell that they are. Answers which they are, and of which turns.
fn take_copies<'a>(turns: &mut BTreeMap<TurnId, Turn<'a>>) -> Vec<(TurnId, String)> {
    let mut seen = BTreeSet::new();
    let alone = |_: &TurnId, turn: &mut Turn<'a>| {
        let Inbound {
            chat,
            thread,
            message,
            ..
        }: &'a Inbound = turn.message;
        let first = seen.insert((chat, thread, message));
        first && turn.copy_of().is_some()
    };
    let copies = turns.extract_if(.., alone).collect::<Vec<_>>();
    let named = |(number, turn): (TurnId, Turn<'_>)| turn.copy_of().map(|first| (number, first.to_owned()));
    copies.into_iter().filter_map(named).collect()
}

/// The stage on which it is played.
fn props(recording: &Recording, channel: &ChannelId, own: &[Event]) -> Result<Props, String> {
    let mut config: Config = recording.head.config.as_deref().cloned().unwrap_or_else(embedded);
    config.channels.retain(|id, _| id == channel);
    let settings = config.channels.entry(channel.clone()).or_insert_with(|| {
        // A recording without this channel's table: as the embedded default has its channels.
        embedded().channels.into_values().next().unwrap_or_default()
    });
    let platform = settings
        .platform(channel)
        .filter(|_| recording.head.config.is_some())
        .or_else(|| Platform::from_code(channel.as_str()))
        .ok_or_else(|| {
            format!("nothing says whose rules the channel {channel} follows; export with --config")
        })?;
    settings.kind = Some(ChannelKind::Loopback);
    settings.platform = Some(platform);
    settings.enabled = true;
    let sent = |event: &Event| match &event.kind {
        Kind::Intended { intent, .. } if intent.kind == OpKind::SendFile => intent.path.clone(),
        _ => None,
    };
    let files = own
        .iter()
        .filter_map(sent)
        .map(|path| (path, some_file()))
        .collect();
    Ok(Props {
        channel: channel.clone(),
        platform,
        config,
        files,
        faults: Vec::new(),
    })
}

/// What happened to the bot, in order.
fn happenings(own: &[Event], turns: &BTreeMap<TurnId, Turn<'_>>) -> Vec<(Timestamp, Happens)> {
    let person = |by: &Actor| matches!(by, Actor::Console | Actor::Cli | Actor::User(_));
    let happens = |event: &Event| {
        let what = match &event.kind {
            Kind::Received { message } => {
                let turn = turns.get(&event.turn?)?;
                let mut answer = script(&turn.events);
                if turn.is_cut() && !answer.is_empty() {
                    answer.push(Act::Error("the process ended".to_owned()).into());
                }
                Happens::Message(message.clone(), answer)
            }
            Kind::ChannelState {
                to: ChannelState::Off,
                by,
                ..
            } if person(by) => Happens::Switch(false),
            Kind::ChannelState {
                from: ChannelState::Off,
                by,
                ..
            } if person(by) => Happens::Switch(true),
            Kind::Armed { armed, by } if person(by) => Happens::Arm(*armed),
            Kind::Muted { muted, by } if person(by) => Happens::Mute(*muted),
            _ => return None,
        };
        Some((event.at, what))
    };
    own.iter().filter_map(happens).collect()
}

async fn act(
    stage: &Stage,
    happenings: Vec<(Timestamp, Happens)>,
    clock: &dyn Clock,
) -> Result<Vec<Event>, StageError> {
    for (at, what) in happenings {
        clock.sleep_until(at).await;
        // The channel is the stage's own, so it exists.
        match what {
            Happens::Message(message, answer) => {
                if !answer.is_empty() {
                    stage.agent.queue(Some(message.message.clone()), answer);
                }
                if stage.loopback.inject(*message).is_err() {
                    let detail = "more messages at once than a channel takes".to_owned();
                    return Err(StageError::Config(detail));
                }
            }
            Happens::Switch(on) => {
                let why = "the recording says so";
                let _ = stage.engine.toggle(&stage.channel, on, Actor::Console, why).await;
            }
            Happens::Arm(armed) => {
                let _ = stage.engine.arm(&stage.channel, armed, Actor::Console);
            }
            Happens::Mute(muted) => {
                stage.engine.mute(muted, Actor::Console);
            }
        }
    }
    end(stage, clock).await
}

/// What must not be in any journal.
fn broken(events: &[Event]) -> Vec<Mismatch> {
    invariants::check(events, Extent::Running)
        .into_iter()
        .map(|violation| Mismatch {
            at: "journal".to_owned(),
            expected: String::new(),
            actual: violation.to_string(),
            message: "the journal breaks an invariant".to_owned(),
        })
        .collect()
}
