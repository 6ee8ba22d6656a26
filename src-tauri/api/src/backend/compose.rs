//! Manual tests: read, lint, preview, send.

use super::{Backend, preview::Scene};
use crate::{
    Output, failure,
    written_actions::{ChannelSender, WrittenActions},
};
use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use foldback_actions::known_actions;
use foldback_channels::Loopback;
use foldback_directives::{Diagnostic, Lines, parse, sort_findings, unread_actions};
use foldback_pipeline::config::Config;
use foldback_store::Mention;
use foldback_wire::{
    Attachment, ChannelId, ChatId, ChatType, Inbound, MessageId, Sender, Timestamp,
    rpc::{
        Approval, ChannelPreview, Compose, ComposeFile, ComposeResult, ComposeSend, Failure, Lint,
        MessageContext, Ruler, SendResult,
    },
};
use std::sync::Arc;

/// The chat that Compose writes in, and who writes.
pub(super) const CHAT: &str = "compose";
const SENDER: &str = "console";

impl Backend {
    pub(super) async fn read(&self, compose: Compose) -> Result<ComposeResult, Failure> {
        let Compose {
            user_text,
            agent_output,
            channels,
            dry_run,
        } = compose;
        let wanted = if channels.is_empty() {
            self.shared.config.channels.keys().cloned().collect()
        } else {
            channels
        };
        // One channel is read with its own settings; several with those they share.
        let settings = match wanted.as_slice() {
            [one] => self.shared.config.settings_of(one),
            _ => self.shared.config.output.settings(),
        };
        let (previews, rulers) = self.previews(&wanted, &user_text, &agent_output).await?;
        // Findings and fixes are about the text as it was written: a fix must not put a mask into it.
        let written = parse(&agent_output, &settings, Some(&user_text));
        let bash = &self.shared.config.actions.bash;
        let actions = WrittenActions {
            raw: &agent_output,
            parsed: &written,
            table: self.shared.engine.actions(),
            known: &known_actions(bash.timeout.0, bash.most_output()),
            senders: &self.senders(&wanted, &dry_run),
        };
        let mut findings = written.diagnostics.clone();
        findings.extend(actions.findings());
        findings.extend(unread_actions(&agent_output, &settings, Some(&user_text)));
        sort_findings(&mut findings);
        let mut outcomes = actions.outcomes();
        if let Some(secrets) = &self.shared.secrets {
            let previewed = outcomes.iter_mut().flat_map(|channel| &mut channel.actions);
            for action in previewed {
                let texts = [&mut action.name, &mut action.why];
                texts
                    .into_iter()
                    .chain(&mut action.command)
                    .for_each(|text| secrets.mask(text));
            }
        }
        let output = Output {
            raw: agent_output,
            user_text: Some(user_text),
            settings,
            secrets: self.shared.secrets.clone(),
        };
        let places = Lines::new(&output.raw);
        let lint = |diagnostic: Diagnostic| {
            let (start, end) = (
                places.place(diagnostic.span.start),
                places.place(diagnostic.span.end),
            );
            Lint {
                line: start.line as u32,
                column: start.column as u32,
                end_line: end.line as u32,
                end_column: end.column as u32,
                explanation: diagnostic.code.explain().to_owned(),
                diagnostic,
            }
        };
        Ok(ComposeResult {
            parsed: output.read(),
            lints: findings.into_iter().map(lint).collect(),
            masked: output.masked(&self.shared.config.redact),
            redacts: output.secrets.is_some(),
            previews,
            rulers,
            actions: outcomes,
        })
    }

    /// Whoever writes in Compose, on each channel, and as a dry run on these.
    fn senders(&self, channels: &[ChannelId], dry_run: &[ChannelId]) -> Vec<ChannelSender> {
        let sender = |channel: &ChannelId| {
            let message = Inbound {
                dry_run: dry_run.contains(channel),
                ..self.inbound(channel, MessageId::new(""), String::new())
            };
            Some(ChannelSender {
                channel: channel.clone(),
                asker: self.shared.engine.asker_of_message(&message)?,
                dry_run: self.shared.engine.dry_run_of_message(&message),
                sender: message.sender.id.as_str().to_owned(),
            })
        };
        channels.iter().filter_map(sender).collect()
    }

