//! `/session`, `/usage` and `/export`: what a session is, what it took, and what was said in it.

use super::Commands;
use crate::{
    deliver::operation::OutgoingOperation,
    freshness::{session_end, time_on_the_wall},
    gates::OwnAnswer,
    history::{ExportedConversation, export_conversation},
    recorder::Recorder,
    stages::session::is_shared,
    user_text::UserText,
};
use foldback_store::{Case, SessionRecord, StoreError, UsageTotals};
use foldback_wire::{Actor, FileKind, MessageFlags, Operation, TurnId, UsageLine, messages};

impl Commands {
    /// The totals of the session; with an argument, sets the line about tokens under its answers.
    pub(super) async fn usage(
        &self,
        answer: &OwnAnswer,
        argument: &str,
        recorder: &Recorder,
        by: Actor,
    ) -> Result<String, StoreError> {
        let wanted = match argument.to_lowercase().as_str() {
            "" => {
                let totals = recorder.journal.usage(&answer.session).await?;
                let settings = self.context.sessions.settings(&answer.session).await?;
                let line = settings.usage.map_or("default", UsageLine::code);
                return Ok(format!("ℹ️ {}.\nLine under answers: {line}.", in_words(totals)));
            }
            "default" | "inherit" => None,
            word => match UsageLine::from_code(word) {
                Some(line) => Some(line),
                None => return Ok("⚠️ Write /usage, or /usage off, tokens, full or default.".to_owned()),
            },
        };
        self.change(answer, recorder, by, |settings| settings.usage = wanted)
            .await?;
        let line = wanted.map_or("default", UsageLine::code);
        Ok(format!("⚙️ Usage line: {line}."))
    }

    /// Key, scope, times, settings with their sources, and tokens.
    pub(super) async fn session(
        &self,
        answer: &OwnAnswer,
        recorder: &Recorder,
    ) -> Result<String, StoreError> {
        let config = &self.context.ports.config.session;
        let session = &answer.session;
        let Some(record) = recorder.journal.session(session).await? else {
            return Ok("ℹ️ There is no conversation here yet.".to_owned());
        };
        let scope = if is_shared(self.context.rules, config, &answer.message) {
            "several chats share it"
        } else {
            "of this chat"
        };
        let SessionRecord {
            settings,
            turns,
            created,
            began,
            said,
            used,
            ..
        } = record;
        let end = session_end(&config.reset, said.unwrap_or(used));
        let until = end.map_or_else(
            || "until /new".to_owned(),
            |end| {
                let at = time_on_the_wall(&config.reset, end.at);
                format!("until {at} ({}), or /new", end.rule)
            },
        );
        let settings = self.stored_here(answer, settings).await?;
        let set = self.set_in_words(answer, &settings);
        let set = set.unwrap_or_else(|| "nothing".to_owned());
        Ok(format!(
            "ℹ️ Conversation `{session}`, {scope}\nBegan: {}, {} in all\nGoes on: {until}\nSet: \
             {set}\nQueue: {}\n{}",
            time_on_the_wall(&config.reset, began.unwrap_or(created)),
            messages(turns),
            self.queue_settings(answer, &settings).in_words(),
            in_words(recorder.journal.usage(session).await?),
        ))
    }

    /// The conversation as a Markdown file, or the reason for which there is none.
    pub(super) async fn export(
        &self,
        turn: TurnId,
        answer: &OwnAnswer,
        recorder: &Recorder,
    ) -> Result<Result<OutgoingOperation, String>, StoreError> {
        let (context, message) = (&self.context, &answer.message);
        if is_shared(context.rules, &context.ports.config.session, message) && !answer.access.is_owner {
            let why = "⛔ Several chats share this conversation: only owners of the bot may export it.";
            return Ok(Err(why.to_owned()));
        }
        let elsewhere = "An operator can export it: `foldback export --session`.";
        let Some(port) = context.ports.port(&message.channel) else {
            return Ok(Err(elsewhere.to_owned()));
        };
        if port.can.file_limit.is_none() {
            return Ok(Err(format!("ℹ️ This channel takes no files. {elsewhere}")));
        }
        let found = export_conversation(
            recorder.journal.as_ref(),
            &answer.session,
            turn,
            answer.access.is_owner,
        )
        .await?;
        let ExportedConversation {
            markdown,
            turns,
            left_out,
        } = found;
        if turns == 0 {
            return Ok(Err("ℹ️ Nothing was said in this conversation yet.".to_owned()));
        }
        let name = format!("conversation-{}.md", turn.0);
        let file = match context.files.put_rest(&name, markdown.as_bytes(), &port.can) {
            Ok(file) => file,
            Err(refusal) => {
                tracing::info!(%refusal, "a conversation is not exported");
                return Ok(Err(format!("⚠️ The file cannot be sent. {elsewhere}")));
            }
        };
        let older = if left_out { "; older ones are left out" } else { "" };
        let export = OutgoingOperation::new(Operation::SendFile {
            path: file.relative,
            kind: FileKind::File,
            caption: Some(format!("ℹ️ The conversation, {}{older}.", messages(turns))),
            reply_to: None,
            checked: file.identity,
            flags: MessageFlags::default(),
        });
        let told = OutgoingOperation::own_aside(&UserText::ExportFailed);
        let why = "the file with the conversation was refused; the chat is told so";
        Ok(Ok(export.otherwise(Case::Failed, told, why.to_owned())))
    }
}

fn in_words(totals: UsageTotals) -> String {
    let UsageTotals {
        input,
        output,
        counted,
    } = totals;
    match counted {
        0 => "Tokens: none were told".to_owned(),
        1 => format!("Tokens: {input} read, {output} written, in 1 answer"),
        many => format!("Tokens: {input} read, {output} written, in {many} answers"),
    }
}
