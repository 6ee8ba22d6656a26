//! The material that the agent is given for a turn: the files that came, what was said in them, and the prompt, which
//! names them.

use crate::{
    brief_actions::BriefActions,
    context::TurnContext,
    enclosed::EnclosedReader,
    pending::{JoinedMessage, Pending},
    ports::Port,
    rules::Rule,
    stages::{
        notices::notices_section,
        others::{CollectedMessage, collected_section, group_section, summary_section},
        prepare::{HostAbilities, PrepareContext, PromptBody, prepare, without_directives},
        sender_context::SenderForm,
    },
    thread_reading::{read_thread, with_thread},
    voices::VoiceOutput,
};
use foldback_agents::{Agent, TurnRequest};
use foldback_store::{StoreError, SystemNotice};
use foldback_wire::{GroupMessage, JoinKind, Kind, RunLevels};
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

/// What the agent is told once, beside the message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToldBeside<'a> {
    /// What was said in the group before, to nobody.
    pub(crate) history: &'a [GroupMessage],
    /// What happened in the session.
    pub(crate) notices: &'a [SystemNotice],
}

/// The material that the agent is given.
pub(crate) struct Brief {
    pub(crate) request: TurnRequest,
    /// What was read in files and behind links: other people's words, none of which is carried out where the agent repeats
    /// them.
    pub(crate) read: Vec<String>,
}

/// The material that the agent is given: the files that came, and the prompt, which names them. Those of the messages that
/// are answered with this one are part of both.
pub(crate) async fn brief(
    context: &TurnContext,
    pending: &Pending,
    joined: &[JoinedMessage],
    told: ToldBeside<'_>,
    port: &Port,
    agent: &dyn Agent,
    cancel: &CancellationToken,
) -> Result<Brief, StoreError> {
    let Pending {
        message, recorder, ..
    } = pending;
    let mut sections = notices_section(told.notices);
    sections.push_str(&group_section(told.history));
    if !told.history.is_empty() {
        recorder.note(Kind::GroupHistory {
            messages: told.history.to_vec(),
        })?;
    }
    let joining: Vec<_> = of_kind(joined, JoinKind::Collected)
        .map(|other| &other.pending)
        .collect();
    let all: Vec<_> = joining.iter().copied().chain([pending]).collect();
    let reader = EnclosedReader::new(context, pending, port, agent, cancel);
    // Boxed, as all that they wait for is large. The thread does not wait for files, nor these for it.
    let (thread, enclosed) = tokio::join!(
        Box::pin(read_thread(context, pending, joined, told.history, port, cancel)),
        Box::pin(reader.read(&all)),
    );
    let (thread, mut enclosed) = (thread?, enclosed?);
    let (mut files, mut read) = (Vec::new(), Vec::new());
    if let Some(of) = &thread
        && context.rules.holds(Rule::ThreadRepeated)
    {
        read.extend(of.thread.texts().map(str::to_owned));
    }
    let message = thread.map_or_else(
        || message.clone(),
        |read| with_thread(context.rules, message, read),
    );
    for one in &mut enclosed {
        files.append(&mut one.files);
        read.append(&mut one.texts);
        sections.push_str(&one.sections);
    }
    let own = enclosed.pop().unwrap_or_default();
    let collected: Vec<_> = joining
        .iter()
        .zip(enclosed)
        .map(|(other, one)| CollectedMessage {
            message: &other.message,
            files: one.notes,
        })
        .collect();
    let summarised: Vec<_> = of_kind(joined, JoinKind::Summarised)
        .map(|other| &other.pending.message)
        .collect();
    sections.push_str(&summary_section(&summarised));
    let form = SenderForm {
        rules: context.rules,
        schema: context.ports.config.agent.sender_schema,
        platform: port.can.platform,
    };
    sections.push_str(&collected_section(form, &collected));
    let outgoing = agent.shares_machine().then(|| {
        let root = context.files.root();
        // The agent may work in another folder.
        std::path::absolute(root).unwrap_or_else(|_| root.to_owned())
    });
    let actions = BriefActions::of(context, pending, joined, port, agent).await?;
    let rows = actions.rows();
    let prepared_for = PrepareContext {
        rules: context.rules,
        actions: actions.offer(&rows),
        can: &port.can,
        output: &port.output,
        host: HostAbilities {
            speaks: !matches!(context.speech.output, VoiceOutput::Off),
            outgoing: outgoing.as_deref(),
        },
        schema: form.schema,
    };
    let body = PromptBody {
        message: &message,
        notes: &own.notes,
        delivery: pending.cause.delivery(),
    };
    let prompt = prepare(&prepared_for, body, &sections);
    recorder.note(Kind::Prepared {
        prompt: prompt.clone(),
    })?;
    // Behind the prompt: a crash in between tells them twice, and never not at all.
    context
        .sessions
        .end_notices(&pending.session, told.notices)
        .await?;
    let mut message = message;
    message.forget_handles();
    let request = TurnRequest {
        run: context.ids.run(),
        session: pending.session.clone(),
        remembered: Some(without_directives(&prompt)),
        prompt,
        message,
        levels: RunLevels::default(),
        resume: resumed(context, pending).await?,
        files,
        actions: actions.tools(),
    };
    Ok(Brief { request, read })
}

/// The messages that join in this way, the oldest first.
fn of_kind(joined: &[JoinedMessage], how: JoinKind) -> impl Iterator<Item = &JoinedMessage> {
    joined.iter().filter(move |message| message.how == how)
}

/// The agents' own sessions of the conversation. One backend's mean nothing to another.
async fn resumed(context: &TurnContext, pending: &Pending) -> Result<BTreeMap<String, String>, StoreError> {
    if !context.rules.holds(Rule::SessionResume) {
        return Ok(BTreeMap::new());
    }
    let kept = pending.recorder.journal.agent_sessions(&pending.session).await?;
    Ok(kept.into_iter().map(|kept| (kept.backend, kept.id)).collect())
}
