//! Commands for owners of the bot: who may write, what is configured, what goes on, and a new start.

use super::{Commands, refusal};
use crate::{gates::OwnAnswer, id::ANYBODY, recorder::Recorder, stages::command_access::owns_other_channel};
use foldback_store::StoreError;
use foldback_wire::{Actor, ChannelId, Kind, UserId, rpc::Pairings, visible};
use serde_json::Value;

/// Most people or keys that are listed in a chat.
const MOST: usize = 30;

impl Commands {
    /// The lists of the channel, with the people whom an operator let in. With a code, decides about who asked, on a channel
    /// of which the sender is an owner; with an id, takes an approval back.
    pub(super) async fn allowlist(
        &self,
        answer: &OwnAnswer,
        argument: &str,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        let channel = &answer.message.channel;
        let mut words = argument.split_whitespace();
        let done = match (words.next(), words.next(), words.next()) {
            (None, ..) => return Ok(self.lists(answer)),
            (Some(decision @ ("approve" | "refuse")), Some(code), None) => {
                if let Some(there) = self.channel_of_others(answer, code) {
                    recorder.note(refusal_elsewhere(answer, argument, &there))?;
                    return Ok(format!(
                        "⛔ Nothing was changed: they wait on {there}, and only its owners decide about them."
                    ));
                }
                let approves = decision == "approve";
                let done = self.pairing.decide_request(code, approves, by).await;
                let told = if approves {
                    "✅ They may write now."
                } else {
                    "✅ They were refused."
                };
                done.map(|()| told)
            }
            (Some("remove"), Some(id), None) => self
                .pairing
                .revoke_approval(channel, &UserId::new(id), by)
                .await
                .map(|()| "✅ The approval was taken back."),
            _ => {
                return Ok(
                    "⚠️ Write /allowlist, or /allowlist approve CODE, refuse CODE or remove ID.".to_owned(),
                );
            }
        };
        Ok(done.map_or_else(|fault| format!("⚠️ Nothing was changed: {fault}."), str::to_owned))
    }

    /// The channel on which somebody waits with this code, where the sender owns the bot here and not there.
    fn channel_of_others(&self, answer: &OwnAnswer, code: &str) -> Option<ChannelId> {
        let message = &answer.message;
        let there = self.pairing.channel_of_code(code)?;
        let ports = &self.context.ports;
        let platform = |channel: &ChannelId| ports.settings(channel).platform(channel);
        let is_owner = there == message.channel
            || owns_other_channel(
                &ports.config.commands,
                (message, platform(&message.channel)),
                (&there, platform(&there)),
            );
        (!is_owner).then_some(there)
    }

    fn lists(&self, answer: &OwnAnswer) -> String {
        let channel = &answer.message.channel;
        let settings = self.context.ports.settings(channel);
        let Pairings {
            pending, approved, ..
        } = self.pairing.list();
        let owners = &self.context.ports.config.commands.owner_allow_from;
        let owners = if owners.iter().any(|entry| entry == ANYBODY) {
            "everybody".to_owned()
        } else {
            listed(owners.iter().map(String::as_str))
        };
        let mut lines = vec![
            format!("ℹ️ Who may write on {channel}:"),
            format!("Directly: {}", settings.direct_in_words()),
            format!("In groups: {}", settings.groups_in_words()),
            format!("Owners: {owners}"),
        ];
        let approved = approved.iter().filter(|one| one.channel == *channel);
        let approved: Vec<_> = approved
            .map(|one| format!("`{}` {}", one.sender, visible(&one.name)))
            .collect();
        lines.push(format!("Let in: {}", listed(approved.iter().map(String::as_str))));
        let pending = pending.iter().filter(|one| one.channel == *channel);
        let pending: Vec<_> = pending
            .map(|one| format!("{} `{}` {}", one.code, one.sender, visible(&one.name)))
            .collect();
        lines.push(format!("Wait: {}", listed(pending.iter().map(String::as_str))));
        lines.join("\n")
    }

    /// The configuration, or one key of it. A secret stands there as the reference to it.
    pub(super) fn show_config(&self, argument: &str) -> String {
        let config = serde_json::to_value(self.context.ports.config.as_ref()).unwrap_or_default();
        let mut words = argument.split_whitespace();
        let key = match (words.next(), words.next(), words.next()) {
            (None, ..) => "",
            (Some("show"), key, None) => key.unwrap_or_default(),
            (Some("set"), ..) => {
                return "ℹ️ The configuration is read when the bot starts: change foldback.toml and start it again. \
                        What counts for this conversation alone, directives set: /commands lists them."
                    .to_owned();
            }
            (Some(key), None, _) => key,
            _ => return "⚠️ Write /config, or /config show KEY.".to_owned(),
        };
        let mut found = &config;
        for part in key.split('.').filter(|part| !part.is_empty()) {
            match found.get(part) {
                Some(value) => found = value,
                None => return format!("⚠️ There is no key {}.", visible(key)),
            }
        }
        let text = match found {
            Value::Object(table) => {
                let of = |(name, value): (&String, &Value)| match value {
                    Value::Object(_) => format!("{name}: a table"),
                    value => format!("{name} = {value}"),
                };
                let lines: Vec<_> = table.iter().take(MOST).map(of).collect();
                lines.join("\n")
            }
            value => format!("{key} = {value}"),
        };
        let title = if key.is_empty() { "the configuration" } else { key };
        let text = format!("ℹ️ {title}:\n{text}");
        self.context.recorder.words(&text).into_owned()
    }

    /// What the bot has in work, and the state of each channel.
    pub(super) fn debug(&self, answer: &OwnAnswer) -> String {
        let context = &self.context;
        let session = &answer.session;
        let runs = context.runs.lock();
        let of_session = runs.values().filter(|run| run.session == *session).count();
        let all = runs.len();
        drop(runs);
        let mut lines = vec![
            format!(
                "ℹ️ Foldback {}, journal at event {}",
                env!("CARGO_PKG_VERSION"),
                context.recorder.journal.head()
            ),
            format!(
                "Conversation `{session}`: {of_session} running, {} waiting",
                self.control.waiting(session)
            ),
            format!(
                "All: {all} running, {} chats with something to deliver, {} messages remembered, {} tasks",
                self.delivery_queues.len(),
                self.seen.lock().len(),
                context.tasks.len()
            ),
        ];
        let channels = context.ports.board.channels();
        lines.extend(channels.iter().take(MOST).map(|channel| {
            let status = channel.status();
            format!(
                "{}: {}, {} in flight",
                channel.id(),
                status.state,
                channel.in_flight()
            )
        }));
        lines.join("\n")
    }

    /// Ends the bot in order, where somebody starts it again.
    pub(super) fn restart(&self) -> String {
        let context = &self.context;
        if !context.ports.config.commands.restart {
            return "ℹ️ /restart is switched off.".to_owned();
        }
        if context.shutdown.restart.send_request() {
            "✅ The bot ends in order and starts again.".to_owned()
        } else {
            "ℹ️ Nothing here starts the bot again, so that it goes on.".to_owned()
        }
    }
}

/// The record that an owner of one channel may not decide about who waits on another.
fn refusal_elsewhere(answer: &OwnAnswer, argument: &str, there: &ChannelId) -> Kind {
    let why = format!("{} is not an owner on {there}", answer.message.sender.id);
    let setting = "commands.owner_allow_from".to_owned();
    refusal(answer, ("allowlist", argument), setting, why)
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        names if names.len() > MOST => {
            format!("{} and {} more", names[..MOST].join(", "), names.len() - MOST)
        }
        names => names.join(", "),
    }
}
