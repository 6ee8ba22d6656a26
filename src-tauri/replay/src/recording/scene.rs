//! The stage on which a recording is played, as far as the recording tells.

use super::{Recording, faults::faults, sent, understood};
use crate::stage::{Props, some_file};
use foldback_channels::platform;
use foldback_pipeline::config::{ChannelConfig, ChannelKind, Config, DmPolicy, embedded};
use foldback_wire::{ChannelId, ChatType, Directive, DirectiveRef, Event, Kind, OpKind, Stage, TurnId};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

/// What is on the stage.
pub(super) struct Scene {
    pub(super) props: Props,
    /// Absolute paths that nothing places below the folder for files, by the turn whose agent wrote them: here
    /// they lead outside.
    pub(super) outside: BTreeMap<TurnId, String>,
}

/// The stage of one channel of a recording; else what is not known about it.
pub(super) fn of(recording: &Recording, channel: &ChannelId, own: &[Event]) -> Result<Scene, String> {
    let mut config: Config = recording.head.config.as_deref().cloned().unwrap_or_else(embedded);
    config.channels.clear();
    // What actions came to was recorded, and comes in again as it did.
    config.actions.without_interfaces = true;
    let settings = config
        .channels
        .entry(channel.clone())
        .or_insert(simulated_channel(recording, channel)?);
    let platform = settings
        .platform
        .ok_or_else(|| format!("nothing says whose rules the channel {channel} follows"))?;
    if settings.dm_policy == DmPolicy::Pairing {
        settings
            .group_allow_from
            .get_or_insert(settings.allow_from.clone());
        settings.allow_from.extend(approved_before(own));
    }
    let files = Files::of(own);
    if config.files.send_dir.is_relative()
        && let Some(root) = files.root()
    {
        config.files.send_dir = root;
    }
    let outside = files.outside(&config.files.send_dir);
    let files = files
        .sent
        .into_values()
        .map(|path| (path.to_owned(), some_file()));
    Ok(Scene {
        outside,
        props: Props {
            channel: channel.clone(),
            platform,
            others: BTreeSet::new(),
            has_fallback: false,
            files: files.collect(),
            config,
            faults: faults(own),
            accepts: sent::accepts(own),
            recorded_inputs: Some(sent::taken_into_runs(own)),
            descriptions: understood::descriptions(own),
            links: understood::links(own),
            commands: None,
            threads: Some(understood::threads(own)),
        },
    })
}

/// The settings of a channel of a recording, on its simulated platform.
///
/// # Errors
/// In words, where nothing says whose rules the channel follows.
pub fn simulated_channel(recording: &Recording, channel: &ChannelId) -> Result<ChannelConfig, String> {
    let recorded = recording.head.config.as_deref();
    let own = recorded.and_then(|config| config.channels.get(channel)).cloned();
    // A recording without this channel's table: as the embedded default has its channels.
    let mut settings = own.unwrap_or_else(|| embedded().channels.into_values().next().unwrap_or_default());
    let platform = settings
        .platform(channel)
        .filter(|_| recorded.is_some())
        .or_else(|| platform::from_code(channel.as_str()))
        .ok_or_else(|| {
            format!("nothing says whose rules the channel {channel} follows; export with --config")
        })?;
    settings.kind = Some(ChannelKind::Loopback);
    settings.platform = Some(platform);
    settings.enabled = true;
    Ok(settings)
}

/// People whom an operator had let in before the recording begins.
fn approved_before(own: &[Event]) -> BTreeSet<String> {
    let mut writers = BTreeMap::new();
    let mut met = BTreeSet::new();
    let mut approved = BTreeSet::new();
    for event in own {
        match (&event.kind, event.turn) {
            (Kind::Received { message }, Some(turn)) if message.chat_type == ChatType::Direct => {
                writers.insert(turn, &message.sender.id);
            }
            (Kind::Pairing { sender, .. }, _) => drop(met.insert(sender)),
            (
                Kind::Passed {
                    stage: Stage::Authorize,
                    ..
                },
                Some(turn),
            ) => {
                let writer = writers.get(&turn).filter(|writer| !met.contains(*writer));
                approved.extend(writer.map(|writer| writer.as_str().to_owned()));
            }
            _ => {}
        }
    }
    approved
}

/// The files of a recording.
struct Files<'a> {
    /// As the agent wrote them, where absolute.
    absolute: BTreeSet<(TurnId, (u32, u32), &'a str)>,
    /// Those that could be sent, by their path below the folder.
    sent: HashMap<(TurnId, (u32, u32)), &'a str>,
}

impl<'a> Files<'a> {
    fn of(own: &'a [Event]) -> Self {
        let place = |at: &DirectiveRef| (at.message, at.index);
        let mut files = Self {
            absolute: BTreeSet::new(),
            sent: HashMap::new(),
        };
        for event in own {
            match (event.turn, &event.kind) {
                (Some(turn), Kind::Directive { at, directive }) => {
                    if let Directive::SendFile { path, .. } = directive
                        && Path::new(path).is_absolute()
                    {
                        files.absolute.insert((turn, place(at), path));
                    }
                }
                (Some(turn), Kind::Intended { intent, .. }) if intent.kind == OpKind::SendFile => {
                    if let (Some(at), Some(path)) = (&intent.directive, &intent.path) {
                        files.sent.insert((turn, place(at)), path);
                    }
                }
                _ => {}
            }
        }
        files
    }

    /// Where the folder lay: what the agent wrote, without what was sent.
    fn root(&self) -> Option<PathBuf> {
        self.absolute.iter().find_map(|(turn, at, written)| {
            let sent = Path::new(self.sent.get(&(*turn, *at))?);
            let written = Path::new(written);
            let above = written.ancestors().nth(sent.components().count())?;
            (written.strip_prefix(above) == Ok(sent)).then(|| above.to_owned())
        })
    }

    /// What was sent by an absolute path that does not lie below this folder.
    fn outside(&self, folder: &Path) -> BTreeMap<TurnId, String> {
        let was_sent = |turn: TurnId, at: (u32, u32)| self.sent.contains_key(&(turn, at));
        self.absolute
            .iter()
            .filter(|(turn, at, path)| was_sent(*turn, *at) && !Path::new(path).starts_with(folder))
            .map(|(turn, _, path)| (*turn, (*path).to_owned()))
            .collect()
    }
}
