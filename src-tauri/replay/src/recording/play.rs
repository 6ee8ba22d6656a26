//! Plays a recording again: what came in comes in, what the agent said is said, what a person switched is
//! switched, all at the recorded moments; the pipeline decides anew.

use super::{
    Recording, answers,
    scene::{self, Scene},
    script::script,
    sent,
    story::{Known, Turn, divergence},
};
use crate::{
    case::Case,
    deliveries::{Run, fold},
    run::{Options, asked, decide, end},
    stage::{Stage, StageError},
};
use foldback_agents::{Act, ScriptStep};
use foldback_channels::sim::SimPlatform;
use foldback_pipeline::invariants::{self, Extent};
use foldback_store::StoreError;
use foldback_wire::{
    Actor, ChannelId, ChannelState, Clock, DeliveryRequest, Event, Gate, Inbound, Kind, MessageId,
    PairingStep, PermissionId, SessionId, Timestamp, TurnId, UserId,
    rpc::{Comparison, Mismatch, PendingPermission, Verdict},
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
    /// What an action produced, or what came due, is delivered, and the agent will answer so.
    Delivery(Box<DeliveryRequest>, MessageId, Vec<ScriptStep>),
    /// A person switches the channel.
    Switch(bool),
    /// A person arms the channel, or sends it back to dry runs.
    Arm(bool),
    /// A person lets go what is held for too long, or gives it up.
    Settle(bool),
    /// An operator decides about somebody unknown.
    Pairing(PairingStep, UserId),
    /// A request for permission is answered with the option of this id, or cancelled.
    Permit(PermissionId, Option<String>),
    /// A person drops one of the messages that wait in a conversation, maybe with others.
    Drop(SessionId),
    /// A person has the agent forget a conversation.
    Reset(SessionId),
    /// A person mutes or unmutes all outbound.
    Mute(bool),
}

/// What belongs to a channel of a recording: also what its turns did elsewhere, and nothing that turns of other
/// channels did there.
fn own_events(recording: &Recording, channel: &ChannelId) -> Vec<Event> {
    let received = |event: &&Event| matches!(event.kind, Kind::Received { .. });
    let homes: BTreeMap<TurnId, Option<&ChannelId>> = recording
        .events
        .iter()
        .filter(received)
        .filter_map(|event| Some((event.turn?, event.channel.as_ref())))
        .collect();
    let is_own = |event: &&Event| {
        let everywhere = matches!(event.kind, Kind::Muted { .. } | Kind::Started { .. });
        let home = event.turn.and_then(|turn| homes.get(&turn).copied());
        everywhere || home.unwrap_or(event.channel.as_ref()) == Some(channel)
    };
    recording.events.iter().filter(is_own).cloned().collect()
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
    let own = own_events(recording, channel);
    let mut then = turns(&own);
    let late = take_late(&mut then);
    let copies = take_copies(&mut then);
    let notes = notes(&late, &copies, &then);
    if then.values().all(|turn| turn.unjudged().is_some()) {
        let why = notes.join("; ");
        return Err(failed(format!(
            "{why}; so there is nothing to compare: export a turn that is over"
        )));
    }
    let Scene { props, outside } = scene::of(recording, channel, &own).map_err(&failed)?;
    let epoch = own.first().map(|event| event.at).unwrap_or_default();
    let runtime = options
        .speed
        .runtime()
        .map_err(|error| failed(format!("no runtime: {error}")))?;
    let events = runtime
        .block_on(async {
            let clock = options.speed.clock(epoch);
            let stage = Stage::set(props, Arc::clone(&clock), &options.mutation).await?;
            let happenings = happenings(&own, &then, &mut stage.loopback.platform());
            act(&stage, happenings, clock.as_ref()).await
        })
        .map_err(|error| failed(error.to_string()))?;

    let known: Known<'_> = then.values().map(|turn| &turn.message.message).collect();
    let again = turns(&events);
    let (mut mismatches, comparison) = differences(&then, &again, &known, &outside);
    mismatches.extend(broken(&events));
    let Run { deliveries, turns } = fold(&events, channel);
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
        updated: false,
        notes,
        comparison,
    };
    Ok((case, events))
}

/// The first difference between the turns as they were recorded and as they were played, with both tellings.
fn differences(
    then: &BTreeMap<TurnId, Turn<'_>>,
    again: &BTreeMap<TurnId, Turn<'_>>,
    known: &Known<'_>,
    outside: &BTreeMap<TurnId, String>,
) -> (Vec<Mismatch>, Comparison) {
    let mut played = again.values();
    for (number, then) in then {
        let at = format!("turn {number}");
        let came = |turn: Option<&Turn<'_>>| {
            turn.map_or_else(
                || "nothing".to_owned(),
                |turn| format!("message {}", turn.message.message),
            )
        };
        let now = played.next();
        let Some(now) = now.filter(|now| now.message.message == then.message.message) else {
            let mismatch = Mismatch {
                at,
                expected: came(Some(then)),
                actual: came(now),
                message: "its message does not come in".to_owned(),
            };
            return (vec![mismatch], Comparison::default());
        };
        if then.unjudged().is_some() {
            continue;
        }
        let Some((mut mismatch, both)) = divergence(&at, &then.lines(known), &now.lines(known)) else {
            continue;
        };
        if let Some(path) = outside.get(number) {
            mismatch.message = format!(
                "{}; {path} is not below files.send_dir as the recording gives it, so here it is not sent",
                mismatch.message
            );
        }
        return (vec![mismatch], both);
    }
    let more = played.map(|turn| Mismatch {
        at: String::new(),
        expected: String::new(),
        actual: format!("message {}", turn.message.message),
        message: "a message comes in that was not recorded".to_owned(),
    });
    (more.collect(), Comparison::default())
}

