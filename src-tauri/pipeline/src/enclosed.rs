//! What comes with the messages of a turn, gathered and understood before the agent runs: files, what is in them, and what
//! stands behind links.
//!
//! ```text
//!   a ─ files ─ understood ┐
//!   b ─ files ─ understood ┤   of at most AT_ONCE messages at a time, links beside files, and told in the messages' order
//!   a ─ links ─────────────┤
//!   b ─ links ─────────────┘
//! ```

use crate::{
    config::AttachmentsConfig,
    context::TurnContext,
    deadline::Deadline,
    pending::Pending,
    ports::Port,
    stages::{
        gather::{Gather, GatheredFile, GatheredFiles, UnderstandingMeans},
        links::LinkStage,
        understand::{UnderstandStage, UnderstoodFiles},
    },
};
use foldback_agents::{Agent, AgentFile, PictureLimits, speech::Transcriber};
use foldback_directives::redact::InboundSecrets;
use foldback_store::StoreError;
use foldback_wire::{Inbound, Kind};
use futures::{StreamExt as _, stream};
use tokio_util::sync::CancellationToken;

/// Messages whose files and links are read at once.
const AT_ONCE: usize = 4;

/// What came with a message.
#[derive(Debug, Default)]
pub(crate) struct Enclosed {
    /// The outcome of its files, in their order.
    pub(crate) notes: Vec<GatheredFile>,
    /// The files that the agent is given.
    pub(crate) files: Vec<AgentFile>,
    /// The sections of the prompt.
    pub(crate) sections: String,
    /// The texts of files and links that the agent is given: other people's words, none of which is carried out where it
    /// repeats them.
    pub(crate) texts: Vec<String>,
}

/// Reads what comes with messages for one turn.
pub(crate) struct EnclosedReader<'a> {
    context: &'a TurnContext,
    agent: &'a dyn Agent,
    gather: Gather<'a>,
    understand: UnderstandStage<'a>,
    links: LinkStage<'a>,
}

impl<'a> EnclosedReader<'a> {
    pub(crate) fn new(
        context: &'a TurnContext,
        pending: &'a Pending,
        port: &'a Port,
        agent: &'a dyn Agent,
        cancel: &'a CancellationToken,
    ) -> Self {
        let config = &context.ports.config;
        let clock = pending.recorder.clock.as_ref();
        let masks = context.redaction.as_ref();
        let masks = masks.filter(|redaction| redaction.inbound() == InboundSecrets::Agent);
        let transcriber = context.speech.transcriber.as_deref();
        Self {
            context,
            agent,
            gather: Gather {
                rules: context.rules,
                config: &config.attachments,
                accepts: agent.accepts(),
                means: means(context, agent),
                channel: &port.channel,
                clock,
                cancel,
            },
            understand: UnderstandStage {
                transcriber,
                documents: context.documents.as_ref(),
                document_wait: config.attachments.documents.timeout.0,
                descriptions: &config.attachments.descriptions,
                agent,
                clock,
                masks,
                cancel,
            },
            links: LinkStage {
                reader: context.links.as_ref(),
                config: &config.links,
                until: Deadline::after(clock, config.links.timeout.0),
                clock,
                masks,
                cancel,
            },
        }
    }

    /// What came with these messages, in their order; the journal is told of each in its own turn. Links do not wait for
    /// files: all of them share one deadline.
    pub(crate) async fn read(&self, messages: &[&Pending]) -> Result<Vec<Enclosed>, StoreError> {
        let (mut files, mut links) = (Vec::new(), Vec::new());
        for pending in messages {
            files.push(self.read_files(pending));
            links.push(self.links.read(&pending.message.text));
        }
        let files = stream::iter(files).buffered(AT_ONCE).collect::<Vec<_>>();
        let links = stream::iter(links).buffered(AT_ONCE).collect::<Vec<_>>();
        let (files, links) = tokio::join!(files, links);
        let mut all = Vec::new();
        for ((pending, files), linked) in messages.iter().zip(files).zip(links) {
            let (gathered, understood) = files?;
            let mut events = gathered.events(&pending.message);
            events.extend(understood.events());
            let texts = understood.texts().cloned().chain(linked.texts()).collect();
            events.extend(linked.events);
            pending.recorder.note_all(events)?;
            all.push(Enclosed {
                notes: gathered.notes,
                files: gathered.files,
                sections: understood.sections + &linked.section,
                texts,
            });
        }
        Ok(all)
    }

    async fn read_files(&self, pending: &Pending) -> Result<(GatheredFiles, UnderstoodFiles), StoreError> {
        self.tell_unable(pending)?;
        let mut gathered = self.gather.gather(&pending.message).await;
        let understood = self.understand.understand(&pending.message, &mut gathered).await;
        Ok((gathered, understood))
    }

    /// Says, once, that the backend describes no pictures where a setting wants them described.
    fn tell_unable(&self, pending: &Pending) -> Result<(), StoreError> {
        let AttachmentsConfig {
            enabled,
            descriptions,
            ..
        } = &self.context.ports.config.attachments;
        let is_wanted = *enabled && descriptions.enabled && !self.agent.accepts().images;
        let is_picture = |file: &foldback_wire::Attachment| file.media_type.starts_with("image/");
        let backend = self.agent.backend();
        if is_wanted
            && pending.message.files.iter().any(is_picture)
            && self.agent.describes().is_none()
            && self.context.unable.is_new(backend)
        {
            let detail = format!("{backend} describes no pictures (attachments.descriptions.enabled)");
            pending.recorder.note(Kind::Warned { detail })?;
        }
        Ok(())
    }
}

/// The means by which the files of a message are understood for an agent.
fn means<'a>(context: &'a TurnContext, agent: &dyn Agent) -> UnderstandingMeans<'a> {
    let config = &context.ports.config.attachments.descriptions;
    let own = PictureLimits {
        bytes: config.max_size.0,
        number: config.max_pictures,
    };
    let is_wanted = config.enabled && !agent.accepts().images;
    let limits = agent.describes().filter(|_| is_wanted);
    UnderstandingMeans {
        transcribes: context.speech.transcriber.is_some(),
        documents: context.documents.as_ref(),
        describes: limits.map(|limits| limits.and(own)),
    }
}

/// True where a message has a picture or a document that is understood before its run. A voice message is not counted:
/// what is said in it is the sender's own.
pub(crate) fn has_file_to_read(context: &TurnContext, agent: &dyn Agent, message: &Inbound) -> bool {
    let means = means(context, agent);
    message.files.iter().any(|file| {
        !Transcriber::takes(&file.media_type) && means.plan(&file.name, &file.media_type).is_some()
    })
}
