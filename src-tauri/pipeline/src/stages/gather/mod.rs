//! Gathers the files that came with a message, before the agent runs: each is given to it, or named with the reason why
//! not. They are held in memory for the turn and written nowhere.

mod media;
mod understanding;

pub(crate) use understanding::{FileToUnderstand, UnderstandingMeans, UnderstandingPlan};

use crate::{
    config::{AttachmentKind, AttachmentsConfig},
    deadline::Deadline,
    rules::{Rule, Rules},
};
use foldback_agents::{Accepts, AgentFile, PictureLimits, speech::Transcriber};
use foldback_channels::{Channel, Refusal};
use foldback_wire::{Attachment, ChatId, Clock, FileFate, Inbound, Kind, RefusalCode};
use futures::{StreamExt as _, stream};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Files fetched at once.
const AT_ONCE: usize = 3;

/// The least time after which a file is asked for again that the platform refused for a rate limit. It doubles with each
/// refusal.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The outcome of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GatheredFile {
    pub(crate) media_type: String,
    /// Its size, where it came.
    pub(crate) bytes: Option<u64>,
    pub(crate) fate: FileFate,
    /// The reason, where there is something to say.
    pub(crate) why: String,
    /// The words for the agent about that, where not all of it is for the agent.
    pub(crate) told: Option<String>,
    /// The setting that would change it.
    pub(crate) setting: Option<&'static str>,
}

/// The files of a message.
#[derive(Debug, Default)]
pub(crate) struct GatheredFiles {
    /// The outcome of each, in their order.
    pub(crate) notes: Vec<GatheredFile>,
    /// Those the agent is given.
    pub(crate) files: Vec<AgentFile>,
    /// Those that are to be understood, in their order; an agent that takes such files is given them as well.
    pub(crate) to_understand: Vec<FileToUnderstand>,
}

impl GatheredFiles {
    /// The words for the journal.
    pub(crate) fn events(&self, message: &Inbound) -> Vec<Kind> {
        let all = (0..).zip(self.notes.iter().zip(&message.files));
        all.map(|(index, (note, file))| Kind::Gathered {
            index,
            name: file.name.clone(),
            media_type: note.media_type.clone(),
            bytes: note.bytes,
            fate: note.fate,
            why: note.why.clone(),
            setting: note.setting.map(str::to_owned),
            heard: None,
            decided_by: None,
        })
        .collect()
    }
}

/// The reason for which a file is left out.
struct Omission {
    fate: FileFate,
    why: String,
    setting: Option<&'static str>,
}

impl Omission {
    fn new(fate: FileFate, why: impl Into<String>, setting: Option<&'static str>) -> Self {
        let why = why.into();
        Self { fate, why, setting }
    }
}

/// The sum of the files that were taken of a message.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    files: usize,
    pictures: usize,
    bytes: u64,
}

impl Sum {
    /// The same with a file more.
    fn with(self, media_type: &str, bytes: u64) -> Self {
        Self {
            files: self.files + 1,
            pictures: self.pictures + usize::from(media::is_picture(media_type)),
            bytes: self.bytes.saturating_add(bytes),
        }
    }
}

/// The facts that decide about the files of a message.
pub(crate) struct Gather<'a> {
    pub(crate) rules: Rules,
    pub(crate) config: &'a AttachmentsConfig,
    pub(crate) accepts: Accepts,
    pub(crate) means: UnderstandingMeans<'a>,
    pub(crate) channel: &'a Channel,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) cancel: &'a CancellationToken,
}