/// What is not played or not compared.
fn notes(late: &[TurnId], copies: &[(TurnId, String)], then: &BTreeMap<TurnId, Turn<'_>>) -> Vec<String> {
    let late = late
        .iter()
        .map(|turn| format!("turn {turn} is not played: it came when the process was ending"));
    let copies = copies.iter().map(|(turn, first)| {
        format!(
            "turn {turn} is not played: its message is a copy of the one of turn {first}, which is not in this \
             recording, and alone it would be new; export both, such as with --where turn:{first},{turn}"
        )
    });
    let unjudged = then.iter().filter_map(|(turn, told)| {
        let why = told.unjudged()?;
        Some(format!("turn {turn} is not compared: {why}"))
    });
    let acted = then.values().flat_map(|turn| &turn.events);
    let acted = acted
        .filter(|event| matches!(event.kind, Kind::ActionStarted(_)))
        .count();
    let acted = (acted > 0).then(|| {
        let (what, are) = if acted == 1 {
            ("1 action", "is")
        } else {
            (&*format!("{acted} actions"), "are")
        };
        format!("{what} {are} not carried out again: what came of it then comes in as it was recorded")
    });
    late.chain(copies).chain(unjudged).chain(acted).collect()
}

/// The turns that began in these events, by number, which is the order in which they came in.
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
    turns
}

