//! Asks a session for the levels of a run, before it is prompted.

use super::{
    failure::{Failure, one_line},
    levels::SetRequest,
    peer::Peer,
};
use crate::LevelRefusal;
use foldback_wire::{AgentFault, RunLevel, RunLevels};

/// Sets what a run asks for, and sets back what a run before it asked for. What the agent does not have, or refuses, is
/// told, and the run goes on without it. A failure is one of the process.
pub(super) async fn ask_levels(peer: &mut Peer, asked: &RunLevels) -> Result<Vec<LevelRefusal>, Failure> {
    let limit = peer.config.limits.start;
    let late = peer.clock.sleep_until(peer.clock.now().plus(limit));
    let asking = async {
        let mut refusals = Vec::new();
        let session = peer.session.to_string();
        // The model first: another one may have other think levels.
        let set = peer.offered.set_model(&session, asked.model.as_ref());
        refusals.extend(set_level(peer, RunLevel::Model, set).await?);
        let set = peer.offered.set_think(&session, asked.think);
        refusals.extend(set_level(peer, RunLevel::Think, set).await?);
        for level in [RunLevel::Host, RunLevel::Node] {
            let set = peer.offered.set_place(&session, level, asked.asked(level));
            refusals.extend(set_level(peer, level, set).await?);
        }
        let (_, missing) = peer.offered.supports().divide(asked);
        refusals.extend(missing);
        Ok(refusals)
    };
    tokio::select! {
        biased;
        () = late => {
            let detail = format!("the agent did not set a level within {} ms", limit.as_millis());
            Err(Failure::new(AgentFault::Timeout, detail))
        }
        refusals = asking => refusals,
    }
}

async fn set_level(
    peer: &mut Peer,
    level: RunLevel,
    set: Option<SetRequest>,
) -> Result<Option<LevelRefusal>, Failure> {
    let Some(SetRequest {
        method,
        params,
        value,
    }) = set
    else {
        return Ok(None);
    };
    match peer.call(method, &params).await? {
        Ok(answer) => {
            peer.offered.is_set(level, &value);
            peer.offered.take_options(&answer);
            Ok(None)
        }
        Err(error) => Ok(Some(LevelRefusal {
            level,
            why: one_line(&format!("acp: {}", Failure::refused(method, &error).detail)),
            asked: value,
        })),
    }
}