impl Gather<'_> {
    /// Fetches what the agent takes, several at a time, and waits no longer than the setting says. What is too large or
    /// too many by what the platform tells is not asked for; what turns out to be is dropped.
    pub(crate) async fn gather(&self, message: &Inbound) -> GatheredFiles {
        let until = if self.rules.holds(Rule::GatherWait) {
            Deadline::after(self.clock, self.config.timeout.0)
        } else {
            Deadline::NEVER
        };
        let planned = self.plan(&message.files);
        let mut fetches = Vec::new();
        for (left, file) in planned.into_iter().zip(&message.files) {
            fetches.push(self.fetch(left, &message.chat, file, until));
        }
        // In their order, so that the same ones are left out whichever comes first.
        let mut fetches = stream::iter(fetches).buffered(AT_ONCE);
        let mut gathered = GatheredFiles::default();
        let (mut files, mut taken) = (message.files.iter(), Sum::default());
        while let (Some(came), Some(file)) = (fetches.next().await, files.next()) {
            let note = match came {
                Ok(bytes) => self.take(file, bytes, &mut taken, &mut gathered),
                Err(left) => note(media::essence(&file.media_type), None, left),
            };
            gathered.notes.push(note);
        }
        gathered
    }

    /// The files that are not even asked for, by what the platform tells of them.
    fn plan(&self, files: &[Attachment]) -> Vec<Option<Omission>> {
        let mut taken = Sum::default();
        let plan = files.iter().map(|file| {
            let (media_type, told) = (media::essence(&file.media_type), file.size.unwrap_or_default());
            let with = taken.with(&media_type, told);
            let left = self
                .unwanted(&file.name, &media_type)
                .or_else(|| self.too_large(&media_type, told))
                .or_else(|| self.too_many(with));
            if left.is_none() {
                taken = with;
            }
            left
        });
        plan.collect()
    }

    /// True where the settings or the agent leave files of this type out.
    fn unwanted(&self, name: &str, media_type: &str) -> Option<Omission> {
        if !self.rules.holds(Rule::GatherGiven) {
            return Some(Omission::new(FileFate::Unavailable, "no file is asked for", None));
        }
        if !self.rules.holds(Rule::GatherKinds) {
            return None;
        }
        let kind = AttachmentKind::of(media_type);
        if !self.config.enabled {
            let why = "no file of a message is fetched";
            return Some(Omission::new(
                FileFate::Disabled,
                why,
                Some("attachments.enabled"),
            ));
        }
        if !self.config.kinds.contains(&kind) {
            let why = format!("files of the kind {} are left out", kind.code());
            return Some(Omission::new(FileFate::Disabled, why, Some("attachments.kinds")));
        }
        let Accepts { images, files, .. } = self.accepts;
        let taken = self.is_given(media_type) || self.means.plan(name, media_type).is_some();
        let why = match (images, files) {
            _ if taken => return None,
            (false, false) => "the agent takes text only",
            (true, _) => "of all files the agent takes only pictures (PNG, JPEG, GIF, WebP)",
            (false, true) => "the agent takes no pictures",
        };
        Some(Omission::new(FileFate::NotTaken, why, None))
    }

    /// True where the agent takes files of this type.
    const fn takes(&self, is_picture: bool) -> bool {
        if is_picture {
            self.accepts.images
        } else {
            self.accepts.files
        }
    }

    /// True where the agent is given files of this type as they are. A voice message that is written down is not.
    fn is_given(&self, media_type: &str) -> bool {
        let is_heard = self.means.transcribes && Transcriber::takes(media_type);
        !is_heard && self.takes(media::is_picture(media_type))
    }

    /// The bounds of pictures: of those that the agent is given, or of those that are described to it.
    fn pictures(&self) -> PictureLimits {
        match self.means.describes {
            Some(limits) if !self.accepts.images => limits,
            _ => self.accepts.pictures,
        }
    }

    fn too_large(&self, media_type: &str, bytes: u64) -> Option<Omission> {
        if !self.rules.holds(Rule::GatherSize) {
            return None;
        }
        let left = |why, setting| Some(Omission::new(FileFate::TooLarge, why, setting));
        let most = self.config.max_size;
        if bytes > most.0 {
            let why = format!("it has {bytes} bytes, and at most {most} are taken");
            return left(why, Some("attachments.max_size"));
        }
        let most = self.pictures().bytes;
        if media::is_picture(media_type) && bytes > most {
            if !self.accepts.images {
                let why = format!("it has {bytes} bytes, and pictures up to {most} bytes are described");
                return left(why, Some("attachments.descriptions.max_size"));
            }
            let why = format!("it has {bytes} bytes, and the agent takes pictures up to {most} bytes");
            return left(why, None);
        }
        None
    }

    /// With so many, a file included.
    fn too_many(&self, sum: Sum) -> Option<Omission> {
        if !self.rules.holds(Rule::GatherMany) {
            return None;
        }
        let AttachmentsConfig {
            max_files, max_total, ..
        } = self.config;
        let left = |why, setting| Some(Omission::new(FileFate::TooMany, why, setting));
        if sum.files > *max_files {
            let why = format!("at most {max_files} files of a message are taken");
            return left(why, Some("attachments.max_files"));
        }
        if sum.bytes > max_total.0 {
            let why = format!("the files of a message may have {max_total} together");
            return left(why, Some("attachments.max_total"));
        }
        let most = self.pictures().number;
        if sum.pictures > most {
            if !self.accepts.images {
                let why = format!("at most {most} pictures of a message are described");
                return left(why, Some("attachments.descriptions.max_pictures"));
            }
            let why = format!("the agent takes at most {most} pictures of a message");
            return left(why, None);
        }
        None
    }

    /// The bytes of a file, unless it is left out already.
    async fn fetch(
        &self,
        left: Option<Omission>,
        chat: &ChatId,
        file: &Attachment,
        until: Deadline,
    ) -> Result<Vec<u8>, Omission> {
        if let Some(left) = left {
            return Err(left);
        }
        let limit = if self.rules.holds(Rule::GatherSize) {
            self.config.max_size.0
        } else {
            u64::MAX
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => {
                Err(Omission::new(FileFate::Cancelled, "the turn was cancelled while it came", None))
            }
            came = self.fetch_paced(chat, file, limit, until) => came.map_err(refused),
            () = until.passed(self.clock) => {
                let why = format!("it did not come within {}", self.config.timeout);
                Err(Omission::new(FileFate::TooSlow, why, Some("attachments.timeout")))
            }
        }
    }

    /// Asks for a file, and again once a rate limit is over: after the pause that the platform asks for, or after growing
    /// ones where it names none. A pause that ends later than the turn waits for its files is not begun.
    async fn fetch_paced(
        &self,
        chat: &ChatId,
        file: &Attachment,
        limit: u64,
        until: Deadline,
    ) -> Result<Vec<u8>, Refusal> {
        let mut pause = FIRST_PAUSE;
        loop {
            let refusal = match self.channel.fetch(chat, file, limit).await {
                Err(refusal) if refusal.code == RefusalCode::RateLimited => refusal,
                came => return came,
            };
            let again = Deadline::after(self.clock, refusal.retry_after.unwrap_or(pause).max(pause));
            if again >= until {
                return Err(refusal);
            }
            again.passed(self.clock).await;
            pause *= 2;
        }
    }

    /// A file that came: given, or to be written down, unless it is something else than was told, or too much.
    fn take(
        &self,
        file: &Attachment,
        bytes: Vec<u8>,
        taken: &mut Sum,
        gathered: &mut GatheredFiles,
    ) -> GatheredFile {
        let size = bytes.len() as u64;
        let (media_type, why) = if self.rules.holds(Rule::GatherMedia) {
            media::judge(&file.media_type, &bytes)
        } else {
            (media::essence(&file.media_type), None)
        };
        let with = taken.with(&media_type, size);
        let left = self
            .unwanted(&file.name, &media_type)
            .or_else(|| self.too_large(&media_type, size))
            .or_else(|| self.too_many(with));
        if let Some(left) = left {
            let why = [why, Some(left.why)].into_iter().flatten().collect::<Vec<_>>();
            let left = Omission::new(left.fate, why.join("; "), left.setting);
            return note(media_type, Some(size), left);
        }
        *taken = with;
        let came = AgentFile {
            name: file.name.clone(),
            media_type: media_type.clone(),
            bytes: Arc::from(bytes),
        };
        let mut fate = FileFate::Given;
        if let Some(plan) = self.means.plan(&file.name, &media_type) {
            fate = plan.fate();
            gathered.to_understand.push(FileToUnderstand {
                place: gathered.notes.len(),
                plan,
                file: came.clone(),
            });
        }
        if self.is_given(&media_type) {
            gathered.files.push(came);
            fate = FileFate::Given;
        }
        note(
            media_type,
            Some(size),
            Omission::new(fate, why.unwrap_or_default(), None),
        )
    }
}

fn note(media_type: String, bytes: Option<u64>, Omission { fate, why, setting }: Omission) -> GatheredFile {
    GatheredFile {
        media_type,
        bytes,
        fate,
        why,
        told: None,
        setting,
    }
}

fn refused(Refusal { code, detail, .. }: Refusal) -> Omission {
    match code {
        RefusalCode::TooLong => Omission::new(FileFate::TooLarge, detail, None),
        code => Omission::new(FileFate::Unavailable, format!("{code}: {detail}"), None),
    }
}