/// Takes out the turns that were refused because the process was ending: as if they had never come.
fn take_late(turns: &mut BTreeMap<TurnId, Turn<'_>>) -> Vec<TurnId> {
    let late = turns.extract_if(.., |_, turn| turn.came_too_late());
    late.map(|(number, _)| number).collect()
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

/// Longest text, in bytes, that stands in for one that the journal does not keep.
const LONGEST_STAND_IN: usize = 65_536;

/// What happened to the bot, in order.
fn happenings(
    own: &[Event],
    turns: &BTreeMap<TurnId, Turn<'_>>,
    platform: &mut SimPlatform,
) -> Vec<(Timestamp, Happens)> {
    let mut happens = |event: &Event| {
        let what = match &event.kind {
            Kind::Received { message } => {
                let turn = turns.get(&event.turn?)?;
                let mut answer = script(&turn.events);
                if turn.is_cut() && !answer.is_empty() {
                    answer.push(Act::Error("the process ended".to_owned()).into());
                }
                if let Some(request) = delivery_of(turn) {
                    let delivery = Happens::Delivery(request, message.message.clone(), answer);
                    return Some((event.at, delivery));
                }
                let mut message = message.clone();
                if let Some(omitted) = message.omitted.take() {
                    // Any text does, as it is not for the bot; a message needs some.
                    let bytes = usize::try_from(omitted.bytes).unwrap_or(usize::MAX);
                    message.text = "x".repeat(bytes.clamp(1, LONGEST_STAND_IN));
                }
                sent::send(&mut message, turn, platform);
                Happens::Message(message, answer)
            }
            Kind::ChannelState {
                to: ChannelState::Off,
                by,
                ..
            } if by.is_person() => Happens::Switch(false),
            Kind::ChannelState {
                from: ChannelState::Off,
                by,
                ..
            } if by.is_person() => Happens::Switch(true),
            Kind::Armed { armed, by } if by.is_person() => Happens::Arm(*armed),
            Kind::HeldSettled { send, by } if by.is_person() => Happens::Settle(*send),
            Kind::Pairing { step, sender, .. }
                if !matches!(step, PairingStep::Requested | PairingStep::Replaced) =>
            {
                Happens::Pairing(*step, sender.clone())
            }
            Kind::Stopping {
                gate: Gate::Dropped, ..
            } => Happens::Drop(event.session.clone()?),
            // Those of a sender come with the message, and those of the pipeline with the time.
            Kind::SessionReset { by, .. } if by.is_person() && !matches!(by, Actor::User(_)) => {
                Happens::Reset(event.session.clone()?)
            }
            Kind::Muted { muted, by } if by.is_person() => Happens::Mute(*muted),
            _ => return None,
        };
        Some((event.at, what))
    };
    let happened: Vec<_> = own.iter().filter_map(&mut happens).collect();
    let answers = turns.values().flat_map(|turn| answers(&turn.events));
    // An answer in the chat is a message, which comes in by itself.
    let permits = answers
        .filter(|answer| !matches!(answer.by, Actor::User(_)))
        .map(|answer| {
            (
                answer.at,
                Happens::Permit(answer.id, answer.option.map(|option| option.id)),
            )
        });
    let mut all: Vec<_> = happened.into_iter().chain(permits).collect();
    all.sort_by_key(|(at, _)| *at);
    all
}

/// The request that began a turn, if one did. Turns have other numbers here, so that it names no cause: its depth and its
/// limits are those that its cause gave it.
fn delivery_of(turn: &Turn<'_>) -> Option<Box<DeliveryRequest>> {
    turn.events.iter().find_map(|event| match &event.kind {
        Kind::DeliveryDue(request) => {
            let mut request = request.clone();
            request.cause = None;
            Some(request)
        }
        _ => None,
    })
}

/// Turns have other numbers here. What was meant waited longest: what came after the question was not in it.
async fn drop_oldest(stage: &Stage, session: &SessionId) -> Result<(), StageError> {
    let failed = |error: StoreError| StageError::Start(error.into());
    let line = stage.engine.session(session).await.map_err(failed)?;
    let Some(oldest) = line.and_then(|line| line.waiting.first().copied()) else {
        return Ok(());
    };
    let dropped = stage
        .engine
        .drop_waiting(session, Some(&[oldest]), &Actor::Console);
    dropped.map(drop).map_err(failed)
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
            Happens::Delivery(request, message, answer) => {
                if !answer.is_empty() {
                    stage.agent.queue(Some(message), answer);
                }
                // A refusal is an event of the run, and shows as a turn that is missing.
                let _ = stage.engine.deliver_again(*request).await;
            }
            Happens::Switch(on) => {
                let why = "the recording says so";
                let _ = stage.engine.toggle(&stage.channel, on, Actor::Console, why).await;
            }
            Happens::Arm(armed) => {
                let _ = stage.engine.arm(&stage.channel, armed, Actor::Console);
            }
            Happens::Settle(send) => {
                let (engine, channel) = (&stage.engine, &stage.channel);
                let settled = if send {
                    engine.release_held(channel, &Actor::Console)
                } else {
                    engine.give_up_held(channel, &Actor::Console)
                };
                settled.map_err(|error| StageError::Start(error.into()))?;
            }
            Happens::Pairing(PairingStep::Revoked, sender) => {
                // Who was let in before the recording began was not let in here.
                let engine = &stage.engine;
                let _ = engine
                    .revoke_pairing(&stage.channel, &sender, Actor::Console)
                    .await;
            }
            Happens::Pairing(step, sender) => {
                decide(stage, &sender, step == PairingStep::Approved).await?;
            }
            Happens::Permit(id, option) => {
                let ours = |pending: &PendingPermission| pending.request.id == id;
                // What the configuration decides waits for nobody.
                if let Some(pending) = asked(stage, clock, ours).await {
                    let (engine, turn) = (&stage.engine, pending.turn);
                    let _ = engine.decide_permission(turn, &id, option.as_deref(), Actor::Console);
                }
            }
            Happens::Drop(session) => drop_oldest(stage, &session).await?,
            Happens::Reset(session) => {
                let reset = stage.engine.reset_session(&session, Actor::Console).await;
                reset.map_err(|error| StageError::Start(error.into()))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Head;
    use foldback_wire::Seq;

    #[test]
    fn a_channels_events_are_those_of_its_turns_wherever_they_happen() {
        let event = |seq, turn: Option<u64>, channel: &str, kind: Kind| Event {
            seq: Seq(seq),
            at: Timestamp(0),
            turn: turn.map(TurnId),
            session: None,
            channel: Some(channel.into()),
            kind,
        };
        let received = |channel: &str| {
            let message = serde_json::json!({
                "channel": channel, "account": null, "chat": "c", "chat_type": "direct", "thread": null,
                "message": "m", "reply_to": null, "text": "hi", "mentioned": false, "files": [], "at": "2026-01-01T00:00:00.000Z",
                "sender": {"id": "a", "name": "a", "display_name": "A", "is_bot": false},
            });
            Kind::Received {
                message: serde_json::from_value(message).unwrap(),
            }
        };
        let recording = Recording {
            head: Head::default(),
            events: vec![
                event(1, Some(1), "telegram", received("telegram")),
                event(2, Some(2), "slack", received("slack")),
                event(3, Some(1), "slack", Kind::Idle),
                event(4, Some(2), "slack", Kind::Idle),
                event(5, None, "slack", Kind::Idle),
            ],
        };
        let seqs = |channel: &str| -> Vec<u64> {
            let own = own_events(&recording, &channel.into());
            own.iter().map(|event| event.seq.0).collect()
        };
        assert_eq!(seqs("telegram"), [1, 3]);
        assert_eq!(seqs("slack"), [2, 4, 5]);
    }
}