    /// What each channel would show, all at the same time.
    async fn previews(
        &self,
        channels: &[ChannelId],
        user_text: &str,
        agent_output: &str,
    ) -> Result<(Vec<ChannelPreview>, Vec<Ruler>), Failure> {
        let mut scenes = Vec::new();
        for id in channels {
            if !self.shared.config.channels.contains_key(id) {
                return Err(failure::no_channel(id));
            }
            let scene = Scene {
                config: Arc::clone(&self.shared.config),
                base: self.shared.base.clone(),
                inbound: self.inbound(id, MessageId::new(""), user_text.to_owned()),
                agent_output: agent_output.to_owned(),
                actions: self.shared.engine.actions().rows().cloned().collect(),
            };
            scenes.push(tokio::task::spawn_blocking(move || scene.play()));
        }
        let mut played = (Vec::new(), Vec::new());
        for scene in scenes {
            played.extend([scene.await.map_err(|e| failure::internal(&e))??]);
        }
        Ok(played)
    }

    pub(super) async fn send(&self, send: ComposeSend) -> Result<SendResult, Failure> {
        let ComposeSend {
            channel,
            user_text,
            agent_output,
            dry_run,
            files,
            context,
        } = send;
        self.known(&channel)?;
        let files = self.attach(&channel, files)?;
        let inbound = if let Some(simulated) = self.shared.loopbacks.get(&channel) {
            let chat = context.chat.clone().unwrap_or_else(|| ChatId::new(CHAT));
            let message = self.fresh_message(&channel, &chat, simulated).await?;
            let inbound = surrounded(self.inbound(&channel, message, user_text), context);
            simulated.platform().receive(inbound)
        } else {
            // A platform elsewhere never saw this message; an answer that names it is refused there.
            let message = MessageId::new(format!("compose-{}", self.shared.clock.now().0));
            surrounded(self.inbound(&channel, message, user_text), context)
        };
        let inbound = Inbound {
            dry_run,
            files,
            ..inbound
        };
        self.submit(inbound, agent_output, None).await
    }

    /// An id for a message of the chat that Compose writes in. A simulated platform begins anew with each process and
    /// counts from the clock, so that ids of an earlier process can lie ahead of it; those are stepped over.
    async fn fresh_message(
        &self,
        channel: &ChannelId,
        chat: &ChatId,
        simulated: &Loopback,
    ) -> Result<MessageId, Failure> {
        loop {
            let message = simulated.mint(chat);
            // The messages of the bot are known without their chat.
            let [came, made] = [Some(chat.clone()), None].map(|chat| Mention {
                channel: channel.clone(),
                chat,
                message: message.clone(),
            });
            let journal = &self.shared.journal;
            let since = Timestamp(i64::MIN);
            let came = journal.mentions(&came, since).await.map_err(failure::journal)?;
            let made = journal.mentions(&made, since).await.map_err(failure::journal)?;
            if came.is_empty() && made.is_empty() {
                return Ok(message);
            }
        }
    }

    /// Files as their platform tells of them. A simulated one keeps them; any other never saw them, so that the agent
    /// is told that they cannot be fetched.
    fn attach(&self, channel: &ChannelId, files: Vec<ComposeFile>) -> Result<Vec<Attachment>, Failure> {
        let simulated = self.shared.loopbacks.get(channel);
        let attach = |file: ComposeFile| {
            let bytes = BASE64
                .decode(&file.base64)
                .map_err(|error| failure::no_file(&file.name, &error))?;
            Ok(Attachment {
                name: file.name,
                media_type: file.media_type,
                size: Some(bytes.len() as u64),
                source: simulated.map(|simulated| simulated.platform().keep(bytes)),
            })
        };
        files.into_iter().map(attach).collect()
    }

