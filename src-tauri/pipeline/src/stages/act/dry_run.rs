//! Actions of dry runs: none is carried out.

use crate::rules::{Rule, Rules};
use foldback_channels::Channel;
use foldback_wire::{ActionRefusal, ActionRefusalCode};

/// The refusal of an action of a dry run: the message is a test by hand, or its channel is not armed. `None` where it is
/// none, so that the action may be carried out.
pub(crate) fn dry_run(
    rules: Rules,
    channel: &Channel,
    is_test: bool,
    index: u32,
    name: &str,
) -> Option<ActionRefusal> {
    let is_armed = channel.status().armed;
    if is_armed && !is_test || !rules.holds(Rule::ActionsDryRun) {
        return None;
    }
    let code = ActionRefusalCode::DryRun;
    let id = channel.id();
    let setting = (!is_armed).then(|| format!("channels.{id}.armed"));
    let detail = match &setting {
        Some(setting) => format!(
            "nothing is carried out: the channel {id} is not armed. An operator arms it in the window, or with {setting} = true"
        ),
        None => code.about().to_owned(),
    };
    Some(ActionRefusal {
        index,
        name: name.to_owned(),
        code,
        detail,
        findings: Vec::new(),
        setting,
        decided_by: None,
    })
}
