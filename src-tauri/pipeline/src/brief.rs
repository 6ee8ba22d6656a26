//! The material that the agent is given for a turn: the files that came, what was said in them, and the prompt, which
//! names them.

use crate::{
    context::TurnContext,
    pending::Pending,
    ports::Port,
    rules::Rule,
    stages::{
        gather::Gather,
        prepare::{HostAbilities, PrepareContext, prepare},
        transcript::transcripts,
    },
    voices::VoiceOutput,
};
use foldback_agents::{Agent, TurnRequest};
use foldback_directives::redact::InboundSecrets;
use foldback_store::StoreError;
use foldback_wire::{Kind, RunLevels};
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

/// The material that the agent is given: the files that came, and the prompt, which names them.
pub(crate) async fn brief(
    context: &TurnContext,
    pending: &Pending,
    port: &Port,
    agent: &dyn Agent,
    cancel: &CancellationToken,
) -> Result<TurnRequest, StoreError> {
    let Pending {
        message, recorder, ..
    } = pending;
    let gather = Gather {
        rules: context.rules,
        config: &context.ports.config.attachments,
        accepts: agent.accepts(),
        listens: context.speech.transcriber.is_some(),
        channel: &port.channel,
        clock: recorder.clock.as_ref(),
        cancel,
    };
    let mut gathered = gather.gather(message).await;
    let masks = context.redaction.as_ref();
    let masks = masks.filter(|redaction| redaction.inbound() == InboundSecrets::Agent);
    let transcriber = context.speech.transcriber.as_deref();
    let heard = transcripts(transcriber, &mut gathered, masks, cancel).await;
    recorder.note_all(gathered.events(message))?;
    let outgoing = agent.shares_machine().then(|| {
        let root = context.files.root();
        // The agent may work in another folder.
        std::path::absolute(root).unwrap_or_else(|_| root.to_owned())
    });
    let prepared_for = PrepareContext {
        rules: context.rules,
        can: &port.can,
        output: &port.output,
        host: HostAbilities {
            speaks: !matches!(context.speech.output, VoiceOutput::Off),
            outgoing: outgoing.as_deref(),
        },
    };
    let prompt = prepare(&prepared_for, message, &gathered.notes, &heard);
    recorder.note(Kind::Prepared {
        prompt: prompt.clone(),
    })?;
    let mut message = message.clone();
    message.forget_handles();
    Ok(TurnRequest {
        run: context.ids.run(),
        session: pending.session.clone(),
        prompt,
        message,
        levels: RunLevels::default(),
        resume: resumed(context, pending).await?,
        files: gathered.files,
    })
}

/// The agents' own sessions of the conversation. One backend's mean nothing to another.
async fn resumed(context: &TurnContext, pending: &Pending) -> Result<BTreeMap<String, String>, StoreError> {
    if !context.rules.holds(Rule::SessionResume) {
        return Ok(BTreeMap::new());
    }
    let kept = pending.recorder.journal.agent_sessions(&pending.session).await?;
    Ok(kept.into_iter().map(|kept| (kept.backend, kept.id)).collect())
}
