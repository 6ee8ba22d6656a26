//! A conversation through the whole pipeline, at the times of the transcript.

use super::{
    MessageIds,
    fixture::is_command_like,
    id, platform_of,
    script::{Pace, script},
    sender, text_in,
};
use crate::{
    clock::Speed,
    run::{end, quiet},
    stage::{EPOCH, Mutation, Props, Stage, StageError, named_files},
};
use foldback_agents::{Accepts, Act};
use foldback_pipeline::config::embedded;
use foldback_transcripts::{Conversation, TranscriptTurn};
use foldback_wire::{
    ChannelId, ChatId, ChatType, Clock, Event, Inbound, MessageId, Platform, Sender, UserId,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
    time::Duration,
};

/// Longest pause between two turns that is waited for.
pub const LONGEST_PAUSE: Duration = Duration::from_hours(6);

/// A turn with the id of its message.
type Numbered<'a> = (MessageId, &'a TranscriptTurn);

/// Plays the turns of a conversation on a simulated channel; answers with the journal of each bot that was started for
/// it. Blocks, as [`crate::run()`] does.
///
/// # Errors
/// In words, where no bot could be started.
pub fn play_conversation(
    conversation: &Conversation,
    platform: Option<Platform>,
) -> Result<Vec<Vec<Event>>, String> {
    let platform = platform.unwrap_or_else(|| platform_of(conversation));
    let mut ids = MessageIds::default();
    let mut parts: Vec<Vec<Numbered<'_>>> = Vec::new();
    let mut before = None;
    for (index, turn) in conversation.turns.iter().enumerate() {
        let paused = match (before, turn.at) {
            (Some(before), Some(at)) => at.since(before) > LONGEST_PAUSE,
            _ => parts.is_empty(),
        };
        if paused {
            parts.push(Vec::new());
        }
        before = turn.ended.or(turn.at).or(before);
        let numbered = (MessageId::from(ids.take(turn, index + 1)), turn);
        match parts.last_mut() {
            Some(part) => part.push(numbered),
            None => parts.push(vec![numbered]),
        }
    }
    parts
        .iter()
        .map(|part| play_part(conversation, part, platform))
        .collect()
}

fn play_part(
    conversation: &Conversation,
    turns: &[Numbered<'_>],
    platform: Platform,
) -> Result<Vec<Event>, String> {
    let runtime = Speed::Instant
        .runtime()
        .map_err(|error| format!("no runtime: {error}"))?;
    let epoch = turns.iter().find_map(|(_, turn)| turn.at).unwrap_or(EPOCH);
    runtime
        .block_on(async {
            let clock = Speed::Instant.clock(epoch);
            let stage = Stage::set(props(turns, platform), Arc::clone(&clock), &Mutation::default()).await?;
            for (message, turn) in turns {
                match turn.at.filter(|at| *at >= clock.now()) {
                    Some(at) => clock.sleep_until(at).await,
                    None => quiet(&stage, clock.as_ref()).await,
                }
                let inbound = inbound(conversation, turn, message, &stage.channel, clock.as_ref());
                let mut steps = script(turn, Pace::Kept);
                if steps.is_empty() {
                    steps.push(Act::Text(String::new()).into());
                }
                stage.agent.queue(Some(message.clone()), steps);
                if stage.loopback.inject(inbound).is_err() {
                    let detail = "more messages at once than a channel takes".to_owned();
                    return Err(StageError::Config(detail));
                }
            }
            end(&stage, clock.as_ref()).await
        })
        .map_err(|error| error.to_string())
}

/// The embedded configuration on one channel; every file that a directive names exists.
fn props(turns: &[Numbered<'_>], platform: Platform) -> Props {
    let channel = ChannelId::from(platform.code());
    let mut config = embedded();
    config.channels.retain(|id, _| *id == channel);
    let settings = config.output.settings();
    let files: BTreeMap<_, _> = turns
        .iter()
        .flat_map(|(_, turn)| turn.raw_texts())
        .flat_map(|text| named_files(text, &settings))
        .collect();
    Props {
        channel,
        platform,
        others: BTreeSet::new(),
        has_fallback: false,
        config,
        files,
        faults: Vec::new(),
        accepts: Accepts {
            images: true,
            files: true,
            ..Accepts::default()
        },
        // Each text answers a message of its own.
        recorded_inputs: Some(HashSet::new()),
        descriptions: Vec::new(),
        links: BTreeMap::new(),
        commands: None,
        threads: Some(BTreeMap::new()),
    }
}

fn inbound(
    conversation: &Conversation,
    turn: &TranscriptTurn,
    message: &MessageId,
    channel: &ChannelId,
    clock: &dyn Clock,
) -> Inbound {
    let asked = turn.inbound.as_ref();
    let place = asked
        .and_then(|asked| asked.chat.as_ref())
        .or(conversation.chat.as_ref());
    let chat = place.and_then(|place| place.chat.as_deref()).map_or_else(
        // Most are UUIDs, and one that begins with digits would be taken for a number.
        || format!("conversation-{}", conversation.id),
        str::to_owned,
    );
    let group = place.is_some_and(|place| place.group);
    let (sender, name) = sender(asked);
    let text = text_in(turn);
    Inbound {
        channel: channel.clone(),
        account: None,
        chat: ChatId::from(id(&chat)),
        chat_type: if group { ChatType::Group } else { ChatType::Direct },
        thread: place
            .and_then(|place| place.thread.as_deref())
            .map(|thread| id(thread).into()),
        message: message.clone(),
        reply_to: asked
            .and_then(|asked| asked.reply_to.as_deref())
            .map(|to| id(to).into()),
        sender: Sender {
            id: UserId::from(sender),
            name: name.clone(),
            display_name: name,
            is_bot: false,
        },
        mentioned: group,
        forwarded: is_command_like(&text),
        text,
        files: Vec::new(),
        at: clock.now(),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    }
}