    /// Takes a message as if it came in, with the answer that was written for it; else the configured agent answers. The
    /// answer is a new message, or is written into one of the bot's.
    pub(super) async fn submit(
        &self,
        inbound: Inbound,
        answer: Option<String>,
        into: Option<MessageId>,
    ) -> Result<SendResult, Failure> {
        let (channel, message) = (inbound.channel.clone(), inbound.message.clone());
        let typed = self.shared.typed.clone();
        if let Some(output) = answer {
            typed.answer(&channel, &message, output);
        }
        let engine = &self.shared.engine;
        let turn = match into {
            Some(into) => engine.submit_into(inbound, into).await,
            None => engine.submit(inbound).await,
        };
        let turn = turn
            .inspect_err(|_| typed.forget(&channel, &message))
            .map_err(failure::journal)?;
        let id = turn.id;
        self.spawn(async move {
            // However it ended: an answer to a message that was stopped at a gate is never asked for.
            turn.ended().await;
            typed.forget(&channel, &message);
        });
        Ok(SendResult { turn: id })
    }

    pub(super) fn inbound(&self, channel: &ChannelId, message: MessageId, text: String) -> Inbound {
        let approved = self.shared.engine.pairings().approved;
        let sender = writer(&self.shared.config, &approved, channel);
        written_message(sender, self.shared.clock.now(), channel, message, text)
    }
}

/// A direct message of a sender to the bot.
pub(super) fn written_message(
    sender: String,
    at: Timestamp,
    channel: &ChannelId,
    message: MessageId,
    text: String,
) -> Inbound {
    Inbound {
        channel: channel.clone(),
        account: None,
        chat: ChatId::new(CHAT),
        chat_type: ChatType::Direct,
        thread: None,
        message,
        reply_to: None,
        sender: Sender {
            id: sender.into(),
            name: SENDER.to_owned(),
            display_name: "You".to_owned(),
            is_bot: false,
        },
        text,
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at,
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    }
}

/// Whom the message claims to come from: a test of the output should not fail at the gate, so it is
/// somebody on the allow list, or whom an operator let in. Where nobody is, the gate is what the test shows.
pub(super) fn writer(config: &Config, approved: &[Approval], channel: &ChannelId) -> String {
    let allowed = config.channels.get(channel).map(|c| c.allow_from.as_slice());
    let first = allowed.unwrap_or_default().first();
    if let Some(first) = first.map(|entry| entry.rsplit(':').next().unwrap_or(entry)) {
        return if first == "*" { SENDER } else { first }.to_owned();
    }
    let in_force = |approval: &&Approval| approval.in_force && approval.channel == *channel;
    let approved = approved.iter().find(in_force);
    approved.map_or_else(
        || SENDER.to_owned(),
        |approval| approval.sender.as_str().to_owned(),
    )
}

/// A message with what surrounds it.
pub(super) fn surrounded(message: Inbound, context: MessageContext) -> Inbound {
    let MessageContext {
        chat_type,
        chat,
        thread,
        mentioned,
        sender,
        is_bot,
        reply_to,
        forwarded,
    } = context;
    let mut writer = message.sender;
    if let Some(id) = sender.filter(|id| *id != writer.id) {
        let name = id.as_str().to_owned();
        writer = Sender {
            display_name: name.clone(),
            name,
            id,
            ..writer
        };
    }
    writer.is_bot = is_bot.unwrap_or(writer.is_bot);
    Inbound {
        chat_type: chat_type.unwrap_or(message.chat_type),
        chat: chat.unwrap_or(message.chat),
        thread,
        mentioned: mentioned.unwrap_or(message.mentioned),
        sender: writer,
        reply_to,
        forwarded: forwarded.unwrap_or(message.forwarded),
        ..message
    }
}
